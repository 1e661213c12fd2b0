# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A view as the items of a vector picture (heatscope::drawing): what is on the screen, widget by widget. Drawn widgets paint themselves; of
# labels, texts and canvases this reads where what stands.

namespace eval ::heatscope::drawn {
    variable Items
    variable Corner

    # {WIDTH HEIGHT ITEMS} of a view's frame with `title` and `words` in its head instead of the tabs.
    proc items {path title words} {
        variable Items
        variable Corner
        set Items {}
        set Corner [list [winfo rootx $path] [winfo rooty $path]]
        set t ::heatscope::theme
        Put area [$t colour card] 0 0 [winfo width $path] [winfo height $path]
        foreach w [winfo children $path] {
            if {$w eq "$path.head"} {
                Head $w $title $words
            } else {
                Walk $w
            }
        }
        return [list [winfo width $path] [winfo height $path] $Items]
    }
    proc Put {args} {
        variable Items
        lappend Items $args
    }
    # Text as wide as the screen has it.
    proc Words {colour font x base text} {
        Put text $colour $font $x $base [font measure $font $text] $text
    }
    # {x y} in the picture.
    proc At {w} {
        variable Corner
        return [list [expr {[winfo rootx $w] - [lindex $Corner 0]}] [expr {[winfo rooty $w] - [lindex $Corner 1]}]]
    }
    proc Baseline {font y height} {
        return [expr {$y + ($height - [font metrics $font -linespace]) / 2.0 + [font metrics $font -ascent]}]
    }
    proc Colour {w name} {
        if {[regexp {^#[0-9a-fA-F]{6}$} $name]} {
            return $name
        }
        return [format #%02x%02x%02x {*}[lmap v [winfo rgb $w $name] {expr {$v >> 8}}]]
    }
    # {WIDTH HEIGHT ITEMS} of paragraphs below a head. Each is {ABOVE COLOUR FONT TEXT ?COLOUR FONT TEXT ...?}: pixels above it, what is set
    # into lines, and what stands at the right of the first of these.
    proc paragraphs {width title words list} {
        variable Items
        set Items {}
        set t ::heatscope::theme
        set pad [$t size pad]
        set y [$t dp 34]
        HeadLine 0 $y $width $title $words
        foreach paragraph $list {
            set rest [lassign $paragraph above colour font text]
            set y [expr {$y + $above}]
            set right [expr {$width - $pad}]
            foreach {words letters shade} [lreverse $rest] {
                set right [expr {$right - [font measure $letters $words]}]
                Words [$t colour $shade] $letters $right [expr {$y + [font metrics $font -ascent]}] $words
            }
            foreach line [Wrapped $font $text [expr {$right - $pad}]] {
                Words [$t colour $colour] $font $pad [expr {$y + [font metrics $font -ascent]}] $line
                set y [expr {$y + [font metrics $font -linespace] + [$t dp 1]}]
            }
        }
        set height [expr {$y + $pad}]
        return [list $width $height [linsert $Items 0 [list area [$t colour card] 0 0 $width $height]]]
    }
    proc Head {w title words} {
        lassign [At $w] - y
        HeadLine $y [winfo height $w] [winfo width $w] $title $words
    }
    proc HeadLine {y height width title words} {
        set t ::heatscope::theme
        set x [$t dp 12]
        Words [$t colour text] HsUIb $x [Baseline HsUIb $y $height] $title
        set x [expr {$x + [font measure HsUIb $title] + [$t dp 14]}]
        Words [$t colour muted] HsUI $x [Baseline HsUI $y $height] [::heatscope::fmt clauses $words [expr {$width - $x}] {font measure HsUI}]
    }
    proc Walk {w} {
        if {![winfo ismapped $w] || [winfo toplevel $w] eq $w} {
            return
        }
        lassign [At $w] x y
        if {[winfo class $w] eq "TFrame" && [winfo name $w] eq "tools"} {
            return
        }
        switch -glob -- [winfo class $w] {
            Heatscope* { Put widget $w $x $y }
            Text { Text $w $x $y }
            Canvas { Canvas $w $x $y }
            Label - TLabel { Label $w $x $y }
            Frame - TFrame { Put area [Colour $w [Option $w -background [::heatscope::theme colour card]]] $x $y [winfo width $w] [winfo height $w] }
        }
        foreach child [winfo children $w] {
            Walk $child
        }
    }
    # An option of a label, of its style where it has none of its own.
    proc Option {w option otherwise} {
        set value [expr {[catch {$w cget $option} own] ? "" : $own}]
        if {$value eq "" && [string match T* [winfo class $w]]} {
            set style [$w cget -style]
            set value [ttk::style lookup [expr {$style ne "" ? $style : [winfo class $w]}] $option]
        }
        return [expr {$value ne "" ? $value : $otherwise}]
    }
    proc Label {w x y} {
        set text [$w cget -text]
        if {$text eq ""} {
            return
        }
        set font [Option $w -font HsUI]
        set colour [Colour $w [Option $w -foreground [::heatscope::theme colour text]]]
        set anchor [Option $w -anchor [expr {[winfo class $w] eq "Label" ? "center" : "w"}]]
        set left [lindex [Option $w -padding [expr {[winfo class $w] eq "Label" ? [$w cget -padx] : 0}]] 0]
        set wrap [Option $w -wraplength 0]
        set lines [concat {*}[lmap line [split $text \n] {Wrapped $font $line [expr {$wrap ? $wrap : 1e9}]}]]
        set step [font metrics $font -linespace]
        set top [expr {$y + ([winfo height $w] - $step * [llength $lines]) / 2.0}]
        foreach line $lines {
            set room [expr {[winfo width $w] - [font measure $font $line]}]
            set shift [expr {$anchor in {e ne se} ? $room - $left : $anchor in {center n s} ? $room / 2 : $left}]
            Words $colour $font [expr {$x + max(0, $shift)}] [Baseline $font $top $step] $line
            set top [expr {$top + $step}]
        }
    }

    # Lines of at most `room` pixels, broken at blanks.
    proc Wrapped {font text room} {
        set lines {}
        set line ""
        foreach word [split $text " "] {
            set blank [expr {$line ne ""}]
            foreach piece [::heatscope::fmt joints $word] {
                # not by expr: "0.20" would be a number then, and lose its last zero
                set longer [string cat $line [string repeat " " $blank] $piece]
                if {$line ne "" && [font measure $font $longer] > $room} {
                    lappend lines $line
                    set longer $piece
                }
                set line $longer
                set blank 0
            }
        }
        return [lappend lines $line]
    }

    # Areas on whole pixels keep sharp edges wherever the file is shown larger or smaller: else their neighbours shine through between them.
    proc crisp {file} {
        set channel [open $file r+]
        fconfigure $channel -encoding utf-8
        set text [read $channel]
        regsub -all {<path style="( stroke:none;[^"]*" d="M [-0-9 MLZ]+")} $text {<path shape-rendering="crispEdges" style="\1} text
        seek $channel 0
        puts -nonewline $channel $text
        close $channel
    }

    # ---- text widgets ----

    proc Text {w x y} {
        set width [winfo width $w]
        set height [winfo height $w]
        Put clip $x $y $width $height
        Put area [Colour $w [$w cget -background]] $x $y $width $height
        set last [$w index "@$width,$height lineend +1c"]
        set looks {}
        foreach {- text index} [$w dump -text [$w index @0,0] $last] {
            set tags [$w tag names $index]
            if {![dict exists $looks $tags]} {
                dict set looks $tags [Look $w $tags]
            }
            Runs $w $x $y $text $index [dict get $looks $tags]
        }
        Put unclip
    }
    # {COLOUR FONT BACKGROUND} of text with these tags, the last the strongest; {} where it is not shown.
    proc Look {w tags} {
        set look [dict create -foreground [$w cget -foreground] -font [$w cget -font] -background "" -elide 0]
        foreach tag $tags {
            foreach option [dict keys $look] {
                set value [$w tag cget $tag $option]
                if {$value ne ""} {
                    dict set look $option $value
                }
            }
        }
        if {[dict get $look -elide]} {
            return {}
        }
        set background [dict get $look -background]
        return [list [Colour $w [dict get $look -foreground]] [dict get $look -font] [expr {$background eq "" ? "" : [Colour $w $background]}]]
    }
    # A piece of one look: its runs between tabs and line ends, and of each what stands on one line of the screen.
    proc Runs {w x y text index look} {
        if {$look eq ""} {
            return
        }
        lassign $look colour font background
        foreach part [regexp -all -inline -indices {\n|[^\t\n]+} $text] {
            lassign $part from to
            while {$from <= $to} {
                set line [$w dlineinfo "$index +$from c"]
                set box [$w bbox "$index +$from c"]
                if {$line eq "" || $box eq ""} {
                    incr from
                    if {$line eq ""} break
                    continue
                }
                lassign $line - top - high baseline
                if {[string index $text $from] eq "\n"} {
                    if {$background ne ""} {
                        Put area $background [expr {$x + [lindex $box 0]}] [expr {$y + $top}] [winfo width $w] $high
                    }
                    break
                }
                set end [expr {[$w cget -wrap] eq "none" ? $to : [Last $w $index $from $to $text $top]}]
                if {$background ne ""} {
                    lassign [$w bbox "$index +$end c"] ax - aw
                    set right [expr {$ax eq "" ? [winfo width $w] : $ax + $aw}]
                    Put area $background [expr {$x + [lindex $box 0]}] [expr {$y + $top}] [expr {$right - [lindex $box 0]}] $high
                }
                Words $colour $font [expr {$x + [lindex $box 0]}] [expr {$y + $top + $baseline}] [string range $text $from $end]
                set from [expr {$end + 1}]
            }
        }
    }
    # The last letter of text[from..to] on the screen's line at `top`: lines are broken behind blanks, or in words that have no room.
    proc Last {w index from to text top} {
        set low $from
        set high $to
        while {$low < $high} {
            set middle [expr {($low + $high + 1) / 2}]
            set line [$w dlineinfo "$index +$middle c"]
            if {$line ne "" && [lindex $line 1] == $top} {
                set low $middle
            } else {
                set high [expr {$middle - 1}]
            }
        }
        return $low
    }

    # ---- canvases ----

    proc Canvas {c x y} {
        Put clip $x $y [winfo width $c] [winfo height $c]
        Put area [Colour $c [$c cget -background]] $x $y [winfo width $c] [winfo height $c]
        set dx [expr {$x - [$c canvasx 0]}]
        set dy [expr {$y - [$c canvasy 0]}]
        foreach item [$c find all] {
            if {[$c itemcget $item -state] eq "hidden"} {
                continue
            }
            set points [lmap {a b} [$c coords $item] {list [expr {$a + $dx}] [expr {$b + $dy}]}]
            switch -- [$c type $item] {
                rectangle - oval { Area $c $item {*}$points }
                line { Line $c $item [concat {*}$points] }
                text { Item $c $item {*}[lindex $points 0] }
            }
        }
        Put unclip
    }
    proc Area {c item from to} {
        lassign [list {*}$from {*}$to] x0 y0 x1 y1
        set fill [$c itemcget $item -fill]
        if {$fill ne ""} {
            Put area [Colour $c $fill] [expr {round($x0)}] [expr {round($y0)}] [expr {round($x1) - round($x0)}] [expr {round($y1) - round($y0)}]
        }
        set edge [$c itemcget $item -outline]
        if {$edge ne "" && [$c itemcget $item -width] > 0} {
            Put line [Colour $c $edge] [$c itemcget $item -width] $x0 $y0 $x1 $y0 $x1 $y1 $x0 $y1 $x0 $y0
        }
    }
    proc Line {c item points} {
        set colour [Colour $c [$c itemcget $item -fill]]
        set width [$c itemcget $item -width]
        Put line $colour $width {*}$points
        if {[$c itemcget $item -arrow] in {last both}} {
            lassign [lrange $points end-3 end] x0 y0 x1 y1
            set length [expr {max(1e-3, hypot($x1 - $x0, $y1 - $y0))}]
            lassign [$c itemcget $item -arrowshape] back - beside
            foreach side {-1 1} {
                Put line $colour $width $x1 $y1 [expr {$x1 - $back * ($x1 - $x0) / $length + $side * $beside * ($y0 - $y1) / $length}] \
                    [expr {$y1 - $back * ($y1 - $y0) / $length + $side * $beside * ($x1 - $x0) / $length}]
            }
        }
    }
    proc Item {c item x y} {
        set font [$c itemcget $item -font]
        set text [$c itemcget $item -text]
        set anchor [$c itemcget $item -anchor]
        set width [font measure $font $text]
        set high [font metrics $font -linespace]
        if {$anchor in {e ne se}} {
            set x [expr {$x - $width}]
        } elseif {$anchor in {center n s}} {
            set x [expr {$x - $width / 2.0}]
        }
        set top [expr {[string match n* $anchor] ? $y : [string match s* $anchor] ? $y - $high : $y - $high / 2.0}]
        Words [Colour $c [$c itemcget $item -fill]] $font $x [Baseline $font $top $high] $text
    }
}
