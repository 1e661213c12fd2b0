# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The run itself: what its runtime said, where all samples went, its processes, its programs and libraries; words for the run pane.

oo::class create ::heatscope::About {
    variable Run Db Kept

    constructor {run} {
        set Run $run
        set Db [$run db]
        my forget
    }
    method forget {} {
        set Kept {}
    }
    # Rows of a kind, dicts with id, name and where.
    method rows {what} {
        if {![dict exists $Kept $what]} {
            dict set Kept $what [switch -- $what {
                note { my Notes }
                ledger { my Ledger }
                process { my Processes }
                thread { my Threads }
                module { my Modules }
            }]
        }
        return [dict get $Kept $what]
    }

    # What was said alike by several processes is one row; `said`: {process thread time_s} of each.
    method Notes {} {
        set groups {}
        foreach n [$Db told note -n 4096] {
            set key [list [dict get $n kind] [dict get $n text] [dict get $n value]]
            dict lappend groups $key [list [dict get $n process] [dict get $n thread] [dict get $n time_s]]
        }
        set rows {}
        dict for {key said} $groups {
            lassign $key kind text value
            set times [lsort -real [lmap s $said {lindex $s 2}]]
            set who [lsort -integer -unique [lmap s $said {lindex $s 0}]]
            lappend rows [dict create id $key name [my Said $kind $text $value] where "" kind $kind who [my Who $who] times [llength $said] \
                first_s [lindex $times 0] last_s [lindex $times end] said $said]
        }
        return [lsort -command {apply {{a b} {
            set x [dict get $a first_s]
            set y [dict get $b first_s]
            expr {$x < $y ? -1 : $x > $y}
        }}} $rows]
    }
    method Said {kind text value} {
        set text [::heatscope::fmt plain $text]
        if {$kind eq "rate" && $value > 0} {
            return [expr {$value == 1 ? "a sample every period again" : "a sample only every $value periods, to keep to the budget or to leave the program its time"}]
        } elseif {$kind eq "events"} {
            return [expr {$value ? "calls of MPI get an event from [::heatscope::fmt seconds [expr {$value * 1e-9}]] on" : "all calls of MPI get an event"}]
        }
        return $text
    }
    # "r2", "all 4 ranks", "3 of 4 ranks"
    method Who {processes} {
        lassign [$Run words process] one many
        set all [$Run columns process]
        set n [llength $processes]
        if {$n == 1} {
            return [$Run columnLabel process [lindex $processes 0]]
        }
        return [expr {$n == $all ? "all $n $many" : "$n of $all $many"}]
    }

    # Rows that hold nothing are left out; share: of what the row is part of, "" where it is of nothing.
    method Ledger {} {
        set all [$Db ledger]
        set whole {}
        foreach l $all {
            if {[dict get $l group] == 0} {
                dict set whole [dict get $l name] $l
            }
        }
        # a sum that is also part of another one is told once, as that part
        set parts [lmap l $all {expr {[dict get $l group] != 0 && [string match {\[*} [dict get $l meaning]] ? [dict get $l name] : [continue]}}]
        set rows {}
        set n -1
        foreach l $all {
            incr n
            if {([dict get $l samples] == 0 && abs([dict get $l seconds]) < 1e-9) || ([dict get $l group] == 0 && [dict get $l name] in $parts)} {
                continue
            }
            set share ""
            set words [::heatscope::fmt plain [dict get $l meaning]]
            if {[regexp {^\[([^]]*)\] ?(.*)$} $words -> of rest]} {
                set words $rest
                if {[dict exists $whole $of]} {
                    set key [expr {[dict get $l samples] && [dict get $whole $of samples] ? "samples" : "seconds"}]
                    if {[dict get $whole $of $key] > 0} {
                        set share [expr {double([dict get $l $key]) / [dict get $whole $of $key]}]
                    }
                }
            } else {
                set of ""
            }
            # what measuring added, as the last line of a run tells it: it is in percent of the program itself, not a part of it
            if {[dict get $l group] == 0 && [dict get $l name] in {measuring "measuring, at least" "measuring, at most"} && [dict exists $whole "program itself"]
                    && [dict get $whole "program itself" seconds] > 0} {
                set of "program itself"
                set share [expr {[dict get $l seconds] / [dict get $whole $of seconds]}]
            }
            lappend rows [dict create id $n name [::heatscope::fmt plain [dict get $l name]] where $words of $of samples [dict get $l samples] \
                seconds [dict get $l seconds] share $share order $n]
        }
        return $rows
    }

    # Digits that the widest share takes in a list, in fonts whose % is wide, too: measuring can be many times a program that is empty.
    method shareWidth {rows} {
        set wide 7
        foreach row $rows {
            if {[dict exists $row share] && [dict get $row share] ne ""} {
                set wide [expr {max($wide, [string length [::heatscope::fmt percent [dict get $row share] 1]])}]
            }
        }
        return $wide
    }

    method Processes {} {
        set rows {}
        set n [expr {min(4096, [$Run columns process])}]
        for {set i 0} {$i < $n} {incr i} {
            dict set programs [dict get [$Db process $i] executable] 1
        }
        for {set i 0} {$i < $n} {incr i} {
            set p [$Db process $i]
            set c [$Db column process $i]
            # of several programs: as the report calls it
            set program [expr {[dict size $programs] > 1 ? " [::heatscope::fmt plain [file tail [dict get $p executable]]]" : ""}]
            lappend rows [dict merge $p [dict create id $i process $i name [$Run columnLabel process $i]$program \
                where "[::heatscope::fmt plain [dict get $p host]] pid [dict get $p pid]" samples [dict get $c samples] lost [dict get $c lost] \
                cpu_s [dict get $c cpu_s] seconds [expr {[dict get $p end_s] - [dict get $p begin_s]}]]]
        }
        return $rows
    }

    # What the kernel counted of each thread; "" where it is not known.
    method Threads {} {
        set rows {}
        for {set i 0} {$i < min(4096, [$Run columns thread])} {incr i} {
            set c [$Db column thread $i]
            lappend rows [dict merge $c [my Usage $c] [dict create id $i name [$Run columnLabel thread $i] column $i \
                where [string trim "[::heatscope::fmt plain [dict get $c name]] [::heatscope::fmt plain [dict get $c host]] [dict get $c tid]"] \
                seconds [expr {[dict get $c end_s] - [dict get $c begin_s]}]]]
        }
        return $rows
    }
    # From what the database says of a processor: user, system, in line, faults and switches, "" for what is not known.
    method Usage {c} {
        set known [expr {[dict get $c user_s] >= 0}]
        return [dict create user [expr {$known ? [dict get $c user_s] : ""}] system [expr {$known ? [dict get $c system_s] : ""}] \
            runnable [expr {[dict get $c runnable_s] >= 0 ? [dict get $c runnable_s] : ""}] \
            faults [expr {$known ? [dict get $c minor_faults] + [dict get $c major_faults] : ""}] \
            switches [expr {$known ? [dict get $c voluntary_switches] + [dict get $c involuntary_switches] : ""}]]
    }
    # Sentences on it, {} where nothing is known.
    method usageWords {c} {
        set words {}
        if {[dict exists $c helper] && [dict get $c helper]} {
            lappend words "a thread that a library made for itself"
        }
        if {[dict get $c user_s] >= 0} {
            lappend words "[::heatscope::fmt seconds [dict get $c user_s]] user, [::heatscope::fmt seconds [dict get $c system_s]] system"
            lappend words "[::heatscope::fmt plural [expr {[dict get $c minor_faults] + [dict get $c major_faults]}] {page fault}][expr {
                [dict get $c major_faults] ? " ([::heatscope::fmt grouped [dict get $c major_faults]] from disk)" : ""}]"
            lappend words "[::heatscope::fmt plural [dict get $c voluntary_switches] wait],\
                [::heatscope::fmt plural [dict get $c involuntary_switches] {time put aside} {times put aside}]"
        }
        if {[dict get $c runnable_s] >= 0} {
            lappend words "[::heatscope::fmt seconds [dict get $c runnable_s]] ready without a processor"
        }
        return $words
    }

    method Modules {} {
        set sums {}
        foreach row [$Run ranking module 0 process] {
            dict set sums [dict get $row module] [list [dict get $row share] [dict get $row row]]
        }
        set rows {}
        for {set i 0} {$i < min(4096, [$Run info modules])} {incr i} {
            set m [$Db module $i]
            lassign [expr {[dict exists $sums $i] ? [dict get $sums $i] : {0.0 -1}}] share scope
            lappend rows [dict merge $m [dict create id $i name [::heatscope::fmt plain [::heatscope::fmt baseName [dict get $m path]]] \
                where [::heatscope::fmt plain [file dirname [dict get $m path]]] share $share scope $scope \
                known [dict get {map "map of the compiler" dwarf "debug information" symbol symbols module "addresses only" nothing nothing} \
                    [dict get $m knowledge]] note [::heatscope::fmt plain [dict get $m note]]]]
        }
        return $rows
    }

    # Lines on a row; without one on the run.
    method notes {what row} {
        if {$row eq ""} {
            return [my Whole]
        }
        set out [list [dict create kind head text [dict get $row name]]]
        switch -- $what {
            note {
                foreach s [lrange [dict get $row said] 0 199] {
                    lassign $s process thread time
                    set who [$Run columnLabel process $process]
                    if {$thread >= 0} {
                        append who ", thread [$Run columnLabel thread $thread]"
                    }
                    lappend out [dict create kind fact text $who right "at [::heatscope::fmt seconds $time]"]
                }
            }
            ledger {
                lappend out [dict create kind fact text [dict get $row where]]
                if {[dict get $row of] ne ""} {
                    lappend out [dict create kind fact text "part of" right [::heatscope::fmt plain [dict get $row of]]]
                }
            }
            process {
                foreach {key text} {executable program arguments command mechanism "samples by" mechanism_note "" end ended} {
                    if {[dict get $row $key] ne ""} {
                        lappend out [dict create kind fact text [string trim "$text  [::heatscope::fmt plain [dict get $row $key]]"]]
                    }
                }
                lappend out [dict create kind fact text "from [::heatscope::fmt seconds [dict get $row begin_s]] to\
                    [::heatscope::fmt seconds [dict get $row end_s]] of the run, [::heatscope::fmt plural [dict get $row threads] thread]"]
                lappend out {*}[my UsageNotes [$Db column process [dict get $row id]]]
                if {[dict get $row environment] ni {none ""}} {
                    lappend out {*}[my Environment [split [string trimright [dict get $row environment] \n] \n]]
                }
            }
            thread {
                foreach {text key} {"CPU time" cpu_s elapsed seconds} {
                    lappend out [dict create kind fact text $text right [::heatscope::fmt seconds [dict get $row $key]]]
                }
                lappend out {*}[my UsageNotes $row]
            }
            module {
                lappend out [dict create kind fact text [::heatscope::fmt plain [dict get $row path]]]
                lappend out [dict create kind fact text "known by" right [dict get $row known]]
                if {[dict get $row note] ne ""} {
                    lappend out [dict create kind bad text [dict get $row note]]
                }
                if {[dict get $row build_id] ne ""} {
                    lappend out [dict create kind fact text "build id [::heatscope::fmt plain [dict get $row build_id]]"]
                }
            }
        }
        return $out
    }
    method UsageNotes {c} {
        set words [my usageWords $c]
        if {![llength $words]} {
            return [list [dict create kind fact text "what the kernel counted was not recorded"]]
        }
        return [linsert [lmap w $words {dict create kind fact text $w}] 0 [dict create kind section text "Counted by the kernel" right ""]]
    }
    method Whole {} {
        set out [list [dict create kind head text [$Run title]]]
        if {[$Run info command] ne ""} {
            lappend out [dict create kind fact text [::heatscope::fmt plain [$Run info command]]]
        }
        foreach {key text} {created started path database} {
            if {[$Run info $key] ne ""} {
                set said [::heatscope::fmt plain [$Run info $key]]
                if {$key eq "created"} {
                    # broken between day and time where there is no room
                    regsub {^(\d+-\d+-\d+)T(\d+:\d+:\d+)Z$} $said {\1 \2 UTC} said
                }
                lappend out [dict create kind fact text "$text  $said"]
            }
        }
        dict for {what part} [$Run factList] {
            # the job stands in the title
            switch -- $what {
                job { continue }
                elapsed { lappend out [dict create kind fact text "elapsed" right $part] }
                default { lappend out [dict create kind fact text $part] }
            }
        }
        if {[$Run unfinished] ne ""} {
            lappend out [dict create kind bad text [$Run unfinished]]
        }
        set cpu [$Run info cpu_s]
        lappend out [dict create kind fact text "CPU time" right [::heatscope::fmt seconds $cpu]]
        lappend out [dict create kind fact text "a period" right [$Run amount 0 1]]
        return [concat $out [my Environment [lmap {name values} [$Db environment] {string cat $name = $values}]]]
    }
    # Under a head, unless there are none.
    method Environment {settings} {
        if {![llength $settings]} {
            return {}
        }
        return [linsert [lmap s $settings {dict create kind fact text [::heatscope::fmt plain $s]}] 0 [dict create kind section text "Environment" right ""]]
    }
}
