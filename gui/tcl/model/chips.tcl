# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Chips behind a line of source: which of them in how many words, so that the source keeps its letters.

namespace eval ::heatscope::chips {
    namespace export forms place
    namespace ensemble create

    # Of a line that has no room for itself and a word on it, so much of the room stays the line's; where its first chip has no room in its fewest words
    # then, it has so much that these can be read, and the line `least` of it.
    variable share [expr {5 / 6.0}]
    variable least 0.4
    # What is said in fewer words, in this order: pattern and replacement.
    variable shorter {
        {: .*$} {}
        {, (?:\d+ at once|distance .*)$} {}
        { though .*$} {}
        { \([^()]*\)$} {}
        {\S+(?:->|::|%)(?=\w)} {}
        {not vectorised} {no vec}
        {vectorised} {vec}
        {vectors not tried} {untried}
        {fully unrolled} {unrolled}
        {^parts } {}
        {spin wait} {spin}
        {written in vectors} {vectors}
        { line (?=\d)} { }
        {^(\S+ buffer) .*$} {\1}
        {^.*\mindirect\M.*$} {indirect}
        {^.*\mirregular\M.*$} {irregular}
        {^.*\m(stride \d+ B)\M.*$} {\1}
        {^.*\mstride .*\msize\(.*$} {strided}
        {^\S+ (contiguous|one address)\M.*$} {\1}
    }

    # The words and what they are shortened to, the longest first.
    proc forms {words} {
        variable shorter
        set forms [list $words]
        foreach {pattern by} $shorter {
            if {[regsub -all $pattern [lindex $forms end] $by less] && $less ne ""} {
                lappend forms $less
            }
        }
        return $forms
    }

    # Lays the chips {WORDS TONE ...} out behind text of `width` pixels in `have`. letter: pixels of one; {*}$measure TEXT -> pixels.
    # dict: keep: pixels of the text that stay, -1 for all; gap: letters before a chip; chips: those that have room, in the words that
    # have; more: tone of those that have none, "" for none.
    # The text goes first: while it fits it is cut only for the first chip's fewest words and the sign that there is more, and a longer one keeps `share`
    # of the room, if these words have room in the rest.
    proc place {width have chips letter measure} {
        variable share
        variable least
        set whole $width
        foreach chip $chips {
            incr whole [expr {3 * $letter + [{*}$measure " [lindex $chip 0] "]}]
        }
        if {$whole <= $have} {
            return [dict create keep -1 gap 3 chips $chips more ""]
        }
        if {![llength $chips]} {
            return [dict create keep $have gap 3 chips {} more ""]
        }
        set sign [expr {$letter + [{*}$measure " \u2026 "]}]
        set room [expr {max($sign, $have - $width, $width > $have ? int($have * (1 - $share)) : 0)}]
        # in the fewest words as many as have room, the sign for the others
        set forms [lmap chip $chips {forms [lindex $chip 0]}]
        set fewest [lmap list $forms {expr {$letter + [{*}$measure " [lindex $list end] "]}}]
        # a sign alone says nothing
        set room [expr {max($room, min([lindex $fewest 0] + ([llength $chips] > 1 ? $sign : 0), int($have * (1 - $least))))}]
        set n 0
        set used 0
        foreach w $fewest {
            set rest [expr {$n + 1 < [llength $chips] ? $sign : 0}]
            if {$used + $w + $rest > $room} break
            incr used $w
            incr n
        }
        set more [expr {$n < [llength $chips] ? [Tone [lrange $chips $n end]] : ""}]
        set spare [expr {$room - $used - ($more ne "" ? $sign : 0)}]
        if {!$n} {
            # of a name some of it
            set cut [Cut [lindex $forms 0] [expr {$room - $letter - ([llength $chips] > 1 ? $sign : 0)}] $measure]
            if {$cut ne ""} {
                set forms [list [list $cut]]
                set fewest [list [expr {$letter + [{*}$measure " $cut "]}]]
                set more [expr {[llength $chips] > 1 ? [Tone [lrange $chips 1 end]] : ""}]
                set spare 0
                set n 1
            }
        }
        # what is spare goes to the first ones
        set shown {}
        set used [expr {$more ne "" ? $sign : 0}]
        foreach chip [lrange $chips 0 $n-1] list [lrange $forms 0 $n-1] w [lrange $fewest 0 $n-1] {
            set words [Longest $list [expr {$w - $letter + $spare}] $measure]
            set takes [expr {$letter + [{*}$measure " $words "]}]
            set spare [expr {$spare + $w - $takes}]
            incr used $takes
            lappend shown [lreplace $chip 0 0 $words]
        }
        # in few words the same thing is said once
        set said [lmap chip $shown {lindex $chip 0}]
        if {[llength [lsort -unique $said]] < [llength $said]} {
            set kept [lmap chip [lrange $chips 0 $n-1] words $said {
                if {[info exists once($words)]} continue
                set once($words) 1
                set chip
            }]
            return [place $width $have [concat $kept [lrange $chips $n end]] $letter $measure]
        }
        return [dict create keep [expr {$width + $used <= $have ? -1 : $have - $used}] gap 1 chips $shown more $more]
    }
    # The most words that have room: those of a form, or a reason cut after a word or two of it.
    proc Longest {forms room measure} {
        set pad [{*}$measure "  "]
        set cut [::heatscope::fmt chip [lindex $forms 0] [expr {$room - $pad}] $measure]
        if {$cut eq [lindex $forms 0] || ([string first ": " $cut] > 0 && [llength $forms] > 1)} {
            return $cut
        }
        foreach words $forms {
            if {[{*}$measure " $words "] <= $room} {
                return $words
            }
        }
        return [lindex $forms end]
    }
    # The fewest words, cut to the room; "" where hardly a word would be left.
    proc Cut {forms room measure} {
        set cut [::heatscope::fmt fit [lindex $forms end] [expr {$room - [{*}$measure "  "]}] $measure]
        return [expr {[string length $cut] >= 6 ? $cut : ""}]
    }
    proc Tone {chips} {
        return [expr {"bad" in [lmap chip $chips {lindex $chip 1}] ? "bad" : [lindex $chips 0 1]}]
    }
}
