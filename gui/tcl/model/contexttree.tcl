# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Calling contexts as a list of rows that open and close: top-down (callees below their callers), bottom-up (callers below
# what they called) or flat. Reads a level when it is opened.

oo::class create ::heatscope::ContextTree {
    variable Run Db Comparison Mode Metric Axis Open Revealed Levels Sorted SortBy SortOrder

    # comparison: tells what changed in another run, {} without one
    constructor {run {comparison {}}} {
        set Run $run
        set Db [$run db]
        set Comparison $comparison
        set Mode topdown
        set Metric 0
        set Axis process
        set SortBy inclusive
        set SortOrder decreasing
        my Forget
    }
    method Forget {} {
        set Open {}
        set Revealed {}
        set Levels {}
        set Sorted {}
        if {$Mode eq "topdown"} {
            dict set Open 0 1
        }
    }
    # mode: topdown, bottomup or flat; true if anything changed
    method set {mode metric axis} {
        if {$mode eq $Mode && $metric == $Metric && $axis eq $Axis} {
            return 0
        }
        set Mode $mode
        set Metric $metric
        set Axis $axis
        my Forget
        return 1
    }
    method mode {} { return $Mode }
    # key: name, inclusive, exclusive or change (by size)
    method sort {key order} {
        set SortBy $key
        set SortOrder $order
        set Sorted {}
    }

    # Rows below a node, in the order of the sort: dicts {id parent depth name where inclusive exclusive share leaf scope
    # context kind}. Top-down the id is the context, bottom-up the list of scopes from the innermost outwards.
    method Level {id} {
        if {![dict exists $Sorted $id]} {
            if {![dict exists $Levels $id]} {
                dict set Levels $id [my Contrast $id [my Read $id]]
            }
            set pairs [lmap row [dict get $Levels $id] {
                list [expr {$SortBy eq "change" ? [my Size $row] : [dict get $row $SortBy]}] $row
            }]
            set how [expr {$SortBy eq "name" ? "-nocase" : "-real"}]
            dict set Sorted $id [lmap pair [lsort -$SortOrder $how -index 0 $pairs] {lindex $pair 1}]
        }
        return [dict get $Sorted $id]
    }
    method Size {row} { return [expr {[dict exists $row change] ? abs([dict get $row change change]) : -1}] }
    # The rows with `change`, a dict of the comparison, where there is another run: of a context what it takes with all below, of a
    # procedure what it takes itself. Callers below a procedure have none: they are no rows of the other run's table.
    method Contrast {id rows} {
        if {$Comparison eq "" || ![$Comparison any] || ($Mode eq "bottomup" && $id ne "")} {
            return $rows
        }
        set key [expr {$Mode eq "topdown" ? "context" : "scope"}]
        set ids [lmap row $rows {dict get $row $key}]
        set changes [expr {$Mode eq "topdown" ? [$Comparison contexts $ids $Metric] : [$Comparison of procedure $Metric]}]
        return [lmap row $rows {
            if {[dict exists $changes [dict get $row $key]]} {
                dict set row change [dict get $changes [dict get $row $key]]
            }
            set row
        }]
    }
    method Options {} { return [list -metric $Metric -axis $Axis] }
    method Read {id} {
        set rows {}
        switch -- $Mode {
            topdown {
                if {$id eq "" && [$Run info contexts] == 0} {
                    return {}
                }
                if {$id eq ""} {
                    set c [$Db context 0]
                    set total [$Run total $Metric]
                    set found [list [dict merge $c [dict create inclusive $total exclusive 0 share [expr {$total > 0}]]]]
                } else {
                    set found [$Db contexts $id -n 500 {*}[my Options]]
                }
                foreach c $found {
                    if {[dict get $c inclusive] <= 0} {
                        continue
                    }
                    lappend rows [dict create id [dict get $c row] name [my Name $c] where [my Where $c] \
                        inclusive [dict get $c inclusive] exclusive [dict get $c exclusive] share [dict get $c share] \
                        leaf [dict get $c leaf] scope [dict get $c scope] context [dict get $c row] kind [dict get $c kind] \
                        depth [expr {max(0, [dict get $c depth])}]]
                }
            }
            bottomup {
                foreach c [$Db callertree $id -n 200 {*}[my Options]] {
                    set scope [dict get $c scope]
                    set name [expr {$scope >= 0 ? [::heatscope::fmt shortName [dict get $c name]] : "(outermost)"}]
                    lappend rows [dict create id [list {*}$id $scope] name $name where [my Place $c] \
                        inclusive [dict get $c exclusive] exclusive [dict get $c exclusive] share [dict get $c share] \
                        leaf [dict get $c leaf] scope $scope context -1 kind procedure depth [llength $id]]
                }
            }
            flat {
                set own {}
                foreach row [$Db top -table scope_excl -kind procedure -n 4096 {*}[my Options]] {
                    dict set own [dict get $row row] [dict get $row sum]
                }
                foreach c [$Db top -table scope_incl -kind procedure -n 1000 {*}[my Options]] {
                    set row [dict get $c row]
                    lappend rows [dict create id $row name [::heatscope::fmt shortName [dict get $c name]] \
                        where [my Place [dict create file [dict get $c file] line [dict get $c line_begin]]] \
                        inclusive [dict get $c sum] exclusive [expr {[dict exists $own $row] ? [dict get $own $row] : 0}] \
                        share [dict get $c share] leaf 1 scope $row context -1 kind procedure depth 0]
                }
            }
        }
        return $rows
    }
    method Place {c} {
        if {[dict get $c file] < 0} {
            return ""
        }
        set name [$Run fileName [dict get $c file]]
        return [expr {[dict get $c line] > 0 ? "$name:[dict get $c line]" : $name}]
    }
    method Name {c} {
        switch -- [dict get $c kind] {
            root { return "whole program" }
            partial { return "paths that do not reach the thread's start" }
            loop {
                set name [::heatscope::fmt plain [dict get $c name]]
                return [expr {[dict get $c line] > 0 ? "$name :[dict get $c line]" : $name}]
            }
        }
        return [::heatscope::fmt shortName [dict get $c name]]
    }
    # Where it was called, for procedures; inlined ones say so.
    method Where {c} {
        set words [expr {[dict get $c kind] eq "inlined" ? "inlined" : ""}]
        if {[dict get $c kind] in {procedure inlined} && [dict get $c call_file] >= 0 && [dict get $c call_line] > 0} {
            lappend words "from [$Run fileName [dict get $c call_file]]:[dict get $c call_line]"
        }
        return [join $words " "]
    }

    # All rows that are to be seen, from top to bottom; each with `open` 0 or 1.
    method rows {} {
        set out {}
        my Walk "" out
        return $out
    }
    method Walk {id outName} {
        upvar 1 $outName out
        foreach row [my Level $id] {
            set key [dict get $row id]
            set open [expr {![dict get $row leaf] && [dict exists $Open $key]}]
            lappend out [dict replace $row open $open]
            if {$open && [llength $out] < 5000} {
                my Walk $key out
            }
        }
    }
    # The values are to be read again; what is open stays.
    method forget {} {
        set Levels {}
        set Sorted {}
    }
    method open {id} {
        dict set Open $id 1
        dict unset Revealed $id
    }
    method close {id} {
        dict unset Open $id
        dict unset Revealed $id
    }
    method isOpen {id} { return [dict exists $Open $id] }
    # Opens what a context is below, so that its row is seen, and closes what was opened for the one before; top-down only.
    method reveal {context} {
        if {$Mode ne "topdown" || $context < 0} {
            return
        }
        foreach up [dict keys $Revealed] {
            dict unset Open $up
        }
        set Revealed {}
        set below [expr {$context + 1}]
        for {set up [dict get [$Db context $context] parent]} {$up >= 0 && $up < $below} {set up [dict get [$Db context $up] parent]} {
            if {![dict exists $Open $up]} {
                dict set Open $up 1
                dict set Revealed $up 1
            }
            set below $up
        }
    }
    # Opens the hottest way down from a node; returns the id of its end.
    method hotPath {{id {}}} {
        if {$Mode eq "topdown"} {
            set path [$Db hotpath [expr {$id eq "" ? 0 : $id}] {*}[my Options]]
            foreach c [lrange $path 0 end-1] {
                my open $c
            }
            return [lindex $path end]
        }
        if {$Mode eq "flat"} {
            return $id
        }
        for {set n 0} {$n < 100} {incr n} {
            set rows [my Level $id]
            if {![llength $rows] || ($id ne "" && [dict get [lindex $rows 0] exclusive] * 2 < $sum)} {
                break
            }
            if {$id ne ""} {
                dict set Open $id 1
            }
            set first [lindex $rows 0]
            set sum [dict get $first exclusive]
            set id [dict get $first id]
            if {[dict get $first leaf]} {
                break
            }
        }
        return $id
    }
}
