# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What the compiler did with each loop and why not, joined with what the loop's versions took: words for the compiler pane.

oo::class create ::heatscope::Compiler {
    variable Run Db Rows Key Refused Priced Texts Sum Most Rest Before

    constructor {run} {
        set Run $run
        set Db [$run db]
        set Most [::heatscope::settings get refusedRows]
        set Before {}
        set Rows {}
        set Texts {}
        set Refused {}
        set Rest {}
        my forget
    }

    # The values have changed: another interval. Which loops came first in that of before (`rows`) is kept: most likely they are among the first again.
    method forget {} {
        ::heatscope::bury $Rows $Texts $Refused $Rest
        set Key {}
        set Rows {}
        set Texts {}
        set Refused {metric "" prices {}}
        set Sum {0 0.0}
        set Rest {}
    }

    # Loops by falling time: dicts {scope name where sum share words tone price reason}; price: part of the run in the loop
    # that a refusal leaves scalar, 0 for none (reason ""). With `some`, {*}$some ROWS DONE OF (OF {}: not known yet) is called with those that
    # cost most by price (first 1) or time (0), and from then on as {} DONE OF now and then: reading all of many may take a second. In another interval it
    # is called before with those that came first in the last one, price "": what was refused is not known yet.
    method rows {metric axis {some {}} {first 1}} {
        if {[list $metric $axis] eq $Key} {
            return $Rows
        }
        set Key {}
        set few [::heatscope::settings get firstRows]
        set early 0
        if {$some ne "" && [llength $Before]} {
            set rows [lmap scope [lindex $Before $first] {
                ::heatscope::breathe
                dict replace [my Alone $scope {} $metric $axis] price ""
            }]
            {*}$some $rows [llength $rows] {}
        }
        if {$some ne "" && $first} {
            # neither the other refusals nor the ranking are needed to show what costs most
            my LookFor $metric
            set page [$Db refusals -metric $metric -n [expr {$few + 1}]]
            set early [expr {[llength $page] > $few}]
            if {$early} {
                foreach r [lrange $page 0 $few-1] {
                    dict set dearest [dict get $r scope] [my Told $r]
                }
                {*}$some [my ByTime [lmap row [my WithRefused {} $dearest] {
                    my Row $row $dearest $metric $axis
                }]] $few {}
            }
        }
        set Refused [dict create metric $metric prices [my Prices $metric]]
        set prices [dict get $Refused prices]
        set ranked [$Run ranking loop $metric $axis]
        # of code without a map the compiler's decisions are not known: such loops only where there are no others
        set mapped [lmap row $ranked {if {[dict get $row knowledge] ne "map"} continue; set row}]
        set loops [my WithRefused [expr {[llength $mapped] ? $mapped : $ranked}] $prices]
        set rows [lrepeat [llength $loops] {}]
        set done 0
        foreach i [my Order $loops $prices $first] {
            ::heatscope::breathe
            lset rows $i [my Row [lindex $loops $i] $prices $metric $axis]
            if {$some ne "" && [incr done] % $few == 0} {
                {*}$some [expr {$done == $few && !$early ? [my ByTime $rows] : {}}] $done [llength $loops]
            }
        }
        set Rows [my ByTime $rows]
        if {[llength $Rows]} {
            set few [expr {[::heatscope::settings get firstRanked] - 1}]
            set dearest [lsort -decreasing -real -index 0 [lmap row $Rows {list [dict get $row price] [dict get $row scope]}]]
            set Before [list [lmap row [lrange $Rows 0 $few] {dict get $row scope}] [lmap pair [lrange $dearest 0 $few] {lindex $pair 1}]]
        }
        set Key [list $metric $axis]
        return $Rows
    }
    # dict: refused loop -> its refusal, of the dearest. What was refused is found with what stands out.
    method Prices {metric} {
        my LookFor $metric
        set Priced {}
        set Texts {}
        set Sum {0 0.0}
        set Rest {}
        $Run refusals $metric [namespace code {my Price}]
        set prices $Priced
        set Priced {}
        return $prices
    }
    method LookFor {metric} {
        while {[$Run lookFor $metric 10] < 1} {
            ::heatscope::breathe
        }
    }
    # What is needed of a refusal, and each text once: there may be thousands.
    method Told {r} {
        set text [dict get $r reason_text]
        if {![dict exists $Texts $text]} {
            dict set Texts $text $text
        }
        return [dict create sum [dict get $r sum] share [dict get $r share] reason_text [dict get $Texts $text]]
    }
    method Price {page} {
        lassign $Sum n share
        foreach r $page {
            if {[dict size $Priced] < $Most} {
                dict set Priced [dict get $r scope] [my Told $r]
            } else {
                lappend Rest [dict get $r scope]
            }
            incr n [expr {[dict get $r share] > 0}]
            set share [expr {$share + [dict get $r share]}]
        }
        set Sum [list $n $share]
    }
    # {N SHARE} of all that were refused, listed or not, as of the last `rows`.
    method refused {} { return $Sum }
    # Refused loops that are not among the rows: there are too many.
    method left {} { return [llength $Rest] }
    # So many more are among the rows, from the next `rows` on.
    method more {} {
        incr Most [::heatscope::settings get refusedRows]
        my forget
    }
    # A loop that is not among the rows, as one of them, with `place` by price (0: it was not refused); {} for what is no loop.
    method other {scope metric axis} {
        set facts [$Db scope $scope]
        if {[dict get $facts kind] ne "loop"} {
            return {}
        }
        set refusal [my Refusal $scope $metric]
        set prices [expr {$refusal ne "" ? [dict create $scope $refusal] : {}}]
        set at [lsearch -exact -integer $Rest $scope]
        return [dict merge [my Alone $scope $prices $metric $axis] [list place [expr {$at >= 0 ? $Most + $at + 1 : 0}]]]
    }
    # The row of a loop that is not taken from the ranking.
    method Alone {scope prices metric axis} {
        set sum [lindex [$Db sums -table scope_excl -rows [list $scope 1] -metric $metric -axis $axis] 0]
        set total [$Run total $metric]
        return [my Row [dict merge [$Db scope $scope] [dict create row $scope sum $sum share [expr {$total > 0 ? double($sum) / $total : 0.0}]]] $prices $metric $axis]
    }
    # {} for none
    method Refusal {scope metric} {
        if {[dict get $Refused metric] ne $metric} {
            set Refused [dict create metric $metric prices [my Prices $metric]]
        }
        if {[dict exists $Refused prices $scope]} {
            return [dict get $Refused prices $scope]
        }
        set at [lsearch -exact -integer $Rest $scope]
        return [expr {$at >= 0 ? [lindex [$Db refusals -metric $metric -first [expr {$Most + $at}] -n 1] 0] : ""}]
    }
    # Places in `loops`, the dearest first, or those with most time.
    method Order {loops prices first} {
        set i -1
        set keys [lmap row $loops {
            set scope [dict get $row row]
            list [incr i] [expr {!$first ? [dict get $row sum] : [dict exists $prices $scope] ? [dict get $prices $scope share] : 0}]
        }]
        return [lmap key [lsort -decreasing -real -index 1 $keys] {lindex $key 0}]
    }
    # Those that are known, by falling time.
    method ByTime {rows} {
        set known [lmap row $rows {if {$row eq ""} continue; list [dict get $row sum] $row}]
        return [lmap pair [lsort -decreasing -real -index 0 $known] {lindex $pair 1}]
    }
    method Row {row prices metric axis} {
        set scope [dict get $row row]
        lassign [my Decision $scope $metric $axis] words tone all
        if {![dict exists $row file]} {
            set row [dict merge [$Db scope $scope] $row]
            # a number of samples, as the ranking has it
            set sum [dict get $row sum]
            dict set row sum [expr {$sum == entier($sum) ? entier($sum) : $sum}]
        }
        # with what is inlined into the loop, as the price has it
        set sum [dict get $row sum]
        set share [dict get $row share]
        if {$sum > 0 && $all > $sum} {
            set share [expr {$share * $all / $sum}]
            set sum $all
        }
        set price 0
        set reason ""
        if {[dict exists $prices $scope]} {
            set price [dict get $prices $scope share]
            set reason [dict get $prices $scope reason_text]
            # and with loops inside it that were unrolled fully
            if {$price > $share} {
                set share $price
                set sum [expr {$price * [$Run total $metric]}]
                set sum [expr {abs($sum - round($sum)) < 1e-6 * $sum ? round($sum) : $sum}]
            }
            if {$words eq ""} {
                set words "not vectorised"
                set tone bad
            }
        }
        if {$words eq "" && [my IsTold $scope SpinWait]} {
            set words "spin wait"
            set tone bad
        }
        if {$words eq "" && [my IsTold $scope WrittenInVectors]} {
            set words "written in vectors"
            set tone good
        }
        set mapped [expr {[dict get $row knowledge] eq "map"}]
        if {$words eq ""} {
            set words [expr {$mapped ? [my Fate $scope $metric $axis $share] : "not known: no map"}]
        }
        return [dict create scope $scope name [$Run scopeTitle $scope] where [my Place {*}[$Run placeOf $scope]] \
            sum $sum share $share words $words tone $tone price $price reason $reason mapped $mapped]
    }
    # Ranked loops, and behind them those that were refused vectors and rank too low by themselves: what is inlined into them has their time.
    method WithRefused {ranked prices} {
        set left $prices
        foreach row $ranked {
            dict unset left [dict get $row row]
        }
        dict for {scope refusal} $left {
            lappend ranked [dict merge $refusal [dict create row $scope knowledge map]]
        }
        return $ranked
    }
    # What became of a loop without vectors that nothing else is said of: of the version that has most time; without times as `heatscope map` has it.
    method Fate {scope metric axis share} {
        set known [$Db instances $scope -metric $metric -axis $axis]
        set most [lindex [lsort -real -decreasing -index 0 [lmap v $known {list [dict get $v sum] [dict get $v version_text]}]] 0]
        set versions [expr {[llength $most] && [lindex $most 0] > 0 ? [list [lindex $most 1]] : [lmap v $known {dict get $v version_text}]}]
        if {![llength $versions]} {
            foreach r [$Db remarks $scope -n 40] {
                if {[dict get $r pass] eq "loop-unroll" && [dict get $r kind] == 0 && [regexp -nocase {completely|fully} [dict get $r message]]} {
                    return "fully unrolled"
                }
            }
            return [expr {[my Collapsed $scope] ? "one with the loop round it" : "no code left"}]
        }
        foreach {pattern words} {"fully unrolled*" "fully unrolled" "vector body*" vectors "replaced by*" "memcpy or memset" "unrolled copy" unrolled} {
            if {[lsearch -glob $versions $pattern] >= 0} {
                return $words
            }
        }
        if {$share >= 0.0005 && [my Untried $scope]} {
            return "not tried"
        }
        return [expr {"as written" in $versions ? "as written" : [lindex [split [lindex $versions 0] ":"] 0]}]
    }
    # Was the loop made one with those round it?
    method Collapsed {scope} {
        for {set inner 2} {[set scope [dict get [$Db scope $scope] parent]] >= 0} {incr inner} {
            if {[dict get [$Db scope $scope] kind] ne "loop"} {
                return 0
            }
            set facts [$Db loopfacts $scope -n 1]
            if {[dict exists $facts collapsed] && [dict get $facts collapsed] >= $inner} {
                return 1
            }
        }
        return 0
    }
    # Is the remark that has this name made of the loop? SpinWait: it does nothing but look for what others write.
    method IsTold {scope name} {
        foreach r [$Db remarks $scope -n 40] {
            if {[dict get $r name] eq $name} {
                return 1
            }
        }
        return 0
    }
    # Did the vectoriser not even look at the loop (as with -O1)?
    method Untried {scope} {
        foreach r [$Db remarks $scope -n 40] {
            if {[string match "not tried*" [dict get $r reason_text]]} {
                return 1
            }
        }
        return 0
    }
    method Place {file line {column 0}} {
        if {$file < 0} {
            return ""
        }
        set name [::heatscope::fmt plain [dict get [$Db file $file] name]]
        if {$line > 0} {
            append name :$line
            if {$column > 0} {
                append name :$column
            }
        }
        return $name
    }
    # {words tone samples}: what the loop runs as, and what all its versions took
    method Decision {scope metric axis} {
        set vector 0.0
        set all 0.0
        set width 0
        set unroll 0
        set unrolled 0.0
        foreach v [$Db instances $scope -metric $metric -axis $axis] {
            set all [expr {$all + [dict get $v sum]}]
            if {[dict get $v is_vector]} {
                set vector [expr {$vector + [dict get $v sum]}]
                set width [expr {max($width, [dict get $v vector_width])}]
            }
            if {[dict get $v unroll] > 1} {
                set unrolled [expr {$unrolled + [dict get $v sum]}]
                set unroll [expr {max($unroll, [dict get $v unroll])}]
            }
        }
        if {$width > 1} {
            if {$all <= 0} {
                return [list "vector \u00d7$width" good $all]
            }
            return [list "vector \u00d7$width [::heatscope::fmt percent $vector $all 0]" [expr {$vector >= 0.5 * $all ? "good" : "bad"}] $all]
        }
        if {$unroll > 1 && ($all <= 0 || $unrolled >= 0.05 * $all)} {
            return [list "unrolled \u00d7$unroll" plain $all]
        }
        return [list {} plain $all]
    }

    # What became of a loop, in short, for other panes: dicts {kind text} as of `details`, none where nothing is known.
    method made {scope metric axis} {
        set versions [lsort -decreasing -real -index 1 [lmap v [$Db instances $scope -metric $metric -axis $axis] {
            list "[::heatscope::fmt plain [dict get $v version_text]][expr {[dict get $v is_vector] && [dict get $v vector_width] > 1 ? " \u00d7[dict get $v vector_width]" : ""}]" [dict get $v sum]
        }]]
        set all [::tcl::mathop::+ 0 {*}[lmap v $versions {lindex $v 1}]]
        set out {}
        if {$all > 0} {
            set by {}
            foreach v $versions {
                lassign $v version sum
                dict set by $version [expr {([dict exists $by $version] ? [dict get $by $version] : 0) + $sum}]
            }
            set words [lmap {version sum} $by {expr {$sum > 0 ? "$version [::heatscope::fmt percent $sum $all 0]" : [continue]}}]
            lappend out [dict create kind fact text "runs as: [join $words {, }]"]
        }
        foreach r [$Db remarks $scope -n 100] {
            set words "[dict get $r pass]: [lindex [split [::heatscope::fmt plain [dict get $r message]] \u00b7] 0]"
            if {[dict get $r refuses] && [dict create kind bad text $words] ni $out} {
                lappend out [dict create kind bad text $words]
            }
        }
        return $out
    }

    # All that is known of a loop, line by line: dicts {kind text ?right? ?file line?}; kind is head, section, fact, good, bad.
    method details {scope metric axis} {
        set out {}
        set facts [$Db scope $scope]
        if {[dict get $facts kind] ne "loop"} {
            return [list [dict create kind fact text "[$Run scopeTitle $scope] is no loop: choose one in the list or in the source."]]
        }
        lassign [$Run placeOf $scope] file line
        set span [$Run lineSpan $scope]
        lappend out [dict create kind head text [$Run scopeTitle $scope] right [expr {$span eq "" && $line > 0 ? [my Place $file $line] : $span}] \
            file $file line $line]
        set more [$Db loopfacts $scope -n 100]
        foreach words [my Control $more] {
            lappend out [dict create kind fact text $words]
        }
        foreach d [dict get $more directives] {
            lappend out [dict create kind fact text [::heatscope::fmt plain [dict get $d text]] file [dict get $d file] line [dict get $d line]]
        }
        if {[dict get $facts knowledge] ne "map"} {
            lappend out [dict create kind fact text "What the compiler did with this loop is not known: its code has no map. Compiled by 'heatscope cc' (c++, fc) it has one:\
                versions, reasons, dependences, strides."]
        }
        lappend out {*}[my Versions $scope $metric $axis]
        lappend out {*}[my Unrolled $scope $metric]
        lappend out {*}[my Remarks $scope $metric $axis]
        lappend out {*}[my Dependences $scope]
        if {[llength [dict get $more checks]]} {
            lappend out [dict create kind section text "Checks at run time" right [llength [dict get $more checks]]]
            foreach c [dict get $more checks] {
                lappend out [dict create kind fact text "check [dict get $c check]: access at [my Place [dict get $c file] [dict get $c line] [dict get $c column]]" \
                    right [::heatscope::fmt plural [dict get $c comparisons] comparison] file [dict get $c file] line [dict get $c line]]
            }
        }
        if {[llength [dict get $more references]]} {
            lappend out [dict create kind section text References right [llength [dict get $more references]]]
            foreach r [dict get $more references] {
                lappend out [dict create kind fact text "[::heatscope::fmt plain [dict get $r text]]  [dict get $r access]" \
                    right [::heatscope::fmt stride $r] file [dict get $r file] line [dict get $r line]]
            }
        }
        return $out
    }
    method Control {facts} {
        set out {}
        if {![dict exists $facts variable]} {
            return $out
        }
        set words [::heatscope::fmt plain [dict get $facts variable]]
        if {[dict get $facts first] ne ""} {
            append words " from [::heatscope::fmt plain [dict get $facts first]]"
        }
        if {[dict get $facts bound] ne ""} {
            # a bound without a variable is a condition: while (true)
            append words [expr {[regexp {[<>=]} [dict get $facts bound]] || $words eq "" ? ", while " : " to "}][::heatscope::fmt plain [dict get $facts bound]]
        }
        if {[dict get $facts step] ni {0 1}} {
            append words ", step [dict get $facts step]"
        }
        if {[dict get $facts trips] > 0} {
            append words ": [::heatscope::fmt plural [dict get $facts trips] iteration]"
        } elseif {[dict get $facts trips_max] > 0} {
            append words ": at most [::heatscope::fmt plural [dict get $facts trips_max] iteration]"
        }
        if {[string trim $words] ne ""} {
            lappend out [string trim $words " ,:"]
        }
        if {[dict get $facts collapsed] > 1} {
            lappend out "[dict get $facts collapsed] loops made one"
        }
        return $out
    }
    method Versions {scope metric axis} {
        set versions [$Db instances $scope -metric $metric -axis $axis]
        if {![llength $versions]} {
            return {}
        }
        set out [list [dict create kind section text "Versions, with what is inlined in them" right [llength $versions]]]
        set all [::tcl::mathop::+ {*}[lmap v $versions {dict get $v sum}]]
        # copies that are alike are one line, and those of them that nothing was sampled in another one
        set sums {}
        set idle {}
        foreach v $versions {
            set words [::heatscope::fmt plain [dict get $v version_text]]
            foreach {key text} [list vector_width [expr {[dict get $v is_vector] ? ", \u00d7%d" : ", parts packed by %d"}] interleave [expr {[dict get $v is_vector] ? ", %d vectors at once" : ", interleaved %d"}] unroll ", unrolled %d"] {
                if {[dict get $v $key] > 1} {
                    append words [format $text [dict get $v $key]]
                }
            }
            set key [list [expr {[dict get $v is_vector] ? "good" : "fact"}] $words]
            if {[dict get $v known] && [dict get $v sum] == 0} {
                dict incr idle $key
                continue
            }
            lappend key [dict get $v known]
            lassign [expr {[dict exists $sums $key] ? [dict get $sums $key] : {0 0}}] n sum
            dict set sums $key [list [expr {$n + 1}] [expr {$sum + [dict get $v sum]}]]
        }
        foreach item [lsort -decreasing -real -index 2 [lmap {key value} $sums {list $key {*}$value}]] {
            lassign $item key n sum
            lassign $key kind words known
            lappend out [dict create kind $kind text "$words[my Copies $n]" right [expr {$known ? "[$Run amount $metric $sum]  [::heatscope::fmt percent $sum $all]" : ""}] \
                bar [expr {$all > 0 ? $sum / $all : 0.0}]]
        }
        dict for {key n} $idle {
            lassign $key kind words
            lappend out [dict create kind $kind text "$words[my Copies $n]" right [expr {[$Run exact $metric] ? "none here" : "no samples"}] bar 0.0]
        }
        return $out
    }
    # Loops inside that were unrolled fully: their code is the loop's. Of such a loop, which one that is.
    method Unrolled {scope metric} {
        set out {}
        set known [$Db unrolled $scope -metric $metric]
        set round [dict get $known round]
        if {$round >= 0} {
            lassign [$Run placeOf $round] file line
            lappend out [dict create kind fact text "unrolled fully: counted in the loop round it, [my Place $file $line]" file $file line $line scope $round]
        }
        if {[llength [dict get $known inside]]} {
            lappend out [dict create kind section text "Loops inside, unrolled fully" right [llength [dict get $known inside]]]
            foreach loop [dict get $known inside] {
                lassign [$Run placeOf [dict get $loop scope]] file line
                lappend out [dict create kind fact text "at [my Place $file $line]" file $file line $line scope [dict get $loop scope] \
                    right "[$Run amount $metric [dict get $loop sum]]  [::heatscope::fmt percent [dict get $loop sum] [$Run total $metric]]"]
            }
        }
        return $out
    }
    method Copies {n} { return [expr {$n > 1 ? " ($n copies)" : ""}] }
    method Remarks {scope metric axis} {
        # those of the vectoriser first
        set first {}
        set then {}
        foreach r [$Db remarks $scope -n 100] {
            if {[dict get $r pass] eq "loop-vectorize" || [dict get $r refuses]} {
                lappend first $r
            } else {
                lappend then $r
            }
        }
        set remarks [concat $first $then]
        set out {}
        set refusal [my Refusal $scope $metric]
        if {$refusal ne "" && [dict get $refusal share] > 0} {
            # a call is the price of what the call keeps scalar
            set all [::tcl::mathop::+ 0 {*}[lmap v [$Db instances $scope -metric $metric -axis $axis] {dict get $v sum}]]
            set more [expr {$all > 0 && [dict get $refusal sum] > 1.005 * $all ? ", with what it calls" : ""}]
            lappend out [dict create kind section text "Vectors refused: [dict get $refusal reason_text]$more" \
                right [::heatscope::fmt percent [dict get $refusal share] 1]]
        }
        set seen {}
        set lines {}
        set moved {}
        foreach r $remarks {
            set told [string trim [lindex [split [::heatscope::fmt plain [dict get $r message]] \u00b7] 0]]
            set words "[dict get $r pass]: $told"
            if {$words in $seen} {
                continue
            }
            lappend seen $words
            # what licm moves out of the loop and what it leaves there is no refusal of vectors; of one place it is one line
            set licm [expr {[dict get $r pass] eq "licm"}]
            set place [list [dict get $r file] [dict get $r line]]
            if {$licm && [dict get $r line] > 0 && [dict exists $moved $place]} {
                set at [dict get $moved $place]
                lset lines $at [dict replace [lindex $lines $at] text "[dict get [lindex $lines $at] text]; $told"]
                continue
            }
            if {$licm} {
                dict set moved $place [llength $lines]
            }
            # what was not inlined, or not packed, is no refusal of the loop
            lappend lines [dict create kind [expr {[dict get $r refuses] ? "bad" : "fact"}] text $words \
                right [expr {[dict get $r line] > 0 ? [my Place [dict get $r file] [dict get $r line]] : ""}] \
                file [dict get $r file] line [dict get $r line]]
        }
        if {[llength $lines]} {
            if {![llength $out]} {
                lappend out [dict create kind section text "Remarks of the compiler" right [llength $lines]]
            }
            lappend out {*}$lines
        }
        return $out
    }
    method Dependences {scope} {
        set list [$Db dependences $scope -n 100]
        if {![llength $list]} {
            return {}
        }
        set out [list [dict create kind section text "Dependences between iterations" right [llength $list]]]
        foreach d $list {
            set words "[dict get $d kind], [dict get $d verdict]"
            if {[dict get $d distance] ne ""} {
                append words ", distance [dict get $d distance]"
            }
            set kind [expr {[dict get $d prevents] ? "bad" : "fact"}]
            lappend out [dict create kind $kind text "$words: from" right [my Place [dict get $d source_file] [dict get $d source_line] \
                [dict get $d source_column]] file [dict get $d source_file] line [dict get $d source_line]]
            lappend out [dict create kind $kind text "\u2003to" right [my Place [dict get $d sink_file] [dict get $d sink_line] \
                [dict get $d sink_column]] file [dict get $d sink_file] line [dict get $d sink_line]]
        }
        return $out
    }
}
