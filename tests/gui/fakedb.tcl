# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A small run in memory that answers the commands of heatscope::data that the models use: 4 ranks of 2 threads, two source
# files with text, one whose text is missing, one library without lines.

oo::class create ::FakeDb {
    variable Files Lines Scopes Values Contexts Calls

    constructor {} {
        set Calls {}
        # path module has_lines text
        set Files {
            {/src/solve.f90 0 1}
            {/src/main.c 0 1}
            {/gone/lost.c 0 1}
            {/usr/lib/libmpi.so.40 1 0}
        }
        # kind name parent file line_begin line_end procedure depth
        set Scopes {
            {program prog -1 -1 0 0 -1 0}
            {module prog 0 -1 0 0 -1 0}
            {procedure sweep 1 0 2 12 2 0}
            {loop do 2 0 4 10 2 1}
            {loop do 3 0 5 9 2 2}
            {procedure norm 1 0 14 18 5 0}
            {procedure main 1 1 3 9 6 0}
            {loop for 6 1 5 7 6 1}
            {procedure lost 1 2 100 120 8 0}
            {module libmpi.so.40 0 3 0 0 -1 0}
            {procedure MPI_Waitall 9 3 0 0 10 0}
        }
        # file line scope, and the samples of each of the 8 threads
        set Lines {
            {0 4 3} {0 6 4} {0 7 4} {0 15 5} {1 5 7} {1 6 7} {2 105 8} {3 0 10}
        }
        set Values {
            {1 1 1 1 1 1 1 1} {40 40 40 40 40 40 40 120} {10 10 10 10 10 10 10 10} {5 0 5 0 5 0 5 0}
            {2 2 2 2 2 2 2 2} {0 0 0 0 0 0 0 9} {7 7 7 7 7 7 7 7} {30 1 30 1 30 1 30 1}
        }
        # parent scope kind
        set Contexts {{-1 0 root} {0 6 procedure} {1 7 loop} {2 2 procedure} {3 3 loop} {4 4 loop} {1 10 procedure}}
    }

    method calls {} { return $Calls }
    method apart {scope} { return "" }
    method silentopenmp {} { return "" }
    method environment {} { return {OMP_NUM_THREADS 2 OMP_PROC_BIND "close (3 processes) or not set (1)"} }

    method info {} {
        return [dict create path /tmp/fake.h5 title "prog < odd \x01" command prog created 2026-01-01T00:00:00Z modules 2 \
            files 4 lines 8 scopes 11 contexts 7 instances 3 threads 8 processes 4 metrics 1 categories 3 instructions 0 messages 1 ledger_rows 0 \
            samples [my total] cpu_s 1.0 wall_s 12.34 simulated 1]
    }
    method columns {axis {working ""}} { return [expr {$axis eq "thread" ? 8 : 4}] }
    # What the kernel counted of a thread: of the last one nothing is known.
    method Usage {known} {
        return [dict create name "" host node0 tid 7 cpu_s 1.5 begin_s 0.0 end_s 2.0 user_s [expr {$known ? 1.25 : -1}] system_s 0.25 minor_faults 30 major_faults 2 \
            voluntary_switches 1 involuntary_switches 12 runnable_s [expr {$known ? 0.5 : -1}]]
    }
    method labels {axis} {
        set n [my columns $axis]
        set labels {}
        for {set i 0} {$i < $n} {incr i} {
            lappend labels [dict get [my column $axis $i] label]
        }
        return $labels
    }
    # rows of `top` have them
    method rowstats {args} { return {} }
    method pending {} { return 0 }
    method lookfor {ms args} { return 1.0 }
    method column {axis i} {
        return [dict merge [my Usage [expr {$i < 7}]] [my Column $axis $i]]
    }
    method Column {axis i} {
        if {$axis eq "thread"} {
            return [dict create index $i label r[expr {$i / 2}].[expr {$i % 2}] rank [expr {$i / 2}] thread [expr {$i % 2}] \
                process [expr {$i / 2}]]
        }
        return [dict create index $i label r$i rank $i thread -1 process $i]
    }
    method process {i} { return [dict create host [expr {$i ? "" : "node0"}] rank $i first_thread [expr {2 * $i}] threads 2 unfinished 0 end exit executable {}] }
    method metric {i} { return {index 0 name {CPU time} unit s scale 0.001 exact 0} }
    method arrays {args} {
        return [list [dict create array 0 text {} name grid bounds {[8]} type double procedure norm shared 0 module {} scope -1 file 0 line 3 filename /src/solve.f90 sent_bytes 0 received_bytes 0 \
            cost 20.0 share 0.25 inside 20.0]]
    }
    method arrayuses {array args} { return {} }
    method block {args} { return [list [list [expr {[my total] / 4.0}]]] }
    method weight {args} { return 1.0 }
    variable Taken
    method taken {} { return [expr {[info exists Taken] ? $Taken : "samples 0 periods_max 0"}] }
    method setTaken {samples periods_max} { set Taken [dict create samples $samples periods_max $periods_max] }
    method category {i} { return [lindex {computation communication waiting} $i] }
    method module {i} { return [dict create index $i path [lindex {/src/prog /usr/lib/libmpi.so.40} $i] note [lindex {"" "no map"} $i] knowledge [lindex {map symbol} $i] own [lindex {1 0} $i] heatscope 0] }

    method file {i} {
        if {$i < 0 || $i >= [llength $Files]} {
            return -code error -errorcode {HEATSCOPE DB ARGUMENT} "file $i: there are 4"
        }
        lassign [lindex $Files $i] path module lines
        set numbers [my lines $i 1 100000]
        return [dict create index $i path $path name [file tail $path] module $module has_lines $lines \
            first_line [expr {[llength $numbers] ? [lindex $numbers 0] : 0}] \
            last_line [expr {[llength $numbers] ? [lindex $numbers end] : 0}]]
    }
    method line {row} {
        lassign [lindex $Lines $row] file line scope
        return [dict create row $row file $file line $line scope $scope]
    }
    method findline {file line} {
        set row 0
        foreach entry $Lines {
            if {[lindex $entry 0] == $file && [lindex $entry 1] == $line} {
                return $row
            }
            incr row
        }
        return -1
    }
    method lines {file first last} {
        set out {}
        foreach entry $Lines {
            lassign $entry f n
            if {$f == $file && $n >= $first && $n <= $last && $n > 0} {
                lappend out $n
            }
        }
        return $out
    }
    method scope {s} {
        if {$s < 0 || $s >= [llength $Scopes]} {
            return -code error -errorcode {HEATSCOPE DB ARGUMENT} "scope $s: there are [llength $Scopes]"
        }
        lassign [lindex $Scopes $s] kind name parent file begin end procedure depth
        # pre-order: what follows and has a parent in the subtree belongs to it
        set stop [expr {$s + 1}]
        while {$stop < [llength $Scopes] && [lindex $Scopes $stop 2] >= $s} {
            incr stop
        }
        return [dict create row $s parent $parent subtree_end $stop kind $kind name $name procedure $procedure module 0 file $file \
            line_begin $begin line_end $end depth $depth knowledge map]
    }
    method scopeat {file line} {
        set best -1
        for {set s 0} {$s < [llength $Scopes]} {incr s} {
            set f [my scope $s]
            if {[dict get $f file] == $file && [dict get $f kind] in {procedure loop region} && [dict get $f line_begin] <= $line
                && $line <= [dict get $f line_end]} {
                set best $s
            }
        }
        return $best
    }
    method scopesof {file args} {
        set kind [expr {[dict exists $args -kind] ? [dict get $args -kind] : "*"}]
        set out {}
        for {set s 0} {$s < [llength $Scopes]} {incr s} {
            set f [my scope $s]
            if {[dict get $f file] == $file && [dict get $f kind] in {procedure loop region}
                && [string match $kind [dict get $f kind]]} {
                lappend out $s
            }
        }
        return $out
    }
    method scopesbegin {file} {
        return [concat {*}[lmap s [my scopesof $file] {
            list [dict get [my scope $s] line_begin] $s [dict get [my scope $s] kind]
        }]]
    }
    method Under {scope root} {
        while {$scope >= 0} {
            if {$scope == $root} {
                return 1
            }
            set scope [lindex $Scopes $scope 2]
        }
        return 0
    }
    method Axis {args} {
        return [expr {[dict exists $args -axis] ? [dict get $args -axis] : "process"}]
    }
    method Fold {values axis} {
        if {$axis eq "thread"} {
            return $values
        }
        return [lmap {a b} $values {expr {$a + $b}}]
    }
    # one value a column, of a row of a table
    method Row {table row axis} {
        set sum {0 0 0 0 0 0 0 0}
        set i -1
        foreach entry $Lines values $Values {
            incr i
            set scope [lindex $entry 2]
            switch -- $table {
                line { set take [expr {$i == $row}] }
                scope_excl {
                    # like the database: exclusive of a scope alone, but of a procedure with its loops in a ranking
                    set take [expr {$scope == $row}]
                }
                scope_proc - scope_incl { set take [my Under $scope $row] }
                context_excl - context_incl { set take [expr {$scope == [lindex $Contexts $row 1]}] }
                default { error "table $table" }
            }
            if {$take} {
                set sum [lmap a $sum b $values {expr {$a + $b}}]
            }
        }
        return [my Fold $sum $axis]
    }
    method Stats {values} {
        set sum [::tcl::mathop::+ {*}$values]
        set n [llength $values]
        set max [lindex [lsort -real $values] end]
        set min [lindex [lsort -real $values] 0]
        set mean [expr {double($sum) / $n}]
        return [dict create sum $sum mean $mean stddev 0 min $min max $max min_column [lsearch -exact $values $min] \
            max_column [lsearch -exact $values $max] imbalance [expr {$mean > 0 ? $max / $mean : 0}]]
    }
    method total {args} {
        return [::tcl::mathop::+ {*}[concat {*}$Values]]
    }
    method sums {args} {
        lassign [dict get $args -rows] first n
        set out {}
        for {set i $first} {$i < $first + $n} {incr i} {
            lappend out [dict get [my Stats [my Row [dict get $args -table] $i thread]] sum]
        }
        return $out
    }
    method stats {args} {
        lassign [dict get $args -rows] first n
        set out {}
        for {set i $first} {$i < $first + $n} {incr i} {
            lappend out [dict merge [dict create row $i] [my Stats [my Row [dict get $args -table] $i [my Axis {*}$args]]]]
        }
        return $out
    }
    method top {args} {
        lappend Calls [list top {*}$args]
        set table [dict get $args -table]
        set kind [expr {[dict exists $args -kind] ? [dict get $args -kind] : "all"}]
        set n [expr {[dict exists $args -n] ? [dict get $args -n] : 200}]
        set count [dict get {line 8 scope_excl 11 scope_incl 11 context_excl 7} $table]
        set rows {}
        for {set i 0} {$i < $count} {incr i} {
            set facts {}
            switch -glob -- $table {
                line {
                    set facts [my line $i]
                    if {[dict exists $args -under] && ![my Under [dict get $facts scope] [dict get $args -under]]} {
                        continue
                    }
                    dict set facts filename [file tail [lindex $Files [dict get $facts file] 0]]
                    dict set facts procedure [lindex $Scopes [lindex $Scopes [dict get $facts scope] 6] 1]
                }
                scope* {
                    set facts [my scope $i]
                    if {$kind ne "all" && [dict get $facts kind] ne $kind} {
                        continue
                    }
                    if {[dict exists $args -under] && ![my Under $i [dict get $args -under]]} {
                        continue
                    }
                    set f [dict get $facts file]
                    dict set facts filename [expr {$f >= 0 ? [file tail [lindex $Files $f 0]] : ""}]
                }
                context* { set facts [my context $i] }
            }
            # a procedure's own time is that of its lines, loops included
            set from [expr {$table eq "scope_excl" && $kind in {procedure module} ? "scope_proc" : $table}]
            set stats [my Stats [my Row $from $i [my Axis {*}$args]]]
            if {[dict get $stats sum] <= 0} {
                continue
            }
            lappend rows [dict merge [dict create rank 0 row $i share [expr {double([dict get $stats sum]) / [my total]}]] $facts $stats]
        }
        set rows [lrange [lsort -decreasing -command [list ::apply {{a b} {
            expr {[dict get $a sum] - [dict get $b sum]}
        }}] $rows] 0 $n-1]
        return $rows
    }
    # what Heatscope's own code took
    variable Own
    method own {values} { set Own $values }
    method heatscope {args} {
        return [my Stats [my Fold [expr {[info exists Own] ? $Own : {0 0 0 0 0 0 0 0}}] [my Axis {*}$args]]]
    }
    method hottest {args} { return -1 }
    method findings {args} {
        return [list [dict create title {Hottest loop} text {The hottest loop takes 67 %.} weight 480.0 share 0.673 low 0.638 \
            high 0.707 scope 4 file 0 line 5] [dict create title {Blocked} text {Blocked: for long.} weight 12.0 share {} low {} \
            high {} scope 2 file 0 line 6] [dict create title Care text {Care: lost.} weight 1.0 share {} low {} high {} scope -1 \
            file -1 line 0]]
    }
    method refusals {args} {
        set all [list [dict create scope 7 reason 1 reason_text {dependence between iterations} message {loop not vectorized} sum 25 share 0.035]]
        return [expr {[dict exists $args -first] ? [lrange [lrange $all [dict get $args -first] end] 0 [dict get $args -n]-1] : $all}]
    }
    method dependences {scope args} {
        if {$scope == 7} {
            return [list [dict create scope 7 kind flow verdict {prevents vector code} prevents 1 distance 1 source_file 1 source_line 5 \
                source_column 3 sink_file 1 sink_line 6 sink_column 5]]
        }
        return {}
    }
    method loopfacts {scope args} {
        if {$scope == 7} {
            return [dict create variable i first 0 bound "i < n" step 2 trips 0 trips_max 8 collapsed 0 \
                directives [list [dict create text "parallel for" file 1 line 4]] checks {} \
                references [list [dict create text {a[i]} access read stride contiguous stride_bytes 8 size_bytes 8 array a file 1 line 6 column 7]]]
        }
        return {directives {} checks {} references {}}
    }
    method messagesites {file line} {
        if {$file == 1 && $line in {4 5}} {
            return [list [dict create operation MPI_Send kind send scope 6 file 1 line 4 column 6 arguments [list \
                [dict create number 1 role {send buffer} text n array n shape {exactly these elements}]] \
                links [list [dict create kind {loop that fills the buffer before} sure likely operation {} scope 7 file 1 line 5 column 3 \
                    array {} text {}] [dict create kind {reads what has come} sure certain operation {} scope 3 file 0 line 7 column 1 array {} text {}]]]]
        }
        return {}
    }
    method messages {by args} {
        set m [dict create group 3 operation MPI_Send partner {a process} size_class 2 process 1 context 2 scope 5 procedure norm file 0 line 15 \
            filename a.f90 calls 10 sent 10 sent_bytes 1000 received 0 received_bytes 0 size_min 100 size_mean 100.0 size_stddev 0.0 size_max 100 \
            duration_s 0.5 share 1.0 duration_min_s 0.01 duration_mean_s 0.05 duration_stddev_s 0.0 duration_max_s 0.1 completions 0 \
            in_flight_s 0.0 completion_s 0.0 threads 1 longest_thread 1 longest_s 0.5]
        return [list $m]
    }
    method changes {other by args} {
        if {$by in {message cause}} {
            set both [dict create a 0 b 0 scope_a 5 scope_b 5 value_a 2.0 value_b 3.0 calls_a 1000 calls_b 2000 sent_a 0 sent_b 0 received_a 4000 received_b 8000 in_a 1 in_b 1 \
                kind [expr {$by eq "cause" ? "late sender" : "MPI_Recv"}] cause_a [expr {$by eq "cause" ? "loop a.c:3 in sweep" : ""}] cause_b [expr {$by eq "cause" ? "loop b.c:5 in sweep" : ""}] change 1.0 low 1.0 high 1.0 beyond 1 how same]
            set theirs [dict merge $both {a -1 scope_a -1 value_a 0.0 value_b 0.5 calls_a 0 calls_b 1 received_a 0 received_b 0 sent_b 16 in_a 0 change 0.5 low 0.5 high 0.5 how unmatched}]
            return [list $both $theirs [dict merge $theirs {a -1 b -1 scope_a 5 scope_b -1 value_a 0.25 value_b 0.0 calls_a 3 calls_b 0 sent_a 8 sent_b 0 in_a 1 in_b 0 change -0.25}]]
        }
        if {$by ne "procedure"} {
            return {}
        }
        return [list [dict create a 2 b 2 value_a 2.0 value_b 3.0 change 1.0 low 0.9 high 1.1 beyond 1 in_both 1 how same] \
            [dict create a 5 b 5 value_a 1.0 value_b 0.8 change -0.2 low -0.5 high 0.1 beyond 0 in_both 1 how same] \
            [dict create a -1 b 6 value_a 0.0 value_b 0.5 change 0.5 low 0.4 high 0.6 beyond 1 in_both 0 how unmatched]]
    }
    method runs {other args} {
        lappend Calls [list runs {*}$args]
        set row {name {} chance_a 0 chance_b 0}
        return [list [dict merge $row {of cpu a 34.0 b 31.28}] [dict merge $row {of itself a 29.5 b 26.55}] [dict merge $row {of category name waiting a 20.0 b 17.0 low -3.6 high -2.4}] \
            [dict merge $row {of category name computation a 5.0 b 5.1 low -0.1 high 0.3}] [dict merge $row {of elapsed a 30.0 b 30.0}] \
            [dict merge $row {of waiting a 4.0 b 6.0}] [dict merge $row {of waiting name mutex a 1.0 b 2.9}] \
            [dict merge $row {of waiting name "a file" a 3.0 b 3.1}] [dict merge $row {of waiting name sleep a 0.0 b 0.01}] \
            [dict merge $row {of parallel a 0.288 b 0.417}] [dict merge $row {of balance a 0.92 b 0.94 chance_b 1}] \
            [dict merge $row {of communication a 0.313 b 0.44}] [dict merge $row {of computation a 5.0 b 5.5}] \
            [dict merge $row {of each a 2.5 b 1.375}] [dict merge $row {of care name "one in A and two in B (--net takes it out); of B that is not known" a 0 b 0}]]
    }
    method ledger {} {
        return [lmap row {{taken {what was taken} 40 0.04 0} {lost {[taken] nothing} 0 0.0 1} {kept {[taken] in the tables} 30 0.03 1}
                {mine {[not there] by hand} 0 0.5 2}} {
            lassign $row name meaning samples seconds group
            dict create name $name meaning $meaning samples $samples seconds $seconds group $group
        }]
    }
    method told {what args} {
        if {$what ne "note"} {
            return {}
        }
        return [lmap row {{0 1 0.5 rate 4 x} {1 -1 0.25 events 0 x} {1 2 2.5 rate 4 x} {1 2 1.5 rate 4 x} {0 -1 3.0 said 0 "odd \u0007 text"}} {
            lassign $row process thread time kind value text
            dict create row 0 process $process thread $thread time_s $time kind $kind value $value text $text
        }]
    }
    method rank {args} { return 1 }
    method children {scope args} {
        set out {}
        for {set s 0} {$s < [llength $Scopes]} {incr s} {
            if {[lindex $Scopes $s 2] == $scope} {
                lappend out [dict merge [my scope $s] [dict create inclusive \
                    [dict get [my Stats [my Row scope_incl $s thread]] sum] exclusive 0]]
            }
        }
        return [lsort -decreasing -command [list ::apply {{a b} {
            expr {[dict get $a inclusive] - [dict get $b inclusive]}
        }}] $out]
    }
    method unrolled {scope args} { return [dict create round -1 inside {}] }
    method instances {scope args} {
        switch -- $scope {
            4 {
                return [list [dict create version_text "vector body" is_vector 1 vector_width 4 interleave 2 unroll 0 sum 400 share 0.9 known 1] \
                    [dict create version_text "scalar remainder or fall-back of a vectorised loop" is_vector 0 vector_width 0 interleave 0 \
                        unroll 0 sum 40 share 0.1 known 1]]
            }
            3 { return [list [dict create version_text "unrolled copy" is_vector 0 vector_width 0 interleave 0 unroll 2 sum 1 share 1 known 1]] }
        }
        return {}
    }
    method remarks {scope args} {
        if {$scope == 7} {
            return [list [dict create scope 7 file 1 line 5 kind 1 pass loop-vectorize name MissedDetails \
                message "loop not vectorized" reason_code 1 reason_text dependence refuses 1 plain 0] [dict create scope 7 file 1 line 5 kind 2 reason_code 1 pass loop-vectorize name CantReorder \
                message "loop not vectorized: cannot prove it is safe to reorder memory operations" refuses 1 plain 1]]
        }
        return {}
    }
    method source {file} {
        switch -- $file {
            0 {
                set text {}
                for {set i 1} {$i <= 20} {incr i} {
                    append text "  do i = 1, n ! line $i\n"
                }
                return [dict create text $text changed 0 path /src/solve.f90]
            }
            1 { return [dict create text "/* a\n b */\nint main(void) {\n\tint n = 3;\r\n  for (;;)\n    n++;\n}\n" changed 1 path /src/main.c] }
        }
        return -code error -errorcode {HEATSCOPE DB MISSING} "[lindex $Files $file 0]: no copy in the database, not on disk"
    }
    method context {c} {
        lassign [lindex $Contexts $c] parent scope kind
        set facts [my scope $scope]
        return [dict create row $c parent $parent kind $kind scope $scope name [dict get $facts name] \
            file [dict get $facts file] line [dict get $facts line_begin] call_file -1 call_line 0 \
            subtree_end [expr {$c == 0 || $c == 1 ? 7 : $c == 6 ? 7 : 6}] \
            leaf [expr {$c in {5 6}}] depth [lindex {0 1 2 3 4 5 2} $c]]
    }
    method contexts {c args} {
        set out {}
        for {set i 0} {$i < [llength $Contexts]} {incr i} {
            if {[lindex $Contexts $i 0] == $c} {
                lappend out [dict merge [my context $i] [dict create inclusive [expr {100 - $i}] exclusive 1 share 0.1]]
            }
        }
        return $out
    }
    method contextvalues {c args} {
        return [concat {*}[lmap row [my contexts $c] {list [dict get $row row] [dict get $row inclusive] [dict get $row exclusive] [dict get $row leaf]}]]
    }
    method contextsof {scope args} {
        for {set i 0} {$i < [llength $Contexts]} {incr i} {
            if {[lindex $Contexts $i 1] == $scope} {
                return [list [my context $i]]
            }
        }
        return {}
    }
    method callertree {path args} {
        set rows [dict create {} {{2 90 0} {10 5 0}} 2 {{6 90 1}}]
        return [lmap row [dict get $rows $path] {
            set facts [my scope [lindex $row 0]]
            dict create scope [lindex $row 0] name [dict get $facts name] file [dict get $facts file] line [dict get $facts line_begin] \
                exclusive [lindex $row 1] share 0.5 leaf [lindex $row 2]
        }]
    }
    # MPI_Waitall is called on line 5 of main
    method hotlines {args} {
        lappend Calls [list hotlines {*}$args]
        return {{row 1 file 0 line 6 sum 400 share 0.4} {row 4 file 1 line 5 sum 140 share 0.1}}
    }
    method hotpath {{c 0} args} { return {0 1 2 3 4 5} }
    method categories {scope args} {
        return [list [dict create category 0 name computation sum 10 share 1 min 1 max 4 mean 2 min_column 0 max_column 3]]
    }
    method find {text args} {
        set out {}
        if {[regexp {^(.*):(\d+)$} $text -> name line]} {
            set i 0
            foreach file $Files {
                if {[file tail [lindex $file 0]] eq $name} {
                    lappend out [dict create kind file name $name scope -1 file $i line $line sum 0 share 0]
                }
                incr i
            }
            return $out
        }
        for {set s 0} {$s < [llength $Scopes]} {incr s} {
            set f [my scope $s]
            if {[dict get $f kind] eq "procedure" && [string match -nocase *$text* [dict get $f name]]} {
                set sum [dict get [my Stats [my Row scope_proc $s thread]] sum]
                lappend out [dict create kind procedure name [dict get $f name] scope $s file [dict get $f file] \
                    line [dict get $f line_begin] sum $sum share [expr {double($sum) / [my total]}]]
            }
        }
        return $out
    }
}
