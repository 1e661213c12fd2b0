# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# One file, row by row: scopes, line numbers, source, minimum-mean-maximum, heat cells, and the file in small.

oo::class create ::heatscope::DetailView {
    superclass ::heatscope::View
    variable Path Bus Run Nav Db App Selection Dirty
    variable Split Left Right Text Scopes Gutter Bars Heat Mini Warn Document File Top Height HeaderHeight Rows Filled Laid
    variable Xview Whole Listed SplitBy Waiting Folded Arrows Memory Marks Popup Chipped InCalls
    variable Origin Ranged Blanks Deep Shortened Head

    method Keys {} { return {} }
    method name {} { return detail }
    method title {} { return Source }
    method focusWidget {} { return $Heat }
    # Chips tell what versions of loops took.
    method needsLast {} { return 1 }

    method Build {body} {
        set File -1
        set Document {}
        set Top 1
        set Rows 1
        set Xview 0
        set Whole 0
        set Filled {}
        set Laid {}
        set Listed {}
        set SplitBy {}
        set Waiting 0
        set Folded 0
        set Chipped 0
        set InCalls ""
        set Origin ""
        set Ranged 0
        set Blanks 0
        set Deep 0
        set Shortened 0
        set Head {}
        set Memory [::heatscope::Memory new $Run]
        set Marks {arrows {} spans {} chips {}}
        set Height [my RowHeight]
        set HeaderHeight [expr {2 * [font metrics HsHead -linespace] + [::heatscope::theme dp 10]}]

        set Warn $body.warn
        ttk::frame $Warn -style Warn.TFrame -padding [list [::heatscope::theme dp 12] [::heatscope::theme dp 4]]
        ttk::label $Warn.words -style Warn.TLabel -wraplength 0
        pack $Warn.words -side left -fill x -expand 1
        bind $Warn <Configure> [namespace code {my WrapWarning %w}]

        set Split [ttk::panedwindow $body.split -orient horizontal]
        set Left [ttk::frame $Split.left -style Card.TFrame]
        set Right [ttk::frame $Split.right -style Card.TFrame]
        $Split add $Left -weight 1
        $Split add $Right -weight 0
        grid $Split -row 1 -sticky nswe
        grid columnconfigure $body 0 -weight 1
        grid rowconfigure $body 1 -weight 1

        set common [list -rowheight $Height -header $HeaderHeight -font HsHead -monofont HsMono -takefocus 1]
        set Scopes [my Widget scopes $Left.scopes {*}$common -barwidth [::heatscope::theme size scopeBar] -width [::heatscope::theme dp 46]]
        set Gutter [my Widget gutter $Left.gutter {*}$common]
        set Bars [my Widget linebars $Left.bars {*}$common -width [::heatscope::theme dp 156]]
        set Heat [my Widget heat $Right.heat {*}$common -monofont HsCell -mincell [::heatscope::theme size cellMin] -numbers 1]
        set Mini [my Widget minimap $Right.mini -width [::heatscope::theme size minimap] -font HsSmall]

        set source [ttk::frame $Left.source -style Card.TFrame]
        ttk::frame $source.head -style Card.TFrame -height $HeaderHeight
        ttk::label $source.head.above -class HeadAbove -style Card.Small.TLabel -text Source -font HsHead
        ttk::frame $source.head.rule -style Rule.TFrame -height 1
        place $source.head.rule -relx 0 -rely 1.0 -y -1 -relwidth 1
        place $source.head.above -relx 0 -rely 1.0 -x 0 -y [expr {-[::heatscope::theme dp 4]}] -anchor sw
        bind $source.head.above <Button-1> [namespace code {my ToHead}]
        set Text $source.text
        set above [expr {($Height - [font metrics HsMono -linespace]) / 2}]
        text $Text -font HsMono -wrap none -width 10 -height 4 -borderwidth 0 -highlightthickness 0 -relief flat \
            -padx 0 -pady 0 -spacing1 $above -spacing2 0 \
            -spacing3 [expr {$Height - [font metrics HsMono -linespace] - $above}] -insertwidth 0 -takefocus 0 \
            -cursor arrow -exportselection 0 -undo 0 -insertofftime 0
        bindtags $Text [list $Text [winfo toplevel $Text] all]
        pack $source.head -fill x
        pack $Text -fill both -expand 1

        set Popup [::heatscope::ScopePopup new $body.popup $Run]
        set Arrows [::heatscope::Arrows new $Left.arrows]
        bind $Left.arrows <Motion> [namespace code {my HoverArrow %x %y}]
        bind $Left.arrows <Leave> [namespace code {my Read {}}]
        bind $Left.arrows <Button-1> [namespace code {my OnArrow %x %y}]
        bind $Left.arrows <Configure> [namespace code {my DrawArrows}]
        bind $Left.arrows <Map> [namespace code {my DrawArrows}]
        bind $Text <Configure> +[namespace code {my OnTextSize %w}]
        foreach {button rows} {4 -3 5 3} {
            bind $Left.arrows <Button-$button> [namespace code [list my OnScroll [list rows $rows]]]
        }

        # the header's rule and the current line's band run on through the gaps between the widgets
        frame $Left.rule -height 1 -borderwidth 0 -highlightthickness 0
        frame $Left.band -height $Height -borderwidth 0 -highlightthickness 0
        place $Left.rule -x 0 -y [expr {$HeaderHeight - 1}] -relwidth 1
        lower $Left.band
        lower $Left.rule

        grid $Scopes -row 0 -column 0 -sticky ns -padx [list [::heatscope::theme dp 8] 0]
        grid $Gutter -row 0 -column 1 -sticky ns -padx [list [::heatscope::theme dp 6] 0]
        grid $source -row 0 -column 3 -sticky nswe -padx [list [::heatscope::theme dp 6] 0]
        grid $Bars -row 0 -column 4 -sticky ns -padx [list [::heatscope::theme dp 6] 0]
        grid columnconfigure $Left 3 -weight 1
        grid rowconfigure $Left 0 -weight 1
        grid $Heat -row 0 -column 0 -sticky nswe
        grid $Mini -row 0 -column 1 -sticky ns -padx [list [::heatscope::theme dp 7] [::heatscope::theme dp 7]] \
            -pady [list $HeaderHeight 0]
        grid columnconfigure $Right 0 -weight 1
        grid rowconfigure $Right 0 -weight 1

        foreach w [list $Scopes $Gutter $Bars $Heat] {
            bind $w <<HeatscopeScroll>> [namespace code {my OnScroll %d}]
            bind $w <<HeatscopeMove>> [namespace code {my OnMove %d}]
            bind $w <<HeatscopeOpen>> [namespace code {my OnOpen %d}]
        }
        bind $Heat <<HeatPick>> [namespace code {my OnHeat %d}]
        bind $Heat <<HeatRange>> [namespace code {my OnRange %d}]
        bind $Heat <<HeatscopeHover>> [namespace code {my HoverHeat %d}]
        bind $Bars <<BarPick>> [namespace code {my OnBar %d}]
        bind $Bars <<HeatscopeHover>> [namespace code {my HoverBar %d}]
        bind $Gutter <<GutterPick>> [namespace code {my OnGutter %d}]
        bind $Gutter <<HeatscopeHover>> [namespace code {my HoverGutter %d}]
        bind $Scopes <<ScopePick>> [namespace code {my OnScope %d}]
        bind $Scopes <<HeatscopeHover>> [namespace code {my HoverScope %d}]
        bind $Mini <<MinimapPick>> [namespace code {my OnMini %d}]
        bind $Mini <<HeatscopeHover>> [namespace code {my HoverMini %d}]
        bind $Mini <<HeatscopeScroll>> [namespace code {my OnScroll %d}]
        bind $Text <Button-1> [namespace code {my OnText %x %y}]
        bind $Text <Double-1> [namespace code {my OnWord %x %y}]
        bind $Text <Motion> [namespace code {my HoverText %x %y}]
        bind $Text <Leave> [namespace code {my Read {}}]
        foreach {button rows} {4 -3 5 3} {
            bind $Text <Button-$button> [namespace code [list my OnScroll [list rows $rows]]]
            bind $Text <Shift-Button-$button> [namespace code [list my Sideways $rows]]
        }
        foreach {button rows} {6 -3 7 3} {
            bind $Text <$button> [namespace code [list my Sideways $rows]]
        }
        bind $Text <MouseWheel> [namespace code {my OnScroll [list rows [expr {-%D / 40}]]}]
        bind $Heat <Configure> +[namespace code {my OnSize}]
        bind $Split <Configure> +[namespace code {my Place}]
        bind $Split <B1-Motion> +[namespace code {my Moved}]
    }

    method themed {} {
        set t ::heatscope::theme
        $Text configure -background [$t colour card] -foreground [$t colour text] -selectbackground [$t colour selection] \
            -inactiveselectbackground [$t colour selection]
        foreach kind {keyword number string type function macro variable member constant} {
            $Text tag configure $kind -foreground [$t colour $kind]
        }
        $Text tag configure comment -foreground [$t colour comment] -font HsMonoI
        $Text tag configure directive -foreground [$t colour directive]
        $Text tag configure standin -foreground [$t colour muted] -font HsMonoI
        $Text tag configure message -foreground [$t colour warn] -font HsUI
        $Text tag configure chip -font HsSmall -background [$t colour chip] -foreground [$t colour chipText]
        $Text tag configure chipbad -font HsSmall -background [$t colour chipBad] -foreground [$t colour chipBadText]
        $Text tag configure hit -background [$t colour hit]
        $Text tag configure cut -elide 1
        $Text tag configure indent -elide 1
        $Text tag configure more -foreground [$t colour accent] -font HsMonoB
        $Text tag configure current -background [$t colour current]
        $Arrows themed
        foreach {tag colour} {refread refRead refwrite refWrite refdepend refRead refmessage refWrite} {
            $Text tag configure $tag -background [$t colour $colour] -underline [expr {$tag in {refwrite refdepend refmessage}}]
            $Text tag raise $tag current
        }
        $Left.rule configure -background [$t colour rule]
        $Left.band configure -background [$t colour current]
        $Text tag raise chip
        $Text tag raise chipbad
        set palette [::heatscope::palette]
        foreach {tag colour} {chipread refRead chipwrite refWrite} {
            $Text tag configure $tag -font HsSmall -background [$t colour $colour] -foreground [$t colour text]
            $Text tag raise $tag
        }
        foreach {tag colour} [list chipless [dict get $palette cat0] chipmore [dict get $palette cat1]] {
            $Text tag configure $tag -font HsSmall -background $colour -foreground #ffffff
            $Text tag raise $tag
        }
        $Text tag raise hit
        set Filled {}
    }
    # What is in sight stays, wherever the selected line is.
    method recoloured {} {
        dict set Dirty theme 1
        my OnMap
    }

    # ---- showing ----

    method OnSelection {selection changed origin} {
        set Origin $origin
        next $selection $changed $origin
    }
    method Show {changed} {
        set s $Selection
        set file [dict get $s file]
        if {$changed eq "range" && $file == $File && [dict get $s range] eq [my InSight]} {
            return
        }
        set values [my Any $changed metric axis bin scale colours normalise processors sort show group lines]
        if {$file != $File} {
            my Open $file
            set values 1
        }
        set range [dict get $s range]
        set line [dict get $s line]
        if {$Document ne "" && [$Document count] > 0} {
            set Ranged [expr {[my Any $changed range] && $range ne "" && [lindex $range 0] != $Top}]
            if {$Ranged} {
                set Top [my Clamp [lindex $range 0]]
            }
            if {[my Any $changed line file procedure scope] && $line > 0} {
                my Reveal $line
            }
        }
        if {$values} {
            set common [my Common]
            set reduce [dict get $s bin]
            # code without lines has no rows to draw
            set drawn [expr {$Document ne "" && [$Document state] ne "nolines" ? $File : -1}]
            set lines [list {*}$common -table [my LineTable]]
            $Heat configure {*}$lines {*}[my Against] -file $drawn -reduce $reduce -columns [my Processors] -sort [dict get $s sort] \
                -colours [dict get $s colours] -scaling [dict get $s scale] -normalise [dict get $s normalise]
            $Bars configure {*}$lines -file $drawn -normalise file
            $Gutter configure {*}$lines -file $drawn -normalise program
            $Scopes configure {*}$common {*}[my Against] -file $drawn
            $Mini configure {*}$lines {*}[my Against] -file $drawn -lines [my Lines] -reduce $reduce -colours [dict get $s colours] \
                -scaling [dict get $s scale]
            my Place
        }
        if {$values || [my Any $changed scope category]} {
            set InCalls [$Nav inCalls]
        }
        if {$values || [my Any $changed scope]} {
            $Scopes configure -scope [dict get $s scope]
        }
        if {[my Any $changed search]} {
            set Filled {}
            $Mini configure -hits [my HitLines]
        }
        if {[my Any $changed file scope line]} {
            my Mark
            $Popup close
        }
        $Heat configure -cursorcolumn [dict get $s column] -range [dict get $s processors]
        # before there is a size there is nothing to draw: it comes with the first one
        if {!$Waiting} {
            my Draw
        }
    }

    # Dependences, references and messages of the selected place.
    method Mark {} {
        set marks {arrows {} spans {} chips {}}
        if {$Document ne "" && [$Document state] eq "text" && [dict get $Selection line] > 0} {
            set marks [$Memory marks $Document [dict get $Selection scope] [dict get $Selection line]]
        }
        if {$marks eq $Marks} {
            return
        }
        set Marks $marks
        set Filled {}
        my FitArrows
    }
    # Arrows have what the text leaves of the room.
    method FitArrows {} {
        set path [$Arrows path]
        set room [expr {[winfo width $Text] + ([winfo ismapped $path] ? [winfo width $path] : 0)}]
        set width [$Arrows needs [dict get $Marks arrows] $room]
        if {$width} {
            $path configure -width $width
            grid $path -row 0 -column 2 -sticky ns
        } else {
            grid remove $path
        }
    }
    # Chips are cut to the room beside the text.
    method OnTextSize {width} {
        if {$Document ne "" && [lindex $Filled end] ne $width} {
            after idle [namespace code {my Refit}]
        }
    }
    method Refit {} {
        if {[winfo exists $Text] && [winfo ismapped $Text]} {
            my FitArrows
            my Fill
            my Heads
        }
    }
    method DrawArrows {} {
        if {[winfo ismapped [$Arrows path]]} {
            $Arrows draw $Top $Height $HeaderHeight $Rows [dict get $Selection line]
        }
    }
    method HoverArrow {x y} {
        set arrow [$Arrows at $x $y]
        my Read [expr {$arrow eq "" ? "" : [dict get $arrow words]}]
    }
    # A click goes to the sink; on an arrow that leads to the selected line, to the source.
    method OnArrow {x y} {
        set arrow [$Arrows at $x $y]
        if {$arrow ne ""} {
            set line [dict get $arrow [expr {[dict get $arrow to] == [dict get $Selection line] ? "from" : "to"}]]
            set scope [dict get $Selection scope]
            $Nav line detail $File $line
            # the loop stays the selected one
            $Bus adjust detail scope $scope
        }
    }

    method Lines {} {
        return [expr {$Document eq "" ? 0 : [$Document count]}]
    }
    method HitLines {} {
        set lines {}
        foreach {file line} [$App hitLines] {
            if {$file == $File && $line > 0} {
                lappend lines $line
            }
        }
        return $lines
    }

    method Open {file} {
        set File $file
        set Top 1
        set Filled {}
        set Xview 0
        set Whole 0
        set Document [expr {$file >= 0 ? [$Run document $file] : ""}]
        set Listed {}
        my AskWords
        if {$Document eq ""} {
            ::heatscope::theme say $Path.head.title Source
            grid remove $Warn
            return
        }
        ::heatscope::theme say $Path.head.title [$Document name]
        if {[$Document message] ne "" && [$Document state] ne "nolines"} {
            ::heatscope::theme say $Warn.words [$Document message]
            grid $Warn -row 0 -sticky we
        } else {
            grid remove $Warn
        }
        if {[$Document state] eq "nolines"} {
            set Listed [my Unlined]
        }
        set drawn [expr {[$Document state] ne "nolines" ? $file : -1}]
        $Gutter configure -file $drawn
        $Scopes configure -file $drawn
        $Gutter configure -width [expr {max([$Gutter needwidth], [::heatscope::theme dp 34])}]
        $Scopes configure -width [my ScopeWidth $Folded]
    }

    # What stands above the source has the width between its edges.
    method WrapWarning {width} {
        $Warn.words configure -wraplength [expr {max(80, $width - 2 * [::heatscope::theme dp 12] - 2)}]
    }

    # Procedures of a file without lines, by time: what is known of it.
    method Unlined {} {
        set listed {}
        set rows {}
        set module [dict get [$Document facts] module]
        foreach row [$Run ranking procedure [dict get $Selection metric] [dict get $Selection axis]] {
            if {[dict get $row file] == $File || ([dict get $row module] == $module && [dict get $row line_begin] == 0)} {
                lappend listed [list [dict get $row row] [$Run scopeName [dict get $row row]] \
                    [dict get $row share] [dict get $row sum]]
            }
        }
        return $listed
    }

    method Visible {} {
        return [expr {max(1, ([winfo height $Heat] - $HeaderHeight) / $Height)}]
    }
    method Clamp {top} {
        set n [my Lines]
        # a few empty rows may stand below the last line
        return [expr {max(1, min($top, $n - [my Visible] + 3))}]
    }
    method Reveal {line} {
        # before there is a window there are no rows: the first size decides
        if {[winfo height $Heat] < 3 * $Height + $HeaderHeight} {
            set Waiting 1
            return
        }
        set rows [my Visible]
        if {$Waiting} {
            set Waiting 0
            set Top -1000000
        }
        set context [expr {min([::heatscope::settings get contextLines], $rows / 4)}]
        set top [my HottestTop $line $rows $context]
        if {$top} {
            set Top [my Clamp $top]
        } elseif {$line < $Top || $line >= $Top + $rows} {
            # a jump: the procedure's head on top when it fits, else the line in the upper third
            set top [expr {$line - $rows / 3}]
            set procedure [dict get $Selection procedure]
            if {$procedure >= 0} {
                set facts [$Db scope $procedure]
                set begin [dict get $facts line_begin]
                if {[dict get $facts file] == $File && $begin > 0 && $begin <= $line && $line - $begin + $context + 1 < $rows} {
                    set top [expr {$begin - 1}]
                }
            }
            set Top [my Clamp $top]
        } elseif {$line < $Top + $context} {
            set Top [my Clamp [expr {$line - $context}]]
        } elseif {$line >= $Top + $rows - $context} {
            set Top [my Clamp [expr {$line - $rows + 1 + $context}]]
        }
    }

    method Draw {} {
        set n [my Lines]
        set Rows [my Visible]
        set line [expr {$Document eq "" ? 0 : [dict get $Selection line]}]
        # code without lines: a file of one line, seen from below it, looks empty
        set rows [expr {$n > 0 ? [list -top $Top -line $line -lines $n] : {-top 2 -line 0 -lines 1}}]
        foreach w [list $Heat $Bars $Gutter $Scopes] {
            $w configure {*}$rows
        }
        $Mini configure -view [my InSight] -line [expr {$n > 0 ? $line : 0}]
        $Bus adjust detail range [my InSight]
        my Fill
        my Heads
        my DrawArrows
    }

    # {first last} line that is drawn; {} without any.
    method InSight {} {
        set n [my Lines]
        return [expr {$n > 0 ? [list $Top [expr {min($n, $Top + $Rows - 1)}]] : {}}]
    }

    method Heads {} {
        set s $Selection
        set parts {}
        if {[dict get $s procedure] >= 0 && $Document ne ""} {
            lappend parts [$Run scopeName [dict get $s procedure]]
        }
        if {[my InSight] ne ""} {
            lappend parts [::heatscope::fmt span {*}[my InSight]]
        }
        lassign [$Run words [dict get $s axis]] one many
        set per [expr {max(1, [$Heat perbin])}]
        if {$per > 1} {
            lappend parts "$per $many per cell"
        }
        if {$InCalls ne ""} {
            lappend parts "loop: [::heatscope::fmt percent $InCalls 1 0] in calls (w)"
        }
        if {$Blanks} {
            lappend parts "$Blanks blanks left out"
        }
        if {$Shortened} {
            lappend parts "deep indents shortened"
        }
        my subtitle [join $parts "  \u00b7  "]
        my SayHead
        set metric [dict get [$Db metric [dict get $s metric]] name]
        set calls [expr {[my LineTable] eq "line_incl" ? " with calls" : ""}]
        set title "[$Run cells [dict get $s metric]] per line$calls[expr {$calls ne "" ? "," : ""}] and $one"
        if {$per > 1} {
            set title "[$Run cells [dict get $s metric]] per line$calls, [dict get $s bin] over $per $many"
        }
        if {[my Comparing]} {
            set title [dict get {difference "Other run less this one" ratio "Other run over this one"} [dict get $s show]]
        }
        set short [$Run cells [dict get $s metric]]
        # of what was timed at last the unit alone: the metric's box has the rest
        set shorter [list [expr {$calls ne "" ? "$short$calls" : "$short per $one"}] $short {*}[regexp -inline {\min \S+$} $short]]
        if {[my Comparing]} {
            # the plain name of the metric would be that of this run's values
            set shorter [dict get [list difference [list "Other \u2212 this" Change] ratio {"Other / this" Ratio}] [dict get $s show]]
        }
        foreach words [list $title {*}$shorter] {
            set title $words
            if {[::heatscope::theme width HsUI $title] <= [winfo width $Heat] - 4} {
                break
            }
        }
        $Heat configure -title $title
        set alone [expr {[$Run columns [dict get $s axis]] == 1}]
        set over [expr {$alone ? [$Run cells [dict get $s metric]] : "min, mean, max"}]
        if {!$alone && [::heatscope::theme width HsHead $over] > [$Bars cget -width] - 2 * [::heatscope::theme dp 8]} {
            set over "min\u2013max"
        }
        set room [expr {[$Bars cget -width] - [::heatscope::theme width HsHead $over] - [::heatscope::theme dp 22]}]
        $Bars configure -title $over -who [expr {!$alone && [::heatscope::theme width HsHead $one] <= $room ? $one : " "}]
    }

    # ---- what users do ----

    method OnScroll {event} {
        if {[my Lines] == 0} {
            return
        }
        set top [my Clamp [expr {$Top + [dict get $event rows]}]]
        if {$top != $Top} {
            set Top $top
            my Draw
        }
    }
    # Page up and down: the window moves, the cursor with it.
    method page {step} {
        set n [my Lines]
        if {$n > 0} {
            set by [expr {$step * max(1, [my Visible] - 2)}]
            set line [expr {min($n, max(1, [dict get $Selection line] + $by))}]
            set Top [my Clamp [expr {$Top + $by}]]
            $Nav line detail $File $line -2 range [list $Top [expr {min($n, $Top + [my Visible] - 1)}]]
        }
    }
    # Cells are bins of processors: one step is one cell.
    method cell {step} {
        set bins [$Heat bins]
        if {![llength $bins]} {
            return
        }
        set column [dict get $Selection column]
        set at [expr {$column < 0 ? ($step > 0 ? -1 : [llength $bins]) : [$Heat binof $column]}]
        set at [expr {min([llength $bins] - 1, max(0, $at + $step))}]
        set bin [lindex $bins $at]
        set best [dict get $bin first]
        # the processor that makes the bin's value, where there is one
        set value [$Heat value [dict get $Selection line] $at]
        if {$value ne "" && $value > 0 && [dict get $bin columns] > 1} {
            set hit [my HitOf [dict get $Selection line] $at]
            if {[dict exists $hit column] && [dict get $hit column] >= 0} {
                set best [dict get $hit column]
            }
        }
        $Nav column detail $best
    }
    method HitOf {line bin} {
        set box [$Heat bbox $line]
        if {[llength $box] != 4} {
            return {}
        }
        lassign $box x y w h
        set n [llength [$Heat bins]]
        return [$Heat hit [expr {int($x + ($bin + 0.5) * $w / $n)}] [expr {$y + $h / 2}]]
    }
    method OnMove {event} {
        set rows [dict get $event rows]
        if {[dict get $event page]} {
            my page $rows
        } elseif {abs($rows) > 1000000} {
            $Nav edge detail [expr {$rows < 0 ? "first" : "last"}]
        } elseif {$rows != 0} {
            $Nav move detail $rows 0
        } elseif {[dict get $event columns] != 0} {
            my cell [dict get $event columns]
        }
    }
    method OnOpen {event} {
        $Nav enter detail
    }
    method OnHeat {hit} {
        if {[dict exists $hit part] && [dict get $hit part] eq "header"} {
            $Nav column detail [dict get $hit first]
        } elseif {[dict exists $hit line] && [dict get $hit line] >= 1 && [dict get $hit line] <= [my Lines]} {
            set column [dict get $hit column]
            $Nav line detail $File [dict get $hit line] [expr {$column >= 0 ? $column : [dict get $hit first]}]
        }
    }
    method OnRange {drag} {
        $Nav processors detail [list [dict get $drag first] [dict get $drag last]]
    }
    method OnBar {hit} {
        if {![dict exists $hit line] || [dict get $hit line] < 1} {
            return
        }
        set column -2
        if {[dict get $hit row] >= 0 && [dict get $hit part] in {max processor}} {
            set column [dict get $hit max_column]
        }
        $Nav line detail $File [dict get $hit line] $column
    }
    method OnGutter {hit} {
        if {[dict exists $hit line] && [dict get $hit line] >= 1 && [dict get $hit line] <= [my Lines]} {
            $Nav line detail $File [dict get $hit line]
        }
    }
    method OnScope {hit} {
        if {[dict exists $hit scope] && [dict get $hit scope] >= 0} {
            set body [winfo parent $Split]
            $Nav scope detail [dict get $hit scope]
            # the step to the scope closes what was open before
            $Bus flush
            $Popup show [dict get $hit part] [dict get $hit scope] [my Common] [my Processors] [dict get $Selection sort] \
                [expr {[winfo rootx $Scopes] - [winfo rootx $body] + [winfo width $Scopes] + [::heatscope::theme dp 8]}] \
                [expr {min(max(0, [winfo pointery $body] - [winfo rooty $body]), [winfo height $body] / 2)}]
        }
    }
    # Closes the pop-up; true if there was one.
    method closePopup {} {
        set was [$Popup shown]
        $Popup close
        return $was
    }
    method OnMini {hit} {
        set line [dict get $hit line]
        set Top [my Clamp [expr {$line - [my Visible] / 2}]]
        my Draw
    }
    method LineAt {y} {
        return [expr {$Top + $y / $Height}]
    }
    method ScopeTag {x y} {
        foreach tag [$Text tag names @$x,$y] {
            if {[string match scope* $tag]} {
                return [string range $tag 5 end]
            }
        }
        return ""
    }
    method OnText {x y} {
        focus [winfo toplevel $Text]
        if {$Document eq ""} {
            return
        }
        set scope [my ScopeTag $x $y]
        if {$scope ne ""} {
            $Nav scope detail $scope
            # what the compiler did, and why, in full
            if {[regexp {\mchip} [$Text tag names @$x,$y]]} {
                $App front compiler
            }
            return
        }
        set line [my LineAt $y]
        if {$line <= [my Lines]} {
            $Nav line detail $File $line
        }
    }
    # A double click on a name goes to the procedure of that name.
    method OnWord {x y} {
        set index [$Text index @$x,$y]
        set line [$Text get "$index linestart" "$index lineend"]
        set at [lindex [split $index .] 1]
        if {![regexp {\w} [string index $line $at]]} {
            return
        }
        set word [string range $line [string wordstart $line $at] [string wordend $line $at]-1]
        foreach hit [$Db find $word -kinds procedure -n 50] {
            set name [lindex [split [dict get $hit name] (] 0]
            if {[string equal -nocase $name $word] || [string match -nocase *::$word $name]
                || [string equal -nocase $name ${word}_]} {
                $Nav toHit detail $hit
                return
            }
        }
    }
    method top {} { return $Top }
    method rowGeometry {} { return [list $Height $HeaderHeight] }
    # The lines in view that have code.
    method table {} {
        set axis [dict get $Selection axis]
        # the processors of each cell
        set cells [lmap bin [$Heat bins] {
            set first [$Run columnLabel $axis [dict get $bin first]]
            expr {[dict get $bin columns] == 1 ? $first : "$first..[$Run columnLabel $axis [dict get $bin last]]"}
        }]
        set rows [list [list line sum min mean max stddev {*}$cells text]]
        if {$Document eq "" || $File < 0} {
            return $rows
        }
        # all lines of the file that have code
        set facts [$Db file $File]
        set row [dict get $facts first_line_row]
        set end [expr {$row + [dict get $facts line_rows]}]
        while {$row < $end} {
            set n [expr {min($end - $row, 256)}]
            foreach s [$Db stats -table [my LineTable] -rows [list $row $n] {*}[my Common]] values [$Heat values $row $n] {
                set line [dict get [$Db line $row] line]
                incr row
                if {$line > 0} {
                    lappend rows [list $line {*}[lmap key {sum min mean max stddev} {dict get $s $key}] {*}$values [my RowText $line]]
                }
            }
        }
        return $rows
    }
    method RowText {line} {
        return [expr {[$Document state] eq "text" ? [string trimright [$Document line $line]] : [$Document standIn $line]}]
    }
    method describe {} {
        set out "[$Path.head.title cget -text]  [my fullSubtitle]\n"
        if {[winfo ismapped $Warn]} {
            append out "warning: [$Warn.words cget -text]\n"
        }
        if {[llength $Head]} {
            append out "above: [lindex $Head 0] [lindex $Head 1]\n"
        }
        append out [$Text get 1.0 end]
        append out [$Popup describe]
        foreach arrow [dict get $Marks arrows] {
            append out "arrow: [dict get $arrow words]\n"
        }
        dict for {line spans} [dict get $Marks spans] {
            foreach span $spans {
                append out "mark: line $line, columns [lindex $span 0]\u2013[lindex $span 1]: [lindex $span 3]\n"
            }
        }
        append out [$Scopes describe] [$Heat describe]
        return $out
    }
}
