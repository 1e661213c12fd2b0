# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Latency of the viewer from a command to all drawn, p50 and p95 by kind of action, and its memory.
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
proc report {what times} {
    set times [lsort -real $times]
    set k [llength $times]
    puts [format "%-34s p50 %8.1f  p95 %8.1f  worst %8.1f ms" $what [lindex $times [expr {$k / 2}]] \
        [lindex $times [expr {min($k - 1, int($k * 0.95))}]] [lindex $times end]]
}
proc measure {what script} {
    set times {}
    for {set i 0} {$i < $::n} {incr i} {
        set ::i $i
        set t [clock microseconds]
        uplevel #0 $script
        ask settle
        lappend times [expr {([clock microseconds] - $t) / 1e3}]
    }
    report $what $times
}
ask settle
puts "first picture, with the start of the display [expr {[clock milliseconds] - $begin}] ms"
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
