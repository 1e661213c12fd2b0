# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Processors by time, coloured by category, procedure or innermost scope. A drag chooses the interval that all views are of.

oo::class create ::heatscope::TimelineView {
    superclass ::heatscope::View
    variable Path Bus Run Nav Db App Selection Time Other VarKey Shown Turned Preparing

    method name {} { return timeline }
    method title {} { return Timeline }
    method focusWidget {} { return $Time }

    method Build {body} {
        set t ::heatscope::theme
        set VarKey category
        set Shown {}
        set Preparing {}
        ttk::frame $body.tools -style Card.TFrame -padding [list [$t size pad] [$t dp 4] [$t size pad] 0]
        foreach {key words} {category Category procedure Procedure scope Loop} {
            ttk::radiobutton $body.tools.$key -style Segment.TRadiobutton -text $words -value $key \
                -variable [namespace current]::VarKey -command [namespace code [list my by $key]] -takefocus 0
            pack $body.tools.$key -side left
        }
        ttk::button $body.tools.whole -text "Whole run" -takefocus 0 -command [namespace code {my look {}}]
        ttk::button $body.tools.zoom -text "Zoom to interval" -takefocus 0 -command [namespace code {my lookAtInterval}]
        ttk::button $body.tools.clear -text "No interval" -takefocus 0 -command [namespace code {my choose {}}]
        foreach name {clear zoom whole} {
            pack $body.tools.$name -side right -padx [list [$t dp 6] 0]
        }
        set Time [my Widget timeline $body.time -font HsUI -takefocus 1 -height [$t dp 160]]
        bind $body.tools <Configure> [namespace code {my FitTools %w}]
        pack $body.tools -fill x
        pack $Time -fill both -expand 1
        set Other ""
        foreach {event method} {TimelineRange OnRange TimelineView OnView TimelinePick OnPick HeatscopeHover OnHover HeatscopeOpen OnOpen} {
            bind $Time <<$event>> [namespace code [list my $method %d]]
        }
    }

    # Buttons with fewer words where the long ones have no room.
    method FitTools {width} {
        set t ::heatscope::theme
        set f $Path.body.tools
        set words {whole "Whole run" All zoom "Zoom to interval" Zoom clear "No interval" Clear}
        set room [expr {$width - 2 * [$t size pad]}]
        foreach key {category procedure scope} {
            set room [expr {$room - [winfo reqwidth $f.$key]}]
        }
        # what a button has beside its words is the same with both
        foreach {name long short} $words {
            set room [expr {$room - [winfo reqwidth $f.$name] + [$t width HsUI [$f.$name cget -text]] - [$t width HsUI $long] - [$t dp 6]}]
        }
        foreach {name long short} $words {
            set text [expr {$room < 0 ? $short : $long}]
            if {[$f.$name cget -text] ne $text} {
                $f.$name configure -text $text
            }
        }
    }

    destructor {
        after cancel $Preparing
        next
    }
    method Timelines {} {
        return [concat [list $Time] $Other]
    }
    # The picture is read by and by, beside what the view reads; a click on it reads on.
    method readingPicture {} {
        return [expr {1 in [lmap w [my Timelines] {$w reading}]}]
    }
    method showsSome {} { return [expr {[$Time drawn] > 0}] }
    method cancelReading {} {
        return [expr {1 in [list [next] {*}[lmap w [my Timelines] {$w stop}]]}]
    }
    # By another key, as what was read stays; till it has read a part.
    method readAnew {} {
        my by [expr {$VarKey eq "category" ? "procedure" : "category"}]
        while {![my readingPicture] && ![::heatscope::idle]} {
            # what is due now, and not what follows from it
            after idle [list set [my varname Turned] 1]
            vwait [my varname Turned]
        }
    }
    method Show {changed} {
        while {![$Db opentimes]} {
            ::heatscope::breathe
        }
        set s $Selection
        if {[my Any $changed axis processors sort metric]} {
            $Time configure -axis [dict get $s axis] -columns [my Processors] -sort [dict get $s sort]
        }
        if {[my Any $changed column]} {
            $Time configure -mark [dict get $s column]
        }
        if {[my Any $changed interval]} {
            $Time configure -interval [dict get $s interval]
            set state [expr {[dict get $s interval] eq "" ? "disabled" : "!disabled"}]
            $Path.body.tools.zoom state $state
            $Path.body.tools.clear state $state
        }
        my Beside $changed
        my Words
        my PrepareLater
    }
    # While nothing else is to be done: an interval is likely to come next, and its table is read a column at a time. Who moves on waits for none of it.
    method PrepareLater {{ms 150}} {
        after cancel $Preparing
        set Preparing [after $ms [namespace code {my Prepare}]]
    }
    method Prepare {} {
        set Preparing {}
        if {[my reading] || [my readingPicture]} {
            my PrepareLater 50
            return
        }
        try {
            if {![$Db prepare]} {
                set Preparing [after 10 [namespace code {my Prepare}]]
            }
        } trap {HEATSCOPE DB} {} {
            # who asks for an interval is told
        }
    }
    # With a second database its timeline stands below, from the same instant on and as wide, so that the shorter run ends sooner.
    method Beside {changed} {
        set comparison [$App comparison]
        if {![$comparison any]} {
            if {$Other ne ""} {
                $Time configure -beside ""
                destroy $Path.body.other $Path.body.othername
                set Other ""
                my Look
            }
            return
        }
        set db [[$comparison run] db]
        if {$Other eq ""} {
            ttk::label $Path.body.othername -style Card.Sub.TLabel
            # both ask for the same, and have the same of what there is
            set Other [my Widget timeline $Path.body.other -font HsUI -takefocus 0 -height [::heatscope::theme dp 60]]
            $Time configure -height [::heatscope::theme dp 60]
            pack $Path.body.othername -anchor w -padx [::heatscope::theme size pad]
            pack $Other -fill both -expand 1
            $Time configure -beside $Other
            $Other configure -beside $Time
            bind $Other <<TimelineView>> [namespace code {my OnView %d}]
            bind $Other <<HeatscopeHover>> [namespace code {my OnOther %d}]
            set changed all
        }
        if {[$Other cget -db] ne $db} {
            $Other configure -db $db
            ::heatscope::theme say $Path.body.othername "Other run: [$comparison title] ([$comparison file]), [::heatscope::fmt seconds [dict get [$db times] end]]"
            set changed all
        }
        if {$changed eq "all" || [my Any $changed interval]} {
            $Other configure -interval [$db interval]
        }
        if {$changed eq "all" || [my Any $changed axis]} {
            $Other configure -axis [dict get $Selection axis] -key $VarKey
            my Look
        }
    }
    # Both show the same seconds.
    method Look {} {
        set span $Shown
        if {$Other ne "" && $span eq "" && [my End] > 0} {
            set span [list 0 [my End]]
        }
        $Time configure -view $span
        if {$Other ne ""} {
            $Other configure -view $span
        }
    }
    # The end of the longer run.
    method End {} {
        set end [dict get [$Db times] end]
        if {$Other ne ""} {
            set end [expr {max($end, [dict get [[$Other cget -db] times] end])}]
        }
        return $end
    }
    method OnOther {hit} {
        if {$hit eq ""} {
            my Read ""
            return
        }
        if {[dict get $hit part] eq "phase"} {
            my Read "other run, phase [::heatscope::fmt plain [dict get $hit name]] of [dict get $hit of]: [my Span [dict get $hit from] [dict get $hit to]]"
            return
        }
        set run [[$App comparison] run]
        lassign [lmap key {column last} {$run columnLabel [dict get $Selection axis] [dict get $hit $key]}] first last
        set words "other run, [expr {$first eq $last ? $first : "$first\u2013$last"}] at [my Span [dict get $hit from] [dict get $hit to]]: "
        append words [expr {[dict get $hit key] >= 0 ? "[::heatscope::fmt plain [dict get $hit name]], processor\
            [::heatscope::fmt percent [dict get $hit busy] 1] used" : "no sample"}]
        my Read $words
    }
    method Words {} {
        if {![dict get [$Db times] present]} {
            my subtitle "not known by time"
            return
        }
        set words [expr {$Shown eq "" ? "whole run, [::heatscope::fmt seconds [dict get [$Db times] end]]" : [my Span {*}$Shown]}]
        if {[dict get $Selection interval] ne ""} {
            append words " \u00b7 interval [my Span {*}[dict get $Selection interval]]"
        }
        my subtitle $words
    }
    # "1.204 – 1.380 s", with as many digits as tell the two apart
    method Span {a b} {
        set digits [expr {max(0, min(6, int(ceil(2 - log10(max(1e-9, $b - $a))))))}]
        return [format "%.*f \u2013 %.*f s" $digits $a $digits $b]
    }

    # ---- what users do; also for scripts ----

    # category, procedure or scope
    method by {key} {
        set VarKey $key
        $Time configure -key $key
        if {$Other ne ""} {
            $Other configure -key $key
        }
    }
    # What is in view: {from to} in seconds, {} the whole run.
    method look {span} {
        set end [my End]
        if {$span ne ""} {
            lassign $span a b
            if {$b - $a >= $end} {
                set span {}
            }
        }
        set Shown $span
        my Look
        my Words
    }
    method lookAtInterval {} {
        set interval [dict get $Selection interval]
        if {$interval ne ""} {
            lassign $interval a b
            set margin [expr {0.03 * ($b - $a)}]
            my look [list [expr {max(0, $a - $margin)}] [expr {min([dict get [$Db times] end], $b + $margin)}]]
        }
    }
    method choose {interval} {
        $Bus set timeline interval $interval
    }

    # ---- events ----

    method OnRange {hit} { my choose [list [dict get $hit from] [dict get $hit to]] }
    method OnView {hit} { my look [list [dict get $hit from] [dict get $hit to]] }
    method OnOpen {hit} {
        if {[dict get $Selection interval] ne "" && $Shown eq ""} {
            my lookAtInterval
        } else {
            my look {}
        }
    }
    method OnPick {hit} {
        $Bus adjust timeline column [dict get $hit column]
        if {$VarKey ne "category" && [dict get $hit key] >= 0} {
            $Nav scope timeline [dict get $hit key]
        }
    }
    method OnHover {hit} {
        if {$hit eq ""} {
            my Read ""
            return
        }
        if {[dict get $hit part] eq "phase"} {
            my Read "phase [::heatscope::fmt plain [dict get $hit name]] of [dict get $hit of]: [my Span [dict get $hit from] [dict get $hit to]]; a click makes it the interval"
            return
        }
        set words "[my Label [dict get $hit column]]"
        if {[dict get $hit last] != [dict get $hit column]} {
            append words "\u2013[my Label [dict get $hit last]]"
        }
        append words " at [my Span [dict get $hit from] [dict get $hit to]]: "
        if {[dict get $hit key] >= 0} {
            append words "[::heatscope::fmt plain [dict get $hit name]], [::heatscope::fmt percent [dict get $hit share] 1] of its samples," \
                " processor [::heatscope::fmt percent [dict get $hit busy] 1] used"
        } else {
            append words "no sample: the processor was not used"
        }
        if {[dict get $hit waiting] > 0} {
            append words ", [::heatscope::fmt percent [dict get $hit waiting] 1] in calls of [dict get $hit waiting_for]"
        }
        my Read $words
    }
    # What is drawn: who did what from when to when, which part of a processor was used, and which part passed in waits and messages.
    method table {} {
        return [linsert [$Time slots] 0 {processor from_s to_s what busy waiting}]
    }
    method describe {} {
        return "[$Time describe][expr {$Other ne "" ? "[$Path.body.othername cget -text]\n[$Other describe]" : ""}]"
    }
}
