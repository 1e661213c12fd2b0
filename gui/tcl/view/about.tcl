# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# About the run: notes of the runtime, where all samples went, processes, programs and libraries.

oo::class create ::heatscope::AboutView {
    superclass ::heatscope::NotesView
    variable Path Bus Run Nav Db App Selection Rows ById List Chosen By Model SortColumn SortOrder

    method name {} { return about }
    method title {} { return "About the run" }
    method Groups {} { return {ledger "Where samples went" note "Notes of the runtime" process Processes thread Threads module "Programs and libraries"} }
    method GroupTitle {words} { return "Run: [string tolower $words 0 0]" }

    method Build {body} {
        set Model [::heatscope::About new $Run]
        my SplitNotes $body 0 -width [::heatscope::theme dp 640]
    }
    destructor {
        $Model destroy
        next
    }
    method forget {} {
        $Model forget
        next
    }
    method group {{key {}}} {
        if {$key ne $By && [dict exists [my Groups] $key]} {
            lassign [dict get {ledger {name increasing} note {first increasing} process {name increasing} thread {cpu decreasing} module {share decreasing}} $key] \
                SortColumn SortOrder
        }
        return [next $key]
    }
    constructor {path context} {
        next $path $context
        # the ledger's own order
        set SortOrder increasing
    }
    method FirstSort {} { return name }
    method Reads {} { return {interval category} }
    method Marks {} { return {column procedure} }
    method Columns {} {
        lassign [$Run words process] one
        return [switch -- $By {
            note {
                list {name "What was said" name 0 left name} [list who [string totitle $one] text 12 left who] \
                    {first First text 8 right first_s} {last Last text 8 right last_s} {times Times count 5 {} times}
            }
            ledger {
                list {name "What became of them" name 0 left order} {of "Part of" text 12 left of} {bar "" bar 6 {} share} \
                    [list share Share text [$Model shareWidth $Rows] right share] \
                    [list samples [string totitle [$Run countWord]]s text 11 right samples] {seconds Time text 9 right seconds}
            }
            process {
                list [list name [string totitle $one] name 0 left process] {end Ended text 10 left end} {seconds Elapsed text 9 right seconds} \
                    {cpu "CPU time" text 9 right cpu_s} [list samples [string totitle [$Run countWord]]s count 8 {} samples] \
                    {lost Lost count 6 {} lost}
            }
            thread {
                list {name Thread name 0 left column} {cpu "CPU time" text 8 right cpu_s} {user User text 8 right user} \
                    {system System text 8 right system} {line "In line" text 8 right runnable} {faults Faults text 8 right faults} \
                    {switches Switches text 8 right switches} {seconds Elapsed text 8 right seconds}
            }
            module {
                list {name Module name 0 left name} {known "Known by" text 17 left known} {note Why text 22 left note} {bar "" bar 5 {} share} \
                    {share Share percent 6 {} share}
            }
        }]
    }
    method Drop {} { return {note bar of last times lost end seconds switches} }
    method Load {} {
        $List configure -empty [expr {$By eq "note" ? "the runtime had nothing to say" : ""}]
        return [$Model rows $By]
    }
    method Compared {} { return [dict get {ledger {seconds 1 s} process {cpu_s 1 s} thread {cpu_s 1 s} note {} module {}} $By] }
    method OtherRows {model} { return [$model rows $By] }
    method Same {} { return [expr {$By eq "ledger" ? "name of" : "name"}] }
    method Cells {row} {
        set name [list [dict get $row name] [dict get $row where]]
        return [switch -- $By {
            note {
                list $name [dict get $row who] [::heatscope::fmt seconds [dict get $row first_s]] \
                    [expr {[dict get $row times] > 1 ? [::heatscope::fmt seconds [dict get $row last_s]] : ""}] [dict get $row times]
            }
            ledger {
                set share [dict get $row share]
                list $name [dict get $row of] [expr {$share eq "" ? 0 : $share}] \
                    [expr {$share eq "" ? "" : [::heatscope::fmt percent $share 1]}] \
                    [expr {[dict get $row samples] ? [::heatscope::fmt grouped [dict get $row samples]] : ""}] \
                    [expr {abs([dict get $row seconds]) > 0 ? [::heatscope::fmt seconds [dict get $row seconds]] : ""}]
            }
            process {
                list $name [::heatscope::fmt plain [dict get $row end]] [::heatscope::fmt seconds [dict get $row seconds]] \
                    [::heatscope::fmt seconds [dict get $row cpu_s]] [dict get $row samples] [dict get $row lost]
            }
            thread {
                list $name {*}[lmap key {cpu_s user system runnable} {expr {[dict get $row $key] eq "" ? "\u2013" : [::heatscope::fmt seconds [dict get $row $key]]}}] \
                    {*}[lmap key {faults switches} {expr {[dict get $row $key] eq "" ? "\u2013" : [::heatscope::fmt grouped [dict get $row $key]]}}] \
                    [::heatscope::fmt seconds [dict get $row seconds]]
            }
            module { list $name [dict get $row known] [dict get $row note] [dict get $row share] [dict get $row share] }
        }]
    }
    method Beside {} {
        return [expr {[dict get $Selection interval] ne "" && $By ne "module" ? "of the whole run" : [$Run facts]}]
    }
    method Current {} {
        set found [switch -- $By {
            process { my RowWith {my AtColumn} }
            thread { expr {[dict get $Selection axis] eq "thread" && [dict exists $ById [dict get $Selection column]] ? [dict get $Selection column] : ""} }
        }]
        return [expr {$found ne "" ? $found : [my Kept]}]
    }
    method Notes {id} {
        return [$Model notes $By [expr {[dict exists $ById $id] ? [dict get $ById $id] : ""}]]
    }
    method NotesBy {model row metric} { return [$model notes $By $row] }
    method Go {row} {
        if {$By eq "process" && [dict get $Selection axis] eq "process"} {
            $Nav column about [dict get $row process]
        } elseif {$By eq "thread" && [dict get $Selection axis] eq "thread"} {
            $Nav column about [dict get $row column]
        } elseif {$By eq "module" && [dict get $row scope] >= 0} {
            $Nav scope about [dict get $row scope]
        }
        my Mark
    }
    method Words {row} {
        return [switch -- $By {
            note {
                string cat "[dict get $row who]: [dict get $row name], [dict get $row times]\u00d7, first at " \
                    [::heatscope::fmt seconds [dict get $row first_s]]
            }
            ledger {
                string cat "[dict get $row name]: " \
                    [expr {[dict get $row samples] ? "[::heatscope::fmt plural [dict get $row samples] [$Run countWord]], " : ""}] \
                    [::heatscope::fmt seconds [dict get $row seconds]] \
                    [expr {[dict get $row share] ne "" ? ", [::heatscope::fmt percent [dict get $row share] 1] of [dict get $row of]" : ""}] \
                    "; [dict get $row where]"
            }
            process {
                string cat "[dict get $row name] [dict get $row where]: [::heatscope::fmt plain [dict get $row executable]]," \
                    " [::heatscope::fmt seconds [dict get $row cpu_s]] CPU time in [::heatscope::fmt seconds [dict get $row seconds]]," \
                    " ended by [::heatscope::fmt plain [dict get $row end]]"
            }
            thread {
                set words [$Model usageWords $row]
                string cat "[dict get $row name] [dict get $row where]: [::heatscope::fmt seconds [dict get $row cpu_s]] CPU time in" \
                    " [::heatscope::fmt seconds [dict get $row seconds]]" [expr {[llength $words] ? "; [join $words {; }]" : ""}]
            }
            module {
                string cat "[::heatscope::fmt plain [dict get $row path]]: [::heatscope::fmt percent [dict get $row share] 1] of" \
                    " [$Run whole 0], known by [dict get $row known]" [expr {[dict get $row note] ne "" ? " ([dict get $row note])" : ""}]
            }
        }]
    }
    method Exported {} {
        return [switch -- $By {
            note { list text name kind kind who who times times first_s first_s last_s last_s }
            ledger { list name name meaning where of of [$Run countWord]s samples seconds seconds share share }
            process { list name name host host pid pid executable executable mechanism mechanism end end begin_s begin_s end_s end_s cpu_s cpu_s [$Run countWord]s samples lost lost }
            thread {
                list name name process process tid tid cpu_s cpu_s user_s user system_s system ready_without_processor_s runnable minor_faults minor_faults \
                    major_faults major_faults voluntary_switches voluntary_switches involuntary_switches involuntary_switches elapsed_s seconds
            }
            module { list path path build_id build_id known known why note share share }
        }]
    }
}
