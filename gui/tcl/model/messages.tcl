# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Calls of a message-passing library, added up in groups; words and histograms for the messages pane.

oo::class create ::heatscope::Messages {
    variable Run Db Groups Histograms Partners

    constructor {run} {
        set Run $run
        set Db [$run db]
        my forget
    }
    # The values have changed: another interval.
    method forget {} {
        set Groups {}
        set Histograms {}
        set Partners {}
    }
    method any {} { return [expr {[$Run info messages] > 0}] }
    # Rows of `messages BY` with `name` and `where`.
    method groups {by} {
        if {![dict exists $Groups $by]} {
            dict set Groups $by [lmap g [$Db messages $by -n 2000] {dict merge $g [my Names $by $g]}]
        }
        return [dict get $Groups $by]
    }
    method Names {by g} {
        set where ""
        switch -- $by {
            call {
                set name [::heatscope::fmt plain [dict get $g operation]]
                set where [::heatscope::fmt place $g]
                if {$where eq "" || [dict get $g line] <= 0} {
                    set where "in [::heatscope::fmt shortName [dict get $g procedure]]"
                }
            }
            operation { set name [::heatscope::fmt plain [dict get $g operation]] }
            partner { set name [::heatscope::fmt plain [dict get $g partner]] }
            size { set name [::heatscope::Messages::sizeClass [dict get $g size_class]] }
            process {
                set name [$Run columnLabel process [dict get $g process]]
                catch {set where [::heatscope::fmt plain [dict get [$Db process [dict get $g process]] host]]}
            }
            default { set name "all calls" }
        }
        return [dict create name $name where $where]
    }
    # {from to count} of size or duration for the group that table row `row` is in
    method histogram {which by row} {
        set key [list $which $by $row]
        if {![dict exists $Histograms $key]} {
            if {[dict size $Histograms] > 200} {
                set Histograms {}
            }
            dict set Histograms $key [$Db histogram $which $by $row]
        }
        return [dict get $Histograms $key]
    }
    # {classes LIST rows LIST}: bytes sent by each process to each kind of partner
    method partners {} {
        if {$Partners eq ""} {
            set Partners [$Db partners]
        }
        return $Partners
    }
    # All calls as one group; {} without any.
    method total {} {
        return [lindex [my groups all] 0]
    }
    # Bytes sent in calls of all members of a communicator: they are sent to no partner.
    method collective {} {
        return [::tcl::mathop::+ 0 {*}[lmap g [my groups partner] {if {![string match "all members*" [dict get $g partner]]} continue; dict get $g sent_bytes}]]
    }
    # Why no process sent another one anything, `words` being that there was nothing: what collective operations moved stands elsewhere.
    method nothing {words} {
        set bytes [my collective]
        return [expr {$bytes > 0 ? "$words; [my bytes $bytes] were sent in collective operations, which have no single partner: see the Messages pane" : $words}]
    }
    # "12.3 MB"
    method bytes {n} { return [::heatscope::fmt amount $n B] }
}
namespace eval ::heatscope::Messages {
    # 0: empty; n: 16^(n-1) to 16^n - 1 bytes
    proc sizeClass {n} {
        if {$n <= 0} {
            return "no data"
        }
        set from [expr {16.0 ** ($n - 1)}]
        set to [expr {16.0 ** $n}]
        return "[power $from] to [power $to]"
    }
    # Powers of two as people say them: 256 B, 64 KiB.
    proc power {n} {
        foreach unit {B KiB MiB GiB TiB PiB} {
            if {$n < 1024} {
                return "[format %.0f $n] $unit"
            }
            set n [expr {$n / 1024.0}]
        }
        return "[format %.0f [expr {$n * 1024}]] PiB"
    }
    # What a bucket of a histogram begins at.
    proc bucket {which from} {
        if {$which eq "size"} {
            return [expr {$from == 0 ? "0" : [power $from]}]
        }
        return [expr {$from == 0 ? "0" : [::heatscope::fmt seconds [expr {$from * 1e-9}]]}]
    }
}
