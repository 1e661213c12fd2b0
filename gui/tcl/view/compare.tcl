# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Two runs: what changed, with its interval; what is within noise is grey.

oo::class create ::heatscope::CompareView {
    superclass ::heatscope::ListView
    variable Path Bus Run Nav Db App Selection Rows ById List Chosen By Model Most Runs

    method name {} { return compare }
    method title {} { return Compare }
    method Groups {} { return {procedure Procedures loop Loops nest Nests line Lines module Modules wait Waits message Messages cause Causes} }
    method GroupTitle {words} { return "Compare [string tolower $words 0 0]" }

    method Build {body} {
        set Runs {}
        set Model [$App comparison]
        # what is known of both runs as a whole
        ttk::label $body.runs -style Card.Sub.TLabel -justify left -padding [list [::heatscope::theme size pad] 0]
        bind $body <Configure> +[namespace code {my FitRuns}]
        pack [ttk::frame $body.rows -style Card.TFrame] -side bottom -fill both -expand 1
        my MakeList $body.rows -empty "nothing differs"
        # with one database: what there could be, and how
        set t ::heatscope::theme
        set f [ttk::frame $body.none -style Card.TFrame -padding [$t size pad]]
        ttk::label $f.text -style Card.TLabel -justify left
        ttk::button $f.open -style Action.TButton -text "Open a second database\u2026" -takefocus 0 -command [list $App compareDatabase]
        ttk::label $f.how -style Card.Sub.TLabel -text "or Ctrl-D, or in a shell:  heatscope view [$Run file] OTHER.h5"
        pack $f.text -side top -anchor w -fill x
        pack $f.open -side top -anchor w -pady [$t dp 10]
        pack $f.how -side top -anchor w
        my FitNone
        bind $f <Configure> [namespace code {my FitNone}]
    }
    # In a low pane few words, so that the button is in sight.
    method FitNone {} {
        set t ::heatscope::theme
        set f $Path.body.none
        set low [expr {[winfo height $f] > 1 && [winfo height $f] < [$t dp 165]}]
        $f.text configure -wraplength [expr {max(120, min([$t dp 700], [winfo width $f] - 2 * [$t size pad] - 2))}] -text [expr {$low
            ? "This window shows one database." : "This window shows one database. With a second one, of the same program\
            after a change or on other input, this list and all panes show what takes longer or less there, and what is within noise."}]
        pack configure $f.open -pady [$t dp [expr {$low ? 4 : 10}]]
        $f configure -padding [expr {$low ? [list [$t size pad] [$t dp 4]] : [$t size pad]}]
    }
    # In a low pane without details, so that rows have room; the description has all.
    method FitRuns {} {
        set label $Path.body.runs
        set lines [lmap line $Runs {join [lrange $line 0 1] ": "}]
        if {![llength $lines]} {
            pack forget $label
            return
        }
        $label configure -wraplength [expr {max(120, [winfo width $Path.body] - 2 * [::heatscope::theme size pad])}] -text [join $lines \n]
        if {[winfo reqheight $label] > 0.35 * [winfo height $Path.body]} {
            $label configure -text [join [lmap line $Runs {string cat [lindex $line 0] [expr {[lindex $line 0] eq "Care" ? ": " : " "}] [lindex $line 2]}] " \u00b7 "]
        }
        if {![winfo ismapped $label]} {
            pack $label -side top -anchor w -fill x -before $Path.body.rows
        }
    }
    method Fill {} {
        if {[$Model any]} {
            place forget $Path.body.none
        } else {
            place $Path.body.none -x 0 -y 0 -relwidth 1 -relheight 1
            raise $Path.body.none
        }
        next
    }
    method describe {} {
        if {[$Model any] && [llength $Runs]} {
            return "[next][join [lmap line $Runs {join [lrange $line 0 1] ": "}] \n]\n"
        }
        return [expr {[$Model any] ? [next] : "Compare: no second database. [$Path.body.none.text cget -text] [$Path.body.none.how cget -text]\n"}]
    }
    method FirstSort {} { return change }
    method Columns {} {
        return [list [list name [dict get {procedure Procedure loop Loop nest {Outermost loop} line Line module Module wait {Wait for} message Operation cause {What made others wait}} $By] name 0 left name] {a "This run" text 9 right value_a} {b Other text 9 right value_b} \
            {bar "" change 12 {} {change size}} {change Change text 10 right {change size}} {ratio Ratio text 7 right ratio} \
            {*}[expr {[my Scales] ? {{speedup Speed-up text 9 right speedup} {effbar "" bar 5 {} {}} {efficiency Efficiency text 10 right efficiency}} : ""}] \
            [list interval [expr {[$Model isTimed $By] ? "" : "95 % interval"}] text 17 right {change size}]]
    }
    # Have the runs different numbers of processors? Then each row has its speed-up and efficiency, of procedures, loops and modules.
    method Scales {} { return [expr {[$Model any] && $By in {procedure loop module} && [$Model sizes] ne ""}] }
    method Drop {} { return {interval ratio bar effbar a b} }
    method Beyond {c} { return [expr {[dict get $c beyond] || [$Model isTimed $By]}] }
    method Load {} {
        set Most 0
        set Runs {}
        if {![$Model any]} {
            my FitRuns
            return {}
        }
        set Runs [$Model runs [dict get $Selection metric]]
        my FitRuns
        set n -1
        set rows [lmap c [$Model changes $By [dict get $Selection metric]] {
            set Most [expr {max($Most, abs([dict get $c change]))}]
            dict set c id [incr n]
        }]
        if {[$Model failed] ne ""} {
            $List configure -empty [$Model failed]
        }
        return $rows
    }
    method Beside {} {
        if {![$Model any]} {
            return ""
        }
        set words [$Model intervalWords]
        set care [expr {[$Model sameProgram] ? "" : ", another program"}]
        if {[my Scales]} {
            append care ", [$Model sizes], efficiency of strong scaling (weak: times [format %.4g [$Model growth]])"
        }
        return "with [$Model title] ([$Model file])$care[expr {$words ne "" ? ", $words" : ""}]; [expr {$By eq "cause" ? "waiting is timed, divided among causes by samples" : [$Model isTimed $By] ? "timed: exact for these two runs" : "grey: within noise, intervals are of sampling alone"}]"
    }
    method Unit {} {
        return [expr {[$Model isTimed $By] ? "s" : [dict get [$Db metric [dict get $Selection metric]] unit]}]
    }
    method Cells {c} {
        set unit [my Unit]
        set v [expr {$Most > 0 ? [dict get $c change] / $Most : 0}]
        return [list [list [dict get $c name] [string trimright "[dict get $c where]  [dict get $c words]"]] \
            [::heatscope::fmt amount [dict get $c value_a] $unit] [::heatscope::fmt amount [dict get $c value_b] $unit] \
            [expr {[dict get $c beyond] ? [list $v] : [list $v grey]}] [my Signed [dict get $c change] $unit] \
            [expr {[dict get $c ratio] ne "" ? "[::heatscope::fmt ratio [dict get $c value_b] [dict get $c value_a]]\u00d7" : "\u2013"}] \
            {*}[expr {[my Scales] ? [my ScalingCells $c] : ""}] \
            [expr {[$Model isTimed $By] ? "" : "[my Signed [dict get $c low] $unit] \u2026 [my Signed [dict get $c high] $unit]"}]]
    }
    method ScalingCells {c} {
        lassign [list [dict get $c speedup] [dict get $c efficiency]] speedup efficiency
        # the bar ends at 100 %
        return [list [expr {$speedup ne "" ? "[format %.2f $speedup]\u00d7" : "\u2013"}] [expr {$efficiency ne "" ? min(1.0, $efficiency) : 0}] \
            [expr {$efficiency ne "" ? "[format %.0f [expr {100.0 * $efficiency}]] %" : "\u2013"}]]
    }
    method Signed {v unit} {
        return "[expr {$v > 0 ? "+" : $v < 0 ? "\u2212" : ""}][::heatscope::fmt amount [expr {abs($v)}] $unit]"
    }
    method Current {} {
        set row [switch -- $By {
            line { expr {[dict get $Selection file] >= 0 ? [$Db findline [dict get $Selection file] [dict get $Selection line]] : -1} }
            procedure { dict get $Selection procedure }
            loop { dict get $Selection scope }
            default { list -1 }
        }]
        if {$row >= 0} {
            foreach c $Rows {
                if {[dict get $c a] == $row} {
                    return [dict get $c id]
                }
            }
            return ""
        }
        return [my Kept]
    }
    method Go {c} {
        if {[$Model isTimed $By] && [dict get $c a] < 0 && [dict get $c scope_a] >= 0} {
            $Nav scope compare [dict get $c scope_a]
        } elseif {[dict get $c a] < 0} {
            my Read "[dict get $c name] is in the other run only"
        } elseif {$By eq "line" || [$Model isTimed $By]} {
            set line [$Db line [dict get $c a]]
            $Nav line compare [dict get $line file] [dict get $line line]
        } else {
            $Nav scope compare [dict get $c a]
        }
    }
    method Words {c} {
        set unit [my Unit]
        return "[dict get $c name] [dict get $c where]: [::heatscope::fmt amount [dict get $c value_a] $unit] here,\
            [::heatscope::fmt amount [dict get $c value_b] $unit] there, [$Model amount $c [dict get $Selection metric] $unit][expr {
            [dict get $c beyond] || [$Model isTimed $By] ? "" : ", within noise"}][expr {[dict get $c words] ne "" ? ", [dict get $c words]" : ""}][expr {
            [my Scales] && [dict get $c efficiency] ne "" ? ", speed-up [lindex [my ScalingCells $c] 0], efficiency [lindex [my ScalingCells $c] 2]" : ""}]"
    }
    method Exported {} {
        return [concat {name name where where this value_a other value_b change change low low high high beyond_noise beyond how how} \
            [expr {[my Scales] ? {speedup speedup efficiency efficiency} : ""}]]
    }
}
