# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# One measured run as the views see it: facts, words for its processors, documents, rankings, findings.

oo::class create ::heatscope::Run {
    variable Db Info Documents Order Ranked Word Total Findings Labels Metrics FileNames Only Part Sampled Weights Teams Taken Unfinished Silent Made

    # db: a handle of heatscope::data, or anything that answers the same commands
    constructor {db} {
        set Db $db
        set Info [$db info]
        set Documents {}
        set Order {}
        set Ranked {}
        set Word {}
        set Labels {}
        set Total {}
        set Findings {}
        set Metrics {}
        set FileNames {}
        set Only -1
        set Part 0
        set Sampled {}
        set Weights {}
        set Teams ""
        set Taken {}
        set Unfinished ?
        set Silent ?
        set Made {}
    }
    destructor {
        dict for {file document} $Documents {
            $document destroy
        }
    }

    method db {} { return $Db }
    method info {key} { return [dict get $Info $key] }
    method total {metric} {
        if {![dict exists $Total $metric]} {
            dict set Total $metric [$Db total -metric $metric]
        }
        return [dict get $Total $metric]
    }
    # Facts of a metric, kept: they are asked for with every figure.
    method metric {metric} {
        if {![dict exists $Metrics $metric]} {
            dict set Metrics $metric [$Db metric $metric]
        }
        return [dict get $Metrics $metric]
    }
    method scale {metric} { return [dict get [my metric $metric] scale] }
    # Counted or timed, not sampled?
    method exact {metric} {
        return [dict get [my metric $metric] exact]
    }
    # Has it values in an interval? What was counted or timed: where the database has slices of it.
    method byTime {metric} {
        return [dict get [$Db times] [expr {[my exact $metric] ? "slices" : "present"}]]
    }
    # What the cells of the heat map count: "Samples", "MPI time in µs", "bytes sent in kB".
    method cells {metric} {
        set m [my metric $metric]
        if {![dict get $m exact]} {
            set what [string totitle [my countWord]]s
            return [expr {$Only >= 0 ? "$what of [my categoryName $Only]" : $what}]
        }
        set what [::heatscope::fmt plain [dict get $m name]]
        set scale [dict get $m scale]
        foreach {limit prefix} {1 {} 1e-3 m 1e-6 µ 1e-9 n 1e3 k 1e6 M} {
            if {abs($scale / $limit - 1) < 1e-9} {
                set unit $prefix[dict get $m unit]
                return [expr {$unit in {{} B} ? $what : "$what in $unit"}]
            }
        }
        return "$what in [format %g $scale] [dict get $m unit]"
    }
    method amount {metric counts} {
        set m [my metric $metric]
        return [::heatscope::fmt amount [expr {$counts * [dict get $m scale]}] [dict get $m unit]]
    }
    method metrics {} {
        set names {}
        for {set i 0} {$i < [dict get $Info metrics]} {incr i} {
            lappend names [dict get [my metric $i] name]
        }
        return $names
    }
    # The metric that is called so, in any case, else the one with that number, else the only one whose name has that word; as `report --metric`.
    method metricNamed {text} {
        set names [my metrics]
        if {[set i [lsearch -exact -nocase $names $text]] >= 0} {
            return $i
        }
        if {[string is digit -strict $text] && [string length $text] < 10 && [scan $text %d] < [llength $names]} {
            return [scan $text %d]
        }
        set pattern "(?:^|\[ :\])[regsub -all {\W} $text {\\&}](?:\[ :\]|\$)"
        set alike [lmap name $names {if {$text eq "" || ![regexp -nocase -- $pattern $name]} continue; set name}]
        if {[llength $alike] == 1} {
            return [lsearch -exact $names [lindex $alike 0]]
        }
        set list [join [lmap name [expr {[llength $alike] ? $alike : $names}] {string cat ' [::heatscope::fmt plain $name] '}] {, }]
        return -code error -errorcode {HEATSCOPE RUN METRIC} [expr {[llength $alike]
            ? "'[string range $text 0 60]' is in the names of [llength $alike] metrics: $list"
            : "no metric '[string range $text 0 60]' among the [llength $names]: $list"}]
    }
    # Is there code that the pass compiled?
    method mapped {} {
        for {set m 0} {$m < [dict get $Info modules]} {incr m} {
            if {[dict get [$Db module $m] knowledge] eq "map"} {
                return 1
            }
        }
        return 0
    }
    # What its waits leave out: an OpenMP runtime with worker threads of which none was timed, "" otherwise. Once: it does not depend on an interval.
    method silentOpenmp {} {
        if {$Silent eq "?"} {
            set Silent [$Db silentopenmp]
        }
        return $Silent
    }
    # Processes whose end was not recorded, in words as the report's; "" when all ended.
    method unfinished {} {
        if {$Unfinished eq "?"} {
            set n 0
            set names {} ;# of the first three, where there are several processes
            set ended {} ;# how those ended of which their parents have told
            for {set i 0} {$i < [dict get $Info processes]} {incr i} {
                ::heatscope::breathe
                set p [$Db process $i]
                set who [expr {[dict get $p rank] >= 0 ? "rank [dict get $p rank]" : "pid [dict get $p pid]"}]
                if {![dict get $p unfinished]} continue
                if {[regexp {^ended by (SIG|signal )} [dict get $p end]]} {
                    lappend ended "$who was [dict get $p end]"
                    continue
                }
                if {[incr n] <= 3 && [dict get $Info processes] > 1} {
                    lappend names $who
                }
            }
            set which [expr {[llength $names] ? " ([join $names {, }][expr {$n > 3 ? " and [expr {$n - 3}] more" : ""}])" : ""}]
            set Unfinished [join [lrange $ended 0 2] {, }][expr {[llength $ended] > 3 ? " and [expr {[llength $ended] - 3}] more" : ""}][expr {[llength $ended] ? "." : ""}]
            append Unfinished [expr {$n ? "[expr {[llength $ended] ? " " : ""}][::heatscope::fmt plural $n process processes] recorded no end: ended by a signal (a fault, abort, kill, Ctrl-C), or still running when this was\
                read; what was there is shown$which." : ""}]
        }
        return $Unfinished
    }
    # Its database's file.
    method file {} { return [::heatscope::fmt plain [::heatscope::fmt baseName [dict get $Info path]]] }
    method title {} { return [::heatscope::fmt plain [dict get $Info title]] }
    # Its first part, the program: number of ranks and job are among the facts.
    method shortTitle {} {
        set title [my title]
        return [expr {[regexp {^(.+?), \d+ MPI ranks?\M} $title -> name] ? $name : $title}]
    }

    # What sampled values count: each sample the sampling periods it stands for. Where the rate was never lowered that is a sample.
    method countWord {} {
        return [expr {[dict get [my taken] periods_max] > 1 ? "period" : "sample"}]
    }
    # {samples N periods_max N}: how many samples were really taken, and what one stands for at most.
    method taken {} {
        if {$Taken eq ""} {
            set Taken [$Db taken]
        }
        return $Taken
    }

    # "4 ranks · 8 threads · 12.3 s · 49 201 samples"
    method facts {} { return [join [dict values [my factList]] " \u00b7 "] }
    # The same by what each tells of: a dictionary of some of simulated processes threads elapsed samples job.
    method factList {} {
        set parts {}
        if {[dict get $Info simulated]} {
            dict set parts simulated "simulated, not measured"
        }
        set processes [dict get $Info processes]
        set threads [dict get $Info threads]
        dict set parts processes [::heatscope::fmt plural $processes {*}[my words process]]
        if {$threads != $processes} {
            dict set parts threads [::heatscope::fmt plural $threads thread]
        }
        dict set parts elapsed [::heatscope::fmt seconds [dict get $Info wall_s]]
        set counted [::heatscope::fmt plural [dict get $Info samples] [my countWord]]
        if {$Part || $Only >= 0} {
            # in an interval or a category: how many of them
            set counted "[::heatscope::fmt grouped [expr {round([my total 0])}]] of $counted"
        } elseif {[my countWord] eq "period"} {
            set counted "[::heatscope::fmt plural [dict get [my taken] samples] sample] for $counted"
        }
        dict set parts samples $counted
        if {[my shortTitle] ne [my title] && [regexp {, (job [^,]+)$} [my title] -> job]} {
            dict set parts job $job
        }
        return $parts
    }

    # The last of them where there is hardly room: "933 samples", "286 of 971".
    method counted {} {
        if {$Part || $Only >= 0} {
            return "[::heatscope::fmt grouped [expr {round([my total 0])}]] of [::heatscope::fmt grouped [dict get $Info samples]]"
        }
        return [::heatscope::fmt plural [dict get [my taken] samples] sample]
    }

    # Singular and plural of what a column of the axis is.
    method words {axis} {
        if {$axis eq "thread"} {
            return {thread threads}
        }
        if {![dict exists $Word process]} {
            set ranked 0
            catch {set ranked [expr {[dict get [$Db column process 0] rank] >= 0}]}
            dict set Word process [expr {$ranked ? {rank ranks} : {process processes}}]
        }
        return [dict get $Word process]
    }
    method columns {axis} { return [$Db columns $axis] }
    method columnLabel {axis column} {
        if {$column < 0 || $column >= [my columns $axis]} {
            return ""
        }
        return [dict get [$Db column $axis $column] label]
    }
    # Labels of all columns, kept.
    method labels {axis} {
        if {![dict exists $Labels $axis]} {
            dict set Labels $axis [$Db labels $axis]
        }
        return [dict get $Labels $axis]
    }
    # Column on the other axis that stands for this one; -1 for none.
    method translate {column from to} {
        if {$column < 0 || $from eq $to} {
            return $column
        }
        if {$to eq "process"} {
            return [dict get [$Db column thread $column] process]
        }
        return [dict get [$Db process $column] first_thread]
    }

    method document {file} {
        if {[dict exists $Documents $file]} {
            return [dict get $Documents $file]
        }
        set document [::heatscope::Document new $Db $file]
        dict set Documents $file $document
        lappend Order $file
        while {[llength $Order] > 12} {
            set old [lindex $Order 0]
            set Order [lrange $Order 1 end]
            [dict get $Documents $old] destroy
            dict unset Documents $old
        }
        return $document
    }
    # A file's name as it is shown, kept.
    method fileName {file} {
        if {![dict exists $FileNames $file]} {
            dict set FileNames $file [::heatscope::fmt plain [dict get [$Db file $file] name]]
        }
        return [dict get $FileNames $file]
    }
    # Forgets all values: they are of another interval.
    method forget {} {
        ::heatscope::bury $Ranked $Weights $Total $Findings $Metrics
        set Ranked {}
        set Weights {}
        set Total {}
        set Findings {}
        set Metrics {}
        dict for {file document} $Documents {
            $document forget
        }
    }
    # Forgets texts, so that sources are read again.
    method reload {} {
        dict for {file document} $Documents {
            $document destroy
        }
        set Documents {}
        set Order {}
    }

    # Ranked rows, dicts of `top -stats 1`, kept until another ranking is asked for often enough. With reported 1 procedures and loops are
    # those of `heatscope report`: without Heatscope's own, inner loops that were unrolled fully with the loop round them. With `some`, {*}$some
    # ROWS DONE OF is called with the first of them, as the statistics of each take a while; without these (DONE 0) where processors are still
    # being counted, before the error that says so.
    method ranking {what metric axis {reported 0} {some {}}} {
        set key [list $what $metric $axis $reported]
        if {[dict exists $Ranked $key]} {
            return [dict get $Ranked $key]
        }
        set options [list -metric $metric -axis $axis]
        switch -- $what {
            procedure - loop - module { lappend options -table scope_excl -kind $what }
            line { lappend options -table line }
            context { lappend options -table context_excl }
        }
        if {$reported} {
            lappend options -reported 1
        }
        # each row's statistics are read for themselves; before processors are counted there are none
        set rows {}
        set first [::heatscope::settings get firstRanked]
        set soon [expr {$some ne "" && ![my exact $metric] && [$Db pending]}]
        set all [$Db top {*}$options -n [expr {$soon ? $first : [::heatscope::settings get rankedRows]}]]
        foreach row $all {
            ::heatscope::breathe
            try {
                lappend rows [dict merge $row [$Db rowstats -row [dict get $row row] {*}$options]]
            } trap {HEATSCOPE DB PENDING} {message pending} {
                # what each has is known before
                if {$some ne ""} {
                    {*}$some [lrange $all 0 $first-1] 0 {}
                }
                return -options $pending $message
            }
            if {$some ne "" && [llength $rows] == $first && [llength $rows] < [llength $all]} {
                {*}$some $rows [llength $rows] [llength $all]
            }
        }
        if {[dict size $Ranked] > 20} {
            set Ranked {}
        }
        dict set Ranked $key $rows
        return $rows
    }

    # What Heatscope's own code took: a row as of `ranking`, {} where it took nothing.
    method heatscopes {metric axis} {
        set row [$Db heatscope -metric $metric -axis $axis]
        if {[dict get $row sum] <= 0} {
            return {}
        }
        return [dict merge $row [dict create share [expr {[dict get $row sum] / double([my total $metric])}]]]
    }

    # Values are of a category alone from now on, -1: of all.
    method only {category} { set Only $category }
    # For `ms` milliseconds what it takes to set an interval and category; which part of it has been done.
    method choose {wanted only ms} { return [$Db choose $wanted $only $ms] }
    # Values are of an interval from now on, {}: of the whole run.
    method part {interval} { set Part [expr {$interval ne ""}] }
    # What all values together are, for "12 % of ...": the run, all waiting, the bytes sent.
    method whole {metric} {
        if {[my exact $metric]} {
            return "[::heatscope::fmt plain [dict get [my metric $metric] name]][expr {$Part ? { in the interval} : {}}]"
        }
        return [expr {$Only >= 0 ? "all [my categoryName $Only]" : $Part ? "the interval" : "the run"}]
    }
    method categoryName {category} { return [::heatscope::fmt plain [$Db category $category]] }
    # Categories with samples in the run, the most first.
    method sampledCategories {} {
        if {$Sampled eq "" && [my info scopes] > 0} {
            foreach kind [my categories 0] {
                if {[dict get $kind sum] > 0} {
                    lappend Sampled [dict get $kind category]
                }
            }
        }
        return $Sampled
    }
    # What is to be known of communication and waiting among these, as of `categories`; "": nothing.
    method categoryNote {kinds} {
        foreach kind $kinds {
            if {[dict get $kind sum] > 0 && [dict get $kind name] in {communication waiting synchronisation}} {
                return [expr {[dict get [$Db times] guesses] ? "--time=none: MPI by what calls are" : ""}]
            }
        }
        return ""
    }
    # Categories of a scope's inclusive time, dicts of `categories`, the largest first.
    method categories {scope args} {
        set pairs [lmap kind [$Db categories $scope {*}$args] {list [dict get $kind sum] $kind}]
        return [lmap pair [lsort -real -decreasing -index 0 $pairs] {lindex $pair 1}]
    }

    # Do processors differ by more than chance makes? stats: a dict of `stats`. The report's test: chi-square beyond three standard
    # deviations; what was timed and counted has no chance in it.
    method uneven {stats metric axis} {
        set freedom [expr {([dict exists $stats compared] ? [dict get $stats compared] : [my columns $axis]) - 1.0}]
        set mean [dict get $stats mean]
        if {$freedom < 1 || $mean <= 0} {
            return 0
        }
        if {[my exact $metric]} {
            return [expr {[dict get $stats max] > $mean}]
        }
        if {![dict exists $Weights $metric]} {
            dict set Weights $metric [$Db weight -metric $metric]
        }
        set dispersion [expr {($freedom + 1) * [dict get $stats stddev] ** 2 / ($mean * [dict get $Weights $metric])}]
        return [expr {$dispersion > $freedom + 3 * sqrt(2 * $freedom)}]
    }

    # Statistics of a procedure or loop over the threads that run it, as the report has them of code outside of parallel regions: threads may be begun for
    # different work. Programs with an OpenMP runtime stay as they are: which of their code is in regions is not looked for here.
    method amongRunning {stats axis} {
        if {$axis ne "thread" || ![dict exists $stats nonzero] || [my hasTeams]} {
            return $stats
        }
        set n [expr {[dict exists $stats compared] ? [dict get $stats compared] : [my columns $axis]}]
        set running [dict get $stats nonzero]
        if {$running < 1 || $running >= $n} {
            return $stats
        }
        set sum [expr {[dict get $stats mean] * $n}]
        set mean [expr {$sum / $running}]
        set squares [expr {$n * ([dict get $stats stddev] ** 2 + [dict get $stats mean] ** 2) - $running * $mean ** 2}]
        return [dict merge $stats [dict create compared $running mean $mean stddev [expr {sqrt(max(0, $squares) / $running)}] \
            imbalance [expr {[dict get $stats max] / double($mean)}] alone [expr {[dict get $stats max] >= 0.999 * $sum}]]]
    }
    method hasTeams {} {
        if {$Teams eq ""} {
            set Teams 0
            for {set i 0} {$i < [my info modules] && $i < 256 && !$Teams} {incr i} {
                set Teams [regexp {/lib(?:g|i)?omp[0-9]*\.so[^/]*$} [dict get [$Db module $i] path]]
            }
        }
        return $Teams
    }

    method scopeName {scope} {
        if {$scope < 0} {
            return ""
        }
        return [::heatscope::names short $Db $scope]
    }
    # Of a procedure, without its class.
    method lastName {scope} { return [::heatscope::names last $Db $scope] }
    # Where a loop is: {FILE LINE}. One of the program's that has none in the database, as flang writes an intrinsic procedure inline that is called in several
    # lines, is at the first of those that it was written for.
    method placeOf {scope} {
        set facts [$Db scope $scope]
        if {[dict get $facts kind] eq "loop" && [dict get $facts line_begin] <= 0 && [dict get $facts knowledge] eq "map"} {
            if {![dict exists $Made $scope]} {
                dict set Made $scope [my MadeFor $scope]
            }
            if {[dict get $Made $scope] ne ""} {
                return [dict get $Made $scope]
            }
        }
        return [list [dict get $facts file] [dict get $facts line_begin]]
    }
    # The call of the procedure that it is in; "" where none has a line.
    method MadeFor {scope} {
        foreach c [$Db contextsof $scope -n 1] {
            for {set at [dict get $c parent]} {$at > 0} {set at [dict get $up parent]} {
                set up [$Db context $at]
                if {[dict get $up kind] eq "inlined" && [dict get $up call_file] >= 0 && [dict get $up call_line] > 0} {
                    return [list [dict get $up call_file] [dict get $up call_line]]
                }
                if {[dict get $up kind] eq "procedure" || [dict get $up parent] >= $at} {
                    break
                }
            }
        }
        return ""
    }
    # "do · lines 213-238", "flux_update", "libmpi.so"
    method scopeTitle {scope} {
        if {$scope < 0} {
            return ""
        }
        set facts [$Db scope $scope]
        set name [my scopeName $scope]
        switch -- [dict get $facts kind] {
            module - file { set name [::heatscope::fmt baseName $name] }
            program { return "whole program" }
            loop - region {
                if {[dict get $facts procedure] >= 0} {
                    set name "[my lastName [dict get $facts procedure]] $name"
                }
            }
        }
        return $name
    }
    method lineSpan {scope} {
        set facts [$Db scope $scope]
        set a [dict get $facts line_begin]
        set b [dict get $facts line_end]
        if {$a <= 0} {
            return ""
        }
        return [::heatscope::fmt span $a $b]
    }

    # What stands out, as the report says it: dicts of `findings`. The first call for a metric reads the sums of all scopes, where
    # lookFor, some milliseconds at a time until it gives 1, has not done so.
    method hasFindings {metric} { return [dict exists $Findings $metric] }
    method lookFor {metric ms} {
        return [expr {[dict exists $Findings $metric] ? 1.0 : [$Db lookfor $ms -metric $metric]}]
    }
    # Loops that the vectoriser refused, the dearest first: {*}$command PAGE with some at a time, dicts of `refusals`. Nothing holds all of
    # them: of a large program they are tens of MB.
    method refusals {metric command} {
        set step [::heatscope::settings get refusedPage]
        for {set at 0} 1 {incr at $step} {
            set page [$Db refusals -metric $metric -first $at -n $step]
            {*}$command $page
            if {[llength $page] < $step} break
            ::heatscope::breathe
        }
    }
    method findings {{metric 0}} {
        if {![dict exists $Findings $metric]} {
            # numbers as in all other panes
            dict set Findings $metric [lmap finding [$Db findings -metric $metric] {
                dict replace $finding text [::heatscope::fmt groupedIn [dict get $finding text]]
            }]
        }
        return [dict get $Findings $metric]
    }
    # "jacu · jacu.f:41", "" for findings without a place
    method findingPlace {finding} {
        set parts {}
        set scope [dict get $finding scope]
        if {$scope >= 0} {
            set title [my scopeTitle $scope]
            if {$title ne ""} {
                lappend parts $title
            }
        }
        set file [dict get $finding file]
        if {$file >= 0} {
            set name [my fileName $file]
            set place [expr {[dict get $finding line] > 0 ? "$name:[dict get $finding line]" : $name}]
            # a library without lines is its own place
            if {$place ni $parts} {
                lappend parts $place
            }
        }
        return [join $parts " \u00b7 "]
    }
}
