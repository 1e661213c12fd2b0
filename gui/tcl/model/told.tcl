# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What probes counted and what the program told of itself: blocks, probes, phases, counters, what measuring cost.

oo::class create ::heatscope::Told {
    variable Run Db Kept

    constructor {run} {
        set Run $run
        set Db [$run db]
        my forget
    }
    # The values have changed: another interval.
    method forget {} { set Kept {} }
    # Rows of a kind: dicts with id, name, where and share.
    method rows {what} {
        if {![dict exists $Kept $what]} {
            set rows [switch -- $what {
                phase { my Phases }
                counter { my Counters }
                cost { my Costs }
                default { my Probed $what }
            }]
            dict set Kept $what $rows
        }
        return [dict get $Kept $what]
    }
    # `scopes` of a block: its own and those of the blocks that it is in, inwards out; -1 for one that is not known.
    method Probed {what} {
        set rows [$Db told $what -n 2000]
        foreach b $rows {
            dict set above [dict get $b row] [list [dict get $b scope] [dict get $b parent]]
        }
        return [lmap b $rows {
            set scopes [list [dict get $b scope]]
            for {set up [dict get $b parent]} {$up >= 0 && [llength $scopes] < 64} {lassign [dict get $above $up] - up} {
                if {![dict exists $above $up]} {
                    lappend scopes -1
                    break
                }
                lappend scopes [lindex [dict get $above $up] 0]
            }
            dict merge $b [my Names $what $b] [dict create until [my until $b] scopes $scopes]
        }]
    }
    method Names {what b} {
        set name [::heatscope::fmt shortName [dict get $b name]]
        if {$name eq ""} {
            set name [expr {[dict get $b scope] >= 0 ? [$Run scopeTitle [dict get $b scope]] : [dict get $b kind]}]
        }
        set where [::heatscope::fmt place $b]
        if {$what eq "block" && [dict get $b depth] > 0} {
            set name "[string repeat "\u203a " [expr {min(6, [dict get $b depth])}]]$name"
        }
        return [dict create id [dict get $b row] name $name where $where most [my thread [dict get $b most_thread]]]
    }
    # Until when a probe counted, where it was disarmed while the program ran; empty: to the end.
    method until {probe} {
        set processes [dict get $probe disarmed]
        if {$processes == 0} {
            return ""
        }
        set from [::heatscope::fmt seconds [dict get $probe disarmed_s]]
        return [expr {$processes == 1 ? "until $from" : "from $from on not in [::heatscope::fmt grouped $processes] [lindex [$Run words process] 1]"}]
    }
    method thread {thread} {
        return [expr {$thread >= 0 ? [$Run columnLabel thread $thread] : ""}]
    }
    # Phases of one name added up over processes: seconds is what all of them were in it, in the interval if there is one.
    method Phases {} {
        set names {}
        set all 0.0
        foreach p [$Db told phase -n 4096] {
            set name [::heatscope::fmt plain [dict get $p name]]
            set seconds [dict get $p inside_s]
            if {$seconds <= 0 && [dict get $p end_s] > [dict get $p begin_s]} continue ;# not in the interval
            lassign [expr {$seconds > 0 ? [list [dict get $p inside_begin_s] [dict get $p inside_end_s]] : [list [dict get $p begin_s] [dict get $p end_s]]}] begin end
            set all [expr {$all + $seconds}]
            if {![dict exists $names $name]} {
                dict set names $name [dict create seconds 0.0 count 0 begin_s $begin end_s 0.0 longest 0.0 most "" by {}]
            }
            set row [dict get $names $name]
            dict set row seconds [expr {[dict get $row seconds] + $seconds}]
            dict incr row count
            dict set row begin_s [expr {min([dict get $row begin_s], $begin)}]
            dict set row end_s [expr {max([dict get $row end_s], $end)}]
            if {$seconds > [dict get $row longest]} {
                dict set row longest $seconds
                dict set row most [$Run columnLabel process [dict get $p process]]
            }
            set by [dict get $row by]
            set process [dict get $p process]
            dict set by $process [expr {[dict exists $by $process] ? [dict get $by $process] + $seconds : $seconds}]
            dict set row by $by
            dict set names $name $row
        }
        set rows {}
        dict for {name row} $names {
            lappend rows [dict merge $row [dict create id $name name $name where "" share [expr {$all > 0 ? [dict get $row seconds] / $all : 0.0}]]]
        }
        return [lsort -decreasing -command {apply {{a b} {
            set x [dict get $a seconds]
            set y [dict get $b seconds]
            expr {$x < $y ? -1 : $x > $y}
        }}} $rows]
    }
    # {FROM TO} of all phases of a name, in seconds of the run, whatever interval is set; {}: there is none.
    method phaseTimes {name} {
        set times {}
        foreach p [$Db told phase -n 4096] {
            if {[::heatscope::fmt plain [dict get $p name]] eq $name} {
                lappend times [dict get $p begin_s] [dict get $p end_s]
            }
        }
        return [expr {[llength $times] ? [list [tcl::mathfunc::min {*}$times] [tcl::mathfunc::max {*}$times]] : {}}]
    }
    method Counters {} {
        set most 0.0
        set rows [lmap c [$Db told counter -n 4096] {
            if {[dict get $c values] == 0} continue
            set c
        }]
        foreach c $rows {
            set most [expr {max($most, [dict get $c values])}]
        }
        return [lmap c $rows {
            dict merge $c [dict create id [dict get $c row] name [::heatscope::fmt plain [dict get $c name]] where [my thread [dict get $c thread]] \
                share [expr {$most > 0 ? [dict get $c values] / $most : 0}]]
        }]
    }
    # Own time is in part an estimate: of a thread that hardly ran it can be more than all its time.
    method Costs {} {
        return [lmap c [$Db told cost -n 4096] {
            set cpu [dict get $c cpu_s]
            dict merge $c [dict create id [dict get $c row] name [my thread [dict get $c thread]] where "" \
                share [expr {$cpu > 0 ? min(1.0, [dict get $c own_s] / $cpu) : 0}]]
        }]
    }
    method visits {what row} {
        return [$Db visits $what $row]
    }
    method series {row n} {
        return [$Db series $row -n $n]
    }
    # Whether what probes cost leaves more than a tenth of a row's own time to be known.
    method isDoubtful {row} {
        set seconds [dict get $row exclusive_s]
        set doubt [expr {max([dict get $row exclusive_high_s] - $seconds, $seconds - [dict get $row exclusive_low_s])}]
        return [expr {$doubt > 0.1 * $seconds && $doubt >= 1e-6}]
    }
    # A block's or probe's visits: a time of one, with all it calls ("28.4 ms"), a dash where there was none; and in words.
    method visitTime {row key} {
        return [expr {[dict get $row visits] > 0 ? [::heatscope::fmt seconds [dict get $row $key]] : "\u2013"}]
    }
    method visitWords {row} {
        if {[dict get $row visits] <= 0} {
            return "no visits"
        }
        return "own [::heatscope::fmt seconds [dict get $row exclusive_s]], [::heatscope::fmt plural [dict get $row visits] visit],\
            [::heatscope::fmt seconds [dict get $row duration_mean_s]] each[expr {[dict get $row duration_s] > 1.001 * [dict get $row exclusive_s] ? " inclusive" : ""}]"
    }
    # Lines on a row.
    method notes {what row} {
        set out [list [dict create kind head text [string trimleft [dict get $row name] "\u203a "] right [dict get $row where] \
            {*}[expr {[dict exists $row scope] ? [list scope [dict get $row scope]] : {}}]]]
        switch -- $what {
            block - probe {
                lappend out [dict create kind fact text "[dict get $row kind], [::heatscope::fmt plural [dict get $row visits] visit]" \
                    right "[::heatscope::fmt seconds [dict get $row duration_s]] inclusive"]
                if {[dict get $row visits] > 0} {
                    lappend out [dict create kind fact text "each [::heatscope::fmt seconds [dict get $row duration_mean_s]] \u00b1\
                        [::heatscope::fmt seconds [dict get $row duration_stddev_s]], [::heatscope::fmt seconds [dict get $row duration_min_s]] to\
                        [::heatscope::fmt seconds [dict get $row duration_max_s]]"]
                    lappend out [dict create kind fact text "median, for sure between [::heatscope::fmt seconds [dict get $row duration_median_low_s]]\
                        and [::heatscope::fmt seconds [dict get $row duration_median_high_s]]" right [::heatscope::fmt seconds [dict get $row duration_median_s]]]
                }
                if {[dict get $row until] ne ""} {
                    lappend out [dict create kind bad text "counted [dict get $row until]: it was disarmed while the program ran;\
                        its later time is own time of the scopes round it"]
                }
                if {[dict get $row left] > 0} {
                    lappend out [dict create kind bad text "left without passing an exit" right [::heatscope::fmt grouped [dict get $row left]]]
                }
                if {[dict get $row cost_s] > 0} {
                    lappend out [dict create kind fact text "the probes themselves, taken out" right [::heatscope::fmt seconds [dict get $row cost_s]]]
                }
                if {[my isDoubtful $row]} {
                    lappend out [dict create kind bad text "own time is known to (95 %)" right "[::heatscope::fmt seconds [dict get $row exclusive_low_s]]\
                        to [::heatscope::fmt seconds [dict get $row exclusive_high_s]]"]
                }
                set visits [my visits $what [dict get $row row]]
                set categories {}
                set k -1
                foreach seconds [dict get $visits categories] {
                    incr k
                    if {$seconds > 0} {
                        lappend categories [dict create kind fact text [::heatscope::fmt plain [$Db category $k]] \
                            right "[::heatscope::fmt seconds $seconds]  [::heatscope::fmt percent $seconds [dict get $row exclusive_s] 0]"]
                    }
                }
                if {[llength $categories]} {
                    lappend out [dict create kind section text "What it was doing"] {*}$categories
                }
                if {[llength [dict get $visits histogram]]} {
                    lappend out [dict create kind section text "How long visits took" right visits]
                    foreach bucket [dict get $visits histogram] {
                        lassign $bucket from to count
                        if {$count > 0} {
                            lappend out [dict create kind fact text "[::heatscope::fmt seconds [expr {$from * 1e-9}]] to\
                                [::heatscope::fmt seconds [expr {$to * 1e-9}]]" right [::heatscope::fmt grouped $count]]
                        }
                    }
                }
            }
            phase {
                lappend out [dict create kind fact text "from [::heatscope::fmt seconds [dict get $row begin_s]] to\
                    [::heatscope::fmt seconds [dict get $row end_s]] of the run" right "[dict get $row count]\u00d7"]
                lappend out [dict create kind fact text "longest on [dict get $row most]" right [::heatscope::fmt seconds [dict get $row longest]]]
                lappend out [dict create kind fact text "Return or a double click: all views show this time alone"]
            }
            counter {
                lappend out [dict create kind fact text "[::heatscope::fmt plural [dict get $row values] value], [my number [dict get $row min]] to\
                    [my number [dict get $row max]]"]
                lappend out [dict create kind fact text "mean [my number [dict get $row mean]] \u00b1 [my number [dict get $row stddev]]"]
                lappend out [dict create kind fact text "first [my number [dict get $row first]], last [my number [dict get $row last]]"]
            }
            cost {
                foreach {key text} {handler_s "taking samples, measured" signals_s "interrupts for samples, estimated" probes_s "probes, estimated"
                        wrappers_s "wrappers, estimated" helper_s "helper thread of the process"
                        start_s "starting to measure, of the process" end_s "ending to measure, of the process" switches_s "context switches, estimated"} {
                    lappend out [dict create kind fact text $text right [::heatscope::fmt seconds [dict get $row $key]]]
                }
                lappend out [dict create kind fact text "one sample: median [::heatscope::fmt seconds [dict get $row handler_median_s]],\
                    99 of 100 below [::heatscope::fmt seconds [dict get $row handler_p99_s]]"]
                if {[dict get $row probes_missed] > 0} {
                    lappend out [dict create kind bad text "visits that probes missed" right [::heatscope::fmt grouped [dict get $row probes_missed]]]
                }
                if {[dict get $row rate_changes] > 0} {
                    lappend out [dict create kind fact text "changes of the sampling rate" right [dict get $row rate_changes]]
                }
            }
        }
        return $out
    }
    method number {v} {
        return [expr {$v == round($v) && abs($v) < 1e15 ? [::heatscope::fmt grouped $v] : [format %.4g $v]}]
    }
}
