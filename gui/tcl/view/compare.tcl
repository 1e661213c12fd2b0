# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Two runs: what changed, with its interval; what is within noise is grey.

oo::class create ::heatscope::CompareView {
    superclass ::heatscope::View
    variable Path Bus Run Nav Db App Selection Model List By Rows ById Chosen SortColumn SortOrder Noise

    method name {} { return compare }
    method title {} { return Compare }
    method focusWidget {} { return $List }

    method Heading {head} {
        ttk::menubutton $head.title -style Rank.TMenubutton -text Compare -menu $head.title.menu -takefocus 0
        menu $head.title.menu
        foreach {by text} {procedure Procedures loop Loops line Lines module Modules} {
            $head.title.menu add command -label $text -command [namespace code [list my group $by]]
        }
        ttk::label $head.sub -style Card.Sub.TLabel
        pack $head.title -side left
        pack $head.sub -side left -padx [list [::heatscope::theme dp 8] 0]
    }
    method Build {body} {
        set Model [$App comparison]
        set By procedure
        set Rows {}
        set ById {}
        set Chosen {}
        set SortColumn change
        set SortOrder decreasing
        ttk::scrollbar $body.scroll -style Slim.Vertical.TScrollbar -orient vertical -command [namespace code {my Scroll}]
        set List [my Widget barlist $body.list -font HsUI -monofont HsUI -takefocus 1 -yscrollcommand [list $body.scroll set] \
            -heading 1 -height [::heatscope::theme dp 160] -rowheight [::heatscope::theme dp 22] \
            -empty "no second database: heatscope view DB DB2"]
        grid $List $body.scroll -sticky nswe
        grid columnconfigure $body 0 -weight 1
        grid rowconfigure $body 0 -weight 1
        bind $List <<ListPick>> [namespace code {my OnPick %d}]
        bind $List <<ListOpen>> [namespace code {my OnPick %d}]
        bind $List <<ListSort>> [namespace code {my OnSort %d}]
        bind $List <<HeatscopeHover>> [namespace code {my OnHover %d}]
        bind $List <g> "[namespace code {my nextGroup}]; break"
    }
    method Scroll {args} {
        $List yview {*}$args
    }
    method group {by} {
        set By $by
        set Chosen {}
        my Fill
    }
    method nextGroup {} {
        set all {procedure loop line module}
        my group [lindex $all [expr {([lsearch -exact $all $By] + 1) % 4}]]
    }
    method Show {changed} {
        if {[my Any $changed metric]} {
            my Fill
        }
        if {[my Any $changed procedure scope file line metric]} {
            my Mark
        }
    }
    method Fill {} {
        set Rows {}
        set ById {}
        if {![$Model any]} {
            my subtitle ""
            $List setrows {}
            return
        }
        set metric [dict get $Selection metric]
        set n 0
        foreach c [$Model changes $By $metric] {
            dict set c id $n
            lappend Rows $c
            dict set ById $n $c
            incr n
        }
        $Path.head.title configure -text [dict get {procedure "Compare procedures" loop "Compare loops" line "Compare lines" module "Compare modules"} $By]
        if {[$Model failed] ne ""} {
            $List configure -empty [$Model failed]
        }
        my subtitle "with [$Model title] ([$Model file]); grey: within noise"
        $List configure -columns [list [list name [string totitle $By] name 0] [list a "This run" text 9 right] [list b Other text 9 right] \
            [list bar "" change 12] [list change Change text 10 right] [list ratio Ratio text 7 right] [list interval "95% interval" text 17 right]] \
            -drop {interval ratio a b bar} -sortcolumn $SortColumn -sortorder $SortOrder
        my Sort
        my Mark
    }
    method Sort {} {
        set key [dict get {name name a value_a b value_b bar change change change ratio ratio interval change} $SortColumn]
        set rows [lsort -$SortOrder -command [list ::heatscope::CompareView::by $key] $Rows]
        set most 0
        foreach row $rows {
            set most [expr {max($most, abs([dict get $row change]))}]
        }
        set unit [dict get [$Db metric [dict get $Selection metric]] unit]
        $List setrows [lmap row $rows {
            set v [expr {$most > 0 ? [dict get $row change] / $most : 0}]
            list [dict get $row id] [list [dict get $row name] [expr {[dict get $row words] ne "" ? "[dict get $row where]  [dict get $row words]" : [dict get $row where]}]] \
                [::heatscope::fmt amount [dict get $row value_a] $unit] [::heatscope::fmt amount [dict get $row value_b] $unit] \
                [expr {[dict get $row beyond] ? [list $v] : [list $v grey]}] [my Signed [dict get $row change] $unit] \
                [expr {[dict get $row ratio] ne "" ? "[::heatscope::fmt ratio [dict get $row value_b] [dict get $row value_a]]\u00d7" : "\u2013"}] \
                "[my Signed [dict get $row low] $unit] \u2026 [my Signed [dict get $row high] $unit]"
        }]
    }
    method Signed {v unit} {
        return "[expr {$v > 0 ? "+" : $v < 0 ? "\u2212" : ""}][::heatscope::fmt amount [expr {abs($v)}] $unit]"
    }
    method Mark {} {
        set want [dict get {procedure procedure loop scope line -1 module -1} $By]
        set row [switch -- $By {
            line { expr {[dict get $Selection file] >= 0 ? [$Db findline [dict get $Selection file] [dict get $Selection line]] : -1} }
            module { list -1 }
            default { dict get $Selection $want }
        }]
        set Chosen {}
        foreach c $Rows {
            if {$row >= 0 && [dict get $c a] == $row} {
                set Chosen [dict get $c id]
                break
            }
        }
        $List configure -selected $Chosen
        if {$Chosen ne ""} {
            $List see $Chosen
        }
    }
    method OnPick {pick} {
        set id [dict get $pick id]
        if {![dict exists $ById $id]} {
            return
        }
        set c [dict get $ById $id]
        if {[dict get $c a] < 0} {
            my Read "[dict get $c name] is in the other run only"
        } elseif {$By eq "line"} {
            set line [$Db line [dict get $c a]]
            $Nav line compare [dict get $line file] [dict get $line line]
        } else {
            $Nav scope compare [dict get $c a]
        }
    }
    method OnSort {pick} {
        set column [dict get $pick column]
        if {$column in {bar interval}} {
            set column change
        }
        if {$column eq $SortColumn} {
            set SortOrder [expr {$SortOrder eq "decreasing" ? "increasing" : "decreasing"}]
        } else {
            set SortColumn $column
            set SortOrder [expr {$column eq "name" ? "increasing" : "decreasing"}]
        }
        $List configure -sortcolumn $SortColumn -sortorder $SortOrder
        my Sort
    }
    method OnHover {hit} {
        if {$hit eq "" || ![dict exists $hit id] || ![dict exists $ById [dict get $hit id]]} {
            my Read ""
            return
        }
        my Read [my Words [dict get $ById [dict get $hit id]]]
    }
    method Words {c} {
        set unit [dict get [$Db metric [dict get $Selection metric]] unit]
        return "[dict get $c name] [dict get $c where]: [::heatscope::fmt amount [dict get $c value_a] $unit] here,\
            [::heatscope::fmt amount [dict get $c value_b] $unit] there, [$Model amount $c [dict get $Selection metric]][expr {
            [dict get $c beyond] ? "" : ", within noise"}][expr {[dict get $c words] ne "" ? ", [dict get $c words]" : ""}]"
    }
    method table {} {
        set rows [list {name where this other change low high beyond_noise how}]
        foreach c $Rows {
            lappend rows [list [dict get $c name] [dict get $c where] [dict get $c value_a] [dict get $c value_b] [dict get $c change] \
                [dict get $c low] [dict get $c high] [dict get $c beyond] [dict get $c how]]
        }
        return $rows
    }
    method describe {} {
        if {![$Model any]} {
            return "Compare: no second database\n"
        }
        set out "Compare by $By: [my fullSubtitle]\n"
        foreach c [lrange $Rows 0 100] {
            append out [my Words $c]\n
        }
        return $out
    }
}
namespace eval ::heatscope::CompareView {
    # Changes by their size; what has no ratio comes last.
    proc by {key a b} {
        set x [dict get $a $key]
        set y [dict get $b $key]
        switch -- $key {
            name { return [string compare -nocase $x $y] }
            change {
                set x [expr {abs($x)}]
                set y [expr {abs($y)}]
            }
            ratio {
                set x [expr {$x eq "" ? -1 : $x}]
                set y [expr {$y eq "" ? -1 : $y}]
            }
        }
        return [expr {$x < $y ? -1 : $x > $y}]
    }
}
