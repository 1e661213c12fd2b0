# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Arrays: time of the lines that refer to them, messages that carry them, all their references.

oo::class create ::heatscope::ArraysView {
    superclass ::heatscope::NotesView
    variable Path Bus Run Nav Db App Selection Rows ById List Chosen By Model

    method name {} { return arrays }
    method title {} { return Arrays }

    method Build {body} {
        set Model [::heatscope::Arrays new $Run]
        my SplitNotes $body 0 -width [::heatscope::theme dp 480] -empty [$Model nothing]
    }
    destructor {
        $Model destroy
        next
    }
    method forget {} {
        next
        $Model forget
    }
    method Searched {row} { return "[dict get $row whole] [dict get $row where]" }
    method Columns {} {
        return [list {name Array name 0 left name} {bar "" bar 6 {} share} [list share [expr {[$Run exact [dict get $Selection metric]] ? "Share" : "Time"}] percent 6 {} share] \
            {references Refs count 5 {} references} {bytes Messages text 9 right bytes} {mpi "In calls" text 8 right mpi_s} \
            {waiting Waiting text 8 right waiting_s}]
    }
    method Drop {} { return {bar references mpi bytes waiting} }
    method Load {} { return [$Model rows [dict get $Selection metric]] }
    method Compared {} {
        set m [$Run metric [dict get $Selection metric]]
        return [list cost [dict get $m scale] [dict get $m unit]]
    }
    # In the units of this run's metric.
    method OtherRows {model} {
        set comparison [$App comparison]
        set metric [$comparison metric [dict get $Selection metric]]
        if {$metric < 0} {
            return {}
        }
        set by [expr {[[$comparison run] scale $metric] / [$Run scale [dict get $Selection metric]]}]
        return [lmap row [$model rows $metric] {dict set row cost [expr {[dict get $row cost] * $by}]}]
    }
    method Cells {row} {
        set none \u2013
        return [list [list [dict get $row name] [dict get $row where]] [dict get $row share] [dict get $row share] [dict get $row references] \
            [expr {[dict get $row bytes] > 0 ? [::heatscope::fmt amount [dict get $row bytes] B] : $none}] \
            [expr {[dict get $row mpi_s] > 0 ? [::heatscope::fmt seconds [dict get $row mpi_s]] : $none}] \
            [expr {[dict get $row waiting_s] > 0 ? [::heatscope::fmt seconds [dict get $row waiting_s]] : $none}]]
    }
    method Beside {} {
        return [expr {[llength $Rows] ? "time of the lines that refer to them \u00b7 messages [my Timed timed]" : ""}]
    }
    method Current {} {
        return [my Kept]
    }
    method Marks {} { return {metric} }
    method Notes {id} {
        return [expr {[dict exists $ById $id] ? [my NotesBy $Model [dict get $ById $id] [dict get $Selection metric]] : {}}]
    }
    method NotesBy {model row metric} {
        # as the model has it: with the other run's in units of this one it is compared only
        foreach own [$model rows $metric] {
            if {[dict get $own id] eq [dict get $row id]} {
                return [$model notes $own $metric]
            }
        }
        return {}
    }
    # To its dearest place.
    method Go {row} {
        my Mark
        if {[dict get $row array] < 0} {
            return
        }
        set best {}
        foreach u [$Model uses [dict get $row array] [dict get $Selection metric]] {
            if {[dict get $u file] >= 0 && [dict get $u line] > 0
                && ($best eq "" || [dict get $u value] > [dict get $best value])} {
                set best $u
            }
        }
        if {$best ne ""} {
            $Nav line arrays [dict get $best file] [dict get $best line]
        }
    }
    method Words {row} {
        set metric [dict get $Selection metric]
        set text "[dict get $row whole] [dict get $row where]: [$Run amount $metric [dict get $row cost]], [::heatscope::fmt percent [dict get $row share] 1],\
            by [::heatscope::fmt plural [dict get $row references] reference] in loops of [$Run amount $metric [dict get $row inside]]"
        if {[dict get $row calls] > 0} {
            append text "; [::heatscope::fmt amount [dict get $row bytes] B] in [::heatscope::fmt plural [dict get $row calls] call],\
                [::heatscope::fmt seconds [dict get $row mpi_s]], waiting [::heatscope::fmt seconds [dict get $row waiting_s]]"
        }
        return $text
    }
    method Same {} { return {whole same} }
    method TheirWords {row} { return "[dict get $row whole] [dict get $row where]: only in the other run" }
    method Exported {} {
        return {array whole where where cost cost share share inside inside references references calls calls sent_bytes sent_bytes
            received_bytes received_bytes mpi_s mpi_s waiting_s waiting_s packing packing unpacking unpacking}
    }
}
