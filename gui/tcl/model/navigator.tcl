# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Makes whole selections from what a user points at, so that file, line, procedure and scope always fit each other.

oo::class create ::heatscope::Navigator {
    variable Bus Run Db Hots HotAt Path Context ContextKey

    constructor {bus run} {
        set Bus $bus
        set Run $run
        set Db [$run db]
        set Hots {}
        set HotAt {}
        set Path {}
        set Context -1
        set ContextKey {}
    }

    # The values have changed: another interval.
    method forget {} {
        set Hots {}
        set HotAt {}
        set Path {}
    }
    method Axis {} { return [list -metric [$Bus get metric] -axis [$Bus get axis]] }

    # Where the window begins: at the loop that the findings call the hottest, with what it calls, or the hottest line of the procedure that they call so where no
    # loop stands for its code; where that is the user's; else at the hottest line, else in the first file with code. Of many contexts it is not looked for: the first picture would wait. With a second database
    # at what changed most beyond noise, where that does not take too long to find either.
    method start {{comparison ""}} {
        set axis [expr {[$Run columns process] > 1 || [my IsLoneRank] ? "process" : "thread"}]
        $Bus set start axis $axis
        if {$comparison ne "" && [$comparison any] && [$Run info contexts] <= [::heatscope::settings get beginContexts] && [my StartAtChange $comparison]} {
            # as with one
            if {[my inCalls] ne ""} {
                $Bus adjust start lines calls
            }
            return
        }
        if {[$Run info contexts] > [::heatscope::settings get beginContexts] || ![my StartAtHottest]} {
            my StartAtProcedure
        }
    }
    # One rank, beside whose first thread those that MPI made for itself hardly computed (a hundredth): columns and means over them would say nothing of the program.
    method IsLoneRank {} {
        set n [$Run columns thread]
        if {[$Run columns process] != 1 || $n < 2 || $n > 8 || [dict get [$Db process 0] rank] < 0} {
            return 0
        }
        set first [dict get [$Db thread 0] samples]
        set others 0
        for {set t 1} {$t < $n} {incr t} {
            incr others [dict get [$Db thread $t] samples]
        }
        return [expr {$others <= 0.01 * $first}]
    }
    method StartAtHottest {} {
        set hottest [$Db hottest -metric [$Bus get metric]]
        if {$hottest < 0 || ![my IsPlaceToBegin $hottest]} {
            return 0
        }
        my scope start $hottest
        # where most of its time is in what it calls, its lines by themselves would look cold
        if {[my CallsMost $hottest]} {
            $Bus adjust start lines calls
        }
        return 1
    }
    # At the line that changed most of the user's procedure or loop that did, but not where time only moved; else at the wait or call of message passing that did. False: there is none.
    method StartAtChange {comparison} {
        set metric [$Bus get metric]
        foreach c [$comparison code $metric] {
            set scope [dict get $c a]
            if {$scope < 0 || [$comparison onlyMoved $c] || ![my IsPlaceToBegin $scope]} continue
            set facts [$Db scope $scope]
            set procedure [expr {[dict get $c by] eq "loop" ? [dict get $facts procedure] : $scope}]
            foreach l [$comparison changes line $metric] {
                if {![dict get $l beyond] || [$comparison onlyMoved $l] || [dict get $l a] < 0 || ([dict get $l change] > 0) != ([dict get $c change] > 0)} continue
                set line [$Db line [dict get $l a]]
                if {[dict get $c by] eq "loop" && ([dict get $line line] < [dict get $facts line_begin] || [dict get $line line] > [dict get $facts line_end])} continue
                if {[dict get $line line] > 0 && [dict get $line file] == [dict get $facts file] && [my ProcedureOf [dict get $line scope]] == $procedure} {
                    my line start [dict get $line file] [dict get $line line]
                    return 1
                }
            }
            if {[dict get $c by] eq "loop"} {
                my scope start $scope
            } else {
                my procedure start $procedure
            }
            return 1
        }
        foreach f [$comparison findings $metric] {
            if {[dict get $f scope] >= 0 && [dict get $f line] > 0 && [my IsPlaceToBegin [dict get $f scope]]} {
                my finding start $f
                return 1
            }
        }
        return 0
    }
    # A loop whose own lines have less than half of its time.
    method CallsMost {loop} {
        set all [lindex [$Db sums -table scope_incl -rows [list $loop 1] {*}[my Axis]] 0]
        return [expr {$all > 0 && [my InLines $loop] < 0.5 * $all}]
    }
    # Samples that its lines have by themselves, those of loops inside included.
    method InLines {loop} {
        set facts [$Db scope $loop]
        set file [dict get $facts file]
        set first [dict get $facts line_begin]
        set last [dict get $facts line_end]
        set lines [expr {$file >= 0 && $first > 0 ? [$Db lines $file $first [expr {min($last, $first + 65535)}]] : {}}]
        if {![llength $lines]} {
            return 0
        }
        set row [$Db findline $file [lindex $lines 0]]
        set n [expr {min(65536, [$Db findline $file [lindex $lines end]] - $row + 1)}]
        return [::tcl::mathop::+ {*}[$Db sums -table line -rows [list $row $n] {*}[my Axis]]]
    }
    # Part of the selected loop's time that the lines that are shown have not, as it is spent in calls; "" where it is less than half.
    method inCalls {} {
        set loop [$Bus get scope]
        if {$loop < 0 || [$Bus get lines] ne "own" || [$Bus get category] >= 0 || [$Run exact [$Bus get metric]]
            || [dict get [$Db scope $loop] kind] ne "loop" || ![my CallsMost $loop]} {
            return ""
        }
        set all [lindex [$Db sums -table scope_incl -rows [list $loop 1] {*}[my Axis]] 0]
        return [expr {1.0 - double([my InLines $loop]) / $all}]
    }
    method StartAtProcedure {} {
        # what is the user's first: libraries, also our own, are no place to begin, nor are the system's headers (templates,
        # inlined) where other files have a tenth of it; nor is what has lines but hardly any time
        set header -1
        set other -1
        set rows [$Db top -table scope_excl -kind procedure -n 20 {*}[my Axis]]
        set most [expr {[llength $rows] ? [dict get [lindex $rows 0] sum] : 0}]
        foreach row $rows {
            if {[dict get $row file] < 0 || ![dict get [$Db file [dict get $row file]] has_lines]} {
                continue
            }
            if {[my IsOwn [dict get $row module]]} {
                if {![my IsOfSystem [dict get [$Db file [dict get $row file]] path]]} {
                    if {$header < 0 || [dict get $row sum] >= 0.1 * $most} {
                        my procedure start [dict get $row row]
                        return
                    }
                } elseif {$header < 0} {
                    set header [dict get $row row]
                }
                continue
            }
            if {$other < 0 && [dict get $row sum] >= 0.1 * $most} {
                set other [dict get $row row]
            }
        }
        # only libraries have time of their own that is worth a look: where the program calls them
        if {$header < 0 && [my StartAtCalls]} {
            return
        }
        foreach found [list $header $other] {
            if {$found >= 0} {
                my procedure start $found
                return
            }
        }
        if {[llength $rows]} {
            my procedure start [dict get [lindex $rows 0] row]
        } elseif {[$Run info files] > 0} {
            my line start 0 1
        }
    }

    # At the program's line that has most with the libraries that it calls, if there is text to show.
    method StartAtCalls {} {
        if {[$Run info contexts] > [::heatscope::settings get beginContexts]} {
            return 0
        }
        set row [lindex [$Db hotlines -n 1 -metric [$Bus get metric]] 0]
        if {$row eq "" || [my IsOfSystem [dict get [$Db file [dict get $row file]] path]]
            || [[$Run document [dict get $row file]] state] ne "text"} {
            return 0
        }
        my line start [dict get $row file] [dict get $row line]
        $Bus adjust start lines calls
        return 1
    }

    method IsPlaceToBegin {scope} {
        set facts [$Db scope $scope]
        if {[dict get $facts file] < 0 || [dict get $facts line_begin] < 1 || [dict get $facts module] < 0} {
            return 0
        }
        set file [$Db file [dict get $facts file]]
        return [expr {[dict get $file has_lines] && ![my IsOfSystem [dict get $file path]] && [my IsOwn [dict get $facts module]]}]
    }
    method IsOwn {module} { return [expr {$module >= 0 && [dict get [$Db module $module] own]}] }
    # Templates and what is inlined of the system's, or of Rust's own library.
    method IsOfSystem {path} { return [expr {[string match /usr/* $path] || [string match /rustc/* $path]}] }

    # A line, with the scope around it; column -2 keeps the cell cursor where it is.
    method line {origin file line {column -2} args} {
        set facts [$Db file $file]
        set scope -1
        if {[dict get $facts has_lines]} {
            set row [$Db findline $file $line]
            set scope [expr {$row >= 0 ? [dict get [$Db line $row] scope] : -1}]
            if {$scope < 0 || ![my Spans $scope $file $line]} {
                set scope [$Db scopeat $file $line]
            }
        }
        set selection [list file $file line $line scope $scope procedure [my ProcedureOf $scope] instruction -1 {*}$args]
        if {$column != -2} {
            lappend selection column $column
        }
        $Bus set $origin {*}$selection
    }
    method Spans {scope file line} {
        set facts [$Db scope $scope]
        return [expr {[dict get $facts file] == $file && [dict get $facts line_begin] <= $line
                      && $line <= [dict get $facts line_end]}]
    }
    method ProcedureOf {scope} {
        if {$scope < 0} {
            return -1
        }
        set facts [$Db scope $scope]
        if {[dict get $facts kind] eq "procedure"} {
            return $scope
        }
        return [dict get $facts procedure]
    }

    # A procedure: its hottest line becomes the current one.
    method procedure {origin scope} {
        set facts [$Db scope $scope]
        set file [dict get $facts file]
        set line [dict get $facts line_begin]
        if {$file >= 0} {
            # made by the compiler, as gcc's parts of OpenMP are: it has no lines itself, its code has
            set placed [dict get [$Db file $file] has_lines]
            foreach row [$Db top -table line -under $scope -n 8 {*}[my Axis]] {
                # code of other files that was inlined belongs to the procedure, but is not where it stands
                if {[dict get $row file] == $file || (!$placed && [dict get [$Db file [dict get $row file]] has_lines])} {
                    set file [dict get $row file]
                    set line [dict get $row line]
                    break
                }
            }
        }
        $Bus set $origin file $file line $line scope $scope procedure $scope instruction -1
    }

    # Any scope: loop, region, procedure, file, module.
    method scope {origin scope} {
        if {$scope < 0} {
            return
        }
        set facts [$Db scope $scope]
        switch -- [dict get $facts kind] {
            procedure { my procedure $origin $scope }
            loop - region {
                lassign [$Run placeOf $scope] file line
                $Bus set $origin file $file line $line scope $scope \
                    procedure [dict get $facts procedure] instruction -1
            }
            default {
                set children [$Db top -table scope_excl -kind procedure -under $scope -n 1 {*}[my Axis]]
                if {[llength $children]} {
                    set best [dict get [lindex $children 0] row]
                    my procedure $origin $best
                    $Bus adjust $origin scope $scope
                } else {
                    $Bus set $origin scope $scope procedure -1 instruction -1
                }
            }
        }
    }

    # An instruction, by its row of the table, with the line, loop and procedure that it is of.
    method instruction {origin row} {
        set facts [$Db instruction $row]
        set selection [list instruction $row]
        if {[dict get $facts line] >= 0} {
            set where [$Db line [dict get $facts line]]
            if {[dict get $where line] > 0} {
                lappend selection file [dict get $where file] line [dict get $where line]
            }
        }
        set scope [dict get $facts scope]
        if {$scope >= 0} {
            lappend selection scope $scope procedure [my ProcedureOf $scope]
        }
        $Bus set $origin {*}$selection
    }

    # The place of a finding: its scope where it begins there, else its line.
    method finding {origin finding} {
        set scope [dict get $finding scope]
        set file [dict get $finding file]
        set line [dict get $finding line]
        if {$scope >= 0 && ($file < 0 || [dict get [$Db scope $scope] line_begin] == $line)} {
            my scope $origin $scope
        } elseif {$file >= 0} {
            my line $origin $file [expr {max(1, $line)}]
        }
    }
    method context {origin context} {
        set facts [$Db context $context]
        set scope [dict get $facts scope]
        if {[dict get $facts kind] in {root partial}} {
            $Bus set $origin context $context
            return
        }
        my scope $origin $scope
        $Bus adjust $origin context $context
    }

    # The context that the selection stands for: the chosen one while it fits the procedure, else the procedure's hottest;
    # -1 without any.
    method contextFor {} {
        set s [$Bus get]
        set context [dict get $s context]
        set procedure [dict get $s procedure]
        set n [$Run info contexts]
        if {$context >= 0 && $context < $n} {
            set scope [dict get [$Db context $context] scope]
            if {$procedure < 0 || $scope < 0 || [my ProcedureOf $scope] == $procedure} {
                return $context
            }
        }
        if {$n < 2 || $procedure < 0} {
            return -1
        }
        set key [list $procedure {*}[my Axis]]
        if {$key ne $ContextKey} {
            set ContextKey $key
            set found [$Db contextsof $procedure -n 1 {*}[my Axis]]
            set Context [expr {[llength $found] ? [dict get [lindex $found 0] row] : -1}]
        }
        return $Context
    }

    # Where the program's own code begins, if nearly all time is below it: what starts a process is of no interest.
    method contextStart {} {
        if {[$Run info contexts] < 2} {
            return 0
        }
        set least [expr {0.9 * [$Run total [$Bus get metric]]}]
        foreach context [$Db hotpath 0 {*}[my Axis]] {
            if {[lindex [$Db sums -table context_incl -rows [list $context 1] {*}[my Axis]] 0] < $least} {
                break
            }
            set facts [$Db context $context]
            if {[dict get $facts kind] eq "procedure" && [dict get [$Db scope [dict get $facts scope]] knowledge] eq "map"} {
                return $context
            }
        }
        return 0
    }

    method Count {} {
        set file [$Bus get file]
        if {$file < 0} {
            return 0
        }
        return [[$Run document $file] count]
    }

    # Cell cursor by lines and by columns.
    method move {origin lines columns} {
        set file [$Bus get file]
        if {$file < 0} {
            return
        }
        set column [$Bus get column]
        if {$columns != 0} {
            set n [$Run columns [$Bus get axis]]
            set column [expr {$column < 0 ? ($columns > 0 ? 0 : $n - 1) : min($n - 1, max(0, $column + $columns))}]
        }
        set count [my Count]
        if {$count == 0} {
            $Bus adjust $origin column $column
            return
        }
        my line $origin $file [expr {min($count, max(1, [$Bus get line] + $lines))}] $column
    }
    # `by`: number of columns in a cell of the view
    method edge {origin which} {
        set file [$Bus get file]
        if {$file >= 0 && [my Count] > 0} {
            my line $origin $file [expr {$which eq "first" ? 1 : [my Count]}]
        }
    }

    # The hottest lines of the whole program, one after the other: of the user's; where there is none, also of libraries.
    # Where lines are shown with what they call, with the libraries that they call: with all that they call, main's would be the hottest.
    method hot {origin step} {
        set hot [my Hottest]
        if {![llength $hot]} {
            return {}
        }
        # from a place that it did not lead to (a loop's head, which has hardly any time, is far down the list) it begins with the hottest
        set at [list [$Bus get file] [$Bus get line]]
        set now [expr {$at in [list $HotAt [lindex $hot 0]] ? [lsearch -exact $hot $at] : -1}]
        set next [expr {$now < 0 ? ($step > 0 ? 0 : [llength $hot] - 1) : ($now + $step) % [llength $hot]}]
        set HotAt [lindex $hot $next]
        my line $origin {*}$HotAt
        return [list [expr {$next + 1}] [llength $hot]]
    }

    # Places of lines, the hottest first.
    method Hottest {} {
        set key [list [$Bus get metric] [my ShowsCalls]]
        if {![dict exists $Hots $key]} {
            set lines {}
            if {[my ShowsCalls]} {
                set lines [lmap row [$Db hotlines -n 100 -metric [$Bus get metric]] {list [dict get $row file] [dict get $row line]}]
            }
            dict set Hots $key [expr {[llength $lines] ? $lines : [my HotLines]}]
        }
        return [dict get $Hots $key]
    }
    # Reads what the first step to a hot spot would.
    method ready {} {
        catch {my Hottest}
    }

    # Are lines shown with what they call? What is counted or timed is known by line only.
    method ShowsCalls {} {
        return [expr {([$Bus get category] >= 0 || [$Bus get lines] eq "calls") && ![$Run exact [$Bus get metric]]}]
    }
    # {FILE LINE} of lines by themselves.
    method HotLines {} {
        set mine {}
        set others {}
        foreach row [$Db top -table line -n 300 {*}[my Axis]] {
            set file [$Db file [dict get $row file]]
            if {![dict get $file has_lines] || [dict get $row sum] <= 0} {
                continue
            }
            lappend [expr {[my IsOwn [dict get $file module]] ? "mine" : "others"}] [list [dict get $row file] [dict get $row line]]
        }
        return [lrange [expr {[llength $mine] ? $mine : $others}] 0 99]
    }

    # One step further along the hottest path of calls and loops; begins at the root again after its end.
    method hotPath {origin} {
        set path {}
        foreach context [$Db hotpath 0 {*}[my Axis]] {
            if {[dict get [$Db context $context] kind] ni {root partial}} {
                lappend path $context
            }
        }
        if {![llength $path]} {
            return {}
        }
        set now [lsearch -exact $path [$Bus get context]]
        set next [expr {($now + 1) % [llength $path]}]
        my context $origin [lindex $path $next]
        return [list [expr {$next + 1}] [llength $path]]
    }

    # Into the hottest loop inside the selected scope; without one, to the scope's hottest line.
    method enter {origin} {
        set scope [$Bus get scope]
        if {$scope < 0} {
            set scope 0
        }
        foreach child [$Db children $scope -n 50 {*}[my Axis]] {
            if {[dict get $child inclusive] > 0} {
                my scope $origin [dict get $child row]
                return 1
            }
        }
        set rows [$Db top -table line -under $scope -n 1 {*}[my Axis]]
        if {[llength $rows]} {
            set row [lindex $rows 0]
            my line $origin [dict get $row file] [dict get $row line]
        }
        return 0
    }
    # Out to the enclosing scope.
    method leave {origin} {
        set scope [$Bus get scope]
        if {$scope <= 0} {
            return 0
        }
        set parent [dict get [$Db scope $scope] parent]
        if {$parent < 0 || [dict get [$Db scope $parent] kind] ni {loop region procedure}} {
            return 0
        }
        my scope $origin $parent
        return 1
    }

    # Values of one category only, by its number; the same again, or -1: of all. False: nothing is known of single samples.
    method category {origin category} {
        if {![dict get [$Db times] present]} {
            return 0
        }
        $Bus set $origin category [expr {$category == [$Bus get category] ? -1 : $category}]
        return 1
    }
    # The next category that has samples, then all again.
    method nextCategory {origin} {
        set kinds [$Run sampledCategories]
        set at [lsearch -exact $kinds [$Bus get category]]
        set next [lindex [list {*}$kinds -1] [expr {$at + 1}]]
        return [my category $origin $next]
    }

    method column {origin column} {
        $Bus set $origin column $column
    }
    method processors {origin range} {
        $Bus set $origin processors $range
    }
    method axis {origin axis} {
        set from [$Bus get axis]
        if {$from eq $axis} {
            return
        }
        $Bus set $origin axis $axis processors {} column [$Run translate [$Bus get column] $from $axis]
    }

    # ---- search ----

    # Hits of a text: {hits {dict ...} total share}; kinds as far as asked for.
    method find {text {limit 200}} {
        set text [string trim $text]
        if {$text eq ""} {
            return [dict create hits {} share 0]
        }
        set hits [$Db find $text -kinds {procedure file remark} -n $limit {*}[my Axis]]
        set share 0
        set of procedure
        # a file's share holds its procedures' already
        foreach hit $hits {
            if {[dict get $hit kind] eq "procedure"} {
                set share [expr {$share + [dict get $hit share]}]
            }
        }
        if {$share == 0} {
            set of file
            foreach hit $hits {
                if {[dict get $hit kind] eq "file"} {
                    set share [expr {$share + [dict get $hit share]}]
                }
            }
        }
        return [dict create hits $hits share [expr {min(1.0, $share)}] of $of]
    }
    method toHit {origin hit} {
        if {[dict exists $hit column] && [dict get $hit column] >= 0} {
            if {[dict get $hit axis] eq [$Bus get axis]} {
                my column $origin [dict get $hit column]
            }
        } elseif {[dict get $hit kind] eq "procedure" && [dict get $hit scope] >= 0} {
            my procedure $origin [dict get $hit scope]
        } elseif {[dict get $hit file] >= 0} {
            set line [dict get $hit line]
            if {$line <= 0} {
                set line [expr {max(1, [dict get [$Db file [dict get $hit file]] first_line])}]
            }
            my line $origin [dict get $hit file] $line
        } elseif {[dict get $hit scope] >= 0} {
            my scope $origin [dict get $hit scope]
        }
    }

    # What a user may name on the command line: FILE:LINE, a procedure, a file. Returns 1 when found.
    method named {origin text} {
        set hits [dict get [my find $text 20] hits]
        if {[regexp {^(.+):\d+$} $text -> file]} {
            # the file of that whole name before one that only ends so
            set last {}
            foreach hit $hits {
                if {[dict get $hit kind] eq "procedure" || [dict get $hit line] <= 0} {
                    continue
                }
                set path [dict get [$Db file [dict get $hit file]] path]
                if {$path eq $file || [string equal "/$file" [string range $path end-[string length $file] end]]} {
                    my toHit $origin $hit
                    return 1
                }
                set last [expr {$last eq "" ? $hit : $last}]
            }
            if {$last ne ""} {
                my toHit $origin $last
                return 1
            }
        }
        foreach hit $hits {
            if {[dict get $hit kind] eq "procedure" && [dict get $hit name] eq $text} {
                my toHit $origin $hit
                return 1
            }
        }
        if {[llength $hits]} {
            my toHit $origin [lindex $hits 0]
            return 1
        }
        return 0
    }
}
