# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Loops with what the compiler made of them and what that costs; all that is known of the chosen one beside the list.

oo::class create ::heatscope::CompilerView {
    superclass ::heatscope::NotesView
    variable Path Bus Run Nav Db App Selection Rows ById Model

    method name {} { return compiler }
    method title {} { return Compiler }

    method Build {body} {
        set Model [::heatscope::Compiler new $Run]
        my SplitNotes $body 0 -width [::heatscope::theme dp 420] -empty "no loops with samples"
    }
    destructor {
        $Model destroy
        next
    }
    method FirstSort {} { return price }
    method Columns {} {
        return {{name Loop name 0 left name} {words "Runs as" text 18 left words} {bar "" bar 7 {} share} {share Time percent 6 {} share}
            {price Price percent 7 {} price}}
    }
    method Drop {} { return {bar share words} }
    method Load {} {
        # equal prices by time: what the model says comes by time
        return [lmap row [$Model rows [dict get $Selection metric] [dict get $Selection axis]] {
            dict set row id [dict get $row scope]
        }]
    }
    method Cells {row} {
        return [list [list [dict get $row name] [dict get $row where]] [dict get $row words] [dict get $row share] [dict get $row share] \
            [dict get $row price]]
    }
    method Beside {} {
        set price 0.0
        set refused 0
        foreach row $Rows {
            set price [expr {$price + [dict get $row price]}]
            incr refused [expr {[dict get $row price] > 0}]
        }
        return [expr {$refused ? "[::heatscope::fmt percent $price 1] in [::heatscope::fmt plural $refused loop] that were refused vectors" : ""}]
    }
    method forget {} {
        next
        $Model forget
    }
    # A procedure stands for its dearest loop.
    method Current {} {
        set scope [dict get $Selection scope]
        if {$scope < 0} {
            return ""
        }
        set facts [$Db scope $scope]
        if {[dict get $facts kind] ne "loop"} {
            set end [dict get $facts subtree_end]
            foreach row $Rows {
                if {[dict get $row scope] > $scope && [dict get $row scope] < $end} {
                    return [dict get $row scope]
                }
            }
        }
        return [expr {[dict exists $ById $scope] ? $scope : ""}]
    }
    # The notes are of any scope that is chosen.
    method Of {} {
        set scope [my Current]
        return [expr {$scope eq "" ? [dict get $Selection scope] : $scope}]
    }
    method Notes {scope} {
        return [expr {$scope >= 0 ? [$Model details $scope [dict get $Selection metric] [dict get $Selection axis]] : {}}]
    }
    method Go {row} {
        $Nav scope compiler [dict get $row scope]
    }
    method Words {row} {
        set text "[dict get $row name] [dict get $row where]: [my Samples [dict get $row sum]]"
        if {[dict get $row words] ne ""} {
            append text ", [dict get $row words]"
        }
        if {[dict get $row price] > 0} {
            append text "; refused: [dict get $row reason], [::heatscope::fmt percent [dict get $row price] 1] of [$Run whole [dict get $Selection metric]]"
        }
        return $text
    }
    method Exported {} { return {loop name where where runs_as words value sum share share price price reason reason} }
}
