# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# One window on one database: tool bar, findings, views in panes, status line, keys.

oo::class create ::heatscope::App {
    variable Top Bus Run Nav Finder Path Panes Comparison Hits HitAt Found ReadLater Later LaterTimer
    variable VarBin VarMetric VarScale VarColours Told Search SearchNote Closing

    # top: path of a toplevel, "." included; db: handle; options: {theme T size WxH select TEXT axis A}
    constructor {top db options} {
        set Top $top
        set Run [::heatscope::Run new $db]
        set Bus [::heatscope::Bus new [::heatscope::settings get historyLength]]
        # ahead of all views: what they read is of the interval
        $Bus subscribe [namespace code {my OnInterval}] {interval category metric}
        set Nav [::heatscope::Navigator new $Bus $Run]
        set Finder [::heatscope::Search new $Run $Nav]
        set Comparison [::heatscope::Comparison new $Run [expr {[dict exists $options compare] ? [dict get $options compare] : ""}]]
        set Path [expr {$top eq "." ? "" : $top}]
        set Hits {}
        set Found {hits {} share 0 words {}}
        set HitAt -1
        set ReadLater {}
        set Later {}
        set LaterTimer {}
        set Closing 0
        set Told 0
        $Bus set start skip [::heatscope::settings get skipLines]
        if {[$Comparison any]} {
            $Bus set start show difference
        }
        set unread ""
        try {
            $Nav start
        } trap {HEATSCOPE DB} message {
            # the window opens all the same: its views say what can't be read
            set unread $message
        }
        if {[dict exists $options axis]} {
            $Nav axis start [dict get $options axis]
        }
        if {[dict exists $options select] && ![$Nav named start [dict get $options select]]} {
            puts stderr "heatscope view: --select: nothing is called '[dict get $options select]'"
        }
        my Build
        ::heatscope::theme Menus $Top
        my Keys
        $Bus subscribe [namespace code {my OnSelection}]
        if {[$Comparison any]} {
            $Panes raise compare
        }
        my Reflect [$Bus get]
        if {$unread ne ""} {
            my Tell [::heatscope::fmt plain $unread]
        }
        wm protocol $Top WM_DELETE_WINDOW [namespace code {my quit}]
        wm title $Top "[$Run title] \u2013 Heatscope"
        bind $Top <Destroy> +[namespace code [list my OnDestroy %W]]
    }
    destructor {
        after cancel $LaterTimer
        foreach object [list $Comparison $Finder $Nav $Bus $Run] {
            catch {$object destroy}
        }
    }
    method OnDestroy {w} {
        if {$w eq $Top && !$Closing} {
            set Closing 1
            after idle [namespace code {my destroy}]
        }
    }

    # Fills the window, which is on the screen by now.
    method open {} {
        update
        if {[info object isa object [self]] && [winfo exists $Path.main]} {
            $Panes open
        }
    }

    method bus {} { return $Bus }
    method run {} { return $Run }
    method navigator {} { return $Nav }
    method comparison {} { return $Comparison }
    method top {} { return $Top }
    method view {name} {
        return [$Panes view $name]
    }
    # Name of a view from what a script calls it.
    method viewName {text} {
        return [$Panes named $text]
    }
    # Brings a view to the front.
    method raise {name} {
        $Panes raise $name
    }

    # ---- building ----

    method Build {} {
        set t ::heatscope::theme
        set gap [$t size paneGap]
        my BuildTools
        set context [list bus $Bus run $Run nav $Nav app [self]]
        set Panes [::heatscope::Panes new $Path.main $context]
        bind $Path.main <Configure> +[list after idle [namespace code {my TrimTools}]]
        ttk::frame $Path.status -padding [list [$t size pad] [$t dp 5]]
        ttk::label $Path.status.read -style Tool.TLabel -text ""
        ttk::label $Path.status.hint -style Tool.TLabel -text \
            "\u2190 \u2192 \u2191 \u2193 move   n next hot spot   p hot path   Enter in   Esc out   Ctrl-F find   F1 keys"
        ::heatscope::progress $Path.status.progress -takefocus 0 -font HsUI -scale [$t scale] -width [$t dp 230] \
            -height [expr {[font metrics HsUI -linespace] + [$t dp 4]}] -background [$t colour window]
        pack $Path.status.hint -side right
        pack $Path.status.progress -side right -padx [$t dp 8]
        pack $Path.status.read -side left -fill x -expand 1
        grid $Path.tools -sticky we
        grid $Path.main -sticky nswe -padx $gap
        grid $Path.status -sticky we
        set holder [expr {$Top eq "." ? "." : $Top}]
        grid columnconfigure $holder 0 -weight 1
        grid rowconfigure $holder 1 -weight 1
    }

    method BuildTools {} {
        set t ::heatscope::theme
        set f [ttk::frame $Path.tools -padding [list [$t size pad] [$t dp 8] [$t size pad] [$t dp 8]]]
        ttk::label $f.title -style Title.TLabel -text [::heatscope::fmt elide [$Run title] 40]
        ttk::button $f.interval -takefocus 0 -command [namespace code {my Set interval {}}]
        ttk::label $f.facts -style Sub.TLabel -text [$Run facts] -width 30
        pack $f.title -side left

        ttk::label $f.key -style Tool.TLabel -text Ctrl+F
        set Search [ttk::entry $f.search -width 28 -font HsUI]
        set SearchNote [ttk::label $f.note -style Tool.TLabel -text ""]
        pack $f.key -side right -padx [list [$t dp 6] 0]
        pack $Search -side right
        pack $SearchNote -side right -padx [$t dp 6]
        my Placeholder
        bind $Search <KeyRelease> [namespace code {my Typed %K}]
        bind $Search <Return> [namespace code {my searchStep 1}]
        bind $Search <Shift-Return> [namespace code {my searchStep -1}]
        bind $Search <Escape> "[namespace code {my endSearch}]; break"
        bind $Search <Down> "[namespace code {my searchStep 1}]; break"
        bind $Search <Up> "[namespace code {my searchStep -1}]; break"
        bind $Search <FocusIn> [namespace code {my Placeholder}]
        bind $Search <FocusOut> [namespace code {my Placeholder}]

        lassign [$Run words process] one many
        foreach {name label choices} [list \
                processors Processors [my AxisChoices] colours Colours [my Choices colours] \
                scale Scale [my Choices scale]] {
            my Menu $f $name $label $choices
        }
        if {[$Comparison any]} {
            my Menu $f show Show [my Choices show]
        }
        set metrics {}
        set i 0
        foreach metric [$Run metrics] {
            lappend metrics [::heatscope::fmt plain $metric] [list metric $i]
            incr i
        }
        my Menu $f metric Metric $metrics
        $f.metric.menu configure -postcommand [namespace code {my PostCategories}]
        ttk::frame $f.bin
        foreach bin [::heatscope::settings get words bins] {
            ttk::radiobutton $f.bin.$bin -style Segment.TRadiobutton -text $bin -value $bin \
                -variable [namespace current]::VarBin -command [namespace code [list my Set bin $bin]] -takefocus 0
            pack $f.bin.$bin -side left
        }
        ttk::label $f.binlabel -style Tool.TLabel -text "Bin by"
        pack $f.bin -side right -padx [list [$t dp 8] [$t dp 12]]
        pack $f.binlabel -side right
        # the facts take what is left
        pack $f.facts -side left -padx [list [$t dp 14] [$t dp 14]] -fill x -expand 1
        bind $f.facts <Configure> [namespace code {my FitFacts %w}]
    }
    method FitFacts {width} {
        $Path.tools.facts configure -text [::heatscope::fmt clauses [$Run facts] $width {font measure HsUI}]
    }
    method Choices {key} {
        set list {}
        set plural [dict get {colours colours scale scales show shows} $key]
        foreach value [::heatscope::settings get words $plural] {
            lappend list [my Word $value] [list $key $value]
        }
        return $list
    }
    method Word {value} {
        return [dict get {value "this run" difference difference ratio ratio log log linear linear inferno Inferno viridis Viridis cividis Cividis classic
            "Classic (blue-green-red)"} $value]
    }
    method AxisChoices {} {
        lassign [$Run words process] one many
        return [list "$many (threads added up)" {axis process} "threads" {axis thread} \
            "cells as the width allows" {group auto} "a cell for each host" {group host} "4 in a cell" {group 4} \
            "16 in a cell" {group 16} "64 in a cell" {group 64} "256 in a cell" {group 256} \
            "sorted by number" {sort number} "sorted by load" {sort load} "all, no selection" {processors {}}]
    }
    method Menu {f name label choices} {
        set t ::heatscope::theme
        ttk::label $f.${name}label -style Tool.TLabel -text $label
        ttk::menubutton $f.$name -menu $f.$name.menu -takefocus 0
        menu $f.$name.menu
        foreach {text setting} $choices {
            $f.$name.menu add command -label $text -command [namespace code [list my Set {*}$setting]]
        }
        pack $f.$name -side right -padx [list [$t dp 8] [$t dp 12]]
        pack $f.${name}label -side right
    }
    # Below the metrics: kinds of time that are shown alone. They are read when the menu is opened for the first time.
    method PostCategories {} {
        set menu $Path.tools.metric.menu
        if {[$menu index end] >= [llength [$Run metrics]]} {
            return
        }
        $menu add separator
        foreach k [$Run sampledCategories] {
            $menu add command -label "only [$Run categoryName $k]" -command [namespace code [list my Set category $k]]
        }
        $menu add command -label "all categories" -command [namespace code {my Set category -1}]
    }
    method Set {key value} {
        if {$key eq "axis"} {
            $Nav axis tools $value
        } elseif {$key eq "category"} {
            my category $value
        } elseif {$key eq "interval"} {
            $Bus set tools interval $value
        } else {
            $Bus adjust tools $key $value
        }
    }

    # Tool bar from the selection.
    method Reflect {s} {
        set f $Path.tools
        set VarBin [dict get $s bin]
        $f.scale configure -text [my Word [dict get $s scale]]
        $f.colours configure -text [lindex [split [my Word [dict get $s colours]] " "] 0]
        if {[winfo exists $f.show]} {
            $f.show configure -text [my Word [dict get $s show]]
        }
        set only [dict get $s category]
        set text [lindex [$Run metrics] [dict get $s metric]]
        if {$only >= 0 && ![$Run exact [dict get $s metric]]} {
            append text ", [$Run categoryName $only]"
        }
        $f.metric configure -text [::heatscope::fmt elide $text 30]
        lassign [$Run words [dict get $s axis]] one many
        set n [$Run columns [dict get $s axis]]
        if {[dict get $s processors] ne ""} {
            lassign [dict get $s processors] a b
            set text "$many [$Run columnLabel [dict get $s axis] $a]\u2013[$Run columnLabel [dict get $s axis] $b]"
        } else {
            set text "all [::heatscope::fmt plural $n $one $many]"
        }
        if {[dict get $s group] ne "auto"} {
            append text ", [expr {[dict get $s group] eq "host" ? "by host" : "[dict get $s group] a cell"}]"
        }
        if {[dict get $s sort] eq "load"} {
            append text ", by load"
        }
        $f.processors configure -text $text
        my ReflectInterval $s
    }
    method ReflectInterval {s} {
        set b $Path.tools.interval
        set interval [dict get $s interval]
        if {$interval eq ""} {
            pack forget $b
            return
        }
        set text "[join [lmap time $interval {::heatscope::fmt seconds $time}] " \u2013 "]"
        if {[$Run exact [dict get $s metric]]} {
            append text " (this metric: whole run)"
        }
        $b configure -text "$text  \u2715"
        pack $b -side left -after $Path.tools.title -padx [list [::heatscope::theme dp 14] 0]
    }
    # All values are of the chosen interval from now on; what was timed and not sampled is known of the whole run only.
    method OnInterval {selection changed origin} {
        set db [$Run db]
        set wanted [dict get $selection interval]
        set only [dict get $selection category]
        if {[$Run exact [dict get $selection metric]]} {
            set wanted {}
            set only -1
        }
        if {$only == [$db only] && ($wanted eq "" ? [$db interval] eq "" : [$db interval] ne "" && [my Same $wanted [$db interval]])} {
            return
        }
        # before the interval goes: one reading for both
        if {$only < 0} {
            $db only -1
        }
        $db interval $wanted
        $db only $only
        $Run only $only
        $Comparison interval $wanted [expr {$only >= 0 ? [$db category $only] : ""}]
        $Run forget
        $Nav forget
        $Finder forget
        ::heatscope::redraw $db
        if {[info exists Panes]} {
            foreach view [$Panes made] {
                $view forget
                $view refreshAll
            }
        }
    }
    method Same {a b} {
        return [expr {[lindex $a 0] == [lindex $b 0] && [lindex $a 1] == [lindex $b 1]}]
    }
    method OnSelection {selection changed origin} {
        my Reflect $selection
        # what was said of the step before goes with the next one
        set moved [llength [lmap key {file line scope procedure context column processors} {
            if {$key ni $changed} continue
            set key
        }]]
        if {$Told > 0 && $moved} {
            incr Told -1
            if {!$Told} {
                my readOut ""
            }
        }
    }

    # What does not fit the tool bar goes: facts, then labels.
    method TrimTools {} {
        set f $Path.tools
        if {![winfo exists $f]} {
            return
        }
        set have [winfo width $Path.main]
        foreach drop {key colourslabel scalelabel metriclabel processorslabel binlabel} {
            if {[winfo reqwidth $f] <= $have} {
                break
            }
            pack forget $f.$drop
            update idletasks
        }
        if {[winfo reqwidth $f] > $have} {
            $Search configure -width 18
            update idletasks
        }
    }

    # ---- keys ----

    method Keys {} {
        foreach {sequence action text} [::heatscope::settings keys] {
            bind $Top $sequence [namespace code [list my OnKey %W $sequence $action]]
        }
        # ahead of Tk's own walk through all widgets
        foreach sequence {<Tab> <<PrevWindow>>} {
            bind $Top $sequence "[bind $Top $sequence]; break"
        }
    }
    method OnKey {w sequence action} {
        if {![winfo exists $w] || [winfo toplevel $w] ne $Top} {
            return
        }
        set typing [expr {[winfo class $w] in {TEntry Entry}}]
        set letter [regexp {^<(?:[[:alpha:]]|question|Up|Down|Left|Right|Prior|Next|Home|End|Return|Escape)>$} $sequence]
        if {$typing && $letter} {
            return
        }
        # drawn widgets answer these keys by events of their own
        if {[lindex $action 0] in {move page edge} && [my HasOwnKeys $w]} {
            return
        }
        if {[lindex $action 0] eq "enter" && ([my HasOwnKeys $w] || [winfo class $w] eq "TButton")} {
            return
        }
        my {*}$action
    }
    method HasOwnKeys {w} {
        return [regexp {\.(heat|bars|gutter|scopes|map|list|time|cells|figure)$} $w]
    }

    method move {rows columns} {
        if {$columns != 0} {
            [my view detail] cell $columns
        } else {
            $Nav move keys $rows 0
        }
    }
    method page {step} { [my view detail] page $step }
    method edge {which} { $Nav edge keys $which }
    method hot {step} {
        lassign [$Nav hot keys $step] i n
        if {$n ne ""} {
            my Tell "hot spot $i of $n" 1
        }
    }
    method hotPath {} {
        lassign [$Nav hotPath keys] i n
        if {$n ne ""} {
            my Tell "hot path, step $i of $n" 1
        } else {
            my Tell "no calling contexts in this database"
        }
    }
    method enter {} { $Nav enter keys }
    method leave {} {
        if {[winfo exists $Path.sheet]} {
            destroy $Path.sheet
        } elseif {[[my view detail] closePopup]} {
            return
        } elseif {[$Bus get search] ne ""} {
            my endSearch
        } elseif {[$Panes maximised] ne ""} {
            my maximise
        } elseif {[$Bus get interval] ne ""} {
            $Bus set keys interval {}
        } elseif {[$Bus get category] >= 0} {
            $Bus set keys category -1
        } elseif {[$Bus get processors] ne ""} {
            $Nav processors keys {}
        } else {
            $Nav leave keys
        }
    }
    method history {step} {
        if {![$Bus travel $step]} {
            my Tell [expr {$step < 0 ? "no earlier selection" : "no later selection"}]
        }
    }
    # One kind of time alone, by its number; -1: all.
    method category {k} {
        if {![$Nav category tools $k]} {
            my Tell "categories by line are not known: the database has no times (correlate --time=samples)"
        }
    }
    method nextCategory {} {
        if {[$Nav nextCategory keys]} {
            set k [$Bus get category]
            my Tell [expr {$k >= 0 ? "[$Run categoryName $k] only" : "all categories"}] 1
        } else {
            my category -1
        }
    }
    method cycle {key} {
        if {$key eq "show" && ![$Comparison any]} {
            my Tell "one database: heatscope view DB OTHER compares two"
            return
        }
        if {$key eq "axis"} {
            $Nav axis keys [expr {[$Bus get axis] eq "process" ? "thread" : "process"}]
            return
        }
        set choices [dict get [list bin [::heatscope::settings get words bins] scale [::heatscope::settings get words scales] \
            colours [::heatscope::settings get words colours] ranking [::heatscope::settings get words rankings] \
            show [::heatscope::settings get words shows] normalise [::heatscope::settings get words normalisations]] $key]
        set at [lsearch -exact $choices [$Bus get $key]]
        $Bus adjust keys $key [lindex $choices [expr {($at + 1) % [llength $choices]}]]
    }
    method activeView {} {
        set w [focus -displayof $Top]
        foreach view [$Panes made] {
            if {$w ne "" && [string match [$view path].* $w]} {
                return [$view name]
            }
        }
        return detail
    }
    method nextView {step} {
        set shown {}
        foreach name [$Panes names] {
            if {[$Panes shown $name]} {
                lappend shown $name
            }
        }
        set at [lsearch -exact $shown [my activeView]]
        set next [lindex $shown [expr {($at + $step) % [llength $shown]}]]
        focus [[my view $next] focusWidget]
        my Tell "[string totitle $next]"
    }
    method copy {} {
        set name [my activeView]
        clipboard clear -displayof $Top
        clipboard append -displayof $Top -- [[my view $name] describe]
        my Tell "$name copied as text"
    }
    # Asks for a file, then calls one of ours with it.
    method AskFile {command words suffix types} {
        set name [{*}$command -parent $Top -defaultextension $suffix -filetypes $types]
        if {$name eq ""} {
            return ""
        }
        raise $Top
        update
        return $name
    }
    method savePicture {} {
        set name [my AskFile {tk_getSaveFile -initialfile heatscope.png} window .png {{Picture .png}}]
        if {$name ne ""} {
            my snapshot window $name
            my Tell "saved $name"
        }
    }
    method exportView {} {
        set view [my activeView]
        set name [my AskFile [list tk_getSaveFile -initialfile heatscope-$view.svg] $view .svg \
            {{Drawing .svg} {Document .pdf} {Picture .png} {Table .tsv} {Text .txt}}]
        if {$name ne "" && ![my Complains {my export $view $name}]} {
            my Tell "saved $name"
        }
    }
    # Another database, in a window of its own.
    method openDatabase {} {
        set name [my AskFile tk_getOpenFile database .h5 {{Databases .h5} {All *}}]
        if {$name ne ""} {
            my Complains [list ::heatscope::openWindow $name]
        }
    }
    method saveSession {} {
        set name [my AskFile {tk_getSaveFile -initialfile heatscope.session} session .session {{Session .session}}]
        if {$name ne "" && ![my Complains {my session save $name}]} {
            my Tell "saved $name"
        }
    }
    method openSession {} {
        set name [my AskFile tk_getOpenFile session .session {{Session .session} {All *}}]
        if {$name ne ""} {
            my Complains {my session open $name}
        }
    }
    # Runs a script; an error is told in the status line. True if there was one.
    method Complains {script} {
        if {[catch {uplevel 1 $script} message]} {
            my Tell $message
            return 1
        }
        return 0
    }
    # A view as file, by suffix: .png .svg .pdf .tsv .txt
    method export {view file} {
        if {![$Panes shown $view]} {
            $Panes raise $view
        }
        my settle
        [my view $view] exportTo $file
    }
    # Session files: what is selected and how the window is arranged, as text.
    method session {what file} {
        switch -- $what {
            save {
                ::heatscope::View::write $file.part[pid] [::heatscope::session write $Run $Bus [$Panes state] \
                    [::heatscope::theme current] [my viewStates] [$Comparison path]]
                file rename -force -- $file.part[pid] $file
            }
            open {
                set session [::heatscope::session read $Run $file]
                ::heatscope::useTheme [dict get $session theme]
                my compareWith [dict get $session compare]
                $Panes restore [dict get $session panes]
                $Bus set session {*}[dict get $session selection]
                dict for {name state} [dict get $session views] {
                    if {$name in [$Panes names]} {
                        [$Panes view $name] restore $state
                    }
                }
            }
        }
    }
    method viewStates {} {
        set states {}
        foreach view [$Panes made] {
            dict set states [$view name] [$view state]
        }
        return $states
    }
    # Compares with the database at a path, {} with none; what cannot be read is told and leaves all as it is.
    method compareWith {path} {
        if {$path eq [$Comparison path]} {
            return
        }
        if {$path eq ""} {
            set other ""
        } elseif {[catch {::heatscope::data open $path} other]} {
            my Tell $other
            return
        }
        $Comparison with $other
        set only [[$Run db] only]
        $Comparison interval [[$Run db] interval] [expr {$only >= 0 ? [[$Run db] category $only] : ""}]
        foreach view [$Panes made] {
            $view forget
            $view refreshAll
        }
    }
    method edit {} {
        set file [$Bus get file]
        if {$file < 0} {
            return
        }
        set document [$Run document $file]
        if {[$document state] ne "text"} {
            my Tell "there is no source file to open"
            return
        }
        set path [expr {[$document where] ne "" ? [$document where] : [$document path]}]
        set editor {}
        foreach name {HEATSCOPE_EDITOR VISUAL EDITOR} {
            if {[info exists ::env($name)] && $::env($name) ne ""} {
                set editor $::env($name)
                break
            }
        }
        if {$editor eq ""} {
            my Tell "set VISUAL or EDITOR to the editor that is to open [file tail $path]"
            return
        }
        set line [expr {max(1, [$Bus get line])}]
        set words [regexp -all -inline {\S+} $editor]
        set name [::heatscope::fmt baseName [lindex $words 0]]
        switch -glob -- $name {
            code - codium { lappend words -g $path:$line }
            subl - kate* { lappend words $path:$line }
            default { lappend words +$line $path }
        }
        # editors of the terminal get one
        if {$name in {vi vim nvim nano emacs-nox joe ed micro mcedit} && [auto_execok x-terminal-emulator] ne ""} {
            set words [list x-terminal-emulator -e {*}$words]
        }
        if {[catch {exec {*}$words >/dev/null 2>/dev/null </dev/null &} message]} {
            my Tell "could not start $name: $message"
        } else {
            my Tell "opened [file tail $path]:$line in $name"
        }
    }
    method toggleTheme {} {
        my theme [expr {[::heatscope::theme current] eq "light" ? "dark" : "light"}]
    }
    method finding {n} {
        if {![string is digit -strict $n]} {
            return -code error -errorcode {HEATSCOPE VIEW FINDING} "finding: expected a number, got '$n'"
        }
        $Panes raise findings
        [my view findings] go $n
    }
    method theme {name} {
        ::heatscope::useTheme $name
    }
    method themed {} {
        $Path.status.progress configure -background [::heatscope::theme colour window]
        foreach view [$Panes made] {
            $view themed
            $view refreshAll
        }
    }
    method quit {} {
        set Closing 1
        destroy $Top
    }

    # ---- panes ----

    method toggle {name} {
        $Panes toggle $name
    }
    method maximise {{name {}}} {
        $Panes maximise [expr {$name eq "" ? [my activeView] : $name}]
    }

    # ---- search ----

    method Placeholder {} {
        set typing [expr {[focus -displayof $Top] eq $Search}]
        if {!$typing && [$Search get] eq ""} {
            $Search insert 0 "Find anything"
            $Search configure -foreground [::heatscope::theme colour faint]
            $Search state !invalid
        } elseif {$typing && [$Search get] eq "Find anything"} {
            $Search delete 0 end
            $Search configure -foreground [::heatscope::theme colour text]
        }
    }
    method search {{text {}}} {
        focus $Search
        my Placeholder
        $Search selection range 0 end
        if {$text ne ""} {
            $Search delete 0 end
            $Search insert 0 $text
            my Find $text
        }
    }
    method Typed {key} {
        if {$key in {Return Escape Up Down F3}} {
            return
        }
        after cancel $ReadLater
        set ReadLater [after 120 [namespace code {my FindTyped}]]
    }
    method FindTyped {} {
        if {[winfo exists $Search]} {
            set text [$Search get]
            if {$text ne [$Bus get search]} {
                my Find $text
            }
        }
    }
    method Find {text} {
        set HitAt -1
        set Found [$Finder find $text [$Bus get metric] [$Bus get axis]]
        set Hits {}
        foreach hit [dict get $Found hits] {
            if {[dict get $hit file] >= 0} {
                lappend Hits [dict get $hit file] [expr {max(0, [dict get $hit line])}]
            }
        }
        set n [llength [dict get $Found hits]]
        if {[string trim $text] eq ""} {
            $SearchNote configure -text ""
        } elseif {$n == 0} {
            $SearchNote configure -text "nothing found"
        } else {
            $SearchNote configure -text "[::heatscope::fmt plural $n hit], [::heatscope::fmt percent [dict get $Found share] 1]"
            my Tell [dict get $Found words]
        }
        $Bus adjust search search [string range [string trim $text] 0 500]
    }
    # Flat list FILE LINE ... of the hits, for views to mark.
    method hitLines {} { return $Hits }
    method searchStep {step} {
        my FindTyped
        set hits [dict get $Found hits]
        set n [llength $hits]
        if {$n == 0} {
            return
        }
        set HitAt [expr {$HitAt < 0 ? ($step > 0 ? 0 : $n - 1) : ($HitAt + $step) % $n}]
        set hit [lindex $hits $HitAt]
        $Nav toHit search $hit
        my Tell "[dict get $hit kind] [::heatscope::fmt plain [dict get $hit name]]" 1
        $SearchNote configure -text "[expr {$HitAt + 1}] of $n, [::heatscope::fmt percent [dict get $Found share] 1]"
    }
    method found {} {
        return [$SearchNote cget -text]
    }
    method endSearch {} {
        $Search delete 0 end
        my Find ""
        focus $Top
        my Placeholder
    }

    # ---- status, key sheet ----

    method readOut {text} {
        $Path.status.read configure -text $text
    }
    # Words that stay until the selection moves on; `after` 1: a move is under way that they belong to.
    method Tell {text {after 0}} {
        my readOut $text
        set Told [expr {$after ? 2 : 1}]
    }
    # An error that no view shows in its own place.
    method complain {message options} {
        set code [expr {[dict exists $options -errorcode] ? [dict get $options -errorcode] : ""}]
        my Tell [expr {[lrange $code 0 2] eq {HEATSCOPE DB CANCELLED} ? "stopped" : [::heatscope::fmt plain $message]}]
    }
    method status {} {
        return [$Path.status.read cget -text]
    }
    method help {} {
        set w $Path.sheet
        if {[winfo exists $w]} {
            destroy $w
            return
        }
        set t ::heatscope::theme
        ttk::frame $w -style Sheet.TFrame -padding [$t dp 1]
        # on a low window closer together
        set low [expr {[winfo height $Top] < [$t dp 800]}]
        set apart [expr {$low ? 0 : [$t dp 2]}]
        ttk::frame $w.in -style Card.TFrame -padding [$t dp [expr {$low ? 8 : 20}]]
        pack $w.in
        ttk::label $w.in.title -style Card.Title.TLabel -text "Keys"
        grid $w.in.title -sticky w -pady [list 0 [$t dp 10]]
        set n 0
        set rows {}
        foreach {sequence action text} [::heatscope::settings keys] {
            if {$text ne ""} {
                lappend rows [list [::heatscope::App::keyName $sequence] $text]
            }
        }
        foreach {view keys} [::heatscope::settings get viewKeys] {
            foreach {names text} $keys {
                lappend rows [list [join $names] "$view: $text"]
            }
        }
        set half [expr {([llength $rows] + 1) / 2}]
        foreach row $rows {
            set r [expr {1 + $n % $half}]
            set c [expr {2 * ($n / $half)}]
            ttk::label $w.in.k$n -style Card.Head.TLabel -text [lindex $row 0]
            ttk::label $w.in.t$n -style Card.Sub.TLabel -text [lindex $row 1]
            if {$low} {
                $w.in.k$n configure -font HsHeadB
                $w.in.t$n configure -font HsSmall
            }
            grid $w.in.k$n -row $r -column $c -sticky w -padx [list [expr {$c ? [$t dp 28] : 0}] [$t dp 14]] -pady $apart
            grid $w.in.t$n -row $r -column [expr {$c + 1}] -sticky w
            incr n
        }
        place $w -relx 0.5 -rely 0.5 -anchor center
        raise $w
    }

    # ---- for scripts, tests and pictures ----

    # True when the bus is quiet and every widget has drawn what it should.
    method drawn {} {
        return [expr {![llength $Later] && [my Quiet]}]
    }
    method Quiet {} {
        if {[$Bus pending]} {
            return 0
        }
        if {[info commands ::heatscope::idle] ne "" && ![::heatscope::idle]} {
            return 0
        }
        return 1
    }
    # Calls a method of a view when the picture as it is now has been drawn.
    method later {view method} {
        if {[list $view $method] ni $Later} {
            lappend Later [list $view $method]
        }
        if {$LaterTimer eq ""} {
            set LaterTimer [after 20 [namespace code {my DoLater}]]
        }
    }
    method DoLater {} {
        set LaterTimer [after 20 [namespace code {my DoLater}]]
        if {![my Quiet]} {
            return
        }
        set Later [lassign $Later next]
        if {![llength $Later]} {
            after cancel $LaterTimer
            set LaterTimer {}
        }
        lassign $next view method
        if {[info object isa object $view]} {
            $view $method
        }
    }
    # Waits, working, until all is drawn; an error after `limit` ms.
    method settle {{limit 60000}} {
        set end [expr {[clock milliseconds] + $limit}]
        set quiet 0
        while {$quiet < 2} {
            if {[clock milliseconds] > $end} {
                return -code error -errorcode {HEATSCOPE VIEW SETTLE} "the window was not drawn within [expr {$limit / 1000}] s"
            }
            set before [clock microseconds]
            update
            incr quiet
            if {![my drawn]} {
                set quiet 0
            }
        }
    }
    # PNG of the window or of one view, written beside and renamed.
    method snapshot {what file} {
        my settle
        set temporary $file.part[pid]
        try {
            if {$what eq "window"} {
                ::heatscope::grab $Top $temporary
            } else {
                ::heatscope::grab [[my view $what] path] $temporary
            }
            file rename -force -- $temporary $file
        } finally {
            file delete -force -- $temporary
        }
    }
    method describe {what} {
        my settle
        switch -- $what {
            selection { return [$Bus serialise] }
            status { return [my status] }
            views { return [$Panes names] }
        }
        # what is not shown has not been filled
        if {![$Panes shown $what]} {
            $Panes raise $what
            my settle
        }
        # of what could not be read there is nothing else to say
        if {[[my view $what] complaint] ne ""} {
            return [[my view $what] complaint]
        }
        return [[my view $what] describe]
    }
}

namespace eval ::heatscope::App {
    proc keyName {sequence} {
        set name [string trim $sequence <>]
        set name [string map {Control- Ctrl- Key- {} Prior PageUp Next PageDown Return Enter Escape Esc PrevWindow Shift-Tab
            question ?} $name]
        return $name
    }
}
