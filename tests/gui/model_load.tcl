# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What every model test begins with: tcltest, the models, the small run in memory.
package require Tcl 8.6-
package require tcltest 2.3-
namespace import -force ::tcltest::test ::tcltest::cleanupTests
set here [file dirname [file normalize [info script]]]
set gui [expr {[info exists ::env(HEATSCOPE_GUI)] ? $::env(HEATSCOPE_GUI) : [file join $here .. .. gui tcl]}]
source -encoding utf-8 [file join $gui models.tcl]
source -encoding utf-8 [file join $here fakedb.tcl]
