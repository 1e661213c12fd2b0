# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The machine code of the procedure by instruction: samples, source lines, versions of loops, jumps; linked with all that is selected.

oo::class create ::heatscope::AssemblyView {
    superclass ::heatscope::View
    variable Path Bus Run Nav Db App Selection Code Shown VarBytes VarSources VarFind How HowWords

    method name {} { return assembly }
    method title {} { return Assembler }
    method focusWidget {} { return $Code }

    method Build {body} {
        set t ::heatscope::theme
        set Shown -1
        set VarBytes 0
        set VarSources 1
        set VarFind {}
        set HowWords {}
        ttk::frame $body.tools -style Card.TFrame -padding [list [$t size pad] [$t dp 4] [$t size pad] [$t dp 2]]
        ttk::checkbutton $body.tools.sources -text "Source lines" -variable [namespace current]::VarSources -takefocus 0 \
            -command [namespace code {my Options}]
        ttk::checkbutton $body.tools.bytes -text Bytes -variable [namespace current]::VarBytes -takefocus 0 -command [namespace code {my Options}]
        ttk::button $body.tools.hot -text "Next hot spot" -takefocus 0 -command [namespace code {my hot 1}]
        ttk::label $body.tools.find -text Find -style Card.Sub.TLabel
        ttk::label $body.tools.how -style Card.Sub.TLabel
        ttk::entry $body.tools.text -width 18 -font HsUI -textvariable [namespace current]::VarFind
        pack $body.tools.sources $body.tools.bytes -side left -padx [list 0 [$t dp 10]]
        pack $body.tools.hot -side right
        pack $body.tools.text $body.tools.find -side right -padx [list 0 [$t dp 8]]
        pack $body.tools.how -side left
        set How $body.tools.how
        bind $body.tools <Configure> [namespace code {my FitTools}]
        bind $body.tools.text <Return> "[namespace code {my findNext 1}]; break"
        bind $body.tools.text <Shift-Return> "[namespace code {my findNext -1}]; break"
        bind $body.tools.text <Escape> "[list focus $body.code]; break"
        bind $body.tools.text <KeyRelease> [namespace code {my Search}]
        set Code [my Widget assembly $body.code -font HsUI -monofont HsMono -takefocus 1 -height [$t dp 160] \
            -yscrollcommand [list $body.scroll set]]
        ttk::scrollbar $body.scroll -style Slim.Vertical.TScrollbar -orient vertical -command [list $Code yview]
        grid $body.tools - -sticky we
        grid $Code $body.scroll -sticky nswe
        grid columnconfigure $body 0 -weight 1
        grid rowconfigure $body 1 -weight 1
        bind $Code <<AssemblyPick>> [namespace code {my OnPick %d}]
        bind $Code <<AssemblyOpen>> [namespace code {my OnOpen %d}]
        bind $Code <<HeatscopeHover>> [namespace code {my OnHover %d}]
        foreach {key action} {h {hot 1} H {hot -1} l nextOfLine j follow y {flip VarBytes} o {flip VarSources} slash toFind} {
            my PaneKey $Code $key [namespace code [list my {*}$action]]
        }
    }

    # How the two runs are compared here, or why there are no numbers.
    method SayHow {words} {
        set HowWords $words
        my FitTools
    }
    # Without room the box has no name; what is left is for the words.
    method FitTools {} {
        set tools [winfo parent $How]
        set room [expr {[winfo width $tools] - [::heatscope::theme dp 70]}]
        foreach w {sources bytes text hot} {
            incr room -[winfo reqwidth $tools.$w]
        }
        if {[winfo reqwidth $tools.find] > $room} {
            pack forget $tools.find
        } else {
            if {[winfo manager $tools.find] eq ""} {
                pack $tools.find -side right -padx [list 0 [::heatscope::theme dp 8]] -after $tools.text
            }
            incr room -[winfo reqwidth $tools.find]
        }
        $How configure -text [expr {$room > 0 ? [::heatscope::fmt clauses $HowWords $room {::heatscope::theme width HsUI}] : ""}]
    }

    # ---- which code ----

    # The procedure whose code has the selection: that of the chosen instruction, the selected one, else where the compiler put it;
    # -1 none.
    method Home {} {
        set chosen [dict get $Selection instruction]
        if {$chosen >= 0} {
            return [dict get [$Db instruction $chosen] procedure]
        }
        set procedure [dict get $Selection procedure]
        set row [my LineRow]
        set places [expr {$row >= 0 ? [lmap pair [$Db codeof line $row] {lindex $pair 0}] : {}}]
        if {$Shown in $places && ![my IsTwin $Shown $procedure]} {
            # a line of what is inlined here is shown here
            return $Shown
        }
        if {$procedure < 0} {
            return -1
        }
        set loop [my Loop]
        if {![llength $places] && $loop >= 0} {
            set places [lmap pair [$Db codeof scope $loop] {lindex $pair 0}]
        }
        # the compiler makes a procedure of its own of each parallel region: its lines and loops are there
        if {[llength $places] && $procedure ni $places} {
            return [lindex $places 0]
        }
        if {[llength [$Db code $procedure]]} {
            return $procedure
        }
        foreach {kind key} [list line $row scope $procedure] {
            if {$key >= 0} {
                set pair [lindex [$Db codeof $kind $key] 0]
                if {$pair ne ""} {
                    return [lindex $pair 0]
                }
            }
        }
        return $procedure
    }
    # Are these two instances of one template?
    method IsTwin {p q} {
        if {$p < 0 || $q < 0 || $p == $q} {
            return 0
        }
        lassign [list [$Db scope $p] [$Db scope $q]] a b
        return [expr {[dict get $a file] == [dict get $b file] && [dict get $a line_begin] == [dict get $b line_begin] && [dict get $a line_begin] > 0}]
    }
    method LineRow {} {
        set file [dict get $Selection file]
        set line [dict get $Selection line]
        return [expr {$file >= 0 && $line > 0 ? [$Db findline $file $line] : -1}]
    }
    method Loop {} {
        set scope [dict get $Selection scope]
        return [expr {$scope >= 0 && [dict get [$Db scope $scope] kind] eq "loop" ? $scope : -1}]
    }
    # Why there is no code of a procedure.
    method Missing {procedure} {
        if {[dict get [$Db info] instructions] == 0} {
            if {[$Run info simulated]} {
                return "simulated runs have no machine code"
            }
            if {[$Run info samples] == 0} {
                return "no samples in this run: it was too short, or measuring was off"
            }
            return "no samples by instruction in this database: an older heatscope made it; correlate the measurement again"
        }
        if {$procedure < 0} {
            return "no procedure is selected"
        }
        set facts [$Db scope $procedure]
        set module [dict get $facts module]
        set name [::heatscope::fmt shortName [::heatscope::fmt plain [dict get $facts name]]]
        if {$module >= 0} {
            set m [$Db module $module]
            if {[dict get $m knowledge] in {module nothing}} {
                return "$name: no code of [::heatscope::fmt baseName [dict get $m path]]: [::heatscope::fmt plain [dict get $m note]]"
            }
        }
        return "$name has no samples in machine code of its own"
    }

    method Show {changed} {
        set s $Selection
        if {[my Any $changed procedure line file scope instruction metric axis processors interval category colours scale show]} {
            set home [my Home]
            set moved [expr {$home != $Shown}]
            set Shown $home
            set row [my LineRow]
            set chosen [dict get $s instruction]
            $Code configure {*}[my Common] {*}[[$App comparison] options [dict get $s show]] -procedure $home -line $row -scope [my Loop] -selected $chosen -range [dict get $s processors] \
                -colours [dict get $s colours] -scaling [dict get $s scale] -empty [my Missing $home]
            if {$chosen >= 0} {
                if {$moved || [my Any $changed instruction]} {
                    $Code see $chosen
                }
            } elseif {$moved || [my Any $changed line scope file]} {
                my ShowMarked $moved
            }
        }
        if {[my Any $changed search] && [string trim [dict get $s search]] ne ""} {
            set VarFind [string trim [dict get $s search]]
            $Code configure -search $VarFind
        }
        my Facts
    }
    # Scrolls to the hottest instruction of the selected line, or loop; of the loop too where its code comes into view with the line that it begins on.
    method ShowMarked {opens} {
        set first [$Code hottest line]
        set loop [my Loop]
        if {$first eq "" || ($opens && $loop >= 0 && [dict get [$Db scope $loop] line_begin] == [dict get $Selection line])} {
            set of [$Code hottest loop]
            set first [expr {$of ne "" ? $of : $first}]
        }
        if {$first ne "" && [dict get $first instruction] >= 0} {
            $Code see [dict get $first instruction]
        }
    }
    method Facts {} {
        set sum [$Code summary]
        my SayHow ""
        if {[dict get $sum instructions] == 0} {
            my subtitle ""
            return
        }
        set name [$Run scopeTitle $Shown]
        if {[dict get $sum uncounted]} {
            set part [expr {[dict get $Selection interval] ne "" ? "interval" : "choice of a category"}]
            my subtitle "$name \u00b7 this database (of an older version, or --time=none) knows samples by instruction of the whole run only: Esc ends the $part"
            my SayHow "No samples: they are known of the whole run only (Esc)"
            return
        }
        set words "$name \u00b7 [::heatscope::fmt percent [dict get $sum sum] [dict get $sum total]] of [$Run whole [dict get $Selection metric]]"
        set change [[$App comparison] scope $Shown [dict get $Selection metric]]
        if {$change ne ""} {
            append words ", other run [[$App comparison] amount $change [dict get $Selection metric]][expr {[dict get $change beyond] ? "" : " (noise)"}]"
        }
        if {[my Comparing]} {
            append words " \u00b7 [my ComparedWords $sum]"
            my SayHow [string toupper [my ComparedWords $sum] 0 0]
        } elseif {$VarFind ne "" && [$Code cget -search] ne ""} {
            append words " \u00b7 found [dict get $sum hits], [::heatscope::fmt percent [dict get $sum hits_sum] [dict get $sum total]]"
        } elseif {[dict get $sum line_instructions] > 0} {
            append words " \u00b7 line [dict get $Selection line]: [::heatscope::fmt plural [dict get $sum line_instructions] instruction]," \
                " [::heatscope::fmt percent [dict get $sum line_sum] [dict get $sum total]]"
            # several instances of a template may be inlined here
            if {[dict get $sum own_instructions] ni [list 0 [dict get $sum line_instructions]]} {
                append words ", [dict get $sum own_instructions] of [$Run scopeTitle [dict get $Selection procedure]]," \
                    " [::heatscope::fmt percent [dict get $sum own_sum] [dict get $sum total]]"
            }
            set places [$Db codeof line [my LineRow]]
            if {[llength $places] > 1} {
                append words ", also in [::heatscope::fmt plural [expr {[llength $places] - 1}] {other procedure}]"
            }
        } elseif {[dict get $sum loop_instructions] > 0} {
            append words " \u00b7 loop: [::heatscope::fmt plural [dict get $sum loop_instructions] instruction]," \
                " [::heatscope::fmt percent [dict get $sum loop_sum] [dict get $sum total]]"
        }
        my subtitle $words
        if {$HowWords eq "" && [set why [my NotDisassembled]] ne ""} {
            my SayHow "Not disassembled: $why"
        }
    }
    # Why no piece of the procedure's code is; "" where one is.
    method NotDisassembled {} {
        set parts [$Db code $Shown]
        if {1 in [lmap part $parts {dict get $part disassembled}]} {
            return ""
        }
        return [::heatscope::fmt plain [lindex [lsearch -all -inline -not -exact [lmap part $parts {dict get $part note}] ""] 0]]
    }

    # ---- what users do; also for scripts ----

    method Options {} {
        $Code configure -bytes $VarBytes -sources $VarSources
    }
    method flip {which} {
        set $which [expr {![set $which]}]
        my Options
    }
    # An instruction, by its row of the database's table: its line, loop and procedure are selected everywhere.
    method pick {row} {
        $Nav instruction assembly $row
    }
    # The next instruction in the order of falling samples; the previous one.
    method hot {step} {
        set hit [$Code hot $step]
        if {$hit ne ""} {
            my pick [dict get $hit instruction]
        }
    }
    # The next instruction of the selected line, round again.
    method nextOfLine {} {
        set row [my LineRow]
        set first [$Code hottest line]
        if {$row < 0 || $first eq ""} {
            return
        }
        set n [$Code count]
        set chosen [dict get $Selection instruction]
        set at [expr {$chosen >= 0 ? [$Code index $chosen] : -1}]
        for {set i [expr {$at + 1}]} {$i < $n && $i < $at + 20000} {incr i} {
            set d [$Code row $i]
            if {[dict get $d part] eq "instruction" && [dict get $d row] == $row} {
                my pick [dict get $d instruction]
                return
            }
        }
        my pick [dict get $first instruction]
    }
    # To where the selected instruction goes: a jump's target, a called procedure.
    method follow {} {
        set chosen [$Bus get instruction]
        if {$chosen < 0} {
            return
        }
        set target [dict get [$Db instruction $chosen] target]
        if {$target >= 0} {
            my pick $target
        }
    }
    method toFind {} {
        focus $Path.body.tools.text
    }
    method Search {} {
        $Code configure -search $VarFind
        my Facts
    }
    method find {text {step 1}} {
        set VarFind $text
        $Code configure -search $text
        my findNext $step
    }
    method findNext {step} {
        $Code configure -search $VarFind
        if {$VarFind ne ""} {
            set hit [$Code find $VarFind $step]
            if {$hit ne ""} {
                my pick [dict get $hit instruction]
            }
        }
        my Facts
    }

    # ---- events ----

    method OnPick {hit} {
        if {[dict get $hit part] eq "instruction"} {
            my pick [dict get $hit instruction]
        } elseif {[dict get $hit part] eq "loop" && [dict get $hit instance] >= 0} {
            $Nav scope assembly [dict get [$Db instance [dict get $hit instance]] scope]
        } elseif {[dict get $hit part] eq "source" && [dict get $hit file] >= 0 && [dict get $hit line] > 0} {
            $Nav line assembly [dict get $hit file] [dict get $hit line]
        }
    }
    # By what the two runs are compared here.
    method ComparedWords {sum} {
        if {![dict get $sum compared]} {
            return "the other run has no such metric"
        } elseif {[dict get $Selection processors] ne ""} {
            return "not compared by processor: by line and loop, of all processors"
        } elseif {[dict get $sum same] >= [dict get $sum instructions]} {
            return "the same code in both, by instruction"
        } elseif {[dict get $sum same] > 0} {
            return "by instruction where both have the same code, else by line and loop (all copies)"
        }
        return "other code there: compared by line and loop (all copies)"
    }
    method OnOpen {hit} {
        if {[dict get $hit part] eq "instruction"} {
            my pick [dict get $hit instruction]
            my follow
        }
    }
    method Words {hit} {
        if {[dict get $hit part] ne "instruction"} {
            return "[dict get $hit text]  [dict get $hit place]"
        }
        set text "[dict get $hit address]  [string map {\t { }} [dict get $hit text]]: [my Samples [dict get $hit count]]"
        append text ", [::heatscope::fmt percent [dict get $hit share] 1] of [$Run whole [dict get $Selection metric]]"
        if {[dict get $hit theirs] ne ""} {
            append text "; other run: [my Samples [dict get $hit theirs]] ([[$App comparison] words [dict get $Selection show] [dict get $hit change] [dict get $Selection metric]])"
        }
        foreach {key before} {place {} version {} inlined {}} {
            if {[dict get $hit $key] ne ""} {
                append text "; $before[dict get $hit $key]"
            }
        }
        return $text
    }
    method OnHover {hit} {
        my Read [expr {$hit eq "" ? "" : [my Words $hit]}]
    }

    # ---- as data ----

    method table {} {
        set rows [list [list address operation operands comment place version inlined [$Run countWord]s share]]
        set n [$Code count]
        for {set i 0} {$i < $n} {incr i} {
            set d [$Code row $i]
            if {[dict get $d part] eq "instruction"} {
                lassign [split [dict get $d text] \t] operation operands comment
                lappend rows [list [dict get $d address] $operation $operands $comment [dict get $d place] [dict get $d version] \
                    [dict get $d inlined] [dict get $d count] [dict get $d share]]
            }
        }
        return $rows
    }
    method state {} {
        return [dict create bytes $VarBytes sources $VarSources]
    }
    method restore {state} {
        foreach {key variable} {bytes VarBytes sources VarSources} {
            if {[dict exists $state $key] && [dict get $state $key] in {0 1}} {
                set $variable [dict get $state $key]
            }
        }
        my Options
    }
    method describe {} {
        set why [expr {[$Code count] ? [my NotDisassembled] : ""}]
        return "Assembler: [my fullSubtitle]\n[expr {$why ne "" ? "Not disassembled: $why\n" : ""}][$Code describe]"
    }
}
