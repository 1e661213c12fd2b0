# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Which part of a loop that has no room in sight is shown: that with most of its time.

namespace eval ::heatscope::hottest {
    namespace export part top
    namespace ensemble create

    # {SUM FIRST LAST WITH}: of all runs of at most `rows` lines the one with most, its first and last line with code, and what the run that begins at
    # the first line has. lines: those with code, rising, at least one; sums: what each has.
    proc part {lines sums rows} {
        set best [list 0 [lindex $lines 0] [lindex $lines 0]]
        set with 0
        set first 0
        set sum 0
        for {set last 0} {$last < [llength $lines]} {incr last} {
            set sum [expr {$sum + [lindex $sums $last]}]
            while {[lindex $lines $last] - [lindex $lines $first] >= $rows} {
                set sum [expr {$sum - [lindex $sums $first]}]
                incr first
            }
            if {$first == 0} {
                set with $sum
            }
            if {$sum > [lindex $best 0]} {
                set best [list $sum [lindex $lines $first] [lindex $lines $last]]
            }
        }
        return [list {*}$best $with]
    }

    # The line to show on top, of `rows` that have room, for a loop from `begin` to `end`: its head, with lines before it, where what follows that has
    # nearly as much as any other part; else that part, in the middle. 0: nothing in it has anything. context: lines that are shown around what is looked at.
    proc top {lines sums begin end rows context} {
        # a line or two stand above it
        set above [expr {min(2, $context)}]
        lassign [part $lines $sums [expr {max(1, $rows - $above)}]] most from to with
        if {$most <= 0} {
            return 0
        }
        if {$with >= 0.9 * $most} {
            return [expr {max(1, $begin - ($end - $begin + 2 * $context < $rows ? $context : $above))}]
        }
        return [expr {max($begin + 1, $from - max($above, ($rows - ($to - $from + 1)) / 2))}]
    }
}
