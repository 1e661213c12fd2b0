# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# One line with the few findings that matter, each a link to its place.

oo::class create ::heatscope::FindingsBar {
    variable Path Run Nav Found

    constructor {path context} {
        set Path $path
        set Run [dict get $context run]
        set Nav [dict get $context nav]
        set Found [$Run findings]
        ttk::frame $Path -padding [list [::heatscope::theme size pad] 0 [::heatscope::theme size pad] [::heatscope::theme dp 5]]
        set n 0
        foreach finding $Found {
            ttk::button $Path.f$n -style [expr {[dict get $finding tone] eq "bad" ? "Warn.Link.TButton" : "Link.TButton"}] \
                -text [::heatscope::fmt elide [dict get $finding text] 110] -takefocus 1 \
                -command [namespace code [list my Go $n]]
            pack $Path.f$n -side left
            incr n
        }
        bind $Path <Destroy> +[namespace code [list my OnDestroy %W]]
    }
    method OnDestroy {w} {
        if {$w eq $Path} {
            my destroy
        }
    }
    method Go {n} {
        set finding [lindex $Found $n]
        if {[dict get $finding scope] >= 0} {
            $Nav scope findings [dict get $finding scope]
        }
    }
    method go {n} { my Go $n }
    method describe {} {
        set out {}
        foreach finding $Found {
            lappend out [dict get $finding text]
        }
        return [join $out \n]
    }
}
