# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The window: what keys do, and the sheet that lists them.

oo::define ::heatscope::App {
    # ---- keys ----

    method Keys {} {
        foreach {sequence action text} [::heatscope::settings keys] {
            bind $Top $sequence [namespace code [list my OnKey %W $sequence $action]]
        }
        # ahead of Tk's own walk through all widgets
        foreach sequence {<Tab> <<PrevWindow>>} {
            bind $Top $sequence "[bind $Top $sequence]; break"
        }
    }
    method OnKey {w sequence action} {
        if {![winfo exists $w] || [winfo toplevel $w] ne $Top} {
            return
        }
        set typing [expr {[winfo class $w] in {TEntry Entry}}]
        set letter [regexp {^<(?:[[:alpha:]]|question|Up|Down|Left|Right|Prior|Next|Home|End|Return|Escape)>$} $sequence]
        if {$typing && $letter} {
            return
        }
        # drawn widgets answer these keys by events of their own
        if {[lindex $action 0] in {move page edge} && [my HasOwnKeys $w]} {
            return
        }
        if {[lindex $action 0] eq "enter" && ([my HasOwnKeys $w] || [winfo class $w] eq "TButton")} {
            return
        }
        my {*}$action
    }
    method HasOwnKeys {w} {
        return [regexp {\.(heat|bars|gutter|scopes|map|list|time|cells|figure|land|graph|code)$} $w]
    }

    method move {rows columns} {
        if {$columns != 0} {
            [my view detail] cell $columns
        } else {
            $Nav move keys $rows 0
        }
    }
    method sideways {steps} { [my view detail] sideways $steps }
    method page {step} { [my view detail] page $step }
    method edge {which} { $Nav edge keys $which }
    method hot {step} {
        lassign [$Nav hot keys $step] i n
        if {$n ne ""} {
            my Tell "hot spot $i of $n" 1
        }
    }
    method hotPath {} {
        lassign [$Nav hotPath keys] i n
        if {$n ne ""} {
            my Tell "hot path, step $i of $n" 1
        } else {
            my Tell "no calling contexts in this database"
        }
    }
    method enter {} { $Nav enter keys }
    method leave {} {
        if {[winfo exists $Path.sheet]} {
            destroy $Path.sheet
        } elseif {[my stopWork]} {
            return
        } elseif {[[my view detail] closePopup]} {
            return
        } elseif {[$Bus get search] ne ""} {
            my endSearch
        } elseif {[$Panes maximised] ne ""} {
            my maximise [$Panes maximised]
        } elseif {[$Bus get interval] ne ""} {
            $Bus set keys interval {}
        } elseif {[$Bus get category] >= 0} {
            $Bus set keys category -1
        } elseif {[$Bus get processors] ne ""} {
            $Nav processors keys {}
        } else {
            $Nav leave keys
        }
    }
    method history {step} {
        if {![$Bus travel $step]} {
            my Tell [expr {$step < 0 ? "no earlier selection" : "no later selection"}]
        }
    }
    # One kind of time alone, by its number; -1: all.
    method category {k} {
        if {![$Nav category tools $k]} {
            my Tell "categories by line are not known: the database has no times (correlate --time=samples)"
        }
    }
    method nextCategory {} {
        if {[$Nav nextCategory keys]} {
            set k [$Bus get category]
            my Tell [expr {$k >= 0 ? "[$Run categoryName $k] only" : "all categories"}] 1
        } else {
            my category -1
        }
    }
    method cycle {key} {
        if {$key eq "show" && ![$Comparison any]} {
            my Tell "one database: heatscope view DB OTHER compares two"
            return
        }
        if {$key eq "axis"} {
            $Nav axis keys [expr {[$Bus get axis] eq "process" ? "thread" : "process"}]
            return
        }
        set choices [dict get [list bin [::heatscope::settings get words bins] scale [::heatscope::settings get words scales] \
            colours [::heatscope::settings get words colours] ranking [::heatscope::settings get words rankings] \
            show [::heatscope::settings get words shows] normalise [::heatscope::settings get words normalisations] lines [::heatscope::settings get words lines]] $key]
        set at [lsearch -exact $choices [$Bus get $key]]
        $Bus adjust keys $key [lindex $choices [expr {($at + 1) % [llength $choices]}]]
        if {$key eq "lines"} {
            my readOut ""
        } elseif {$key eq "ranking"} {
            # what a key changes is in sight
            $Panes front ranking
        }
    }
    method activeView {} {
        set w [focus -displayof $Top]
        foreach view [$Panes made] {
            if {$w ne "" && [string match [$view path].* $w]} {
                return [$view name]
            }
        }
        return detail
    }
    method nextView {step} {
        set shown {}
        foreach name [$Panes names] {
            if {[$Panes shown $name]} {
                lappend shown $name
            }
        }
        set at [lsearch -exact $shown [my activeView]]
        set next [lindex $shown [expr {($at + $step) % [llength $shown]}]]
        focus [[my view $next] focusWidget]
        my Tell "[string totitle $next]"
    }
    method copy {} {
        set name [my activeView]
        clipboard clear -displayof $Top
        clipboard append -displayof $Top -- [[my view $name] describe]
        my Tell "$name copied as text"
    }
    method help {} {
        set w $Path.sheet
        if {[winfo exists $w]} {
            destroy $w
            return
        }
        set t ::heatscope::theme
        ttk::frame $w -style Sheet.TFrame -padding [$t dp 1]
        # on a low window closer together
        set low [expr {[winfo height $Top] < [$t dp 800]}]
        set apart [expr {$low ? 0 : [$t dp 2]}]
        ttk::frame $w.in -style Card.TFrame -padding [$t dp [expr {$low ? 8 : 20}]]
        pack $w.in
        ttk::label $w.in.title -style Card.Title.TLabel -text "Keys"
        grid $w.in.title -sticky w -pady [list 0 [$t dp 10]]
        set n 0
        set rows {}
        foreach {sequence action text} [::heatscope::settings keys] {
            if {$text ne ""} {
                lappend rows [list [::heatscope::App::keyName $sequence] $text]
            }
        }
        foreach {view keys} [::heatscope::settings get viewKeys] {
            foreach {names text} $keys {
                lappend rows [list [join $names] "$view: $text"]
            }
        }
        set half [expr {([llength $rows] + 1) / 2}]
        if {$low} {
            foreach {mine font} {HsSheet HsSmall HsSheetB HsHeadB} {
                if {$mine ni [font names]} {
                    font create $mine
                }
                font configure $mine {*}[font configure $font]
            }
        }
        foreach row $rows {
            set r [expr {1 + $n % $half}]
            set c [expr {2 * ($n / $half)}]
            ttk::label $w.in.k$n -style Card.Head.TLabel -text [lindex $row 0]
            ttk::label $w.in.t$n -style Card.Sub.TLabel -text [lindex $row 1]
            if {$low} {
                $w.in.k$n configure -font HsSheetB
                $w.in.t$n configure -font HsSheet
            }
            grid $w.in.k$n -row $r -column $c -sticky w -padx [list [expr {$c ? [$t dp 28] : 0}] [$t dp 14]] -pady $apart
            grid $w.in.t$n -row $r -column [expr {$c + 1}] -sticky w
            incr n
        }
        if {$low} {
            my FitSheet
        }
        place $w -relx 0.5 -rely 0.5 -anchor center
        raise $w
    }
    # Large letters in a window that is not large become smaller, until all keys are in sight.
    method FitSheet {} {
        set w $Path.sheet
        update idletasks
        while {[winfo exists $w] && ([winfo reqwidth $w] > [winfo width $Top] || [winfo reqheight $w] > [winfo height $Top])
               && [font configure HsSheet -size] < -6} {
            foreach font {HsSheet HsSheetB} {
                font configure $font -size [expr {[font configure $font -size] + 1}]
            }
            update idletasks
        }
    }
}

namespace eval ::heatscope::App {
    proc keyName {sequence} {
        set name [string trim $sequence <>]
        set name [string map {Control- Ctrl- Key- {} Prior PageUp Next PageDown Return Enter Escape Esc PrevWindow Shift-Tab
            question ?} $name]
        return $name
    }
}
