# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What panes made of rows share: groupings by menu and by key, columns with bars that sort, the chosen row always in sight, marks of
# the search and their sum, read-out, rows as a table and as text.

oo::class create ::heatscope::ListView {
    superclass ::heatscope::View
    variable Path Bus Run Nav Db App Selection List Rows Theirs ById PlaceOf Chosen SortColumn SortOrder By Loaded Note Model OtherModel OtherRun ChangeMost Contrasted Empty Begun Dirty Held Ordered

    constructor {path context} {
        set Rows {}
        set ById {}
        set PlaceOf {}
        set Chosen {}
        set SortColumn [my FirstSort]
        set SortOrder decreasing
        set By [lindex [my Groups] 0]
        set Loaded 0
        set Note {}
        set OtherModel ""
        set OtherRun ""
        set Theirs {}
        set Held {}
        set ChangeMost 0
        set Contrasted 0
        set Begun 0
        set Ordered 0
        next $path $context
    }

    # ---- what the panes make their own ----

    # Groupings of the rows, flat KEY WORDS; the first is there at first. {}: rows are of one kind only.
    method Groups {} { return {} }
    # What the head says of a grouping.
    method GroupTitle {words} { return $words }
    # Lists {KEY TITLE TYPE WIDTH ALIGN SORT}: the first five as heatscope::barlist takes them (ALIGN {}: by the type), SORT: key of
    # the rows' dicts that a click on the heading sorts by, {KEY size} by size without sign, {} not at all.
    method Columns {} { return {{name Name name 0 left name}} }
    # Columns that go first where there is no room.
    method Drop {} { return {} }
    method FirstSort {} { return share }
    # The rows in their own order: dicts with `id` and `name`, `where` and `share` where there are such.
    method Load {} { return {} }
    # The cells of a row, one a column.
    method Cells {row} { return [list [list [dict get $row name] [dict get $row where]]] }
    # The row that the selection stands for, "" for none.
    method Current {} { return $Chosen }
    # The dict of a row that is not among those loaded, with `place` (0 unknown); {} for none.
    method Missing {id} { return {} }
    # A click on a row; a double click or Return.
    method Go {row} {}
    method Open {row} { my Go $row }
    # What the read-out says of a row.
    method Words {row} { return "[dict get $row name] [dict get $row where]" }
    # Columns of the exported table, flat HEADER KEY.
    method Exported {} { return {name name where where} }
    # What stands beside the title.
    method Beside {} { return "" }
    # Keys of the selection whose change reads the rows again; moves the mark.
    method Reads {} { return {metric axis} }
    method Marks {} { return {file line scope procedure context column} }

    # ---- building ----

    method focusWidget {} { return $List }

    method Heading {head} {
        set groups [my Groups]
        if {![llength $groups]} {
            next $head
            return
        }
        ttk::menubutton $head.title -style Rank.TMenubutton -text [my GroupTitle [dict get $groups $By]] -menu $head.title.menu -takefocus 0
        menu $head.title.menu -postcommand [namespace code [list my MarkGroup $head.title.menu]]
        foreach {key words} $groups {
            ::heatscope::theme menuEntry $head.title.menu $words -command [namespace code [list my group $key]]
        }
        ttk::label $head.sub -style Card.Sub.TLabel
        pack $head.title -side left
        pack $head.sub -side left -padx [list [::heatscope::theme dp 8] 0]
    }
    method MarkGroup {menu} {
        ::heatscope::theme menuMark $menu [lmap {key words} [my Groups] {expr {$key eq $By}}]
    }
    # The list with its scroll bar in a frame of its own; options of the list.
    method MakeList {frame args} {
        set List [my Barlist $frame -rowcommand [namespace code {my CellsOf}] {*}$args]
        foreach {key action} {g {nextGroup 1} G {nextGroup -1} o {nextSort} O {turnSort}} {
            my PaneKey $List $key [namespace code [list my {*}$action]]
        }
    }
    # List and a frame for more beside it, with a sash; `share` of the width is the list's. Returns the frame.
    method SplitList {body weights args} {
        ttk::panedwindow $body.split -orient horizontal
        set left [ttk::frame $body.split.left -style Card.TFrame]
        set right [ttk::frame $body.split.right -style Card.TFrame]
        $body.split add $left -weight [lindex $weights 0]
        $body.split add $right -weight [lindex $weights 1]
        pack $body.split -fill both -expand 1
        bind $body.split <Configure> +[list after idle [namespace code [list my Apportion %W]]]
        my MakeList $left {*}$args
        return $right
    }
    # In a narrow pane the list does not take all the room that it asks for: a third is for what stands beside it, until the sash is moved.
    method Apportion {split} {
        if {![winfo exists $split]} {
            return
        }
        set width [winfo width $split]
        set least [expr {min($width * 36 / 100, [::heatscope::theme dp 250])}]
        if {$width > [::heatscope::theme dp 120] && $width - [$split sashpos 0] < $least} {
            $split sashpos 0 [expr {$width - $least}]
        }
    }
    method Scroll {args} {
        $List yview {*}$args
    }

    # ---- groupings ----

    method group {{key {}}} {
        if {$key eq ""} {
            return $By
        }
        set groups [my Groups]
        if {![dict exists $groups $key]} {
            return -code error -errorcode [list HEATSCOPE VIEW GROUP $key] \
                "[my name]: no grouping '$key'[expr {[llength $groups] ? ": there are [join [dict keys $groups] {, }]" : ""}]"
        }
        if {$key ne $By} {
            set By $key
            set Chosen {}
            set Loaded 0
            my refreshAll
        }
        return $By
    }
    method nextGroup {step} {
        set keys [dict keys [my Groups]]
        if {[llength $keys]} {
            my group [lindex $keys [expr {([lsearch -exact $keys $By] + $step) % [llength $keys]}]]
        }
    }

    # ---- rows ----

    method forget {} {
        set Loaded 0
        my DropOther
    }
    destructor {
        my DropOther
        next
    }
    method Show {changed} {
        if {!$Loaded || [my Any $changed {*}[my Reads]]} {
            set Loaded 0
            my Fill
            my Mark
            set Loaded 1
            set Begun 0
            my MarkHits
        } else {
            if {[my Any $changed {*}[my Marks]]} {
                my Mark
            }
            if {[my Any $changed search]} {
                my MarkHits
            }
        }
    }
    method Fill {} {
        if {$By ne ""} {
            ::heatscope::theme say $Path.head.title [my GroupTitle [dict get [my Groups] $By]]
            my FitSubtitle
        }
        set Contrasted [expr {[my Compared] ne "" && [[$App comparison] any]}]
        if {!$Contrasted && $SortColumn eq "change" && [my SortKey change] eq ""} {
            set SortColumn [my FirstSort]
            set SortOrder [expr {[my Type $SortColumn] in {name text} ? "increasing" : "decreasing"}]
        }
        # with a second database lists that have the most first begin with what changed most
        set compares [[$App comparison] any]
        if {$compares && !$Ordered && $SortColumn eq [my FirstSort] && $SortOrder eq "decreasing" && [my SortKey change] ne ""} {
            lassign {change decreasing} SortColumn SortOrder
        }
        set Ordered $compares
        # if it takes longer than a moment, nothing of before is shown meanwhile
        if {[$List cget -empty] ne "reading \u2026"} {
            set Empty [$List cget -empty]
        }
        set Begun 0
        ::heatscope::bury $Rows $ById $Theirs
        set Rows {}
        set Theirs {}
        set ById {}
        set PlaceOf {}
        $List configure -empty "reading \u2026" -selected "" -pinned {} -hits {}
        $List setrows {}
        my subtitle ""
        try {
            set rows [my Contrast [my Load]]
        } finally {
            if {[$List cget -empty] eq "reading \u2026"} {
                $List configure -empty $Empty
            }
        }
        my Put $rows
    }
    # While Load is still at it: some rows, to be shown before the others ({}: no other than before), and which part is done, of {}: of how many is
    # not known yet.
    method SoFar {rows done of} {
        my Part [expr {$of eq "" ? 0.0 : double($done) / $of}] "[my title]: $done[expr {$of eq {} ? {} : " of $of"}]"
        if {[llength $rows] && ![my Contrasts]} {
            my Put $rows
            set Begun 1
            my Mark
        }
        ::heatscope::breathe
    }
    method hasSome {} { return $Begun }
    # The rows that are there stay until others are asked for.
    method cancelReading {} {
        if {![next]} {
            return 0
        }
        if {$Begun} {
            set Dirty {}
            set Loaded 1
            my MarkHits
        }
        return 1
    }
    method readAgain {} {
        set Loaded 0
        my refreshAll
    }
    method Put {rows} {
        set Rows $rows
        set ById {}
        set PlaceOf {}
        set ChangeMost 0
        if {[my Contrasts]} {
            foreach row [my Listed] {
                set v [dict get $row change]
                set ChangeMost [expr {$v ne "" ? max($ChangeMost, abs($v)) : $ChangeMost}]
            }
        }
        foreach row [my Listed] {
            dict set ById [dict get $row id] $row
        }
        my Arrange
        my Sort
    }
    # Tells the list its columns.
    method Arrange {} {
        set columns {}
        set top 0
        foreach column [my AllColumns] {
            lassign $column key title type width align sort
            lappend columns [list $key $title $type $width {*}$align]
            if {$type eq "bar" && $sort ne ""} {
                foreach row $Rows {
                    set v [dict get $row [lindex $sort 0]]
                    set top [expr {max($top, $v eq "" ? 0 : $v)}]
                }
            }
        }
        $List configure -columns $columns -drop [my Dropped] -barmax [expr {$top > 0 ? $top : 1}] \
            -sortcolumn [my SortMark] -sortorder $SortOrder
    }
    # The heading that has the mark; none where the rows are in an order of their own.
    method SortMark {} {
        return [expr {[my SortKey $SortColumn] eq "order" ? "" : $SortColumn}]
    }
    method SortKey {column} {
        foreach c [my AllColumns] {
            if {[lindex $c 0] eq $column} {
                return [lindex $c 5]
            }
        }
        return {}
    }
    # Rows without the value come last in both orders; by the size of changes those within noise are the smallest.
    method Sorted {} {
        lassign [my SortKey $SortColumn] key how
        if {$key eq "" || ($key eq "order" && $SortOrder eq "increasing" && ![llength $Theirs])} {
            return [my Listed]
        }
        set with {}
        set noise {}
        set without {}
        set kind -real
        foreach row [my Listed] {
            set v [expr {[dict exists $row $key] ? [dict get $row $key] : ""}]
            if {$v eq ""} {
                lappend without $row
                continue
            }
            if {![string is double -strict $v]} {
                set kind -dictionary
            } elseif {$how eq "size"} {
                set v [expr {abs($v)}]
                if {![my Beyond $row]} {
                    lappend noise [list $v $row]
                    continue
                }
            }
            lappend with [list $v $row]
        }
        set lists [lmap list [list $with $noise] {lmap pair [lsort $kind -$SortOrder -index 0 $list] {lindex $pair 1}}]
        return [concat {*}[expr {$SortOrder eq "decreasing" ? $lists : [lreverse $lists]}] $without]
    }
    method Sort {} {
        $List configure -sortcolumn [my SortMark] -sortorder $SortOrder
        set ids [lmap row [my Sorted] {list [dict get $row id]}]
        set places {}
        set n 0
        foreach id $ids {
            dict set places [lindex $id 0] [incr n]
        }
        set PlaceOf $places
        $List setrows $ids
    }
    # The row of an id with its cells, when it comes into view.
    method CellsOf {id} {
        return [list $id {*}[expr {[dict exists $ById $id] ? [my AllCells [dict get $ById $id]] : ""}]]
    }
    method OnSort {pick} {
        my sort [dict get $pick column]
    }
    # By a column; the same again turns the order round. A bar sorts as the column with its figure.
    method sort {column {order {}}} {
        if {$order ni {{} decreasing increasing}} {
            return -code error -errorcode {HEATSCOPE VIEW SORT} "[my name]: sort: expected decreasing or increasing, got '$order'"
        }
        set spec [my SortKey $column]
        if {$spec eq ""} {
            return -code error -errorcode {HEATSCOPE VIEW SORT} "[my name]: sort: no column '$column': there are\
                [join [lmap c [my AllColumns] {if {[lindex $c 5] eq ""} continue; lindex $c 0}] {, }]"
        }
        if {[my Type $column] eq "bar"} {
            foreach c [my AllColumns] {
                if {[lindex $c 5] eq $spec && [lindex $c 2] ne "bar"} {
                    set column [lindex $c 0]
                    break
                }
            }
        }
        if {$order ne ""} {
            set SortOrder $order
        } elseif {$column eq $SortColumn} {
            set SortOrder [expr {$SortOrder eq "decreasing" ? "increasing" : "decreasing"}]
        } else {
            set SortOrder [expr {[my Type $column] in {name text} && ![my Numeric $spec] ? "increasing" : "decreasing"}]
        }
        set SortColumn $column
        my Sort
        my Mark
        my MarkHits
    }
    method Type {column} {
        foreach c [my AllColumns] {
            if {[lindex $c 0] eq $column} {
                return [lindex $c 2]
            }
        }
    }
    method Numeric {spec} {
        foreach row $Rows {
            if {[dict exists $row [lindex $spec 0]] && [dict get $row [lindex $spec 0]] ne ""} {
                return [string is double -strict [dict get $row [lindex $spec 0]]]
            }
        }
        return 0
    }
    method nextSort {} {
        set keys [lmap c [my AllColumns] {if {[lindex $c 5] eq "" || [lindex $c 2] eq "bar"} continue; lindex $c 0}]
        my sort [lindex $keys [expr {([lsearch -exact $keys $SortColumn] + 1) % [llength $keys]}]]
    }
    method turnSort {} {
        my sort $SortColumn
    }

    # ---- with a second database: what each row has there ----

    # Value of the rows that is compared: {KEY SCALE UNIT}; {} for none.
    method Compared {} { return {} }
    # The rows of the other run, as Load makes them; `model` is this pane's model of that run.
    method OtherRows {model} { return {} }
    # Keys of a row that say which one it is in both runs where it has no places; without the numbers of lines if that finds one only.
    method Same {} { return {name where} }
    # Keys that say what it is at its places.
    method Alike {} { return {} }
    # Where a row of a run is, in that run's rows: a list of lists {KIND ROW ...}, KIND line, scope or context, the most exact first; the next one is
    # taken where this finds nothing. {}: nothing is known of it.
    method Places {db row} { return {} }
    # {line ROW} of a row's keys `file` and `line`; {} where it has none.
    method LineOf {db row {prefix {}}} {
        lassign [list [dict get $row ${prefix}file] [dict get $row ${prefix}line]] file line
        set at [expr {$file >= 0 && $line > 0 ? [$db findline $file $line] : -1}]
        return [expr {$at >= 0 ? [list line $at] : {}}]
    }

    # Places of a call: its line; where that is not known the context, else the procedure.
    method CallPlaces {db row} {
        set line [my LineOf $db $row]
        if {$line ne ""} {
            return [list $line]
        }
        return [concat {*}[lmap kind {context scope} {
            expr {[dict get $row $kind] >= 0 ? [list [list $kind [dict get $row $kind]]] : {}}
        }]]
    }

    # Do the rows that are loaded say it, and in a column with words?
    method Tells {} { return $Contrasted }
    method Contrasts {} { return $Contrasted }
    method OtherModel {} {
        set run [[$App comparison] run]
        if {$run ne $OtherRun} {
            my DropOther
            set OtherModel [[info object class $Model] new $run]
            set OtherRun $run
        }
        return $OtherModel
    }
    method DropOther {} {
        if {$OtherModel ne ""} {
            $OtherModel destroy
        }
        set OtherModel ""
        set OtherRun ""
    }
    # So many rows at most has Load; of a list that was cut only that is known to be the other run's own which has no place in this one.
    method Most {} { return 2000 }
    # Rows with `other`, the value there, and `change`, there less here; both "" where it has no such row, or (apart 0) one that can't be told from others.
    # What is at a line, loop or context of the source is at the same one there, whatever its file and number are. What is left of the other run's
    # rows is listed behind these.
    method Contrast {rows} {
        if {![my Contrasts]} {
            return $rows
        }
        lassign [my Compared] key scale
        set there [[[$App comparison] run] db]
        set left [lmap o [my OtherRows [my OtherModel]] {list $o [my Places $there $o]}]
        set open [my Translated [lmap row $rows {list $row [my Places $Db $row]}]]
        set found {}
        set unclear {}
        for {set pass 0} {$pass < 4} {incr pass} {
            # the first two by places, then those without any by their words
            set by [expr {$pass < 2 ? "ByPlace" : "ByWords"}]
            set here {}
            set theirs {}
            foreach pair $open {
                set identity [my $by [lindex $pair 0] [lindex $pair 1] [expr {$pass % 2}]]
                if {$identity ne "" && ![dict exists $found [dict get [lindex $pair 0] id]]} {
                    dict lappend here $identity [dict get [lindex $pair 0] id]
                }
            }
            set rest {}
            foreach pair $left {
                set identity [my $by [lindex $pair 0] [lindex $pair 1] [expr {$pass % 2}]]
                if {$identity eq "" || ![dict exists $here $identity]} {
                    lappend rest $pair
                } else {
                    dict lappend theirs $identity $pair
                }
            }
            dict for {identity list} $theirs {
                if {[llength [dict get $here $identity]] == 1 && ([llength $list] == 1 || $pass < 2)} {
                    set sum 0
                    foreach pair $list {
                        set v [dict get [lindex $pair 0] $key]
                        set sum [expr {$v eq "" ? $sum : $sum + $v}]
                    }
                    dict set found [lindex [dict get $here $identity] 0] $sum
                } elseif {$pass == 3} {
                    foreach id [dict get $here $identity] {
                        dict set unclear $id 1
                    }
                } else {
                    lappend rest {*}$list
                }
            }
            set left $rest
        }
        if {[llength $rows] >= [my Most]} {
            # the same may be in what was cut off, but for what this run has no place for
            set left [lmap pair $left apart [[$App comparison] foreign [lmap pair $left {lindex $pair 1}]] {
                if {!$apart} continue
                set pair
            }]
        }
        my SetTheirs [lmap pair $left {
            lassign $pair o places
            list [dict get $o name] [expr {[dict exists $o where] ? [dict get $o where] : ""}] [dict get $o $key] $places $o \
                {*}[expr {[dict exists $o whole] ? [list whole [dict get $o whole]] : ""}]
        }]
        return [lmap row $rows {
            set id [dict get $row id]
            set other [expr {[dict exists $found $id] ? [dict get $found $id] : ""}]
            dict merge $row [dict create other $other change [expr {$other ne "" && [dict get $row $key] ne "" ? $other - [dict get $row $key] : ""}] \
                apart [expr {![dict exists $unclear $id]}]]
        }]
    }
    # Rows that only the other run has: lists {NAME WHERE VALUE PLACES ROW ?KEY VALUE ...?}, VALUE what is compared, PLACES as of `Places` in its rows, ROW
    # the row as its model has it. They have no values of this run; `theirs` is ROW.
    method SetTheirs {rows} {
        set n -1
        set sized [lmap row $rows {list [expr {[lindex $row 2] eq "" ? 0 : abs([lindex $row 2])}] $row}]
        set Theirs [lmap pair [lsort -real -decreasing -index 0 $sized] {
            set row [lindex $pair 1]
            set more [lassign $row name where value places theirs]
            dict create id theirs:[incr n] name $name where $where share "" file -1 line 0 scope -1 context -1 process -1 other $value change $value apart 1 \
                places $places theirs $theirs {*}$more
        }]
    }
    method IsTheirs {id} { return [string match theirs:* $id] }
    # This run's rows, and those that only the other one has.
    method Listed {} { return [concat $Rows $Theirs] }
    # Their cell in a column of the pane's own {KEY TITLE TYPE ...}; blank: no value.
    method TheirCell {column row} {
        return [expr {[lindex $column 2] eq "name" ? [list [dict get $row name] [my TheirWhere $row] muted] : ""}]
    }
    method TheirWhere {row} {
        return "only in the other run[expr {[dict get $row where] ne "" ? " \u00b7 [dict get $row where]" : ""}]"
    }
    method TheirAmount {row} {
        lassign [my Compared] key scale unit
        return [::heatscope::fmt amount [expr {[dict get $row other] * $scale}] $unit]
    }
    # What the read-out says of them before their value.
    method TheirWords {row} { return "[string trim "[dict get $row name] [dict get $row where]"]: only in the other run" }
    # To the same place in this run, if there is one.
    method GoTheirs {row} {
        foreach place [dict get $row places] {
            foreach {kind there} $place {
                set here [lindex [[$App comparison] here $kind [list $there]] 0]
                if {$here < 0} {
                    continue
                }
                set id [dict get $row id]
                switch -- $kind {
                    line {
                        # it stays the chosen one among the rows of that line
                        set line [$Db line $here]
                        set row [dict merge $row [dict create file [dict get $line file] line [dict get $line line]]]
                    }
                    scope - context { dict set row $kind $here }
                }
                dict set ById $id $row
                set Theirs [lmap r $Theirs {expr {[dict get $r id] eq $id ? $row : $r}}]
                switch -- $kind {
                    line { $Nav line [my name] [dict get $row file] [dict get $row line] }
                    scope { $Nav scope [my name] $here }
                    context { $Nav context [my name] $here }
                }
                my Mark
                return
            }
        }
        # nothing here stands for it: it stays until something is selected
        set Held [my Held]
        my Mark
        my Read "[my AllWords $row]"
    }
    method Held {} { return [lmap key {file line scope procedure context column} {dict get $Selection $key}] }
    # Rows of this run with their places in the rows of the other one; places that it has not got are -1.
    method Translated {pairs} {
        foreach pair $pairs {
            foreach place [lindex $pair 1] {
                foreach {kind row} $place {
                    dict set asked $kind $row 1
                }
            }
        }
        if {![info exists asked]} {
            return $pairs
        }
        dict for {kind rows} $asked {
            foreach row [dict keys $rows] other [[$App comparison] there $kind [dict keys $rows]] {
                dict set asked $kind $row $other
            }
        }
        return [lmap pair $pairs {
            list [lindex $pair 0] [lmap place [lindex $pair 1] {
                concat {*}[lmap {kind row} $place {list $kind [dict get $asked $kind $row]}]
            }]
        }]
    }
    method ByPlace {row places n} {
        set place [lindex $places $n]
        if {$place eq "" || -1 in $place} {
            return ""
        }
        return [list [lmap key [my Alike] {dict get $row $key}] $place]
    }
    method ByWords {row places loose} {
        if {[llength $places]} {
            return ""
        }
        set words [lmap key [my Same] {expr {[dict exists $row $key] ? [dict get $row $key] : ""}}]
        return [expr {$loose ? [regsub -all {:\d+} $words :] : $words}]
    }
    method AllColumns {} {
        return [concat [my Columns] [expr {[my Contrasts] ? [my ChangeColumns] : ""}]]
    }
    # The bar goes before all others where there is no room, the words after them.
    method ChangeColumns {} { return {{changebar "" change 6 {} {}} {change "Other run" text 15 right {change size}}} }
    method Dropped {} {
        if {![my Contrasts]} {
            return [my Drop]
        }
        lassign [my ChangeOrder] first last
        return [concat $first [my Drop] $last]
    }
    method ChangeOrder {} { return {changebar change} }
    method AllCells {row} {
        set cells [my OwnCells $row]
        if {[my Contrasts]} {
            set v [dict get $row change]
            lappend cells [expr {$v ne "" && $ChangeMost > 0 ? [concat [expr {$v / double($ChangeMost)}] [expr {[my Beyond $row] ? "" : "grey"}]] : 0}] [my ChangeWords $row]
        }
        return $cells
    }
    method OwnCells {row} {
        return [expr {[dict exists $row theirs] ? [lmap column [my Columns] {my TheirCell $column $row}] : [my Cells $row]}]
    }
    # Is a row's change more than noise? Of what was timed or counted every one is.
    method Beyond {row} { return 1 }
    # "+0.31 s (1.42\u00d7)"
    method ChangeWords {row} {
        lassign [my Compared] key scale unit
        set change [dict get $row change]
        if {$change eq "" && [dict exists $row theirs]} {
            return \u2013
        }
        if {$change eq ""} {
            return [expr {[dict get $row $key] in {"" 0} || [dict get $row $key] == 0 ? "\u2013"
                : [dict exists $row apart] && ![dict get $row apart] ? "not told apart" : "not there"}]
        }
        set text "[expr {$change >= 0 ? "+" : "\u2212"}][::heatscope::fmt amount [expr {abs($change) * $scale}] $unit]"
        if {[dict exists $row theirs]} {
            return "$text, not here"
        }
        if {[dict get $row $key] > 0 && [dict get $row other] > 0} {
            append text " ([::heatscope::fmt ratio [dict get $row other] [dict get $row $key]]\u00d7)"
        }
        return $text
    }
    method AllWords {row} {
        if {[dict exists $row theirs]} {
            return "[my TheirWords $row][expr {[dict get $row other] ne "" ? ", [my TheirAmount $row]" : ""}][expr {[my Beyond $row] ? "" : ", within noise"}]"
        }
        return "[my Words $row][expr {[my Contrasts] ? "; other run: [my ChangeWords $row][expr {[my Beyond $row] || [dict get $row change] eq "" ? "" : ", within noise"}]" : ""}]"
    }

    # ---- the chosen row ----

    method Mark {} {
        set before $Chosen
        if {![my IsTheirs $Chosen] || ![dict exists $ById $Chosen] || [my Held] ne $Held} {
            set Chosen [my Current]
        }
        set pinned {}
        if {$Chosen ne ""} {
            if {[dict exists $ById $Chosen]} {
                set row [dict get $ById $Chosen]
                set place [dict get $PlaceOf $Chosen]
            } else {
                set row [my Missing $Chosen]
                set place [expr {$row ne "" ? [dict get $row place] : 0}]
            }
            if {$row ne ""} {
                set pinned [list $Chosen {*}[my AllCells $row]]
                if {$place > 0} {
                    # by itself it is indented below nothing
                    lset pinned 1 0 "$place. [string trimleft [lindex $pinned 1 0] "\u2002\u2003\u2007 "]"
                }
            }
        }
        $List configure -selected $Chosen -pinned $pinned
        # a list that is new shows its top: the chosen row stands below it anyway
        if {$Loaded && $Chosen ne "" && $Chosen ne $before && [dict exists $ById $Chosen]} {
            $List see $Chosen
        }
    }
    method OnPick {pick} {
        set id [dict get $pick id]
        if {$id eq ""} {
            return
        }
        set row [expr {[dict exists $ById $id] ? [dict get $ById $id] : [my Missing $id]}]
        if {$row ne ""} {
            set Chosen $id
            $List configure -selected $id
            if {[dict exists $row theirs]} {
                my GoTheirs $row
            } else {
                my Go $row
            }
        }
    }
    method OnOpen {pick} {
        set id [dict get $pick id]
        if {$id ne "" && [dict exists $ById $id]} {
            set Chosen $id
            if {![my IsTheirs $id]} {
                my Open [dict get $ById $id]
            }
        }
    }
    method OnHover {hit} {
        my Read [expr {$hit ne "" && [dict exists $hit id] && [dict exists $ById [dict get $hit id]]
                       ? [my AllWords [dict get $ById [dict get $hit id]]] : ""}]
    }

    # Of the rows that hold {*}$test (one word more, the row): the chosen one if it is among them, else the first; "" for none.
    method RowWith {test} {
        set found ""
        foreach row [my Listed] {
            if {[{*}$test $row]} {
                if {[dict get $row id] eq $Chosen} {
                    return $Chosen
                } elseif {$found eq ""} {
                    set found [dict get $row id]
                }
            }
        }
        return $found
    }
    # Is a row's line the selected one; its process the selected column?
    method AtLine {row} {
        return [expr {[dict get $row file] >= 0 && [dict get $row line] > 0 && [dict get $row file] == [dict get $Selection file]
                      && [dict get $row line] == [dict get $Selection line]}]
    }
    method AtColumn {row} {
        return [expr {[dict get $Selection axis] eq "process" && [dict get $Selection column] >= 0
                      && [dict get $row process] == [dict get $Selection column]}]
    }
    # The chosen row, as long as it is there.
    method Kept {} {
        return [expr {[dict exists $ById $Chosen] ? $Chosen : ""}]
    }

    # ---- search ----

    # Text of a row that the search looks at.
    method Searched {row} {
        return "[dict get $row name] [expr {[dict exists $row where] ? [dict get $row where] : ""}]"
    }
    # Marks the rows that hold the text searched for; how many there are and what they add up to stands beside the title.
    method MarkHits {} {
        set text [string tolower [string trim [dict get $Selection search]]]
        set ids {}
        set sum 0.0
        set summed 0
        if {$text ne ""} {
            foreach row [my Listed] {
                if {[string first $text [string tolower [my Searched $row]]] >= 0} {
                    lappend ids [dict get $row id]
                    if {[dict exists $row share] && [dict get $row share] ne ""} {
                        set sum [expr {$sum + [dict get $row share]}]
                        set summed 1
                    }
                }
            }
        }
        $List configure -hits $ids
        set beside [expr {$Begun ? "not all was read" : [my Beside]}]
        if {[llength $Theirs]} {
            append beside "[expr {$beside ne "" ? " \u00b7 " : ""}][llength $Theirs] only in the other run"
        }
        if {$text ne ""} {
            set found "[::heatscope::fmt plural [llength $ids] hit][expr {$summed && [llength $ids] ? ", [::heatscope::fmt percent $sum 1]" : ""}]"
            set beside [expr {$beside ne "" ? "$found \u00b7 $beside" : $found}]
        }
        my subtitle $beside
    }

    # ---- state, as data ----

    # What a session file keeps of the pane.
    method state {} {
        return [dict create group $By sort $SortColumn order $SortOrder]
    }
    # Takes such a dict; what does not fit is left out.
    method restore {state} {
        set Ordered [[$App comparison] any]
        if {[dict exists $state group] && [dict exists [my Groups] [dict get $state group]]} {
            my group [dict get $state group]
        }
        if {[dict exists $state sort] && [my SortKey [dict get $state sort]] ne ""
            && [dict exists $state order] && [dict get $state order] in {increasing decreasing}} {
            my sort [dict get $state sort] [dict get $state order]
        }
    }
    method table {} {
        set exported [concat [my Exported] [expr {[my Tells] ? "other other change change only_in_other_run only_there" : ""}]]
        set rows [list [dict keys $exported]]
        foreach row [my Sorted] {
            if {[my Tells]} {
                dict set row only_there [dict exists $row theirs]
            }
            lappend rows [lmap key [dict values $exported] {expr {[dict exists $row $key] ? [dict get $row $key] : ""}}]
        }
        return $rows
    }
    method describe {} {
        set out "[my title][expr {$By ne "" ? " by $By" : ""}]: [my fullSubtitle]\n"
        set hits [$List cget -hits]
        foreach row [lrange [my Sorted] 0 200] {
            set id [dict get $row id]
            append out "[expr {$id eq $Chosen ? "> " : $id in $hits ? "* " : ""}][my AllWords $row]\n"
        }
        if {![llength [my Listed]]} {
            append out [$List cget -empty]\n
        }
        return $out
    }
}
