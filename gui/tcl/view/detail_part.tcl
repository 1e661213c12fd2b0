# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Loops that are longer than the source pane: the part with most of their time, and their head above the text.

oo::define ::heatscope::DetailView {
    # Where a loop was chosen elsewhere whose lines have no room below its head, or stand below what is in view: the line to show on top
    # (model/hottest.tcl). 0: as it is, any line will do.
    method HottestTop {line rows context} {
        set scope [dict get $Selection scope]
        if {$scope < 0 || $Ranged || $Origin in {detail history}} {
            return 0
        }
        set facts [$Db scope $scope]
        lassign [list [dict get $facts line_begin] [dict get $facts line_end]] begin end
        if {[dict get $facts kind] ni {loop region} || [dict get $facts file] != $File || $begin != $line || ($line >= $Top && $end < $Top + $rows)} {
            return 0
        }
        set end [expr {min($end, $begin + 20000)}]
        set coded [$Db lines $File $begin $end]
        return [expr {[llength $coded] ? [::heatscope::hottest top $coded [my LineSums $coded] $begin $end $rows $context] : 0}]
    }
    # Sums of lines of the file that have code.
    method LineSums {lines} {
        # rows of a file stand together
        set first [$Db findline $File [lindex $lines 0]]
        set n [expr {[$Db findline $File [lindex $lines end]] - $first + 1}]
        set all [$Db sums -table [my LineTable] -rows [list $first [expr {min($n, 65536)}]] {*}[my Common]]
        return [lmap line $lines {
            set row [expr {[$Db findline $File $line] - $first}]
            expr {$row >= 0 && $row < [llength $all] ? [lindex $all $row] : 0}
        }]
    }
    # The head of the chosen loop or procedure where it is above what is in view: {LINE TEXT}, else {}.
    method HeadAbove {} {
        set scope [dict get $Selection scope]
        if {$scope < 0 || $Document eq "" || [$Document state] ne "text"} {
            return {}
        }
        set facts [$Db scope $scope]
        set begin [dict get $facts line_begin]
        if {[dict get $facts kind] ni {loop region procedure} || [dict get $facts file] != $File || $begin < 1 || $begin >= $Top || [dict get $facts line_end] < $Top} {
            return {}
        }
        return [list $begin [string trim [$Document line $begin]]]
    }
    method ToHead {} {
        if {[llength $Head]} {
            set Top [my Clamp [expr {[lindex $Head 0] - 2}]]
            my Draw
        }
    }
    # What stands above the text: from which column it is, or the head of what is chosen.
    method SayHead {} {
        set column [expr {$Xview / max(1, [::heatscope::theme width HsMono 0])}]
        set Head [expr {$column ? "" : [my HeadAbove]}]
        set words [expr {$column ? "Source \u2039 from column [expr {$column + 1}]" : "Source"}]
        if {[llength $Head]} {
            set room [expr {[winfo width $Text] - [::heatscope::theme dp 4]}]
            set words [::heatscope::fmt fit "\u2191 [lindex $Head 0]  [lindex $Head 1]" $room {::heatscope::theme width HsHead}]
        }
        set label [winfo parent $Text].head.above
        ::heatscope::theme say $label $words
        $label configure -style [expr {[llength $Head] ? "Above.TLabel" : "Card.Small.TLabel"}] -cursor [expr {[llength $Head] ? "hand2" : ""}]
    }
}
