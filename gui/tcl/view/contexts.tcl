# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The calling contexts as a tree: top-down, bottom-up or flat.

oo::class create ::heatscope::ContextsView {
    superclass ::heatscope::View
    variable Path Bus Run Nav Db App Selection Tree List Listed Chosen SortColumn SortOrder Mode Filled Most

    method name {} { return contexts }
    method title {} { return Contexts }
    method focusWidget {} { return $List }

    method Heading {head} {
        ttk::menubutton $head.title -style Rank.TMenubutton -text Top-down -menu $head.title.menu -takefocus 0
        menu $head.title.menu -postcommand [namespace code [list my MarkMode $head.title.menu]]
        foreach {mode text} {topdown Top-down bottomup Bottom-up flat Flat} {
            ::heatscope::theme menuEntry $head.title.menu $text -command [namespace code [list my mode $mode]]
        }
        ttk::label $head.sub -style Card.Sub.TLabel
        pack $head.title -side left
        pack $head.sub -side left -padx [list [::heatscope::theme dp 8] 0]
    }
    method MarkMode {menu} {
        ::heatscope::theme menuMark $menu [lmap mode {topdown bottomup flat} {expr {$mode eq $Mode}}]
    }
    method Build {body} {
        set Tree [::heatscope::ContextTree new $Run [$App comparison]]
        set Mode topdown
        set Listed {}
        set Chosen {}
        set SortColumn inclusive
        set SortOrder decreasing
        set Filled 0
        set Most 0
        set List [my Barlist $body -empty "no calling contexts" -rowcommand [namespace code {my Cells}]]
        bind $List <ButtonRelease-1> +[namespace code {my OnClick %x %y}]
        my PaneKey $List Right [namespace code {my Unfold 1}]
        my PaneKey $List Left [namespace code {my Unfold 0}]
        my PaneKey $List h [namespace code {my hotPath}]
        foreach {key mode} {d topdown u bottomup f flat} {
            my PaneKey $List $key [namespace code [list my mode $mode]]
        }
    }
    destructor {
        $Tree destroy
        next
    }
    method Scroll {args} {
        $List yview {*}$args
    }
    method mode {mode} {
        set Mode $mode
        ::heatscope::theme say $Path.head.title [dict get {topdown Top-down bottomup Bottom-up flat Flat} $mode]
        set Chosen {}
        set Filled 0
        my Show {metric}
    }

    method state {} {
        return [dict create mode $Mode sort $SortColumn order $SortOrder]
    }
    method restore {state} {
        if {[dict exists $state sort] && [dict get $state sort] in {name inclusive exclusive change}
            && [dict exists $state order] && [dict get $state order] in {increasing decreasing}} {
            set SortColumn [dict get $state sort]
            set SortOrder [dict get $state order]
            $Tree sort $SortColumn $SortOrder
        }
        if {[dict exists $state mode] && [dict get $state mode] in {topdown bottomup flat}} {
            my mode [dict get $state mode]
        }
    }
    method forget {} {
        $Tree forget
        set Filled 0
        set Listed {}
        $List setrows {}
    }
    # Is there a row of that id?
    method Has {id} {
        return [expr {[llength $Listed] && [$Tree listed $id]}]
    }
    method Show {changed} {
        set s $Selection
        if {[$Tree set $Mode [dict get $s metric] [dict get $s axis]] || !$Filled} {
            # rows of before are not of these values; it may take more than a moment
            set Filled 0
            set Listed {}
            $List setrows {}
            if {$Mode eq "topdown"} {
                $Tree reveal [$Nav contextFor]
            }
            my Fill
            set Filled 1
        }
        if {[my Any $changed metric context procedure scope]} {
            my Mark
        }
    }
    method Fill {} {
        set metric [dict get $Selection metric]
        set what [expr {[$Run exact $metric] ? [::heatscope::fmt plain [lindex [$Run metrics] $metric]] : "time"}]
        if {$Mode eq "bottomup"} {
            my subtitle "what procedures took themselves, and who called them"
        } else {
            my subtitle "h: hot path   \u2190 \u2192: close, open"
        }
        set Listed [$Tree listing]
        lassign [$Tree largest] largest Most
        set total [$Run total $metric]
        set columns [list [list name [dict get {topdown "Calling context" bottomup "Procedure, and its callers" flat Procedure} $Mode] \
            name 0] [list bar "" bar 9]]
        if {$Mode eq "bottomup"} {
            lappend columns [list exclusive "Own" percent 8] [list amount "Own $what" text 10 right]
        } else {
            lappend columns [list inclusive "Inclusive" percent 9] [list exclusive "Own" percent 8] [list amount "Own $what" text 10 right]
        }
        if {[[$App comparison] any]} {
            lappend columns [list change [expr {$Mode eq "topdown" ? "Change" : "Own change"}] change 9] {changed "" text 15 right}
        }
        $List configure -columns $columns -drop {amount exclusive bar changed} -sortcolumn $SortColumn -sortorder $SortOrder \
            -barmax [expr {$largest > 0 && $total > 0 ? $largest / double($total) : 1}]
        $List setrows $Listed
    }
    # Cells of a row that has come into view.
    method Cells {id} {
        if {![my Has $id]} {
            # it is being listed anew
            return [list $id]
        }
        set metric [dict get $Selection metric]
        set row [$Tree row $id]
        lassign [$Tree place $id] depth open
        set mark [expr {[dict get $row leaf] ? "\u2007" : $open ? "\u2212" : "+"}]
        set name "[string repeat \u2002 [my Indent $depth]]$mark [dict get $row name]"
        if {[dict get $row theirs]} {
            return [list $id [list $name [my TheirWhere $row] muted] {*}[lrepeat [expr {$Mode eq "bottomup" ? 3 : 4}] ""] {*}[my ChangeCells $row]]
        }
        set cells [list $id [list $name [dict get $row where]] [dict get $row share] [dict get $row share]]
        if {$Mode ne "bottomup"} {
            set total [$Run total $metric]
            lappend cells [expr {$total > 0 ? [dict get $row exclusive] / double($total) : 0}]
        }
        lappend cells [$Run amount $metric [dict get $row exclusive]]
        if {[[$App comparison] any]} {
            lappend cells {*}[my ChangeCells $row]
        }
        return $cells
    }
    # In en spaces, how far a row is indented: a level each, fewer where the deepest would leave its name no room.
    method Indent {depth} {
        set room [expr {max([::heatscope::theme dp 40], 0.35 * [winfo width $List] - [::heatscope::theme dp 110])}]
        set wide [expr {[$Tree deepest] * [::heatscope::theme width HsUI \u2002]}]
        return [expr {$wide > $room ? int($depth * $room / $wide) : $depth}]
    }
    method TheirWhere {row} {
        return "only in the other run[expr {[dict get $row where] ne "" ? " \u00b7 [dict get $row where]" : ""}]"
    }
    # Bar and words of what changed in the other run; grey: within noise.
    method ChangeCells {row} {
        if {![dict exists $row change]} {
            return [list 0 ""]
        }
        set c [dict get $row change]
        set bar [expr {$Most > 0 ? [dict get $c change] / double($Most) : 0}]
        return [list [expr {[dict get $c beyond] ? [list $bar] : [list $bar grey]}] [my ChangeWords $c]]
    }
    method ChangeWords {c} {
        set a [dict get $c value_a]
        set b [dict get $c value_b]
        set words [expr {$a <= 0 && $b > 0 ? ", not here" : [dict get $c b] < 0 ? ", not there" : ""}]
        return "[[$App comparison] amount [dict merge $c [dict create ratio [expr {$a > 0 && $b > 0 ? $b / $a : ""}]]] [dict get $Selection metric]]$words"
    }
    # The row that the selection stands for.
    method Mark {} {
        if {$Mode eq "topdown"} {
            set context [$Nav contextFor]
            set Chosen [expr {$context >= 0 ? $context : ""}]
            if {$Chosen ne "" && ![my Has $Chosen]} {
                $Tree reveal $Chosen
                my Fill
            }
        } else {
            set procedure [dict get $Selection procedure]
            if {$Chosen eq "" || ![my Has $Chosen] || [dict get [$Tree row $Chosen] scope] != $procedure} {
                set Chosen [expr {$procedure >= 0 && [my Has $procedure] ? $procedure : ""}]
            }
        }
        $List configure -selected $Chosen
        if {$Chosen ne ""} {
            catch {$List see $Chosen}
        }
    }

    method OnPick {pick} {
        set id [dict get $pick id]
        if {$id eq "" || ![my Has $id]} {
            return
        }
        set Chosen $id
        $List configure -selected $id
        set row [$Tree row $id]
        if {[dict get $row context] >= 0} {
            $Nav context contexts [dict get $row context]
        } elseif {[dict get $row scope] >= 0} {
            $Nav scope contexts [dict get $row scope]
        } elseif {[dict get $row theirs]} {
            my Read [my RowWords $row]
        }
    }
    # A click on the triangle opens and closes.
    method OnClick {x y} {
        set hit [$List hit $x $y]
        if {$hit eq "" || [dict get $hit part] ne "row" || ![my Has [dict get $hit id]]} {
            return
        }
        set row [$Tree row [dict get $hit id]]
        set from [expr {[my Indent [dict get $row depth]] * [::heatscope::theme width HsUI \u2002]}]
        if {![dict get $row leaf] && $x >= $from && $x < $from + [::heatscope::theme dp 26]} {
            my Toggle [dict get $row id]
        }
    }
    method Toggle {id} {
        if {[$Tree isOpen $id]} {
            $Tree close $id
        } else {
            $Tree open $id
        }
        my Fill
        $List configure -selected $Chosen
    }
    method OnOpen {pick} {
        set id [dict get $pick id]
        if {[my Has $id] && ![dict get [$Tree row $id] leaf]} {
            my Toggle $id
        }
    }
    method Unfold {open} {
        if {$Chosen eq "" || ![my Has $Chosen]} {
            return
        }
        lassign [$Tree place $Chosen] depth isOpen up
        if {$open} {
            if {!$isOpen && ![dict get [$Tree row $Chosen] leaf]} {
                my Toggle $Chosen
            }
        } elseif {$isOpen} {
            my Toggle $Chosen
        } else {
            # to the row it is below
            if {$up ne ""} {
                my OnPick [dict create id $up]
            }
        }
    }
    # Opens the hottest way down from the chosen row and goes to its end.
    method hotPath {} {
        set end [$Tree hotPath $Chosen]
        my Fill
        if {$end ne "" && [my Has $end]} {
            my OnPick [dict create id $end]
            $List see $end
        }
    }
    method OnSort {pick} {
        set column [dict get $pick column]
        set column [dict get {name name bar inclusive inclusive inclusive exclusive exclusive amount exclusive change change changed change} $column]
        if {$column eq $SortColumn} {
            set SortOrder [expr {$SortOrder eq "decreasing" ? "increasing" : "decreasing"}]
        } else {
            set SortColumn $column
            set SortOrder [expr {$column eq "name" ? "increasing" : "decreasing"}]
        }
        $Tree sort $SortColumn $SortOrder
        my Fill
        $List configure -selected $Chosen
    }
    method OnHover {hit} {
        if {$hit eq "" || ![dict exists $hit id] || ![my Has [dict get $hit id]]} {
            my Read ""
            return
        }
        set row [$Tree row [dict get $hit id]]
        my Read [my RowWords $row]
    }
    method RowWords {row} {
        if {[dict get $row theirs]} {
            set c [dict get $row change]
            return "[string trim "[dict get $row name] [dict get $row where]"]: only in the other run,\
                [::heatscope::fmt amount [dict get $c value_b] [dict get [$Run metric [dict get $Selection metric]] unit]][expr {[dict get $c beyond] ? "" : ", within noise"}]"
        }
        return "[string trim "[dict get $row name] [dict get $row where]"]: [my Samples [dict get $row inclusive]],\
            [::heatscope::fmt percent [dict get $row share] 1] of [$Run whole [dict get $Selection metric]], itself [my Samples [dict get $row exclusive]][my ChangeTold $row]"
    }
    method ChangeTold {row} {
        if {![dict exists $row change]} {
            return ""
        }
        return ", in the other run [my ChangeWords [dict get $row change]][expr {[dict get $row change beyond] ? {} : {, within noise}}]"
    }
    method table {} {
        set keys {change low high beyond}
        set rows [list [list depth name where inclusive own share {*}[expr {[[$App comparison] any] ? $keys : ""}]]]
        foreach row [$Tree rows] {
            lappend rows [list [dict get $row depth] [dict get $row name] [dict get $row where] [dict get $row inclusive] \
                [dict get $row exclusive] [dict get $row share] \
                {*}[expr {[dict exists $row change] ? [lmap key $keys {dict get $row change $key}] : ""}]]
        }
        return $rows
    }
    method describe {} {
        set out "Contexts, [dict get {topdown top-down bottomup bottom-up flat flat} $Mode]\n"
        if {![llength $Listed]} {
            append out "no calling contexts\n"
        }
        foreach listed [lrange $Listed 0 400] {
            set row [$Tree row [lindex $listed 0]]
            if {[dict get $row theirs]} {
                append out "[string repeat "  " [dict get $row depth]][my RowWords $row][expr {[dict get $row id] eq $Chosen ? " <" : ""}]\n"
                continue
            }
            append out "[string repeat "  " [dict get $row depth]][dict get $row name]\
                [::heatscope::fmt percent [dict get $row share] 1] own [my Samples [dict get $row exclusive]][my ChangeTold $row][expr {
                [dict get $row id] eq $Chosen ? " <" : ""}]\n"
        }
        return $out
    }
}
