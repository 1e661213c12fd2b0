# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Numbers and names as people read them.

namespace eval ::heatscope::fmt {
    namespace export count short mean brief seconds amount percent ratio grouped groupedIn joints elide baseName plural
    namespace ensemble create

    # Count with thin grouping: 38 211 204.
    proc grouped {n} {
        set n [format %.0f $n]
        set sign {}
        if {[string index $n 0] eq "-"} {
            set sign \u2212
            set n [string range $n 1 end]
        }
        set out {}
        while {[string length $n] > 3} {
            set out "\u2009[string range $n end-2 end]$out"
            set n [string range $n 0 end-3]
        }
        return $sign$n$out
    }

    # An amount in fewer digits, with its unit: "4.4 MB" for 4.36 MB.
    proc brief {v unit} {
        return [string trimright [regsub {([kMGT]?)$} [short $v] " \\1$unit"]]
    }
    # At most four characters and a letter: 2046, 12k, 1.2M.
    proc short {n} {
        set a [expr {abs($n)}]
        if {$a < 10000} {
            return [format %.0f $n]
        }
        foreach {limit unit} {1e6 k 1e9 M 1e12 G 1e15 T} {
            if {$a < $limit} {
                set v [expr {$n / ($limit / 1e3)}]
                return [expr {abs($v) < 9.95 ? [format %.1f $v] : [format %.0f $v]}]$unit
            }
        }
        return [format %.1e $n]
    }

    # A mean of counts: 0.5, 7.3, 12, 12k.
    proc mean {v} {
        return [expr {abs($v) < 9.95 && abs($v - round($v)) >= 0.05 ? [format %.1f $v] : [short $v]}]
    }

    proc seconds {s} {
        set a [expr {abs($s)}]
        if {$a == 0} {
            return "0 s"
        } elseif {$a < 0.9995e-6} {
            return [format "%.0f ns" [expr {$s * 1e9}]]
        } elseif {$a < 0.9995e-3} {
            return [format "%.0f \u00b5s" [expr {$s * 1e6}]]
        } elseif {$a < 0.09995} {
            return [format "%.1f ms" [expr {$s * 1e3}]]
        } elseif {$a < 9.995} {
            return [format "%.2f s" $s]
        } elseif {$a < 999.95} {
            return [format "%.1f s" $s]
        } elseif {$a < 36000} {
            return [grouped $s]\u00a0s
        }
        return [format "%.1f h" [expr {$s / 3600.0}]]
    }

    # In the unit of a metric: seconds, bytes with decimal prefixes, plain numbers.
    proc amount {v unit} {
        if {$unit eq "s"} {
            return [seconds $v]
        }
        set a [expr {abs($v)}]
        foreach {limit prefix} {1e3 "" 1e6 k 1e9 M 1e12 G 1e15 T 1e18 P} {
            if {$a < $limit} {
                set v [expr {$v / ($limit / 1e3)}]
                set digits [expr {$prefix eq "" ? 0 : abs($v) < 9.95 ? 2 : abs($v) < 99.5 ? 1 : 0}]
                return [string trimright "[format %.*f $digits $v] $prefix$unit"]
            }
        }
        return "[format %.2e $v] $unit"
    }

    proc percent {part whole {digits 1}} {
        if {$whole <= 0} {
            return "\u2013"
        }
        return [format "%.*f %%" $digits [expr {100.0 * $part / $whole}]]
    }
    # Whole percents, "<1" when there is a little.
    proc share {part whole} {
        if {$whole <= 0} {
            return "\u2013"
        }
        set p [expr {100.0 * $part / $whole}]
        return [expr {$p > 0 && $p < 0.5 ? "<1" : [format %.0f $p]}]
    }

    proc ratio {a b} {
        if {$b <= 0} {
            return "\u2013"
        }
        set r [expr {double($a) / $b}]
        # a number that went through expr would lose its last zeros
        return [format %.[expr {$r < 10 ? 2 : $r < 100 ? 1 : 0}]f $r]
    }

