# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs the test files named after `--` (all *.test here without), exits 1 when any test failed.
# Usage: tclsh all.tcl ?tcltest options? Models need no display and no extension.
package require Tcl 8.6-
package require tcltest 2.3-
namespace eval ::tcltest {}
# Not the folders below: c/all.tcl is a test of its own, and its `exit 0` would be the end of this one.
::tcltest::configure -testdir [file dirname [file normalize [info script]]] -singleproc 0 -asidefromdir * {*}$argv
if {[::tcltest::runAllTests]} {
    exit 1
}
