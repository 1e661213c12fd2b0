# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What a click on a scope bar opens beside it (C4): on the vertical bar the scope's share on each processor, on the category bar a
# histogram of the categories. Esc, another click or another place closes it.

oo::class create ::heatscope::ScopePopup {
    variable Path Run Db Chart Rows

    # path: of the frame to make, in the view that it lies over
    constructor {path run} {
        set Path $path
        set Run $run
        set Db [$run db]
        set Rows {}
        set t ::heatscope::theme
        ttk::frame $path -style Sheet.TFrame -padding 1
        ttk::frame $path.in -style Card.TFrame -padding [list [$t dp 10] [$t dp 8]]
        pack $path.in -fill both -expand 1
        ttk::label $path.in.title -style Card.Head.TLabel
        ttk::label $path.in.note -style Card.Sub.TLabel
        set Chart [canvas $path.in.chart -highlightthickness 0 -borderwidth 0 -takefocus 0 -width [$t dp 300] -height [$t dp 60]]
        set profile [::heatscope::profile $path.in.profile -db $Db -background "" -scale [$t scale] -font HsSmall -ticks 1 -table scope_incl \
            -width [$t dp 300] -height [$t dp 110]]
        grid $path.in.title -sticky w
        grid $path.in.note -sticky w -pady [list 0 [$t dp 5]]
        grid columnconfigure $path.in 0 -weight 1
        foreach w [list $path $path.in $path.in.title $path.in.note $Chart $profile] {
            bind $w <Button-1> [namespace code {my close}]
        }
    }
    method shown {} { return [expr {[winfo manager $Path] ne ""}] }
    method close {} {
        place forget $Path
    }
    # part: bar or categories; common: -metric M -axis A; columns, sort: of the selection. x, y: in the frame's parent.
    method show {part scope common columns sort x y} {
        set t ::heatscope::theme
        set in $Path.in
        set metric [dict get $common -metric]
        set axis [dict get $common -axis]
        $in.title configure -text "[$Run scopeTitle $scope]  [$Run lineSpan $scope]"
        set stats [lindex [$Db stats -table scope_incl -rows [list $scope 1] {*}$common] 0]
        grid remove $Chart
        grid remove $in.profile
        if {$part eq "categories"} {
            $in.note configure -text "[$Run amount $metric [dict get $stats sum]] by category"
            set about [$Run categoryNote [$Run categories $scope {*}$common]]
            if {$about ne ""} {
                $in.note configure -text "[$in.note cget -text]; $about"
            }
            my Histogram $scope $metric $common
            grid $Chart -row 2 -sticky we
        } else {
            $in.profile configure {*}$common -row $scope -columns $columns -sort $sort
            set total [dict get $stats sum]
            set best {}
            foreach entry [$Db ranking -table scope_incl -row $scope -n 3 {*}$common] {
                if {[dict get $entry value] == 0} {
                    continue
                }
                lappend best "[$Run columnLabel $axis [dict get $entry column]] [::heatscope::fmt percent [dict get $entry value] $total]"
            }
            lassign [$Run words $axis] one many
            $in.note configure -text "share of each $one; most: [join $best {, }]"
            set Rows [list [list bar $scope $best]]
            grid $in.profile -row 2 -sticky we
        }
        # beside the bar, inside the parent
        update idletasks
        set parent [winfo parent $Path]
        set w [winfo reqwidth $Path]
        set h [winfo reqheight $Path]
        place $Path -x [expr {max(0, min($x, [winfo width $parent] - $w - 4))}] -y [expr {max(0, min($y, [winfo height $parent] - $h - 4))}]
        raise $Path
    }
    # A bar for each category that has time, the longest first, with its share.
    method Histogram {scope metric common} {
        set t ::heatscope::theme
        set c $Chart
        $c delete all
        $c configure -background [$t colour card]
        set kinds {}
        set most 0.0
        set sum 0.0
        foreach kind [$Run categories $scope {*}$common] {
            if {[dict get $kind sum] > 0} {
                lappend kinds $kind
                set most [expr {max($most, [dict get $kind sum])}]
                set sum [expr {$sum + [dict get $kind sum]}]
            }
        }
        set row [expr {[font metrics HsUI -linespace] + [$t dp 4]}]
        set names 0
        foreach kind $kinds {
            set names [expr {max($names, [::heatscope::theme width HsUI [dict get $kind name]])}]
        }
        set left [expr {$names + [$t dp 8]}]
        set room [expr {[$t dp 300] - $left - [::heatscope::theme width HsMono "100 % 999.9 s"] - [$t dp 8]}]
        set y [expr {$row / 2}]
        set Rows {}
        foreach kind $kinds {
            set length [expr {max(1, int($room * [dict get $kind sum] / $most))}]
            $c create text 0 $y -anchor w -text [::heatscope::fmt plain [dict get $kind name]] -font HsUI -fill [$t colour text]
            $c create rectangle $left [expr {$y - [$t dp 5]}] [expr {$left + $length}] [expr {$y + [$t dp 5]}] -width 0 \
                -fill [$t category [dict get $kind category]]
            set words "[::heatscope::fmt share [dict get $kind sum] $sum] % [$Run amount $metric [dict get $kind sum]]"
            $c create text [expr {$left + $length + [$t dp 6]}] $y -anchor w -text $words -font HsSmall -fill [$t colour muted]
            lappend Rows [list categories [dict get $kind name] $words]
            incr y $row
        }
        $c configure -height [expr {max($row, $y - $row / 2)}]
    }
    method describe {} {
        return [expr {[my shown] ? "pop-up: [$Path.in.title cget -text], [$Path.in.note cget -text]: [join $Rows {; }]\n" : ""}]
    }
}
