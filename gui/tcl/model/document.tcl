# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# One source file as lines: text, syntax, what the compiler did with its loops; or why there is no text.

oo::class create ::heatscope::Document {
    variable Db File Facts Lines Count State Message Changed Language Spans Chips Loops Inlined Begins Where Asked Roles Total Usual

    constructor {db file} {
        set Db $db
        set File $file
        set Facts [$db file $file]
        set Language [::heatscope::lexer language [dict get $Facts path]]
        set Spans {}
        set Chips {}
        set Loops {}
        set Inlined {}
        set Begins {}
        set Lines {}
        set Changed 0
        set Where {}
        set Asked 0
        set Roles {}
        set Total ""
        set Usual -1
        set Message {}
        if {![dict get $Facts has_lines]} {
            set State nolines
            set Count 0
            set Message "[my name] has no line information: its time is known by procedure only"
            return
        }
        if {[catch {$db source $file} source options]} {
            if {[lindex [dict get $options -errorcode] 2] eq "CANCELLED"} {
                return -options $options $source
            }
            set State missing
            set Message $source
            # rows up to the last line with code; a wild line number must not make a wild document
            set Count [expr {min([dict get $Facts last_line], 10000000)}]
            return
        }
        set State text
        set Language [::heatscope::lexer languageOf [dict get $Facts path] [dict get $source text]]
        set Where [dict get $source path]
        set Changed [dict get $source changed]
        set text [dict get $source text]
        if {[string first \r $text] >= 0} {
            set text [string map {\r\n \n \r \n} $text]
        }
        set Lines [split $text \n]
        if {[lindex $Lines end] eq ""} {
            set Lines [lrange $Lines 0 end-1]
        }
        set Count [llength $Lines]
        if {[dict get $Facts last_line] > $Count} {
            set Changed 1
        }
        if {$Changed} {
            set Message "[my name] has changed since the run: lines may be off. Run again, or show the old file with\
                HEATSCOPE_SOURCE_PATH"
        }
    }

    method file {} { return $File }
    method path {} { return [dict get $Facts path] }
    method name {} { return [::heatscope::fmt plain [dict get $Facts name]] }
    # Where the text came from; "" without text.
    method where {} { return $Where }
    method facts {} { return $Facts }
    method state {} { return $State }
    method message {} { return $Message }
    method changed {} { return $Changed }
    method language {} { return $Language }
    # Number of lines that rows are shown for; lines with code beyond the text count too.
    method count {} {
        return [expr {$State eq "text" ? max($Count, min([dict get $Facts last_line], $Count + 10000)) : $Count}]
    }

    # Text of line 1.., tabs made spaces, what cannot be shown made visible.
    method line {n} {
        if {$State ne "text" || $n < 1 || $n > $Count} {
            return ""
        }
        set line [lindex $Lines $n-1]
        if {[string length $line] > 4000} {
            set line "[string range $line 0 3999]\u2026"
        }
        if {[string first \t $line] >= 0} {
            set line [my Untab $line]
        }
        return [::heatscope::fmt plain $line]
    }
    # Nine of ten lines with text are no longer; of long files every so many are looked at.
    method usualLength {} {
        if {$Usual < 0} {
            set lengths {}
            for {set i 1} {$i <= $Count} {incr i [expr {max(1, $Count / 500)}]} {
                if {[set n [string length [string trimright [my line $i]]]]} {
                    lappend lengths $n
                }
            }
            set lengths [lsort -integer $lengths]
            set Usual [expr {[llength $lengths] ? [lindex $lengths [expr {[llength $lengths] * 9 / 10}]] : 0}]
        }
        return $Usual
    }
    # Text of line n as it stands in the file.
    method raw {n} {
        return [expr {$State eq "text" && $n >= 1 && $n <= $Count ? [lindex $Lines $n-1] : ""}]
    }
    # Where column i (from 0) of the raw line stands in the shown one.
    method shown {n i} {
        set before [string range [lindex $Lines $n-1] 0 $i-1]
        return [expr {[string length [expr {[string first \t $before] >= 0 ? [my Untab $before.] : "$before."}]] - 1}]
    }
    method Untab {line} {
        set out {}
        foreach part [split $line \t] {
            append out $part
            append out [string repeat " " [expr {8 - [string length $out] % 8}]]
        }
        return [string trimright $out]
    }

    # What the words of its lines are has been asked for; comes: LINE to "FIRST LAST LETTER ..." as heatscope-tokens prints it.
    method asked {} { return $Asked }
    method ask {} { set Asked 1 }
    method words {roles} {
        set Roles $roles
        set Spans {}
    }
    # Spans of line n by libclang. Nothing that it does not print gets through.
    method Known {n} {
        set letters {k keyword t type f function m macro v variable d member e constant n number s string c comment}
        set tabs [expr {[string first \t [lindex $Lines $n-1]] >= 0}]
        set spans {}
        foreach {- a b letter} [regexp -all -inline {(\d{1,6}) (\d{1,6}) (\w)} [dict get $Roles $n]] {
            if {$a <= $b && $b < 4000 && [dict exists $letters $letter]} {
                if {$tabs} {
                    set a [my shown $n $a]
                    set b [my shown $n $b]
                }
                lappend spans $a $b [dict get $letters $letter]
            }
        }
        return $spans
    }

    # Syntax of line n: {first last kind ...}.
    method spans {n} {
        if {$State ne "text" || $n < 1 || $n > $Count} {
            return {}
        }
        # directives are coloured whole by the lexer
        if {[dict exists $Roles $n] && ![regexp {^\s*#} [lindex $Lines $n-1]]} {
            return [my Known $n]
        }
        if {[dict exists $Spans $n]} {
            return [dict get $Spans $n]
        }
        set open 0
        if {$Language eq "c"} {
            set before [join [lrange $Lines [expr {max(0, $n - 1500)}] $n-2] \n]
            set open [::heatscope::lexer inComment c $before]
        }
        # a screenful at once, so that the look back is made once
        if {[dict size $Spans] > 20000} {
            set Spans {}
        }
        for {set i $n} {$i < $n + 64 && $i <= $Count} {incr i} {
            dict set Spans $i [::heatscope::lexer spans $Language [my line $i] open]
        }
        return [dict get $Spans $n]
    }

    # Loops and regions that begin on line n: scope rows, outermost first.
    method loops {n} {
        my Index
        if {[dict exists $Loops $n]} {
            return [lsort -integer [dict get $Loops $n]]
        }
        return {}
    }

    # The values have changed: shares in the chips are told anew.
    method forget {} {
        set Chips {}
        set Total ""
    }
    # What the compiler did with the loops that begin on line n, and with those that it wrote itself there (Fortran's SUM), by name:
    # list of {text tone scope}, tone good, bad or plain.
    method chips {n} {
        if {[dict exists $Chips $n]} {
            return [dict get $Chips $n]
        }
        set chips {}
        foreach scope [my loops $n] {
            foreach chip [my ChipsOf $scope] {
                if {[lsearch -exact -index 0 $chips [lindex $chip 0]] < 0} {
                    lappend chips [linsert $chip end $scope]
                }
            }
        }
        if {[dict exists $Inlined $n]} {
            foreach scope [dict get $Inlined $n] {
                set name [::heatscope::fmt intrinsic [dict get [$Db scope [dict get [$Db scope $scope] procedure]] name]]
                foreach chip [my ChipsOf $scope] {
                    set chip [lreplace $chip 0 0 "$name [lindex $chip 0]"]
                    if {[lsearch -exact -index 0 $chips [lindex $chip 0]] < 0} {
                        lappend chips [linsert $chip end $scope]
                    }
                }
            }
            # what may cost something is not hidden behind praise of the line's own loop
            set chips [concat [lsearch -all -inline -exact -index 1 $chips bad] [lsearch -all -inline -not -exact -index 1 $chips bad]]
        }
        dict set Chips $n $chips
        return $chips
    }
    # Is a loop, all versions of which have `all` samples, too small a part of the run (or interval) for its refusal to cost anything?
    method IsSmall {scope all} {
        if {$Total eq ""} {
            set Total [$Db total]
        }
        set own [expr {$all > 0 ? $all : [lindex [$Db sums -table scope_excl -rows [list $scope 1]] 0]}]
        return [expr {$Total > 0 && $own < [::heatscope::settings get refusalShare] * $Total}]
    }
    method ChipsOf {scope} {
        set chips {}
        set vector 0
        set words {}
        set unrolled {}
        set packed 0
        set scalar 0
        set plain_copy 0
        set part 0
        set all 0
        foreach instance [$Db instances $scope] {
            set all [expr {$all + [dict get $instance sum]}]
            set width [dict get $instance vector_width]
            set interleave [dict get $instance interleave]
            set unroll [dict get $instance unroll]
            if {![dict get $instance is_vector]} {
                set packed [expr {max($packed, $width)}]
            }
            # the words of the database's enumeration of loop versions
            switch -glob -- [dict get $instance version_text] {
                "vector body" - "vector body, fully unrolled" {
                    if {$words eq "" || $width > $vector} {
                        set words "vectorised[expr {$width > 1 ? " \u00d7$width" : ""}]"
                        if {$interleave > 1} {
                            append words ", $interleave at once"
                        }
                    }
                    set vector [expr {max(1, $vector, $width)}]
                }
                "scalar remainder*" - "scalar fall-back*" {
                    set scalar [expr {$scalar + [dict get $instance sum]}]
                }
                "as written" {
                    set plain_copy [expr {$plain_copy + [dict get $instance sum]}]
                }
                "unrolled copy" {
                    set part [expr {$part + [dict get $instance sum]}]
                    if {$unrolled eq ""} {
                        set unrolled "unrolled[expr {$unroll > 1 ? " \u00d7$unroll" : ""}]"
                    }
                }
                "fully unrolled*" {
                    set part [expr {$part + [dict get $instance sum]}]
                    set unrolled "fully unrolled"
                }
            }
        }
        # a vector body that the run hardly entered is no good news; with fewer samples nobody could tell
        if {$words ne "" && $all >= 20 && $scalar >= 0.5 * $all} {
            lappend chips [list "[::heatscope::fmt percent $scalar $all 0] scalar though [lindex [split $words ,] 0]" bad]
        } elseif {$words ne "" && $all >= 20 && $plain_copy >= 0.5 * $all} {
            # unswitched, or inlined elsewhere: the vector body is not that of the code that ran
            lappend chips [list "[::heatscope::fmt percent $plain_copy $all 0] as written though another copy is [lindex [split $words ,] 0]" plain]
        } elseif {$words ne ""} {
            lappend chips [list $words good]
        }
        if {$packed > 1} {
            # operations in a row of a scalar loop
            lappend chips [list "parts packed \u00d7$packed" plain]
        }
        # of a copy that hardly runs (inlined elsewhere) nothing is said
        if {$unrolled ne "" && ($all <= 0 || $part >= 0.05 * $all)} {
            lappend chips [list [expr {$all >= 20 && $part < 0.5 * $all ? "[::heatscope::fmt percent $part $all 0] $unrolled" : $unrolled}] plain]
        }
        set reason {}
        set analysed 0
        set passed {}
        set untried {}
        set spins 0
        set written 0
        set is_plain 0
        set code 0
        foreach remark [$Db remarks $scope -n 40] {
            dict with remark {}
            if {$pass ni {loop-vectorize heatscope}} {
                continue
            }
            if {$kind == 0} {
                if {$passed eq "" && [regexp -nocase {vectoriz} $message]} {
                    set passed $message
                }
                continue
            }
            if {$name eq "SpinWait"} {
                set spins 1
                continue
            }
            if {$name eq "WrittenInVectors"} {
                set written 1
                continue
            }
            if {!$refuses} {
                # of interleaving, or not tried at all
                if {[string match "not tried*" $reason_text]} {
                    set untried $reason_text
                }
                continue
            }
            set words [my Reason $message]
            # an analysis says why; a missed optimisation alone only that it was missed; of one reason the words that give it themselves
            if {$words ne "" && ($reason eq "" || ($kind > 1 && !$analysed) || ($kind > 1 && $plain && !$is_plain && $reason_code == $code))} {
                set reason $words
                set analysed [expr {$kind > 1}]
                set is_plain $plain
                set code $reason_code
            }
        }
        if {!$vector && $passed ne "" && $all <= 0} {
            if {[regexp {width: (\d+)} $passed -> width]} {
                set chips [linsert $chips 0 [list "vectorised \u00d7$width" good]]
            } else {
                set chips [linsert $chips 0 [list vectorised good]]
            }
            set vector 1
        }
        if {!$vector && $reason ne ""} {
            # red is what may cost something: a loop whose time is in calls of MPI, or that has none, is told in grey
            set tone [expr {[my IsSmall $scope $all] ? "plain" : "bad"}]
            set chips [linsert $chips 0 [list "not vectorised: [::heatscope::fmt plain $reason]" $tone]]
        } elseif {!$vector && $spins} {
            set chips [linsert $chips 0 [list "spin wait" [expr {[my IsSmall $scope $all] ? "plain" : "bad"}]]]
        } elseif {!$vector && $written} {
            set chips [linsert $chips 0 [list "written in vectors" good]]
        } elseif {!$vector && $untried ne ""} {
            set chips [linsert $chips 0 [list "vectors $untried" plain]]
        }
        return $chips
    }
    # The compiler's reason without what is always said: the first sentence, and which dependence it is about.
    method Reason {message} {
        set words [regsub -nocase {^(?:the )?loop not vectori[sz]ed:?\s*} $message {}]
        set words [regsub -nocase {^the cost-model indicates that } $words {}]
        if {[regexp -nocase {^vectorization is not beneficial|^interleaving is not beneficial} $words]} {
            return "not worth it"
        }
        if {[regexp {unsafe dependent memory operations} $words]} {
            set words "unsafe dependence"
            if {[regexp -nocase {((?:backward|forward|unknown|indirect)[^.\n]*dependence)} $message -> which]} {
                set words [string tolower $which]
            }
            if {[regexp {accessed at ([^\s:]+:\d+)} $message -> place]} {
                append words ", $place"
            }
            return $words
        }
        set words [lindex [split $words \n] 0]
        return [regsub {\.(?: .*)?$} $words {}]
    }

    # What to print where there is no text: the scopes that begin on line n.
    method standIn {n} {
        set names {}
        foreach scope [my Begin $n] {
            set facts [$Db scope $scope]
            lappend names "[dict get $facts kind] [::heatscope::names short $Db $scope]"
        }
        return [join $names ", "]
    }
    method Index {} {
        if {$Begins ne ""} {
            return
        }
        set Begins [dict create 0 {}]
        set Loops [dict create 0 {}]
        set Inlined {}
        foreach {line scope kind} [$Db scopesbegin $File] {
            if {$kind eq "inlined"} {
                dict lappend Inlined $line $scope
                continue
            }
            dict lappend Begins $line $scope
            if {$kind ne "procedure"} {
                dict lappend Loops $line $scope
            }
        }
    }
    method Begin {n} {
        my Index
        if {[dict exists $Begins $n]} {
            return [dict get $Begins $n]
        }
        return {}
    }
}
