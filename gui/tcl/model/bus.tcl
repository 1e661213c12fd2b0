# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The selection that all views share: one dictionary, published once per idle, with history.

oo::class create ::heatscope::Bus {
    variable Selection Subscribers Pending Queue Origin Scheduled Past Future Limit Errors Tokens Holder Finish Last

    # what may stand in a selection: key -> {test initial-value place?}; a place key makes a step of the history
    constructor {{limit 200}} {
        set Limit $limit
        set Selection {}
        foreach {key spec} [::heatscope::Bus::fields] {
            dict set Selection $key [lindex $spec 1]
        }
        set Subscribers {}
        set Pending {}
        set Queue {}
        set Origin {}
        set Scheduled {}
        set Past {}
        set Future {}
        set Errors {}
        set Tokens 0
        set Holder {}
        set Finish {}
        set Last {}
    }
    destructor {
        if {$Scheduled ne ""} {
            after cancel $Scheduled
        }
    }

    method get {{key {}}} {
        if {$key eq ""} {
            return $Selection
        }
        return [dict get $Selection $key]
    }

    # Changes the keys given. Unknown keys and values of the wrong kind are errors and change nothing.
    method set {origin args} {
        set new [my Checked $args]
        set changed {}
        dict for {key value} $new {
            if {[dict get $Selection $key] ne $value} {
                lappend changed $key
            }
        }
        if {![llength $changed]} {
            return 0
        }
        set place 0
        foreach key $changed {
            if {[lindex [dict get [::heatscope::Bus::fields] $key] 2]} {
                set place 1
            }
        }
        if {$place} {
            my Remember
        }
        my Apply $origin $new $changed
        return 1
    }

    # Same, but the history does not grow: for what follows the pointer or a scroll bar.
    method adjust {origin args} {
        set new [my Checked $args]
        set changed {}
        dict for {key value} $new {
            if {[dict get $Selection $key] ne $value} {
                lappend changed $key
            }
        }
        if {[llength $changed]} {
            my Apply $origin $new $changed
        }
        return [expr {[llength $changed] > 0}]
    }

    method Apply {origin new changed} {
        set Selection [dict merge $Selection $new]
        foreach key $changed {
            dict set Pending $key 1
        }
        set Origin $origin
        my Schedule
    }

    method Checked {pairs} {
        if {[llength $pairs] % 2} {
            return -code error -errorcode {HEATSCOPE BUS PAIRS} "selection: keys and values do not pair up"
        }
        set fields [::heatscope::Bus::fields]
        foreach {key value} $pairs {
            if {![dict exists $fields $key]} {
                return -code error -errorcode [list HEATSCOPE BUS KEY $key] "selection: unknown key '$key'"
            }
            if {![::heatscope::Bus::valid [lindex [dict get $fields $key] 0] $value]} {
                return -code error -errorcode [list HEATSCOPE BUS VALUE $key] \
                    "selection: $key: expected [lindex [dict get $fields $key] 0], got '[string range $value 0 60]'"
            }
        }
        return $pairs
    }

    # ---- publishing ----

    # Calls {*}$command selection changed-keys origin, in order of subscription; returns a token.
    method subscribe {command {keys {}}} {
        set token [incr Tokens]
        dict set Subscribers $token [list $command $keys]
        return $token
    }
    method unsubscribe {token} {
        dict unset Subscribers $token
        dict unset Queue $token
    }
    method subscribers {} {
        return [dict size $Subscribers]
    }

    # Publishes what is pending now instead of at the next idle.
    method flush {} {
        while {[my pending]} {
            if {$Scheduled ne ""} {
                after cancel $Scheduled
                my Publish Inf
            }
            if {$Holder ne ""} {
                {*}$Finish
            }
        }
    }
    method pending {} {
        return [expr {$Scheduled ne "" || $Holder ne ""}]
    }
    # The subscriber `token` has something to do before the others are told; it alone is until `release`. {*}$finish does it at once, and releases.
    method hold {token finish} {
        set Holder $token
        set Finish $finish
    }
    method release {} {
        set Holder {}
        if {[dict size $Queue]} {
            my Schedule
        }
    }
    # The subscriber is told of what is pending behind all others, this once.
    method last {token} {
        set Last $token
    }
    method held {} {
        return [expr {$Holder ne ""}]
    }
    method Schedule {} {
        if {$Scheduled eq ""} {
            set Scheduled [after idle [namespace code {my Publish}]]
        }
    }

    # Tells the subscribers, in their order, for about `ms` milliseconds: the rest when events have been looked at. Whoever has not
    # been told of one change when the next comes is told of both together.
    method Publish {{ms 12}} {
        set Scheduled {}
        set changed [dict keys $Pending]
        set Pending {}
        dict for {token subscriber} $Subscribers {
            set keys [lindex $subscriber 1]
            if {![llength $keys] || [llength [lmap key $changed {if {$key ni $keys} continue}]]} {
                foreach key $changed {
                    dict set Queue $token $key 1
                }
            }
        }
        set end [expr {[clock milliseconds] + $ms}]
        set order [dict keys $Subscribers]
        if {$Last ne "" && $Last in $order} {
            set order [list {*}[lsearch -all -inline -exact -not $order $Last] $Last]
        }
        foreach token $order {
            if {![dict exists $Queue $token] || ($Holder ne "" && $token ne $Holder)} {
                continue
            }
            set told [dict keys [dict get $Queue $token]]
            dict unset Queue $token
            if {$token eq $Last} {
                set Last {}
            }
            # it may have gone meanwhile
            if {[dict exists $Subscribers $token]} {
                my Tell [lindex [dict get $Subscribers $token] 0] $told
            }
            if {[clock milliseconds] >= $end} {
                break
            }
        }
        if {[dict size $Queue] && $Holder eq ""} {
            my Schedule
        }
    }
    method Tell {command changed} {
        # one view that fails must not keep the others from moving
        if {[catch {{*}$command $Selection $changed $Origin} message options]} {
            lappend Errors $message
            after idle [list ::heatscope::Bus::report $message $options]
        }
    }
    method errors {} {
        return $Errors
    }

    # ---- history ----

    method Remember {} {
        lappend Past [my Place]
        if {[llength $Past] > $Limit} {
            set Past [lrange $Past end-[expr {$Limit - 1}] end]
        }
        set Future {}
    }
    method Place {} {
        set place {}
        foreach {key spec} [::heatscope::Bus::fields] {
            if {[lindex $spec 2]} {
                lappend place $key [dict get $Selection $key]
            }
        }
        return $place
    }
    # Steps -1 back or 1 forward; returns 0 at the end.
    method travel {step} {
        if {$step < 0} {
            if {![llength $Past]} {
                return 0
            }
            lappend Future [my Place]
            set place [lindex $Past end]
            set Past [lrange $Past 0 end-1]
        } else {
            if {![llength $Future]} {
                return 0
            }
            lappend Past [my Place]
            set place [lindex $Future end]
            set Future [lrange $Future 0 end-1]
        }
        my adjust history {*}$place
        return 1
    }
    method depth {} {
        return [list [llength $Past] [llength $Future]]
    }

    # ---- as text ----

    # One key and value a line: the text of session files, of replay and of shared sessions.
    method serialise {} {
        set text "heatscope-selection 1\n"
        foreach key [lsort [dict keys $Selection]] {
            append text [list $key [dict get $Selection $key]] \n
        }
        return $text
    }
    # Takes such a text: data, checked key by key, never evaluated. Unknown keys are an error.
    method restore {origin text} {
        set lines [split [string trim $text] \n]
        if {[lindex $lines 0] ne "heatscope-selection 1"} {
            return -code error -errorcode {HEATSCOPE BUS TEXT} "selection: expected 'heatscope-selection 1' as first line"
        }
        set pairs {}
        foreach line [lrange $lines 1 end] {
            if {[catch {llength $line} n] || $n != 2} {
                return -code error -errorcode {HEATSCOPE BUS TEXT} "selection: not a key and a value: '[string range $line 0 60]'"
            }
            lappend pairs {*}$line
        }
        my set $origin {*}$pairs
    }
}

