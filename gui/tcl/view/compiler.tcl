# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Loops with what the compiler made of them and what that costs; all that is known of the chosen one beside the list.

oo::class create ::heatscope::CompilerView {
    superclass ::heatscope::View
    variable Path Bus Run Nav Db App Selection Model List Text Rows ById SortColumn SortOrder Shown Lines

    method name {} { return compiler }
    method title {} { return Compiler }
    method focusWidget {} { return $List }

    method Build {body} {
        set Model [::heatscope::Compiler new $Run]
        set Rows {}
        set ById {}
        set Lines {}
        set SortColumn price
        set SortOrder decreasing
        set Shown {}
        ttk::panedwindow $body.split -orient horizontal
        set left [ttk::frame $body.split.left -style Card.TFrame]
        set right [ttk::frame $body.split.right -style Card.TFrame]
        $body.split add $left -weight 3
        $body.split add $right -weight 2
        pack $body.split -fill both -expand 1
        ttk::scrollbar $left.scroll -style Slim.Vertical.TScrollbar -orient vertical -command [namespace code {my Scroll}]
        set List [my Widget barlist $left.list -font HsUI -monofont HsUI -takefocus 1 -yscrollcommand [list $left.scroll set] \
            -heading 1 -height [::heatscope::theme dp 160] -width [::heatscope::theme dp 420] -rowheight [::heatscope::theme dp 22] \
            -empty "no loops with samples"]
        grid $List $left.scroll -sticky nswe
        grid columnconfigure $left 0 -weight 1
        grid rowconfigure $left 0 -weight 1
        set Text $right.text
        text $Text -font HsUI -wrap word -width 30 -height 6 -borderwidth 0 -highlightthickness 0 -relief flat -cursor arrow \
            -padx [::heatscope::theme dp 10] -pady [::heatscope::theme dp 4] -insertwidth 0 -exportselection 0 -undo 0 \
            -yscrollcommand [list $right.scroll set] -state disabled -takefocus 0 -insertofftime 0
        ttk::scrollbar $right.scroll -style Slim.Vertical.TScrollbar -orient vertical -command [list $Text yview]
        grid $Text $right.scroll -sticky nswe
        grid columnconfigure $right 0 -weight 1
        grid rowconfigure $right 0 -weight 1
        bindtags $Text [list $Text [winfo toplevel $Text] all]
        bind $Text <Button-4> {%W yview scroll -2 units}
        bind $Text <Button-5> {%W yview scroll 2 units}
        bind $Text <MouseWheel> {%W yview scroll [expr {-(%D) / 60}] units}
        bind $Text <Button-1> [namespace code {my OnText %x %y}]
        bind $Text <Configure> +[namespace code {my Stops}]
        bind $List <<ListPick>> [namespace code {my OnPick %d}]
        bind $List <<ListOpen>> [namespace code {my OnPick %d}]
        bind $List <<ListSort>> [namespace code {my OnSort %d}]
        bind $List <<HeatscopeHover>> [namespace code {my OnHover %d}]
    }
    destructor {
        $Model destroy
        next
    }
    method Scroll {args} {
        $List yview {*}$args
    }
    method Stops {} {
        set room [expr {[winfo width $Text] - 2 * [::heatscope::theme dp 10] - 2}]
        if {$room > 50} {
            foreach tag {head section fact good bad} {
                $Text tag configure $tag -tabs [list $room right]
            }
        }
    }
    method themed {} {
        set t ::heatscope::theme
        $Text configure -background [$t colour card] -foreground [$t colour text]
        $Text tag configure head -font HsUIb -spacing1 [$t dp 2]
        $Text tag configure section -font HsUIb -spacing1 [$t dp 8] -foreground [$t colour muted]
        $Text tag configure fact -foreground [$t colour text] -lmargin2 [$t dp 10]
        $Text tag configure good -foreground [$t colour text] -lmargin2 [$t dp 10]
        $Text tag configure bad -foreground [$t colour chipBadText] -lmargin2 [$t dp 10]
        $Text tag configure link -foreground [$t colour accent]
        $Text tag configure right -font HsSmall -foreground [$t colour muted]
        my Stops
    }

    method Show {changed} {
        if {[my Any $changed metric axis] || ![llength $Rows]} {
            my Fill
            set changed [list scope]
        }
        if {[my Any $changed scope procedure file line metric]} {
            my Mark
        }
    }
    method Fill {} {
        set Rows [$Model rows [dict get $Selection metric] [dict get $Selection axis]]
        set ById {}
        set price 0.0
        set refused 0
        set top 0
        foreach row $Rows {
            dict set ById [dict get $row scope] $row
            set price [expr {$price + [dict get $row price]}]
            incr refused [expr {[dict get $row price] > 0}]
            set top [expr {max($top, [dict get $row share])}]
        }
        my subtitle [expr {$refused ? "[::heatscope::fmt percent $price 1] in [::heatscope::fmt plural $refused loop] that were refused vectors" : ""}]
        $List configure -columns [list [list name Loop name 0] [list words "Runs as" text 18] [list bar "" bar 7] \
            [list share Time percent 6] [list price Price percent 7]] -drop {bar share words} -barmax [expr {$top > 0 ? $top : 1}] \
            -sortcolumn $SortColumn -sortorder $SortOrder
        my Sort
    }
    method Sort {} {
        set rows [switch -- $SortColumn {
            name - words { lsort -$SortOrder -command [list ::heatscope::CompilerView::by $SortColumn] $Rows }
            default { lsort -$SortOrder -command [list ::heatscope::CompilerView::by $SortColumn] $Rows }
        }]
        $List setrows [lmap row $rows {
            list [dict get $row scope] [list [dict get $row name] [dict get $row where]] [dict get $row words] [dict get $row share] \
                [dict get $row share] [dict get $row price]
        }]
    }
    method Mark {} {
        set scope [dict get $Selection scope]
        # a procedure stands for its dearest loop
        if {$scope >= 0 && [dict get [$Db scope $scope] kind] ne "loop"} {
            set end [dict get [$Db scope $scope] subtree_end]
            foreach row $Rows {
                if {[dict get $row scope] > $scope && [dict get $row scope] < $end} {
                    set scope [dict get $row scope]
                    break
                }
            }
        }
        $List configure -selected [expr {[dict exists $ById $scope] ? $scope : ""}]
        if {[dict exists $ById $scope]} {
            $List see $scope
        }
        set key [list $scope [dict get $Selection metric] [dict get $Selection axis]]
        if {$key ne $Shown} {
            set Shown $key
            my ShowText $scope
        }
    }
    # The text on the right.
    method ShowText {scope} {
        set Lines [expr {$scope >= 0 ? [$Model details $scope [dict get $Selection metric] [dict get $Selection axis]] : {}}]
        $Text configure -state normal
        $Text delete 1.0 end
        set n 0
        foreach line $Lines {
            set kind [dict get $line kind]
            set link [expr {[dict exists $line file] && [dict get $line file] >= 0 && [dict get $line line] > 0}]
            $Text insert end [dict get $line text] [list $kind l$n]
            if {[dict exists $line right]} {
                $Text insert end \t [list $kind l$n]
                $Text insert end [dict get $line right] [list $kind l$n [expr {$link ? "link" : "right"}]]
            }
            $Text insert end \n $kind
            incr n
        }
        $Text configure -state disabled
        $Text yview moveto 0
    }
    method OnText {x y} {
        foreach tag [$Text tag names @$x,$y] {
            if {[regexp {^l(\d+)$} $tag -> n]} {
                my go $n
            }
        }
    }
    # To the place of a line of the text.
    method go {n} {
        set line [lindex $Lines $n]
        if {[dict exists $line file] && [dict get $line file] >= 0 && [dict get $line line] > 0} {
            $Nav line compiler [dict get $line file] [dict get $line line]
        }
    }
    method OnPick {pick} {
        if {[dict get $pick id] ne ""} {
            $Nav scope compiler [dict get $pick id]
        }
    }
    method OnSort {pick} {
        set column [dict get $pick column]
        if {$column eq "bar"} {
            set column share
        }
        if {$column eq $SortColumn} {
            set SortOrder [expr {$SortOrder eq "decreasing" ? "increasing" : "decreasing"}]
        } else {
            set SortColumn $column
            set SortOrder [expr {$column in {name words} ? "increasing" : "decreasing"}]
        }
        $List configure -sortcolumn $SortColumn -sortorder $SortOrder
        my Sort
    }
    method OnHover {hit} {
        if {$hit eq "" || ![dict exists $hit id] || ![dict exists $ById [dict get $hit id]]} {
            my Read ""
            return
        }
        set row [dict get $ById [dict get $hit id]]
        set text "[dict get $row name] [dict get $row where]: [my Samples [dict get $row sum]]"
        if {[dict get $row words] ne ""} {
            append text ", [dict get $row words]"
        }
        if {[dict get $row price] > 0} {
            append text "; refused: [dict get $row reason], [::heatscope::fmt percent [dict get $row price] 1] of the run"
        }
        my Read $text
    }
    method table {} {
        set rows [list {loop where runs_as value share price reason}]
        foreach row $Rows {
            lappend rows [list [dict get $row name] [dict get $row where] [dict get $row words] [dict get $row sum] [dict get $row share] \
                [dict get $row price] [dict get $row reason]]
        }
        return $rows
    }
    method describe {} {
        set out "Compiler: [my fullSubtitle]\n"
        foreach row [lrange $Rows 0 100] {
            append out "[dict get $row name] [dict get $row where] [::heatscope::fmt percent [dict get $row share] 1]\
                [dict get $row words][expr {[dict get $row price] > 0 ? " price [::heatscope::fmt percent [dict get $row price] 1]" : ""}]\n"
        }
        foreach line $Lines {
            append out "| [dict get $line text][expr {[dict exists $line right] ? "  [dict get $line right]" : ""}]\n"
        }
        return $out
    }
}
namespace eval ::heatscope::CompilerView {
    proc by {key a b} {
        set x [dict get $a $key]
        set y [dict get $b $key]
        if {$key in {name words}} {
            return [string compare -nocase $x $y]
        }
        # equal prices by time
        if {$key eq "price" && $x == $y} {
            set x [dict get $a share]
            set y [dict get $b share]
        }
        return [expr {$x < $y ? -1 : $x > $y}]
    }
}
