# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The window: its tool bar, from the selection and back.

oo::define ::heatscope::App {
    method BuildTools {} {
        set t ::heatscope::theme
        set f [ttk::frame $Path.tools -padding [list [$t size pad] [$t dp 8] [$t size pad] [$t dp 8]]]
        ttk::label $f.title -style Title.TLabel -text [::heatscope::fmt elide [$Run shortTitle] 40]
        ttk::button $f.interval -takefocus 0 -command [namespace code {my Set interval {}}]
        ttk::label $f.facts -style Sub.TLabel -text [$Run facts] -width 30
        pack $f.title -side left

        ttk::label $f.key -style Tool.TLabel -text Ctrl+F
        set Search [ttk::entry $f.search -width 28 -font HsUI]
        set SearchNote [ttk::label $f.note -style Tool.TLabel -text ""]
        my Placeholder
        bind $Search <KeyRelease> [namespace code {my Typed %K}]
        bind $Search <Return> [namespace code {my searchStep 1}]
        bind $Search <Shift-Return> [namespace code {my searchStep -1}]
        bind $Search <Escape> "[namespace code {my endSearch}]; break"
        bind $Search <Down> "[namespace code {my searchStep 1}]; break"
        bind $Search <Up> "[namespace code {my searchStep -1}]; break"
        bind $Search <FocusIn> [namespace code {my Placeholder}]
        bind $Search <FocusOut> [namespace code {my Placeholder}]

        lassign [$Run words process] one many
        foreach {name label choices} [list \
                processors Processors [my AxisChoices] colours Colours [my Choices colours] \
                scale Scale [my Choices scale]] {
            my Menu $f $name $label $choices
        }
        my ShowMenu
        set metrics {}
        set i 0
        foreach metric [$Run metrics] {
            lappend metrics [::heatscope::fmt plain $metric] [list metric $i]
            incr i
        }
        my Menu $f metric Metric $metrics
        $f.metric.menu configure -postcommand [namespace code [list my PostCategories $metrics]]
        ttk::frame $f.bin
        foreach bin [::heatscope::settings get words bins] {
            ttk::radiobutton $f.bin.$bin -style Segment.TRadiobutton -text $bin -value $bin \
                -variable [namespace current]::VarBin -command [namespace code [list my Set bin $bin]] -takefocus 0
            pack $f.bin.$bin -side left
        }
        ttk::label $f.binlabel -style Tool.TLabel -text "Bin by"
        my PackTools {}
        bind $f.facts <Configure> [namespace code {my FitFacts %w}]
    }
    # What is shown of two databases can be chosen when there are two.
    method ShowMenu {} {
        set f $Path.tools
        if {![$Comparison any]} {
            $Bus set start show value
            if {[winfo exists $f.show]} {
                destroy $f.show $f.showlabel
            }
        } elseif {![winfo exists $f.show]} {
            my Menu $f show Show [my Choices show]
            ::heatscope::theme say $f.show [my Word [$Bus get show]]
            ::heatscope::theme Menus $f.show
            my PackTools $Dropped
            after idle [namespace code {my TrimTools}]
        }
    }
    # What has no room goes: the job, the threads, the processes, the elapsed time; the number of samples stays.
    method FitFacts {width} {
        set parts [$Run factList]
        foreach drop {{} job threads processes elapsed simulated} {
            dict unset parts $drop
            set text [join [dict values $parts] " \u00b7 "]
            if {[::heatscope::theme width HsUI $text] <= $width} {
                break
            }
            set text [$Run counted]
        }
        # of an interval its own number alone
        if {[::heatscope::theme width HsUI $text] > $width} {
            regsub { of .*$} $text {} text
        }
        # a part of it says nothing
        ::heatscope::theme say $Path.tools.facts [expr {[::heatscope::theme width HsUI $text] > $width ? "" : $text}]
    }
    # They are others now: of an interval.
    method ShowFacts {} {
        if {[winfo exists $Path.tools.facts]} {
            my TrimTools
            my FitFacts [winfo width $Path.tools.facts]
        }
    }
    method Choices {key} {
        set list {}
        set plural [dict get {colours colours scale scales show shows} $key]
        foreach value [::heatscope::settings get words $plural] {
            lappend list [my Word $value] [list $key $value]
        }
        return $list
    }
    method Word {value} {
        return [dict get {value "this run" difference difference ratio ratio log log linear linear inferno Inferno viridis Viridis cividis Cividis classic
            "Classic (blue-green-red)"} $value]
    }
    method AxisChoices {} {
        lassign [$Run words process] one many
        return [list "$many (threads added up)" {axis process} "threads" {axis thread} \
            "cells as the width allows" {group auto} "a cell for each host" {group host} "4 in a cell" {group 4} \
            "16 in a cell" {group 16} "64 in a cell" {group 64} "256 in a cell" {group 256} \
            "sorted by number" {sort number} "sorted by load" {sort load} "all, no selection" {processors {}}]
    }
    method Menu {f name label choices} {
        set t ::heatscope::theme
        ttk::label $f.${name}label -style Tool.TLabel -text $label
        ttk::menubutton $f.$name -menu $f.$name.menu -takefocus 0
        menu $f.$name.menu -postcommand [namespace code [list my MarkMenu $f.$name.menu $choices]]
        foreach {text setting} $choices {
            $t menuEntry $f.$name.menu $text -command [namespace code [list my Set {*}$setting]]
        }
    }
    # What holds stands out in an open menu.
    method MarkMenu {menu choices} {
        set now [$Bus get]
        ::heatscope::theme menuMark $menu [lmap {text setting} $choices {
            lassign $setting key value
            expr {[dict exists $now $key] && [dict get $now $key] eq $value}
        }]
    }
    # From the right to the left: widget, space on its left and right. The facts take what is left.
    method ToolOrder {} {
        set order {key 6 0 search 0 0 note 6 6}
        foreach name {processors colours scale show metric bin} {
            if {[winfo exists $Path.tools.$name]} {
                lappend order $name 8 12 ${name}label 0 0
            }
        }
        return $order
    }
    # Packs all but some.
    method PackTools {without} {
        set f $Path.tools
        set t ::heatscope::theme
        foreach {name left right} [my ToolOrder] {
            pack forget $f.$name
        }
        pack forget $f.facts
        foreach {name left right} [my ToolOrder] {
            if {$name ni $without} {
                pack $f.$name -side right -padx [list [$t dp $left] [$t dp $right]]
            }
        }
        pack $f.facts -side left -padx [list [$t dp 14] [$t dp 14]] -fill x -expand 1
        set Dropped $without
    }
    # Below the metrics: kinds of time that are shown alone. They are read when the menu is opened for the first time.
    method PostCategories {metrics} {
        set t ::heatscope::theme
        set menu $Path.tools.metric.menu
        set choices [concat $metrics [list "" {}] {*}[lmap k [$Run sampledCategories] {list "only [$Run categoryName $k]" [list category $k]}] \
            {{all categories} {category -1} {} {} {lines by themselves} {lines own} {lines with what they call} {lines calls}}]
        if {[$menu index end] < [llength [$Run metrics]]} {
            set heads {"Categories of CPU time" "Time of lines"}
            foreach {words setting} [lrange $choices [llength $metrics] end] {
                if {$words eq ""} {
                    set heads [lassign $heads head]
                    $t menuHead $menu $head
                } else {
                    $t menuEntry $menu $words -command [namespace code [list my Set {*}$setting]]
                }
            }
        }
        my MarkMenu $menu $choices
    }
    method Set {key value} {
        if {$key eq "axis"} {
            $Nav axis tools $value
        } elseif {$key eq "category"} {
            my category $value
        } elseif {$key eq "interval"} {
            $Bus set tools interval $value
        } else {
            $Bus adjust tools $key $value
        }
    }

    # Tool bar from the selection.
    method Reflect {s} {
        set f $Path.tools
        set VarBin [dict get $s bin]
        ::heatscope::theme say $f.scale [my Word [dict get $s scale]]
        ::heatscope::theme say $f.colours [lindex [split [my Word [dict get $s colours]] " "] 0]
        if {[winfo exists $f.show]} {
            ::heatscope::theme say $f.show [my Word [dict get $s show]]
        }
        set only [dict get $s category]
        set text [lindex [$Run metrics] [dict get $s metric]]
        if {$only >= 0 && ![$Run exact [dict get $s metric]]} {
            append text ", [$Run categoryName $only]"
        } elseif {[dict get $s lines] eq "calls" && ![$Run exact [dict get $s metric]]} {
            append text ", with calls"
        }
        ::heatscope::theme say $f.metric [::heatscope::fmt elide $text 30]
        lassign [$Run words [dict get $s axis]] one many
        set n [$Run columns [dict get $s axis]]
        if {[dict get $s processors] ne ""} {
            lassign [dict get $s processors] a b
            set text "$many [$Run columnLabel [dict get $s axis] $a]\u2013[$Run columnLabel [dict get $s axis] $b]"
        } else {
            set text "[expr {$n == 1 ? {} : {all }}][::heatscope::fmt plural $n $one $many]"
        }
        if {[dict get $s group] ne "auto"} {
            append text ", [expr {[dict get $s group] eq "host" ? "by host" : "[dict get $s group] a cell"}]"
        }
        if {[dict get $s sort] eq "load"} {
            append text ", by load"
        }
        ::heatscope::theme say $f.processors $text
        my ReflectInterval $s
    }
    method ReflectInterval {s} {
        set b $Path.tools.interval
        set interval [dict get $s interval]
        if {$interval eq ""} {
            pack forget $b
            return
        }
        set text "[join [lmap time $interval {::heatscope::fmt seconds $time}] " \u2013 "]"
        if {![$Run byTime [dict get $s metric]]} {
            append text " (this metric: whole run)"
        }
        ::heatscope::theme say $b "$text  \u2715"
        pack $b -side left -after $Path.tools.title -padx [list [::heatscope::theme dp 14] 0]
    }
    # What does not fit the tool bar goes: labels, then facts; the number of samples stays before the labels of menus that say what they are.
    method TrimTools {} {
        set f $Path.tools
        if {![winfo exists $f]} {
            return
        }
        set t ::heatscope::theme
        # words of the title, the longest first
        set titles [lmap n {40 24 14} {::heatscope::fmt elide [$Run shortTitle] $n}]
        set title [$t width HsTitle [lindex $titles 0]]
        set room [expr {[winfo width $Path.main] - 2 * [$t size pad] - $title - [$t dp 28]}]
        if {[winfo manager $f.interval] ne ""} {
            set room [expr {$room - [winfo reqwidth $f.interval] - [$t dp 14]}]
        }
        set facts [expr {min([$t width HsUI [$Run facts]], [$t dp 360])}]
        foreach {name left right} [my ToolOrder] {
            # the note is there from time to time
            set width [expr {$name eq "note" && [$f.note cget -text] eq "" ? 0 : [winfo reqwidth $f.$name]}]
            set room [expr {$room - $width - [$t dp [expr {$left + $right}]]}]
            dict set gain $name [expr {[winfo reqwidth $f.$name] + [$t dp [expr {$left + $right}]]}]
        }
        # as with the wide search box
        set room [expr {$room - (28 - [$Search cget -width]) * [$t width HsUI 0]}]
        set without {}
        set narrow 28
        foreach drop {key search colourslabel scalelabel metriclabel processorslabel binlabel showlabel} {
            if {$room >= $facts} {
                break
            }
            if {$drop eq "search"} {
                set room [expr {$room + 8 * [$t width HsUI 0]}]
                set narrow 20
            } elseif {[dict exists $gain $drop]} {
                set room [expr {$room + [dict get $gain $drop]}]
                lappend without $drop
            }
        }
        # then the title gives way, as far as the number of samples needs it
        set counted [expr {[$t width HsUI [$Run counted]] + [$t dp 8]}]
        foreach words $titles {
            set short $words
            if {$room + $title - [$t width HsTitle $words] >= $counted} {
                break
            }
        }
        if {[$f.title cget -text] ne $short} {
            $t say $f.title $short
        }
        # last the menus that have a key: nothing is cut off
        set room [expr {$room + $title - [$t width HsTitle $short]}]
        foreach drop {colours scale bin} {
            if {$room >= 0} {
                break
            }
            set room [expr {$room + [dict get $gain $drop]}]
            lappend without $drop
        }
        if {$without ne $Dropped} {
            my PackTools $without
        }
        if {[$Search cget -width] != $narrow} {
            $Search configure -width $narrow
        }
    }
}
