# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Causes of waiting: who was late and what it did before, by loop, processor, late call or kind; beside it who waited, and where.

oo::class create ::heatscope::WaitingView {
    superclass ::heatscope::NotesView
    variable Path Bus Run Nav Db App Selection Rows ById List Chosen By Model

    method name {} { return waiting }
    method title {} { return "Causes of waiting" }
    method Groups {} { return {place "By loop" processor "By processor" call "By late call" kind "By kind"} }
    method GroupTitle {words} { return "Waiting [string tolower $words 0 0]" }

    method Build {body} {
        set Model [::heatscope::Waiting new $Run]
        my SplitNotes $body 1 -width [::heatscope::theme dp 480] -namedigits 19
    }
    destructor {
        $Model destroy
        next
    }
    method forget {} {
        next
        $Model forget
    }
    # Waits are timed, whatever the metric.
    method Reads {} { return {} }
    method FirstSort {} { return caused }
    method Columns {} {
        set columns [list [list name [dict get {place "What it did" processor Processor call "Late call" kind Kind} $By] name 0 left name]]
        if {$By in {place call}} {
            lappend columns {words "How, and the late call" name 23 left words}
        }
        lappend columns {bar "" bar 8 {} caused_s} {share Share percent 6 {} share} {caused Caused text 8 right caused_s}
        if {$By eq "processor"} {
            lappend columns {waited "Waited itself" text 10 right waited_s}
        }
        return [lappend columns {waits Waits count 6 {} waits} {most "Most for" text 7 right most}]
    }
    method Drop {} { return {most waits bar share words} }
    method Load {} {
        set rows [my Twins [$Model causes $By]]
        $List configure -empty [my NoneTimed "no waiting that others are the cause of"]
        return $rows
    }
    # Rows that only the column of late calls tells apart have these behind their place where it has no room.
    method Twins {rows} {
        foreach row $rows {
            dict lappend met [list [dict get $row name] [dict get $row did]] [lindex [dict get $row late] 1]
        }
        return [lmap row $rows {
            set places [dict get $met [list [dict get $row name] [dict get $row did]]]
            lassign [dict get $row late] kind late
            set place [dict get $row did]
            if {[llength $places] > 1 && $By eq "place"} {
                set alike [expr {[llength [lsort -unique $places]] < [llength $places]}]
                if {[regexp {([^ :]+):\d+$} $place - file] && [string match $file:* $late]} {
                    set late [string range $late [string length $file] end]
                }
                set place "$place \u2192 $late[expr {$alike ? ", $kind" : ""}]"
            }
            dict set row apart_by $place
        }]
    }
    method Compared {} { return {caused_s 1 s} }
    method OtherRows {model} { return [my Twins [$model causes $By]] }
    method Same {} { return [expr {$By eq "processor" ? "name" : "name where words"}] }
    method Alike {} { return [expr {$By eq "place" ? "kind is_call not_running calls own" : "kind"}] }
    # What was late, and the call that was late then.
    method Places {db row} {
        if {$By ni {place call}} {
            return {}
        }
        set late [my LineOf $db $row late_]
        if {$By eq "call"} {
            return [concat [expr {$late ne "" ? [list $late] : {}}] [expr {[dict get $row scope] >= 0 ? [list [list scope [dict get $row scope]]] : {}}]]
        }
        set at [expr {[dict get $row scope] >= 0 ? [list scope [dict get $row scope]] : {}}]
        if {[dict get $row waited_in] ne "" || $at eq ""} {
            set at [concat [my LineOf $db $row] $at]
        }
        set place [concat $at $late]
        return [expr {$place ne "" ? [list $place] : {}}]
    }
    method Cells {row} {
        set cells [list [list [dict get $row name] [dict get $row did] {} words [dict get $row apart_by]]]
        if {$By in {place call}} {
            lappend cells [dict get $row late]
        }
        lappend cells [dict get $row caused_s] [dict get $row share] [::heatscope::fmt seconds [dict get $row caused_s]]
        if {$By eq "processor"} {
            lappend cells [::heatscope::fmt seconds [dict get $row waited_s]]
        }
        return [lappend cells [dict get $row waits] [dict get $row most]]
    }
    method TheirCell {column row} {
        set cause [dict get $row theirs]
        return [switch -- [lindex $column 0] {
            name {
                lassign [lmap key {did apart_by} {
                    string cat "only in the other run" [expr {[dict get $cause $key] ne "" ? " \u00b7 [dict get $cause $key]" : ""}]
                }] did apart
                list [dict get $row name] $did muted words $apart
            }
            words { dict get $cause late }
            default { next $column $row }
        }]
    }
    method TheirWords {row} {
        set words [dict get $row theirs words]
        return "[string trim "[dict get $row name] [dict get $row where]"][expr {$words ne "" ? ", $words" : ""}]: only in the other run"
    }
    method Beside {} {
        set parts {}
        if {[$Model any]} {
            lappend parts "[::heatscope::fmt seconds [$Model total]] waited for others" [my Timed {timed, not sampled}]
        }
        if {[$Run silentOpenmp] ne ""} {
            lappend parts "no wait of [$Run silentOpenmp] was timed"
        }
        return [join $parts " \u00b7 "]
    }
    method Current {} {
        set found [switch -- $By {
            processor { my RowWith {my AtColumn} }
            place - call { my RowWith {my AtCause} }
        }]
        return [expr {$found ne "" ? $found : [my Kept]}]
    }
    # On the selected line, or in the selected loop?
    method AtCause {row} {
        return [expr {[my AtLine $row] || ([dict get $row scope] >= 0 && [dict get $row scope] == [dict get $Selection scope])}]
    }
    method Notes {row} { return [$Model notes $By $row] }
    method NotesBy {model row metric} { return [$model notes $By [dict get $row id]] }
    method Chart {row} {
        if {![$Model any]} {
            return {}
        }
        set axis [$Model axis]
        set values [$Model waited $By $row]
        set most [expr {[llength $values] ? [lindex [lsort -real -decreasing $values] 0] : 0}]
        if {$most <= 0} {
            return {}
        }
        set who [$Run columnLabel $axis [lsearch -exact $values $most]]
        return [dict create title "Who waited[expr {$row eq "" ? "" : " for it"}], by [lindex [$Run words $axis] 0] \u00b7 most $who: [::heatscope::fmt seconds $most]" \
            values $values labels [$Run labels $axis] words [namespace code [list my Waited $row]]]
    }
    method Waited {row index} {
        return "[$Run columnLabel [$Model axis] $index] waited [::heatscope::fmt seconds [lindex [$Model waited $By $row] $index]]"
    }
    method ChartGo {index} {
        if {[dict get $Selection axis] eq [$Model axis]} {
            $Nav column waiting $index
        }
    }
    method Go {row} {
        if {[dict get $row file] >= 0 && [dict get $row line] > 0} {
            $Nav line waiting [dict get $row file] [dict get $row line]
        } elseif {[dict get $row scope] >= 0} {
            $Nav scope waiting [dict get $row scope]
        } elseif {$By eq "processor" && [dict get $Selection axis] eq "process"} {
            $Nav column waiting [dict get $row process]
        }
        my Mark
    }
    method Words {row} {
        set text [string trim "[dict get $row name] [dict get $row where]"]
        if {[dict get $row words] ne ""} {
            append text ", [dict get $row words]"
        }
        append text ": others waited [::heatscope::fmt seconds [dict get $row caused_s]], [::heatscope::fmt percent [dict get $row share] 1] of all,\
            in [::heatscope::fmt plural [dict get $row waits] wait]"
        if {$By eq "processor"} {
            append text "; waited itself [::heatscope::fmt seconds [dict get $row waited_s]]"
        } elseif {[dict get $row most] ne ""} {
            append text "; most for [dict get $row most]: [::heatscope::fmt seconds [dict get $row most_s]]"
        }
        return $text
    }
    method Exported {} {
        return {name name where where made_wait_by words caused_s caused_s direct_s direct_s share share waits waits waited_itself_s waited_s
            threads threads most_thread most most_s most_s}
    }
}
