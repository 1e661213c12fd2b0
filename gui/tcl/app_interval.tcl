# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Another interval in the window: its processors are counted a little at a time while the window works; Esc gives the former one back.

oo::define ::heatscope::App {
    # Milliseconds to count before the first picture, and at a time from then on; 0: the least there is.
    method pace {{first 15} {then 25}} {
        set Pace [list $first $then]
    }
    # What can be gone back to: the selection whose values are all there.
    method CountRests {selection} {
        if {!$Counting} {
            set Whole [list interval [dict get $selection interval] category [dict get $selection category] metric [dict get $selection metric]]
        }
    }
    # An interval is to be set: what all threads have in it is added up a little at a time, before anybody is told of it.
    method Choose {wanted only exact} {
        set Counting 1
        set CountSince [clock milliseconds]
        after cancel $CountTimer
        set CountTimer {}
        after cancel $Chooser
        set Chooser {}
        set Chosen [list $wanted $only $exact]
        $Bus hold $OnIntervals [namespace code {my ChooseAll}]
        my ChooseMore
    }
    method ChooseMore {{ms 24}} {
        lassign $Chosen wanted only exact
        set Chooser {}
        set least 1.0
        try {
            set least [$Run choose $wanted $only $ms]
            if {$least >= 1} {
                set least [$Comparison choose $wanted [my OnlyName $only] $exact $ms]
            }
        } trap {HEATSCOPE DB} {} {
            # setting it says why
        }
        if {$least < 1} {
            set Chooser [after 0 [namespace code {my ChooseMore}]]
            return
        }
        my ChooseAll
    }
    method ChooseAll {} {
        after cancel $Chooser
        set Chooser {}
        $Bus release
        my TakeInterval {*}$Chosen
    }
    # Is another interval under way? No more.
    method ChooseNoMore {} {
        after cancel $Chooser
        set Chooser {}
        if {[$Bus held]} {
            $Bus release
            # it may have been counted only in part
            set CountTimer [after 1 [namespace code {my CountMore}]]
        }
    }
    method OnlyName {only} {
        return [expr {$only >= 0 ? [[$Run db] category $only] : ""}]
    }
    method TakeInterval {wanted only exact} {
        set db [$Run db]
        my CountBegins
        # before the interval goes: one reading for both
        if {$only < 0} {
            $db only -1
        }
        $db interval $wanted
        $db only $only
        $Run only $only
        $Run part $wanted
        $Comparison interval $wanted [my OnlyName $only] $exact
        $Run forget
        $Nav forget
        $Finder forget
        if {[my CountsSoon $wanted $only]} {
            my CountSome first
        }
        after idle [namespace code {my ShowFacts}]
        # each is drawn once, when all views have been told
        ::heatscope::hold 1
        after idle [namespace code {my DrawTold}]
        ::heatscope::redraw $db
        if {[$Comparison any]} {
            ::heatscope::redraw [[$Comparison run] db]
        }
        if {[info exists Panes]} {
            foreach view [$Panes made] {
                # each in its turn: they are told after this
                $view stopReading
                $view forget
                $view stale
                if {[$view needsLast]} {
                    $Bus last [$view token]
                }
            }
        }
    }
    method DrawTold {} {
        if {[$Bus pending] && ![$Bus held]} {
            after idle [namespace code {my DrawTold}]
        } else {
            ::heatscope::hold 0
        }
    }
    method CountBegins {} {
        set Counting 1
        set SumsDrawn ""
        set CountSince [clock milliseconds]
        foreach db [my Counted] {
            $db later 1
        }
        if {$CountTimer eq ""} {
            set CountTimer [after 1 [namespace code {my CountMore}]]
        }
    }
    # So few samples that counting them takes no longer than a picture: nothing need be drawn twice.
    method CountsSoon {wanted only} {
        if {$wanted eq "" && $only < 0} {
            return 1
        }
        set times [[$Run db] times]
        set part [expr {$wanted eq "" || [dict get $times end] <= 0 ? 1.0 : min(1.0, ([lindex $wanted 1] - [lindex $wanted 0]) / [dict get $times end])}]
        return [expr {$part * [dict get $times samples] <= [::heatscope::settings get countAtOnce]}]
    }
    # Both databases, or the one.
    method Counted {} {
        return [list [$Run db] {*}[$Comparison handle]]
    }
    # Counts, at first or later on; 1 when all is counted.
    method CountSome {when} {
        set ms [lindex $Pace [expr {$when eq "then"}]]
        set least 1.0
        try {
            foreach db [my Counted] {
                set least [expr {min($least, [$db count $ms])}]
            }
        } trap {HEATSCOPE DB} {message options} {
            # the views ask again, and say why it can't be read
            foreach db [my Counted] {
                $db later 0
            }
            my complain $message $options
            set least 1.0
        }
        if {[clock milliseconds] - $CountSince >= 200 && $least < 1 && [winfo exists $Path.status.progress]} {
            $Path.status.progress configure -part $least -words "Counting by processor"
        }
        if {$least >= 1} {
            set Counting 0
        }
        incr Counts
        return [expr {!$Counting}]
    }
    method CountMore {} {
        set CountTimer {}
        # sums are drawn first: counting would take processor and reader from them
        if {$SumsDrawn eq "" && [my Idle 1]} {
            set SumsDrawn [clock microseconds]
        }
        if {$Counting && ![my Idle] && [clock milliseconds] - $CountSince < 1500} {
            set CountTimer [after 1 [namespace code {my CountMore}]]
            return
        }
        if {$Counting && ![my CountSome then]} {
            set CountTimer [after 1 [namespace code {my CountMore}]]
            return
        }
        my CountRests [$Bus get]
        $Path.status.progress configure -part -1
        foreach db [my Counted] {
            ::heatscope::redraw $db waiting
        }
        foreach view [$Panes made] {
            $view counted
        }
        my later $Nav ready
        my later [self] readySearch
        my later [self] readyRoom
    }
    # When nothing else is done: room for the next interval, a piece at a time.
    method readyRoom {} {
        try {
            if {!$Counting && [[$Run db] interval] ne "" && ![[$Run db] prepare]} {
                my later [self] readyRoom
            }
        } trap {HEATSCOPE DB} {} {
            # what needs it says so
        }
    }
    # For scripts: chooses an interval. {first F all A blocked B}: ms until sums are drawn, until all is, the longest without looking for events.
    method timedInterval {from to} {
        my settle
        set begin [clock microseconds]
        my beat on
        set SumsDrawn ""
        $Bus set script interval [list $from $to]
        # noted by what counts then: `update` would return when that ends, too
        while {$SumsDrawn eq "" && !([my Quiet] && ![$Bus pending])} {
            update
        }
        set first [expr {(($SumsDrawn eq "" ? [clock microseconds] : $SumsDrawn) - $begin) / 1e3}]
        my settle
        return [format "first %.1f all %.1f blocked %s" $first [expr {([clock microseconds] - $begin) / 1e3}] [my beat off]]
    }
    # on: looks at the clock in the event loop; off: ends that, and gives the longest time, in ms, in which the loop did not come by.
    method beat {what} {
        after cancel [lindex $Beat 2]
        if {$what eq "on"} {
            set Beat [list [clock microseconds] 0]
            my HeartBeat
            return
        }
        set most [expr {[lindex $Beat 1] / 1e3}]
        set Beat {}
        return $most
    }
    method HeartBeat {} {
        lassign $Beat last most
        set now [clock microseconds]
        set Beat [list $now [expr {max($most, $now - $last)}] [after 1 [namespace code {my HeartBeat}]]]
    }
    # The same, and Escape once `n` pieces have been counted; 1: it was in time.
    method stoppedInterval {from to n} {
        my settle
        my pace 0 0
        set Counts 0
        $Bus set script interval [list $from $to]
        while {([$Bus pending] || $Counting) && $Counts < $n} {
            vwait [my varname Counts]
        }
        set inTime $Counting
        event generate $Top <Escape>
        my pace
        my settle
        return $inTime
    }
    # For scripts: has the pane read anew, looking at events all the time, and Escape when it has shown some of it; 1: it was in time.
    method stoppedReading {name} {
        set view [my view $name]
        my settle
        set kept [list $::heatscope::BreathMs $::heatscope::settings::partAfter]
        set turn [::heatscope::turn]
        lassign {0 0} ::heatscope::BreathMs ::heatscope::settings::partAfter
        ::heatscope::turn 0
        try {
            $view readAnew
            while {[$view reading] && !([$view hasSome] && [$view showsPart])} {
                update
            }
            set inTime [expr {[$view reading] || [$view readingPicture]}]
            event generate $Top <Escape>
        } finally {
            ::heatscope::turn $turn
            lassign $kept ::heatscope::BreathMs ::heatscope::settings::partAfter
        }
        my settle
        return $inTime
    }
    # Stops what is done beside the window's work; 0: nothing is.
    method stopWork {} {
        return [expr {[my stopCorrelating] || [my stopCounting] || [my cancelReading]}]
    }
    # A view reads, so much is done; -1: no longer. 0: something else is shown.
    method showReading {part words} {
        if {$Counting || ![winfo exists $Path.status.progress]} {
            return 0
        }
        $Path.status.progress configure -part $part -words $words
        return 1
    }
    # Stops views that are reading; 0: none is.
    method cancelReading {} {
        set any 0
        foreach view [$Panes made] {
            set any [expr {[$view cancelReading] || $any}]
        }
        return $any
    }
    # Stops counting: the interval and category of before are shown again. 0: nothing is being counted.
    method stopCounting {} {
        if {!$Counting} {
            return 0
        }
        $Bus set keys {*}$Whole
        my Tell "stopped: [expr {[dict get $Whole interval] eq "" ? "the whole run" : "the interval of before"}] again"
        return 1
    }
}
