# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Arrays: what the lines that refer to them take, what messages carry of them, and where; words for the arrays pane.

oo::class create ::heatscope::Arrays {
    variable Run Db Rows Key

    constructor {run} {
        set Run $run
        set Db [$run db]
        my forget
    }
    # The values have changed: another interval.
    method forget {} {
        set Rows {}
        set Key {}
    }
    # Why there are none.
    method nothing {} {
        return [expr {[$Run mapped] ? "no array is referred to in the program's loops, nor carried by messages"
            : "no arrays are known: the program was not compiled with the pass"}]
    }
    # Dicts of `arrays` with id, name, the whole name and where; bytes: sent and received.
    method rows {metric} {
        if {$Key ne $metric} {
            set total 0.0
            set Rows [lmap a [$Db arrays -metric $metric -n 2000] {
                set bytes [expr {[dict get $a sent_bytes] + [dict get $a received_bytes]}]
                set total [expr {$total + $bytes}]
                dict merge $a [my Names $a] [dict create bytes $bytes]
            }]
            my MarkSame
            # what was stopped on the way is no answer
            set Key $metric
        }
        return $Rows
    }
    # What says in another run which one it is: of one that several procedures refer to not the procedure that has most of it, which may be another one there,
    # but its class and type, where that is enough.
    method MarkSame {} {
        foreach a $Rows {
            dict incr several [my Owner $a]
        }
        set Rows [lmap a $Rows {
            set owner [my Owner $a]
            dict set a same [expr {[dict get $a shared] && [dict get $several $owner] == 1 ? [lrange $owner 1 end] : [list [my Type $a] [dict get $a procedure] [dict get $a module]]}]
        }]
    }
    method Owner {a} {
        set procedure [::heatscope::fmt shortName [dict get $a procedure]]
        set last [::heatscope::fmt lastName $procedure]
        return [list [dict get $a whole] [my Type $a] \
            [expr {[string match this->* [dict get $a name]] && $last ne $procedure ? [string range $procedure 0 end-[string length $last]] : ""}]]
    }
    method Names {a} {
        if {[dict get $a array] < 0} {
            return [dict create id unknown name "buffers that are not known" whole "buffers that are not known" where ""]
        }
        set name [expr {[dict get $a text] ne "" ? [dict get $a text] : "[dict get $a name][dict get $a bounds]"}]
        # a region by the procedure that it is in, an instance of a template so that what tells it apart is seen
        set owner [expr {[dict get $a scope] >= 0 ? [$Run scopeTitle [dict get $a scope]] : [::heatscope::fmt shortName [dict get $a procedure]]}]
        if {[dict get $a scope] >= 0 && [$Db apart [dict get $a scope]] ne ""} {
            set owner [$Run lastName [dict get $a scope]]
        }
        if {[dict get $a module] ne ""} {
            set owner "module [dict get $a module]"
        }
        set where [string trim "[my Type $a][expr {$owner ne "" ? " in $owner" : ""}]"]
        set name [::heatscope::fmt plain $name]
        return [dict create id [dict get $a array] name [::heatscope::fmt arguments $name] whole $name where [::heatscope::fmt plain $where]]
    }
    method Type {a} {
        set filename [expr {[dict get $a module] ne "" ? "module.f90" : [dict get $a filename]}]
        return [::heatscope::fmt arrayType [::heatscope::fmt plain [dict get $a type]] $filename]
    }
    # Uses of an array: dicts of `arrayuses`.
    method uses {array metric} {
        return [$Db arrayuses $array -metric $metric -n 300]
    }
    method notes {row metric} {
        set out [list [dict create kind head text [dict get $row whole] right [my Type $row]]]
        if {[dict get $row file] >= 0 && [dict get $row line] > 0} {
            lappend out [dict create kind fact text "declared" right [::heatscope::fmt place $row] file [dict get $row file] line [dict get $row line]]
        }
        if {[dict get $row references] > 0 && [dict get $row generated] == 0} {
            lappend out [dict create kind fact text "not in the generated code: its values are kept in registers, or not needed" right ""]
        } elseif {[dict get $row references] > 0} {
            lappend out [dict create kind fact text "lines that refer to it" \
                right [$Run amount $metric [dict get $row cost]]]
            lappend out [dict create kind fact text "loops that touch it, whole" right [$Run amount $metric [dict get $row inside]]]
        }
        if {[dict get $row calls] > 0} {
            lappend out [dict create kind section text Messages right "[::heatscope::fmt plural [dict get $row calls] call]"]
            lappend out [dict create kind fact text "sent [::heatscope::fmt amount [dict get $row sent_bytes] B], received\
                [::heatscope::fmt amount [dict get $row received_bytes] B]" right "[::heatscope::fmt seconds [dict get $row mpi_s]] in calls"]
            if {[dict get $row waiting_s] > 0} {
                lappend out [dict create kind bad text "waiting for late partners" right [::heatscope::fmt seconds [dict get $row waiting_s]]]
            }
            foreach {key text} {packing "loops that fill the buffer" unpacking "loops that read the buffer"} {
                if {[dict get $row $key] ne "" && [dict get $row $key] > 0} {
                    set unit [dict get [$Db metric $metric] unit]
                    lappend out [dict create kind fact text $text right [::heatscope::fmt amount [dict get $row $key] $unit]]
                }
            }
        }
        if {[dict get $row array] < 0} {
            return $out
        }
        set references {}
        foreach u [my uses [dict get $row array] $metric] {
            set text [::heatscope::fmt plain [dict get $u text]]
            if {[dict get $u part] eq "message"} {
                lappend out [dict create kind fact text "[dict get $u stride], [dict get $u access]: $text" right [::heatscope::fmt place $u] \
                    file [dict get $u file] line [dict get $u line]]
                continue
            }
            set stride [::heatscope::fmt stride $u]
            if {![dict get $u generated]} {
                append stride ", not in the generated code"
            }
            lappend references [dict create kind fact text "$text  [dict get $u access], $stride" right [::heatscope::fmt place $u] \
                file [dict get $u file] line [dict get $u line]]
        }
        if {[llength $references]} {
            lappend out [dict create kind section text References right [dict get $row references]] {*}$references
        }
        return $out
    }
}
