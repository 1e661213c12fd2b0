# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# This run and another one: what changed, by procedure, loop, line, module, wait, message or cause, and what to say of a line or scope.

oo::class create ::heatscope::Comparison {
    variable Run Db Unit Other OtherRun Changes Failed Marks Interval Exact Known

    # other: a handle of the database that is compared with, "" for none
    constructor {run other} {
        set Run $run
        set Db [$run db]
        set Other $other
        set OtherRun ""
        set Known ""
        set Changes {}
        set Failed {}
        set Marks {}
        set Interval ""
        set Exact 0
    }
    destructor {
        my DropRun
    }
    # The other one as a run of its own, for the models of lists; "" for none.
    method run {} {
        if {$OtherRun eq "" && $Other ne ""} {
            set OtherRun [::heatscope::Run new $Other]
        }
        return $OtherRun
    }
    # Its metric of the same name; -1 for none.
    method metric {metric} {
        return [lsearch -exact [[my run] metrics] [lindex [$Run metrics] $metric]]
    }
    method DropRun {} {
        if {$OtherRun ne ""} {
            $OtherRun destroy
            set OtherRun ""
        }
    }
    # Values are of another interval and category of this run: the other one takes the same, if its values are known by time.
    # only: name of a category, "" for all; exact: they are of a metric that was counted or timed
    method interval {wanted {only {}} {exact 0}} {
        set Exact $exact
        set Changes {}
        set Marks {}
        set Interval ""
        if {$Other eq ""} {
            return
        }
        if {[dict get [$Other times] [expr {$exact ? "slices" : "present"}]]} {
            $Other interval $wanted
            $Other only [my CategoryOf $only]
            if {$wanted ne ""} {
                set Interval "the same time of both"
            }
        } elseif {$wanted ne "" || $only ne ""} {
            if {[dict get [$Other times] present]} {
                $Other interval {}
                $Other only -1
            }
            set Interval "this [expr {$wanted ne "" ? "interval" : "category"}] against the whole other run: its [expr {$exact ? "amounts" : "samples"}] are not known by time"
        }
    }
    # Ahead of `interval`: for `ms` milliseconds what that takes; which part of it has been done.
    method choose {wanted only exact ms} {
        if {$Other eq "" || ![dict get [$Other times] [expr {$exact ? "slices" : "present"}]]} {
            return 1.0
        }
        return [$Other choose $wanted [my CategoryOf $only] $ms]
    }
    # Are its values those of a metric that was counted or timed? "" where that makes no difference: it has both by time, or neither.
    method exact {} {
        if {$Other eq "" || [dict get [$Other times] slices] == [dict get [$Other times] present]} {
            return ""
        }
        return $Exact
    }
    # The other run's category of that name; -1 for none.
    method CategoryOf {name} {
        if {$name ne ""} {
            for {set k 0} {$k < [dict get [$Other info] categories]} {incr k} {
                if {[$Other category $k] eq $name} {
                    return $k
                }
            }
        }
        return -1
    }
    # What the values are of, "" for both runs whole.
    method intervalWords {} { return $Interval }
    # Another database, "" for none, from now on.
    method with {other} {
        my DropRun
        set Other $other
        set Known ""
        set Failed {}
        set Changes {}
        set Marks {}
        set Interval ""
    }
    # Have both a program of one name, or one build of it (of the first processes)? Without names, as with a simulated run, yes.
    method sameProgram {} {
        lassign [list [my Programs $Db] [my Programs $Other]] here there
        foreach name $here {
            if {$name in $there} {
                return 1
            }
        }
        if {![llength $here] || ![llength $there]} {
            return 1
        }
        set builds [my Builds $Other]
        foreach build [my Builds $Db] {
            if {$build in $builds} {
                return 1
            }
        }
        return 0
    }
    # Build ids of these programs, those that are known.
    method Builds {db} {
        set paths {}
        for {set i 0} {$i < min(64, [dict get [$db info] processes])} {incr i} {
            dict set paths [dict get [$db process $i] executable] 1
        }
        set builds {}
        for {set i 0} {$i < [dict get [$db info] modules]} {incr i} {
            set module [$db module $i]
            if {[dict exists $paths [dict get $module path]] && [dict get $module build_id] ne ""} {
                lappend builds [dict get $module build_id]
            }
        }
        return $builds
    }
    method Programs {db} {
        set names {}
        for {set i 0} {$i < min(64, [dict get [$db info] processes])} {incr i} {
            set name [file tail [dict get [$db process $i] executable]]
            if {$name ne "" && $name ni $names} {
                lappend names $name
            }
        }
        return $names
    }
    method path {} { return [expr {$Other eq "" ? "" : [file normalize [dict get [$Other info] path]]}] }
    # The other database's rows that are the same lines, scopes or contexts, in the order of `rows`; -1: it has none.
    method there {kind rows} { return [$Db match $Other $kind $rows] }
    # This database's rows that are the same as those of the other one.
    method here {kind rows} { return [$Other match $Db $kind $rows] }
    # Of places in the other run, each a list of lists {KIND ROW ...}: has this run nothing at any of them? 0 also of those without a place.
    method foreign {places} {
        foreach place $places {
            foreach {kind row} [concat {*}$place] {
                dict set asked $kind $row 1
            }
        }
        if {![info exists asked]} {
            return [lrepeat [llength $places] 0]
        }
        dict for {kind rows} $asked {
            foreach row [dict keys $rows] here [my here $kind [dict keys $rows]] {
                dict set asked $kind $row $here
            }
        }
        return [lmap place $places {
            set nowhere [expr {[llength $place] > 0}]
            foreach {kind row} [concat {*}$place] {
                set nowhere [expr {$nowhere && [dict get $asked $kind $row] < 0}]
            }
            set nowhere
        }]
    }
    # Procedures, loops, lines or modules with values in the other run only: dicts as of `changes`, the largest first, in the order of that.
    method alone {by metric} {
        return [lmap c [my changes $by $metric] {
            if {[dict get $c value_a] > 0 || [dict get $c value_b] <= 0} continue
            set c
        }]
    }
    # The other database: a list of one, or none.
    method handle {} { return [expr {$Other eq "" ? {} : [list $Other]}] }
    method any {} { return [expr {$Other ne ""}] }
    # Options by which drawn widgets show the other run's values less, or by, this one's.
    method options {show} {
        return [expr {$Other eq "" ? {-other "" -show value} : [list -other $Other -show $show]}]
    }
    # A change that a widget tells, in words: "+12 samples", "1.5 times", "only in the other run".
    method words {show value metric} {
        if {$value eq ""} {
            return "no code"
        }
        if {$value in {Inf -Inf inf -inf}} {
            return [expr {[string index $value 0] eq "-" ? "only in this run" : "only in the other run"}]
        }
        # what is within noise is drawn, and told, as none
        if {$value == 0} {
            return "no difference beyond noise"
        }
        if {$show eq "ratio"} {
            return "[format %.3g [expr {2.0 ** $value}]] times this run"
        }
        set m [$Db metric $metric]
        set sign [expr {$value > 0 ? "+" : $value < 0 ? "\u2212" : ""}]
        set size [expr {abs($value)}]
        if {[dict get $m exact]} {
            return "$sign[::heatscope::fmt amount [expr {$size * [dict get $m scale]}] [dict get $m unit]] in the other run"
        }
        return "$sign[::heatscope::fmt plural $size [$Run countWord]] in the other run"
    }
    method title {} { return [::heatscope::fmt plain [dict get [$Other info] title]] }
    # With its folder where both files are called alike, as those of two measurements.
    method file {} {
        set path [dict get [$Other info] path]
        set name [::heatscope::fmt baseName $path]
        if {$name eq [::heatscope::fmt baseName [dict get [$Db info] path]] && [set folder [::heatscope::fmt baseName [file dirname [file normalize $path]]]] ni {"" /}} {
            set name $folder/$name
        }
        return [::heatscope::fmt plain $name]
    }
    # "2 → 4 ranks", "" where both have as many: processes, or threads where neither has several.
    method sizes {} {
        lassign [my Sizes] here there
        return [expr {$here != $there ? "$here \u2192 $there [lindex [$Run words [expr {[my ByThread] ? "thread" : "process"}]] [expr {$there != 1}]]" : ""}]
    }
    # How many times as many the other one has.
    method growth {} {
        lassign [my Sizes] here there
        return [expr {double($there) / $here}]
    }
    # As `heatscope diff` counts them, which only whole runs tell: threads that computed at the same time.
    method Sizes {} {
        if {$Known eq ""} {
            foreach row [my Figures 0] {
                if {[dict get $row of] eq "size"} {
                    set Known [list [expr {int([dict get $row a])}] [expr {int([dict get $row b])}]]
                }
            }
        }
        if {$Known ne ""} {
            return $Known
        }
        return [lmap db [list $Db $Other] {expr {[my ByThread] ? [$db columns thread working] : [dict get [$db info] processes]}}]
    }
    method ByThread {} { return [expr {[dict get [$Db info] processes] == 1 && [dict get [$Other info] processes] == 1}] }
    # Why there is nothing to show, "" for no reason.
    method failed {} { return $Failed }

    # Is that kind of change timed, in seconds, whatever the metric?
    method isTimed {by} { return [expr {$by in {wait message cause}}] }
    # Changes, the largest first: dicts of `changes` with name, where, ratio (other over this; "" without) and words.
    method changes {by metric} {
        set key [list $by $metric]
        if {![dict exists $Changes $key]} {
            set Failed {}
            if {[catch {$Db changes $Other $by -metric $metric -n 2000} rows options]} {
                if {[lindex [dict get $options -errorcode] 2] in {CANCELLED PENDING}} {
                    return -options $options $rows
                }
                set Failed $rows
                set rows {}
            }
            set Unit [dict get [$Db metric $metric] unit]
            dict set Changes $key [my Apart $by [lmap c $rows {dict merge $c [expr {[my isTimed $by] ? [my TimedNames $c] : [my Names $by $c]}]}]]
        }
        return [dict get $Changes $key]
    }
    # What is known of both runs as a whole: lists {TITLE TEXT SHORT}, as `heatscope diff` heads its text with; {} of intervals.
    method runs {metric} {
        if {$Other eq ""} {
            return {}
        }
        return [my RunLines [my Figures $metric]]
    }
    # The same as `runs` of the database tells it.
    method Figures {metric} {
        set key [list runs $metric]
        if {![dict exists $Changes $key]} {
            if {[catch {$Db runs $Other -metric $metric} rows options]} {
                if {[lindex [dict get $options -errorcode] 2] in {CANCELLED PENDING}} {
                    return -options $options $rows
                }
                set rows {}
            }
            dict set Changes $key $rows
        }
        return [dict get $Changes $key]
    }
    method RunLines {rows} {
        set by {}
        foreach row $rows {
            dict lappend by [dict get $row of] $row
        }
        set out {}
        if {[dict exists $by cpu]} {
            set text "[my Seconds [lindex [dict get $by cpu] 0]], by the kernel's clocks"
            if {[dict exists $by itself]} {
                append text "; the program itself, by what measuring took (an estimate): [my Seconds [lindex [dict get $by itself] 0]]"
            }
            lappend out [list "CPU time" $text [my Seconds [lindex [dict get $by cpu] 0]]]
        }
        if {[dict exists $by category]} {
            lappend out [list "Of it" [join [my Categories [dict get $by category]] "; "] \
                "[dict get [lindex [dict get $by category] 0] name] [my Seconds [lindex [dict get $by category] 0]]"]
        }
        if {[dict exists $by elapsed]} {
            set text [my Seconds [lindex [dict get $by elapsed] 0]]
            lappend out [list Elapsed $text $text]
        }
        foreach {of title} {waiting Waiting messages "Message passing"} {
            if {[dict exists $by $of]} {
                lappend out [list $title [my Kinds [dict get $by $of]] "[my Seconds [lindex [dict get $by $of] 0]][expr {$of eq "waiting" ? [my Most [dict get $by $of]] : ""}]"]
            }
        }
        if {[dict exists $by imbalance]} {
            lappend out [list Imbalance "[my Factor [lindex [dict get $by imbalance] 0] %.2f 1]: computation of the thread with most over the mean[my Chance $by imbalance]" \
                [my Factor [lindex [dict get $by imbalance] 0] %.2f 1]]
        }
        if {[dict exists $by parallel]} {
            set computation [lindex [dict get $by computation] 0]
            lappend out [list Efficiency "parallel [my Factor [lindex [dict get $by parallel] 0] {%.1f %%} 100] = load balance\
                [my Factor [lindex [dict get $by balance] 0] {%.1f %%} 100] \u00d7 communication [my Factor [lindex [dict get $by communication] 0] {%.1f %%} 100];\
                computation [my Seconds $computation] scaled by [my Scaled $computation] (strong: the same work), of a thread by\
                [my Scaled [lindex [dict get $by each] 0]] (weak: work that grows with the threads)[my Chance $by balance]" \
                [my Factor [lindex [dict get $by parallel] 0] {%.1f %%} 100]]
        } elseif {[dict exists $by balance]} {
            # elapsed time tells of other programs
            set computation [lindex [dict get $by computation] 0]
            set balance [my Factor [lindex [dict get $by balance] 0] {%.1f %%} 100]
            lappend out [list Efficiency "load balance $balance; computation [my Seconds $computation] scaled by [my Scaled $computation] (strong: the same work), of a thread by\
                [my Scaled [lindex [dict get $by each] 0]] (weak: work that grows with the threads)[my Chance $by balance]; communication and parallel efficiency are not told:\
                threads stood in line for a processor for most of the time that they could have run" "load balance $balance"]
        }
        if {[dict exists $by care]} {
            set cares [lmap row [dict get $by care] {my Care [::heatscope::fmt plain [dict get $row name]]}]
            lappend out [list Care [join $cares "; "] "[::heatscope::fmt plural [llength $cares] way] in which they were not alike"]
        }
        return $out
    }
    # A sentence of `heatscope diff` in the window's words: without options of the command line, and with its names of the runs.
    method Care {text} {
        regsub -all { \((?:report )?--[^)]*\)} $text "" text
        regsub {\mof A\M} $text "of this one" text
        regsub {\mof B\M} $text "of the other one" text
        return [regsub -all {\min B\M} [regsub -all {\min A\M} $text "in this run"] "in the other one"]
    }
    # "2.26 s \u2192 1.13 s (\u221250.0 %)"
    method Seconds {row} {
        set a [dict get $row a]
        set b [dict get $row b]
        set text "[::heatscope::fmt seconds $a] \u2192 [::heatscope::fmt seconds $b]"
        if {$a > 0 && $b / $a >= 100} {
            append text " ([::heatscope::fmt grouped [format %.0f [expr {$b / $a}]]]\u00d7)"
        } elseif {$a > 0} {
            set percent [format %.1f [expr {100.0 * abs($b / $a - 1)}]]
            append text " ([expr {$percent == 0 ? "" : $b > $a ? "+" : "\u2212"}]$percent %)"
        }
        return $text
    }
    # What threads did, by samples. Two runs may differ by more than their samples tell: the first interval says so.
    method Categories {rows} {
        set alone " of sampling alone"
        return [lmap row $rows {
            set text [my Category $row $alone]
            if {[string first $alone $text] >= 0} {
                set alone ""
            }
            set text
        }]
    }
    # "waiting 6.84 s \u2192 16.4 s (+139.8 %, 95 %: +134.8 to +145.9)"; `alone`: what the interval is of.
    method Category {row {alone {}}} {
        set text "[::heatscope::fmt plain [dict get $row name]] [my Seconds $row]"
        set a [dict get $row a]
        if {$a <= 0} {
            return $text
        }
        lassign [list [dict get $row low] [dict get $row high]] low high
        set noise [expr {$low <= 0 && $high >= 0 ? "within noise" : \
            [string map {- \u2212} [format "95 %%%s: %+.1f to %+.1f" $alone [expr {max(-100.0, 100.0 * $low / $a)}] [expr {max(-100.0, 100.0 * $high / $a)}]]]}]
        return "[string range $text 0 end-1], $noise)"
    }
    method Scaled {row} { return [format {%.1f %%} [expr {100.0 * [dict get $row a] / [dict get $row b]}]] }
    # All of them, and the three kinds that changed most, where that is a hundredth of all.
    method Kinds {rows} {
        set all [lindex $rows 0]
        set least [expr {0.01 * max([dict get $all a], [dict get $all b])}]
        set kinds {}
        foreach row [lrange $rows 1 end] {
            if {abs([dict get $row b] - [dict get $row a]) >= $least && [llength $kinds] < 3} {
                lappend kinds "[::heatscope::fmt plain [dict get $row name]] [::heatscope::fmt seconds [dict get $row a]] \u2192 [::heatscope::fmt seconds [dict get $row b]]"
            }
        }
        return "[my Seconds $all], all threads added up[expr {[llength $kinds] ? ": [join $kinds {, }]" : ""}]"
    }
    # ", timed, most: end of a thread": another waiting than that of the CPU time before it.
    method Most {rows} {
        set most [lindex [lsort -real -decreasing -index 0 [lmap row [lrange $rows 1 end] {list [expr {max([dict get $row a], [dict get $row b])}] [dict get $row name]}]] 0]
        return ", timed[expr {$most ne "" ? ", most: [::heatscope::fmt plain [lindex $most 1]]" : ""}]"
    }
    # With ~ where chance alone explains it.
    method Factor {row format scale} {
        foreach side {a b} {
            lappend shown "[format $format [expr {$scale * [dict get $row $side]}]][expr {[dict get $row chance_$side] ? "~" : ""}]"
        }
        return [join $shown " \u2192 "]
    }
    method Chance {by of} {
        set row [lindex [dict get $by $of] 0]
        return [expr {[dict get $row chance_a] || [dict get $row chance_b] ? " (~: chance alone explains it)" : ""}]
    }
    # Rows that would read the same have their procedures' whole names.
    method Apart {by rows} {
        foreach c $rows {
            dict incr met [list [dict get $c name] [dict get $c where]]
        }
        return [lmap c $rows {
            if {$by in {procedure loop nest} && [dict get $met [list [dict get $c name] [dict get $c where]]] > 1} {
                dict set c name [my Whole $c]
            }
            set c
        }]
    }
    method Whole {c} {
        lassign [expr {[dict get $c a] >= 0 ? [list $Db [dict get $c a]] : [list $Other [dict get $c b]]}] db row
        set procedure [dict get [$db scope $row] procedure]
        set name [expr {$procedure >= 0 ? [::heatscope::fmt plain [dict get [$db scope $procedure] name]] : ""}]
        return [expr {$procedure in [list $row -1] ? $name : "$name [::heatscope::fmt plain [dict get [$db scope $row] name]]"}]
    }
    method Names {by c} {
        set a [dict get $c value_a]
        set b [dict get $c value_b]
        set ratio [expr {$a > 0 && $b > 0 ? $b / $a : ""}]
        if {[dict get $c a] >= 0} {
            lassign [my Place $Db $by [dict get $c a]] name where
            if {[dict get $c b] >= 0 && $by ne "module"} {
                lassign [my Place $Other $by [dict get $c b]] name_there where_there
                set procedures [list [my ProcedureOf $Db $by [dict get $c a]] [my ProcedureOf $Other $by [dict get $c b]]]
                set name [my Moved [my Renamed $name $procedures] $name_there]
                set where [my Moved [my Renamed $where $procedures] $where_there]
            }
        } else {
            lassign [my Place $Other $by [dict get $c b]] name where
        }
        set lone [expr {[dict get $c a] < 0 || [dict get $c b] < 0}]
        set words [expr {[dict get $c in_both] && $a == 0 ? "no sample in this run" : [dict get $c in_both] && $b == 0 ? "no sample in the other run" :
            !$lone ? "" : [dict get $c a] < 0 ? "only in the other run" : "only in this run"}]
        if {$by eq "loop" && [dict get $c how] eq "nest"} {
            set words [string trimleft "$words, with the loops in it, which are others there" ", "]
        }
        if {[my onlyMoved $c]} {
            set words [string trimleft "$words, only moved: with the code next to it [my HereThere [dict get $c together_a] [dict get $c together_b] $Unit]" ", "]
        }
        return [dict create name $name where $where ratio $ratio words $words]
    }
    # Has the code next to it as much less, or more: was it put in line in one build, and not in the other?
    method onlyMoved {c} { return [expr {[dict exists $c moved] && [dict get $c moved]}] }
    # Waits, calls of message passing, and what made others wait, by the line of this run, or of the other where it is only there.
    method TimedNames {c} {
        set a [dict get $c value_a]
        set b [dict get $c value_b]
        set here [dict get $c in_a]
        lassign [expr {$here ? [list $Db [dict get $c a] [dict get $c scope_a]] : [list $Other [dict get $c b] [dict get $c scope_b]]}] db line scope
        set name [::heatscope::fmt plain [dict get $c kind]]
        set procedure [expr {$scope >= 0 ? [my Procedure $db $scope] : ""}]
        set where [expr {$line >= 0 ? [string trim "$procedure [lindex [my Place $db line $line] 0]"] : $procedure}]
        set both [expr {$here && [dict get $c in_b]}]
        if {[dict get $c [expr {$here ? "cause_a" : "cause_b"}]] ne ""} {
            set where [::heatscope::fmt plain [dict get $c [expr {$here ? "cause_a" : "cause_b"}]]]
            if {$both} {
                set where [my Moved $where [::heatscope::fmt plain [dict get $c cause_b]]]
            }
        } elseif {$both && $line >= 0 && [dict get $c b] >= 0} {
            set where [my Moved $where [lindex [my Place $Other line [dict get $c b]] 0]]
        }
        set side [expr {$here ? "a" : "b"}]
        set words {}
        if {!$both} {
            lappend words "[expr {$here ? "only in this run" : "only in the other run"}]: [::heatscope::fmt plural [dict get $c calls_$side] time]"
        } elseif {[dict get $c calls_a] != [dict get $c calls_b]} {
            lappend words "[::heatscope::fmt grouped [dict get $c calls_a]] \u2192 [::heatscope::fmt plural [dict get $c calls_b] time]"
        }
        foreach {key verb} [list sent sent received [expr {[string match MPI_* [dict get $c kind]] ? "received" : "moved"}]] {
            set from [dict get $c ${key}_a]
            set to [dict get $c ${key}_b]
            if {$from != $to} {
                lappend words "[expr {$both ? "[::heatscope::fmt amount $from B] \u2192 " : ""}][::heatscope::fmt amount [expr {$both ? $to : max($from, $to)}] B] $verb"
            }
        }
        return [dict create name $name where $where ratio [expr {$a > 0 && $b > 0 ? $b / $a : ""}] words [join $words ", "]]
    }
    # A text with the place "file:line" that it is at in this run, and what it is in that text of the other: "a.c:3 \u2192 b.c:5", in the same file "a.c:3 \u2192 :5".
    method Moved {here there} {
        set place {[^\s:]+:\d+}
        if {![regexp -indices $place $here at] || ![regexp $place $there to]} {
            return $here
        }
        set from [string range $here {*}$at]
        if {$from eq $to} {
            return $here
        }
        regexp {^(.*)(:\d+)$} $to - file line
        return [string replace $here {*}$at "$from \u2192 [expr {[string match ${file}:* $from] ? $line : $to}]"]
    }
    # A text that begins with the procedure's name; where it is called otherwise in the other run, both: "a \u2192 b do".
    method Renamed {text procedures} {
        lassign $procedures here there
        if {$here eq "" || $there in [list "" $here] || [string first "$here " "$text "]} {
            return $text
        }
        return "$here \u2192 $there[string range $text [string length $here] end]"
    }
    method ProcedureOf {db by row} {
        set scope [expr {$by eq "line" ? [dict get [$db line $row] scope] : $row}]
        return [expr {$by eq "procedure" ? [::heatscope::names short $db $row] : $scope >= 0 ? [my Procedure $db $scope] : ""}]
    }
    method Place {db by row} {
        if {$by eq "line"} {
            set line [$db line $row]
            set name [::heatscope::fmt plain [dict get [$db file [dict get $line file]] name]]
            return [list [expr {[dict get $line line] > 0 ? "$name:[dict get $line line]" : "$name, no line known"}] [expr {[dict get $line scope] >= 0 ? [my Procedure $db [dict get $line scope]] : ""}]]
        }
        set s [$db scope $row]
        set name [::heatscope::names short $db $row]
        set where ""
        if {[dict get $s file] >= 0} {
            set where [::heatscope::fmt plain [dict get [$db file [dict get $s file]] name]]
            if {[dict get $s line_begin] > 0} {
                append where :[dict get $s line_begin]
            }
        }
        if {$by in {loop nest}} {
            set name "[my Procedure $db $row] $name"
        } elseif {$by eq "module"} {
            set name [::heatscope::fmt baseName $name]
            set where ""
        }
        return [list $name $where]
    }
    method Procedure {db scope} {
        set procedure [dict get [$db scope $scope] procedure]
        if {[dict get [$db scope $scope] kind] eq "procedure"} {
            set procedure $scope
        }
        return [expr {$procedure >= 0 ? [::heatscope::names last $db $procedure] : ""}]
    }
    # "+0.31 s (1.42x)" in the metric's unit
    method amount {c metric {unit ""}} {
        if {$unit eq ""} {
            set unit [dict get [$Db metric $metric] unit]
        }
        set change [dict get $c change]
        set text "[expr {$change >= 0 ? "+" : "\u2212"}][::heatscope::fmt amount [expr {abs($change)}] $unit]"
        if {[dict get $c ratio] ne ""} {
            append text " ([::heatscope::fmt ratio [dict get $c value_b] [dict get $c value_a]]\u00d7)"
        }
        return $text
    }
    # ", only in this run" of what the other one has not got.
    method apart {c} { return [expr {[dict get $c b] < 0 ? ", only in this run" : ""}] }
    # What to write beside a line of a file: {words tone scope} of procedures, loops and lines that changed beyond noise.
    method marks {file line metric} {
        if {$Other eq ""} {
            return {}
        }
        if {![dict exists $Marks $metric]} {
            set marks {}
            foreach by {procedure loop} {
                foreach {row c} [my rows $by $metric] {
                    set s [$Db scope $row]
                    dict lappend marks [list [dict get $s file] [dict get $s line_begin]] [my Mark $c $metric $row]
                }
            }
            foreach {row c} [my rows line $metric] {
                set l [$Db line $row]
                set key [list [dict get $l file] [dict get $l line]]
                if {![dict exists $marks $key]} {
                    dict lappend marks $key [my Mark $c $metric [dict get $l scope]]
                }
            }
            dict set Marks $metric $marks
        }
        set key [list $file $line]
        return [expr {[dict exists $Marks $metric $key] ? [dict get $Marks $metric $key] : {}}]
    }
    method Mark {c metric scope} {
        if {[my onlyMoved $c]} {
            return [list "[my amount $c $metric], only moved" plain $scope]
        }
        return [list "[my amount $c $metric][my apart $c]" [expr {[dict get $c change] > 0 ? "more" : "less"}] $scope]
    }
    # Procedures and loops that changed beyond noise, the largest change first: dicts as of `changes` with by. A loop has what it calls, so it is told where no
    # other procedure tells most of its change, and it has half of its own one's and more; for that one then.
    method code {metric} {
        set procedures [lmap c [my changes procedure $metric] {if {![dict get $c beyond]} continue; dict set c by procedure}]
        # by sign: what each procedure changed by, and the two that changed most
        foreach pair [lsort -real -decreasing -index 0 [lmap p $procedures {list [expr {abs([dict get $p change])}] $p}]] {
            lassign $pair size p
            set up [expr {[dict get $p change] > 0}]
            set by($up,[dict get $p a]) $size
            lappend most($up) [dict get $p a] $size
        }
        set out {}
        foreach c [my changes loop $metric] {
            if {![dict get $c beyond]} continue
            set change [expr {abs([dict get $c change])}]
            set up [expr {[dict get $c change] > 0}]
            set procedure [expr {[dict get $c a] >= 0 ? [dict get [$Db scope [dict get $c a]] procedure] : -1}]
            # what a loop calls may be what changed; of its own procedure it has to be half
            if {$procedure >= 0 && [info exists by($up,$procedure)] && $by($up,$procedure) >= 2 * $change} continue
            set other 0
            foreach {p size} [expr {[info exists most($up)] ? [lrange $most($up) 0 3] : {}}] {
                if {$procedure < 0 || $p != $procedure} {
                    set other [expr {max($other, $size)}]
                }
            }
            if {$other >= 0.8 * $change} continue
            if {$procedure >= 0} {
                set of($procedure,$up) 1
            }
            lappend out [list $change [dict set c by loop]]
        }
        foreach c $procedures {
            if {![info exists of([dict get $c a],[expr {[dict get $c change] > 0}])]} {
                lappend out [list [expr {abs([dict get $c change])}] $c]
            }
        }
        return [lmap pair [lsort -real -decreasing -index 0 $out] {lindex $pair 1}]
    }
    # What changed, in the form of findings: the whole run, then the code that changed most and beyond noise and what is timed, by how much they changed;
    # what is timed last where it may be the machine's: where by as much more or less threads stood in line for a processor.
    method findings {metric} {
        if {$Other eq ""} {
            return {}
        }
        set theirs [my metric $metric]
        set out {}
        set none {weight 0 share "" low "" high "" scope -1 file -1 line 0}
        set m [$Db metric $metric]
        set unit [dict get $m unit]
        if {$theirs >= 0} {
            set here [expr {[$Run total $metric] * [dict get $m scale]}]
            set there [expr {[$Other total -metric $theirs] * [[my run] scale $theirs]}]
            set what "[::heatscope::fmt plain [dict get $m name]] of [$Run whole $metric]"
            set text "$what: [my HereThere $here $there $unit]."
            # of whole runs the kernel's clocks tell it, as the comparison has it
            foreach row [my Figures $metric] {
                lassign [list [dict get $row a] [dict get $row b]] a b
                if {[dict get $row of] eq "cpu"} {
                    set text "$what, by the kernel's clocks: [my HereThere $a $b s]."
                    if {abs($here - $a) > 0.02 * $a || abs($there - $b) > 0.02 * $b} {
                        append text " Samples stand for [my HereThere $here $there $unit]: the rest is in none, and in no list."
                    }
                }
            }
            if {![my sameProgram]} {
                append text " It is of another program ([::heatscope::fmt plain [lindex [my Programs $Other] 0]], here [::heatscope::fmt plain [lindex [my Programs $Db] 0]]):\
                    what has the same name in both is compared."
            }
            lappend out [dict merge $none [dict create title "Other run" text $text]]
        }
        set changed {}
        set n 0
        foreach c [lrange [my code $metric] 0 5] {
            set name "[dict get $c name][expr {[dict get $c by] eq "loop" ? " [dict get $c where], with what it calls" : ""}]"
            set text "$name: [my amount $c $metric][expr {[dict get $c words] ne "" ? ", [dict get $c words]" : ""}]\
                (95 %[expr {[incr n] == 1 ? " of sampling alone," : ""}] from [my Signed [dict get $c low] $unit] to [my Signed [dict get $c high] $unit])."
            set place [expr {[dict get $c a] >= 0 ? [$Db scope [dict get $c a]] : {}}]
            lappend changed [dict merge $none [dict create title [expr {[dict get $c change] > 0 ? "More there" : "Less there"}] text $text \
                change [dict get $c change]] [expr {$place ne "" ? [dict create scope [dict get $c a] file [dict get $place file] line [dict get $place line_begin]] : {}}]]
        }
        if {![llength $changed]} {
            lappend out [dict merge $none [dict create title "Other run" text "No procedure or loop changed beyond noise."]]
        }
        # by how much they changed; all are of time, or samples stand apart
        set timed [lmap c [my TimedFindings $metric] {dict merge $none $c}]
        if {$unit ne "s"} {
            return [concat $out $changed $timed]
        }
        lassign [my InLine $metric] here there
        set line [expr {$there - $here}]
        set sized [lmap c [concat $changed $timed] {list [expr {abs([dict get $c change])}] $c}]
        set last {}
        foreach pair [lsort -real -decreasing -index 0 $sized] {
            lassign $pair size c
            if {$c in $timed && $line * [dict get $c change] > 0 && $size <= abs($line)} {
                lappend last [dict replace $c text "[string trimright [dict get $c text] .]; it may be the machine's: threads stood in line for a processor for [::heatscope::fmt seconds $here] here, [::heatscope::fmt seconds $there] there."]
            } else {
                lappend out $c
            }
        }
        return [concat $out $last]
    }
    # How many seconds threads stood in line for a processor: {HERE THERE}; {0 0} where that is not known.
    method InLine {metric} {
        foreach row [my Figures $metric] {
            if {[dict get $row of] eq "in line"} {
                return [list [dict get $row a] [dict get $row b]]
            }
        }
        return {0.0 0.0}
    }
    # Of whole runs: waits, calls and causes of waiting that changed by a hundredth of the shorter one's elapsed time, at most two of each, those of calls with
    # a tenth more or less bytes also where their time did not.
    method TimedFindings {metric} {
        set least ""
        foreach row [my Figures $metric] {
            if {[dict get $row of] eq "elapsed"} {
                set least [expr {0.01 * min([dict get $row a], [dict get $row b])}]
            }
        }
        set out {}
        if {$least eq ""} {
            return {}
        }
        foreach by {message wait cause} {
            set rows [my changes $by $metric]
            set all 0.0
            foreach c $rows {
                set all [expr {$all + max([dict get $c sent_a] + [dict get $c received_a], [dict get $c sent_b] + [dict get $c received_b])}]
            }
            set n 0
            foreach c $rows {
                set change [dict get $c change]
                set longer [expr {abs($change) >= $least && $change != 0}]
                if {($longer || [my OtherBytes $c $all]) && [incr n] <= 2} {
                    set title [expr {!$longer ? "Other bytes there" : $by eq "cause" ? "[expr {$change > 0 ? "More" : "Less"}] waiting caused there"
                        : "[expr {$by eq "wait" ? "Waits" : "Calls"}] [expr {$change > 0 ? "longer" : "shorter"}] there"}]
                    set text "[dict get $c name], [dict get $c where]: [::heatscope::fmt seconds [dict get $c value_a]] here, [::heatscope::fmt seconds [dict get $c value_b]] there,\
                        [my amount $c $metric s][expr {[dict get $c words] ne "" ? "; [dict get $c words]" : ""}]\
                        ([expr {$by eq "cause" ? "divided by samples" : "timed"}], all threads)."
                    set place [expr {[dict get $c a] >= 0 ? [$Db line [dict get $c a]] : {}}]
                    lappend out [dict merge [dict create title $title text $text change $change] \
                        [expr {$place ne "" ? [dict create scope [dict get $c scope_a] file [dict get $place file] line [dict get $place line]] : {}}]]
                }
            }
        }
        return $out
    }
    # Have its bytes changed by a tenth, by a hundredth of all, and by a kilobyte? Less takes no time that anybody could find.
    method OtherBytes {c all} {
        foreach key {sent received} {
            set a [dict get $c ${key}_a]
            set b [dict get $c ${key}_b]
            if {$a != $b && abs($b - $a) >= 0.1 * max($a, $b) && abs($b - $a) >= max(1000, 0.01 * $all)} {
                return 1
            }
        }
        return 0
    }
    # "2.00 s here, 3.00 s there (1.50\u00d7)"
    method HereThere {a b unit} {
        return "[::heatscope::fmt amount $a $unit] here, [::heatscope::fmt amount $b $unit] there[expr {$a > 0 && $b > 0 ? " ([::heatscope::fmt ratio $b $a]\u00d7)" : ""}]"
    }
    method Signed {v unit} {
        return "[expr {$v > 0 ? "+" : $v < 0 ? "\u2212" : ""}][::heatscope::fmt amount [expr {abs($v)}] $unit]"
    }
    # Change by row of this run, within noise or beyond.
    method of {by metric} {
        set out {}
        foreach c [my changes $by $metric] {
            if {[dict get $c a] >= 0} {
                dict set out [dict get $c a] $c
            }
        }
        return $out
    }
    # Change of a procedure or loop of this run, without what it calls; "" for none.
    method scope {scope metric} {
        if {$Other eq "" || $scope < 0} {
            return ""
        }
        set kind [dict get [$Db scope $scope] kind]
        if {$kind ni {procedure loop}} {
            return ""
        }
        foreach c [my changes $kind $metric] {
            if {[dict get $c a] == $scope} {
                return $c
            }
        }
        return ""
    }
    # Change by context, of those given, with all that they call; table context_excl: by themselves.
    method contexts {contexts metric {table context_incl}} {
        set out {}
        if {$Other ne "" && ![catch {$Db contrast $Other $contexts -metric $metric -table $table} rows options]} {
            foreach c $rows {
                dict set out [dict get $c a] $c
            }
        } elseif {$Other ne "" && [lindex [dict get $options -errorcode] 2] eq "CANCELLED"} {
            return -options $options $rows
        }
        return $out
    }
    # Of the other run's contexts those with values there only: dicts as of `changes`.
    method contextsAlone {contexts metric {table context_incl}} {
        if {$Other eq "" || ![llength $contexts]} {
            return {}
        }
        return [$Db alone $Other $contexts -metric $metric -table $table]
    }
    # Change by row of this run: what views mark; only what is beyond noise.
    method rows {by metric} {
        set out {}
        foreach c [my changes $by $metric] {
            if {[dict get $c beyond] && [dict get $c a] >= 0} {
                dict set out [dict get $c a] $c
            }
        }
        return $out
    }
}
