# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Loops with what the compiler made of them and what that costs; all that is known of the chosen one beside the list.

oo::class create ::heatscope::CompilerView {
    superclass ::heatscope::NotesView
    variable Path Bus Run Nav Db App Selection Rows ById List Loaded Model SortColumn More MoreWords

    method name {} { return compiler }
    method title {} { return Compiler }

    method Build {body} {
        set t ::heatscope::theme
        set Model [::heatscope::Compiler new $Run]
        my SplitNotes $body 0 -width [$t dp 420] -empty "no loops with samples"
        # below the list, where it has not all: the next ones
        set More [ttk::frame $body.split.left.more -style Card.TFrame -padding [list [$t size pad] [$t dp 3]]]
        ttk::label $More.words -style Card.Sub.TLabel
        ttk::button $More.button -takefocus 0 -command [namespace code {my more}]
        pack $More.button -side right
        pack $More.words -side left -fill x
        set MoreWords {}
        bind $More <Configure> [namespace code {my FitMore}]
        my PaneKey $List plus [namespace code {my more}]
    }
    destructor {
        $Model destroy
        next
    }
    method FirstSort {} { return price }
    method Columns {} {
        return [list {name Loop name 0 left name} [list words "Runs as" text [expr {[my Contrasts] ? 13 : 18}] left words] \
            {*}[expr {[my Contrasts] ? {{there "there" text 13 left there}} : ""}] {bar "" bar 7 {} share} {share Time percent 6 {} share} \
            {price Price percent 7 {} price}]
    }
    method Drop {} { return {bar share there words} }
    method Load {} {
        # equal prices by time: what the model says comes by time
        return [my WithIds [$Model rows [dict get $Selection metric] [dict get $Selection axis] [namespace code {my Some}] [expr {$SortColumn eq "price"}]]]
    }
    method WithIds {rows} {
        return [lmap row $rows {dict set row id [dict get $row scope]}]
    }
    method Some {rows done of} {
        my SoFar [my WithIds $rows] $done $of
    }
    method Compared {} {
        set m [$Run metric [dict get $Selection metric]]
        return [list here [dict get $m scale] [dict get $m unit]]
    }
    # Loops are matched as everywhere, by their text; with what they run as there.
    method Contrast {rows {whole 1}} {
        if {![my Contrasts]} {
            return $rows
        }
        set comparison [$App comparison]
        set metric [dict get $Selection metric]
        set changes [$comparison of loop $metric]
        set there {}
        set theirs [$comparison metric $metric]
        if {$theirs >= 0} {
            foreach row [[my OtherModel] rows $theirs [dict get $Selection axis]] {
                dict set there [dict get $row scope] $row
            }
        }
        set scale [$Run scale $metric]
        set known {}
        foreach row $rows {
            dict set known [dict get $row scope] 1
        }
        if {$whole} {
            my SetTheirs [lmap c [$comparison alone loop $metric] {
                if {[dict exists $known [dict get $c a]] || ![dict exists $there [dict get $c b]]} continue
                set words [dict get $there [dict get $c b] words]
                list [dict get $c name] [dict get $c where] [expr {[dict get $c value_b] / $scale}] [list [list scope [dict get $c b]]] $c \
                    there $words words $words beyond [dict get $c beyond]
            }]
        }
        return [lmap row $rows {
            set more {here 0 other "" change "" beyond 0 there ""}
            if {[dict exists $changes [dict get $row scope]]} {
                set c [dict get $changes [dict get $row scope]]
                set more [dict create here [expr {[dict get $c value_a] / $scale}] other [expr {[dict get $c value_b] / $scale}] change [expr {[dict get $c change] / $scale}] beyond [dict get $c beyond] there ""]
                if {[dict exists $there [dict get $c b]]} {
                    dict set more there [dict get $there [dict get $c b] words]
                }
            }
            dict merge $row $more
        }]
    }
    method Beyond {row} { return [dict get $row beyond] }
    method TheirCell {column row} {
        return [expr {[lindex $column 0] eq "there" ? [dict get $row there] : [next $column $row]}]
    }
    method TheirWords {row} {
        return "[next $row][expr {[dict get $row there] ne "" ? " ([dict get $row there])" : ""}]"
    }
    method NotesBy {model row metric} {
        return [$model details [dict get $row b] $metric [dict get $Selection axis]]
    }
    method Cells {row} {
        return [list [list [dict get $row name] [dict get $row where]] [dict get $row words] {*}[expr {[my Contrasts] ? [list [dict get $row there]] : ""}] \
            [dict get $row share] [dict get $row share] [my PriceOf $row]]
    }
    # "": it was refused nothing, or that is not known (yet).
    method PriceOf {row} { return [expr {[dict exists $row reason] && [dict get $row reason] eq "" ? "" : [dict get $row price]}] }
    method Beside {} {
        lassign [$Model refused] refused price
        if {!$refused} {
            return ""
        }
        return "[::heatscope::fmt plural $refused loop] refused vectors \u00b7 [::heatscope::fmt percent $price 1]"
    }
    method Fill {} {
        next
        my ShowMore
    }
    # How many refused loops are not listed, and a button for the next of them.
    method ShowMore {} {
        set left [$Model left]
        if {!$left} {
            grid forget $More
            return
        }
        set all [lindex [$Model refused] 0]
        set step [expr {min($left, [::heatscope::settings get refusedRows])}]
        set some "[::heatscope::fmt grouped [expr {$all - $left}]] of [::heatscope::fmt grouped $all]"
        set MoreWords [list "the dearest $some refused loops" "$some refused loops" $some]
        $More.button configure -text "Next [::heatscope::fmt grouped $step]  (+)"
        grid $More -row 1 -column 0 -columnspan 2 -sticky we
        my FitMore
    }
    # The longest words that have room beside the button.
    method FitMore {} {
        set room [expr {[winfo width $More] - [winfo reqwidth $More.button] - 2 * [::heatscope::theme size pad] - [::heatscope::theme dp 8]}]
        foreach words $MoreWords {
            if {[::heatscope::theme width HsUI $words] <= $room} break
        }
        if {[llength $MoreWords]} {
            ::heatscope::theme say $More.words $words
        }
    }
    # Lists the next ones, too.
    method more {} {
        if {[$Model left]} {
            $Model more
            set Loaded 0
            my refreshAll
        }
    }
    method Missing {scope} {
        set row [$Model other $scope [dict get $Selection metric] [dict get $Selection axis]]
        return [expr {$row eq "" ? "" : [lindex [my Contrast [list $row] 0] 0]}]
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
            # the loop around the selected line, else the first of the list that is in it
            for {set inner [my LineScope]} {$inner > $scope && $inner < $end} {set inner [dict get [$Db scope $inner] parent]} {
                if {[dict exists $ById $inner]} {
                    return $inner
                }
            }
            foreach row $Rows {
                if {[dict get $row scope] > $scope && [dict get $row scope] < $end} {
                    return [dict get $row scope]
                }
            }
        }
        # a loop that is not listed stands below the others
        return [expr {[dict exists $ById $scope] || [dict get $facts kind] eq "loop" ? $scope : ""}]
    }
    # The innermost scope of the selected line; -1.
    method LineScope {} {
        set file [dict get $Selection file]
        set row [expr {$file >= 0 && [dict get $Selection line] > 0 ? [$Db findline $file [dict get $Selection line]] : -1}]
        return [expr {$row >= 0 ? [dict get [$Db line $row] scope] : -1}]
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
        set text "[dict get $row name] [dict get $row where]: [my Samples [dict get $row sum]], [::heatscope::fmt percent [dict get $row share] 1] with what is inlined into it"
        if {[dict get $row words] ne ""} {
            append text ", [dict get $row words]"
        }
        if {[my Contrasts] && [dict get $row there] ne ""} {
            append text " (there [dict get $row there])"
        }
        if {[dict get $row price] > 0} {
            append text "; refused: [dict get $row reason], [::heatscope::fmt percent [dict get $row price] 1] of [$Run whole [dict get $Selection metric]]"
        }
        return $text
    }
    method Exported {} { return {loop name where where runs_as words value sum share share price price reason reason} }
}
