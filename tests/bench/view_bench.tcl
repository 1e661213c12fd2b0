# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Latency of the viewer from a command to all drawn, p50 and p95 by kind of action, CPU time of the start and of intervals, memory.
# usage: tclsh view_bench.tcl HEATSCOPE DB [N]   (N actions of a kind, default 20; a display, or Xvfb, which the viewer starts)
# A large DB: heatscope-simulate --lines=1000000 --threads=10000 --processes=2500 --samples=4000 --times
lassign $argv heatscope db n
set n [expr {$n eq "" ? 20 : $n}]
set begin [clock milliseconds]
set channel [open "|[list $heatscope view --script - --size=1500x900 $db] 2>@stderr" r+]
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
# cpu: CPU time of all of them
proc report {what times cpu} {
    set times [lsort -real $times]
    set k [llength $times]
    puts [format "%-34s p50 %8.1f  p95 %8.1f  worst %8.1f ms, CPU %8.1f ms each" $what [lindex $times [expr {$k / 2}]] \
        [lindex $times [expr {min($k - 1, int($k * 0.95))}]] [lindex $times end] [expr {$cpu / $k}]]
}
proc measure {what script} {
    set times {}
    set before [cpu]
    for {set i 0} {$i < $::n} {incr i} {
        set ::i $i
        set t [clock microseconds]
        uplevel #0 $script
        ask settle
        lappend times [expr {([clock microseconds] - $t) / 1e3}]
    }
    report $what $times [expr {[cpu] - $before}]
}
# CPU time of the viewer and its reader so far, in ms.
proc children {pid} {
    set out {}
    foreach child [split [string trim [exec sh -c "pgrep -P $pid || true"]] \n] {
        lappend out $child {*}[children $child]
    }
    return $out
}
proc cpu {} {
    set sum 0
    foreach pid [children [pid $::channel]] {
        if {![catch {open /proc/$pid/schedstat} f]} {
            set used [lindex [gets $f] 0]
            close $f
            if {[regexp {tclsh|wish} [exec cat /proc/$pid/comm]]} {
                set sum [expr {$sum + $used / 1e6}]
            }
        }
    }
    return $sum
}
ask settle
puts [format "all panes in sight, with the start of the display %d ms, %.0f ms of CPU time" [expr {[clock milliseconds] - $begin}] [cpu]]
measure "round trip, nothing to do" {ask get line}
foreach view [ask describe views] {
    set t [clock milliseconds]
    ask raise $view
    ask settle
    puts [format "%-34s first %8d ms" "raise $view" [expr {[clock milliseconds] - $t}]]
    # the selection moves with this pane in front
    measure "next hot spot, $view in front" {ask key n}
}
measure "line down" {ask key Down}
measure "processor right" {ask key Right}
measure "page down" {ask key Next}
measure "bin by sum or maximum" {ask key b}
measure "colours" {ask key c}
set detail [lrange [ask geometry detail heat] 2 3]
measure "turn the terrain" {ask drag terrain land 40 40 [expr {60 + $i % 20}] 42}
measure "ten turns of the wheel over cells" {ask wheel detail heat 20 200 [expr {$i % 2 ? -10 : 10}]}
measure "hover over cells" {ask hover detail heat [expr {10 + 7 * $i % ([lindex $detail 0] - 20)}] [expr {[lindex $detail 1] / 2 + $i % 30}]}
foreach view {messages compare timeline assembly} {
    ask raise $view
    measure "line down, $view in front" {ask key Down}
    measure "hot spot, $view in front" {ask key n}
}
ask raise timeline
lassign [lrange [ask geometry timeline time] 2 3] width height
measure "interval" {ask drag timeline time [expr {$width / 4 + 3 * $i}] [expr {$height / 2}] [expr {$width / 2 + 5 * $i}] [expr {$height / 2}]}
ask key Escape
measure "search" {ask search [lindex {flux pack edge filter tile mesh} [expr {$i % 6}]]}
proc rss {pid} {
    set all 0
    foreach child [split [string trim [exec sh -c "pgrep -P $pid || true"]] \n] {
        set all [expr {$all + [rss $child]}]
    }
    if {![catch {exec grep RssAnon /proc/$pid/status} line] && [regexp {tclsh|wish} [exec cat /proc/$pid/comm]]} {
        incr all [lindex $line 1]
    }
    return $all
}
puts "memory of its own, viewer and reader: [expr {[rss [lindex [pid $channel] 0]] / 1024}] MB"
catch {puts $channel quit}
