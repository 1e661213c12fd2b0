# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The selected scope: its share, what kind of time it is, on which processors; and the selected line by processor.

oo::class create ::heatscope::ScopeView {
    superclass ::heatscope::View
    variable Path Bus Run Nav Db App Selection Body Bar Stack Profile ProfileRow Shown

    method name {} { return scope }
    method title {} { return Scope }
    method focusWidget {} { return $Profile }

    method Build {body} {
        set t ::heatscope::theme
        set pad [$t size pad]
        set Body $body
        set Shown -2
        ttk::frame $body.in -style Card.TFrame -padding [list $pad [$t dp 8] $pad [$t dp 8]]
        pack $body.in -fill both -expand 1
        set in $body.in
        ttk::frame $in.share -style Card.TFrame
        ttk::label $in.share.part -style Card.Head.TLabel
        ttk::label $in.share.time -style Card.Sub.TLabel
        pack $in.share.part -side left
        pack $in.share.time -side right
        set Bar [my Widget catbar $in.bar -height [$t dp 13] -font HsSmall]
        canvas $in.kinds -height [$t dp 60] -highlightthickness 0 -borderwidth 0 -takefocus 0
        ttk::frame $in.stackhead -style Card.TFrame
        ttk::label $in.stackhead.title -style Card.Sub.TLabel
        ttk::label $in.stackhead.note -style Card.Sub.TLabel
        pack $in.stackhead.title -side left
        pack $in.stackhead.note -side right
        set Stack [my Widget stack $in.stack -height [$t dp 120] -font HsSmall -ticks 1]
        ttk::frame $in.linehead -style Card.TFrame
        ttk::label $in.linehead.title -style Card.Sub.TLabel
        ttk::label $in.linehead.note -style Card.Sub.TLabel
        pack $in.linehead.title -side left
        pack $in.linehead.note -side right
        set Profile [my Widget profile $in.profile -height [$t dp 110] -font HsSmall -ticks 1 -table line]
        ttk::label $in.change -style Card.Sub.TLabel
        grid $in.share -sticky we
        grid $in.change -sticky we
        grid $Bar -sticky we -pady [list [$t dp 5] [$t dp 6]]
        grid $in.kinds -sticky we
        grid $in.stackhead -sticky we -pady [list [$t dp 4] [$t dp 3]]
        grid $Stack -sticky nswe
        grid $in.linehead -sticky we -pady [list [$t dp 8] [$t dp 3]]
        grid $Profile -sticky nswe
        grid remove $in.change
        grid columnconfigure $in 0 -weight 1
        grid rowconfigure $in $Stack -weight 1 -uniform chart -minsize [$t dp 50]
        set ProfileRow [dict get [grid info $Profile] -row]
        my ShowProfile 1
        bind $in <Configure> +[list after idle [namespace code {my OnHeight}]]
        bind $Bar <<HeatscopeHover>> [namespace code {my HoverCategory %d}]
        bind $Stack <<HeatscopeHover>> [namespace code {my HoverStack %d}]
        bind $Stack <<StackPick>> [namespace code {my OnColumn %d}]
        bind $Profile <<HeatscopeHover>> [namespace code {my HoverProfile %d}]
        bind $Profile <<ProfilePick>> [namespace code {my OnColumn %d}]
        bind $Profile <<ProfileRange>> [namespace code {my OnRange %d}]
        bind $in.kinds <Configure> +[namespace code {my Redraw Kinds}]
        # behind the geometry of the labels
        bind $in.share <Configure> +[list after idle [namespace code {my Redraw OnWidth}]]
    }
    # The selected line by processor, where that has room; else all there is is the scope's.
    method ShowProfile {on} {
        set in $Body.in
        foreach w [list $in.linehead $Profile] {
            grid {*}[expr {$on ? "" : "remove"}] $w
        }
        grid rowconfigure $in $ProfileRow {*}[expr {$on ? [list -weight 1 -uniform chart -minsize [::heatscope::theme dp 50]]
            : {-weight 0 -uniform "" -minsize 0}}]
    }
    method OnHeight {} {
        if {![winfo exists $Body.in]} {
            return
        }
        set in $Body.in
        set need [expr {[winfo reqheight $in.linehead] + 2 * [::heatscope::theme dp 50] + [::heatscope::theme dp 35]}]
        foreach w [list $in.share $Bar $in.kinds $in.stackhead] {
            incr need [winfo reqheight $w]
        }
        if {[winfo height $in] > 1 && ([winfo height $in] >= $need) != [winfo ismapped $Profile]} {
            my ShowProfile [expr {[winfo height $in] >= $need}]
        }
    }
    method themed {} {
        $Body.in.kinds configure -background [::heatscope::theme colour card]
        my Kinds
    }

    method Show {changed} {
        set s $Selection
        set in $Body.in
        set scope [dict get $s scope]
        if {$scope < 0} {
            set scope [dict get $s procedure]
        }
        if {$scope < 0} {
            set scope 0
        }
        set values [my Any $changed metric axis processors sort lines]
        if {$values || $scope != $Shown} {
            set Shown $scope
            set options [list {*}[my Common] -columns [my Processors] -sort [dict get $s sort]]
            $Bar configure {*}[my Common] -scope $scope
            $Stack configure {*}$options -scope $scope
            $Profile configure {*}$options
            my Facts
        }
        if {$values || [my Any $changed file line scope procedure]} {
            my Line
        }
        if {$values || [my Any $changed column]} {
            set column [dict get $s column]
            $Profile configure -range [expr {$column >= 0 ? [list $column $column] : {}}]
        }
    }

    method Facts {} {
        set s $Selection
        set in $Body.in
        set metric [dict get $s metric]
        set total [$Run total $metric]
        set span [$Run lineSpan $Shown]
        my subtitle "[$Run scopeTitle $Shown][expr {$span ne "" ? "  \u00b7  $span" : ""}]"
        set stats [lindex [$Db stats -table scope_incl -rows [list $Shown 1] {*}[my Common]] 0]
        set words "[::heatscope::fmt percent [dict get $stats sum] $total] of [$Run whole $metric]"
        if {[dict get $stats sum] > 0} {
            set most [$Run amount $metric [dict get $stats max]]
            ::heatscope::theme say $in.share.time [expr {[my Alone] ? $most : "[$Run amount $metric [dict get $stats mean]] mean \u00b7 $most max"}]
        } else {
            ::heatscope::theme say $in.share.time [expr {[$Run exact $metric] ? "none here" : "no samples"}]
        }
        # what it calls is in it, which is not so in the compiler's list and the ranking: said where there is room
        set room [expr {[winfo width $in.share] - [winfo reqwidth $in.share.time] - [::heatscope::theme dp 16]}]
        foreach inside [expr {$Shown > 0 && [dict get $stats sum] > 0 ? {", with what it calls" ", with calls"} : ""}] {
            if {[::heatscope::theme width HsUIb $words$inside] <= $room} {
                append words $inside
                break
            }
        }
        # of a run without samples there is no part
        ::heatscope::theme say $in.share.part [expr {$total > 0 ? $words : ""}]
        my Change $metric
        my FitRight $in.share
        lassign [$Run words [dict get $s axis]] one many
        ::heatscope::theme say $in.stackhead.title "Breakdown by $one"
        my Kinds
    }

    # With a second database: what the procedure or loop itself changed by.
    method Change {metric} {
        set in $Body.in
        set c [[$App comparison] scope $Shown $metric]
        if {$c eq ""} {
            ::heatscope::theme say $in.change ""
            grid remove $in.change
            return
        }
        set change "[[$App comparison] amount $c $metric][[$App comparison] apart $c][expr {[dict get $c beyond] ? "" : ", within noise"}]"
        set room [winfo width $in.share]
        foreach words {"Itself in the other run" "Itself there" There} {
            if {[::heatscope::theme width HsUI "$words: [lindex [split $change ,] 0]"] <= $room} {
                break
            }
        }
        ::heatscope::theme say $in.change [::heatscope::fmt clauses "$words: $change" $room {::heatscope::theme width HsUI}]
        grid $in.change
    }
    # One processor: it has no mean.
    method Alone {} {
        return [expr {[$Run columns [dict get $Selection axis]] == 1}]
    }
    # The words on the right of a line give way to those on its left.
    method FitRight {f} {
        set right [expr {[winfo exists $f.time] ? "$f.time" : "$f.note"}]
        set left [expr {[winfo exists $f.part] ? "$f.part" : "$f.title"}]
        set room [expr {[winfo width $f] - [winfo reqwidth $left] - [::heatscope::theme dp 8]}]
        if {[winfo width $f] > 20} {
            ::heatscope::theme say $right [::heatscope::fmt clauses [$right cget -text] [expr {max(0, $room)}] {::heatscope::theme width HsUI}]
        }
    }
    # The list of categories: colour, name, share, range over processors.
    method OnWidth {} {
        if {[winfo exists $Body.in.share] && $Shown >= 0 && [my complaint] eq ""} {
            my Facts
            my Line
        }
    }
    method Kinds {} {
        set c $Body.in.kinds
        set width [winfo width $c]
        if {$Shown < 0 || $width < 20 || [my complaint] ne ""} {
            return
        }
        set t ::heatscope::theme
        $c delete all
        set row [expr {[font metrics HsUI -linespace] + [$t dp 3]}]
        set y [expr {$row / 2}]
        set some 0
        set sum 0.0
        set kinds [$Run categories $Shown {*}[my Common]]
        set names 0
        set shown 0
        foreach kind $kinds {
            set sum [expr {$sum + [dict get $kind sum]}]
            if {[dict get $kind sum] > 0 && [incr shown] <= 5} {
                set names [expr {max($names, [::heatscope::theme width HsUI [dict get $kind name]])}]
            }
        }
        set percent [expr {max($width * 0.54, [$t dp 22] + $names + [::heatscope::theme width HsMono "100 %"])}]
        foreach kind $kinds {
            if {[dict get $kind sum] <= 0} {
                continue
            }
            if {[incr some] > 5} {
                break
            }
            set name [::heatscope::fmt plain [dict get $kind name]]
            set box [$t dp 8]
            $c create rectangle 1 [expr {$y - $box / 2}] [expr {$box + 1}] [expr {$y + $box / 2}] \
                -fill [$t category [dict get $kind category]] -width 0
            $c create text [$t dp 16] $y -anchor w -text $name -font HsUI -fill [$t colour text]
            $c create text $percent $y -anchor e -text "[::heatscope::fmt share [dict get $kind sum] $sum] %" \
                -font HsMono -fill [$t colour text]
            set low [$Run amount [dict get $Selection metric] [dict get $kind min]]
            set high [$Run amount [dict get $Selection metric] [dict get $kind max]]
            set note [expr {[my Alone] ? $low : $low eq $high ? "$low each" : "$low\u2013$high \u00b7 [my Label [dict get $kind max_column]]"}]
            set note [::heatscope::fmt clauses $note [expr {$width - $percent - [$t dp 10]}] {::heatscope::theme width HsSmall}]
            $c create text [expr {$width - 1}] $y -anchor e -text $note -font HsSmall -fill [$t colour muted]
            incr y $row
        }
        set about [$Run categoryNote $kinds]
        if {$about ne ""} {
            $c create text 1 $y -anchor w -text [::heatscope::fmt fit $about [expr {$width - 2}] {::heatscope::theme width HsSmall}] -font HsSmall -fill [$t colour muted]
            incr y $row
        }
        set height [expr {max($row, $y - $row / 2 + 2)}]
        if {[$c cget -height] != $height} {
            $c configure -height $height
        }
    }

    method Line {} {
        set s $Selection
        set in $Body.in
        set file [dict get $s file]
        set line [dict get $s line]
        lassign [$Run words [dict get $s axis]] one many
        set row [expr {$file >= 0 && $line > 0 ? [$Db findline $file $line] : -1}]
        set title "Line $line by $one"
        set table [my LineTable]
        set stats [expr {$row >= 0 ? [lindex [$Db stats -table $table -rows [list $row 1] {*}[my Common]] 0] : {}}]
        # a line without code, or that nothing was measured at: the scope around it, if that has some
        if {$Shown >= 0 && ($row < 0 || [my Nothing $stats])} {
            set own [lindex [$Db stats -table scope_excl -rows [list $Shown 1] {*}[my Common]] 0]
            set in_calls [expr {$row >= 0 && $table eq "line_incl" && [my Nothing $own] && [dict get [$Db scope $Shown] kind] eq "loop"}]
            set best [expr {$in_calls ? [lindex [$Db top -table $table -under $Shown -n 1 {*}[my Common]] 0] : {}}]
            if {[llength $best] && [dict get $best sum] > 0} {
                # a loop whose time is in what it calls, where lines are shown so: the line of it that has most
                set title "Line [dict get $best line] by $one"
                set row [dict get $best row]
                set stats [lindex [$Db stats -table $table -rows [list $row 1] {*}[my Common]] 0]
            } elseif {$row < 0 || ![my Nothing $own]} {
                set title "[$Run scopeTitle $Shown] itself by $one"
                # its name stands in the pane's head
                if {[winfo width $in.linehead] > 20 && [::heatscope::theme width HsUI $title] > 0.6 * [winfo width $in.linehead]} {
                    set title "Itself by $one"
                }
                set table scope_excl
                set row $Shown
                set stats $own
            }
        }
        $Profile configure -table $table -row $row
        ::heatscope::theme say $in.linehead.title $title
        ::heatscope::theme say $in.linehead.note [expr {[my Nothing $stats] ? "nothing measured" : [my Alone] ? [my Samples [dict get $stats max]]
            : [my MeanMost $stats]}]
        my FitRight $in.linehead
    }

    # "mean 107, max 145 samples on r3", or as much of it as has room: a number is never without its unit while the title can give way.
    method MeanMost {stats} {
        set metric [dict get $Selection metric]
        set on "on [my Label [dict get $stats max_column]]"
        if {[$Run exact $metric]} {
            set mean "mean [$Run amount $metric [dict get $stats mean]]"
            set most "$mean, max [$Run amount $metric [dict get $stats max]]"
            return [my Roomy [list "$most $on" $most $mean]]
        }
        set word " [$Run countWord]"
        set mean "mean [::heatscope::fmt mean [dict get $stats mean]]"
        set most "$mean, max [::heatscope::fmt short [dict get $stats max]]"
        set of "$most$word[expr {[dict get $stats max] == 1 ? "" : "s"}]"
        return [my Roomy [list "$of $on" $of "$mean$word[expr {[string match {* 1} $mean] ? "" : "s"}]"]]
    }
    # The first of some words that has room beside the title of the line's chart; the last one takes from the title what the chart above it says as well.
    method Roomy {list} {
        set in $Body.in
        set width [winfo width $in.linehead]
        set title [$in.linehead.title cget -text]
        foreach short [list $title [regsub { by \w+$} $title ""]] {
            set room [expr {$width - [::heatscope::theme width HsUI $short] - [::heatscope::theme dp 8]}]
            foreach words $list {
                if {$width <= 20 || [::heatscope::theme width HsUI $words] <= $room} {
                    ::heatscope::theme say $in.linehead.title $short
                    return $words
                }
            }
        }
        return [lindex $list end]
    }
    method Nothing {stats} {
        return [expr {[dict get $stats max] == 0 && [dict get $stats min] == 0}]
    }

    method OnColumn {hit} {
        if {[dict exists $hit column] && [dict get $hit column] >= 0} {
            $Nav column scope [dict get $hit column]
        }
    }
    method OnRange {drag} {
        $Nav processors scope [list [dict get $drag first] [dict get $drag last]]
    }
    method Span {hit} {
        set first [my Label [dict get $hit first]]
        set last [my Label [dict get $hit last]]
        return [expr {$first eq $last ? $first : "$first\u2013$last"}]
    }
    method HoverProfile {hit} {
        if {![my Hits $hit column]} return
        my Read "[my Span $hit]: [my Samples [dict get $hit value]]"
    }
    method HoverStack {hit} {
        if {![my Hits $hit column]} return
        if {![dict exists $hit name]} {
            # beside its bar
            my Read "[my Span $hit]: [my Samples [dict get $hit sum]] in all"
            return
        }
        my Read "[my Span $hit]: [dict get $hit name] [my Samples [dict get $hit value]],\
            [::heatscope::fmt percent [dict get $hit share] 1]"
    }
    method HoverCategory {hit} {
        if {![my Hits $hit category]} return
        my Read "[dict get $hit name]: [my Samples [dict get $hit value]], [::heatscope::fmt percent [dict get $hit share] 1]"
    }
    method table {} {
        set axis [dict get $Selection axis]
        set n [$Run columns $axis]
        set scope [expr {max(0, $Shown)}]
        set kinds [$Db categories $scope {*}[my Common]]
        set rows [list [list category sum share min mean max {*}[$Db labels $axis]]]
        set row [expr {$scope * [$Run info categories]}]
        foreach kind $kinds {
            set values {}
            for {set at 0} {$at < $n} {incr at 65536} {
                lappend values {*}[lindex [$Db block -table scope_category -rows [list $row 1] -columns [list $at [expr {min(65536, $n - $at)}]] {*}[my Common]] 0]
            }
            incr row
            lappend rows [list [dict get $kind name] [dict get $kind sum] [dict get $kind share] [dict get $kind min] [dict get $kind mean] \
                [dict get $kind max] {*}$values]
        }
        return $rows
    }
    method describe {} {
        set in $Body.in
        set out "Scope: [my fullSubtitle]\n[$in.share.part cget -text], [$in.share.time cget -text]\n"
        append out [expr {[winfo manager $in.change] ne "" ? "[$in.change cget -text]\n" : ""}]
        append out [$Bar describe]\n
        set about [expr {$Shown >= 0 ? [$Run categoryNote [$Run categories $Shown {*}[my Common]]] : ""}]
        append out [expr {$about ne "" ? "$about\n" : ""}]
        append out "[$in.stackhead.title cget -text]\n[$Stack describe]\n"
        append out "[$in.linehead.title cget -text]: [$in.linehead.note cget -text]\n[$Profile describe]\n"
        return $out
    }
}
