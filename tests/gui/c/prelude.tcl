# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What the tests of widgets have in common: a database, its hottest line, a widget for the time of a script, events.
package require tcltest 2.3-
namespace import -force ::tcltest::test
lappend auto_path $::env(HEATSCOPE_TCL)
package require Tk
if {[info commands send] ne ""} {
    rename send {}
}
package require heatscope::draw
wm geometry . 1000x700+0+0
foreach {name family} {UI {DejaVu Sans} Mono {DejaVu Sans Mono}} {
    if {$name ni [font names]} {
        font create $name -family $family -size 9
    }
}
set db [heatscope::data open $::env(HEATSCOPE_RUN)]
set hot [lindex [$db top -table line -kind loop -n 1] 0]
set file [dict get $hot file]
set line [dict get $hot line]
set top [expr {max(1, $line - 5)}]

proc near {a b} {
    return [expr {abs($a - $b) <= 1e-4 * (abs($a) + abs($b)) + 1e-9}]
}
proc settle {} {
    update
    while {![heatscope::idle]} {
        update
    }
}
# Makes a widget, runs the script, destroys it.
proc with {kind options script} {
    uplevel #0 [list heatscope::$kind .w -font UI -monofont Mono {*}[uplevel #0 [list subst $options]]]
    pack .w -fill both -expand 1
    settle
    focus -force .w
    update
    set ::events {}
    try {
        uplevel #0 $script
    } finally {
        destroy .w
    }
}
proc listen {args} {
    foreach event $args {
        bind .w $event [list apply {{event data} {lappend ::events [list $event $data]}} $event %d]
    }
}
# Events come a second apart, so that no two presses make a double click.
set ::now 1000
proc press {x y args} {
    event generate .w <ButtonPress-1> -x $x -y $y -time [incr ::now 1000] {*}$args
}
proc click {x y args} {
    press $x $y {*}$args
    event generate .w <ButtonRelease-1> -x $x -y $y -time $::now {*}$args
    update
}
set rows {-db $db -file $file -top $top -rowheight 18 -header 40 -line $line -axis thread}
