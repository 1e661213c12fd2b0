# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Search in everything that has a name: procedures, files, lines, remarks, calls of message passing, arrays, processors and machines.

oo::class create ::heatscope::Search {
    variable Run Db Nav Messages Arrays Hosts HostsTo Ready

    constructor {run nav} {
        set Run $run
        set Db [$run db]
        set Nav $nav
        set Messages [::heatscope::Messages new $run]
        set Arrays [::heatscope::Arrays new $run]
        set Hosts {}
        set HostsTo 0
        set Ready 0
    }
    destructor {
        $Messages destroy
        $Arrays destroy
    }
    # The values are of another interval now.
    method forget {} {
        $Messages forget
        $Arrays forget
        set Ready 0
    }

    # {hits LIST share S words TEXT}: procedures, files and remarks as Navigator finds them, then the others, dicts {kind name file line
    # scope column share ...}; share: of the procedures, or files, sum: in words, "" where it is nothing; words: number and sum by kind.
    method find {text metric axis} {
        set text [string trim $text]
        if {$text eq ""} {
            return {hits {} share 0 sum {} words {}}
        }
        set found [$Nav find $text]
        set hits [dict get $found hits]
        # FILE:LINE is a place, nothing else has such a name
        if {![regexp {:\d+$} $text]} {
            lassign [my Parted $hits] hits libraries remarks without ours
            lappend hits {*}[my Calls $text] {*}[my ArrayHits $text $metric] {*}[my Processors $text $metric $axis] {*}$libraries {*}$remarks {*}$without {*}$ours
        }
        set share [dict get $found share]
        # of procedures what they took themselves: those that are called, and found too, are counted once
        set sum [expr {$share >= 0.0005 ? "[::heatscope::fmt percent $share 1][expr {[dict get $found of] eq "procedure" ? " own" : ""}]" : ""}]
        return [dict create hits $hits share $share sum $sum words [my Words $hits $metric]]
    }
    # Five lists of hits: what has time in the program's own code, in libraries, remarks, what has no time, and procedures of Heatscope's own libraries, which
    # nobody looks for.
    method Parted {hits} {
        set parts {{} {} {} {} {}}
        foreach hit $hits {
            set part [my Part $hit]
            lset parts $part [list {*}[lindex $parts $part] $hit]
        }
        return $parts
    }
    method Part {hit} {
        lassign [list [dict get $hit kind] [dict get $hit scope] [dict get $hit file]] kind scope file
        set module [expr {$kind eq "procedure" && $scope >= 0 ? [dict get [$Db scope $scope] module] : $file >= 0 ? [dict get [$Db file $file] module] : -1}]
        set facts [expr {$module >= 0 ? [$Db module $module] : {own 0 heatscope 0}}]
        if {[dict get $facts heatscope]} {
            return 4
        }
        return [expr {[dict get $hit share] <= 0 ? 3 : $kind eq "remark" ? 2 : ![dict get $facts own]}]
    }
    method Holds {text name} { return [expr {[string first [string tolower $text] [string tolower $name]] >= 0}] }
    method Calls {text} {
        if {![$Messages any]} {
            return {}
        }
        set out {}
        foreach g [$Messages groups call] {
            if {[my Holds $text "[dict get $g name] [dict get $g where]"]} {
                lappend out [dict create kind call name "[dict get $g name] [dict get $g where]" file [dict get $g file] line [dict get $g line] \
                    scope [dict get $g scope] column -1 share [dict get $g share] amount [dict get $g duration_s]]
            }
        }
        return $out
    }
    # An array stands where it is declared, else where it is used most.
    method ArrayHits {text metric} {
        set out {}
        foreach a [$Arrays rows $metric] {
            if {[dict get $a array] < 0 || ![my Holds $text [dict get $a whole]]} {
                continue
            }
            lassign [list [dict get $a file] [dict get $a line]] file line
            if {$file < 0 || $line <= 0} {
                set most -1
                foreach u [$Arrays uses [dict get $a array] $metric] {
                    if {[dict get $u file] >= 0 && [dict get $u line] > 0 && [dict get $u value] > $most} {
                        lassign [list [dict get $u file] [dict get $u line] [dict get $u value]] file line most
                    }
                }
            }
            lappend out [dict create kind array name [dict get $a name] file $file line $line scope -1 column -1 share [dict get $a share] \
                amount [dict get $a cost]]
        }
        return $out
    }
    # A processor by its name (r3, r3.1, t5, "rank 3"), a machine by a part of its name: its first processor.
    method Processors {text metric axis} {
        set out {}
        set one [lindex [$Run words $axis] 0]
        set at [lsearch -exact -nocase [$Run labels $axis] $text]
        if {$at < 0 && [regexp -nocase "^$one\\s+(\\S+)$" $text -> number]} {
            set at [lsearch -exact -nocase [$Run labels $axis] [string index $one 0]$number]
        }
        if {$at >= 0} {
            set total [$Run total $metric]
            set own [lindex [$Db block -table scope_incl -rows {0 1} -columns [list $at 1] -metric $metric -axis $axis] 0 0]
            lappend out [my Processor processor "$one [lindex [$Run labels $axis] $at]" $at $axis [expr {$total > 0 ? double($own) / $total : 0}]]
        }
        foreach {host first} [my HostNames] {
            if {[my Holds $text $host]} {
                lappend out [my Processor machine $host [expr {$axis eq "process" ? $first : [$Run translate $first process thread]}] $axis]
            }
        }
        return $out
    }
    method Processor {kind name column axis {share 0}} {
        return [dict create kind $kind name $name file -1 line 0 scope -1 column $column axis $axis share $share amount 0]
    }
    # Flat list of machines and the first process on each.
    method HostNames {} {
        while {[my MoreHosts]} {}
        return $Hosts
    }
    # Some processes more; 0: they were the last.
    method MoreHosts {} {
        set n [$Run columns process]
        for {set to [expr {min($n, $HostsTo + 500)}]} {$HostsTo < $to} {incr HostsTo} {
            set host [::heatscope::fmt plain [dict get [$Db process $HostsTo] host]]
            if {$host ne "" && ![dict exists $Hosts $host]} {
                dict set Hosts $host $HostsTo
            }
        }
        return [expr {$HostsTo < $n}]
    }
    # Reads what the first search would, a piece a call; 0: that was all. A file's name finds something wherever there are files.
    method ready {metric axis} {
        set kind [lindex {procedure file remark} $Ready]
        if {$kind eq ""} {
            return [my MoreHosts]
        }
        incr Ready
        catch {$Run labels $axis}
        catch {$Db find [dict get [$Db file 0] path] -n 1 -metric $metric -kinds $kind}
        return 1
    }
    # "2 procedures, 12.4 % own · 3 calls of message passing, 1.20 s · 1 array, 3.0 %"
    method Words {hits metric} {
        set sums {}
        set amounts {}
        foreach hit $hits {
            set kind [dict get $hit kind]
            dict incr sums $kind
            set before [expr {[dict exists $amounts $kind] ? [dict get $amounts $kind] : 0}]
            dict set amounts $kind [expr {$before + ($kind eq "call" ? [dict get $hit amount] : [dict get $hit share])}]
        }
        set parts {}
        foreach {kind one many} {procedure procedure procedures file file files source line lines remark remark remarks
            call "call of message passing" "calls of message passing" array array arrays processor processor processors machine machine machines} {
            if {![dict exists $sums $kind]} continue
            set words [::heatscope::fmt plural [dict get $sums $kind] $one $many]
            switch -- $kind {
                procedure - file - source - array - processor {
                    append words ", [::heatscope::fmt percent [expr {min(1.0, [dict get $amounts $kind])}] 1][expr {$kind eq "procedure" ? " own" : ""}]"
                }
                call { append words ", [::heatscope::fmt seconds [dict get $amounts $kind]]" }
            }
            lappend parts $words
        }
        return [join $parts " \u00b7 "]
    }
}