namespace eval ::heatscope::Bus {
    # key {kind initial place}. index: row of a table, -1 none. lines, columns: {first last} or {}. interval: {from to} in
    # seconds or {}.
    variable Fields {
        file {index -1 1}  line {count 0 1}  range {pair {} 1}  procedure {index -1 1}  scope {index -1 1}
        context {index -1 1}  column {index -1 1}  processors {pair {} 1}  axis {{thread process} process 1}
        metric {index 0 0}  bin {{max sum} max 0}  scale {{log linear} log 0}
        colours {{inferno viridis cividis classic} inferno 0}  normalise {{program file row} program 0}
        show {{value difference ratio} value 0}  group {{auto host 2 4 8 16 32 64 128 256} auto 0}
        sort {{number load} number 0}  ranking {{procedure loop line module symbol context message array reason} procedure 0}
        interval {interval {} 1}  category {index -1 1}  lines {{own calls} own 0}  instruction {index -1 1}  outlineAll {{0 1} 0 0}  skip {count 24 0}  search {text {} 0}  hit {index -1 0}
    }
    proc fields {} {
        variable Fields
        return $Fields
    }
    proc valid {kind value} {
        switch -- $kind {
            index { return [expr {[string is entier -strict $value] && $value >= -1 && $value < 4294967296}] }
            count { return [expr {[string is entier -strict $value] && $value >= 0 && $value < 4294967296}] }
            text { return [expr {[string length $value] <= 1000}] }
            pair {
                if {[catch {llength $value} n]} { return 0 }
                if {$n == 0} { return 1 }
                if {$n != 2} { return 0 }
                lassign $value a b
                return [expr {[string is entier -strict $a] && [string is entier -strict $b] && 0 <= $a && $a <= $b
                              && $b < 4294967296}]
            }
            interval {
                # seconds {from to}, or {}: the whole run
                if {[catch {llength $value} n]} { return 0 }
                if {$n == 0} { return 1 }
                if {$n != 2} { return 0 }
                lassign $value a b
                return [expr {[string is double -strict $a] && [string is double -strict $b] && 0 <= $a && $a < $b && $b < 1e12}]
            }
            default { return [expr {$value in $kind}] }
        }
    }
    proc report {message options} {
        if {[info commands ::bgerror] ne "" || [interp bgerror {}] ne ""} {
            {*}[interp bgerror {}] $message $options
        }
    }
}
