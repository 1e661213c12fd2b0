# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A person's hands on the window of driver.tcl: xdotool moves the pointer and types; what comes of it is polled, never slept for.
source [file join [file dirname [info script]] driver.tcl]
::tcltest::testConstraint xdotool [expr {[auto_execok xdotool] ne ""}]
if {[auto_execok xdotool] eq ""} {
    puts "SKIPPED: xdotool is not installed"
}

proc hand {args} {
    lassign [window::ask display] display authority
    exec env DISPLAY=$display XAUTHORITY=$authority xdotool {*}$args
}
# Asks until the answer fits, at most 10 s.
proc until {body {limit 10000}} {
    set end [expr {[clock milliseconds] + $limit}]
    while {![uplevel 1 $body]} {
        if {[clock milliseconds] > $end} {
            return 0
        }
        window::ask settle
    }
    return 1
}
# A click at a place in a view's widget.
proc tap {view widget dx dy args} {
    lassign [window::ask geometry $view $widget] x y
    hand mousemove [expr {$x + $dx}] [expr {$y + $dy}] click 1 {*}$args
}
# Presses a key: 1 when what `observe` tells becomes another.
proc effect {key observe} {
    set before [uplevel 1 $observe]
    hand key $key
    return [until {expr {[uplevel 1 $observe] ne $before}}]
}
# What a view looks like.
proc look {view} {
    set file [file join $::scratch look.png]
    window::ask snapshot $view $file
    set f [open $file rb]
    set data [read $f]
    close $f
    return $data
}
