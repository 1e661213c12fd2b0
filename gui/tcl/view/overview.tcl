# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The whole program on one screen: strips of lines by processors, with what is selected framed.

oo::class create ::heatscope::OverviewView {
    superclass ::heatscope::View
    variable Path Bus Run Nav Db App Selection Map None

    method Keys {} { return {} }
    method name {} { return overview }
    method title {} { return Overview }
    method focusWidget {} { return $Map }

    method Build {body} {
        set pad [::heatscope::theme dp 10]
        set Map [my Widget overview $body.map -font HsSmall -monofont HsMono -takefocus 1 -legend 1 -labels 1]
        pack $Map -fill both -expand 1 -padx $pad -pady [list [::heatscope::theme dp 8] [::heatscope::theme dp 8]]
        # instead of an empty surface
        set None ""
        if {[$Run info lines] == 0} {
            set None "No lines: [expr {[$Run info samples] == 0 ? "no samples were taken" : "nothing is known of the code that ran"}]."
            ttk::label $body.none -style Card.Sub.TLabel -anchor n -padding $pad -text $None
            place $body.none -x 0 -y 0 -relwidth 1 -relheight 1
            bind $body.none <Configure> {%W configure -wraplength [expr {max(40, %w - 20)}]}
        }
        bind $Map <<OverviewPick>> [namespace code {my OnPick %d}]
        bind $Map <<OverviewOpen>> [namespace code {my OnOpen %d}]
        bind $Map <<OverviewSelect>> [namespace code {my OnSelect %d}]
        bind $Map <<OverviewMove>> [namespace code {my OnMove %d}]
        bind $Map <<HeatscopeHover>> [namespace code {my OnHover %d}]
        bind $Map <Configure> +[list after idle [namespace code {my Facts}]]
    }

    method Show {changed} {
        set s $Selection
        set options {}
        if {[my Any $changed metric axis bin colours scale skip processors sort show group lines]} {
            lappend options {*}[my Common] {*}[my Against] -table [my LineTable] -reduce [dict get $s bin] -colours [dict get $s colours] \
                -scaling [dict get $s scale] -skip [dict get $s skip] -columns [my Processors] -sort [dict get $s sort]
        }
        if {[my Any $changed procedure]} {
            lappend options -procedure [dict get $s procedure]
        }
        if {[my Any $changed outlineAll ranking metric axis]} {
            lappend options -outlines [expr {[dict get $s outlineAll] ? "all" : "none"}]
        }
        if {[my Any $changed file range line]} {
            set file [dict get $s file]
            set range [dict get $s range]
            lappend options -detail [expr {$file >= 0 && $range ne "" ? [list $file {*}$range] : {}}]
            lappend options -line [expr {$file >= 0 && [dict get $s line] > 0 ? [list $file [dict get $s line]] : {}}]
        }
        if {[my Any $changed search]} {
            lappend options -hits [$App hitLines]
        }
        if {[llength $options]} {
            $Map configure {*}$options
        }
        if {[my Any $changed skip]} {
            after idle [namespace code {my Facts}]
        }
    }

    method Facts {} {
        # before it has its place there is nothing to say: asking would read all for a size that it never has
        if {![winfo exists $Map] || [winfo width $Map] <= 1 || [catch {$Map layout} layout] || $layout eq ""} {
            return
        }
        set text [::heatscope::fmt plural [dict get $layout lines] line]
        set dense [dict get $layout lines_per_row]
        if {$dense > 1} {
            append text " \u00b7 [expr {$dense < 10 ? [string trimright [string trimright [format %.1f $dense] 0] .] :
                [format %.0f $dense]}] lines a row"
        }
        my subtitle $text
    }

    method OnPick {hit} {
        if {![dict exists $hit file] || [dict get $hit file] < 0} {
            return
        }
        $Nav line overview [dict get $hit file] [my Hottest $hit] \
            [expr {[dict exists $hit column] ? [dict get $hit column] : -2}]
    }
    # Of the lines in one picture row the one that has the most samples.
    method Hottest {hit} {
        set line [dict get $hit line]
        set last [dict get $hit last_line]
        if {$last <= $line} {
            return $line
        }
        set file [dict get $hit file]
        # lines with code follow each other in the table
        set lines [$Db lines $file $line [expr {min($last, $line + 4000)}]]
        if {![llength $lines]} {
            return $line
        }
        set first [$Db findline $file [lindex $lines 0]]
        set best -1
        foreach n $lines sum [$Db sums -table [my LineTable] -rows [list $first [llength $lines]] {*}[my Common]] {
            if {$sum > $best} {
                set best $sum
                set line $n
            }
        }
        return $line
    }
    method OnOpen {hit} {
        if {[dict exists $hit procedure] && [dict get $hit procedure] >= 0} {
            $Nav procedure overview [dict get $hit procedure]
        }
    }
    method OnSelect {drag} {
        set file [dict get $drag file]
        set first [dict get $drag first]
        set last [dict get $drag last]
        set a [dict get $drag column_first]
        set b [dict get $drag column_last]
        set range {}
        if {$a > 0 || $b < [$Run columns [dict get $Selection axis]] - 1} {
            set range [list $a $b]
        }
        $Nav line overview $file $first -2 processors $range range [list $first $last]
    }
    method OnMove {step} {
        set file [dict get $Selection file]
        if {$file < 0} {
            return
        }
        set to [$Map nearest $file [expr {max(1, [dict get $Selection line])}] [dict get $step rows] [dict get $step columns]]
        if {$to ne ""} {
            $Nav line overview [dict get $to file] [dict get $to line]
        }
    }
    method OnHover {hit} {
        if {![my Hits $hit file]} return
        set text "[::heatscope::fmt plain [dict get [$Db file [dict get $hit file]] name]]:[dict get $hit line]"
        if {[dict get $hit last_line] > [dict get $hit line]} {
            append text \u2013[dict get $hit last_line]
        }
        if {[dict get $hit procedure] >= 0} {
            append text " \u00b7 [$Run scopeName [dict get $hit procedure]]"
        }
        if {[dict get $hit value] ne ""} {
            append text " \u00b7 [dict get $Selection bin] [my Told [dict get $hit value]]"
            if {[dict get $hit column] >= 0} {
                append text " on [my Label [dict get $hit column]]"
            }
        }
        my Read $text
    }
    # What the picture shows: its rows from top to bottom, strip by strip, and a column for each of its columns.
    method table {} {
        lassign [$Map cells] columns rows
        set head {file line last_file last_line procedure}
        foreach {first last} $columns {
            set from [my Label $first]
            lappend head [expr {$first == $last ? $from : "$from..[my Label $last]"}]
        }
        set out [list $head]
        foreach row $rows {
            set values [lassign $row file line lastFile lastLine procedure]
            lappend out [list [my FileName $file] $line [my FileName $lastFile] $lastLine [expr {$procedure >= 0 ? [dict get [$Db scope $procedure] name] : ""}] {*}$values]
        }
        return $out
    }
    method FileName {file} { return [expr {$file >= 0 ? [dict get [$Db file $file] name] : ""}] }
    method describe {} {
        return "[$Map describe][expr {$None ne "" ? "$None\n" : ""}]"
    }
}
