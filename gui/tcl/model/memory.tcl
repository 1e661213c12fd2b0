# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What memory has to do with the selected place: dependences of a loop as arrows between lines, its references with their
# strides and arrays, and for a call of MPI the code that fills, reads or waits for what it moves.

oo::class create ::heatscope::Memory {
    variable Run Db Kept KeptLoop Statements

    constructor {run} {
        set Run $run
        set Db [$run db]
        set Kept {}
        set KeptLoop {}
        set Statements {}
    }

    # Marks of one file for a selected scope and line: a dict of
    #   arrows  list of {from LINE to LINE kind flow|anti|output|input|any distance N|"" prevents 0|1 words TEXT}
    #   spans   dict LINE -> list of {first last read|write|message words}, columns of the displayed text from 0
    #   chips   dict LINE -> list of {words tone scope}
    # Empty lists for a procedure, and for lines without MPI.
    method marks {document scope line} {
        set key [list [$document file] $scope $line]
        if {[lindex $Kept 0] ne $key} {
            set Kept [list $key [my Make $document $scope $line]]
        }
        return [lindex $Kept 1]
    }

    method Make {document scope line} {
        set file [$document file]
        set key [list $file $scope]
        if {[lindex $KeptLoop 0] ne $key} {
            set Statements {}
            set marks [dict create arrows {} spans {} chips {}]
            if {$scope >= 0 && [dict get [$Db scope $scope] kind] in {loop region}} {
                set marks [my Loop $document $scope $marks]
            }
            set KeptLoop [list $key $marks]
        }
        set marks [lindex $KeptLoop 1]
        if {$line > 0} {
            foreach site [$Db messagesites $file $line] {
                set marks [my Site $document $site $marks]
            }
        }
        return $marks
    }

    # ---- loops ----

    method Loop {document scope marks} {
        set file [$document file]
        set facts [$Db scope $scope]
        set end [expr {min([dict get $facts subtree_end], $scope + 64)}]
        set arrows {}
        set strides {}
        for {set s $scope} {$s < $end} {incr s} {
            if {[dict get [$Db scope $s] file] != $file} {
                continue
            }
            foreach d [$Db dependences $s] {
                if {[dict get $d source_file] != $file || [dict get $d sink_file] != $file
                    || [dict get $d source_line] <= 0 || [dict get $d sink_line] <= 0} {
                    continue
                }
                set kind [dict get $d kind]
                set key [list [dict get $d source_line] [dict get $d sink_line] $kind [dict get $d distance]]
                # of equal ones the one that hinders
                if {[dict exists $arrows $key] && [dict get $arrows $key prevents] >= [dict get $d prevents]} {
                    continue
                }
                dict set arrows $key [dict create from [dict get $d source_line] to [dict get $d sink_line] kind $kind \
                    distance [dict get $d distance] prevents [dict get $d prevents] words [my Words $d] \
                    from_column [dict get $d source_column] to_column [dict get $d sink_column] scope $s]
            }
            foreach r [dict get [$Db loopfacts $s] references] {
                if {[dict get $r file] != $file || [dict get $r line] <= 0} {
                    continue
                }
                set n [dict get $r line]
                set kind [expr {[dict get $r access] eq "read" ? "read" : "write"}]
                set marks [my Reference $document $marks $n [dict get $r column] [dict get $r text] $kind [my ReferenceWords $r]]
                set stride [my Stride $r]
                if {[dict get $r array] ne "" && $stride ne ""} {
                    set words "[::heatscope::fmt plain [dict get $r array]] $stride"
                    if {![dict exists $strides $n $words]} {
                        dict set strides $n $words $s
                    }
                }
            }
        }
        foreach arrow [dict values $arrows] {
            dict lappend marks arrows $arrow
            foreach {line column} [list [dict get $arrow from] [dict get $arrow from_column] [dict get $arrow to] [dict get $arrow to_column]] {
                set marks [my Span $document $marks $line $column depend [dict get $arrow words]]
            }
            if {[dict get $arrow prevents]} {
                set marks [my Chip $marks [dict get $arrow from] [list [my ArrowChip $arrow] bad [dict get $arrow scope]]]
            }
        }
        dict for {n words} $strides {
            set all [dict keys $words]
            set text [join [lrange $all 0 2] ", "][expr {[llength $all] > 3 ? ", \u2026" : ""}]
            set marks [my Chip $marks $n [list $text plain [lindex [dict values $words] 0]]]
        }
        return $marks
    }
    method ArrowChip {arrow} {
        set text "[dict get $arrow kind] \u2192 line [dict get $arrow to]"
        if {[dict get $arrow distance] ne ""} {
            append text ", distance [dict get $arrow distance]"
        }
        return $text
    }
    method Words {d} {
        set text "[dict get $d kind] dependence, line [dict get $d source_line] \u2192 [dict get $d sink_line]"
        if {[dict get $d distance] ne ""} {
            append text ", distance [::heatscope::fmt plural [dict get $d distance] iteration]"
        } else {
            append text ", distance not known"
        }
        return "$text: [dict get $d verdict]"
    }
    # "contiguous", "stride 24 B", "indirect"
    method Stride {r} {
        set stride [dict get $r stride]
        switch -glob -- $stride {
            contiguous* - irregular { return $stride }
            "the same address" { return "one address" }
            "not known" { return "" }
            "through*" { return indirect }
        }
        return [expr {[dict get $r stride_bytes] ne "" ? "stride [::heatscope::fmt plain [dict get $r stride_bytes]] B" : $stride}]
    }
    method ReferenceWords {r} {
        set text "[dict get $r access] [::heatscope::fmt plain [dict get $r text]]: [::heatscope::fmt plain [::heatscope::fmt stride $r]]"
        if {[string match "*known to the run" [dict get $r stride]] && [dict get $r stride_bytes] ne ""} {
            append text " in each iteration, which only the run knows"
        }
        append text ", [dict get $r size_bytes] B each"
        set layout {}
        foreach key {element bounds} {
            if {[dict exists $r $key] && [dict get $r $key] ne ""} {
                lappend layout [::heatscope::fmt plain [dict get $r $key]]
            }
        }
        # "[?]" says nothing
        if {[llength $layout] && [regexp {[^][?:,() ]} [join $layout]]} {
            append text "; [::heatscope::fmt plain [dict get $r array]] is [join $layout]"
        }
        return $text
    }

    # ---- messages ----

    method Site {document site marks} {
        set file [$document file]
        set operation [::heatscope::fmt plain [dict get $site operation]]
        set here [expr {[dict get $site file] == $file}]
        set place "$operation[expr {$here ? " :[dict get $site line]" : ""}]"
        if {$here} {
            set buffers {}
            foreach a [dict get $site arguments] {
                if {[string match *buffer* [dict get $a role]] && [dict get $a text] ne ""} {
                    lappend buffers "[dict get $a role] [::heatscope::fmt plain [dict get $a text]]"
                }
            }
            set others 0
            foreach link [dict get $site links] {
                incr others [expr {[dict get $link file] != $file}]
            }
            if {$others} {
                lappend buffers "[::heatscope::fmt plural $others link] to other files"
            }
            foreach words $buffers {
                set marks [my Chip $marks [dict get $site line] [list $words plain [dict get $site scope]]]
            }
            set marks [my Span $document $marks [dict get $site line] [dict get $site column] message "$operation: [join $buffers {, }]"]
        }
        foreach link [dict get $site links] {
            if {[dict get $link file] != $file || [dict get $link line] <= 0} {
                continue
            }
            set n [dict get $link line]
            set words "$place: [dict get $link kind]"
            if {[dict get $link sure] ni {certain {not judged}}} {
                append words " ([dict get $link sure])"
            }
            set writes [regexp {fills|writes|copied into|copied from the buffer} [dict get $link kind]]
            set marks [my Chip $marks $n [list $words [expr {$writes ? "write" : "read"}] [dict get $link scope]]]
            set marks [my Reference $document $marks $n [dict get $link column] [dict get $link text] [expr {$writes ? "write" : "read"}] $words]
            if {$here && $n != [dict get $site line]} {
                # data flow from who fills to the call, and from the call to who reads
                lassign [expr {$writes && ![regexp {copied from the buffer} [dict get $link kind]]
                    ? [list $n [dict get $site line]] : [list [dict get $site line] $n]}] from to
                dict lappend marks arrows [dict create from $from to $to kind message distance "" prevents 0 words $words scope -1]
            }
        }
        return $marks
    }

    # ---- places in the text ----

    method Chip {marks line chip} {
        if {![dict exists $marks chips $line] || [lsearch -exact -index 0 [dict get $marks chips $line] [lindex $chip 0]] < 0} {
            set chips [expr {[dict exists $marks chips $line] ? [dict get $marks chips $line] : {}}]
            dict set marks chips $line [lappend chips $chip]
        }
        return $marks
    }
    method Span {document marks line column kind words} {
        lassign [::heatscope::Memory::expression [$document raw $line] $column] first last
        # of a call its name is enough
        if {$kind eq "message" && [regexp -indices -start $first {\w+} [$document raw $line] word]} {
            lassign $word first last
        }
        if {$first < 0} {
            return $marks
        }
        return [my Mark $document $marks $line $first $last $kind $words]
    }
    # Of Fortran the column is the statement's.
    method Reference {document marks line column text kind words} {
        if {[$document language] ni {fortran fixed}} {
            return [my Span $document $marks $line $column $kind $words]
        }
        foreach place [::heatscope::statement places [my Written $document $line $column $text] $text $kind] {
            set marks [my Mark $document $marks {*}$place $kind $words]
        }
        return $marks
    }
    # What a statement names as the reference begins.
    method Written {document line column text} {
        if {![regexp {^\w+} $text name]} {
            return {}
        }
        set statement [list [$document file] $line $column]
        set key [list $statement $name]
        if {![dict exists $Statements $key]} {
            if {![dict exists $Statements $statement]} {
                dict set Statements $statement [::heatscope::statement whole $document $line $column]
            }
            dict set Statements $key [::heatscope::statement written [dict get $Statements $statement] $name]
        }
        return [dict get $Statements $key]
    }
    method Mark {document marks line first last kind words} {
        set spans [expr {[dict exists $marks spans $line] ? [dict get $marks spans $line] : {}}]
        lappend spans [list [$document shown $line $first] [expr {[$document shown $line [expr {$last + 1}]] - 1}] $kind $words]
        dict set marks spans $line $spans
        return $marks
    }
}
namespace eval ::heatscope::Memory {
    # The expression that a compiler means by a column (from 1): names with members and subscripts; of an assignment operator what
    # stands on its left. {first last} from 0, {-1 -1} where there is none.
    proc expression {text column} {
        set i [expr {$column - 1}]
        if {$column < 1 || $i >= [string length $text]} {
            return {-1 -1}
        }
        # remarks between a name and its assignment are blanks
        while {[regexp -indices {/\*.*?\*/} $text comment]} {
            lassign $comment from to
            set text [string replace $text $from $to [string repeat " " [expr {$to - $from + 1}]]]
        }
        if {[regexp {^(?:<<|>>|[-+*/%&|^])?=(?!=)|^\+\+|^--} [string range $text $i end]]} {
            set last [expr {$i - 1}]
            while {$last >= 0 && [string index $text $last] in {" " \t}} {
                incr last -1
            }
            return [list [back $text $last] $last]
        }
        set first [expr {[string index $text $i] in {[ (} ? [back $text [expr {$i - 1}]] : $i}]
        if {$first < 0 || ![regexp {\w} [string index $text $first]]} {
            return [list $i $i]
        }
        # the whole of a member access, also when its last name is meant
        set start [back $text $first]
        return [list $start [forward $text $start]]
    }
    # First character of the expression that ends at `last`.
    proc back {text last} {
        set i $last
        set depth 0
        while {$i >= 0} {
            set c [string index $text $i]
            if {$c in {] )}} {
                incr depth
            } elseif {$c in {[ (}} {
                if {!$depth} break
                incr depth -1
            } elseif {!$depth && ![regexp {[\w.%]} $c]} {
                if {$c eq ">" && [string index $text $i-1] eq "-"} {
                    incr i -1
                } else {
                    break
                }
            }
            incr i -1
        }
        incr i
        # a bracket that stands before a name is none of it
        return [expr {$i > $last ? $last : $i}]
    }
    # Last character of the expression that begins at `first`.
    proc forward {text first} {
        set n [string length $text]
        set i $first
        set last $first
        while {$i < $n} {
            set c [string index $text $i]
            if {$c in {[ (}} {
                set depth 0
                for {set k $i} {$k < $n} {incr k} {
                    set x [string index $text $k]
                    if {$x in {[ (}} { incr depth }
                    if {$x in {] )} && ![incr depth -1]} break
                }
                if {$k >= $n} break
                set last $k
                set i [expr {$k + 1}]
            } elseif {[regexp {\w} $c]} {
                set last $i
                incr i
            } elseif {$c in {. %} && [regexp {\w} [string index $text $i+1]]} {
                incr i
            } elseif {$c eq "-" && [string index $text $i+1] eq ">"} {
                incr i 2
            } else {
                break
            }
        }
        return $last
    }
}
