# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What the next start begins with: the theme, and the size of the window. A file of the user's, read as data and checked:
#
#   heatscope-view 1
#   theme light|dark
#   size WIDTHxHEIGHT

namespace eval ::heatscope::kept {
    namespace export read write
    namespace ensemble create

    # "" where there is no place for it.
    proc File {} {
        foreach {name below} {XDG_CONFIG_HOME {} HOME .config} {
            if {[info exists ::env($name)] && [file pathtype $::env($name)] eq "absolute"} {
                return [file join $::env($name) {*}$below heatscope view]
            }
        }
        return ""
    }
    # As much of {theme T size {W H}} as is there and can be.
    proc read {} {
        set file [File]
        set out {}
        if {$file eq "" || [catch {open $file r} channel]} {
            return $out
        }
        try {
            fconfigure $channel -encoding utf-8
            set lines [split [::read $channel 1000] \n]
        } on error {} {
            set lines {}
        } finally {
            close $channel
        }
        if {[lindex $lines 0] ne "heatscope-view 1"} {
            return $out
        }
        foreach line $lines {
            if {[regexp {^theme (light|dark)$} $line -> theme]} {
                dict set out theme $theme
            } elseif {[regexp {^size (\d{3,4})x(\d{3,4})$} $line -> width height]} {
                dict set out size [list $width $height]
            }
        }
        return $out
    }
    # These beside what is there. Written beside and renamed; where that can't be, nothing is kept: false.
    proc write {what} {
        set file [File]
        if {$file eq ""} {
            return 0
        }
        set kept [dict merge [read] $what]
        set text "heatscope-view 1\n"
        if {[dict exists $kept theme]} {
            append text "theme [dict get $kept theme]\n"
        }
        if {[dict exists $kept size]} {
            append text "size [join [dict get $kept size] x]\n"
        }
        set beside $file.[pid]
        return [expr {![catch {
            file mkdir [file dirname $file]
            set channel [open $beside w]
            try {
                puts -nonewline $channel $text
            } finally {
                close $channel
            }
            file rename -force $beside $file
        }]}]
    }
}
