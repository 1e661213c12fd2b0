# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Long work in pieces: a coroutine that calls `breathe` now and then lets events be looked at every few milliseconds. Elsewhere it does
# nothing, so models may call it whoever asks them.

namespace eval ::heatscope {
    # When the coroutine that works began, or went on; milliseconds until it lets events in.
    variable BreathAt 0
    variable BreathMs 12

    # Begins {*}$command as coroutine `name`, which is there as long as the work is not done; to give it up: abandon.
    proc work {name command} {
        variable BreathAt [clock milliseconds]
        coroutine $name {*}$command
    }
    proc breathe {} {
        variable BreathAt
        variable BreathMs
        if {[info coroutine] eq "" || [clock milliseconds] - $BreathAt < $BreathMs} {
            return
        }
        after 1 [list ::heatscope::GoOn [info coroutine]]
        yield
    }
    proc GoOn {name} {
        variable BreathAt [clock milliseconds]
        if {[llength [info commands $name]]} {
            $name
        }
    }
    # Keeps values that are no longer wanted until what is done now has been drawn, and lets one go at a time: to free thousands of rows takes
    # milliseconds, which a picture would wait for.
    variable Buried {}
    proc bury {args} {
        variable Buried
        if {![llength $Buried]} {
            after 60 ::heatscope::Unbury
        }
        lappend Buried {*}$args
    }
    proc Unbury {} {
        variable Buried
        set Buried [lreplace $Buried end end]
        if {[llength $Buried]} {
            after 2 ::heatscope::Unbury
        }
    }
    # 1: it was under way.
    proc abandon {name} {
        if {![llength [info commands $name]]} {
            return 0
        }
        rename $name {}
        return 1
    }
}