    # Shortens in the middle (paths) or at the end, by characters.
    proc elide {text n {where end}} {
        if {[string length $text] <= $n} {
            return $text
        }
        if {$where eq "start"} {
            return \u2026[string range $text end-[expr {$n - 2}] end]
        }
        return [string range $text 0 [expr {$n - 2}]]\u2026
    }

    # Shortens to a width in pixels with a measuring command: {*}$measure text -> pixels.
    proc fit {text width measure} {
        if {[{*}$measure $text] <= $width} {
            return $text
        }
        set low 0
        set high [string length $text]
        while {$low < $high} {
            set middle [expr {($low + $high + 1) / 2}]
            if {[{*}$measure [string range $text 0 $middle-1]\u2026] <= $width} {
                set low $middle
            } else {
                set high [expr {$middle - 1}]
            }
        }
        return [expr {$low ? "[string range $text 0 $low-1]\u2026" : ""}]
    }

    # What a reference moves by from one iteration to the next: "stride 24 B", "contiguous", "through an index array", "stride not known".
    proc stride {reference} {
        set words [dict get $reference stride]
        if {[dict get $reference stride_bytes] ne ""} {
            set words "[dict get $reference stride_bytes] B"
        } elseif {$words ni {"not known" constant "the same in each iteration, known to the run"}} {
            return $words
        }
        return "stride $words"
    }

    # The same for "what: why": of a why that has no room for its first word or two nothing is shown. "" where only a few letters would stay.
    proc chip {text width measure} {
        set cut [fit $text $width $measure]
        set colon [string first ": " $text]
        if {$cut ne $text && [string length $cut] < 8} {
            return ""
        }
        if {$cut eq $text || $colon < 0 || [string length $cut] <= $colon || [string length $cut] - $colon - 3 >= 9} {
            return $cut
        }
        return [string range $text 0 $colon-1]\u2026
    }

    # Shortens to a width at a comma, a semicolon or a dot between facts, so that nothing is cut in the middle; a first part that does not
    # fit by itself goes, unless it is long (a name) and most of it is left.
    proc clauses {text width measure} {
        if {[{*}$measure $text] <= $width} {
            return $text
        }
        set first $text
        foreach pair [lreverse [regexp -all -inline -indices {\s*(?:\u00b7|[,;])\s} $text]] {
            set first [string range $text 0 [lindex $pair 0]-1]
            if {[{*}$measure $first] <= $width} {
                return $first
            }
        }
        set cut [fit $first $width $measure]
        return [expr {[string length $first] >= 16 && 2 * [string length $cut] > [string length $first] ? $cut : ""}]
    }

    # Last part of a path; made with string commands, so that no odd name ("~x") is expanded.
    proc baseName {path} {
        set trimmed [string trimright $path /]
        return [string range $trimmed [expr {[string last / $trimmed] + 1}] end]
    }

    # "exchange_1.f:134 or 170" of the keys filename, line and also, with a prefix; "" without a file. also: other lines of a call
    # that the compiler made one of several.
    proc place {d {prefix {}}} {
        set name [plain [baseName [dict get $d ${prefix}filename]]]
        if {$name eq "" || [dict get $d ${prefix}line] <= 0} {
            return $name
        }
        append name : [dict get $d ${prefix}line]
        if {[dict exists $d ${prefix}also] && [dict get $d ${prefix}also] ne ""} {
            append name " [dict get $d ${prefix}also]"
        }
        return $name
    }

    # Text from a file made fit for one line on the screen: control characters become visible.
    proc plain {text} {
        if {![regexp {[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]} $text]} {
            return $text
        }
        return [regsub -all {[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]} $text \u00b7]
    }

    # A sentence whose numbers stay in a line with their units: "45.1 %", "152 MB", "0.59 s" with a space that does not break.
    proc together {text} {
        return [regsub -all {(\d) (%|[num\u00b5k]?s|[kMGTP]?B|h|k?Hz)(?![[:alnum:]_])} $text "\\1\u00a0\\2"]
    }

