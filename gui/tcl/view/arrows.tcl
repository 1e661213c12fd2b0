# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A strip beside the source with arrows between lines. Full lines: flow (written, then read); dashed: anti; dotted: output;
# orange: what hinders vector code. A letter and the distance stand beside each.

oo::class create ::heatscope::Arrows {
    variable Canvas List Top Height Header Rows Placed Lanes Letters Pitch

    constructor {path} {
        set Canvas $path
        set List {}
        set Placed {}
        set Lanes 8
        set Letters 1
        set Pitch 8
        canvas $path -highlightthickness 0 -borderwidth 0 -takefocus 0 -width 1
    }
    method path {} { return $Canvas }
    method themed {} {
        $Canvas configure -background [::heatscope::theme colour card]
    }
    # Pixels that these arrows need, of the room of them and the text beside them; 0 for none.
    method needs {arrows room} {
        set List $arrows
        if {![llength $List]} {
            return 0
        }
        set t ::heatscope::theme
        set Lanes 8
        my Place
        set label [expr {([::heatscope::Arrows::lettered $arrows] ? [$t width HsSmall "A 0 F 1"] : 0) + [$t dp 12]}]
        set least [expr {[::heatscope::settings get arrowLetters] * [$t width HsMono 0]}]
        lassign [::heatscope::Arrows::fit [expr {[tcl::mathfunc::max {*}[dict values $Placed]] + 1}] $label [$t dp 8] $room $least] Lanes Letters Pitch width
        my Place
        return $width
    }
    # Short arrows nearest to the text; each in the first lane that is free along its way.
    method Place {} {
        set Placed {}
        set taken {}
        set order {}
        set i 0
        foreach a $List {
            lappend order [list [expr {abs([dict get $a to] - [dict get $a from])}] $i]
            incr i
        }
        foreach entry [lsort -integer -index 0 $order] {
            set a [lindex $List [lindex $entry 1]]
            set lo [expr {min([dict get $a from], [dict get $a to])}]
            set hi [expr {max([dict get $a from], [dict get $a to])}]
            for {set lane 0} {$lane < $Lanes} {incr lane} {
                set free 1
                if {[dict exists $taken $lane]} {
                    foreach {from to} [dict get $taken $lane] {
                        if {$lo <= $to && $from <= $hi} {
                            set free 0
                            break
                        }
                    }
                }
                if {$free} break
            }
            set lane [expr {min($lane, $Lanes - 1)}]
            dict lappend taken $lane $lo $hi
            dict set Placed [lindex $entry 1] $lane
        }
    }
    # Draws what of them is in view.
    method draw {top height header rows selected} {
        set c $Canvas
        $c delete all
        set t ::heatscope::theme
        if {$selected >= $top} {
            set y [expr {$header + ($selected - $top) * $height}]
            $c create rectangle 0 $y [winfo width $c] [expr {$y + $height}] -fill [$t colour current] -width 0
        }
        set right [expr {[winfo width $c] - [$t dp 2]}]
        set bottom [expr {$header + $rows * $height}]
        set loops {}
        set i -1
        foreach a $List {
            incr i
            set from [dict get $a from]
            set to [dict get $a to]
            if {max($from, $to) < $top || min($from, $to) >= $top + $rows} {
                continue
            }
            if {$from == $to} {
                dict lappend loops $from $i
                continue
            }
            # several arrows at one line do not lie on each other
            set nudge [expr {(($i % 3) - 1) * max(1, $height / 7)}]
            set y0 [expr {$header + ($from - $top) * $height + $height / 2 + $nudge}]
            set y1 [expr {$header + ($to - $top) * $height + $height / 2 + $nudge}]
            set x [expr {$right - [$t dp 8] - [dict get $Placed $i] * $Pitch}]
            my Line $i $a [list $right $y0 $x $y0 $x $y1 $right $y1]
            set y [expr {(max($header, min($y0, $y1)) + min($bottom, max($y0, $y1))) / 2}]
            # labels of arrows beside each other stand below each other
            my Label [list $i] [list $a] $x [expr {$y + ([dict get $Placed $i] % 3) * [font metrics HsSmall -linespace]}]
        }
        # within a line: one loop for all of them, in the look of what hinders most
        dict for {line members} $loops {
            set all [lmap i $members {lindex $List $i}]
            set worst [lindex $members 0]
            foreach i $members {
                if {[dict get [lindex $List $i] prevents] > [dict get [lindex $List $worst] prevents]} {
                    set worst $i
                }
            }
            set y [expr {$header + ($line - $top) * $height + $height / 2}]
            set x [expr {$right - [$t dp 12]}]
            set d [expr {$height / 4}]
            my Line $worst [lindex $List $worst] [list $right [expr {$y - $d}] $x [expr {$y - $d}] $x [expr {$y + $d}] $right [expr {$y + $d}]]
            my Label $members $all $x $y
        }
        # rows scroll below the header
        $c create rectangle 0 0 [winfo width $c] [expr {$header - 1}] -fill [$t colour card] -width 0
        $c create line 0 [expr {$header - 1}] [winfo width $c] [expr {$header - 1}] -fill [$t colour rule]
    }
    method Colour {a} {
        return [::heatscope::theme colour [expr {[dict get $a prevents] ? "warn" : [dict get $a kind] eq "message" ? "accent" : "muted"}]]
    }
    method Line {i a points} {
        set t ::heatscope::theme
        set kind [dict get $a kind]
        set dash [expr {$kind in {anti output input} ? [dict get {anti {4 3} output {1 3} input {6 2 1 2}} $kind] : {}}]
        lassign $points x y
        set colour [my Colour $a]
        $Canvas create line {*}$points -fill $colour -width [$t dp 1.5] -dash $dash -joinstyle round -arrow last \
            -arrowshape [list [$t dp 6] [$t dp 7] [$t dp 3]] -tags arrow$i
        $Canvas create oval [expr {$x - [$t dp 2]}] [expr {$y - [$t dp 2]}] [expr {$x + [$t dp 2]}] [expr {$y + [$t dp 2]}] \
            -fill $colour -outline $colour -tags arrow$i
    }
    # "F 1" left of x: letter of the kind, and the distance.
    method Label {members all x y} {
        set t ::heatscope::theme
        set words {}
        foreach a $all {
            if {[::heatscope::Arrows::lettered [list $a]]} {
                lappend words "[string toupper [string index [dict get $a kind] 0]][expr {[dict get $a distance] ne "" ? "\u2009[dict get $a distance]" : ""}]"
            }
        }
        if {!$Letters || ![llength $words]} {
            return
        }
        set words [join [lsort -unique $words] " "]
        set x [expr {$x - [$t dp 4]}]
        set half [expr {[font metrics HsSmall -linespace] / 2}]
        set tags [lmap i $members {string cat arrow $i}]
        $Canvas create rectangle [expr {$x - [::heatscope::theme width HsSmall $words]}] [expr {$y - $half}] $x [expr {$y + $half}] \
            -fill {} -width 0 -tags $tags
        $Canvas create text $x $y -anchor e -text $words -font HsSmall -fill [my Colour [lindex [lsort -decreasing -command \
            ::heatscope::Arrows::hinders $all] 0]] -tags $tags
    }
    # The arrow under a point, with the words of all that are there; {} none.
    method at {x y} {
        set found {}
        set words {}
        foreach item [$Canvas find overlapping [expr {$x - 3}] [expr {$y - 3}] [expr {$x + 3}] [expr {$y + 3}]] {
            foreach tag [$Canvas gettags $item] {
                if {[regexp {^arrow(\d+)$} $tag -> i]} {
                    set found [lindex $List $i]
                    if {[dict get $found words] ni $words} {
                        lappend words [dict get $found words]
                    }
                }
            }
        }
        if {$found ne ""} {
            dict set found words [join $words " \u00b7 "]
        }
        return $found
    }
    method list {} { return $List }
}
namespace eval ::heatscope::Arrows {
    # How so many lanes beside the text, of which each takes `pitch` and the letters beside them `label`, leave it `least` pixels: {LANES LETTERS PITCH
    # WIDTH}. Where they can't, it loses an eighth of the room at most, but for one arrow.
    proc fit {lanes label pitch room least} {
        set width [expr {$label + $lanes * $pitch}]
        if {$room - $width >= $least} {
            return [list $lanes 1 $pitch $width]
        }
        # an arrow that begins and ends on one line takes a lane and a half
        set width [expr {$pitch / 2 + $lanes * $pitch}]
        if {$room - $width >= $least} {
            return [list $lanes 0 $pitch [expr {max($width, 2 * $pitch)}]]
        }
        set half [expr {max(3, $pitch / 2)}]
        set lanes [expr {max(1, min($lanes, ($room / 8 - $pitch) / $half))}]
        return [list $lanes 0 $half [expr {max(2 * $pitch, $pitch + $half * $lanes)}]]
    }
    # Those of messages have no letters.
    proc lettered {arrows} {
        return [expr {[lsearch -not -exact [lmap a $arrows {dict get $a kind}] message] >= 0}]
    }
    proc hinders {a b} {
        return [expr {[dict get $a prevents] - [dict get $b prevents]}]
    }
}
