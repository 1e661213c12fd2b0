# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The profile map: the whole program's scope bars and category bars condensed; a click goes there.

oo::class create ::heatscope::ProfileMapView {
    superclass ::heatscope::OverviewView
    variable Path Bus Run Nav Db App Selection Map

    method name {} { return profilemap }
    method title {} { return "Profile map" }

    method Build {body} {
        next $body
        $Map configure -content scopes
    }
    # With a second run: what the procedure itself changed by.
    method Changed {scope metric} {
        set c [[$App comparison] scope $scope $metric]
        if {$c eq ""} {
            return ""
        }
        return " \u00b7 itself in the other run [[$App comparison] amount $c $metric][[$App comparison] apart $c][expr {[dict get $c beyond] ? "" : ", within noise"}]"
    }
    method OnHover {hit} {
        if {$hit eq "" || ![dict exists $hit procedure] || [dict get $hit procedure] < 0} {
            next $hit
            return
        }
        set s [dict get $hit procedure]
        set metric [dict get $Selection metric]
        set sum [lindex [$Db sums -table scope_incl -rows [list $s 1] {*}[my Common]] 0]
        set kinds {}
        foreach kind [$Run categories $s {*}[my Common]] {
            if {[dict get $kind share] >= 0.005} {
                lappend kinds "[dict get $kind name] [::heatscope::fmt percent [dict get $kind share] 1]"
            }
        }
        my Read "[::heatscope::fmt plain [dict get [$Db file [dict get $hit file]] name]]:[dict get $hit line] \u00b7 [$Run scopeName $s]:\
            [::heatscope::fmt percent $sum [$Run total $metric]] of [$Run whole [dict get $Selection metric]][my Changed $s $metric][expr {[llength $kinds] ? " \u00b7 [join $kinds {, }]" : ""}]"
    }
    # The program from top to bottom: its procedures and loops with lines, what they took themselves and with all they call.
    method table {} {
        set metric [dict get $Selection metric]
        set rows {}
        foreach kind {procedure loop region} {
            foreach row [$Db top -table scope_incl -kind $kind -n 4096 {*}[my Common]] {
                if {[dict get $row file] >= 0 && [dict get $row line_begin] > 0} {
                    lappend rows [list [dict get $row file] [dict get $row line_begin] $row]
                }
            }
        }
        set out [list [list file line kind name inclusive share exclusive]]
        foreach entry [lsort -integer -index 0 [lsort -integer -index 1 $rows]] {
            set row [lindex $entry 2]
            lappend out [list [dict get $row filename] [dict get $row line_begin] [dict get $row kind] [dict get $row name] [dict get $row sum] \
                [dict get $row share] [lindex [$Db sums -table scope_excl -rows [list [dict get $row row] 1] {*}[my Common]] 0]]
        }
        return $out
    }
}