    # A text in pieces: a line may break between them, besides at blanks. They end at the joints of long paths: "a[]|.member->other|[index]", "folder/|file.c:12".
    proc joints {text} {
        set pieces {}
        set at 0
        foreach word [regexp -all -inline -indices {\S{20,}} $text] {
            lassign $word first last
            set from $first
            foreach joint [regexp -all -inline -indices {(?:\w|\]|\))(?=\.[A-Za-z_]\w{3}|->|\[[^]])|/(?=\w)|::(?=\w)} [string range $text $first $last]] {
                set end [expr {$first + [lindex $joint 1]}]
                if {$end - $from >= 3 && $last - $end >= 3} {
                    lappend pieces [string range $text $at $end]
                    set from [set at [expr {$end + 1}]]
                }
            }
        }
        return [lappend pieces [string range $text $at end]]
    }

    # Numbers in a sentence as `grouped` has them: counts and times, not numbers of lines, ranks or addresses.
    proc groupedIn {text} {
        set out {}
        set at 0
        foreach range [regexp -all -inline -indices {(?:^|[\s(~\u2212+])(\d{4,})(?=\.\d|[\s),;]|\.?$|\.\s)} $text] {
            if {[incr n] % 2} continue
            lassign $range first last
            if {![regexp {(?:lines?|column|or|to|ranks?|threads?|process|node|pid|job|line \d+ and)\s$} [string range $text 0 $first-1]]} {
                append out [string range $text $at $first-1] [grouped [string range $text $first $last]]
                set at [expr {$last + 1}]
            }
        }
        return $out[string range $text $at end]
    }

    # Rust's <m::Disk as m::Shape>::area as Disk::area: the type's own name, what it is looked at as left out. Other names as they are.
    proc ofType {name} {
        if {[string index $name 0] ne "<"} {
            return $name
        }
        set depth 0
        set type 1
        set end -1
        for {set i 0} {$i < [string length $name]} {incr i} {
            set c [string index $name $i]
            if {$c in {< ( \[}} {
                incr depth
            } elseif {$c in {) \]} || ($c eq ">" && [string index $name $i-1] ne "-")} {
                if {[incr depth -1] == 0} {
                    break
                }
            } elseif {$depth == 1 && $end < 0 && [string range $name $i $i+3] eq " as "} {
                set end $i
            } elseif {$depth == 1 && $end < 0 && [string range $name $i $i+1] eq "::"} {
                set type [expr {$i + 2}]
            }
        }
        if {$depth || [string range $name $i+1 $i+2] ne "::"} {
            return $name
        }
        return [string range $name $type [expr {$end < 0 ? $i : $end}]-1][string range $name $i+1 end]
    }
    # Template arguments of 12 letters at most marked as what stays: <double>, <0, 1>, <(Kind)2>.
    proc shortArguments {s} {
        foreach arguments [lsort -unique [regexp -all -inline {<(?:\(\w+\))?[\w:.]+(?:, ?(?:\(\w+\))?[\w:.]+)*>} $s]] {
            if {[string length $arguments] <= 14} {
                set s [string map [list $arguments [string map {< \u0006 > \u0007 ", " \u000e ( \u000f ) \u0010} $arguments]] $s]
            }
        }
        return $s
    }
    # A procedure that the compiler wrote of an intrinsic one, in a word: "sum of a 2-dimensional array" is sum.
    proc intrinsic {name} { return [regsub { of an? \d+-dimensional array$} [shortName $name] {}] }
    # A procedure's name for a list: without parameters, template arguments as <...> but for short words; the whole name is for read-outs.
    proc shortName {name} {
        variable Short
        if {[string first ( $name] < 0 && [string first < $name] < 0} {
            return [plain $name]
        }
        if {[info exists Short($name)]} {
            return $Short($name)
        }
        set s [ofType [plain $name]]
        # operators keep their brackets
        set s [regsub -all {operator\s*\(\)} $s "operator\u0001\u0002"]
        set s [regsub -all {operator\s*<<} $s "operator\u0003\u0003"]
        set s [regsub -all {operator\s*<=>} $s "operator\u0003=\u0004"]
        set s [regsub -all {operator\s*<} $s "operator\u0003"]
        set s [regsub -all {operator\s*->} $s "operator-\u0004"]
        set s [regsub -all {operator\s*>>} $s "operator\u0004\u0004"]
        set s [regsub -all {operator\s*>} $s "operator\u0004"]
        # of a type within arguments the name alone
        set s [string map {"((anonymous namespace)::" (} $s]
        set s [regsub -all {\((anonymous \w+)\)} [string map {"(anonymous namespace)" "{anonymous}"} $s] {{\1}}]
        set s [shortArguments $s]
        while {[regsub -all {<[^<>]*>} $s "\u0005" s]} {}
        # parameters inside of the name: of the function that a lambda or a local class is in, and a lambda's own
        while {[regsub -all {\([^()]*\)(?: const)?(::|#\d+\})} $s {\1} s]} {}
        # the parameter list is the last balanced pair of parentheses; what follows it are qualifiers
        if {[regexp {^(.*)\(([^()]|\([^()]*\))*\)[^()]*$} $s -> head] && $head ne ""} {
            set s $head
        }
        # a return type in front of a template's name, also of an operator's
        if {[regexp {^\S.* ([^ ]*\moperator.*)$} $s -> tail]
            || ([regexp {^\S.* ([^ ]*[\w~\u0001-\u0007]+)$} $s -> tail] && ![regexp {operator} $s])} {
            set s $tail
        }
        set s [string map [list \u0005 <\u2026> \u0001 ( \u0002 ) \u0003 < \u0004 > \u0006 < \u0007 > \u000e ", " \u000f ( \u0010 )] $s]
        if {[array size Short] > 5000} {
            array unset Short
        }
        return [set Short($name) $s]
    }
    # A kind of wait in the report's short words, where a column has no room for more.
    proc waitKind {kind} {
        return [string map {"late at a collective operation of all" "late at collective" "late at a barrier of threads" "thread barrier"
            "held a lock of a window" "lock of a window"} $kind]
    }
    # An array's type as the language of its file writes it: real [][11] is real(:,11) in Fortran.
    proc arrayType {text filename} {
        if {[::heatscope::lexer language $filename] ni {fortran fixed} || ![regexp {^(.*\S) ((?:\[\d*\])+)$} $text - element bounds]} {
            return [type $text]
        }
        return "$element\([join [lmap {- n} [regexp -all -inline {\[(\d*)\]} $bounds] {expr {$n eq "" ? ":" : $n}}] ,])"
    }
    # A type of C++ without the allocators that containers have anyway.
    proc type {text} {
        while {[regsub -all {,\s*std::allocator<(?:[^<>]|<[^<>]*>)*>\s*} $text "" text]} {}
        return $text
    }
    # A name without the arguments of templates but for short words: std::vector<int>::operator[]()[], std::vector<\u2026>; all else stays.
    proc arguments {text} {
        if {[string first < $text] < 0} {
            return $text
        }
        set s [string map [list -> \u0004 operator<< \u0003 operator< \u0002] [type $text]]
        set s [shortArguments $s]
        while {[regsub -all {<[^<>]*>} $s "\u0005" s]} {}
        return [string map [list \u0002 operator< \u0003 operator<< \u0004 -> \u0005 <\u2026> \u0006 < \u0007 > \u000e ", " \u000f ( \u0010 )] $s]
    }
    # What follows the last ::, with operators whole; a lambda's with the function that it is in: generate::{lambda#1}.
    proc lastName {short} {
        if {[regexp {((?:[^:]+::)?\{lambda#\d+\})(?:::operator\(\))?$} $short -> lambda]} {
            return $lambda
        }
        set at [string last :: $short]
        return [expr {$at <= 0 ? $short : [string range $short $at+2 end]}]
    }
    namespace export shortName intrinsic lastName type arguments arrayType waitKind

    # "lines 213–238", "line 7"
    proc span {first last} {
        return [expr {$last > $first ? "lines $first\u2013$last" : "line $first"}]
    }

    proc plural {n one {many {}}} {
        if {$n == 1} {
            return "1 $one"
        }
        return "[grouped $n] [expr {$many eq "" ? "${one}s" : $many}]"
    }
    namespace export share fit chip clauses plain place span together stride
}
