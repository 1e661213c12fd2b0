# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Where a reference stands in a Fortran statement. flang tells of all that a statement refers to the place where the statement begins.

namespace eval ::heatscope::statement {
    namespace export whole written places
    namespace ensemble create

    # Of what is written in a statement, {LINE FIRST LAST} of each place, columns of the raw text from 0, where it reads or writes what the compiler calls
    # `text`: where it is written so, else where it names that array just once. None where that can't be told.
    proc places {written text access} {
        set wanted [plain $text]
        set same {}
        set others {}
        foreach {place words target} $written {
            if {$target != ($access ne "read")} continue
            if {$words eq $wanted} {
                lappend same $place
            } else {
                lappend others $place
            }
        }
        return [expr {[llength $same] || [llength $others] != 1 ? $same : $others}]
    }
    # {TEXT LINES}: the statement at a line and column (from 1) with its continuation lines, blanks for what is not its code; LINES: of each of them the line and where in the text it begins, flat.
    proc whole {document line column} {
        if {$column < 1} {
            return {{} {}}
        }
        set language [$document language]
        set code [blank $language [$document raw $line]]
        set code [string repeat " " [expr {$column - 1}]][string range $code $column-1 end]
        set lines [list $line 0]
        for {set n [expr {$line + 1}]} {$n <= $line + 40} {incr n} {
            set next [blank $language [$document raw $n]]
            if {[string trim $next] eq "" && $n <= [$document count]} continue
            if {$language eq "fixed"} {
                if {![regexp {^ {5}[^ 0]} $next]} break
                set next "      [string range $next 6 end]"
            } else {
                if {![regexp {&\s*$} $code]} break
                set code [regsub {&(\s*)$} $code { \1}]
                set next [regsub {^(\s*)&} $next {\1 }]
            }
            lappend lines $n [string length $code]
            append code $next
        }
        return [list $code $lines]
    }
    # Comments, strings and directives as blanks.
    proc blank {language text} {
        if {![regexp {['"!#]|^[cC*dD]} $text]} {
            return $text
        }
        foreach {a b kind} [::heatscope::lexer spans $language $text] {
            if {$kind in {comment string directive}} {
                set text [string replace $text $a $b [string repeat " " [expr {$b - $a + 1}]]]
            }
        }
        return $text
    }
    # {PLACE TEXT TARGET ...} of all that a statement (of `whole`) names as `name`, with subscripts and components; target: it stands before an `=`.
    proc written {statement name} {
        lassign $statement code lines
        set out {}
        foreach where [regexp -all -inline -indices -nocase "\\m$name\\M" $code] {
            lassign $where first last
            if {[regexp {%\s*$} [string range $code 0 $first-1]]} continue
            while {[regexp -indices -start [expr {$last + 1}] {\A\s*(?:\((?:[^()]*\))?|%\s*\w+)} $code next]} {
                set last [lindex $next 1]
                if {[string index $code $last] eq "("} {
                    set last [::heatscope::Memory::forward $code $last]
                }
            }
            lappend out [at $lines $first $last] [plain [string range $code $first $last]] \
                [regexp -start [expr {$last + 1}] {\A\s*=(?!=)} $code]
        }
        return $out
    }
    proc plain {text} { return [string tolower [regsub -all {\s} $text ""]] }
    # {LINE FIRST LAST} of a part of the text, as much of it as stands in the line where it begins.
    proc at {lines first last} {
        set line 0
        set begin 0
        foreach {n from} $lines {
            if {$from > $first} {
                set last [expr {min($last, $from - 1)}]
                break
            }
            lassign [list $n $from] line begin
        }
        return [list $line [expr {$first - $begin}] [expr {$last - $begin}]]
    }
}
