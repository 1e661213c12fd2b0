# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What the source pane says of the thing under the pointer.

oo::define ::heatscope::DetailView {
    method HoverHeat {hit} {
        if {![my Hits $hit [expr {$hit ne "" && [dict exists $hit part] && [dict get $hit part] eq "header" ? "first" : "line"}] 0]} return
        set first [my Label [dict get $hit first]]
        set last [my Label [dict get $hit last]]
        lassign [$Run words [dict get $Selection axis]] one many
        set where [expr {$first eq $last ? "$one $first" : "$many $first\u2013$last"}]
        if {[dict exists $hit part] && [dict get $hit part] eq "header"} {
            my Read "$where[my ColumnFacts [dict get $hit first] [dict get $hit last]]"
            return
        }
        set text "Line [dict get $hit line], $where: "
        if {[dict get $hit row] < 0} {
            append text "no code"
        } else {
            set value [dict get $hit value]
            # of one processor there is no most
            set how [expr {$first eq $last ? "" : "[dict get $Selection bin] "}]
            append text [expr {[my Comparing] ? [my Told $value [dict get $hit noise]] : "$how[my Samples $value]"}]
            if {![my Comparing] && [dict get $hit column] >= 0 && $first ne $last && $value > 0} {
                append text " on [my Label [dict get $hit column]]"
            }
            append text [my RowFacts [dict get $hit row]]
        }
        my Read $text
    }
    # What is known of one processor.
    method ColumnFacts {first last} {
        if {$first != $last} {
            return ""
        }
        set c [$Db column [dict get $Selection axis] $first]
        set about [::heatscope::About new $Run]
        set words [join [concat [list "[::heatscope::fmt seconds [dict get $c cpu_s]] CPU time"] [$about usageWords $c]] " \u00b7 "]
        $about destroy
        return "[expr {[dict get $c host] ne "" ? " on [::heatscope::fmt plain [dict get $c host]]" : ""}]: $words"
    }
    method RowFacts {row} {
        set stats [lindex [$Db stats -table [my LineTable] -rows [list $row 1] {*}[my Common]] 0]
        set metric [dict get $Selection metric]
        if {[dict get $stats sum] == 0} {
            return ""
        }
        set text " \u00b7 line: mean [::heatscope::fmt mean [dict get $stats mean]],\
            [$Run amount $metric [dict get $stats sum]],\
            [::heatscope::fmt percent [dict get $stats sum] [$Run total $metric]] of [$Run whole [dict get $Selection metric]]"
        return $text
    }
    method HoverBar {hit} {
        if {![my Hits $hit row]} return
        my Read "Line [dict get $hit line], [string tolower [$Run cells [dict get $Selection metric]] 0 0]: min [::heatscope::fmt grouped [dict get $hit min]] on\
            [my Label [dict get $hit min_column]] \u00b7 mean [format %.1f [dict get $hit mean]] \u00b1\
            [format %.1f [dict get $hit stddev]] \u00b7 max [::heatscope::fmt grouped [dict get $hit max]] on\
            [my Label [dict get $hit max_column]]"
    }
    method HoverGutter {hit} {
        if {![my Hits $hit row]} return
        my Read "Line [dict get $hit line]: [my Samples [dict get $hit sum]][my RowFacts [dict get $hit row]]"
    }
    method HoverMini {hit} {
        if {![my Hits $hit line]} return
        lassign [list [dict get $hit line] [dict get $hit last_line]] line last
        set value [dict get $hit value]
        set most [expr {$value eq "" ? "no code" : [my Comparing] ? [my Told $value] : "at most [my Samples $value] in a line and cell"}]
        my Read "[expr {$last > $line ? "Lines $line\u2013$last" : "Line $line"}] of [my Lines]: $most"
    }
    method HoverScope {hit} {
        if {![my Hits $hit scope]} return
        set metric [dict get $Selection metric]
        my Read "[dict get $hit kind] [::heatscope::fmt plain [dict get $hit name]], lines\
            [dict get $hit line_begin]\u2013[dict get $hit line_end]:\
            [::heatscope::fmt percent [dict get $hit share] 1] of [$Run whole [dict get $Selection metric]],\
            [$Run amount $metric [dict get $hit inclusive]] with all that it calls[expr {[dict exists $hit change] ? ", [my Told [dict get $hit change]]" : {}}]"
    }
    method HoverText {x y} {
        set scope [my ScopeTag $x $y]
        if {$scope ne "" && $Document ne "" && [$Document state] ne "nolines"} {
            set words {}
            foreach chip [my Chips [my LineAt $y]] {
                lappend words [lindex $chip 0]
            }
            my Read [join $words " \u00b7 "]
            return
        }
        set line [my LineAt $y]
        if {$Document eq "" || [my Lines] == 0 || $line > [my Lines]} {
            my Read ""
            return
        }
        set said [my SpanWords $x $y $line]
        if {$said ne ""} {
            my Read "Line $line: $said"
            return
        }
        set row [$Db findline $File $line]
        if {$row >= 0} {
            set sum [lindex [$Db sums -table [my LineTable] -rows [list $row 1] {*}[my Common]] 0]
            my Read "Line $line: [my Samples $sum][my RowFacts $row]"
        } else {
            my Read "Line $line: no code"
        }
    }

    # What is known of the reference under the pointer.
    method SpanWords {x y line} {
        set words {}
        if {[dict exists $Marks spans $line]} {
            set at [lindex [split [$Text index @$x,$y] .] 1]
            foreach span [dict get $Marks spans $line] {
                if {$at >= [lindex $span 0] && $at <= [lindex $span 1] && [lindex $span 3] ni $words} {
                    lappend words [lindex $span 3]
                }
            }
        }
        return [join $words " \u00b7 "]
    }
}
