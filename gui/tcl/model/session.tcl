# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Session files: one key and value a line, read as data and checked, never evaluated.
#
#   heatscope-session 1
#   title TEXT                     of the run; another run's session is refused
#   theme light|dark
#   panes KEY VALUE                raised, hidden, sashes
#   view NAME DICT                 what a view keeps of itself: grouping, sorting, ...
#   compare PATH                   the database that the run is compared with
#   select KEY VALUE               the selection, as the bus has it: place, metric, interval, scales, ...

namespace eval ::heatscope::session {
    namespace export write read
    namespace ensemble create

    # Keys of the selection that are rows of the database, and what they are below.
    variable Rows {file files procedure scopes scope scopes context contexts metric metrics category categories instruction instructions}

    # views: NAME DICT ...; compare: a path, "" for none
    proc write {run bus panes theme {views {}} {compare {}}} {
        set text "heatscope-session 1\n[list title [$run title]]\n[list theme $theme]\n"
        foreach key {raised hidden maximised sashes} {
            if {![dict exists $panes $key]} continue
            append text [list panes $key [dict get $panes $key]] \n
        }
        dict for {name state} $views {
            if {$state ne ""} {
                append text [list view $name $state] \n
            }
        }
        if {$compare ne ""} {
            append text [list compare $compare] \n
        }
        dict for {key value} [$bus get] {
            append text [list select $key $value] \n
        }
        return $text
    }
    # {theme T panes DICT selection DICT}; an error says the line.
    proc read {run file} {
        variable Rows
        set channel [open $file r]
        try {
            fconfigure $channel -encoding utf-8
            set text [::read $channel 100000]
        } finally {
            close $channel
        }
        set out {theme light panes {} selection {} views {} compare {}}
        set n 0
        if {[string trim $text] eq ""} {
            Refuse $file 1 "expected 'heatscope-session 1', got an empty file"
        }
        foreach line [split [string trimright $text \n] \n] {
            incr n
            if {$n == 1} {
                if {$line ne "heatscope-session 1"} {
                    Refuse $file $n "expected 'heatscope-session 1'"
                }
                continue
            }
            if {[catch {llength $line} words]} {
                Refuse $file $n "braces or quotes do not pair"
            }
            lassign $line what key value
            if {$what in {title theme} && $words == 2} {
                if {$what eq "title" && $key ne [$run title]} {
                    Refuse $file $n "it is of the run '[string range $key 0 60]'"
                } elseif {$what eq "theme"} {
                    if {$key ni {light dark}} {
                        Refuse $file $n "expected light or dark"
                    }
                    dict set out theme $key
                }
            } elseif {$what eq "compare" && $words == 2} {
                dict set out compare $key
            } elseif {$what eq "view" && $words == 3} {
                if {[catch {dict size $value}]} {
                    Refuse $file $n "expected keys and values of a view"
                }
                dict set out views $key $value
            } elseif {$what eq "panes" && $words == 3} {
                dict set out panes $key $value
            } elseif {$what eq "select" && $words == 3} {
                if {[dict exists $Rows $key] && (![string is entier -strict $value] || $value >= [$run info [dict get $Rows $key]])} {
                    Refuse $file $n "$key $value is not in this run"
                }
                if {$key eq "column" && (![string is entier -strict $value] || $value >= [$run columns process] && $value >= [$run columns thread])} {
                    Refuse $file $n "processor $value is not in this run"
                }
                dict set out selection $key $value
            } else {
                Refuse $file $n "expected title, theme, panes, view, compare or select, got '[string range $line 0 60]'"
            }
        }
        return $out
    }
    proc Refuse {file line message} {
        return -level 2 -code error -errorcode {HEATSCOPE SESSION} "$file:$line: $message"
    }
}
