# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The window: search in everything.

oo::define ::heatscope::App {
    # ---- search ----

    method Placeholder {} {
        set typing [expr {[focus -displayof $Top] eq $Search}]
        if {!$typing && [$Search get] eq ""} {
            $Search insert 0 "Find anything"
            $Search configure -foreground [::heatscope::theme colour faint]
            $Search state !invalid
        } elseif {$typing && [$Search get] eq "Find anything"} {
            $Search delete 0 end
            $Search configure -foreground [::heatscope::theme colour text]
        }
    }
    method search {{text {}}} {
        focus $Search
        my Placeholder
        $Search selection range 0 end
        if {$text ne ""} {
            $Search delete 0 end
            $Search insert 0 $text
            my Find $text
        }
    }
    method Typed {key} {
        if {$key in {Return Escape Up Down F3}} {
            return
        }
        after cancel $ReadLater
        set ReadLater [after 120 [namespace code {my FindTyped}]]
    }
    method FindTyped {} {
        if {[winfo exists $Search]} {
            set text [$Search get]
            if {$text ne [$Bus get search]} {
                my Find $text
            }
        }
    }
    # Once the window is drawn, while nobody does anything.
    method readySearch {} {
        try {
            if {[$Finder ready [$Bus get metric] [$Bus get axis]]} {
                my later [self] readySearch
            }
        } trap {HEATSCOPE DB} {} {
            # the search says it
        }
    }
    method Find {text} {
        set HitAt -1
        set Found [$Finder find $text [$Bus get metric] [$Bus get axis]]
        set Hits {}
        foreach hit [dict get $Found hits] {
            if {[dict get $hit file] >= 0} {
                lappend Hits [dict get $hit file] [expr {max(0, [dict get $hit line])}]
            }
        }
        set n [llength [dict get $Found hits]]
        if {[string trim $text] eq ""} {
            my SayFound ""
            # what was said of what was found goes with it
            if {[$Bus get search] ne ""} {
                my readOut ""
            }
        } elseif {$n == 0} {
            my SayFound "nothing found"
        } else {
            # calls of message passing have no samples of their own: the status line has their time
            set sum [dict get $Found sum]
            my SayFound "[::heatscope::fmt plural $n hit][expr {$sum ne "" ? ", $sum" : ""}]"
            my Tell [dict get $Found words]
        }
        $Bus adjust search search [string range [string trim $text] 0 500]
    }
    # Beside the search box; the tool bar makes room for it.
    method SayFound {text} {
        ::heatscope::theme say $SearchNote $text
        after idle [namespace code {my TrimTools}]
    }
    # Flat list FILE LINE ... of the hits, for views to mark.
    method hitLines {} { return $Hits }
    method searchStep {step} {
        my FindTyped
        set hits [dict get $Found hits]
        set n [llength $hits]
        if {$n == 0} {
            return
        }
        set HitAt [expr {$HitAt < 0 ? ($step > 0 ? 0 : $n - 1) : ($HitAt + $step) % $n}]
        set hit [lindex $hits $HitAt]
        $Nav toHit search $hit
        my Tell "[dict get $hit kind] [::heatscope::fmt plain [dict get $hit name]]" 1
        set sum [dict get $Found sum]
        my SayFound "[expr {$HitAt + 1}] of $n[expr {$sum ne "" ? ", $sum" : ""}]"
    }
    method found {} {
        return [$SearchNote cget -text]
    }
    method endSearch {} {
        $Search delete 0 end
        my Find ""
        focus $Top
        my Placeholder
    }
}
