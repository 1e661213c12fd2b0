# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The room in the source pane: height of its rows, what stands beside the source and how wide.

oo::define ::heatscope::DetailView {
    # Height of a row: the tallest of the fonts that can stand in it.
    method RowHeight {} {
        set h 0
        foreach font {HsMono HsMonoB HsMonoI HsSmall} {
            set h [expr {max($h, [font metrics $font -linespace])}]
        }
        return [expr {$h + [::heatscope::theme size rowPad]}]
    }

    # Bars of nested scopes, thin or not; their names have room in both.
    method ScopeBar {thin} {
        return [expr {$thin ? [::heatscope::theme dp 10] : [::heatscope::theme size scopeBar]}]
    }
    method ScopeWidth {thin} {
        return [expr {min([::heatscope::theme dp 150], max([$Scopes needwidth [my ScopeBar $thin]], [::heatscope::theme dp [expr {$thin ? 24 : 46}]]))}]
    }


    method OnSize {} {
        if {$Waiting && $Document ne "" && [dict get $Selection line] > 0} {
            my Reveal [dict get $Selection line]
        } elseif {$Document ne "" && [my Visible] != $Rows} {
            set Top [my Clamp $Top]
            if {[dict get $Selection line] > 0} {
                set line [dict get $Selection line]
                if {$line >= $Top + [my Visible]} {
                    my Reveal $line
                }
            }
        }
        if {[winfo ismapped $Path]} {
            my Draw
        }
    }
    method Moved {} {
        set SplitBy user
        my Place
    }
    # What stands beside the source, and how wide: as much as its columns can use, at most two fifths, unless the user has moved the sash. The source
    # keeps what it needs to be read; first the bars give way (without the processor, which the cells show), then the scope bars become thin, then the
    # cells' width; with still less room the bars go altogether (the read-out has their numbers).
    method Place {} {
        set total [winfo width $Split]
        if {$total < 50} {
            return
        }
        set n [$Run columns [dict get $Selection axis]]
        set range [dict get $Selection processors]
        if {$range ne ""} {
            set n [expr {[lindex $range 1] - [lindex $range 0] + 1}]
        }
        set mini [expr {[::heatscope::theme size minimap] + 2 * [::heatscope::theme dp 7]}]
        set levels [::heatscope::settings get besides]
        if {$total < [::heatscope::theme dp 720]} {
            set levels [lrange $levels end end]
        }
        foreach level $levels {
            lassign $level bars thin cell need
            set bars [::heatscope::theme dp $bars]
            set fixed [expr {[my ScopeWidth $thin] + [$Gutter cget -width] + $bars + [::heatscope::theme dp 30]}]
            lassign [my HeatWidth $total [expr {$fixed + $mini}] $n $cell [expr {$level ne [lindex $levels 0] || $thin}]] width single cell
            set source [expr {$SplitBy eq "user" ? [$Split sashpos 0] - $fixed : $total - $fixed - $mini - $width}]
            if {$source >= [::heatscope::theme dp $need]} break
        }
        if {$bars} {
            if {[$Bars cget -width] != $bars} {
                $Bars configure -width $bars
            }
            grid $Bars
        } else {
            grid remove $Bars
        }
        set Folded $thin
        foreach {option value} [list -barwidth [my ScopeBar $thin] -width [my ScopeWidth $thin]] {
            if {[$Scopes cget $option] != $value} {
                $Scopes configure $option $value
            }
        }
        if {$SplitBy ne "user"} {
            $Heat configure -mincell [expr {$single ? $cell : [::heatscope::theme size cellMin]}]
            $Split sashpos 0 [expr {$total - $width - $mini - [::heatscope::theme dp 5]}]
        }
    }
    # Width of the heat map of n processors beside what is fixed, whether each has a cell of its own, and the least width of that.
    method HeatWidth {total fixed n cell narrow} {
        set want [expr {$n * [::heatscope::theme size cellMax]}]
        set least [expr {$narrow ? min(124, max(64, $n * 34)) : 124}]
        set part [expr {int($total * 0.38)}]
        set most [expr {min($part, $total - $fixed - [::heatscope::theme size sourceMin])}]
        # many processors have more cells, before the source has all that it would like
        set good [expr {min($n * [::heatscope::theme size cellGood] + 2, $part, $total - $fixed - [::heatscope::theme size sourceGood])}]
        set most [expr {max($most, $good)}]
        # one cell for each processor while they fit, before the source is hardly to be read
        set room [expr {min($part, $total - $fixed - [::heatscope::theme size sourceLeast])}]
        set cell [::heatscope::theme size $cell]
        if {$n * $cell + 2 > max($most, $room)} {
            set cell [::heatscope::theme size cellLeast]
        }
        set each [expr {$n * $cell + 2}]
        set single [expr {$each <= max($most, $room)}]
        if {$single && $each > $most} {
            set most $each
        } elseif {!$single} {
            # what shares cells is told apart by more of them
            set most [expr {max($most, min($part, $total - $fixed - [::heatscope::theme size sourceMany]))}]
        }
        return [list [expr {max([::heatscope::theme dp $least], min($want, $most))}] $single $cell]
    }
}
