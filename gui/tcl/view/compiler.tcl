# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Loops with what the compiler made of them and what that costs; all that is known of the chosen one beside the list.

oo::class create ::heatscope::CompilerView {
    superclass ::heatscope::ListView
    variable Path Bus Run Nav Db App Selection Rows ById List Model Text Shown Lines

    method name {} { return compiler }
    method title {} { return Compiler }

    method Build {body} {
        set Model [::heatscope::Compiler new $Run]
        set Lines {}
        set Shown {}
        set right [my SplitList $body {3 2} -width [::heatscope::theme dp 420] -empty "no loops with samples"]
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
    }
    destructor {
        $Model destroy
        next
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
        set Shown {}
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
    method Mark {} {
        next
        set scope [my Current]
        if {$scope eq ""} {
            set scope [dict get $Selection scope]
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
    method Go {row} {
        $Nav scope compiler [dict get $row scope]
    }
    method Words {row} {
        set text "[dict get $row name] [dict get $row where]: [my Samples [dict get $row sum]]"
        if {[dict get $row words] ne ""} {
            append text ", [dict get $row words]"
        }
        if {[dict get $row price] > 0} {
            append text "; refused: [dict get $row reason], [::heatscope::fmt percent [dict get $row price] 1] of the run"
        }
        return $text
    }
    method Exported {} { return {loop name where where runs_as words value sum share share price price reason reason} }
    method describe {} {
        set out [next]
        foreach line $Lines {
            append out "| [dict get $line text]"
            # not by expr: it would make a number of a text of digits
            if {[dict exists $line right]} {
                append out "  [dict get $line right]"
            }
            append out \n
        }
        return $out
    }
}
