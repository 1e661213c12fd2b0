# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Where the views stand: three columns of two places each; the views of a place share it by tabs. settings.tcl says which
# view belongs where. A view is made when it is first shown.

oo::class create ::heatscope::Panes {
    variable Main Context Views Places Raised Hidden Maximised Saved Sashes Open Moved Unfilled Fitted Narrowed Given Asked

    # path: the window to make; context: what views are made with
    constructor {path context} {
        set Main $path
        set Context $context
        set Views {}
        set Places {}
        set Raised {}
        set Hidden {}
        set Maximised {}
        set Saved {}
        set Sashes {}
        set Open 0
        set Unfilled {}
        set Moved {}
        set Fitted 0
        set Narrowed {}
        set Given {}
        set Asked 0
        foreach {name spec} [::heatscope::settings get panes] {
            lassign $spec class place
            if {![::heatscope::known $class]} {
                continue
            }
            dict lappend Places $place $name
            if {![dict exists $Raised $place]} {
                dict set Raised $place $name
            }
        }
        ttk::panedwindow $Main -orient horizontal
        foreach side {left middle right} {
            ttk::panedwindow $Main.$side -orient vertical
            foreach part {top bottom} {
                ttk::frame $Main.$side.$part -style Card.TFrame
                grid columnconfigure $Main.$side.$part 0 -weight 1
                grid rowconfigure $Main.$side.$part 0 -weight 1
            }
            bind $Main.$side <Configure> +[namespace code [list my Arrange $side]]
            bind $Main.$side <B1-Motion> +[namespace code [list my OnSash $side]]
            bind $Main.$side <Map> +[list after idle [namespace code [list my Arrange $side]]]
        }
        $Main.left configure -width [::heatscope::theme size leftWidth]
        $Main.right configure -width [::heatscope::theme size rightWidth]
        bind $Main <Configure> +[namespace code {my Narrow}]
        bind $Main <ButtonRelease-1> +[namespace code {my RememberColumns}]
        # a small screen has no room below the source
        if {[dict exists $Places middle.bottom] && [winfo screenheight .] < 600} {
            lappend Hidden middle.bottom
        }
        # nor beside it
        set width [winfo screenwidth .]
        if {[dict exists $context width]} {
            set width [expr {min($width, [dict get $context width])}]
        }
        if {$width < [::heatscope::theme size leftFrom]} {
            my HideColumn left
        }
        my Layout
    }
    # The places of a column that there is no room for; those that a user has hidden are not ours to show again.
    method HideColumn {side} {
        foreach place [list $side.top $side.bottom] {
            if {[dict exists $Places $place] && $place ni $Hidden} {
                lappend Hidden $place
                lappend Narrowed $place
            }
        }
    }
    # The window has become narrow, or wide again; a user who has asked for the left column in a narrow window keeps it.
    method FitLeft {} {
        if {![winfo exists $Main] || $Maximised ne "" || [winfo width [winfo toplevel $Main]] < 200} {
            return
        }
        set before $Hidden
        if {[winfo width [winfo toplevel $Main]] >= [::heatscope::theme size leftFrom]} {
            set Hidden [lmap place $Hidden {if {$place in $Narrowed} continue; set place}]
            set Narrowed {}
        } elseif {!$Asked} {
            my HideColumn left
        }
        if {$Hidden ne $before} {
            dict unset Saved two
            my Layout
        }
    }

    # A narrow window has room for one column beside the source: the one that is asked for.
    method GiveWay {place} {
        set side [lindex [split $place .] 0]
        set width [winfo width [winfo toplevel $Main]]
        if {$side ne "middle" && $width >= 200 && $width < [::heatscope::theme size leftFrom]} {
            set before $Hidden
            my HideColumn [expr {$side eq "left" ? "right" : "left"}]
            set Given [lmap place $Hidden {if {$place in $before} continue; set place}]
            dict unset Saved two
        }
    }
    # What gave way comes back as a whole.
    method TakeBack {place} {
        if {$place in $Given} {
            foreach list {Hidden Narrowed} {
                set $list [lmap other [set $list] {if {$other in $Given} continue; set other}]
            }
            set Given {}
        }
    }

    # Makes the views, now that the places have their sizes: made earlier, they would draw at sizes that don't stay. What is looked
    # at first comes first; the other places are filled when that is drawn.
    method open {} {
        set Open 1
        if {[dict exists $Places middle.top]} {
            my Fill middle.top
        }
        foreach place [dict keys $Places] {
            if {$place ne "middle.top"} {
                dict set Unfilled $place 1
            }
        }
        after 1 [namespace code {my OpenNext left.top}]
    }
    # One place after the other, each when what was there has been drawn.
    method OpenNext {{place {}}} {
        if {$place eq ""} {
            set place [lindex [dict keys $Unfilled] 0]
        }
        try {
            if {[dict exists $Unfilled $place]} {
                my Fill $place
            }
        } finally {
            if {$place eq "left.top"} {
                [dict get $Context app] noteFirst
            }
            if {[dict size $Unfilled]} {
                [dict get $Context app] later [self] openRest
            }
        }
    }
    method openRest {} {
        # all is drawn that was there
        [dict get $Context app] noteFirst
        ::heatscope::useInputMethods
        my OpenNext
    }
    # Are all places filled?
    method opened {} {
        return [expr {$Open && ![dict size $Unfilled]}]
    }

    # Names of all views, made or not, in their order.
    method names {} {
        return [concat {*}[dict values $Places]]
    }
    # The name of the view that is called so: by its name, or by the words of its tab, whatever the case; else the text itself.
    method named {text} {
        foreach name [my names] {
            if {[string equal -nocase $text $name] || [string equal -nocase $text [lindex [dict get [::heatscope::settings get panes] $name] 2]]} {
                return $name
            }
        }
        return $text
    }
    # "overview, terrain, detail (Source), ...": names with the words of their tabs where those are others.
    method called {} {
        return [join [lmap name [my names] {
            set words [lindex [dict get [::heatscope::settings get panes] $name] 2]
            expr {[string equal -nocase $words $name] ? $name : "$name ($words)"}
        }] ", "]
    }
    # Those that were made so far, as objects.
    method made {} {
        return [dict values $Views]
    }
    # The view of that name; makes it.
    method view {name} {
        set place [my PlaceOf $name]
        if {![dict exists $Views $name]} {
            set class [lindex [dict get [::heatscope::settings get panes] $name] 0]
            set view [::heatscope::$class new $Main.$place.$name $Context]
            dict set Views $name $view
            my Tabs $place $name
            ::heatscope::theme Menus $Main.$place.$name
            $view refreshAll
        }
        return [dict get $Views $name]
    }
    method PlaceOf {name} {
        dict for {place names} $Places {
            if {$name in $names} {
                return $place
            }
        }
        return -code error -errorcode [list HEATSCOPE VIEW $name] "no view '$name': there are [my called]"
    }
    method shown {name} {
        return [expr {[dict exists $Views $name] && [winfo ismapped [[dict get $Views $name] path]]}]
    }

    # Gives each view of a place the tabs of all of them.
    method Tabs {place name} {
        set tabs {}
        foreach other [dict get $Places $place] {
            lappend tabs $other [lindex [dict get [::heatscope::settings get panes] $other] 2]
        }
        if {[llength $tabs] > 2} {
            [dict get $Views $name] tabs $tabs [namespace code {my raise}]
        }
    }
    # Puts the raised view of a place in front.
    method Fill {place} {
        if {!$Open} {
            return
        }
        dict unset Unfilled $place
        set name [dict get $Raised $place]
        set path [[my view $name] path]
        foreach w [grid slaves $Main.$place] {
            if {$w ne $path} {
                grid remove $w
            }
        }
        grid $path -row 0 -column 0 -sticky nswe
        # what it shows when it appears is made for its size; it is drawn in turn
        ::heatscope::hold 1
        try {
            update idletasks
        } finally {
            ::heatscope::hold 0
        }
    }

    # ---- what users do ----

    # Shows a view, in front of those that share its place.
    method raise {name} {
        set place [my PlaceOf $name]
        dict set Raised $place $name
        my Fill $place
        if {$Maximised ne ""} {
            if {[my PlaceOf $Maximised] eq $place} {
                set Maximised $name
            } else {
                set Maximised {}
            }
        }
        set Hidden [lsearch -all -inline -not -exact $Hidden $place]
        if {$place in $Narrowed} {
            set Narrowed [lsearch -all -inline -not -exact $Narrowed $place]
            set Asked 1
        }
        my TakeBack $place
        my GiveWay $place
        my Layout
        my Grow $place $name
    }
    # Brings it in front where its place is in sight.
    method front {name} {
        if {$Maximised eq "" && [my PlaceOf $name] ni $Hidden} {
            my raise $name
        }
    }
    # The user's heights are kept from then on.
    method OnSash {side} {
        dict set Moved $side 1
    }
    # Room for a view of a lower place that shows little where there is little.
    method Grow {place name} {
        lassign [split $place .] side part
        if {$part ne "bottom" || ![dict exists [::heatscope::settings get wanted] $name] || [dict exists $Moved $side]
            || [llength [$Main.$side panes]] < 2} {
            return
        }
        set h [winfo height $Main.$side]
        set top [expr {int($h * (1 - [::heatscope::settings get wanted $name]))}]
        if {$h >= 50 && [$Main.$side sashpos 0] > $top} {
            $Main.$side sashpos 0 $top
        }
    }
    # Hides the place of a view that is in front; else shows the view.
    method toggle {name} {
        set place [my PlaceOf $name]
        if {$place in $Hidden || [dict get $Raised $place] ne $name} {
            my raise $name
        } else {
            lappend Hidden $place
            my Layout
        }
    }
    # One view alone, in place of another that is, or all again.
    method maximise {name} {
        my PlaceOf $name
        if {$Maximised ne $name} {
            my raise $name
            set Maximised $name
        } else {
            set Maximised {}
        }
        my Layout
    }
    method maximised {} { return $Maximised }

    # ---- as data: for session files ----

    method state {} {
        my Remember
        return [dict create raised $Raised hidden $Hidden maximised $Maximised sashes $Sashes]
    }
    # Takes such a dict; what does not fit is left out.
    method restore {state} {
        foreach key {raised sashes} {
            if {[dict exists $state $key] && ![catch {dict size [dict get $state $key]}]} {
                dict for {which value} [dict get $state $key] {
                    if {$key eq "raised" && [dict exists $Places $which] && $value in [dict get $Places $which]} {
                        dict set Raised $which $value
                        my Fill $which
                    } elseif {$key eq "sashes" && $which in {left middle right main0 main1} && [string is double -strict $value]
                              && $value > 0.02 && $value < 0.98} {
                        dict set Sashes $which $value
                        dict set Moved $which 1
                    }
                }
            }
        }
        if {[dict exists $state hidden] && ![catch {llength [dict get $state hidden]}]} {
            set Hidden {}
            set Narrowed {}
            set Asked [expr {[winfo width [winfo toplevel $Main]] < [::heatscope::theme size leftFrom]}]
            foreach place [dict get $state hidden] {
                if {[dict exists $Places $place]} {
                    lappend Hidden $place
                }
            }
        }
        if {[dict exists $state maximised]} {
            set Maximised [expr {[dict get $state maximised] in [my names] ? [dict get $state maximised] : ""}]
        }
        set Saved {}
        my Layout
        foreach side {left middle right} {
            my Arrange $side
        }
        my Narrow
    }
    # Where the sashes are now, as shares of the window.
    method Remember {} {
        foreach side {left middle right} {
            if {[winfo ismapped $Main.$side] && [llength [$Main.$side panes]] == 2 && [dict exists $Saved $side]} {
                dict set Sashes $side [format %.3f [expr {double([$Main.$side sashpos 0]) / [winfo height $Main.$side]}]]
            }
        }
        my RememberColumns
    }
    method RememberColumns {} {
        if {[winfo ismapped $Main] && [llength [$Main panes]] == 3} {
            foreach n {0 1} {
                dict set Sashes main$n [format %.3f [expr {double([$Main sashpos $n]) / [winfo width $Main]}]]
            }
        }
    }

    # ---- geometry ----

    # First heights of a column's places; afterwards the user's.
    method Arrange {side} {
        if {![winfo exists $Main.$side]} {
            return
        }
        set h [winfo height $Main.$side]
        if {$h < 50 || ![winfo ismapped $Main.$side] || [dict exists $Saved $side] || [llength [$Main.$side panes]] < 2} {
            return
        }
        dict set Saved $side 1
        if {[dict exists $Sashes $side]} {
            set share [dict get $Sashes $side]
        } else {
            set share [::heatscope::settings get shares $side]
        }
        $Main.$side sashpos 0 [expr {int($h * $share)}]
    }
    # In a small window the side columns give way first, also where it was larger before; columns that the user has moved keep their shares.
    method Narrow {} {
        set w [winfo width $Main]
        after cancel [namespace code {my FitLeft}]
        after idle [namespace code {my FitLeft}]
        # with one side column, as on a small screen
        if {$w >= 200 && $w < [::heatscope::theme dp 1200] && ![dict exists $Saved two] && [llength [$Main panes]] == 2} {
            dict set Saved two 1
            if {"$Main.right" in [$Main panes]} {
                after idle [namespace code [list my SetSash 0 [expr {min([::heatscope::theme dp 228], $w * 4 / 10)}]]]
            } elseif {"$Main.left" in [$Main panes]} {
                after idle [namespace code [list my SetSash [expr {min([::heatscope::theme dp 190], $w * 4 / 10)}] 0]]
            }
        }
        if {$w < 200 || ([dict exists $Saved main] && $w == $Fitted) || [llength [$Main panes]] < 3} {
            return
        }
        dict set Saved main 1
        set Fitted $w
        set t ::heatscope::theme
        if {[dict exists $Sashes main0] && [dict exists $Sashes main1]} {
            set left [expr {int([dict get $Sashes main0] * $w)}]
            set right [expr {$w - int([dict get $Sashes main1] * $w)}]
        } else {
            set f [expr {max(0.5, min(1.0, double($w) / [$t dp 1880]))}]
            set small [expr {$w < [$t dp 1200]}]
            set left [expr {$small ? [$t dp 148] : int([$t size leftWidth] * $f)}]
            set right [expr {$small ? [$t dp 228] : int([$t size rightWidth] * max($f, 0.86))}]
        }
        $Main sashpos 0 $left
        $Main sashpos 1 [expr {$w - $right}]
        after idle [namespace code [list my SetSash $left $right]]
    }
    method SetSash {left right} {
        if {[winfo exists $Main] && [llength [$Main panes]] == 3} {
            $Main sashpos 0 $left
            $Main sashpos 1 [expr {[winfo width $Main] - $right}]
        } elseif {(!$left || !$right) && [winfo exists $Main] && [llength [$Main panes]] == 2} {
            $Main sashpos 0 [expr {$left ? $left : [winfo width $Main] - $right}]
        }
    }

    # Puts those places in that are wanted, in their order.
    method Layout {} {
        set wanted {}
        foreach place [dict keys $Places] {
            if {$Maximised ne "" ? $place eq [my PlaceOf $Maximised] : $place ni $Hidden} {
                lappend wanted $place
            }
        }
        if {![llength $wanted]} {
            set wanted middle.top
        }
        set at 0
        foreach side {left middle right} {
            set parts {}
            foreach part {top bottom} {
                if {"$side.$part" in $wanted} {
                    lappend parts $part
                }
            }
            # a column that goes as a whole keeps its places
            if {[llength $parts] && [my Put $Main.$side {top bottom} $parts 1]} {
                dict unset Saved $side
                # behind the paned window's own work at idle, which would move the sash again
                after idle [list after idle [namespace code [list my Arrange $side]]]
            }
        }
        set sides [lmap side {left middle right} {
            if {![llength [lsearch -all -glob $wanted $side.*]]} continue
            set side
        }]
        if {[my Put $Main {left middle right} $sides [expr {$Maximised ne ""}]] && $Maximised eq ""} {
            dict unset Saved main
            after idle [namespace code {my Narrow}]
        }
    }
    # Shows of the panes `all` of a paned window those named; true if one came.
    method Put {window all wanted equal} {
        set at 0
        set came 0
        foreach part $all {
            set w $window.$part
            set there [expr {$w in [$window panes]}]
            if {$part in $wanted} {
                if {!$there} {
                    set options [list -weight [expr {$equal || $part eq "middle"}]]
                    if {$at >= [llength [$window panes]]} {
                        $window add $w {*}$options
                    } else {
                        $window insert $at $w {*}$options
                    }
                    set came 1
                }
                incr at
            } elseif {$there} {
                $window forget $w
            }
        }
        return $came
    }
}
