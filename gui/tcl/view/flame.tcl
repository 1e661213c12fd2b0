# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The calling contexts as a flame graph that hangs from its root; a click zooms to what it hits.

oo::class create ::heatscope::FlameView {
    superclass ::heatscope::View
    variable Path Bus Run Nav Db App Selection Flame Root Begun

    method name {} { return flame }
    method title {} { return "Flame graph" }
    method focusWidget {} { return $Flame }

    method Build {body} {
        set Root 0
        set Begun 0
        set Flame [my Widget flame $body.graph -font HsSmall -monofont HsMono -takefocus 1 -height [::heatscope::theme dp 160]]
        pack $Flame -fill both -expand 1 -padx [::heatscope::theme dp 8] -pady [::heatscope::theme dp 6]
        bind $Flame <<FlamePick>> [namespace code {my OnPick %d}]
        bind $Flame <<FlameOpen>> [namespace code {my OnOpen %d}]
        bind $Flame <ButtonRelease-1> +[namespace code {my OnClick %x %y}]
        my PaneKey $Flame BackSpace [namespace code {my out}]
        my PaneKey $Flame l [namespace code {my toggleLoops}]
        bind $Flame <<HeatscopeHover>> [namespace code {my OnHover %d}]
    }
    method Show {changed} {
        set s $Selection
        # where it begins is read here, so that the pane is there to say what could not be read
        if {!$Begun} {
            set Root [$Nav contextStart]
            set Begun 1
        }
        set context [$Nav contextFor]
        if {$context >= 0 && ![my Holds $Root $context]} {
            set Root 0
        }
        $Flame configure {*}[my Common] {*}[my Against] -root [expr {[$Run info contexts] > 0 ? $Root : -1}] -selected $context \
            -search [string trim [dict get $s search]]
        my Facts
    }
    method Holds {root context} {
        return [expr {$context >= $root && $context < [dict get [$Db context $root] subtree_end]}]
    }
    method Facts {} {
        set text "width: inclusive time; blue: the program, orange: MPI, green: threads, grey: other libraries"
        if {[my Comparing]} {
            set text "width: this run, frames: only the other run; blue and \u2212: less there, orange and +: more, dark grey: within noise"
        }
        if {$Root > 0} {
            set facts [$Db context $Root]
            set text "below [::heatscope::fmt shortName [dict get $facts name]] \u00b7 double click or Backspace: out"
        }
        if {[$Run info contexts] <= 0} {
            set text ""
        } elseif {[string trim [dict get $Selection search]] ne ""} {
            set text "search: [::heatscope::fmt percent [$Flame matched] 1] of what is shown"
        }
        my subtitle $text
    }
    # Zooms to a context.
    method zoom {context} {
        set Root $context
        set Begun 1
        $Flame configure -root $Root
        my Facts
    }
    method out {} {
        if {$Root > 0} {
            my zoom [expr {max(0, [dict get [$Db context $Root] parent])}]
        }
    }
    method toggleLoops {} {
        $Flame configure -loops [expr {![$Flame cget -loops]}]
    }
    method OnClick {x y} {
        set hit [$Flame hit $x $y]
        if {$hit ne "" && [dict get $hit context] >= 0} {
            my zoom [dict get $hit context]
        }
    }
    # by a click or by the arrow keys; what only the other run has: to the same code here, if there is any
    method OnPick {hit} {
        if {[dict get $hit context] >= 0} {
            $Nav context flame [dict get $hit context]
            return
        }
        set scope [dict get [[[[$App comparison] run] db] context [dict get $hit there]] scope]
        set here [expr {$scope >= 0 ? [lindex [[$App comparison] here scope [list $scope]] 0] : -1}]
        if {$here >= 0} {
            $Nav scope flame $here
        } else {
            my Read [my TheirWords $hit]
        }
    }
    method OnOpen {hit} {
        if {[dict get $hit context] >= 0} {
            my zoom [dict get $hit context]
        }
    }
    # A box that only the other run has.
    method TheirWords {hit} {
        set facts [[[[$App comparison] run] db] context [dict get $hit there]]
        set name [expr {[dict get $facts kind] in {procedure inlined} ? [::heatscope::fmt plain [dict get $facts name]] : [dict get $hit name]}]
        return "$name: only in the other run, [my Samples [dict get $hit inclusive]][expr {[dict get $hit change] == 0 ? ", within noise" : ""}],\
            itself [my Samples [dict get $hit exclusive]]"
    }
    method OnHover {hit} {
        if {![my Hits $hit context]} return
        if {[dict exists $hit there]} {
            my Read [my TheirWords $hit]
            return
        }
        set facts [$Db context [dict get $hit context]]
        set name [expr {[dict get $facts kind] in {procedure inlined} ? [::heatscope::fmt plain [dict get $facts name]] : [dict get $hit name]}]
        set up [expr {[dict get $facts parent] >= 0 && [dict get $facts row] > 0
                      ? [lindex [$Db sums -table context_incl -rows [list [dict get $facts parent] 1] {*}[my Common]] 0] : 0}]
        set text "$name: [my Samples [dict get $hit inclusive]], [::heatscope::fmt percent [dict get $hit share] 1] of [$Run whole [dict get $Selection metric]]"
        if {$up > 0} {
            append text ", [::heatscope::fmt percent [dict get $hit inclusive] $up] of its caller"
        }
        if {[dict exists $hit change]} {
            append text ", [my Told [dict get $hit change]]"
        }
        my Read "$text, itself [my Samples [dict get $hit exclusive]]"
    }
    method table {} {
        set rows [list [list depth name inclusive part_of_shown {*}[expr {[my Comparing] ? "only_in_other_run" : ""}]]]
        foreach box [$Flame boxes] {
            set theirs [dict exists $box there]
            lappend rows [list [dict get $box depth] [dict get $box name] \
                [expr {$theirs ? [dict get $box inclusive] : [lindex [$Db sums -table context_incl -rows [list [dict get $box context] 1] {*}[my Common]] 0]}] \
                [expr {[dict get $box x1] - [dict get $box x0]}] {*}[expr {[my Comparing] ? $theirs : ""}]]
        }
        return $rows
    }
    method describe {} {
        return "Flame graph, [my fullSubtitle]\n[$Flame describe]"
    }
}
