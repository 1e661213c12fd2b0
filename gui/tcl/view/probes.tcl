# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What probes counted and the program told: blocks, probes, phases, counters, the cost of measuring.

oo::class create ::heatscope::ProbesView {
    superclass ::heatscope::NotesView
    variable Path Bus Run Nav Db App Selection Rows ById List Chosen By Model SortColumn SortOrder

    method name {} { return probes }
    method title {} { return Probes }
    method Groups {} { return {block Blocks probe Probes phase Phases counter Counters cost "Cost of measuring"} }

    constructor {path context} {
        next $path $context
        # what there is comes first
        foreach what {block phase counter cost} {
            if {[llength [$Model rows $what]]} {
                my group $what
                break
            }
        }
    }
    method Build {body} {
        set Model [::heatscope::Told new $Run]
        my SplitNotes $body 1 -width [::heatscope::theme dp 480]
    }
    destructor {
        $Model destroy
        next
    }
    method forget {} {
        next
        $Model forget
    }
    # What measuring cost is dear by its time: shares of threads that hardly ran say little.
    method group {{key {}}} {
        if {$key ne $By && [dict exists [my Groups] $key]} {
            lassign [list [expr {$key eq "cost" ? "own" : "share"}] decreasing] SortColumn SortOrder
        }
        return [next $key]
    }
    # Timed, whatever the metric.
    method Reads {} { return {} }
    method FirstSort {} { return share }
    method Columns {} {
        return [switch -- $By {
            phase {
                list {name Phase name 0 left name} {bar "" bar 7 {} share} {share Share percent 6 {} share} {time Time text 8 right seconds} \
                    {count Times count 6 {} count} {begin From text 8 right begin_s} {end To text 8 right end_s}
            }
            counter {
                list {name Counter name 0 left name} {bar "" bar 5 {} share} {share Values count 7 {} values} {min Min text 9 right min} \
                    {mean Mean text 9 right mean} {max Max text 9 right max} {last Last text 9 right last}
            }
            cost {
                list {name Thread name 0 left name} {bar "" bar 7 {} share} {share "Of its time" percent 9 {} share} {own Own text 8 right own_s} \
                    {cpu "CPU time" text 9 right cpu_s} {runs "Handler runs" count 9 {} handler_runs}
            }
            default {
                list [list name [dict get {block "Block, and what it is in" probe Probe} $By] name 0 left name] {bar "" bar 7 {} share} \
                    {share Own percent 6 {} share} {time "Own time" text 8 right exclusive_s} {visits Visits count 7 {} visits} \
                    {mean "Mean visit" text 8 right duration_mean_s} {median Median text 8 right duration_median_s} {longest Longest text 8 right duration_max_s}
            }
        }]
    }
    method Drop {} { return {longest median mean bar end begin last max own runs visits count} }
    method Load {} {
        $List configure -empty [dict get {
            block "no probes ran: heatscope cc --probe=..." probe "no probes: heatscope cc --probe=..."
            phase "the program told of no phases (heatscope.h)" counter "the program told of no counters (heatscope.h)"
            cost "what measuring cost was not recorded"} $By]
        return [$Model rows $By]
    }
    method Compared {} {
        return [dict get {block {exclusive_s 1 s} probe {exclusive_s 1 s} phase {seconds 1 s} counter {mean 1 {}} cost {own_s 1 s}} $By]
    }
    method OtherRows {model} { return [$model rows $By] }
    method Alike {} { return {kind} }
    # The loop or procedure, of a block with those that it is in.
    method Places {db row} {
        set scopes [switch -- $By {
            block { dict get $row scopes }
            probe { dict get $row scope }
        }]
        return [expr {[llength $scopes] && -1 ni $scopes ? [list [concat {*}[lmap s $scopes {list scope $s}]]] : {}}]
    }
    # Where it is and, of a probe that was disarmed, until when it counted.
    method Place {row} {
        set parts [list [dict get $row where] [expr {[dict exists $row until] ? [dict get $row until] : ""}]]
        return [join [lsearch -all -inline -not -exact $parts {}] ", "]
    }
    method Cells {row} {
        set cells [list [list [dict get $row name] [my Place $row]] [dict get $row share]]
        return [switch -- $By {
            phase {
                list {*}$cells [dict get $row share] [::heatscope::fmt seconds [dict get $row seconds]] [dict get $row count] \
                    [::heatscope::fmt seconds [dict get $row begin_s]] [::heatscope::fmt seconds [dict get $row end_s]]
            }
            counter {
                list {*}$cells [dict get $row values] {*}[lmap key {min mean max last} {$Model number [dict get $row $key]}]
            }
            cost {
                list {*}$cells [dict get $row share] [::heatscope::fmt seconds [dict get $row own_s]] \
                    [::heatscope::fmt seconds [dict get $row cpu_s]] [dict get $row handler_runs]
            }
            default {
                set about [expr {[$Model isDoubtful $row] ? "~" : ""}]
                list {*}$cells [dict get $row share] $about[::heatscope::fmt seconds [dict get $row exclusive_s]] [dict get $row visits] \
                    [expr {[dict get $row visits] > 0 ? $about : ""}][$Model visitTime $row duration_mean_s] [$Model visitTime $row duration_median_s] \
                    [$Model visitTime $row duration_max_s]
            }
        }]
    }
    method Beside {} {
        if {$By eq "cost" && [dict get $Selection interval] ne ""} {
            return "whole run \u00b7 what measuring cost is not known by time"
        }
        if {$By in {phase counter} && [dict get $Selection interval] ne "" && [$Db interval] ne ""} {
            return [expr {$By eq "phase" ? "of the interval \u00b7 what of them lies in it" : "of the interval \u00b7 values told in it, and that which holds as it begins"}]
        }
        return [my Timed [dict get {block "timed, not sampled" probe "timed, not sampled, all their blocks" phase "as the program told" counter "as the program told"
            cost "measured and estimated"} $By]]
    }
    method Current {} {
        if {$By in {block probe} && [dict get $Selection scope] >= 0} {
            set scope [dict get $Selection scope]
            if {[dict exists $ById $Chosen] && [dict get $ById $Chosen scope] == $scope} {
                return $Chosen
            }
            foreach row $Rows {
                if {[dict get $row scope] == $scope} {
                    return [dict get $row id]
                }
            }
        }
        return [expr {[dict exists $ById $Chosen] ? $Chosen : ""}]
    }
    method Notes {id} {
        return [expr {[dict exists $ById $id] ? [$Model notes $By [dict get $ById $id]] : {}}]
    }
    method NotesBy {model row metric} { return [$model notes $By $row] }
    method Chart {id} {
        if {![dict exists $ById $id]} {
            return {}
        }
        set row [dict get $ById $id]
        switch -- $By {
            block - probe {
                return [dict create title "Own time by [lindex [$Run words process] 0]" labels [$Run labels process] \
                    values [dict get [$Model visits $By [dict get $row row]] processes] words [namespace code {my OfProcess}]]
            }
            phase {
                set values {}
                for {set p 0} {$p < [$Run columns process]} {incr p} {
                    lappend values [expr {[dict exists $row by $p] ? [dict get $row by $p] : 0}]
                }
                return [dict create title "Time in it by [lindex [$Run words process] 0]" labels [$Run labels process] values $values \
                    words [namespace code {my OfProcess}]]
            }
            counter {
                set n 200
                set values [lrepeat $n 0]
                lassign [expr {[dict get $Selection interval] ne "" ? [dict get $Selection interval] : [list 0.0 [$Run info wall_s]]}] from to
                set labels {}
                for {set i 0} {$i < $n} {incr i} {
                    lappend labels [::heatscope::fmt seconds [expr {$from + ($to - $from) * $i / $n}]]
                }
                foreach bin [$Model series [dict get $row row] $n] {
                    lassign $bin at low high
                    lset values $at [expr {max(0, $high)}]
                }
                return [dict create title "Highest value by time" labels $labels values $values]
            }
        }
        return {}
    }
    method OfProcess {index} {
        set facts [my Chart [my Of]]
        return "[$Run columnLabel process $index]: [::heatscope::fmt seconds [lindex [dict get $facts values] $index]]"
    }
    method ChartGo {index} {
        if {$By ne "counter" && [dict get $Selection axis] eq "process"} {
            $Nav column probes $index
        }
    }
    method Go {row} {
        switch -- $By {
            block - probe {
                if {[dict get $row scope] >= 0} {
                    $Nav scope probes [dict get $row scope]
                }
            }
            cost {
                if {[dict get $Selection axis] eq "process"} {
                    $Nav column probes [dict get $row process]
                }
            }
        }
        my Mark
    }
    # A phase becomes the interval of all views.
    method Open {row} {
        if {$By ne "phase"} {
            my Go $row
        } elseif {[dict get [$Db times] present] && [dict get $row end_s] > [dict get $row begin_s]} {
            $Bus set probes interval [$Model phaseTimes [dict get $row name]]
        } else {
            my Read "samples are not known by time in this database"
        }
    }
    method Words {row} {
        set text [string trim "[dict get $row name] [my Place $row]"]
        return [switch -- $By {
            phase { string cat $text ": [::heatscope::fmt seconds [dict get $row seconds]] in all, [dict get $row count] times, longest on [dict get $row most]" }
            counter { string cat $text ": [dict get $row values] values, [$Model number [dict get $row min]] to [$Model number [dict get $row max]]" }
            cost { string cat $text ": measuring took [::heatscope::fmt seconds [dict get $row own_s]], [::heatscope::fmt percent [dict get $row share] 1 2] of its time" }
            default {
                string cat $text ": [$Model visitWords $row]"
            }
        }]
    }
    method Exported {} {
        return [switch -- $By {
            phase { list phase name seconds seconds times count begin_s begin_s end_s end_s longest_s longest longest_on most }
            counter { list counter name thread where values values min min mean mean stddev stddev max max first first last last }
            cost { list thread name own_s own_s cpu_s cpu_s handler_s handler_s signals_s signals_s probes_s probes_s wrappers_s wrappers_s handler_runs handler_runs }
            default {
                list name name where where kind kind visits visits exclusive_s exclusive_s exclusive_low_s exclusive_low_s exclusive_high_s exclusive_high_s inclusive_s duration_s min_s duration_min_s \
                    mean_s duration_mean_s median_s duration_median_s median_low_s duration_median_low_s median_high_s duration_median_high_s stddev_s duration_stddev_s max_s duration_max_s probe_cost_s cost_s threads threads \
                    disarmed disarmed disarmed_s disarmed_s
            }
        }]
    }
}
