# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What stands out, each with its figure and interval; a click leads to its place in all views.

oo::class create ::heatscope::FindingsView {
    superclass ::heatscope::View
    variable Path Bus Run Nav Db App Selection Dirty Text Found At Metric

    method name {} { return findings }
    method title {} { return Findings }
    method focusWidget {} { return $Text }

    method Build {body} {
        set Found {}
        set At -1
        set Metric {}
        set Text $body.list
        text $Text -font HsUI -wrap word -width 10 -height 10 -borderwidth 0 -highlightthickness 0 -relief flat -cursor arrow \
            -padx [::heatscope::theme size pad] -pady [::heatscope::theme dp 4] -insertwidth 0 -exportselection 0 -undo 0 \
            -yscrollcommand [list $body.scroll set] -state disabled -takefocus 1 -insertofftime 0 \
            -spacing2 [::heatscope::theme dp 1]
        ttk::scrollbar $body.scroll -style Slim.Vertical.TScrollbar -orient vertical -command [list $Text yview]
        grid $Text $body.scroll -sticky nswe
        grid columnconfigure $body 0 -weight 1
        grid rowconfigure $body 0 -weight 1
        # a list, not a text to select in
        bindtags $Text [list $Text [winfo toplevel $Text] all]
        bind $Text <Button-1> "focus %W; [namespace code {my PickAt %x %y}]"
        bind $Text <Motion> [namespace code {my Hover %x %y}]
        bind $Text <Leave> [namespace code {my Read ""}]
        bind $Text <Button-4> {%W yview scroll -2 units}
        bind $Text <Button-5> {%W yview scroll 2 units}
        bind $Text <MouseWheel> {%W yview scroll [expr {-(%D) / 60}] units}
        foreach {key step} {Up -1 Down 1} {
            my PaneKey $Text $key [namespace code [list my Step $step]]
        }
        bind $Text <Return> "[namespace code {my go}]; break"
        bind $Text <Configure> +[namespace code {my Stops}]
        bind $Text <FocusIn> +[namespace code {my Mark}]
        bind $Text <FocusOut> +[namespace code {my Mark}]
    }
    method Stops {} {
        set room [expr {[winfo width $Text] - 2 * [::heatscope::theme size pad] - [::heatscope::theme dp 2]}]
        if {$room > 50} {
            $Text tag configure head -tabs [list $room right]
        }
    }
    method themed {} {
        set t ::heatscope::theme
        $Text configure -background [$t colour card] -foreground [$t colour text]
        $Text tag configure head -font HsUIb -spacing1 [$t dp 9]
        $Text tag configure care -foreground [$t colour warn]
        $Text tag configure figure -font HsUIb
        $Text tag configure interval -font HsSmall -foreground [$t colour muted]
        $Text tag configure place -font HsSmall -foreground [$t colour accent] -spacing1 [$t dp 1]
        $Text tag configure words -foreground [$t colour muted] -spacing1 [$t dp 1] -lmargin1 0
        my Mark
    }

    method forget {} {
        set Metric {}
    }
    # They need the sums of all scopes: the window is drawn first.
    method Show {changed} {
        set metric [dict get $Selection metric]
        if {$Metric eq $metric} {
            return
        }
        if {"read" in $changed || [$Run hasFindings $metric]} {
            my Fill
            return
        }
        set Found {}
        set At -1
        $Text configure -state normal
        $Text delete 1.0 end
        $Text insert end "Looking for what stands out\u2026" words
        $Text configure -state disabled
        my subtitle ""
        $App later [self] lookOn
    }
    # A little at a time, while the window works.
    method lookOn {} {
        if {![winfo ismapped $Path]} {
            dict set Dirty look 1
            return
        }
        try {
            if {[$Run lookFor [dict get $Selection metric] 15] < 1} {
                $App later [self] lookOn
                return
            }
        } trap {HEATSCOPE DB} {} {
            # it is asked for again, and said
        }
        dict set Dirty read 1
        my Refresh
    }
    method Fill {} {
        set metric [dict get $Selection metric]
        set short [$Run unfinished]
        set Found [concat [[$App comparison] findings $metric] [$Run findings $metric]]
        set Metric $metric
        set At -1
        $Text configure -state normal
        $Text delete 1.0 end
        if {[dict get $Selection interval] ne ""} {
            $Text insert end [expr {[dict get [$Db times] slices]
                ? "Waiting, messages and arrays are those of the interval by slices of some 100 ms.\n"
                : "What samples tell is of the interval; waiting and messages are known of the whole run only.\n"}] words
        }
        if {$short ne ""} {
            $Text insert end "Cut short\n" {head care} $short\n words
        }
        set n 0
        foreach f $Found {
            set tags [list f$n]
            set care [expr {[dict get $f title] eq "Care" ? "care" : ""}]
            $Text insert end [dict get $f title] [list {*}$tags head {*}$care]
            if {[dict get $f share] ne ""} {
                $Text insert end \t [list {*}$tags head]
                $Text insert end [::heatscope::fmt percent [dict get $f share] 1] [list {*}$tags head figure]
                $Text insert end [my Interval $f] [list {*}$tags head interval]
            }
            $Text insert end \n [list {*}$tags head]
            set where [$Run findingPlace $f]
            if {$where ne ""} {
                $Text insert end $where\n [list {*}$tags place]
            }
            my Say "[::heatscope::fmt together [::heatscope::FindingsView::words $f]]\n" [list {*}$tags words]
            incr n
        }
        if {!$n} {
            $Text insert end [my Nothing] words
        }
        $Text configure -state disabled
        my Stops
        my subtitle [expr {$n ? "what stands out, 95 % intervals" : ""}]
        my Mark
    }
    # Long paths break at their joints: beside an image of no width Tk may.
    method Say {text tags} {
        set pieces [lassign [::heatscope::fmt joints $text] first]
        $Text insert end $first $tags
        foreach piece $pieces {
            set image [$Text image create end -image [::heatscope::FindingsView::joint]]
            foreach tag $tags {
                $Text tag add $tag $image
            }
            $Text insert end $piece $tags
        }
    }
    # Why there is nothing to find.
    method Nothing {} {
        if {[$Run total [dict get $Selection metric]] > 0} {
            return "Nothing stands out."
        }
        if {[dict get $Selection interval] ne "" || [dict get $Selection category] >= 0} {
            return "No samples in what is chosen."
        }
        return "No samples: the run was shorter than the time between two of them. Run the program longer, or sample more often ('heatscope run -F')."
    }
    # "  38.5–41.2"; of what was timed there is none
    method Interval {f} {
        if {[$Run exact [dict get $Selection metric]] && [dict get $f low] == [dict get $f high]} {
            return ""
        }
        return [format "  %.1f\u2013%.1f" [expr {100 * [dict get $f low]}] [expr {100 * [dict get $f high]}]]
    }
    method Mark {} {
        set t ::heatscope::theme
        for {set n 0} {$n < [llength $Found]} {incr n} {
            $Text tag configure f$n -background [expr {$n == $At ? [$t colour selection] : ""}]
        }
    }
    method IndexAt {x y} {
        foreach tag [$Text tag names @$x,$y] {
            if {[regexp {^f(\d+)$} $tag -> n]} {
                return $n
            }
        }
        return -1
    }
    method Hover {x y} {
        set n [my IndexAt $x $y]
        $Text configure -cursor [expr {$n >= 0 && [$Run findingPlace [lindex $Found $n]] ne "" ? "hand2" : "arrow"}]
        my Read [expr {$n >= 0 ? [dict get [lindex $Found $n] text] : ""}]
    }
    method PickAt {x y} {
        set n [my IndexAt $x $y]
        if {$n >= 0} {
            my go $n
        }
    }
    method Step {step} {
        if {[llength $Found]} {
            set At [expr {max(0, min([llength $Found] - 1, $At + $step))}]
            my Mark
            my See $At
        }
    }
    # All of it in sight, or at least its head.
    method See {n} {
        $Text see "f$n.last - 1 char"
        $Text see f$n.first
    }
    # To the place of a finding, the N-th or the marked one, with the pane that tells more of it in front.
    method count {} {
        llength $Found
    }
    method go {{n {}}} {
        if {$n eq ""} {
            set n $At
        }
        if {$n < 0 || $n >= [llength $Found]} {
            return
        }
        set At $n
        my Mark
        my See $n
        $Nav finding findings [lindex $Found $n]
        set title [dict get [lindex $Found $n] title]
        if {[dict exists [::heatscope::settings get explains] $title]} {
            $App front [dict get [::heatscope::settings get explains] $title]
        }
    }
    # All findings, also those that are scrolled out of sight.
    method DrawnItems {} {
        set t ::heatscope::theme
        set list {}
        if {[$Run unfinished] ne ""} {
            lappend list [list [$t dp 9] warn HsUIb "Cut short"] [list 0 muted HsUI [$Run unfinished]]
        }
        foreach f $Found {
            set head [list [$t dp 9] [expr {[dict get $f title] eq "Care" ? "warn" : "text"}] HsUIb [dict get $f title]]
            if {[dict get $f share] ne ""} {
                lappend head text HsUIb [::heatscope::fmt percent [dict get $f share] 1] muted HsSmall [my Interval $f]
            }
            lappend list $head
            set where [$Run findingPlace $f]
            if {$where ne ""} {
                lappend list [list [$t dp 1] accent HsSmall $where]
            }
            lappend list [list [$t dp 1] muted HsUI [::heatscope::fmt together [::heatscope::FindingsView::words $f]]]
        }
        if {![llength $Found]} {
            lappend list [list [$t dp 9] muted HsUI [my Nothing]]
        }
        return [::heatscope::drawn::paragraphs [expr {max([$t dp 300], [winfo width $Path])}] {*}[my DrawnHead] $list]
    }
    method table {} {
        set rows [list {title share low high place text}]
        foreach f $Found {
            lappend rows [list [dict get $f title] [dict get $f share] [dict get $f low] [dict get $f high] [$Run findingPlace $f] \
                [::heatscope::FindingsView::words $f]]
        }
        return $rows
    }
    method describe {} {
        set out "Findings\n"
        if {[$Run unfinished] ne ""} {
            append out "Cut short: [$Run unfinished]\n"
        }
        set n 0
        foreach f $Found {
            append out "[incr n]. [dict get $f title]"
            if {[dict get $f share] ne ""} {
                append out " [::heatscope::fmt percent [dict get $f share] 1][my Interval $f]"
            }
            set where [$Run findingPlace $f]
            if {$where ne ""} {
                append out " at $where"
            }
            append out ": [::heatscope::FindingsView::words $f]\n"
        }
        if {!$n} {
            append out "[my Nothing]\n"
        }
        return $out
    }
}
namespace eval ::heatscope::FindingsView {
    # Where a line may break. A bitmap of nothing: photos free colours that they have not, on a server that is told of these.
    proc joint {} {
        if {[::info commands ::heatscope::joint] eq ""} {
            image create bitmap ::heatscope::joint -data "#define joint_width 1\n#define joint_height 1\nstatic unsigned char joint_bits\[\] = {\n0x00};" -background ""
        }
        return ::heatscope::joint
    }
    # The sentences without the title that stands above them.
    proc words {f} {
        set text [::heatscope::fmt plain [dict get $f text]]
        set title "[dict get $f title]: "
        if {[string first $title $text] == 0} {
            # as it stands: it may begin with a name
            set text [string range $text [string length $title] end]
        }
        # cares begin with a number, or a verb
        return [expr {[dict get $f title] eq "Care" ? [string toupper $text 0 0] : $text}]
    }
}
