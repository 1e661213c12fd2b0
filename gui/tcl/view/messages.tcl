# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Message passing: calls by place, operation, partner, size or process; sizes and durations of the chosen ones as
# histograms; who sends how much to which kind of partner.

oo::class create ::heatscope::MessagesView {
    superclass ::heatscope::ListView
    variable Path Bus Run Nav Db App Selection Rows ById List Chosen By Model Charts Places

    method name {} { return messages }
    method title {} { return Messages }
    method Groups {} { return {call "By call" operation "By operation" partner "By kind of partner" size "By size" process "By process"} }
    method GroupTitle {words} { return "Messages [string tolower $words 0 0]" }

    method Build {body} {
        set Model [::heatscope::Messages new $Run]
        set Places {}
        set right [my SplitList $body {3 2} -width [::heatscope::theme dp 480]]
        set Charts [canvas $right.charts -highlightthickness 0 -borderwidth 0 -width [::heatscope::theme dp 260] -height 10]
        pack $Charts -fill both -expand 1 -padx [::heatscope::theme dp 8] -pady [::heatscope::theme dp 4]
        bind $Charts <Configure> +[namespace code {my Draw}]
        bind $Charts <Motion> [namespace code {my HoverChart %x %y}]
        bind $Charts <Leave> [namespace code {my Read ""}]
    }
    destructor {
        $Model destroy
        next
    }
    method forget {} {
        next
        $Model forget
    }
    method themed {} {
        $Charts configure -background [::heatscope::theme colour card]
        my Draw
    }

    # ---- the rows ----

    # Messages are timed and counted, whatever the metric.
    method Reads {} { return {} }
    method Marks {} { return {file line column} }
    method Columns {} {
        return [list [list name [dict get {call Call operation Operation partner Partners size Size process Process} $By] name 0 left name] \
            {bar "" bar 5 {} share} {share Time percent 6 {} share} {amount "" text 7 right duration_s} {calls Calls count 5 {} calls} \
            {sent Sent text 7 right sent_bytes} {mean "Mean size" text 8 right size_mean} {longest Longest text 7 right duration_max_s}]
    }
    # of two runs what changed is the last to go
    method Drop {} { return [concat {longest mean amount calls sent} [expr {[my Contrasts] ? "bar share" : ""}]] }
    method Load {} {
        set rows [lmap row [$Model groups $By] {
            dict set row id [dict get $row group]
        }]
        $List configure -empty [expr {[$Model any] ? [my NoneTimed "no message passing"] : "no message passing was recorded"}]
        return $rows
    }
    method Compared {} { return {duration_s 1 s} }
    method OtherRows {model} { return [lmap row [$model groups $By] {dict set row id [dict get $row group]}] }
    method Same {} { return [expr {$By eq "process" ? "name" : "name where"}] }
    method Alike {} { return operation }
    method Places {db row} {
        return [expr {$By eq "call" ? [my CallPlaces $db $row] : {}}]
    }
    method Cells {row} {
        return [list [list [dict get $row name] [dict get $row where]] [dict get $row share] [dict get $row share] \
            [::heatscope::fmt seconds [dict get $row duration_s]] [dict get $row calls] [$Model bytes [dict get $row sent_bytes]] \
            [$Model bytes [dict get $row size_mean]] [::heatscope::fmt seconds [dict get $row duration_max_s]]]
    }
    method Beside {} {
        set total [$Model total]
        if {$total eq ""} {
            return ""
        }
        return "[::heatscope::fmt plural [dict get $total calls] call], [::heatscope::fmt seconds [dict get $total duration_s]],\
            [$Model bytes [dict get $total sent_bytes]] sent \u00b7 [my Timed {timed, not sampled}]"
    }
    # The call on the selected line; of several the chosen one.
    method Current {} {
        set found [switch -- $By {
            call { my RowWith {my AtLine} }
            process { my RowWith {my AtColumn} }
        }]
        return [expr {$found ne "" ? $found : [my Kept]}]
    }
    method Mark {} {
        next
        my Draw
    }
    method Go {row} {
        if {[dict get $row file] >= 0 && [dict get $row line] > 0} {
            $Nav line messages [dict get $row file] [dict get $row line]
        } elseif {$By eq "call" && [dict get $row scope] >= 0} {
            $Nav scope messages [dict get $row scope]
        } elseif {$By eq "process" && [dict get $Selection axis] eq "process"} {
            $Nav column messages [dict get $row process]
        }
        my Mark
    }
    method Words {row} {
        set text "[dict get $row name] [dict get $row where]: [::heatscope::fmt plural [dict get $row calls] call],\
            [::heatscope::fmt seconds [dict get $row duration_mean_s]] each \u00b1 [::heatscope::fmt seconds [dict get $row duration_stddev_s]],\
            [::heatscope::fmt seconds [dict get $row duration_min_s]] to [::heatscope::fmt seconds [dict get $row duration_max_s]]"
        set moved [my Moved $row]
        return "$text; [expr {[llength $moved] ? [join $moved {, }] : "no data"}]"
    }
    # "sent 293 kB in 400 messages", where there is such; collective operations move data, but count no messages.
    method Moved {row} {
        set moved {}
        foreach key {sent received} {
            if {[dict get $row ${key}_bytes] > 0 || [dict get $row $key] > 0} {
                lappend moved "$key [$Model bytes [dict get $row ${key}_bytes]][expr {[dict get $row $key] > 0 ? " in [::heatscope::fmt plural [dict get $row $key] message]" : ""}]"
            }
        }
        return $moved
    }

    # ---- the charts ----

    method Draw {} {
        set w [winfo width $Charts]
        set h [winfo height $Charts]
        $Charts delete all
        set Places {}
        if {$w < 60 || $h < 40 || ![$Model any] || [$Model total] eq ""} {
            return
        }
        set t ::heatscope::theme
        set by $By
        set row $Chosen
        if {$row eq "" || ![dict exists $ById $row]} {
            set by all
            set row 0
        }
        set what [expr {$by eq "all" ? "all calls" : [dict get $ById $row name]}]
        set model $Model
        if {$by ne "all" && [my IsTheirs $row]} {
            append what " in the other run"
            set model [my OtherModel]
            set row [dict get $ById $row theirs group]
        }
        # two histograms above each other, the matrix beside them where there is room
        set wide [expr {$w > [$t dp 300]}]
        set left [expr {$wide ? int($w * 0.5) : $w}]
        # below each other the last one has what the names of its columns need, if that leaves the others some
        set third [expr {$wide ? $h / 2 : ($h - max($h / 3, min([my MatrixNeed], $h - 2 * [$t dp 54]))) / 2}]
        my Histogram size "Sizes of $what" [$model histogram size $by $row] 0 0 $left $third
        my Histogram duration "Durations of $what" [$model histogram duration $by $row] 0 $third $left [expr {2 * $third}]
        if {$wide} {
            my Matrix [expr {$left + [$t dp 14]}] 0 $w $h
        } else {
            my Matrix 0 [expr {2 * $third}] $w $h
        }
    }
    method Caption {x y text room} {
        set t ::heatscope::theme
        $Charts create text $x $y -anchor nw -font HsSmall -fill [$t colour muted] -tags captions \
            -text [::heatscope::fmt clauses $text $room {::heatscope::theme width HsSmall}]
        return [expr {$y + [font metrics HsSmall -linespace] + [$t dp 3]}]
    }
    method Histogram {which title buckets x0 y0 x1 y1} {
        set t ::heatscope::theme
        set most 1
        foreach bucket $buckets {
            set most [expr {max($most, [lindex $bucket 2])}]
        }
        set top [my Caption $x0 $y0 "$title \u00b7 root scale" [expr {$x1 - $x0}]]
        set line [font metrics HsSmall -linespace]
        set bottom [expr {$y1 - $line - [$t dp 5]}]
        # above the highest bar how high it is, where that leaves the bars half of the room
        set above [expr {$bottom - $top >= 2 * $line}]
        if {$above} {
            incr top $line
        }
        if {![llength $buckets] || $bottom - $top < 8} {
            return
        }
        set n [llength $buckets]
        set step [expr {double($x1 - $x0) / max($n, 8)}]
        set i 0
        set free $x0
        foreach bucket $buckets {
            lassign $bucket from to count
            set a [expr {round($x0 + $i * $step)}]
            set b [expr {round($x0 + ($i + 1) * $step) - 2}]
            if {$count > 0} {
                # the root shows the rare ones too
                set y [expr {$bottom - max(1, round(($bottom - $top) * sqrt(double($count) / $most)))}]
                $Charts create rectangle $a $y $b $bottom -width 0 -fill [$t colour barDark]
            }
            if {$count == $most && $above} {
                my Above [expr {($a + $b) / 2}] $top $x0 $x1 [::heatscope::fmt plural $most call]
                set above 0
            }
            set label [::heatscope::Messages::bucket $which $from]
            if {$a >= $free && $a + [::heatscope::theme width HsSmall $label] <= $x1} {
                $Charts create text $a [expr {$bottom + [$t dp 2]}] -anchor nw -font HsSmall -fill [$t colour muted] -text $label
                set free [expr {$a + [::heatscope::theme width HsSmall $label] + [$t dp 8]}]
            }
            set sizes [expr {$to == 0 ? "without data"
                : "of [::heatscope::Messages::bucket $which $from] to [::heatscope::Messages::bucket $which $to]"}]
            lappend Places [list $a $top $b $y1 "$title: [::heatscope::fmt plural $count call] $sizes"]
            incr i
        }
        $Charts create line $x0 $bottom $x1 $bottom -fill [$t colour border]
    }
    # A text above a bar, within x0..x1.
    method Above {x y x0 x1 text} {
        # the ends of letters reach beyond their widths
        set half [expr {[::heatscope::theme width HsSmall $text] / 2.0 + [::heatscope::theme dp 2]}]
        set x [expr {max($x0 + $half, min($x, $x1 - $half))}]
        $Charts create text $x $y -anchor s -font HsSmall -fill [::heatscope::theme colour muted] -text $text -tags highest
    }
    # Kinds of partners that something goes to: their places in `classes`.
    method Partners {m} {
        set keep {}
        for {set k 0} {$k < [llength [dict get $m classes]]} {incr k} {
            foreach row [dict get $m rows] {
                if {[lindex $row $k] > 0} {
                    lappend keep $k
                    break
                }
            }
        }
        return $keep
    }
    # Height of the matrix with its caption, the names of its columns and up to four rows.
    method MatrixNeed {} {
        set m [$Model partners]
        set line [font metrics HsSmall -linespace]
        return [expr {int(ceil($line * (1 + min(4, [llength [my Partners $m]]) + 1.3 * min(4, [llength [dict get $m rows]])))) + [::heatscope::theme dp 8]}]
    }
    # Bytes sent, processes downwards, kinds of partners beside each other.
    method Matrix {x0 y0 x1 y1} {
        set t ::heatscope::theme
        set m [$Model partners]
        set classes [dict get $m classes]
        set rows [dict get $m rows]
        set keep [my Partners $m]
        lassign [$Run words process] one many
        set line [font metrics HsSmall -linespace]
        # where the rows would have no room left there are no heads: the read-out tells what the columns are
        set names [expr {min(4, [llength $keep])}]
        if {$y1 - $y0 - $line - [$t dp 3] - $names * $line < 1.2 * $line * min(4, [llength $rows])} {
            set names 0
        }
        set labels [expr {[::heatscope::theme width HsSmall [my Ranks 0 [expr {[llength $rows] - 1}]]] + [$t dp 6]}]
        set brief {}
        if {!$names && [llength $keep] && $y1 - $y0 - 2 * $line - [$t dp 7] >= 1.1 * $line * min(2, [llength $rows])} {
            # one line of them, where each has room above its column; fewer rows are better than columns without heads
            set room [expr {double($x1 - $x0 - $labels) / [llength $keep]}]
            foreach shorter {0 1} {
                set brief [lmap k $keep {my BriefPartner [lindex $classes $k] $shorter}]
                if {![llength [lmap word $brief {expr {$word eq "" || [::heatscope::theme width HsSmall $word] > $room ? 1 : [continue]}}]]} {
                    break
                }
                set brief {}
            }
        }
        foreach caption [expr {$names || [llength $brief] ? [list "Bytes sent by $one to"] : [list "Bytes sent by $one and kind of partner" "Bytes sent by $one and partner"]}] {
            if {[::heatscope::theme width HsSmall $caption] <= $x1 - $x0} break
        }
        set top [my Caption $x0 $y0 $caption [expr {$x1 - $x0}]]
        if {![llength $keep] || ![llength $rows]} {
            return
        }
        set most 1.0
        foreach row $rows {
            foreach k $keep {
                set most [expr {max($most, [lindex $row $k])}]
            }
        }
        set head [expr {$top + ([llength $brief] ? 1 : $names) * $line + [$t dp 4]}]
        set room [expr {$y1 - $head}]
        if {$room < 10} {
            return
        }
        # of many processes those with the most in each row of pixels; of a few so many that amounts have room in the cells
        set least [expr {[llength $rows] <= 16 && $room >= 2.1 * $line ? $line * 1.05 : max(3, $line * 0.8)}]
        set shown [expr {int(min([llength $rows], max(1, $room / $least)))}]
        set labels [expr {[::heatscope::theme width HsSmall [my Ranks [expr {[llength $rows] - ([llength $rows] > $shown ? 2 : 1)}] \
            [expr {[llength $rows] - 1}]]] + [$t dp 6]}]
        set height [expr {min(double($room) / $shown, [$t dp 22])}]
        set step [expr {double($x1 - $x0 - $labels) / [llength $keep]}]
        set i 0
        foreach k $keep {
            set x [expr {$x0 + $labels + $i * $step}]
            if {[llength $brief]} {
                $Charts create text [expr {$x + $step / 2}] $top -anchor n -font HsSmall -fill [$t colour muted] -text [lindex $brief $i] -tags heads
                lappend Places [list $x $top [expr {$x + $step}] [expr {$top + $line}] "bytes sent to: [::heatscope::fmt plain [lindex $classes $k]]"]
            }
            # names as stairs, each from its own column, or as far to the left of it as it needs; a line leads down to the column
            if {$i < $names} {
                set name [::heatscope::fmt fit [my PartnerWords [::heatscope::fmt plain [lindex $classes $k]] [expr {$x1 - $x0}]] \
                    [expr {$x1 - $x0}] {::heatscope::theme width HsSmall}]
                set y [expr {$top + ($names - 1 - $i) * $line}]
                set from [expr {max($x0, min($x, $x1 - [::heatscope::theme width HsSmall $name]))}]
                set middle [expr {round($x + $step / 2)}]
                if {$i} {
                    $Charts create line $middle [expr {$y + $line}] $middle $head -fill [$t colour border]
                }
                $Charts create rectangle [expr {$from - 2}] $y [expr {$from + [::heatscope::theme width HsSmall $name] + 2}] [expr {$y + $line}] \
                    -width 0 -fill [$t colour card] -tags heads
                $Charts create text $from $y -tags heads -anchor nw -font HsSmall -fill [$t colour muted] -text $name
                lappend Places [list $from $y [expr {$from + [::heatscope::theme width HsSmall $name]}] [expr {$y + $line}] \
                    "bytes sent to: [::heatscope::fmt plain [lindex $classes $k]]"]
            }
            incr i
        }
        $Charts raise heads
        for {set r 0} {$r < $shown} {incr r} {
            set first [expr {$r * [llength $rows] / $shown}]
            set last [expr {max($first, ($r + 1) * [llength $rows] / $shown - 1)}]
            set y [expr {$head + $r * $height}]
            if {$height >= $line * 0.8 && ($r % max(1, int($line / $height + 0.99)) == 0)} {
                $Charts create text $x0 [expr {$y + $height / 2}] -anchor w -font HsSmall -fill [$t colour muted] -text [my Ranks $first $last]
            }
            set i 0
            foreach k $keep {
                set v 0.0
                for {set p $first} {$p <= $last} {incr p} {
                    set v [expr {max($v, [lindex $rows $p $k])}]
                }
                set x [expr {$x0 + $labels + $i * $step}]
                set colour [expr {$v > 0 ? [$t mix barTrack barDark [expr {0.15 + 0.85 * log(1 + $v) / log(1 + $most)}]] : [$t colour barTrack]}]
                $Charts create rectangle $x $y [expr {$x + $step - 1}] [expr {$y + $height - 1}] -width 0 -fill $colour
                set words [expr {$v > 0 && $height >= $line ? [my InCell $v [expr {$step - 4}]] : ""}]
                if {$words ne ""} {
                    $Charts create text [expr {$x + $step / 2}] [expr {$y + $height / 2}] -font HsSmall -fill [my TextOn $colour] -text $words \
                        -tags amounts
                }
                set who [my Ranks $first $last]
                lappend Places [list $x $y [expr {$x + $step}] [expr {$y + $height}] \
                    "$who to [::heatscope::fmt plain [lindex $classes $k]]: [$Model bytes $v]"]
                incr i
            }
        }
    }
    # Bytes in a cell: as everywhere, or, where that has no room, in fewer digits (2.1 MB), or short (2.1MB, 2.1M); "" where
    # nothing fits.
    method InCell {bytes room} {
        foreach words [list [$Model bytes $bytes] [::heatscope::fmt brief $bytes B] "[::heatscope::fmt short $bytes]B" [::heatscope::fmt short $bytes]] {
            if {[::heatscope::theme width HsSmall $words] <= $room} {
                return $words
            }
        }
        return ""
    }
    # A kind of partner in few words, where there is no room for all of them.
    method PartnerWords {name room} {
        if {[::heatscope::theme width HsSmall $name] <= $room} {
            return $name
        }
        return [string map {"a process of the same machine" "same machine" "a process of another machine" "other machine"
            "all members of a communicator, or neighbours" "all members" "all members; this process is the root" "all, as root"
            "all members; another process is the root" "all, not root"} $name]
    }
    # The same in a word or two, or in one; "": none is known.
    method BriefPartner {name {shorter 0}} {
        set words {"a process of the same machine" local "a process of another machine" remote "all members of a communicator, or neighbours" all
            "all members; this process is the root" "as root" "all members; another process is the root" "not root"}
        set word [expr {[dict exists $words $name] ? [dict get $words $name] : ""}]
        return [expr {$shorter ? [string map {"as root" root "not root" others} $word] : $word}]
    }
    # "r2", "r2–r5"
    method Ranks {first last} {
        set from [$Run columnLabel process $first]
        return [expr {$last > $first ? "$from\u2013[$Run columnLabel process $last]" : $from}]
    }
    method TextOn {colour} {
        scan $colour #%2x%2x%2x r g b
        return [expr {0.299 * $r + 0.587 * $g + 0.114 * $b > 140 ? "#1d2430" : "#ffffff"}]
    }
    method HoverChart {x y} {
        foreach place $Places {
            lassign $place x0 y0 x1 y1 text
            if {$x >= $x0 && $x < $x1 && $y >= $y0 && $y < $y1} {
                my Read $text
                return
            }
        }
        my Read ""
    }
    method Exported {} {
        set keys {calls sent sent_bytes received received_bytes size_min size_mean size_stddev size_max duration_s share duration_min_s
            duration_mean_s duration_stddev_s duration_max_s completions in_flight_s completion_s threads}
        return [list name name where where {*}[concat {*}[lmap key $keys {list $key $key}]]]
    }
    method describe {} {
        set out [next]
        foreach place $Places {
            append out "| [lindex $place 4]\n"
        }
        foreach item [$Charts find withtag captions] {
            append out "| caption: [$Charts itemcget $item -text]\n"
        }
        foreach item [$Charts find withtag highest] {
            append out "| above the highest bar: [$Charts itemcget $item -text]\n"
        }
        foreach item [$Charts find withtag amounts] {
            append out "| in a cell: [$Charts itemcget $item -text]\n"
        }
        return $out
    }
}
