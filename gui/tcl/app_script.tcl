# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The window for scripts, tests and pictures: waiting until all is drawn, pictures, descriptions.

oo::define ::heatscope::App {
    variable Turned

    # ---- for scripts, tests and pictures ----

    # True when the bus is quiet and every widget has drawn what it should.
    method drawn {} {
        return [expr {[$Panes opened] && ![llength $Later] && [my Quiet]}]
    }
    method Quiet {} {
        return [expr {!$Counting && $CountTimer eq "" && [my Idle]}]
    }
    # True when all is drawn but what waits for processors that are being counted. some 1: of what is being read its first rows, too.
    method Idle {{some 0}} {
        if {[$Bus pending]} {
            return 0
        }
        if {[info commands ::heatscope::idle] ne "" && ![::heatscope::idle]} {
            return 0
        }
        foreach view [$Panes made] {
            if {[$view reading] && !($some && [$view hasSome])} {
                return 0
            }
        }
        return 1
    }
    # Calls a method of a view when the picture as it is now has been drawn.
    method later {view method} {
        if {[list $view $method] ni $Later} {
            lappend Later [list $view $method]
        }
        if {$LaterTimer eq ""} {
            set LaterTimer [after 20 [namespace code {my DoLater}]]
        }
    }
    # One of them; the next one when events have been looked at.
    method DoLater {} {
        if {![my Quiet]} {
            set LaterTimer [after 10 [namespace code {my DoLater}]]
            return
        }
        set Later [lassign $Later next]
        lassign $next view method
        try {
            if {[info object isa object $view]} {
                $view $method
            }
        } finally {
            set LaterTimer [expr {[llength $Later] ? [after 1 [namespace code {my DoLater}]] : ""}]
        }
    }
    # Notes when the first picture is there: the hottest source and the overview.
    method noteFirst {} {
        if {$First ne ""} {
            return
        }
        if {![my Idle]} {
            set FirstTimer [after 1 [namespace code {my noteFirst}]]
            return
        }
        set First [list [expr {([clock microseconds] - $::heatscope::begun) / 1e3}] [my Used]]
    }
    method first {} {
        return $First
    }
    # Milliseconds of CPU time of this process and the reader; 0 where the system doesn't tell.
    method Used {} {
        set sum 0
        catch {
            set pids [pid]
            foreach file [glob -nocomplain /proc/[pid]/task/*/children] {
                lappend pids {*}[my Line $file]
            }
            foreach pid $pids {
                set sum [expr {$sum + [lindex [my Line /proc/$pid/schedstat] 0] / 1e6}]
            }
        }
        return $sum
    }
    # {FIRST ALL}: milliseconds until a view that is brought in front shows something, and until all of it is drawn.
    method timedOpening {name} {
        my settle
        set begin [clock microseconds]
        $Panes raise $name
        set view [my view $name]
        while {![my drawn] && ![$view showsSome]} {
            # one turn: `update` would come back when all is done
            after 1 [list set [my varname Turned] 1]
            vwait [my varname Turned]
        }
        # rows that a list was given are drawn, too
        if {[$view hasSome]} {
            update idletasks
        }
        set some [expr {([clock microseconds] - $begin) / 1e3}]
        my settle
        return [format "%.1f %.1f" $some [expr {([clock microseconds] - $begin) / 1e3}]]
    }
    # Pictures a second while the pointer turns the widget, or steps through it: each event is drawn, and shown by the display, before the next.
    method frames {w x y how n} {
        my settle
        set used [my Used]
        set begin [clock microseconds]
        set last $begin
        set most 0
        if {$how eq "drag"} {
            event generate $w <ButtonPress-1> -x $x -y $y
        }
        for {set i 1} {$i <= $n} {incr i} {
            if {$how eq "drag"} {
                event generate $w <B1-Motion> -x [expr {$x + 3 * $i % ($x + 1)}] -y [expr {$y + $i % 7}]
            } else {
                event generate $w <ButtonPress-[expr {$i / 20 % 2 ? 4 : 5}]> -x $x -y $y
            }
            update
            while {![my Idle]} {
                update
            }
            winfo pointerxy $w
            set now [clock microseconds]
            set most [expr {max($most, $now - $last)}]
            set last $now
        }
        set seconds [expr {($last - $begin) / 1e6}]
        if {$how eq "drag"} {
            event generate $w <ButtonRelease-1> -x $x -y $y
        }
        my settle
        return [format "%.1f %.1f %.1f" [expr {$n / $seconds}] [expr {$most / 1e3}] [expr {([my Used] - $used) / $n}]]
    }
    method Line {file} {
        set channel [open $file]
        try {
            return [gets $channel]
        } finally {
            close $channel
        }
    }
    # Waits, working, until all is drawn; an error after `limit` ms.
    method settle {{limit 60000}} {
        set end [expr {[clock milliseconds] + $limit}]
        set quiet 0
        while {$quiet < 2} {
            if {[clock milliseconds] > $end} {
                return -code error -errorcode {HEATSCOPE VIEW SETTLE} "the window was not drawn within [expr {$limit / 1000}] s"
            }
            update
            incr quiet
            if {![my drawn]} {
                set quiet 0
                my Breathe 1
            }
        }
    }
    # Waits without working, but for events.
    method Breathe {ms} {
        after $ms {set ::heatscope::breath 1}
        vwait ::heatscope::breath
    }
    # A text knows how long it is when all its lines were measured, which Tk does when it has nothing else to do: scroll bars are right then.
    method MeasureTexts {window} {
        foreach w [winfo children $window] {
            if {[winfo class $w] eq "Text" && [winfo ismapped $w] && [$w cget -yscrollcommand] ne ""} {
                $w sync
            }
            my MeasureTexts $w
        }
    }
    # Pictures have the colours of all words, if they come within `limit` ms.
    method SettleWords {{limit 30000}} {
        set end [expr {[clock milliseconds] + $limit}]
        while {[$Syntax pending] && [clock milliseconds] < $end} {
            my Breathe 20
        }
        my settle
    }
    # PNG of the window or of one view, written beside and renamed.
    method snapshot {what file} {
        my settle
        my SettleWords
        my MeasureTexts $Top
        my settle
        set path [expr {$what eq "window" ? $Top : [[my view $what] path]}]
        ::heatscope::View::replace $file [list ::heatscope::grab $path]
    }
    method describe {what} {
        my settle
        switch -- $what {
            selection { return [$Bus serialise] }
            status { return [my status] }
            views { return [$Panes names] }
            tools { return "[$Path.tools.title cget -text]: [$Path.tools.facts cget -text]" }
        }
        # what is not shown has not been filled
        if {![$Panes shown $what]} {
            $Panes raise $what
            my settle
        }
        # of what could not be read there is nothing else to say
        if {[[my view $what] complaint] ne "" && ![[my view $what] hasSome]} {
            return [[my view $what] complaint]
        }
        return [[my view $what] describe]
    }
}
