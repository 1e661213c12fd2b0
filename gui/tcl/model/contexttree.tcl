# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Calling contexts as a list of rows that open and close: top-down (callees below their callers), bottom-up (callers below
# what they called) or flat. Reads a level when it is opened, and what a row says when it is looked at.

oo::class create ::heatscope::ContextTree {
    variable Run Db Comparison Mode Metric Axis Open Revealed Levels Sorted Shown Largest Walked SortBy SortOrder Facts Changes Rows

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
        foreach kept {Levels Sorted Shown Walked Facts Changes Rows} {
            set $kept {}
        }
        my Forget
    }
    method Forget {} {
        set Open {}
        set Revealed {}
        my forget
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
        set Shown {}
    }

    # Ids of the rows below a node, in the order of the sort: top-down the id is the context, bottom-up the list of scopes from the
    # innermost outwards.
    method Level {id} {
        if {![dict exists $Sorted $id]} {
            if {![dict exists $Levels $id]} {
                dict set Levels $id [my Contrast $id [my Read $id]]
            }
            set ids [dict get $Levels $id]
            if {$SortBy ne "inclusive" || $SortOrder ne "decreasing"} {
                set pairs [lmap row $ids { list [my SortKey $row] $row }]
                set how [expr {$SortBy eq "name" ? "-nocase" : "-real"}]
                set ids [lmap pair [lsort -$SortOrder $how -index 0 $pairs] {lindex $pair 1}]
            }
            dict set Sorted $id $ids
        }
        return [dict get $Sorted $id]
    }
    method SortKey {id} {
        switch -- $SortBy {
            change { return [expr {[dict exists $Changes $id] ? abs([dict get $Changes $id change]) : -1}] }
            name { return [dict get [my row $id] name] }
        }
        return [lindex [dict get $Facts $id] [dict get {inclusive 0 exclusive 1} $SortBy]]
    }
    # Remembers what changed where there is another run: of a context what it takes with all below, of a procedure what it takes
    # itself. Callers below a procedure have none: they are no rows of the other run's table.
    method Contrast {id ids} {
        if {$Comparison ne "" && [$Comparison any] && ($Mode ne "bottomup" || $id eq "") && ![my isTheirs $id]} {
            set known [expr {$Mode eq "topdown" ? [$Comparison contexts $ids $Metric] : [$Comparison of procedure $Metric]}]
            foreach row $ids {
                if {[dict exists $known $row]} {
                    dict set Changes $row [dict get $known $row]
                }
            }
            lappend ids {*}[my Theirs $id]
        }
        return $ids
    }
    # Rows that have values in the other run only, below those of this one: ids there:C of its contexts, there:S of its procedures.
    method isTheirs {id} { return [string match there:* $id] }
    method Theirs {node} {
        set metric [$Comparison metric $Metric]
        if {$metric < 0 || ($Mode eq "topdown" && $node eq "")} {
            return {}
        }
        if {$Mode eq "topdown"} {
            set below [lindex [$Comparison there context [list $node]] 0]
            return [expr {$below < 0 ? {} : [my TheirsBelow $node $below $metric]}]
        }
        set ids {}
        foreach c [$Comparison alone procedure $Metric] {
            # what is here without samples has a row of its own where it calls what has some
            if {[dict exists $Facts [dict get $c a]]} continue
            lappend ids [my AddTheirs [dict get $c b] $node $c 1]
        }
        return $ids
    }
    # Of the other run's context `below` what it calls, as rows below `node`.
    method TheirsBelow {node below metric} {
        set contexts {}
        set leaves {}
        foreach {c inclusive exclusive leaf} [[[$Comparison run] db] contextvalues $below -n 500 -metric $metric -axis $Axis] {
            if {$inclusive <= 0} {
                break
            }
            lappend contexts $c
            dict set leaves $c $leaf
        }
        return [lmap c [$Comparison contextsAlone $contexts $Metric] {
            set row [dict get $c b]
            my AddTheirs $row $node $c [dict get $leaves $row]
        }]
    }
    method AddTheirs {there node change leaf} {
        set id there:$there
        dict set Facts $id [list 0 0 $leaf $node]
        dict set Changes $id $change
        return $id
    }
    method Options {} { return [list -metric $Metric -axis $Axis] }
    # The ids below a node, the heaviest first. Of each the values are kept, {inclusive exclusive leaf node ?facts?}, node: what it is below;
    # words are made for rows that are looked at.
    method Read {id} {
        set ids {}
        if {[my isTheirs $id]} {
            return [my TheirsBelow $id [string range $id 6 end] [$Comparison metric $Metric]]
        }
        switch -- $Mode {
            topdown {
                if {$id eq "" && [$Run info contexts] == 0} {
                    return {}
                }
                if {$id eq ""} {
                    set found [list 0 [$Run total $Metric] 0 [dict get [$Db context 0] leaf]]
                } else {
                    set found [$Db contextvalues $id -n 500 {*}[my Options]]
                }
                foreach {c inclusive exclusive leaf} $found {
                    if {$inclusive <= 0} {
                        break
                    }
                    dict set Facts $c [list $inclusive $exclusive $leaf $id]
                    lappend ids $c
                }
            }
            bottomup {
                foreach c [$Db callertree $id -n 200 {*}[my Options]] {
                    set row [list {*}$id [dict get $c scope]]
                    dict set Facts $row [list [dict get $c exclusive] [dict get $c exclusive] [dict get $c leaf] $id $c]
                    lappend ids $row
                }
            }
            flat {
                set own {}
                foreach row [$Db top -table scope_excl -kind procedure -n 4096 {*}[my Options]] {
                    dict set own [dict get $row row] [dict get $row sum]
                }
                foreach c [$Db top -table scope_incl -kind procedure -n 1000 {*}[my Options]] {
                    set row [dict get $c row]
                    dict set Facts $row [list [dict get $c sum] [expr {[dict exists $own $row] ? [dict get $own $row] : 0}] 1 $id $c]
                    lappend ids $row
                }
            }
        }
        return $ids
    }
    # All of a row that a level has: {id name where inclusive exclusive share leaf scope context kind depth ?change?}
    method row {id} {
        if {![dict exists $Rows $id]} {
            if {[dict size $Rows] > 4000} {
                set Rows {}
            }
            lassign [dict get $Facts $id] inclusive exclusive leaf node facts
            set total [$Run total $Metric]
            set row [dict create id $id inclusive $inclusive exclusive $exclusive leaf $leaf \
                share [expr {$total > 0 ? $inclusive / double($total) : 0}]]
            set there [my isTheirs $id]
            switch -- [expr {$there ? "there" : $Mode}] {
                there { set row [dict merge $row [my TheirRow [string range $id 6 end]]] }
                topdown {
                    set c [$Db context $id]
                    set row [dict merge $row [dict create name [my Name $c $Db] where [my Where $c] scope [dict get $c scope] context $id \
                        kind [dict get $c kind] depth [expr {max(0, [dict get $c depth])}]]]
                }
                bottomup {
                    set c $facts
                    set name [expr {[dict get $c scope] >= 0 ? [::heatscope::names short $Db [dict get $c scope]] : "(outermost)"}]
                    set row [dict merge $row [dict create name $name where [my Place $c] scope [dict get $c scope] context -1 kind procedure \
                        depth [expr {[llength $id] - 1}]]]
                }
                flat {
                    set c $facts
                    set row [dict merge $row [dict create name [::heatscope::names short $Db $id] \
                        where [my Place [dict create file [dict get $c file] line [dict get $c line_begin]]] scope $id context -1 \
                        kind procedure depth 0]]
                }
            }
            dict set row theirs $there
            if {[dict exists $Changes $id]} {
                dict set row change [dict get $Changes $id]
            }
            dict set Rows $id $row
        }
        return [dict get $Rows $id]
    }
    # What is only there leads nowhere here.
    method TheirRow {there} {
        set run [$Comparison run]
        if {$Mode eq "topdown"} {
            set c [[$run db] context $there]
            return [dict create name [my Name $c [$run db]] where [my Where $c $run] scope -1 context -1 kind [dict get $c kind] depth [expr {max(0, [dict get $c depth])}]]
        }
        set c [[$run db] scope $there]
        return [dict create name [::heatscope::names short [$run db] $there] where [my Place [dict create file [dict get $c file] line [dict get $c line_begin]] $run] \
            scope -1 context -1 kind procedure depth 0]
    }
    # The largest value that a row listed has, of all with what they call; and the largest change.
    method largest {} {
        set most 0
        set change 0
        foreach node [dict keys $Walked] {
            if {![dict exists $Largest $node]} {
                dict set Largest $node [my LargestBelow $node]
            }
            lassign [dict get $Largest $node] a b
            set most [expr {max($most, $a)}]
            set change [expr {max($change, $b)}]
        }
        return [list $most $change]
    }
    method LargestBelow {node} {
        set most 0
        set change 0
        foreach id [my Level $node] {
            set most [expr {max($most, [lindex [dict get $Facts $id] 0])}]
            if {[dict exists $Changes $id]} {
                set change [expr {max($change, abs([dict get $Changes $id change]))}]
            }
        }
        return [list $most $change]
    }
    method Place {c {run {}}} {
        if {[dict get $c file] < 0} {
            return ""
        }
        set name [[expr {$run eq "" ? $Run : $run}] fileName [dict get $c file]]
        return [expr {[dict get $c line] > 0 ? "$name:[dict get $c line]" : $name}]
    }
    method Name {c db} {
        switch -- [dict get $c kind] {
            root { return "whole program" }
            partial { return "paths that do not reach the thread's start" }
            loop {
                set name [::heatscope::fmt plain [dict get $c name]]
                return [expr {[dict get $c line] > 0 ? "$name :[dict get $c line]" : $name}]
            }
        }
        return [expr {[dict get $c scope] >= 0 ? [::heatscope::names short $db [dict get $c scope]] : [::heatscope::fmt shortName [dict get $c name]]}]
    }
    # Where it was called, for procedures; inlined ones say so.
    method Where {c {run {}}} {
        set words [expr {[dict get $c kind] eq "inlined" ? "inlined" : ""}]
        if {[dict get $c kind] in {procedure inlined} && [dict get $c call_file] >= 0 && [dict get $c call_line] > 0} {
            lappend words "from [[expr {$run eq "" ? $Run : $run}] fileName [dict get $c call_file]]:[dict get $c call_line]"
        }
        return [join $words " "]
    }

    # What is to be seen, from top to bottom: a list of rows {ID}. Of a level it is kept, so that all costs no more than the levels that are open.
    method listing {} {
        set rows {}
        set walked {}
        my Walk "" 0 rows walked
        set Walked $walked
        return $rows
    }
    method Walk {node depth rowsName walkedName} {
        upvar 1 $rowsName rows $walkedName walked
        ::heatscope::breathe
        dict set walked $node $depth
        set ids [my Level $node]
        if {![dict exists $Shown $node]} {
            dict set Shown $node [lmap id $ids {list $id}]
        }
        set shown [dict get $Shown $node]
        set open {}
        foreach id [dict keys $Open] {
            if {[my Unfolds $id] && [lindex [dict get $Facts $id] 3] eq $node} {
                lappend open [list [lsearch -exact $ids $id] $id]
            }
        }
        set from 0
        foreach pair [lsort -integer -index 0 $open] {
            lassign $pair place id
            lappend rows {*}[lrange $shown $from $place]
            set from [expr {$place + 1}]
            if {[llength $rows] < 5000} {
                my Walk $id [expr {$depth + 1}] rows walked
            }
        }
        lappend rows {*}[lrange $shown $from end]
    }
    # Is it open, and are there rows below it?
    method Unfolds {id} {
        return [expr {[dict exists $Open $id] && [dict exists $Facts $id] && ![lindex [dict get $Facts $id] 2]}]
    }
    # Was it among the rows when they were listed?
    method listed {id} {
        return [expr {[dict exists $Facts $id] && [dict exists $Walked [lindex [dict get $Facts $id] 3]]}]
    }
    # How many rows the deepest of those that were listed is below.
    method deepest {} { return [tcl::mathfunc::max 0 {*}[dict values $Walked]] }
    # Of a row listed: {depth open node}, node: the row that it is below, "" none.
    method place {id} {
        set node [lindex [dict get $Facts $id] 3]
        return [list [dict get $Walked $node] [my Unfolds $id] $node]
    }
    # All that is to be seen as whole rows, each with `open`.
    method rows {} {
        return [lmap row [my listing] {
            lassign $row id
            dict replace [my row $id] open [my Unfolds $id]
        }]
    }
    # The values are to be read again; what is open stays.
    method forget {} {
        ::heatscope::bury $Levels $Sorted $Shown $Walked $Facts $Changes $Rows
        set Levels {}
        set Sorted {}
        set Shown {}
        set Largest {}
        set Walked {}
        set Facts {}
        set Changes {}
        set Rows {}
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
        if {[dict size $Facts] > 40000} {
            # values of all that was ever open would fill the memory
            my forget
        }
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
            set first [lindex [my Level $id] 0]
            if {$first eq "" || ($id ne "" && [lindex [dict get $Facts $first] 1] * 2 < $sum)} {
                break
            }
            if {$id ne ""} {
                dict set Open $id 1
            }
            set sum [lindex [dict get $Facts $first] 1]
            set id $first
            if {[lindex [dict get $Facts $id] 2]} {
                break
            }
        }
        return $id
    }
}
