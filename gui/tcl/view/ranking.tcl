# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The ranked list: procedures, loops, lines, modules or contexts by exclusive time.

oo::class create ::heatscope::RankingView {
    superclass ::heatscope::View
    variable Path Bus Run Nav Db App Selection List Rows ById SortColumn SortOrder Width Changes Most

    method name {} { return ranking }
    method title {} { return Procedures }
    method focusWidget {} { return $List }

    method Heading {head} {
        ttk::menubutton $head.title -style Rank.TMenubutton -text Procedures -menu $head.title.menu -takefocus 0
        menu $head.title.menu
        foreach {what text} {procedure Procedures loop Loops line Lines module Modules context Contexts} {
            $head.title.menu add command -label $text -command [namespace code [list my Rank $what]]
        }
        ttk::label $head.sub -style Card.Sub.TLabel -text "by exclusive time"
        pack $head.title -side left
        pack $head.sub -side left -padx [list [::heatscope::theme dp 8] 0]
    }
    method Rank {what} {
        $Bus adjust ranking ranking $what
    }

    method Build {body} {
        set SortColumn share
        set SortOrder decreasing
        set Width 0
        set Changes {}
        set Most 0
        set Rows {}
        set ById {}
        ttk::scrollbar $body.scroll -style Slim.Vertical.TScrollbar -orient vertical -command [namespace code {my Scroll}]
        set List [my Widget barlist $body.list -font HsUI -monofont HsMono -takefocus 1 \
            -yscrollcommand [list $body.scroll set] -heading 1 -height [::heatscope::theme dp 260] \
            -rowheight [::heatscope::theme dp 25] -empty "no samples"]
        grid $List $body.scroll -sticky nswe
        grid columnconfigure $body 0 -weight 1
        grid rowconfigure $body 0 -weight 1
        bind $List <Configure> +[namespace code {my OnSize}]
        bind $List <<ListPick>> [namespace code {my OnPick %d}]
        bind $List <<ListOpen>> [namespace code {my OnOpen %d}]
        bind $List <<ListSort>> [namespace code {my OnSort %d}]
        bind $List <<ListOutline>> [namespace code {my OnOutline}]
        bind $List <<HeatscopeHover>> [namespace code {my OnHover %d}]
    }
    method Scroll {args} {
        $List yview {*}$args
    }

    method Show {changed} {
        if {[my Any $changed ranking metric axis]} {
            my Fill
            set changed [list procedure scope file line context]
        }
        if {[my Any $changed procedure scope file line context ranking]} {
            my Mark
        }
    }

    # "by exclusive time", "by MPI time"; and its short form over the column
    method Heads {} {
        set metric [dict get $Selection metric]
        if {![$Run exact $metric]} {
            return {Time "by exclusive time"}
        }
        set name [::heatscope::fmt plain [lindex [$Run metrics] $metric]]
        return [list Share "by $name"]
    }
    method Fill {} {
        set what [dict get $Selection ranking]
        set words {procedure {Procedures Procedure} loop {Loops Loop} line {Lines Line} module {Modules Module}
            context {Contexts Context}}
        lassign [dict get $words $what] many one
        $Path.head.title configure -text $many
        my subtitle [lindex [my Heads] 1]
        set Rows [$Run ranking $what [dict get $Selection metric] [dict get $Selection axis]]
        set ById {}
        set top 0
        foreach row $Rows {
            dict set ById [dict get $row row] $row
            set top [expr {max($top, [dict get $row share])}]
        }
        set Width [my BarWidth]
        $List configure -columns [list [list name $one name 0] [list bar "" bar [my BarWidth]] [list share [lindex [my Heads] 0] percent 6] \
            [list imbalance "Max/mean" number 8] {*}[my ChangeColumn]] -drop {bar imbalance} -barmax [expr {$top > 0 ? $top : 1}] \
            -sortcolumn $SortColumn -sortorder $SortOrder
        my Sort
    }
    # In digits; the names have the first claim on the room.
    method BarWidth {} {
        set w [winfo width $List]
        return [expr {$w > 1 && $w < [::heatscope::theme dp 320] ? 4 : 8}]
    }
    method OnSize {} {
        if {$Width != [my BarWidth]} {
            my Fill
            my Mark
        }
    }
    method Sort {} {
        set rows $Rows
        switch -- $SortColumn {
            imbalance { set rows [lsort -$SortOrder -command ::heatscope::RankingView::byImbalance $rows] }
            name {
                set keyed {}
                foreach row $rows {
                    lappend keyed [list [lindex [my Name $row] 0] $row]
                }
                set rows [lmap pair [lsort -dictionary -$SortOrder -index 0 $keyed] {lindex $pair 1}]
            }
            default {
                if {$SortOrder eq "increasing"} {
                    set rows [lreverse $rows]
                }
            }
        }
        set shown {}
        foreach row $rows {
            lappend shown [my Cells $row]
        }
        $List setrows $shown
    }
    # With a second run: how it differs, to the left less, to the right more.
    method ChangeColumn {} {
        set Changes {}
        set Most 0
        set what [dict get $Selection ranking]
        if {![[$App comparison] any] || $what eq "context"} {
            return {}
        }
        foreach c [[$App comparison] changes $what [dict get $Selection metric]] {
            dict set Changes [dict get $c a] $c
            set Most [expr {max($Most, abs([dict get $c change]))}]
        }
        return [list [list change Change change 8]]
    }
    method Change {row} {
        if {![dict exists $Changes $row] || $Most <= 0} {
            return 0
        }
        set c [dict get $Changes $row]
        set v [expr {[dict get $c change] / $Most}]
        return [expr {[dict get $c beyond] ? [list $v] : [list $v grey]}]
    }
    method Cells {row} {
        set imbalance [dict get $row imbalance]
        set number [format %.2f $imbalance]
        return [list [dict get $row row] [my Name $row] [dict get $row share] [dict get $row share] \
            [expr {$imbalance > [::heatscope::settings get imbalance] && [dict get $row share] >= 0.001
                   ? [list $number warn] : $number}] {*}[expr {$Most > 0 ? [list [my Change [dict get $row row]]] : {}}]]
    }
    # {main sub} of a row
    method Name {row} {
        switch -- [dict get $Selection ranking] {
            line {
                set name [::heatscope::fmt plain [dict get $row filename]]
                return [list "$name:[dict get $row line]" [::heatscope::fmt shortName [dict get $row procedure]]]
            }
            module {
                return [list [::heatscope::fmt plain [::heatscope::fmt baseName [dict get $row name]]] ""]
            }
            context {
                set name [$Run scopeTitle [dict get $row scope]]
                if {[dict get $row kind] eq "loop" && [dict get $row line] > 0} {
                    append name :[dict get $row line]
                }
                return [list $name [my From $row]]
            }
        }
        set file {}
        if {[dict get $row filename] ne ""} {
            set file [::heatscope::fmt plain [::heatscope::fmt baseName [dict get $row filename]]]
            if {[dict get $row line_begin] > 0} {
                append file :[dict get $row line_begin]
            }
        }
        set name [::heatscope::fmt shortName [dict get $row name]]
        if {[dict get $row kind] ne "procedure" && [dict get $row procedure] >= 0} {
            set name "[::heatscope::fmt lastName [$Run scopeName [dict get $row procedure]]] $name:[dict get $row line_begin]"
        } elseif {[set last [::heatscope::fmt lastName $name]] ne $name} {
            # a method: its own name first, then its class in place of the file
            return [list $last [string range $name 0 end-[expr {[string length $last] + 2}]]]
        }
        return [list $name $file]
    }

    # The nearest procedure above a context that is another one than its own.
    method From {row} {
        set own [dict get [$Db scope [dict get $row scope]] procedure]
        # parents come before their children in the table: what does not go up ends here
        set below [dict get $row row]
        for {set up [dict get $row parent]} {$up >= 0 && $up < $below} {set up [dict get $facts parent]} {
            set below $up
            set facts [$Db context $up]
            if {[dict get $facts kind] in {procedure inlined} && [dict get $facts scope] != $own} {
                return "from [::heatscope::fmt shortName [dict get $facts name]]"
            }
        }
        return ""
    }

    # The id of the list's row that the selection stands for, "" for none.
    method Current {} {
        set s $Selection
        switch -- [dict get $s ranking] {
            procedure { return [expr {[dict get $s procedure] >= 0 ? [dict get $s procedure] : ""}] }
            loop {
                set scope [dict get $s scope]
                if {$scope >= 0 && [dict get [$Db scope $scope] kind] eq "loop"} {
                    return $scope
                }
            }
            line {
                if {[dict get $s file] >= 0} {
                    set row [$Db findline [dict get $s file] [dict get $s line]]
                    if {$row >= 0} {
                        return $row
                    }
                }
            }
            module {
                set scope [dict get $s scope]
                while {$scope > 0} {
                    set facts [$Db scope $scope]
                    if {[dict get $facts kind] eq "module"} {
                        return $scope
                    }
                    set scope [expr {[dict get $facts parent] < $scope ? [dict get $facts parent] : -1}]
                }
            }
            context {
                if {[dict get $s context] >= 0} {
                    return [dict get $s context]
                }
            }
        }
        return ""
    }
    method Mark {} {
        set id [my Current]
        set pinned {}
        if {$id ne "" && ![dict exists $ById $id]} {
            set pinned [my Pinned $id]
        }
        if {$pinned eq "" && $id ne ""} {
            set pinned [my Cells [dict get $ById $id]]
            lset pinned 1 0 "[my Place $id]. [lindex $pinned 1 0]"
        }
        $List configure -selected $id -pinned $pinned
    }
    method Place {id} {
        set n 1
        foreach row $Rows {
            if {[dict get $row row] == $id} {
                return $n
            }
            incr n
        }
        return 0
    }
    # A row for what is not among the first.
    method Pinned {id} {
        set what [dict get $Selection ranking]
        set table [dict get {procedure scope_excl loop scope_excl module scope_excl line line context context_excl} $what]
        set options [list -metric [dict get $Selection metric] -axis [dict get $Selection axis]]
        set rank 0
        if {$what in {procedure loop}} {
            lappend kind -kind $what
        } else {
            set kind {}
        }
        catch {set rank [$Db rank -table $table -row $id {*}$kind {*}$options]}
        if {$what in {procedure module}} {
            set stats [$Db procstats $id {*}$options]
        } else {
            set stats [lindex [$Db stats -table $table -rows [list $id 1] {*}$options] 0]
        }
        set total [$Run total [dict get $Selection metric]]
        set share [expr {$total > 0 ? [dict get $stats sum] / $total : 0.0}]
        set row [dict create row $id share $share imbalance \
            [expr {[dict get $stats mean] > 0 ? [dict get $stats max] / [dict get $stats mean] : 0.0}]]
        switch -- $what {
            line {
                set facts [$Db line $id]
                set scope [dict get $facts scope]
                set procedure [expr {$scope >= 0 ? [dict get [$Db scope $scope] procedure] : -1}]
                set row [dict merge $facts $row [dict create filename [dict get [$Db file [dict get $facts file]] name] \
                    procedure [$Run scopeName $procedure]]]
            }
            context { set row [dict merge [$Db context $id] $row] }
            default {
                set facts [$Db scope $id]
                set filename [expr {[dict get $facts file] >= 0 ? [dict get [$Db file [dict get $facts file]] name] : ""}]
                set row [dict merge $facts $row [dict create filename $filename]]
            }
        }
        set cells [my Cells $row]
        if {$rank > 0} {
            lset cells 1 0 "$rank. [lindex $cells 1 0]"
        }
        return $cells
    }

    method OnPick {pick} {
        set id [dict get $pick id]
        switch -- [dict get $Selection ranking] {
            procedure { $Nav procedure ranking $id }
            loop - module { $Nav scope ranking $id }
            line {
                set facts [$Db line $id]
                $Nav line ranking [dict get $facts file] [dict get $facts line]
            }
            context { $Nav context ranking $id }
        }
    }
    method OnOpen {pick} {
        my OnPick $pick
        $Bus flush
        $Nav enter ranking
    }
    method OnSort {where} {
        set column [dict get $where column]
        if {$column eq "bar"} {
            set column share
        }
        # a click on the title row also outlines all in the overview
        $Bus adjust ranking outlineAll [expr {![$Bus get outlineAll]}]
        if {$column eq $SortColumn} {
            if {$column ne "share"} {
                set SortOrder [expr {$SortOrder eq "decreasing" ? "increasing" : "decreasing"}]
            }
        } else {
            set SortColumn $column
            set SortOrder [expr {$column eq "name" ? "increasing" : "decreasing"}]
        }
        $List configure -sortcolumn $SortColumn -sortorder $SortOrder
        my Sort
        my Mark
    }
    method OnOutline {} {
        $Bus adjust ranking outlineAll [expr {![$Bus get outlineAll]}]
    }
    method OnHover {hit} {
        if {$hit eq "" || ![dict exists $hit id] || ![dict exists $ById [dict get $hit id]]} {
            my Read ""
            return
        }
        set row [dict get $ById [dict get $hit id]]
        lassign [my Name $row] main sub
        if {[dict get $Selection ranking] eq "procedure"} {
            set main [::heatscope::fmt elide [::heatscope::fmt plain [dict get $row name]] 160]
        }
        my Read "$main[expr {$sub ne "" ? " ($sub)" : ""}]: [my Samples [dict get $row sum]],\
            [$Run amount [dict get $Selection metric] [dict get $row sum]],\
            [::heatscope::fmt percent [dict get $row share] 1 2] \u00b7 min\
            [::heatscope::fmt short [dict get $row min]] on [my Label [dict get $row min_column]], max\
            [::heatscope::fmt short [dict get $row max]] on [my Label [dict get $row max_column]]"
    }
    method table {} {
        set rows [list {name where value share max_over_mean}]
        foreach row $Rows {
            lappend rows [list {*}[my Name $row] [dict get $row sum] [dict get $row share] [dict get $row imbalance]]
        }
        return $rows
    }
    method describe {} {
        return "[$Path.head.title cget -text]\n[$List describe]"
    }
}
namespace eval ::heatscope::RankingView {}
proc ::heatscope::RankingView::byImbalance {a b} {
    set x [dict get $a imbalance]
    set y [dict get $b imbalance]
    return [expr {$x < $y ? -1 : $x > $y}]
}
