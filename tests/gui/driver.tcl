# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Drives a real window: `heatscope view --script -` under an Xvfb of its own, one command a line, answers until "ok".
package require Tcl 8.6-
package require tcltest 2.3-
namespace import -force ::tcltest::test ::tcltest::cleanupTests

foreach name {HEATSCOPE_BIN HEATSCOPE_SIMULATE HEATSCOPE_SCRATCH} {
    if {![info exists ::env($name)]} {
        puts stderr "set $name (ctest does)"
        exit 1
    }
}
unset -nocomplain ::env(HEATSCOPE_DEBUG)
set heatscope $::env(HEATSCOPE_BIN)
set scratch [file join $::env(HEATSCOPE_SCRATCH) [file rootname [file tail [info script]]][pid]]
file mkdir $scratch

# A database of 4 processes with 4 threads each and its sources; the same every time.
proc simulate {name args} {
    set file [file join $::scratch $name.h5]
    exec -ignorestderr $::env(HEATSCOPE_SIMULATE) -o $file --lines=3000 --threads=16 --samples=5000 --seed=1 {*}$args 2>@1
    return $file
}

namespace eval window {
    variable Channel
    variable Late 0

    # Starts the window; returns when it answers.
    proc open {args} {
        variable Channel
        set ::env(TMPDIR) [file join $::scratch tmp]
        file mkdir $::env(TMPDIR)
        set Channel [::open "|[list $::heatscope view --script - --size=1500x900 {*}$args] 2>[file join $::scratch stderr.txt]" r+]
        fconfigure $Channel -buffering line -encoding utf-8 -blocking 0
        return [ask get line]
    }
    # Words of one command; returns the answer; an error of the window is an error here.
    proc ask {args} {
        variable Channel
        puts $Channel $args
        set answer {}
        set timer [after 60000 {set ::window::Late 1}]
        while 1 {
            if {[gets $Channel line] >= 0} {
                if {$line eq "ok"} {
                    break
                }
                if {[string match "error *" $line]} {
                    after cancel $timer
                    return -code error [string range $line 6 end]
                }
                lappend answer $line
            } elseif {[eof $Channel]} {
                after cancel $timer
                return -code error "the window has gone: [noise]"
            } else {
                fileevent $Channel readable {set ::window::Late 0}
                vwait ::window::Late
                fileevent $Channel readable {}
                if {$::window::Late} {
                    return -code error "no answer to '$args' within 60 s"
                }
            }
        }
        after cancel $timer
        return [join $answer \n]
    }
    proc noise {} {
        set f [::open [file join $::scratch stderr.txt]]
        set text [read $f]
        close $f
        return [string trim $text]
    }
    proc get {args} {
        return [lmap key $args {ask get $key}]
    }
    # Ends it; returns what it wrote to stderr.
    proc close_ {} {
        variable Channel
        catch {puts $Channel quit}
        fconfigure $Channel -blocking 1
        catch {::close $Channel}
        return [noise]
    }
}
