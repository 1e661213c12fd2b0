# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Causes of waiting: who was late, what it did before, who waited where; words for the waiting pane.

oo::class create ::heatscope::Waiting {
    variable Run Db Groups Libraries Idle Compiler

    constructor {run} {
        set Run $run
        set Db [$run db]
        set Compiler [::heatscope::Compiler new $run]
        my forget
    }
    destructor {
        $Compiler destroy
    }
    # The values have changed: another interval.
    method forget {} {
        set Groups {}
        set Libraries 0.0
        set Idle 0.0
    }
    method any {} { return [expr {[$Run info delays] > 0}] }
    # Rows of `causes BY` with id, name, where, words and value (seconds caused).
    method causes {by} {
        if {![dict exists $Groups $by]} {
            set rows {}
            if {[my any]} {
                foreach g [$Db causes $by -n 2000] {
                    # locks of libraries among their own threads are in no sum, and in no list of the program's
                    if {[dict get $g own]} {
                        lappend rows [dict merge $g [my Names $by $g]]
                    } else {
                        set Libraries [expr {$Libraries + [dict get $g caused_s]}]
                        set Idle [expr {$Idle + [dict get $g idle] * [dict get $g caused_s]}]
                    }
                }
            }
            dict set Groups $by $rows
        }
        return [dict get $Groups $by]
    }
    method Names {by g} {
        set where ""
        set words ""
        switch -- $by {
            place {
                set name [expr {[dict get $g scope] >= 0 ? [$Run scopeTitle [dict get $g scope]] : "not known where"}]
                if {[dict get $g not_running]} {
                    set name "not running"
                    set where "before [::heatscope::fmt place $g late_]"
                    if {[dict get $g waited_in] ne ""} {
                        append where ", in [dict get $g waited_in] [::heatscope::fmt place $g]"
                    }
                } elseif {[dict get $g is_call]} {
                    set name "not known what"
                    set where "before [::heatscope::fmt place $g late_]"
                } else {
                    set where [::heatscope::fmt place $g]
                    if {[dict get $g waited_in] ne ""} {
                        set where [join [concat [list $where] [list "[expr {[dict get $g called] ? "in" : "waited itself,"}] [dict get $g waited_in]"]] ": "]
                    }
                }
                set words "[dict get $g kind] [::heatscope::fmt place $g late_]"
            }
            processor {
                set name [$Run columnLabel process [dict get $g process]]
                catch {set where [::heatscope::fmt plain [dict get [$Db process [dict get $g process]] host]]}
            }
            call {
                set name [::heatscope::fmt place $g]
                if {$name eq ""} {
                    set name [::heatscope::fmt shortName [dict get $g procedure]]
                } else {
                    set where [::heatscope::fmt shortName [dict get $g procedure]]
                }
                set words [dict get $g kind]
            }
            default { set name [dict get $g kind] }
        }
        # for the cells of a list, of which a narrow one keeps the line: how with the late call's place, and what that does not say of what it did
        set place [::heatscope::fmt place $g late_]
        set kind [::heatscope::fmt waitKind [dict get $g kind]]
        set late [expr {$by eq "place" ? [list $kind $place] : [list [string trim $words] ""]}]
        set did $where
        if {$by eq "place" && [dict get $g not_running] && [dict get $g waited_in] ne ""} {
            set did "in [dict get $g waited_in] [::heatscope::fmt place $g]"
        }
        # the call that it waited in itself, without which one of its line: that may be another one in another run
        set calls [regsub { \(column \d+\)$} [dict get $g waited_in] ""]
        return [dict create id [dict get $g group] calls $calls name $name where $where words [string trim $words] late $late did $did most [my thread [dict get $g most_thread]]]
    }
    method thread {thread} {
        return [expr {$thread >= 0 ? [$Run columnLabel thread $thread] : ""}]
    }
    # {processes {SECONDS ...} threads {SECONDS ...} calls {DICT ...}}: who waited for the group that row is in; row "": for all.
    method sufferers {by row} {
        if {![my any]} {
            return {processes {} threads {} calls {}}
        }
        return [$Db sufferers $by [expr {$row eq "" ? "all" : $row}] -n 200]
    }
    # What one waits by: the processors that there are several of.
    method axis {} {
        return [expr {[$Run columns process] > 1 ? "process" : "thread"}]
    }
    # Seconds that each of them waited for the group that row is in; row "": for all.
    method waited {by row} {
        return [dict get [my sufferers $by $row] [expr {[my axis] eq "process" ? "processes" : "threads"}]]
    }
    # Seconds that all causes add up to.
    method total {} {
        set sum 0.0
        foreach g [my causes kind] {
            set sum [expr {$sum + [dict get $g caused_s]}]
        }
        return $sum
    }
    # Seconds in which threads waited for others' work.
    method joined {} { return [expr {[my any] ? [$Db joined] : 0}] }
    # Lines on a cause, or on all ("").
    method notes {by row} {
        set out {}
        if {$row eq "" && [$Run silentOpenmp] ne ""} {
            lappend out [dict create kind bad text "No wait of this OpenMP runtime, [$Run silentOpenmp], was timed. Threads that sleep at a barrier or at the end\
                of a region are in no figure here; uneven loops are seen by imbalance. Compiled with clang ('heatscope cc -fopenmp') such waits are\
                told, with who was late."]
        }
        if {$row eq "" && [my joined] >= 0.0005} {
            lappend out [dict create kind fact text "Not counted: [::heatscope::fmt seconds [my joined]] in which threads wait for others' work: for their end, or with hardly any of their own for their signal."]
        }
        if {$row eq "" && $by eq "place"} {
            my causes place
            if {$Libraries >= 0.0005} {
                set idle [expr {$Idle >= 0.0005 ? ", [::heatscope::fmt seconds $Idle] of it idle: until one has work for another" : ""}]
                lappend out [dict create kind fact text \
                    "Not counted: [::heatscope::fmt seconds $Libraries] in which threads that libraries made for themselves wait for each other$idle."]
            }
        }
        set who [my sufferers $by $row]
        if {$row ne ""} {
            foreach g [my causes $by] {
                if {[dict get $g id] eq $row} {
                    lappend out {*}[my About $by $g]
                    break
                }
            }
        }
        if {[llength [dict get $who calls]]} {
            lappend out [dict create kind section text "Calls that waited" right [llength [dict get $who calls]]]
            foreach c [dict get $who calls] {
                set place [::heatscope::fmt place $c]
                lappend out [dict create kind fact file [dict get $c file] line [dict get $c line] scope [dict get $c scope] \
                    text "[::heatscope::fmt shortName [dict get $c procedure]]  $place" right [my Waited $c]]
            }
        }
        return $out
    }
    # What a call waited; of waits that had other causes too, how much of them.
    method Waited {c} {
        set words [::heatscope::fmt seconds [dict get $c waited_s]]
        if {[dict get $c waited_s] < 0.995 * [dict get $c all_s]} {
            append words " of [::heatscope::fmt seconds [dict get $c all_s]]"
        }
        return "$words, longest [::heatscope::fmt seconds [dict get $c max_s]]"
    }
    method About {by g} {
        set out {}
        lappend out [dict create kind head text "[dict get $g name]" right [::heatscope::fmt seconds [dict get $g caused_s]] \
            file [dict get $g file] line [dict get $g line] scope [dict get $g scope]]
        if {[dict get $g late_file] >= 0 || [dict get $g kind] ne ""} {
            lappend out [dict create kind fact text [string trim "[dict get $g kind]: the late call"] right [::heatscope::fmt place $g late_] \
                file [dict get $g late_file] line [dict get $g late_line]]
        }
        if {$by eq "place" && [dict get $g waited_in] eq "" && ![dict get $g not_running] && ![dict get $g is_call] && [dict get $g scope] >= 0 &&
                [dict get [$Db scope [dict get $g scope]] kind] eq "loop"} {
            lappend out {*}[$Compiler made [dict get $g scope] 0 thread]
        }
        if {$by eq "place" && [dict get $g waited_in] ne "" && ![dict get $g not_running] && ![dict get $g is_call]} {
            lappend out [dict create kind fact text "before that it [expr {[dict get $g called] ? "was in" : "waited itself:"}] [dict get $g waited_in]"]
        }
        set text "others waited in [::heatscope::fmt plural [dict get $g waits] call]"
        if {$by ne "processor" && [dict get $g threads] > 1} {
            append text ", most for [dict get $g most]: [::heatscope::fmt seconds [dict get $g most_s]]"
        } elseif {$by ne "processor"} {
            append text ", all for [dict get $g most]"
        }
        lappend out [dict create kind fact text $text]
        set indirect [expr {[dict get $g caused_s] - [dict get $g direct_s]}]
        if {$indirect > 0.005 * [dict get $g caused_s]} {
            lappend out [dict create kind fact text "[::heatscope::fmt seconds [dict get $g direct_s]] at once,\
                [::heatscope::fmt seconds $indirect] by others who were late because they had waited"]
        }
        return $out
    }
}
