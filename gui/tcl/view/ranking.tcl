# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The ranked list: procedures, loops, lines, modules, symbols or contexts by exclusive time; messages, arrays, reasons of refused vectors.

oo::class create ::heatscope::RankingView {
    superclass ::heatscope::ListView
    variable Path Bus Run Nav Db App Selection Rows ById List Chosen By SortColumn SortOrder Loaded Width Changes Most Messages Arrays ByReason ScopesOf OtherModel OtherRun ChangeMost

    method name {} { return ranking }
    method title {} { return Ranked }
    method Groups {} {
        return {procedure Procedures loop Loops line Lines module Modules symbol Symbols context Contexts message Messages array Arrays reason Reasons}
    }
    # The grouping is a key of the selection.
    method group {{key {}}} {
        if {$key ne "" && [dict exists [my Groups] $key]} {
            $Bus adjust ranking ranking $key
            return
        }
        return [next $key]
    }

    method Build {body} {
        set Width 0
        set Changes {}
        set Most 0
        set Messages [::heatscope::Messages new $Run]
        set Arrays [::heatscope::Arrays new $Run]
        my MakeList $body -monofont HsMono -height [::heatscope::theme dp 260] -rowheight [::heatscope::theme dp 25] -empty "no samples"
        bind $List <Configure> +[namespace code {my OnSize}]
        bind $List <<ListOutline>> [namespace code {my OnOutline}]
    }
    destructor {
        $Messages destroy
        $Arrays destroy
        next
    }
    method forget {} {
        next
        $Messages forget
        $Arrays forget
    }
    method Show {changed} {
        if {$By ne [dict get $Selection ranking]} {
            set By [dict get $Selection ranking]
            # reasons are sentences, no names of the program
            $List configure -monofont [expr {$By eq "reason" ? "HsUI" : "HsMono"}]
            set Chosen {}
            set Loaded 0
        }
        next $changed
    }

    # ---- rows ----

    # "by exclusive time", "by MPI time"; and its short form over the column
    method Heads {} {
        set metric [dict get $Selection metric]
        switch -- $By {
            message { return {Time "by time in calls"} }
            symbol { return {Time "by machine code"} }
            reason { return {Price "by time in scalar loops"} }
        }
        if {![$Run exact $metric]} {
            return [list Time [expr {$By eq "array" ? "by time of their lines" : "by exclusive time"}]]
        }
        set name [::heatscope::fmt plain [lindex [$Run metrics] $metric]]
        return [list Share "by $name"]
    }
    method Beside {} {
        set words [lindex [my Heads] 1]
        return [expr {$SortColumn eq "change" ? "by change \u00b7 [string range $words 3 end]" : $words}]
    }
    method Columns {} {
        set one [dict get {procedure Procedure loop Loop line Line module Module symbol {Machine function} context Context message Call array Array reason Reason} $By]
        set last [switch -- $By {
            message { list sent Sent text 8 right sent_bytes }
            array { list bytes Messages text 9 right bytes }
            reason { list loops Loops count 6 {} loops }
            symbol { list inlined Inlined percent 7 {} inlined }
            default { list imbalance "Max/mean" number 8 {} imbalance }
        }]
        set columns [list [list name $one name 0 left name] [list bar "" bar [my BarWidth] {} share] \
            [list share [lindex [my Heads] 0] percent 6 {} share] $last]
        if {[my Compares] || [my Contrasts]} {
            lappend columns {change Change change 8 {} {change size}}
        }
        return $columns
    }
    # A bar is all that there is room for: the read-out has the words.
    method AllColumns {} { return [my Columns] }
    method AllCells {row} { return [my OwnCells $row] }
    method TheirCell {column row} {
        if {[lindex $column 0] ne "change"} {
            return [next $column $row]
        }
        if {[my Compares]} {
            return [my ChangeOf [dict get $row theirs]]
        }
        set v [dict get $row change]
        return [expr {$v ne "" && $ChangeMost > 0 ? $v / double($ChangeMost) : 0}]
    }
    method Drop {} { return {bar imbalance sent bytes loops inlined} }
    # In digits; the names have the first claim on the room.
    method BarWidth {} {
        set w [winfo width $List]
        return [expr {$w > 1 && $w < [::heatscope::theme dp 320] ? 4 : 8}]
    }
    method OnSize {} {
        if {$Width != [my BarWidth]} {
            set Width [my BarWidth]
            my Arrange
        }
    }
    method Load {} {
        set metric [dict get $Selection metric]
        set axis [dict get $Selection axis]
        $List configure -empty [dict get [list message [expr {[$Messages any] ? [my NoneTimed "no message passing"] : "no message passing was recorded"}] array [$Arrays nothing] \
            reason "no loop was refused vectors"] [expr {$By in {message array reason} ? $By : "message"}]]
        switch -- $By {
            message {
                return [lmap g [$Messages groups call] {
                    dict merge $g [dict create id [dict get $g group] sum [dict get $g duration_s]]
                }]
            }
            array { return [lmap a [$Arrays rows $metric] {dict set a sum [dict get $a cost]}] }
            reason { return [my Reasons $Run $metric] }
            symbol { return [my Symbols $Db $metric] }
        }
        $List configure -empty "no samples"
        my ReadChanges
        set rows [my Named [$Run ranking $By $metric $axis [my Reported] [namespace code {my First}]]]
        my AddTheirs $rows $metric $axis
        # behind the program's, however much it is
        if {$By eq "procedure" && [set ours [$Run heatscopes $metric $axis]] ne {}} {
            lappend rows [dict merge $ours [dict create id heatscope name "Heatscope's probes and wrappers" where {} change 0]]
        }
        return $rows
    }
    method Named {ranked} {
        return [lmap row $ranked {
            # the largest come first: what has nothing is not ranked
            if {[dict get $row sum] <= 0} break
            lassign [my NameOf $row] name where
            set id [dict get $row row]
            if {[my Reported] && [dict exists $row imbalance]} {
                set row [$Run amongRunning $row [dict get $Selection axis]]
            }
            dict merge $row [dict create id $id name $name where $where \
                change [expr {[dict exists $Changes $id] ? [dict get $Changes $id change] : 0}] \
                other [expr {[dict exists $Changes $id] ? [dict get $Changes $id value_b] : ""}]]
        }]
    }
    # What is chosen and not among them stands below when processors are counted.
    method First {ranked done of} {
        try {
            my SoFar [my Named $ranked] [expr {$done ? $done : [llength $ranked]}] $of
        } trap {HEATSCOPE DB PENDING} {} {
        }
    }
    # With a second run: what has samples there only, of its own ranking.
    method AddTheirs {rows metric axis} {
        set comparison [$App comparison]
        if {![my Compares] || [set theirs [$comparison metric $metric]] < 0} {
            return
        }
        set there [$comparison run]
        set known {}
        foreach row $rows {
            dict set known [dict get $row id] 1
        }
        set ranked {}
        foreach row [$there ranking $By $theirs $axis [my Reported]] {
            dict set ranked [dict get $row row] $row
        }
        if {$By eq "context"} {
            set alone [$comparison contextsAlone [dict keys $ranked] $metric context_excl]
        } else {
            set alone [$comparison alone $By $metric]
        }
        set out {}
        foreach c $alone {
            set b [dict get $c b]
            if {![dict exists $ranked $b] || [dict exists $known [dict get $c a]]} continue
            lassign [my NameOf [dict get $ranked $b] $there] name where
            lappend out [list $name $where [dict get $c value_b] [list [list [expr {$By in {line context} ? $By : "scope"}] $b]] $c]
        }
        my SetTheirs $out
    }
    # Functions of the machine code, cold parts and clones by themselves: what `report --by=symbol` has. Databases before 1.7 know them of the whole run only.
    method Symbols {db metric} {
        set run [expr {$db eq $Db ? $Run : [[$App comparison] run]}]
        set total [$run total $metric]
        try {
            # of two runs all, to find each in the other one
            set found [$db symbols $metric [expr {[[$App comparison] any] ? [my Most] : [::heatscope::settings get rankedRows]}]]
        } trap {HEATSCOPE DB MISSING} {} {
            if {$db ne $Db} {
                return {}
            }
            $List configure -empty [expr {[[$Run db] interval] ne "" ? "this database (of an older version, or --time=none) knows symbols of the whole run only: correlate again" \
                : "known of sampled metrics only"}]
            return {}
        }
        return [lmap f $found {
            set symbol [dict get $f symbol]
            set facts [expr {[dict get $f procedure] >= 0 ? [$db scope [dict get $f procedure]] : [dict create name $symbol kind procedure]}]
            set name [dict get $facts name]
            # f.cold, f.part.0
            set suffix [expr {$symbol ne $name && [set dot [string first . $symbol]] >= 0 ? [string range $symbol $dot end] : ""}]
            set title [expr {[dict get $f procedure] >= 0 ? [$run scopeName [dict get $f procedure]] : [::heatscope::fmt shortName $name]}]$suffix
            if {[dict get $facts kind] ne "procedure"} { # the body of a parallel region
                set title [$run scopeTitle [dict get $f procedure]]
            }
            set module [expr {[dict get $f module] >= 0 ? [::heatscope::fmt plain [::heatscope::fmt baseName [dict get [$db module [dict get $f module]] path]]] : ""}]
            set sum [dict get $f sum]
            dict set f sum [expr {$sum == entier($sum) ? entier($sum) : $sum}]
            dict merge $f [dict create id [dict get $f part] name $title short [::heatscope::fmt shortName $name] where $module \
                share [expr {$total > 0 ? $sum / double($total) : 0.0}]]
        }]
    }
    # Is the list of `heatscope report` shown?
    method Reported {} { return [expr {$By in {procedure loop}}] }
    # Refusals by reason, the dearest first; file and line of the dearest loop.
    method Reasons {run metric} {
        set ByReason {}
        array unset ScopesOf
        $run refusals $metric [namespace code [list my AddReasons $run]]
        set rows [lmap {key row} $ByReason {dict set row scopes $ScopesOf($key)}]
        array unset ScopesOf
        return [lmap pair [lsort -real -decreasing -index 0 [lmap row $rows {list [dict get $row sum] $row}]] {lindex $pair 1}]
    }
    method AddReasons {run page} {
        foreach r $page {
            set key [dict get $r reason]
            if {![dict exists $ByReason $key]} {
                dict set ByReason $key [dict create id $key name [dict get $r reason_text] where "[$run scopeTitle [dict get $r scope]]" \
                    scope [dict get $r scope] scopes {} sum 0.0 share 0.0 loops 0 message [dict get $r message]]
            }
            lappend ScopesOf($key) [dict get $r scope]
            dict set ByReason $key loops [llength $ScopesOf($key)]
            foreach part {sum share} {
                dict set ByReason $key $part [expr {[dict get $ByReason $key $part] + [dict get $r $part]}]
            }
        }
    }
    method Sorted {} {
        set rows [next]
        set at [lsearch -exact [lmap row $rows {dict get $row id}] heatscope]
        return [expr {$at < 0 ? $rows : [list {*}[lreplace $rows $at $at] [lindex $rows $at]]}]
    }
    # With a second run: how it differs, to the left less, to the right more.
    method Compares {} {
        return [expr {[[$App comparison] any] && $By in {procedure loop line module context}}]
    }
    # Values there and changes of those are in the metric's unit.
    method Tells {} { return [expr {[my Compares] || [my Contrasts]}] }
    method TheirAmount {row} {
        return [expr {[my Compares] ? [::heatscope::fmt amount [dict get $row other] [dict get [$Run metric [dict get $Selection metric]] unit]] : [next $row]}]
    }
    method Beyond {row} {
        set id [dict get $row id]
        if {$By eq "symbol" && [my Contrasts] && [dict get $row other] ne ""} {
            # the other's are in counts of this run
            set metric [dict get $Selection metric]
            set there [[$App comparison] metric $metric]
            set by [expr {[[[$App comparison] run] scale $there] / [$Run scale $metric]}]
            set sum [expr {[dict exists $row theirs] ? 0 : [dict get $row sum]}]
            return [$Db beyond [lindex [[$App comparison] handle] 0] $metric $there [list [list $sum [expr {[dict get $row other] / $by}]]]]
        }
        return [expr {![my Compares] ? 1 : [dict exists $row theirs] ? [dict get $row theirs beyond] : ![dict exists $Changes $id] || [dict get $Changes $id beyond]}]
    }
    method AllWords {row} {
        set text [next $row]
        set id [dict get $row id]
        if {[my Compares] && ![dict exists $row theirs] && [dict exists $Changes $id]} {
            set c [dict get $Changes $id]
            set a [dict get $c value_a]
            set b [dict get $c value_b]
            append text "; other run: [[$App comparison] amount [dict merge $c [dict create ratio [expr {$a > 0 && $b > 0 ? $b / $a : ""}]]] [dict get $Selection metric]][expr {
                [dict get $c beyond] ? "" : ", within noise"}]"
        }
        return $text
    }
    method ReadChanges {} {
        set Changes {}
        set Most 0
        if {![my Compares]} {
            return
        }
        set metric [dict get $Selection metric]
        if {$By eq "context"} {
            set ids [lmap row [$Run ranking context $metric [dict get $Selection axis]] {dict get $row row}]
            set changes [dict values [[$App comparison] contexts $ids $metric context_excl]]
        } else {
            set changes [[$App comparison] changes $By $metric]
        }
        foreach c $changes {
            if {[dict get $c a] >= 0} {
                dict set Changes [dict get $c a] $c
            }
            set Most [expr {max($Most, abs([dict get $c change]))}]
        }
    }
    # What is not of lines, loops and procedures has its value in the other run beside it, as in the panes of these.
    method Compared {} {
        set m [$Run metric [dict get $Selection metric]]
        return [switch -- $By {
            message { list duration_s 1 s }
            array { list cost [dict get $m scale] [dict get $m unit] }
            reason - symbol { list sum [dict get $m scale] [dict get $m unit] }
        }]
    }
    method OtherModel {} {
        set run [[$App comparison] run]
        if {$OtherRun ne [list $run $By]} {
            my DropOther
            if {$By in {message array}} {
                set OtherModel [[dict get {message ::heatscope::Messages array ::heatscope::Arrays} $By] new $run]
            }
            set OtherRun [list $run $By]
        }
        return $OtherModel
    }
    method OtherRows {model} {
        if {$By eq "message"} {
            return [lmap g [$model groups call] {dict set g id [dict get $g group]}]
        }
        # in the units of this run's metric
        set comparison [$App comparison]
        set metric [$comparison metric [dict get $Selection metric]]
        if {$metric < 0} {
            return {}
        }
        set by [expr {[[$comparison run] scale $metric] / [$Run scale [dict get $Selection metric]]}]
        set key [lindex [my Compared] 0]
        return [lmap row [switch -- $By {
            array { $model rows $metric }
            symbol { my Symbols [lindex [$comparison handle] 0] $metric }
            default { my Reasons [$comparison run] $metric }
        }] {
            dict set row $key [expr {[dict get $row $key] * $by}]
        }]
    }
    method Same {} { return [dict get {reason name array {whole same} message {name where} symbol {symbol where short}} $By] }
    method Alike {} { return operation }
    # A program may have another name there.
    method ByWords {row places loose} {
        return [expr {$By eq "symbol" && $loose ? [dict get $row [expr {[dict get $row symbol] ne "" ? "symbol" : "name"}]] : [next $row $places $loose]}]
    }
    method Places {db row} {
        return [expr {$By eq "message" ? [my CallPlaces $db $row] : {}}]
    }
    method Change {row} {
        return [expr {[dict exists $Changes $row] ? [my ChangeOf [dict get $Changes $row]] : 0}]
    }
    method ChangeOf {c} {
        if {$Most <= 0} {
            return 0
        }
        set v [expr {[dict get $c change] / $Most}]
        return [expr {[dict get $c beyond] ? [list $v] : [list $v grey]}]
    }
    method Cells {row} {
        set cells [list [list [dict get $row name] [dict get $row where]] [dict get $row share] [dict get $row share]]
        switch -- $By {
            message { lappend cells [::heatscope::fmt amount [dict get $row sent_bytes] B] }
            array { lappend cells [expr {[dict get $row bytes] > 0 ? [::heatscope::fmt amount [dict get $row bytes] B] : "\u2013"}] }
            reason { lappend cells [dict get $row loops] }
            symbol { lappend cells [dict get $row inlined] }
            default {
                # unknown until processors are counted
                set imbalance [expr {[dict exists $row imbalance] ? [dict get $row imbalance] : ""}]
                set number [expr {$imbalance eq "" ? "" : [format %.2f $imbalance]}]
                # what chance explains is no imbalance
                lappend cells [expr {[dict exists $row alone] && [dict get $row alone] ? "alone" : $imbalance ne "" && $imbalance > [::heatscope::settings get imbalance] && [dict get $row share] >= 0.001
                                     && [$Run uneven $row [dict get $Selection metric] [dict get $Selection axis]]
                    ? [list $number warn] : $number}]
            }
        }
        if {[my Compares]} {
            lappend cells [my Change [dict get $row id]]
        } elseif {[my Contrasts]} {
            set v [dict get $row change]
            lappend cells [expr {$v ne "" && $ChangeMost > 0 ? $v / double($ChangeMost) : 0}]
        }
        return $cells
    }
    # {main sub} of a row, of this run or the other one
    method NameOf {row {run {}}} {
        if {$run eq ""} {
            set run $Run
        }
        switch -- $By {
            line {
                set name [::heatscope::fmt plain [dict get $row filename]]
                return [list "$name:[dict get $row line]" [::heatscope::fmt shortName [dict get $row procedure]]]
            }
            module {
                return [list [::heatscope::fmt plain [::heatscope::fmt baseName [dict get $row name]]] ""]
            }
            context {
                set name [$run scopeTitle [dict get $row scope]]
                if {[dict get $row kind] eq "loop" && [dict get $row line] > 0} {
                    append name :[dict get $row line]
                }
                return [list $name [my From $row [$run db]]]
            }
        }
        set file {}
        if {[dict get $row filename] ne ""} {
            set file [::heatscope::fmt plain [::heatscope::fmt baseName [dict get $row filename]]]
            if {[dict get $row line_begin] > 0} {
                append file :[dict get $row line_begin]
            }
        }
        if {[dict get $row kind] eq "loop" && [dict get $row line_begin] <= 0} {
            lassign [$run placeOf [dict get $row row]] at line
            if {$line > 0} {
                set file [$run fileName $at]:$line
            }
        }
        set name [$run scopeName [dict get $row row]]
        if {[dict get $row kind] ne "procedure" && [dict get $row procedure] >= 0} {
            # the line once: behind the file
            set name "[$run lastName [dict get $row procedure]] $name[expr {$file eq "" && [dict get $row line_begin] > 0 ? ":[dict get $row line_begin]" : ""}]"
        } elseif {[set last [::heatscope::fmt lastName $name]] ne $name} {
            # a method: its own name first, then its class in place of the file
            set at [string last $last $name]
            return [list $last [expr {$at > 2 ? [string range $name 0 $at-3] : $file}]]
        }
        return [list $name $file]
    }

    # The nearest procedure above a context that is another one than its own.
    method From {row db} {
        set own [dict get [$db scope [dict get $row scope]] procedure]
        # parents come before their children in the table: what does not go up ends here
        set below [dict get $row row]
        for {set up [dict get $row parent]} {$up >= 0 && $up < $below} {set up [dict get $facts parent]} {
            set below $up
            set facts [$db context $up]
            if {[dict get $facts kind] in {procedure inlined} && [dict get $facts scope] != $own} {
                return "from [::heatscope::names short $db [dict get $facts scope]]"
            }
        }
        return ""
    }

    # The id of the list's row that the selection stands for, "" for none.
    method Current {} {
        set s $Selection
        switch -- $By {
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
            message {
                set found [my RowWith {my AtLine}]
                return [expr {$found ne "" ? $found : [my Kept]}]
            }
            reason {
                foreach row $Rows {
                    if {[dict get $s scope] in [dict get $row scopes]} {
                        return [dict get $row id]
                    }
                }
                return [my Kept]
            }
            array { return [my Kept] }
            symbol {
                # the chosen one, where it is a piece of the procedure: f.cold
                if {[dict exists $ById $Chosen] && [dict exists $ById $Chosen procedure] && [dict get $ById $Chosen procedure] == [dict get $s procedure]} {
                    return $Chosen
                }
                foreach row $Rows {
                    if {[dict get $s procedure] >= 0 && [dict get $row procedure] == [dict get $s procedure]} {
                        return [dict get $row id]
                    }
                }
                return [my Kept]
            }
        }
        return ""
    }
    # A row for what is not among the first.
    method Missing {id} {
        set what $By
        if {$what in {message array reason symbol}} {
            return {}
        }
        set table [dict get {procedure scope_excl loop scope_excl module scope_excl line line context context_excl} $what]
        set options [list -metric [dict get $Selection metric] -axis [dict get $Selection axis]]
        set rank 0
        if {$what in {procedure loop}} {
            lappend kind -kind $what
        } else {
            set kind {}
        }
        if {[my Reported]} {
            lappend kind -reported 1
        }
        catch {set rank [$Db rank -table $table -row $id {*}$kind {*}$options]}
        if {$what in {procedure module}} {
            set stats [$Db procstats $id {*}$options]
        } else {
            set stats [lindex [$Db stats -table $table -rows [list $id 1] {*}$options] 0]
        }
        set total [$Run total [dict get $Selection metric]]
        set share [expr {$total > 0 ? [dict get $stats sum] / $total : 0.0}]
        if {[my Reported]} {
            set stats [$Run amongRunning $stats [dict get $Selection axis]]
        }
        set row [dict create row $id share $share alone [expr {[dict exists $stats alone] && [dict get $stats alone]}] mean [dict get $stats mean] stddev [dict get $stats stddev] max [dict get $stats max] imbalance \
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
        lassign [my NameOf $row] name where
        return [dict merge $row [dict create id $id place $rank name $name where $where]]
    }

    # ---- pointer and keys ----

    method Go {row} {
        set id [dict get $row id]
        if {$id eq "heatscope"} {
            my Mark
            return
        }
        switch -- $By {
            procedure { $Nav procedure ranking $id }
            symbol {
                if {[dict get $row procedure] >= 0} {
                    $Nav procedure ranking [dict get $row procedure]
                }
                my Mark
            }
            loop - module { $Nav scope ranking $id }
            line { $Nav line ranking [dict get $row file] [dict get $row line] }
            context { $Nav context ranking $id }
            reason { $Nav scope ranking [dict get $row scope] }
            message {
                if {[dict get $row file] >= 0 && [dict get $row line] > 0} {
                    $Nav line ranking [dict get $row file] [dict get $row line]
                } elseif {[dict get $row scope] >= 0} {
                    $Nav scope ranking [dict get $row scope]
                }
            }
            array {
                if {[dict get $row file] >= 0 && [dict get $row line] > 0} {
                    $Nav line ranking [dict get $row file] [dict get $row line]
                }
                my Mark
            }
        }
    }
    method Open {row} {
        my Go $row
        if {$By ni {message array reason symbol} && [dict get $row id] ne "heatscope"} {
            $Bus flush
            $Nav enter ranking
        }
    }
    # A click on the title row also outlines all in the overview.
    method OnSort {where} {
        set column [dict get $where column]
        $Bus adjust ranking outlineAll [expr {![$Bus get outlineAll]}]
        if {$column ni [list $SortColumn bar] || ($column ne "share" && $column ne "bar")} {
            my sort $column
        }
    }
    method OnOutline {} {
        $Bus adjust ranking outlineAll [expr {![$Bus get outlineAll]}]
    }
    method Words {row} {
        set main [dict get $row [expr {$By eq "array" ? "whole" : "name"}]]
        set sub [dict get $row where]
        set text "$main[expr {$sub ne "" ? " ($sub)" : ""}]: "
        switch -- $By {
            message {
                return [string cat $text "[::heatscope::fmt seconds [dict get $row sum]], [::heatscope::fmt percent [dict get $row share] 1] of all calls'\
                    time, [::heatscope::fmt plural [dict get $row calls] call], [::heatscope::fmt amount [dict get $row sent_bytes] B] sent"]
            }
            array {
                return [string cat $text "[$Run amount [dict get $Selection metric] [dict get $row sum]], [::heatscope::fmt percent [dict get $row share] 1],\
                    [::heatscope::fmt plural [dict get $row references] reference], [::heatscope::fmt amount [dict get $row bytes] B] in messages"]
            }
            reason {
                return [string cat $text "[$Run amount [dict get $Selection metric] [dict get $row sum]], [::heatscope::fmt percent [dict get $row share] 1],\
                    in [::heatscope::fmt plural [dict get $row loops] loop]"]
            }
            symbol {
                return [string cat $text "[my Samples [dict get $row sum]], [$Run amount [dict get $Selection metric] [dict get $row sum]],\
                    [::heatscope::fmt percent [dict get $row share] 1 2], [::heatscope::fmt percent [dict get $row inlined] 1] of it in code that was inlined,\
                    [::heatscope::fmt grouped [dict get $row bytes]] bytes of code, symbol [::heatscope::fmt plain [dict get $row symbol]]"]
            }
            procedure {
                if {[dict exists $row row]} {
                    set whole [::heatscope::fmt elide [::heatscope::fmt plain [dict get [$Db scope [dict get $row row]] name]] 160]
                    set text "$whole[expr {$sub ne "" ? " ($sub)" : ""}]: "
                }
            }
        }
        append text "[my Samples [dict get $row sum]], [$Run amount [dict get $Selection metric] [dict get $row sum]],\
            [::heatscope::fmt percent [dict get $row share] 1 2][expr {$By in {procedure loop} ? " in its own code" : ""}]"
        if {![dict exists $row min]} {
            return $text
        }
        return [string cat $text " \u00b7 min\
            [::heatscope::fmt short [dict get $row min]] on [my Label [dict get $row min_column]], max\
            [::heatscope::fmt short [dict get $row max]] on [my Label [dict get $row max_column]]"]
    }
    # The other run's values as this one's: in counts.
    method table {} {
        set rows [next]
        if {![my Compares]} {
            return $rows
        }
        set scale [$Run scale [dict get $Selection metric]]
        set columns [lmap key {other change} {lsearch -exact [lindex $rows 0] $key}]
        return [concat [lrange $rows 0 0] [lmap row [lrange $rows 1 end] {
            foreach c $columns {
                if {[lindex $row $c] ne ""} {
                    lset row $c [expr {[lindex $row $c] / $scale}]
                }
            }
            set row
        }]]
    }
    method Exported {} {
        return [dict merge {name name where where value sum share share} [dict get {message {calls calls sent_bytes sent_bytes received_bytes received_bytes}
            array {references references bytes bytes mpi_s mpi_s} reason {loops loops} symbol {symbol symbol inlined inlined bytes bytes}} [expr {$By in {message array reason symbol} ? $By : "reason"}]] \
            [expr {$By in {message array reason symbol} ? "" : {max_over_mean imbalance}}]]
    }
    method state {} { return [dict remove [next] group] }
}
