# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The text of the source pane: rows in view, colours of words, marks, chips, long lines.

oo::define ::heatscope::DetailView {
    # The text widget holds the visible rows only, so that neither long files nor long lines cost anything.
    method Fill {} {
        set count [expr {([winfo height $Text] + $Height - 1) / $Height + 1}]
        set line [expr {$Document eq "" ? 0 : [dict get $Selection line]}]
        my Indents [expr {min([my Lines], $Top + $count - 1)}]
        set state [list $File $Top $count [dict get $Selection search] [winfo width $Text] $Blanks $Deep]
        if {$state ne $Filled} {
            # of the same file at another line most rows are there already
            set scrolled [expr {[lreplace $state 1 1] eq [lreplace $Filled 1 1]}]
            set Filled $state
            my Refill $count [expr {$scrolled ? $Laid : {}}]
        }
        $Text tag remove current 1.0 end
        if {$line >= $Top && [my Lines] > 0 && $line <= [my Lines]} {
            place $Left.band -x 0 -y [expr {$HeaderHeight + ($line - $Top) * $Height}] -relwidth 1 -height $Height
        } else {
            place forget $Left.band
        }
        if {$line >= $Top && $line < $Top + $count && [my Lines] > 0} {
            set row [expr {$line - $Top + 1}]
            $Text tag add current $row.0 [expr {$row + 1}].0
        }
    }
    # Width of a line of source: all letters of ASCII are as wide as one.
    method LineWidth {text} {
        if {[string is ascii $text]} {
            return [expr {[string length $text] * [::heatscope::theme width HsMono 0]}]
        }
        return [font measure HsMono $text]
    }
    # How much is left out before lines, where the text has little room. Blanks: what all lines down to `last` begin with, but two, where that is much and
    # one of them would not fit. Deep: the file has many lines that don't fit, so deep indents are shortened; Shortened: some in view.
    method Indents {last} {
        lassign {0 0 0} Blanks Deep Shortened
        set letters [expr {[winfo width $Text] / [::heatscope::theme width HsMono 0]}]
        if {$Document eq "" || [$Document state] ne "text" || $Whole || $letters < 10} {
            return
        }
        set Deep [expr {[$Document usualLength] > $letters}]
        set least 1000
        lassign {0 0} most deepest
        for {set i $Top} {$i <= $last} {incr i} {
            set text [string trimright [$Document line $i]]
            if {$text ne ""} {
                set blanks [expr {[string length $text] - [string length [string trimleft $text " "]]}]
                set most [expr {max($most, [string length $text])}]
                set least [expr {min($least, $blanks)}]
                set deepest [expr {max($deepest, $blanks)}]
            }
        }
        if {$most > $letters && $least >= [::heatscope::settings get commonBlanks] && $least < 1000} {
            set Blanks [expr {$least - 2}]
        }
        set Shortened [expr {$Deep && $deepest - $Blanks > [::heatscope::settings get deepBlanks]}]
    }
    # Blanks before a line that are not shown.
    method Spared {text} {
        if {$Whole} {
            return 0
        }
        set blanks [expr {[string length $text] - [string length [string trimleft $text " "]]}]
        set spared [expr {min($blanks, $Blanks)}]
        set rest [expr {$blanks - $spared}]
        if {[winfo width $Text] < [::heatscope::settings get indentedLetters] * [::heatscope::theme width HsMono 0]} {
            return [expr {$spared + $rest / 2}]
        }
        set deep [expr {$rest - [::heatscope::settings get deepBlanks]}]
        return [expr {$Deep && $deep > 0 ? $spared + $deep * 2 / 3 : $spared}]
    }
    # Cuts a line, of which `spared` blanks are not shown, to so many pixels, with a sign that there is more; all of it is there once the text was
    # moved to the side.
    method Cut {row text spared room} {
        set n [expr {$spared + max(1, $room / [::heatscope::theme width HsMono 0] - 1)}]
        if {![string is ascii $text]} {
            set fitting [::heatscope::fmt fit [string range $text $spared end] $room {font measure HsMono}]
            set n [expr {$spared + max(1, [string length $fitting] - 1)}]
        }
        $Text tag add cut $row.$n $row.end
        $Text insert $row.end \u2026 more
    }
    # laid: the first and the last line that have their rows already, {} for none.
    method Refill {count laid} {
        $Text configure -state normal
        set Laid {}
        if {$Document eq ""} {
            $Text delete 1.0 end
            $Text insert end "No line has samples." message
        } elseif {[$Document state] eq "nolines"} {
            $Text delete 1.0 end
            my FillUnlined
        } else {
            my LayMissing [expr {min([my Lines], $Top + $count - 1)}] $laid
        }
        $Text configure -state disabled
        if {[llength $Laid] && $Xview > 0} {
            $Text xview moveto 0
            $Text xview scroll $Xview pixels
        }
    }
    # Rows for the lines from Top to `last`: those that were laid and are still in sight stay.
    method LayMissing {last laid} {
        lassign $laid first end
        set Laid [list $Top $last]
        if {![llength $laid] || $first > $last || $end < $Top} {
            $Text delete 1.0 end
            my LayRows $Top $last
            return
        }
        if {$first < $Top} {
            $Text delete 1.0 [expr {$Top - $first + 1}].0
            set first $Top
        }
        if {$end > $last} {
            $Text delete [expr {$last - $first + 2}].0 [expr {$end - $first + 2}].0
            set end $last
        }
        if {$first > $Top} {
            my LayRows $Top [expr {$first - 1}]
        }
        if {$end < $last} {
            my LayRows [expr {$end + 1}] $last
        }
        # rows that came in above would stay out of sight
        $Text yview 1.0
    }
    # Puts in the rows of some lines; those above them are there.
    method LayRows {first last} {
        set known [expr {[$Document state] eq "text"}]
        set lines {}
        for {set i $first} {$i <= $last} {incr i} {
            lappend lines [expr {$known ? [$Document line $i] : [$Document standIn $i]}]
        }
        # a last line of its own for a band that reaches the right edge on every row
        $Text insert [expr {$first - $Top + 1}].0 "[join $lines \n]\n" [expr {$known ? {} : "standin"}]
        if {$known} {
            my ColourRows $first $lines
            set row [expr {$first - $Top}]
            foreach text $lines {
                incr row
                if {[set spared [my Spared $text]]} {
                    $Text tag add indent $row.0 $row.$spared
                }
            }
        }
        # what the compiler did is read when the first picture is there
        if {!$Chipped} {
            $App later [self] chips
            return
        }
        foreach text $lines {
            my LayChips $first $text
            incr first
        }
    }
    method ColourRows {first lines} {
        set search [string tolower [dict get $Selection search]]
        set far [::heatscope::theme remote]
        set marks {}
        set line [expr {$first - 1}]
        foreach text $lines {
            incr line
            set row [expr {$line - $Top + 1}]
            if {$text eq ""} {
                continue
            }
            foreach {a b kind} [$Document spans $line] {
                # each change of colour is a drawing of its own
                if {$far && $kind in {variable member}} continue
                dict lappend marks $kind $row.$a $row.[expr {$b + 1}]
            }
            if {[dict exists $Marks spans $line]} {
                foreach span [dict get $Marks spans $line] {
                    lassign $span a b kind
                    dict lappend marks ref$kind $row.$a $row.[expr {$b + 1}]
                }
            }
            if {$search ne ""} {
                set at 0
                set low [string tolower $text]
                while {[set at [string first $search $low $at]] >= 0} {
                    dict lappend marks hit $row.$at $row.[expr {$at + [string length $search]}]
                    incr at [string length $search]
                }
            }
        }
        dict for {kind ranges} $marks {
            $Text tag add $kind {*}$ranges
        }
    }
    # What stands behind a line, in as many words as the line leaves room for; the read-out has all.
    method LayChips {line text} {
        set row [expr {$line - $Top + 1}]
        set chips [lmap chip [my Chips $line] {lreplace $chip 0 0 [::heatscope::fmt elide [lindex $chip 0] 60]}]
        set have [winfo width $Text]
        set spared [my Spared $text]
        set width [my LineWidth [string range [string trimright $text] $spared end]]
        set letter [::heatscope::theme width HsMono 0]
        if {$Whole || $have < 60} {
            set placed [dict create keep -1 gap 3 chips $chips more ""]
        } else {
            set placed [::heatscope::chips place $width $have $chips $letter {::heatscope::theme width HsSmall}]
            # the sign of Fortran that a line goes on, far to the right of its text, is no reason to cut anything else
            if {([dict get $placed gap] < 3 || [dict get $placed keep] >= 0) && [regexp {^(.*\S)\s+&\s*$} $text -> before]} {
                set before [string range $before $spared end]
                set placed [::heatscope::chips place [expr {[my LineWidth $before] + 2 * $letter}] $have $chips $letter {::heatscope::theme width HsSmall}]
                if {[dict get $placed keep] < 0} {
                    dict set placed keep [expr {[my LineWidth $before] + 2 * $letter}]
                }
            }
        }
        if {[dict get $placed keep] >= 0} {
            my Cut $row $text $spared [dict get $placed keep]
        }
        set gap [string repeat " " [dict get $placed gap]]
        set more [dict get $placed more]
        set shown [dict get $placed chips]
        if {$more ne ""} {
            lappend shown [list [expr {$more eq "bad" ? "!" : "\u2026"}] $more [lindex $chips end 2]]
        }
        foreach chip $shown {
            lassign $chip words tone scope
            $Text insert $row.end $gap {} " $words " \
                [list [dict get {bad chipbad more chipmore less chipless good chip plain chip read chipread write chipwrite} $tone] scope$scope]
        }
    }
    method chips {} {
        set Chipped 1
        set Filled {}
        my Refit
        my AskWords
    }
    # What the words of C and C++ are comes later; the lexer's colours stand till then.
    method AskWords {} {
        if {$Chipped && $Document ne ""} {
            [$App syntax] ask $File [namespace code {my OnWords}]
        }
    }
    method OnWords {file} {
        if {$file == $File} {
            set Filled {}
            my Refit
        }
    }
    # What stands behind a line: changes against the other run, what the compiler did, then strides of references.
    method Chips {line} {
        set own [expr {[dict exists $Marks chips $line] ? [dict get $Marks chips $line] : {}}]
        set weighty [lmap chip $own {if {[lindex $chip 1] eq "plain"} continue; set chip}]
        set plain [lmap chip $own {if {[lindex $chip 1] ne "plain"} continue; set chip}]
        return [concat [[$App comparison] marks $File $line [dict get $Selection metric]] $weighty [$Document chips $line] $plain]
    }
    # For scripts: letters that have room beside each other, then {LINE SHOWN OF CHIPS SPARED} of each row: letters up to the end of what is in
    # sight, those of the line, its chips, blanks before it that are not shown.
    method letters {} {
        set out [expr {[winfo width $Text] / [::heatscope::theme width HsMono 0]}]
        if {[llength $Laid] && [$Document state] eq "text"} {
            lassign $Laid first last
            for {set line $first} {$line <= $last} {incr line} {
                set row [expr {$line - $first + 1}]
                set all [string length [string trimright [$Document line $line]]]
                set cut [$Text tag nextrange cut $row.0 $row.end]
                set shown [expr {[llength $cut] ? min($all, [lindex [split [lindex $cut 0] .] 1]) : $all}]
                lappend out [list $line $shown $all [llength [my Chips $line]] \
                    [expr {[llength [$Text tag nextrange indent $row.0 $row.end]] ? [my Spared [$Document line $line]] : 0}]]
            }
        }
        return $out
    }
    method FillUnlined {} {
        $Text insert end "[string map {{: } :\n} [$Document message]].\n" message
        if {[dict get [$Document facts] module] >= 0} {
            set module [$Db module [dict get [$Document facts] module]]
            if {[dict get $module note] ne ""} {
                $Text insert end "[::heatscope::fmt plain [dict get $module note]]\n" message
            }
        }
        $Text insert end "\n"
        foreach entry [lrange $Listed 0 80] {
            lassign $entry scope name share sum
            $Text insert end "[format %7s [::heatscope::fmt percent $share 1]]  $name\n" scope$scope
            if {$scope == [dict get $Selection procedure]} {
                $Text tag add current end-2lines end-1lines
            }
        }
    }

    # The text moves to the side by letters; at its left end again long lines are cut again.
    method Sideways {steps} {
        if {!$Whole && $steps > 0} {
            set Whole 1
            my Again
        }
        $Text xview scroll [expr {$steps * [::heatscope::theme width HsMono 0] * 2}] pixels
        set Xview [expr {max(0, round([lindex [$Text xview] 0] * [my TextWidth]))}]
        if {$Whole && $Xview == 0} {
            set Whole 0
            my Again
        }
        my Heads
    }
    method Again {} {
        set Filled {}
        my Fill
    }
    method sideways {steps} {
        my Sideways $steps
    }
    method TextWidth {} {
        lassign [$Text xview] a b
        return [expr {$b > $a ? [winfo width $Text] / ($b - $a) : [winfo width $Text]}]
    }
}
