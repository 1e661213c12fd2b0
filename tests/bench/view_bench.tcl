# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Latency of the viewer from a command to all drawn, p50 and p95 by kind of action, elapsed and in CPU time of viewer and reader (which a busy
# machine changes less); CPU time of the start, intervals, memory; longest time without looking for events.
# usage: tclsh view_bench.tcl HEATSCOPE DB [N [PART ...]]   (a display, or Xvfb, which the viewer starts)
#   DB: a database, or two in one word, "A B", which are compared
#   N: actions of a kind, default 20. PARTs, default all, in this order:
#   moves     each pane for the first time, keys, wheel, pointer, frames a second
#   intervals 6 N random intervals with the timeline in front: until sums are drawn, until all is
#   compiler  N of them with the compiler's pane in front
#   panes     2.5 N of them, and in each all panes one after the other: memory
#   search    N searches
# A large DB: heatscope-simulate -o DB --lines=1000000 --threads=10000 --processes=2500 --samples=4000 --times
set parts [lassign $argv heatscope db n]
set n [expr {$n eq "" ? 20 : $n}]
set allParts {moves intervals compiler panes search}
if {[llength $db] ni {1 2} || 0 in [lmap one $db {file exists $one}] || ![string is digit -strict $n] || [lmap part $parts {if {$part in $allParts} continue; set part}] ne ""} {
    puts stderr "usage: tclsh view_bench.tcl HEATSCOPE DB \[N \[PART ...\]\], PART one of [join $allParts {, }]"
    exit 2
}
set parts [expr {[llength $parts] ? $parts : $allParts}]
set ::env(HEATSCOPE_BEAT) 1
set begin [clock milliseconds]
set channel [open "|[list $heatscope view --script - --size=1500x900 {*}$db] 2>@stderr" r+]
fconfigure $channel -buffering line -encoding utf-8

