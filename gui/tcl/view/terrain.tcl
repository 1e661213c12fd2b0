# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The selected procedure as a surface of lines by processors.

oo::class create ::heatscope::TerrainView {
    superclass ::heatscope::View
    variable Path Bus Run Nav Db App Selection Land Segment Turn

    method name {} { return terrain }
    method title {} { return Terrain }
    method focusWidget {} { return $Land }

    method Build {body} {
        set Segment {}
        set Turn [my First]
        set Land [my Widget terrain $body.land -font HsSmall -peaks 3 -takefocus 1 -height [::heatscope::theme dp 200]]
        pack $Land -fill both -expand 1
        bind $Land <<TerrainPick>> [namespace code {my OnPick %d}]
        bind $Land <<HeatscopeHover>> [namespace code {my OnHover %d}]
        bind $Land <<TerrainTurn>> [namespace code {my turn %d}]
        foreach {event steps} {ButtonPress-4 1 ButtonPress-5 -1 plus 1 KP_Add 1 minus -1 KP_Subtract -1} {
            bind $Land <$event> "[namespace code [list my nearer $steps]]; break"
        }
        my PaneKey $Land Home [namespace code {my turn [my First]}]
        my PaneKey $Land End [namespace code {my turn {azimuth 270 elevation 0}}]
        my turn {}
    }
    # As it stands at first; degrees: elevation 0 is flat-on, 90 from above.
    method First {} { return {azimuth 35.0 elevation 35.0 zoom 1.0} }
    # Turns to what is given of azimuth, elevation and zoom.
    method turn {to} {
        set Turn [dict merge $Turn $to]
        $Land configure -azimuth [dict get $Turn azimuth] -elevation [dict get $Turn elevation] -zoom [dict get $Turn zoom]
    }
    method nearer {steps} {
        my turn [dict create zoom [expr {min(8.0, max(0.5, [dict get $Turn zoom] * 1.15 ** $steps))}]]
    }
    method state {} { return $Turn }
    method restore {state} {
        foreach {key low high} {azimuth 0 360 elevation 0 90 zoom 0.5 8} {
            if {[dict exists $state $key] && [string is double -strict [dict get $state $key]] && $low <= [dict get $state $key]
                && [dict get $state $key] <= $high} {
                my turn [dict create $key [dict get $state $key]]
            }
        }
    }
    method Show {changed} {
        set s $Selection
        set file [dict get $s file]
        if {[my Any $changed metric axis bin colours scale processors sort show group lines]} {
            $Land configure {*}[my Common] {*}[my Against] -table [my LineTable] -reduce [dict get $s bin] -colours [dict get $s colours] \
                -scaling [dict get $s scale] -columns [my Processors] -sort [dict get $s sort]
        }
        if {[my Any $changed file range procedure]} {
            set segment [my Choose]
            if {$segment ne $Segment} {
                set Segment $segment
                if {$segment ne ""} {
                    lassign $segment f first last
                    $Land configure -file $f -first $first -last $last
                    my subtitle [::heatscope::fmt span $first $last]
                } else {
                    $Land configure -file -1
                    my subtitle "no lines"
                }
            }
        }
    }
    # The procedure's lines; a procedure without lines, or none: what the detail view shows.
    method Choose {} {
        set s $Selection
        set procedure [dict get $s procedure]
        if {$procedure >= 0} {
            set facts [$Db scope $procedure]
            if {[dict get $facts file] == [dict get $s file] && [dict get $facts line_begin] > 0
                && [dict get $facts line_end] > [dict get $facts line_begin]} {
                return [list [dict get $s file] [dict get $facts line_begin] [dict get $facts line_end]]
            }
        }
        if {[dict get $s file] >= 0 && [dict get $s range] ne ""} {
            return [list [dict get $s file] {*}[dict get $s range]]
        }
        return ""
    }
    method OnPick {hit} {
        if {[dict exists $hit line] && [dict get $hit line] > 0} {
            $Nav line terrain [lindex $Segment 0] [dict get $hit line] [dict get $hit column]
        }
    }
    method OnHover {hit} {
        if {![my Hits $hit line]} return
        lassign [list [dict get $hit line] [dict get $hit last_line]] line last
        lassign [list [my Label [dict get $hit first]] [my Label [dict get $hit last]]] one many
        my Read "[expr {$last > $line ? "Lines $line\u2013$last" : "Line $line"}] on [expr {$one eq $many ? $one : "$one\u2013$many"}]:\
            [expr {[dict get $hit value] eq "" ? "no code" : [my Told [dict get $hit value]]}]"
    }
    # Each line with code by processor.
    method table {} {
        if {$Segment eq ""} {
            return {line}
        }
        lassign $Segment file first last
        set axis [dict get $Selection axis]
        set n [$Run columns $axis]
        set rows [list [linsert [lrange [$Run labels $axis] 0 $n-1] 0 line]]
        foreach line [$Db lines $file $first $last] {
            set row [$Db findline $file $line]
            lappend rows [linsert [lindex [$Db block -table [my LineTable] -rows [list $row 1] -columns [list 0 $n] {*}[my Common]] 0] 0 $line]
        }
        return $rows
    }
    method describe {} {
        return [$Land describe]
    }
}
