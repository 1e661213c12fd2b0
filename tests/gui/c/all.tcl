# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs the test files of this folder in this process, exits 1 when any test failed.
package require Tcl 8.6-
package require tcltest 2.3-
::tcltest::configure -testdir [file dirname [file normalize [info script]]] -singleproc 1 {*}$argv
# Without this tcltest itself exits, with 0, once Tk is there.
::tcltest::testConstraint interactive 1
if {[::tcltest::runAllTests]} {
    exit 1
}
exit 0
