# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# One window on one database: tool bar, findings, views in panes, status line, keys.

oo::class create ::heatscope::App {
    variable Top Bus Run Nav Finder Syntax Path Panes Comparison Hits HitAt Found ReadLater Later LaterTimer Dropped
    variable Counting CountTimer CountSince SumsDrawn Counts Pace Whole Beat Correlating Chooser Chosen OnIntervals
    variable VarBin VarMetric VarScale VarColours Told ReadOut Search SearchNote Closing First FirstTimer

    # top: path of a toplevel, "." included; db: handle; options: {theme T size WxH select TEXT axis A}
    constructor {top db options} {
        set Top $top
        set Run [::heatscope::Run new $db]
        set Bus [::heatscope::Bus new [::heatscope::settings get historyLength]]
        # ahead of all views: what they read is of the interval
        set OnIntervals [$Bus subscribe [namespace code {my OnInterval}] {interval category metric}]
        set Nav [::heatscope::Navigator new $Bus $Run]
        set Finder [::heatscope::Search new $Run $Nav]
        set Syntax [::heatscope::Syntax new $Run [expr {[dict exists $options tokens] ? [dict get $options tokens] : ""}]]
        set Comparison [::heatscope::Comparison new $Run [expr {[dict exists $options compare] ? [dict get $options compare] : ""}]]
        set Path [expr {$top eq "." ? "" : $top}]
        set Hits {}
        set Found {hits {} share 0 sum {} words {}}
        set HitAt -1
        set Dropped {}
        set ReadLater {}
        set Later {}
        set LaterTimer {}
        set Closing 0
        set Told 0
        set Counting 0
        set CountTimer {}
        set SumsDrawn ""
        set Chooser {}
        set Chosen {}
        set Counts 0
        set Beat {}
        set Correlating {}
        set First {}
        set FirstTimer {}
        set Whole {interval {} category -1 metric 0}
        my pace
        $Bus set start skip [::heatscope::settings get skipLines]
        if {[$Comparison any]} {
            $Bus set start show difference
        }
        set unread ""
        try {
            $Nav start $Comparison
        } trap {HEATSCOPE DB} message {
            # the window opens all the same: its views say what can't be read
            set unread $message
        }
        if {[dict exists $options axis]} {
            $Nav axis start [dict get $options axis]
        }
        if {[dict exists $options select] && ![$Nav named start [dict get $options select]]} {
            puts stderr "heatscope view: --select: nothing is called '[dict get $options select]'"
            set ::heatscope::astray 1
        }
        my Build [dict filter $options key width]
        ::heatscope::theme Menus $Top
        my Keys
        $Bus subscribe [namespace code {my OnSelection}]
        if {[$Comparison any]} {
            $Panes raise compare
        }
        my Reflect [$Bus get]
        my TellLines
        if {$unread ne ""} {
            my Tell [::heatscope::fmt plain $unread]
        }
        wm protocol $Top WM_DELETE_WINDOW [namespace code {my quit}]
        wm title $Top "[$Run title] \u2013 Heatscope"
        bind $Top <Destroy> +[namespace code [list my OnDestroy %W]]
    }
    destructor {
        catch {my stopCorrelating}
        after cancel $LaterTimer
        after cancel $CountTimer
        after cancel $Chooser
        after cancel $FirstTimer
        after cancel [namespace code {my DrawTold}]
        catch {::heatscope::hold 0}
        after cancel [lindex $Beat 2]
        foreach object [list $Syntax $Comparison $Finder $Nav $Bus $Run] {
            catch {$object destroy}
        }
    }
    method OnDestroy {w} {
        if {$w eq $Top && !$Closing} {
            set Closing 1
            after idle [namespace code {my destroy}]
        }
    }

    # Fills the window, which is on the screen by now.
    method open {} {
        update
        if {[info object isa object [self]] && [winfo exists $Path.main]} {
            $Panes open
            my later $Nav ready
            my later [self] readySearch
        }
    }

    # What the window begins with is told where it is not the usual.
    method TellLines {} {
        if {[$Bus get lines] eq "calls"} {
            my Tell "lines with what they call: most of the hottest code's time is in calls (w: lines by themselves)" 1
        }
    }

    method bus {} { return $Bus }
    method run {} { return $Run }
    method navigator {} { return $Nav }
    method comparison {} { return $Comparison }
    method syntax {} { return $Syntax }
    method top {} { return $Top }
    method toolBar {} { return $Path.tools }
    method view {name} {
        return [$Panes view $name]
    }
    # Name of a view from what a script calls it.
    method viewName {text} {
        return [$Panes named $text]
    }
    # Brings a view to the front.
    method raise {name} {
        $Panes raise $name
    }
    method front {name} {
        $Panes front $name
    }

    # ---- building ----

    # size: how wide the window is to be, {width PIXELS} or {}
    method Build {size} {
        set t ::heatscope::theme
        set gap [$t size paneGap]
        my BuildTools
        set context [list bus $Bus run $Run nav $Nav app [self] {*}$size]
        set Panes [::heatscope::Panes new $Path.main $context]
        bind $Path.main <Configure> +[list after idle [namespace code {my TrimTools}]]
        ttk::frame $Path.status -padding [list [$t size pad] [$t dp 5]]
        set ReadOut ""
        ttk::label $Path.status.read -style Tool.TLabel -text ""
        bind $Path.status <Configure> [namespace code {my FitReadOut}]
        ttk::label $Path.status.hint -style Tool.TLabel -text \
            "\u2190 \u2192 \u2191 \u2193 move   n next hot spot   p hot path   Enter in   Esc out   Ctrl-F find   F1 keys"
        ::heatscope::progress $Path.status.progress -takefocus 0 -font HsUI -scale [$t scale] -width [$t dp 230] \
            -height [expr {[font metrics HsUI -linespace] + [$t dp 4]}] -background [$t colour window]
        bind $Path.status.progress <Button-1> +[namespace code {my stopWork}]
        pack $Path.status.hint -side right
        pack $Path.status.read -side left -fill x -expand 1
        # over the keys while it says something
        place $Path.status.progress -relx 1 -anchor ne
        lower $Path.status.progress
        grid $Path.tools -sticky we
        grid $Path.main -sticky nswe -padx $gap
        grid $Path.status -sticky we
        set holder [expr {$Top eq "." ? "." : $Top}]
        grid columnconfigure $holder 0 -weight 1
        grid rowconfigure $holder 1 -weight 1
    }

    # All values are of the chosen interval from now on; a metric that is not sampled is known by slices, where the database has
    # those, and a category does not change it. Sums are there first: until then all stays as it was; what needs processors follows when they have been counted
    # (app_interval.tcl).
    method OnInterval {selection changed origin} {
        set db [$Run db]
        set wanted [dict get $selection interval]
        set only [dict get $selection category]
        set exact [$Run exact [dict get $selection metric]]
        if {$exact} {
            set only -1
            if {![$Run byTime [dict get $selection metric]]} {
                set wanted {}
            }
        }
        if {$only == [$db only] && [$Comparison exact] in [list "" $exact] && ($wanted eq "" ? [$db interval] eq "" : [$db interval] ne "" && [my Same $wanted [$db interval]])} {
            my ChooseNoMore
            my CountRests $selection
            return
        }
        my Choose $wanted $only $exact
    }
    method Same {a b} {
        return [expr {[lindex $a 0] == [lindex $b 0] && [lindex $a 1] == [lindex $b 1]}]
    }
    method OnSelection {selection changed origin} {
        my Reflect $selection
        # what was said of the step before goes with the next one
        set moved [llength [lmap key {file line scope procedure context column processors} {
            if {$key ni $changed} continue
            set key
        }]]
        if {$Told > 0 && $moved} {
            incr Told -1
            if {!$Told} {
                my readOut ""
            }
        }
    }

    method toggleTheme {} {
        my theme [expr {[::heatscope::theme current] eq "light" ? "dark" : "light"}]
        ::heatscope::keepTheme
    }
    # n: from 1, as they are numbered
    method finding {n} {
        set known [[my view findings] count]
        if {![string is digit -strict $n] || $n < 1 || $n > $known} {
            return -code error -errorcode {HEATSCOPE VIEW FINDING} "finding: expected a number from 1 to $known, got '$n'"
        }
        $Panes raise findings
        [my view findings] go [expr {$n - 1}]
    }
    method theme {name} {
        ::heatscope::useTheme $name
    }
    method themed {} {
        $Path.status.progress configure -background [::heatscope::theme colour window]
        foreach view [$Panes made] {
            $view themed
            $view recoloured
        }
    }
    method quit {} {
        set Closing 1
        destroy $Top
    }

    # ---- panes ----

    method toggle {name} {
        $Panes toggle $name
    }
    method maximise {{name {}}} {
        if {$name eq ""} {
            set name [my activeView]
        }
        $Panes maximise $name
        # keys go to what is seen
        if {[$Panes maximised] eq $name} {
            focus [[$Panes view $name] focusWidget]
        }
    }

    # ---- status, key sheet ----

    method readOut {text} {
        set ReadOut $text
        my FitReadOut
    }
    # In the room there is: the keys beside it give way, then it is in small letters, and what is still too long is cut with a sign that there is
    # more; `status` has all of it.
    method FitReadOut {} {
        set t ::heatscope::theme
        set status $Path.status
        set room [expr {[winfo width $status] - 2 * [$t size pad]}]
        if {$room < 50} {
            $t say $status.read $ReadOut
            return
        }
        set wide [$t width HsUI $ReadOut]
        set keys [expr {$wide + [$t dp 16] <= $room - [winfo reqwidth $status.hint]}]
        if {$keys && [winfo manager $status.hint] eq ""} {
            pack $status.hint -side right -before $status.read
        } elseif {!$keys && [winfo manager $status.hint] ne ""} {
            pack forget $status.hint
        }
        set font [expr {$wide <= $room ? "HsUI" : "HsSmall"}]
        if {[$status.read cget -font] ne $font} {
            $status.read configure -font $font
        }
        $t say $status.read [::heatscope::fmt fit $ReadOut $room [list ::heatscope::theme width $font]]
    }
    # Words that stay until the selection moves on; `after` 1: a move is under way that they belong to.
    method Tell {text {after 0}} {
        my readOut $text
        set Told [expr {$after ? 2 : 1}]
    }
    # An error that no view shows in its own place.
    method complain {message options} {
        set code [expr {[dict exists $options -errorcode] ? [dict get $options -errorcode] : ""}]
        my Tell [expr {[lrange $code 0 2] eq {HEATSCOPE DB CANCELLED} ? "stopped" : [::heatscope::fmt plain $message]}]
    }
    method status {} {
        return $ReadOut
    }
    method statusShown {} {
        return [$Path.status.read cget -text]
    }
    # The keys beside it, as far as they can be seen: "" where something lies over their end, or they have no room.
    method keysShown {} {
        set w $Path.status.hint
        if {![winfo ismapped $w]} {
            return ""
        }
        set over [winfo containing [expr {[winfo rootx $w] + [winfo width $w] - 3}] [expr {[winfo rooty $w] + [winfo height $w] / 2}]]
        return [expr {$over eq $w && [winfo width $w] >= [winfo reqwidth $w] ? [$w cget -text] : ""}]
    }
}
