# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Loads what needs no display: constants, bus, models. What the first picture does without is read when it is first called: Tcl's `unknown`
# finds it in auto_index.
namespace eval ::heatscope {
    variable tclFolder [file dirname [file normalize [info script]]]
    variable filesRead {}

    # Reads files, named as in settings.tcl, that were not read yet.
    proc readFiles {files} {
        variable tclFolder
        variable filesRead
        foreach file $files {
            if {$file ni $filesRead} {
                lappend filesRead $file
                uplevel #0 [list source -encoding utf-8 [file join $tclFolder $file.tcl]]
            }
        }
    }
    # dict: command, without ::heatscope::, and the files that make it, in their order.
    proc readLater {commands} {
        dict for {name files} $commands {
            set ::auto_index(::heatscope::$name) [list ::heatscope::readFiles $files]
        }
    }
    # Is there such a command, read or not?
    proc known {name} {
        return [expr {[namespace which -command ::heatscope::$name] ne "" || [info exists ::auto_index(::heatscope::$name)]}]
    }
}
::heatscope::readFiles settings
::heatscope::readFiles [::heatscope::settings get modelFiles]
::heatscope::readLater [::heatscope::settings get modelsLater]
