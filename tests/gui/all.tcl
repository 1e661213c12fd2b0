# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs the test files named after `--` (all *.test here without), exits 1 when any test failed.
# Usage: tclsh all.tcl ?tcltest options? Models need no display and no extension.
package require Tcl 8.6-
package require tcltest 2.3-
namespace eval ::tcltest {}
::tcltest::configure -testdir [file dirname [file normalize [info script]]] -singleproc 0 {*}$argv
if {[::tcltest::runAllTests]} {
    exit 1
}