proc ask {args} {
    puts $::channel $args
    set answer {}
    while {[gets $::channel line] >= 0} {
        if {$line eq "ok"} {
            return [join $answer \n]
        }
        if {[string match "error *" $line]} {
            error $line
        }
        lappend answer $line
    }
    error "the window has gone"
}
proc quantile {list share} {
    return [lindex [lsort -real $list] [expr {min([llength $list] - 1, int([llength $list] * $share))}]]
}
proc report {what times cpus} {
    puts [format "%-34s p50 %8.1f  p95 %8.1f  worst %8.1f ms, CPU p50 %6.1f  p95 %6.1f" $what [quantile $times 0.5] [quantile $times 0.95] \
        [quantile $times 1] [quantile $cpus 0.5] [quantile $cpus 0.95]]
}
proc measure {what script} {
    set times {}
    set cpus {}
    for {set i 0} {$i < $::n} {incr i} {
        set ::i $i
        set before [cpu]
        set t [clock microseconds]
        uplevel #0 $script
        ask settle
        lappend times [expr {([clock microseconds] - $t) / 1e3}]
        lappend cpus [expr {[cpu] - $before}]
    }
    report $what $times $cpus
}
# CPU time of the viewer and its reader so far, in ms.
proc children {pid} {
    set out {}
    foreach child [split [string trim [exec sh -c "pgrep -P $pid || true"]] \n] {
        lappend out $child {*}[children $child]
    }
    return $out
}
# Viewer and reader; looked for once, they stay.
proc ours {} {
    if {![info exists ::ours]} {
        set ::ours {}
        foreach pid [list [pid $::channel] {*}[children [pid $::channel]]] {
            if {![catch {exec cat /proc/$pid/comm} name] && [regexp {tclsh|wish} $name]} {
                lappend ::ours $pid
            }
        }
    }
    return $::ours
}
proc cpu {} {
    set sum 0
    foreach pid [ours] {
        set f [open /proc/$pid/schedstat]
        set sum [expr {$sum + [lindex [gets $f] 0] / 1e6}]
        close $f
    }
    return $sum
}
# kB of files' pages that are in memory, those in the same place of viewer and reader once.
proc filePages {} {
    set kb [dict create]
    foreach pid [ours] {
        set place ""
        foreach line [split [exec cat /proc/$pid/smaps] \n] {
            if {[regexp {^[0-9a-f]+-[0-9a-f]+ \S+ ([0-9a-f]+) ([0-9a-f]+:[0-9a-f]+) (\d+)} $line -> offset device inode]} {
                set place [list $device $inode $offset]
            } elseif {[regexp {^(Rss|Anonymous):\s+(\d+)} $line -> what size] && [lindex $place 1] > 0} {
                set $what $size
                if {$what eq "Anonymous"} {
                    dict set kb $place [expr {max($Rss - $size, [dict exists $kb $place] ? [dict get $kb $place] : 0)}]
                }
            }
        }
    }
    return [expr [join [dict values $kb] +]]
}
# {NOW MOST RESIDENT MOST} in MB, viewer and reader together: of its own (neither of files nor shared), then all that is resident,
# what both have of one file, and the memory that they share, once.
proc memory {} {
    lassign {0 0 0} now most shared
    foreach pid [ours] {
        set text [exec cat /proc/$pid/status]
        foreach key {VmHWM VmRSS RssAnon RssFile RssShmem} {
            regexp "$key:\\s+(\\d+)" $text -> $key
        }
        incr now $RssAnon
        incr most [expr {max($RssAnon, $VmHWM - $RssFile - $RssShmem)}]
        # the reader's is the place where it puts what it unpacked, which the viewer has, too
        set shared [expr {max($shared, $RssShmem)}]
    }
    set shared [expr {$shared + [filePages]}]
    return [lmap kb [list $now $most [expr {$now + $shared}] [expr {$most + $shared}]] {expr {$kb / 1024}}]
}
proc tellMemory {when} {
    puts [format "memory $when, viewer and reader: of their own %d MB, at most %d; resident %d, at most %d" {*}[memory]]
}
# A random interval of a tenth of the run at least: {FROM TO}.
proc someInterval {} {
    if {![info exists ::end]} {
        regexp {0 s to ([\d.]+) s} [ask describe timeline] -> ::end
        ask settle
    }
    set from [expr {0.9 * $::end * rand()}]
    return [list $from [expr {$from + $::end * 0.1 + rand() * (0.9 * $::end - $from)}]]
}
# `count` of them: until sums are drawn, until all is, the longest time without looking for events; after each {*}$then I.
proc intervals {what count {then {}}} {
    set cpus {}
    foreach key {first all blocked} {
        set $key {}
    }
    for {set i 0} {$i < $count} {incr i} {
        lassign [someInterval] from to
        set before [cpu]
        foreach {key ms} [ask interval $from $to] {
            lappend $key $ms
        }
        lappend cpus [expr {[cpu] - $before}]
        if {[info exists ::env(VIEW_BENCH_EACH)]} {
            puts [format "  %s %3d  %6.2f s  first %7.1f  all %7.1f  longest hold %6.1f" $what $i [expr {$to - $from}] [lindex $first end] [lindex $all end] [lindex $blocked end]]
        }
        if {$then ne ""} {
            {*}$then $i
        }
    }
    report "interval, sums drawn$what" $first 0
    report "interval, all drawn$what" $all $cpus
    report "interval, longest hold$what" $blocked 0
}
# Each pane in turn, and what memory that takes.
proc allPanes {i} {
    foreach view $::views {
        ask raise $view
        ask settle
    }
    lappend ::used [lindex [memory] 0]
    lappend ::usedInAll [lindex [memory] 2]
}
ask settle
puts [format "all panes in sight, with the start of the display %d ms, %.0f ms of CPU time" [expr {[clock milliseconds] - $begin}] [cpu]]
puts [format "first picture, source and overview %.0f ms, %.0f ms of CPU time" {*}[ask first]]
puts [format "start, longest without events %.0f ms" [ask beat off]]
measure "round trip, nothing to do" {ask get line}
set views [ask describe views]
expr {srand(1)}
foreach view [expr {"moves" in $parts ? $views : ""}] {
    ask beat on
    lassign [ask opening $view] some all
    puts [format "%-34s first %8.0f ms, all of it %.0f, longest without events %.0f ms" "raise $view" $some $all [ask beat off]]
    # the selection moves with this pane in front
    measure "next hot spot, $view in front" {ask key n}
}
if {"moves" in $parts} {
    measure "line down" {ask key Down}
    measure "processor right" {ask key Right}
    measure "page down" {ask key Next}
    measure "bin by sum or maximum" {ask key b}
    measure "colours" {ask key c}
    set detail [lrange [ask geometry detail heat] 2 3]
    measure "turn the terrain" {ask drag terrain land 40 40 [expr {60 + $i % 20}] 42}
    measure "ten turns of the wheel, each drawn" {ask wheel detail heat 20 200 [expr {$i % 2 ? -10 : 10}]}
    measure "hover over cells" {ask hover detail heat [expr {10 + 7 * $i % ([lindex $detail 0] - 20)}] [expr {[lindex $detail 1] / 2 + $i % 30}]}
    foreach {view widget how} {terrain land drag detail heat wheel} {
        puts [format "%-34s %6.1f a second, longest %.1f ms, %.1f ms of CPU time each" "frames, $how in $view" {*}[ask frames $view $widget $how 100]]
    }
    foreach view {messages compare timeline assembly} {
        ask raise $view
        measure "line down, $view in front" {ask key Down}
        measure "hot spot, $view in front" {ask key n}
    }
    tellMemory "after all panes and moves"
}
if {"intervals" in $parts} {
    ask raise timeline
    someInterval
    # who looks at a timeline before choosing gives it the time to get ready
    after 2000
    intervals "" [expr {6 * $n}]
    tellMemory "with an interval"
}
if {"compiler" in $parts} {
    someInterval
    ask raise compiler
    ask settle
    after 2000
    intervals ", compiler" $n
    tellMemory "with the compiler in front"
}
if {"panes" in $parts} {
    set used {}
    set usedInAll {}
    intervals ", all panes" [expr {max(1, 5 * $n / 2)}] allPanes
    puts [format "memory after all panes in each: of their own p50 %d MB, most %d; resident p50 %d, most %d" [quantile $used 0.5] [quantile $used 1] \
        [quantile $usedInAll 0.5] [quantile $usedInAll 1]]
    tellMemory "after all panes in each interval"
}
if {"search" in $parts} {
    ask key Escape
    measure "search" {ask search [lindex {flux pack edge filter tile mesh} [expr {$i % 6}]]}
}
tellMemory "at the end"
catch {puts $channel quit}
