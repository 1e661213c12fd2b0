# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The source folded to its procedures and loops, in the order of the files: light bars inclusive, dark ones exclusive time; a second
# column for communication (dark) and waiting (light).

oo::class create ::heatscope::OutlineView {
    superclass ::heatscope::ListView
    variable Path Bus Run Nav Db App Selection Rows ById List Chosen SortColumn SortOrder Narrow Names Total Kinds Thin

    method name {} { return outline }
    method title {} { return Outline }
    method FirstSort {} { return name }

    method Build {body} {
        set SortOrder increasing
        set Narrow 0
        set Names {}
        set Thin 0
        my MakeList $body -namedigits 13 -empty "no procedure with lines has samples"
        bind $List <Configure> +[namespace code {my OnSize %w}]
    }
    # Names have the first claim on the room.
    method OnSize {width} {
        set narrow [expr {$width < [::heatscope::theme dp 400]}]
        if {$narrow != $Narrow} {
            set Narrow $narrow
            my Arrange
            my Sort
        }
    }
    method Columns {} {
        lassign [expr {$Narrow ? {5 6 Comm.} : {13 13 "Comm., waiting"}}] time comm title
        return [list [list name [expr {$Narrow ? "Scopes" : "Procedures and loops"}] name 0 left order] [list bar Time nested $time {} share] {share "%" percent 6 right share} \
            [list comm $title nested $comm {} messages] {line Line text 6 right line}]
    }
    method Drop {} { return {line share comm} }
    # A narrow column has room for the bar alone.
    method ChangeColumns {} {
        return [expr {$Narrow ? {{changebar Change change 6 {} {change size}} {change "Other run" text 15 right {}}} : [next]}]
    }
    method ChangeOrder {} { return [expr {$Narrow ? {change changebar} : [next]}] }
    method Beside {} { return "dark: by itself" }

    # Procedures and loops that take part, by file and line; those that took nothing are folded away. In the order of the source, with nothing to
    # be looked for in them, rows have their place alone until they are seen (Whole): of some hundred the window shows a few.
    method Load {} {
        set Total [expr {double([$Run total [dict get $Selection metric]])}]
        set Kinds [list [my Category communication] [my Category waiting]]
        set found [$Db outline -n 600 -least 0.0002 {*}[my Common]]
        # names are the same in all intervals, and take longer than all else; in the whole run values are read a few at a time
        set known [dict size $Names]
        set rows {}
        set order 0
        set Thin [expr {$known && ![my Contrasts] && [my SortMark] eq "" && $SortOrder eq "increasing" && [dict get $Selection search] eq ""}]
        if {$Thin} {
            return [lmap row $found {dict create id [lindex $row 0] of $row order [incr order]}]
        }
        set first [::heatscope::settings get firstRanked]
        for {set at 0} {$at < [llength $found]} {incr at $first} {
            ::heatscope::breathe
            set some [lrange $found $at [expr {$at + $first - 1}]]
            foreach row $some values [my ValuesOf $some] {
                if {![dict exists $Names [lindex $row 0]]} {
                    ::heatscope::breathe
                }
                lappend rows [my RowOf $row $values [incr order]]
            }
            if {!$known && $at == 0 && $order < [llength $found]} {
                my SoFar $rows $order [llength $found]
            }
        }
        return $rows
    }
    method ValuesOf {found} {
        return [$Db scopevalues [lmap row $found {lindex $row 0}] $Kinds -metric [dict get $Selection metric]]
    }
    method RowOf {found values order} {
        lassign $found s kind line sum
        lassign $values own comm wait
        if {![dict exists $Names $s]} {
            dict set Names $s [my NameOf $s]
        }
        lassign [dict get $Names $s] name last where
        return [dict create id $s kind $kind name $name last $last where $where share [expr {$sum / $Total}] own [expr {$own / $Total}] \
            comm [expr {$comm / $Total}] messages [expr {($comm + $wait) / $Total}] sum $sum own_sum $own line $line order $order]
    }
    # A row with all that is known of it.
    method Whole {row} {
        if {![dict exists $row of]} {
            return $row
        }
        set found [dict get $row of]
        return [my RowOf $found [lindex [my ValuesOf [list $found]] 0] [dict get $row order]]
    }
    # All of them.
    method MakeWhole {} {
        if {$Thin} {
            set Thin 0
            my Put [lmap row $Rows values [my ValuesOf [lmap row $Rows {dict get $row of}]] {
                my RowOf [dict get $row of] $values [dict get $row order]
            }]
        }
    }
    # Their values are of another interval: those of before are not known any more.
    method forget {} {
        next
        if {$Thin && ![winfo ismapped $Path]} {
            set Thin 0
            my Put {}
        }
    }
    method sort {args} {
        my MakeWhole
        next {*}$args
    }
    method MarkHits {} {
        if {[dict get $Selection search] ne ""} {
            my MakeWhole
        }
        next
    }
    method table {} {
        my MakeWhole
        return [next]
    }
    # {NAME LAST WHERE}: with its depth, without its class, and where it is.
    method NameOf {scope} {
        set facts [$Db scope $scope]
        set name [::heatscope::fmt plain [$Run scopeName $scope]]
        set line [dict get $facts line_begin]
        if {[dict get $facts kind] eq "procedure"} {
            return [list $name [$Run lastName $scope] [$Run fileName [dict get $facts file]]:$line]
        }
        set name "[string repeat \u2002 [expr {min(6, max(1, [dict get $facts depth]))}]]$name"
        return [list $name [::heatscope::fmt lastName $name] :$line]
    }
    method Compared {} {
        set m [$Run metric [dict get $Selection metric]]
        return [list here [dict get $m scale] [dict get $m unit]]
    }
    # Of procedures (with their loops) and loops themselves, without what they call, matched as everywhere; `here` is what this run has of that, which
    # `own_sum` is only a part of where something was inlined. Regions go with their procedures.
    method Contrast {rows} {
        if {![my Contrasts]} {
            return $rows
        }
        set metric [dict get $Selection metric]
        set scale [$Run scale $metric]
        set changes [dict merge [[$App comparison] of procedure $metric] [[$App comparison] of loop $metric]]
        my AddTheirs $rows $metric $scale
        set there [[$App comparison] there scope [lmap row $rows {dict get $row id}]]
        return [lmap row $rows other $there {
            set own [expr {$other >= 0 || [dict get $row kind] eq "region" ? 0 : [dict get $row own_sum]}]
            set more [dict create here $own other "" change "" beyond 0]
            if {[dict exists $changes [dict get $row id]]} {
                set c [dict get $changes [dict get $row id]]
                set more [dict create here [expr {[dict get $c value_a] / $scale}] other [expr {[dict get $c value_b] / $scale}] \
                    change [expr {[dict get $c change] / $scale}] beyond [dict get $c beyond]]
            }
            dict merge $row $more
        }]
    }
    # As of this run: those that take part, and have lines.
    method AddTheirs {rows metric scale} {
        set comparison [$App comparison]
        set theirs [$comparison metric $metric]
        if {$theirs < 0} {
            return
        }
        set there [$comparison run]
        set least [expr {0.0002 * [$there total $theirs] * [$there scale $theirs]}]
        set known {}
        foreach row $rows {
            dict set known [dict get $row id] 1
        }
        set out {}
        foreach kind {procedure loop} {
            foreach c [$comparison alone $kind $metric] {
                if {[dict get $c value_b] >= $least && ![dict exists $known [dict get $c a]] && [dict get [[$there db] scope [dict get $c b]] line_begin] > 0} {
                    lappend out [list [dict get $c name] [dict get $c where] [expr {[dict get $c value_b] / $scale}] \
                        [list [list scope [dict get $c b]]] $c last [::heatscope::fmt lastName [dict get $c name]] beyond [dict get $c beyond]]
                }
            }
        }
        my SetTheirs $out
    }
    method TheirCell {column row} {
        if {$Narrow && [lindex $column 0] eq "name"} {
            return [list [dict get $row last] [my TheirWhere $row] muted]
        }
        return [next $column $row]
    }
    method Beyond {row} { return [dict get $row beyond] }
    method Category {name} {
        for {set k 0} {$k < [$Run info categories]} {incr k} {
            if {[$Db category $k] eq $name} {
                return $k
            }
        }
        return -1
    }
    method Cells {row} {
        set row [my Whole $row]
        # in a narrow column what tells members of one class from each other
        return [list [list [dict get $row [expr {$Narrow ? "last" : "name"}]] [dict get $row where]] [list [dict get $row share] [dict get $row own]] \
            [dict get $row share] [list [dict get $row messages] [dict get $row comm]] [dict get $row line]]
    }
    method Current {} {
        foreach key {scope procedure} {
            if {[dict exists $ById [dict get $Selection $key]]} {
                return [dict get $Selection $key]
            }
        }
        return ""
    }
    method Go {row} {
        $Nav scope outline [dict get $row id]
    }
    method Words {row} {
        set row [my Whole $row]
        return "[string trim "[dict get $row name] [dict get $row where]"]: [::heatscope::fmt percent [dict get $row share] 1] with all it calls,\
            [::heatscope::fmt percent [dict get $row own] 1] itself, [::heatscope::fmt percent [dict get $row comm] 1] communication,\
            [::heatscope::fmt percent [dict get $row messages] 1] with waiting"
    }
    method Exported {} {
        return {name name where where inclusive share exclusive own communication comm with_waiting messages}
    }
}
