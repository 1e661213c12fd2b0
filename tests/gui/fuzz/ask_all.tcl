# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Asks the viewer's data layer everything it can be asked, of each database named. One line a file: what came of it.
# Errors must be those of a database: one line for people, with a code. Anything else ends this with 1.
lappend auto_path $::env(HEATSCOPE_TCL)
package require heatscope::data
fconfigure stdout -buffering line

set commands {
    {info} {columns process} {columns thread} {files -n 50} {findfile a.c} {line 0} {findline 0 1} {lines 0 1 2000} {nextline 0 1}
    {nextline 0 9999 back} {scope 0} {scopeat 0 5} {scopesof 0} {scopesbegin 0} {children 0} {module 0} {process 0} {thread 0} {metric 0} {category 0}
    {dependences 5} {loopfacts 5} {remarks 5} {findings} {refusals} {messages call} {messages process} {partners} {waits} {times} {ledger}
    {total} {hotpath} {contexts 0} {callertree {}} hotlines {outline -least 0.0001} {scopevalues {0 3 5} {0 -1}} {unrolled 0} {callers 3} {contextsof 3} {categories 0} {find a} {find a -kinds {source remark}} {source 0}
    {maximum -table line -rows {0 0}} {procstats 3} {context 0} {column process 0} {column thread 0} {instances 3} {instance 0}
    heatscope {top -table scope_excl -kind loop -reported 1} {top -table scope_excl -kind procedure -reported 1}
    {rank -table line -row 1} {ranking -table line -row 1}
}
foreach table {line line_incl scope_excl scope_incl context_excl context_incl instance scope_category} {
    foreach axis {process thread} {
        lappend commands [list top -table $table -axis $axis -stats 1 -n 20]
        lappend commands [list stats -table $table -axis $axis -rows {0 20}] [list sums -table $table -axis $axis -rows {0 20}]
        lappend commands [list block -table $table -axis $axis -rows {0 10} -columns {0 2}]
        lappend commands [list maximum -table $table -axis $axis -rows {0 0} -reduce sum]
    }
}

proc bad {file message} {
    puts "$file: $message"
    exit 1
}
# The one way in which a question may fail.
proc ask {file script} {
    if {![catch {uplevel #0 $script} message options]} {
        return 1
    }
    set code [dict get $options -errorcode]
    if {[lrange $code 0 1] ne {HEATSCOPE DB} && [lrange $code 0 1] ne {HEATSCOPE USAGE}} {
        bad $file "'$script' failed with code '$code': $message"
    }
    if {$message eq "" || [string match *\n* $message]} {
        bad $file "'$script': the message is not one line: '$message'"
    }
    if {[lindex $code 1] eq "DB"} {
        incr ::reasons([lindex $code 2])
    }
    return 0
}

foreach file $argv {
    array unset reasons
    set begin [clock milliseconds]
    set errors 0
    if {![ask $file {set db [heatscope::data open $file]}]} {
        puts "$file refused [expr {[clock milliseconds] - $begin}] ms"
        continue
    }
    foreach command $commands {
        incr errors [expr {![ask $file [list $db {*}$command]]}]
    }
    if {[ask $file {$db interval {1 2}}]} {
        foreach command $commands {
            incr errors [expr {![ask $file [list $db {*}$command]]}]
        }
    }
    $db close
    puts "$file answered errors $errors: [array get reasons] [expr {[clock milliseconds] - $begin}] ms"
}
