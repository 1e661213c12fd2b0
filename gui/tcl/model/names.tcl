# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Names of a database's scopes for lists: instances of one template are told apart by those of their arguments that differ.

namespace eval ::heatscope::names {
    namespace export short last
    namespace ensemble create

    # "Grid<float>::sweep", "do", "libmpi.so"
    proc short {db scope} {
        set name [::heatscope::fmt shortName [dict get [$db scope $scope] name]]
        if {[string first <\u2026> $name] >= 0 && [set mark [$db apart $scope]] ne ""} {
            set at [string last <\u2026> $name]
            set name [string replace $name $at $at+2 <[::heatscope::fmt plain $mark]>]
        }
        return $name
    }
    # Without its class or module: "sweep<float>" where there is a Grid<double>::sweep too, else "sweep".
    proc last {db scope} {
        set name [short $db $scope]
        set last [::heatscope::fmt lastName $name]
        if {$last ne $name && [string first < $name] >= 0 && [string index $last end] ne ">" && [set mark [$db apart $scope]] ne ""} {
            append last <[::heatscope::fmt plain $mark]>
        }
        return $last
    }
}
