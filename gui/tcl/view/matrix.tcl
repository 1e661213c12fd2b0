# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Rank x rank: what processes send to each other and who waits for whom; beside it the calls of the chosen pair.

oo::class create ::heatscope::MatrixView {
    superclass ::heatscope::ListView
    variable Path Bus Run Nav Db App Selection Rows ById List Chosen By Loaded Matrix Legend Caption From To Cell Unit Model

    method name {} { return matrix }
    method title {} { return Matrix }
    method Groups {} {
        return {bytes "Bytes sent" messages "Messages sent" size "Mean size" waiting "Waiting" waits "Number of waits"}
    }
    method GroupTitle {words} { return "Matrix: [string tolower $words 0 0]" }
    method focusWidget {} { return $Matrix }

    method Build {body} {
        set t ::heatscope::theme
        set Model [::heatscope::Messages new $Run]
        set From {}
        set To {}
        set Cell {}
        ttk::panedwindow $body.split -orient horizontal
        set left [ttk::frame $body.split.left -style Card.TFrame]
        set right [ttk::frame $body.split.right -style Card.TFrame]
        $body.split add $left -weight 3
        $body.split add $right -weight 2
        pack $body.split -fill both -expand 1
        set Matrix [my Widget matrix $left.cells -font HsSmall -monofont HsMono -takefocus 1 -height [$t dp 150] -width [$t dp 360]]
        set Legend [my Widget legend $left.legend -font HsSmall -monofont HsSmall -height [$t dp 26] -width [$t dp 200] -nocode 0]
        grid $Matrix -sticky nswe -padx [$t dp 8] -pady [list [$t dp 6] 0]
        ttk::label $left.unit -style Card.Sub.TLabel -font HsSmall
        grid $Legend $left.unit -sticky w -padx [list [$t dp 10] 0]
        grid $Matrix -columnspan 2
        grid columnconfigure $left 1 -weight 1
        grid rowconfigure $left 0 -weight 1
        set Caption [ttk::label $right.caption -style Card.Sub.TLabel -justify left -wraplength [$t dp 300]]
        pack $Caption -fill x -padx [$t dp 8] -pady [$t dp 6]
        ttk::frame $right.calls -style Card.TFrame
        pack $right.calls -fill both -expand 1
        my MakeList $right.calls -width [$t dp 300] -empty "click on a cell: the calls of the pair"
        set Unit ""
        bind $left <Configure> +[namespace code {my FitLegend}]
        bind $body.split <Configure> +[list after idle [namespace code [list my Apportion %W]]]
        bind $right <Configure> +[namespace code {my Wrap %w}]
        bind $Matrix <<MatrixPick>> [namespace code {my OnCell %d}]
        bind $Matrix <<HeatscopeHover>> [namespace code {my OnCellHover %d}]
        foreach {key action} {g {nextGroup 1} G {nextGroup -1} Return {toList} k {toggleHosts}} {
            my PaneKey $Matrix $key [namespace code [list my {*}$action]]
        }
    }
    destructor {
        $Model destroy
        next
    }
    method forget {} {
        next
        $Model forget
    }
    method Wrap {width} {
        $Caption configure -wraplength [expr {max(80, $width - [::heatscope::theme dp 24])}]
    }
    method toList {} {
        focus $List
    }
    # By machine, or by rank.
    method toggleHosts {} {
        my hosts [expr {[$Matrix cget -group] eq "host" ? "auto" : "host"}]
    }
    method hosts {group} {
        $Matrix configure -group $group
        my Choose {} {} {}
        my Fill
        my Mark
        my MarkHits
    }

    # ---- the matrix ----

    method Show {changed} {
        $Matrix configure {*}[[$App comparison] options [dict get $Selection show]] -quantity $By -colours [dict get $Selection colours] -scaling [dict get $Selection scale] \
            -mark [expr {[dict get $Selection axis] eq "process" ? [dict get $Selection column] : -1}]
        $Matrix update
        my ShowLegend
        # something is chosen from the start: what stands out most
        if {$Cell eq "" && [set cell [$Matrix largest]] ne ""} {
            my Choose $cell [$Matrix processes [dict get $cell row]] [$Matrix processes [dict get $cell column]]
            set Loaded 0
        }
        next $changed
    }
    method ShowLegend {} {
        set layout [$Matrix layout]
        set none [expr {[dict get $layout total] <= 0 && ![my Comparing]}]
        $List configure -empty [expr {$none ? "" : "click on a cell: the calls of the pair"}]
        if {$none} {
            grid remove $Legend
            # a sentence alone stands on top
            if {[my Single]} {
                grid remove $Matrix
                grid $Path.body.split.left.unit -row 0 -sticky nw -pady [::heatscope::theme dp 8]
            }
            set Unit ""
            ::heatscope::theme say $Path.body.split.left.unit [my Nothing]
            my FitLegend
            return
        }
        grid $Legend $Matrix
        grid $Path.body.split.left.unit -row 1 -sticky w -pady 0
        set unit [dict get {bytes B messages none size B waiting s waits none} $By]
        set words [dict get {bytes "bytes sent" messages messages size "mean size" waiting waiting waits waits} $By]
        set show [dict get $Selection show]
        if {[my Comparing]} {
            $Legend configure -change $show -scaling [dict get $Selection scale] -maximum [dict get $layout maximum] -unit $unit
            append words ", [dict get {difference {other run less this one} ratio {other run over this one}} $show]"
        } else {
            $Legend configure -change none -colours [dict get $Selection colours] -scaling [dict get $Selection scale] \
                -least [dict get $layout least] -maximum [dict get $layout maximum] -unit $unit
        }
        if {$By in {waiting waits} && ![my Comparing] && [dict get $layout group] eq "process" && [dict get $layout within] > 0} {
            append words ", on the diagonal within a process"
        }
        set Unit $words
        my FitLegend
    }
    # The colours and what they are of, in the room there is below the cells.
    method FitLegend {} {
        set t ::heatscope::theme
        set room [expr {[winfo width $Path.body.split.left] - [$t dp 30]}]
        $Path.body.split.left.unit configure -wraplength [expr {$Unit eq "" ? max(80, $room) : 0}]
        if {$Unit eq ""} {
            return
        }
        $Legend configure -width [expr {max(20, min($room, [$t dp [expr {[my Comparing] ? 280 : 200}]]))}]
        set rest [expr {$room - [$Legend cget -width]}]
        # what it is of stands in the pane's title as well
        $t say $Path.body.split.left.unit [::heatscope::fmt clauses $Unit $rest {::heatscope::theme width HsSmall}]
    }
    # One process: it has nobody to send to, whatever is shown.
    method Single {} { return [expr {[dict get [$Matrix layout] processes] <= 1}] }
    method Nothing {} {
        if {[my Single]} {
            return "one process was measured: there is no other one to send to or to wait for"
        }
        return [expr {$By in {waiting waits} ? [my NoneTimed "no waiting for other processes"] : [$Model nothing [my NoneTimed "no messages between processes" were]]}]
    }
    method Quantity {v} {
        switch -- $By {
            bytes - size { return [::heatscope::fmt amount $v B] }
            messages { return [::heatscope::fmt plural $v message] }
            waiting { return [::heatscope::fmt seconds $v] }
            default { return [::heatscope::fmt plural $v wait] }
        }
    }
    method ChangeTold {v} {
        if {$v in {Inf -Inf inf -inf} || [dict get $Selection show] eq "ratio"} {
            return [[$App comparison] words ratio $v [dict get $Selection metric]]
        }
        if {$v == 0} {
            return "no difference to the other run"
        }
        return "[expr {$v < 0 ? "\u2212" : "+"}][my Quantity [expr {abs($v)}]] in the other run"
    }
    method Between {from to} {
        return [expr {$By in {waiting waits} ? "$from for $to" : "$from to $to"}]
    }
    method OnCellHover {hit} {
        if {![my Hits $hit value]} return
        set value [dict get $hit value]
        my Read "[my Between [dict get $hit from] [dict get $hit to]]: [expr {$value eq "" ? "nothing" : [my Comparing] ? [my ChangeTold $value] : [my Quantity $value]}]"
    }
    method OnCell {cell} {
        my Choose $cell [$Matrix processes [dict get $cell row]] [$Matrix processes [dict get $cell column]]
        my Fill
        my Mark
        my MarkHits
        if {[dict get $Selection axis] eq "process"} {
            $Nav column matrix [dict get $cell process]
        }
    }
    # The pair that the list is of.
    method Choose {cell from to} {
        set Cell $cell
        set From $from
        set To $to
        set Chosen {}
        $Matrix configure -selected [expr {$cell eq "" ? "" : [list [dict get $cell process] [dict get $cell partner]]}]
    }
    # For scripts: a pair of processes.
    method pair {from to} {
        set box [$Matrix bbox $from $to]
        if {$box eq ""} {
            return -code error -errorcode {HEATSCOPE VIEW PAIR} "matrix: no processes $from and $to"
        }
        my Pair $from $to
    }
    method Pair {from to} {
        lassign [$Matrix bbox $from $to] x y w h
        set cell [$Matrix hit [expr {$x + $w / 2}] [expr {$y + $h / 2}]]
        my Choose $cell [$Matrix processes [dict get $cell row]] [$Matrix processes [dict get $cell column]]
        my Fill
        my Mark
        my MarkHits
    }

    # ---- the calls of the pair ----

    method Reads {} { return {} }
    method FirstSort {} { return time }
    method Columns {} {
        return {{name Call name 0 left name} {what "" name 20 left part} {count Times count 6 {} calls} {bytes Bytes text 8 right bytes}
            {time Time text 8 right seconds}}
    }
    method Drop {} { return {count bytes what} }
    method Load {} {
        if {$Cell eq ""} {
            return {}
        }
        set n -1
        return [lmap s [$Db pairsites $From $To -n 50] {
            set place [::heatscope::fmt place $s]
            set name [::heatscope::fmt plain [dict get $s what]]
            set where [expr {$place ne "" ? $place : [::heatscope::fmt shortName [dict get $s procedure]]}]
            set late [::heatscope::fmt place $s late_]
            set did [list $where ""]
            if {[dict get $s part] eq "waiting" && $late ne ""} {
                set did [list $where $late]
                append where " for $late"
            }
            dict merge $s [dict create id [incr n] name $name where $where did $did words [dict get {waiting "waits for it" sending "sends"
                receiving "partner receives"} [dict get $s part]]]
        }]
    }
    method Cells {row} {
        set waiting [expr {[dict get $row part] eq "waiting"}]
        lassign [dict get $row did] here late
        return [list [list [::heatscope::fmt waitKind [dict get $row name]] $here] [expr {$late ne "" ? [list "waits for" $late] : [list [dict get $row words]]}] [dict get $row calls] \
            [expr {$waiting ? "\u2013" : [::heatscope::fmt amount [dict get $row bytes] B]}] [::heatscope::fmt seconds [dict get $row seconds]]]
    }
    method Beside {} {
        set layout [$Matrix layout]
        if {[dict get $layout total] <= 0} {
            return "" ;# the pane itself says it
        }
        set words [dict get {process "" host ", by machine" range ""} [dict get $layout group]]
        if {[dict get $layout group] eq "range"} {
            set words ", [::heatscope::fmt plural [expr {int(ceil(double([dict get $layout processes]) / [dict get $layout bins]))}] rank] a cell"
        }
        set total [expr {$By eq "size" ? "" : "[my Quantity [dict get $layout total]] in all"}]
        # most of it may be of threads that never had anything to do, which the pane of waiting leaves out
        if {$By in {waiting waits} && [dict get $layout group] eq "process" && [dict get $layout within] > 0} {
            append total ", [my Quantity [dict get $layout within]] within processes (idle threads too)"
        }
        return [string trim "$total$words \u00b7 [my Timed {timed and counted}]" " ,"]
    }
    method Fill {} {
        next
        if {$Cell eq ""} {
            ::heatscope::theme say $Caption ""
            return
        }
        set d [$Db between $From $To]
        set back [$Db between $To $From]
        set a [dict get $Cell from]
        set b [dict get $Cell to]
        ::heatscope::theme say $Caption [::heatscope::fmt together "$a \u2192 $b: [::heatscope::fmt amount [dict get $d sent_bytes] B] in [::heatscope::fmt plural [dict get $d sent] message]\n$a\
            waited for $b [::heatscope::fmt seconds [dict get $d wait_s]] in [::heatscope::fmt plural [dict get $d waits] wait], $b for $a\
            [::heatscope::fmt seconds [dict get $back wait_s]]"]
    }
    method Go {row} {
        if {[dict get $row file] >= 0 && [dict get $row line] > 0} {
            $Nav line matrix [dict get $row file] [dict get $row line]
        } elseif {[dict get $row scope] >= 0} {
            $Nav scope matrix [dict get $row scope]
        }
    }
    method Current {} {
        return [my Kept]
    }
    method Words {row} {
        set text "[dict get $row name] [dict get $row where], [dict get $row words]: [::heatscope::fmt plural [dict get $row calls] call],\
            [::heatscope::fmt seconds [dict get $row seconds]]"
        if {[dict get $row part] ne "waiting"} {
            append text ", [::heatscope::fmt amount [dict get $row bytes] B], to and from all ranks"
        }
        return $text
    }
    method state {} {
        set pair [$Matrix cget -selected]
        return [dict merge [next] [dict create hosts [$Matrix cget -group] pair $pair]]
    }
    method restore {state} {
        next $state
        if {[dict exists $state hosts] && [dict get $state hosts] in {auto process host}} {
            $Matrix configure -group [dict get $state hosts]
        }
        if {[dict exists $state pair] && ![catch {llength [dict get $state pair]} n] && $n == 2} {
            # drawn at first, so that cells are known
            after idle [namespace code [list my RestorePair {*}[dict get $state pair]]]
        }
    }
    method RestorePair {from to} {
        $Matrix update
        catch {my Pair $from $to}
    }
    method table {} {
        set shown [dict get $Selection show]
        set rows [list [list from to "$By[expr {[my Comparing] ? [dict get {difference {, other run less this one} ratio {, other run by this one}} $shown] : {}}]"]]
        foreach line [lrange [split [$Matrix describe] \n] 1 end] {
            if {$line ne ""} {
                lappend rows [split $line \t]
            }
        }
        return $rows
    }
    method describe {} {
        set out "[$Path.head.title cget -text]: [my fullSubtitle]\n[$Matrix describe]"
        if {[dict get [$Matrix layout] total] <= 0 && ![my Comparing]} {
            append out "| [my Nothing]\n"
        }
        if {$Cell ne ""} {
            append out "| [string map {\n "\n| "} [$Caption cget -text]]\n"
            foreach row [my Sorted] {
                append out "| [my Words $row]\n"
            }
        }
        return $out
    }
}
