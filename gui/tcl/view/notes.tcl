# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A list with all that is known of its chosen row beside it: a chart, and lines of text that lead to their places.

oo::class create ::heatscope::NotesView {
    superclass ::heatscope::ListView
    variable Path Bus Run Nav Db App Selection Rows ById List Chosen By Loaded Text Lines Subject Figure Caption ChartFacts

    constructor {path context} {
        set Lines {}
        set Subject {}
        set Figure {}
        set ChartFacts {}
        next $path $context
    }

    # ---- what the panes make their own ----

    # What the notes are of, whenever another value comes they are made anew.
    method Of {} { return $Chosen }
    # Lines about it: dicts {kind text ?right? ?file line? ?scope? ?context?}; kind is head, section, fact, good or bad.
    method Notes {subject} { return {} }
    # The same of a row as a model of this pane's has it: this run's, or the other one's.
    method NotesBy {model row metric} { return {} }
    # Of a row that only the other run has: without places, which are that run's.
    method TheirNotes {row} {
        set metric [[$App comparison] metric [dict get $Selection metric]]
        set out [list [dict create kind section text "Only in the other run; numbers and places are that run's"]]
        foreach line [expr {$metric >= 0 ? [my NotesBy [my OtherModel] [dict get $row theirs] $metric] : {}}] {
            lappend out [dict remove $line file line scope context]
        }
        return $out
    }
    # Its chart: dict {title values labels ?scaling linear|root|log? ?mark I? ?mean 1? ?words COMMAND?}; {} for none.
    # {*}$words INDEX says what the read-out has.
    method Chart {subject} { return {} }
    # A click on a value of the chart.
    method ChartGo {index} {}

    # ---- building ----

    # chart: with a chart above the text
    method SplitNotes {body chart args} {
        set t ::heatscope::theme
        set right [my SplitList $body {3 2} {*}$args]
        if {$chart} {
            ttk::frame $right.chart -style Card.TFrame
            set Caption [ttk::label $right.chart.title -style Card.Sub.TLabel -font HsSmall]
            set Figure [my Widget figure $right.chart.figure -font HsSmall -monofont HsMono -takefocus 1 -height [$t dp 74] \
                -width [$t dp 240]]
            pack $Caption -fill x
            pack $Figure -fill x
            grid $right.chart -columnspan 2 -sticky we -padx [$t dp 10] -pady [list [$t dp 4] 0]
            bind $right.chart <Configure> +[namespace code {my FitCaption}]
            bind $Figure <<FigurePick>> [namespace code {my OnFigure %d}]
            bind $Figure <<HeatscopeHover>> [namespace code {my OnFigureHover %d}]
        }
        set Text $right.text
        text $Text -font HsUI -wrap word -width 30 -height 4 -borderwidth 0 -highlightthickness 0 -relief flat -cursor arrow \
            -padx [$t dp 10] -pady [$t dp 4] -insertwidth 0 -exportselection 0 -undo 0 \
            -yscrollcommand [list $right.scroll set] -state disabled -takefocus 0 -insertofftime 0
        ttk::scrollbar $right.scroll -style Slim.Vertical.TScrollbar -orient vertical -command [list $Text yview]
        grid $Text $right.scroll -sticky nswe
        grid columnconfigure $right 0 -weight 1
        grid rowconfigure $right $chart -weight 1
        bindtags $Text [list $Text [winfo toplevel $Text] all]
        bind $Text <Button-4> {%W yview scroll -2 units}
        bind $Text <Button-5> {%W yview scroll 2 units}
        bind $Text <MouseWheel> {%W yview scroll [expr {-(%D) / 60}] units}
        bind $Text <Button-1> [namespace code {my OnText %x %y}]
        bind $Text <Configure> +[namespace code {my Stops}]
        # the lines by keyboard: [ and ] from place to place
        bind $List <bracketright> "[namespace code {my nextPlace 1}]; break"
        bind $List <bracketleft> "[namespace code {my nextPlace -1}]; break"
        return $right
    }
    method Stops {} {
        set room [expr {[winfo width $Text] - 2 * [::heatscope::theme dp 10] - 2}]
        if {$room > 50} {
            foreach tag {head section fact good bad} {
                $Text tag configure $tag -tabs [list $room right]
            }
        }
    }
    method themed {} {
        set t ::heatscope::theme
        $Text configure -background [$t colour card] -foreground [$t colour text]
        $Text tag configure head -font HsUIb -spacing1 [$t dp 2]
        $Text tag configure section -font HsUIb -spacing1 [$t dp 8] -foreground [$t colour muted]
        $Text tag configure fact -foreground [$t colour text] -lmargin2 [$t dp 10]
        $Text tag configure good -foreground [$t colour text] -lmargin2 [$t dp 10]
        $Text tag configure bad -foreground [$t colour chipBadText] -lmargin2 [$t dp 10]
        $Text tag configure link -foreground [$t colour accent]
        $Text tag configure right -font HsSmall -foreground [$t colour muted]
        $Text tag configure at -background [$t colour selection]
        my Stops
    }
    method forget {} {
        next
        set Subject {}
    }

    # ---- showing ----

    method Mark {} {
        next
        set subject [list [my Of] $By [dict get $Selection metric] [dict get $Selection axis]]
        if {$subject ne $Subject} {
            set Subject $subject
            my ShowNotes [lindex $subject 0]
            my ShowChart [lindex $subject 0]
        }
    }
    method Leads {line} {
        return [expr {([dict exists $line file] && [dict get $line file] >= 0 && [dict get $line line] > 0)
                      || ([dict exists $line scope] && [dict get $line scope] >= 0)}]
    }
    method ShowNotes {subject} {
        set Lines [expr {[my IsTheirs $subject] ? [my TheirNotes [dict get $ById $subject]] : [my Notes $subject]}]
        $Text configure -state normal
        $Text delete 1.0 end
        if {![llength $Lines] && [llength $Rows]} {
            $Text insert end "Choose a row: all that is known of it stands here." right
        }
        set n 0
        foreach line $Lines {
            set kind [dict get $line kind]
            $Text insert end [::heatscope::fmt together [dict get $line text]] [list $kind l$n]
            if {[dict exists $line right]} {
                $Text insert end \t [list $kind l$n]
                # figures and their units stay together
                set right [dict get $line right]
                if {[string length $right] < 40} {
                    set right [string map [list " " \u00a0] $right]
                }
                $Text insert end $right [list $kind l$n [expr {[my Leads $line] ? "link" : "right"}]]
            }
            $Text insert end \n $kind
            incr n
        }
        $Text configure -state disabled
        $Text yview moveto 0
    }
    method ShowChart {subject} {
        if {$Figure eq ""} {
            return
        }
        set ChartFacts [expr {[my IsTheirs $subject] ? "" : [my Chart $subject]}]
        # one value alone says nothing that the text does not
        if {$ChartFacts eq "" || [llength [dict get $ChartFacts values]] < 2} {
            ::heatscope::theme say $Caption ""
            $Figure configure -values {} -labels {}
            grid remove [winfo parent $Figure]
            return
        }
        grid [winfo parent $Figure]
        my FitCaption
        set options {}
        foreach {key initial} {scaling linear mark -1 mean 0 empty ""} {
            lappend options -$key [expr {[dict exists $ChartFacts $key] ? [dict get $ChartFacts $key] : $initial}]
        }
        $Figure configure -values [dict get $ChartFacts values] -labels [dict get $ChartFacts labels] {*}$options
    }
    # The chart's title, as much of it as there is room for.
    method FitCaption {} {
        if {$ChartFacts eq ""} {
            return
        }
        set room [expr {[winfo width [winfo parent $Caption]] - [::heatscope::theme dp 2]}]
        set title [dict get $ChartFacts title]
        ::heatscope::theme say $Caption [expr {$room > 20 ? [::heatscope::fmt fit [::heatscope::fmt clauses $title $room {::heatscope::theme width HsSmall}] \
            $room {::heatscope::theme width HsSmall}] : ""}]
    }
    method OnFigure {pick} {
        my ChartGo [dict get $pick index]
    }
    method OnFigureHover {hit} {
        if {$ChartFacts eq "" || ![my Hits $hit index]} {
            return
        } elseif {[dict exists $ChartFacts words]} {
            my Read [{*}[dict get $ChartFacts words] [dict get $hit index]]
        } else {
            my Read "[dict get $hit label]: [dict get $hit value]"
        }
    }
    method OnText {x y} {
        focus $List
        foreach tag [$Text tag names @$x,$y] {
            if {[regexp {^l(\d+)$} $tag -> n]} {
                my go $n
            }
        }
    }
    # To the place of a line of the text.
    method go {n} {
        set line [lindex $Lines $n]
        $Text tag remove at 1.0 end
        if {![my Leads $line]} {
            return
        }
        $Text tag add at l$n.first l$n.last
        $Text see l$n.first
        if {[dict exists $line file] && [dict get $line file] >= 0 && [dict get $line line] > 0} {
            $Nav line [my name] [dict get $line file] [dict get $line line]
        } else {
            $Nav scope [my name] [dict get $line scope]
        }
    }
    # The next line of the text that leads somewhere.
    method nextPlace {step} {
        set n [llength $Lines]
        set at [lindex [$Text tag ranges at] 0]
        set from -1
        if {$at ne ""} {
            foreach tag [$Text tag names $at] {
                regexp {^l(\d+)$} $tag -> from
            }
        } elseif {$step < 0} {
            set from $n
        }
        for {set i [expr {$from + $step}]} {$i >= 0 && $i < $n} {incr i $step} {
            if {[my Leads [lindex $Lines $i]]} {
                my go $i
                return
            }
        }
    }
    method describe {} {
        set out [next]
        if {$Figure ne "" && $ChartFacts ne ""} {
            append out "| [dict get $ChartFacts title]\n"
            set i -1
            set shown 0
            foreach value [dict get $ChartFacts values] label [dict get $ChartFacts labels] {
                incr i
                if {$value == 0 || [incr shown] > 200} {
                    continue
                }
                append out "|   [expr {[dict exists $ChartFacts words] ? [{*}[dict get $ChartFacts words] $i] : "$label: $value"}]\n"
            }
        }
        foreach line $Lines {
            append out "| [dict get $line text]"
            # not by expr: it would make a number of a text of digits
            if {[dict exists $line right]} {
                append out "  [dict get $line right]"
            }
            append out \n
        }
        return $out
    }
}
