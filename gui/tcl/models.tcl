# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Loads what needs no display: constants, bus, models.
apply {{here} {
    foreach file {
        settings
        model/breathe
        model/fmt
        model/bus
        model/lexer
        model/document
        model/syntax
        model/run
        model/navigator
        model/contexttree
        model/compiler
        model/messages
        model/waiting
        model/arrays
        model/search
        model/told
        model/about
        model/comparison
        model/memory
        model/session
    } {
        uplevel 1 [list source -encoding utf-8 [file join $here $file.tcl]]
    }
} ::} [file dirname [file normalize [info script]]]
