# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The few commands by which a script or a test drives the window: read as lists of words, never evaluated.

namespace eval ::heatscope::script {
    namespace export execute runFile serve
    namespace ensemble create

    variable Commands {
        select     {1 1 "TEXT: a procedure, FILE:LINE or a file"}
        set        {2 2 "KEY VALUE: one key of the selection, or theme light|dark; interval: {FROM TO} in seconds or the name of a phase"}
        get        {1 1 "KEY: a key of the selection"}
        key        {1 1 "SEQUENCE: a key such as n, Down, Control-f"}
        search     {1 1 "TEXT: what Ctrl-F finds"}
        click      {4 4 "VIEW WIDGET X Y: button 1 in a view's widget"}
        hover      {4 4 "VIEW WIDGET X Y: the pointer there; `describe status` has the read-out"}
        drag       {6 6 "VIEW WIDGET X Y X Y: button 1 from there to there"}
        wheel      {5 5 "VIEW WIDGET X Y STEPS: the wheel there, one event a step; negative: up"}
        frames     {4 4 "VIEW WIDGET drag|wheel N: N pictures, each after a small turn or a step: pictures a second, longest in ms, ms of CPU time for each"}
        describe   {1 1 "VIEW|selection|status|views"}
        snapshot   {2 2 "window|VIEW FILE.png"}
        export     {2 2 "VIEW FILE: by suffix .png .svg .pdf .tsv .txt"}
        session    {2 2 "save|open FILE: selection and arrangement of the window"}
        compare    {1 1 "FILE|FOLDER: a second database, or that of a measurement directory; {} none"}
        settle     {0 0 ": until all is drawn"}
        widgets    {1 1 "VIEW|tools: the names of its WIDGETs for click, hover, drag, wheel, frames and geometry"}
        geometry   {2 2 "VIEW|tools WIDGET: x y width height on the screen"}
        latency    {1 1 "TEXT: milliseconds from `select TEXT` to all drawn"}
        opening    {1 1 "VIEW: brings it in front: milliseconds to its first rows or picture, and to all of it"}
        interval   {2 3 "FROM TO ?N?: milliseconds to the first picture of an interval, to all, longest without events; with N, Escape after N pieces of counting, 1: in time"}
        first      {0 0 ": ms from the start to the first picture, source and overview, and CPU time of viewer and reader till then"}
        beat       {1 1 "on|off: off: the longest time since on, in ms, in which no event was looked at"}
        back       {0 0 ": history"}
        forward    {0 0 ": history"}
        finding    {1 1 "N: what a click on finding N does, as they are numbered"}
        toggle     {1 1 "VIEW: hide or show a pane"}
        stop       {1 1 "VIEW: read it anew and stop that with Escape when it shows some rows; prints 1 if that was in time"}
        raise      {1 1 "VIEW: bring it in front of those that share its place"}
        maximise   {1 1 "VIEW"}
        group      {1 2 "VIEW ?KEY?: how its list is grouped"}
        sort       {1 3 "VIEW ?COLUMN ?increasing|decreasing??: as a click on the heading; column and order"}
        pair       {2 2 "P Q: that cell of the matrix of processes"}
        rows       {0 0 ": height of a source row, height of the header above the rows"}
        shown      {0 1 "?VIEW?: what the drawn widgets were told, WIDGET.OPTION VALUE ...; of a view its list"}
        cut        {0 0 ": words in sight that have no room and do not say so, and what lies over the window and is larger"}
        focus      {0 0 ": view that has the keyboard"}
        mapped     {0 0 ": views that are shown"}
        exists     {1 1 "sheet|dialog: whether the key sheet, or a file dialog, is shown"}
        found      {0 0 ": what the search box says"}
        pixel      {3 3 "FILE.png X Y: colour there"}
        display    {0 0 ": DISPLAY and XAUTHORITY of the window"}
        errors     {0 0 ": what views have complained of"}
        quit       {0 0 ""}
    }

    # One line; returns its answer as text.
    proc execute {app line} {
        variable Commands
        if {[catch {llength $line} n]} {
            return -code error -errorcode {HEATSCOPE SCRIPT SYNTAX} "script: braces or quotes do not pair: $line"
        }
        if {$n == 0 || [string index [string trimleft $line] 0] eq "#"} {
            return ""
        }
        set words [lassign $line command]
        if {![dict exists $Commands $command]} {
            return -code error -errorcode [list HEATSCOPE SCRIPT COMMAND $command] \
                "script: unknown command '$command': there are [join [dict keys $Commands] {, }]"
        }
        lassign [dict get $Commands $command] least most usage
        if {[llength $words] < $least || [llength $words] > $most} {
            return -code error -errorcode [list HEATSCOPE SCRIPT USAGE $command] "script: usage: $command $usage"
        }
        # views go by the words of their tabs too
        if {[regexp {^\S*VIEW} $usage]} {
            lset words 0 [$app viewName [lindex $words 0]]
        }
        return [Do_$command $app {*}$words]
    }

    proc Do_select {app text} {
        if {![[$app navigator] named script $text]} {
            return -code error -errorcode [list HEATSCOPE SCRIPT SELECT] "script: select: nothing is called '$text'"
        }
        $app settle
    }
    proc Do_compare {app file} {
        if {$file ne "" && ![file readable $file]} {
            return -code error -errorcode {HEATSCOPE SCRIPT VALUE} "script: compare: cannot read '$file'"
        }
        $app compare $file
        $app settle
    }
    proc Do_set {app key value} {
        if {$key eq "theme"} {
            if {$value ni {light dark}} {
                return -code error -errorcode {HEATSCOPE SCRIPT VALUE} "script: theme: expected light or dark, got '$value'"
            }
            $app theme $value
        } elseif {$key eq "axis" && $value in {process thread}} {
            [$app navigator] axis script $value
        } elseif {$key eq "interval" && ![::heatscope::Bus::valid interval $value]} {
            [$app bus] set script interval [PhaseOf $app $value]
        } elseif {$key eq "metric"} {
            try {
                set metric [[$app run] metricNamed $value]
            } trap {HEATSCOPE RUN METRIC} message {
                return -code error -errorcode {HEATSCOPE SCRIPT VALUE} "script: set metric: $message"
            }
            [$app bus] set script metric $metric
        } else {
            [$app bus] set script $key $value
        }
        $app settle
    }
    proc Do_opening {app view} {
        return [$app timedOpening $view]
    }
    # The interval of a phase by its name: from the first of that name to the end of the last.
    proc PhaseOf {app name} {
        set told [::heatscope::Told new [$app run]]
        try {
            set times [$told phaseTimes $name]
            set names [lmap row [$told rows phase] {dict get $row name}]
        } finally {
            $told destroy
        }
        if {[llength $times]} {
            return $times
        }
        return -code error -errorcode {HEATSCOPE SCRIPT VALUE} "script: set interval: expected {FROM TO} in seconds, {} for the whole run, or the name\
            of a phase ([expr {[llength $names] ? [join [lrange $names 0 19] {, }] : "this run has none"}]), got '[string range $name 0 60]'"
    }
    proc Do_get {app key} {
        if {![dict exists [[$app bus] get] $key]} {
            return -code error -errorcode {HEATSCOPE SCRIPT VALUE} "script: get: no key '$key' in the selection"
        }
        return [[$app bus] get $key]
    }
    proc Do_key {app sequence} {
        set w [focus -displayof [$app top]]
        if {$w eq ""} {
            set w [$app top]
            focus -force $w
            update
        }
        if {![regexp {^[A-Za-z0-9_-]+$} $sequence]} {
            return -code error -errorcode {HEATSCOPE SCRIPT VALUE} "script: key: odd key '$sequence'"
        }
        event generate $w <[expr {[regexp {^\d$} $sequence] ? "Key-$sequence" : $sequence}]>
        $app settle
    }
    proc Do_search {app text} {
        if {$text eq ""} {
            $app endSearch
        } else {
            $app search $text
        }
        $app settle
    }
    # Where the widgets of a view, or of the tool bar, are; brought to the front.
    proc Holder {app view} {
        if {$view eq "tools"} {
            return [$app toolBar]
        }
        set path [[$app view $view] path]
        if {![winfo ismapped $path]} {
            $app raise $view
            $app settle
        }
        return $path
    }
    # What a person would point at: not the frames that hold it, nor plain labels.
    proc Do_widgets {app view} {
        set names {}
        set queue [list [Holder $app $view]]
        while {[llength $queue]} {
            set queue [lassign $queue w]
            if {[winfo class $w] in {Menu TScrollbar Scrollbar}} {
                continue
            }
            if {[winfo class $w] ni {Frame TFrame Label TLabel TPanedwindow Panedwindow TSeparator}} {
                lappend names [lindex [split $w .] end]
            }
            lappend queue {*}[winfo children $w]
        }
        return [lsort -unique $names]
    }
    proc WidgetOf {app view widget} {
        set queue [list [Holder $app $view]]
        while {[llength $queue]} {
            set queue [lassign $queue w]
            if {[lindex [split $w .] end] eq $widget && ($view ne "tools" || [winfo ismapped $w])} {
                return $w
            }
            lappend queue {*}[winfo children $w]
        }
        return -code error -errorcode {HEATSCOPE SCRIPT VALUE} "script: view $view has no widget '$widget'"
    }
    proc Numbers {command args} {
        foreach n $args {
            if {![string is entier -strict $n] || abs($n) > 100000} {
                return -code error -errorcode {HEATSCOPE SCRIPT VALUE} "script: $command: expected numbers of pixels, got '$args'"
            }
        }
    }
    # The pointer leaves one widget for another, as a real one does.
    variable Over {}
    proc Point {w x y} {
        variable Over
        if {$Over ne $w && [winfo exists $Over]} {
            event generate $Over <Leave>
        }
        set Over $w
        event generate $w <Enter> -x $x -y $y
        event generate $w <Motion> -x $x -y $y
    }
    proc Do_click {app view widget x y} {
        Numbers click $x $y
        set w [WidgetOf $app $view $widget]
        Point $w $x $y
        event generate $w <ButtonPress-1> -x $x -y $y
        event generate $w <ButtonRelease-1> -x $x -y $y
        $app settle
    }
    proc Do_hover {app view widget x y} {
        Numbers hover $x $y
        Point [WidgetOf $app $view $widget] $x $y
        $app settle
    }
    # Drags are a second apart: two from about the same place would make a double click.
    variable DragTime 0
    proc Do_drag {app view widget x y x2 y2} {
        variable DragTime
        Numbers drag $x $y $x2 $y2
        set w [WidgetOf $app $view $widget]
        Point $w $x $y
        event generate $w <ButtonPress-1> -x $x -y $y -time [incr DragTime 1000]
        for {set i 1} {$i <= 4} {incr i} {
            event generate $w <B1-Motion> -x [expr {$x + ($x2 - $x) * $i / 4}] -y [expr {$y + ($y2 - $y) * $i / 4}]
        }
        event generate $w <ButtonRelease-1> -x $x2 -y $y2
        $app settle
    }
    proc Do_wheel {app view widget x y steps} {
        Numbers wheel $x $y $steps
        set w [WidgetOf $app $view $widget]
        Point $w $x $y
        for {set i 0} {$i < abs($steps)} {incr i} {
            event generate $w <ButtonPress-[expr {$steps < 0 ? 4 : 5}]> -x $x -y $y
            $app settle
        }
    }
    proc Do_frames {app view widget how n} {
        Numbers frames $n
        if {$how ni {drag wheel} || $n < 1 || $n > 10000} {
            return -code error -errorcode {HEATSCOPE SCRIPT VALUE} "script: frames: expected drag or wheel and 1 to 10000, got '$how' and '$n'"
        }
        set w [WidgetOf $app $view $widget]
        lassign [list [expr {[winfo width $w] / 2}] [expr {[winfo height $w] / 2}]] x y
        Point $w $x $y
        return [$app frames $w $x $y $how $n]
    }
    proc Do_geometry {app view widget} {
        set w [WidgetOf $app $view $widget]
        return [list [winfo rootx $w] [winfo rooty $w] [winfo width $w] [winfo height $w]]
    }
    proc Do_describe {app what} {
        return [$app describe $what]
    }
    proc Do_snapshot {app what file} {
        $app snapshot $what $file
        return ""
    }
    proc Do_export {app view file} {
        $app export $view $file
        return ""
    }
    proc Do_session {app what file} {
        if {$what ni {save open}} {
            return -code error -errorcode {HEATSCOPE SCRIPT VALUE} "script: session: expected save or open, got '$what'"
        }
        $app session $what $file
        $app settle
        return ""
    }
    proc Do_settle {app} {
        $app settle
    }
    proc Do_latency {app text} {
        $app settle
        set begin [clock microseconds]
        if {![[$app navigator] named script $text]} {
            return -code error -errorcode [list HEATSCOPE SCRIPT SELECT] "script: latency: nothing is called '$text'"
        }
        $app settle
        return [format %.1f [expr {([clock microseconds] - $begin) / 1e3}]]
    }
    proc Do_interval {app from to {n ""}} {
        foreach number [list $from $to] {
            if {![string is double -strict $number]} {
                return -code error -errorcode {HEATSCOPE SCRIPT VALUE} "script: interval: expected seconds, got '$number'"
            }
        }
        if {$from >= $to || ($n ne "" && ![string is digit -strict $n])} {
            return -code error -errorcode {HEATSCOPE SCRIPT VALUE} "script: interval: expected FROM before TO, and a number of pieces"
        }
        return [expr {$n eq "" ? [$app timedInterval $from $to] : [$app stoppedInterval $from $to $n]}]
    }
    proc Do_stop {app view} {
        return [$app stoppedReading $view]
    }
    proc Do_first {app} {
        return [$app first]
    }
    proc Do_beat {app what} {
        if {$what ni {on off}} {
            return -code error -errorcode {HEATSCOPE SCRIPT VALUE} "script: beat: expected on or off, got '$what'"
        }
        return [$app beat $what]
    }
    proc Do_back {app} {
        $app history -1
        $app settle
    }
    proc Do_forward {app} {
        $app history 1
        $app settle
    }
    proc Do_finding {app n} {
        $app finding $n
        $app settle
    }
    proc Do_toggle {app view} {
        $app toggle $view
        $app settle
    }
    proc Do_raise {app view} {
        $app raise $view
        $app settle
    }
    proc Do_maximise {app view} {
        $app maximise $view
        $app settle
    }
    proc Do_pair {app p q} {
        Numbers pair $p $q
        $app raise matrix
        $app settle
        [$app view matrix] pair $p $q
        $app settle
    }
    # A view that is made of rows.
    proc ListOf {app name command} {
        set view [$app view $name]
        if {![info object isa typeof $view ::heatscope::ListView]} {
            return -code error -errorcode {HEATSCOPE SCRIPT VALUE} "script: $command: $name is no list"
        }
        return $view
    }
    proc Do_group {app name {key {}}} {
        set answer [[ListOf $app $name group] group $key]
        $app settle
        return $answer
    }
    proc Do_sort {app name {column {}} {order {}}} {
        set view [ListOf $app $name sort]
        if {$column ne ""} {
            if {![winfo ismapped [$view path]]} {
                $app raise $name
                $app settle
            }
            $view sort $column $order
            $app settle
        }
        return [list [dict get [$view state] sort] [dict get [$view state] order]]
    }
    proc Do_rows {app} {
        return [[$app view detail] rowGeometry]
    }
    proc Do_shown {app {of ""}} {
        set out {}
        # before views are brought in front
        set status [$app statusShown]
        if {$of ne ""} {
            set w [WidgetOf $app $of list]
            foreach option {selected pinned sortcolumn sortorder} {
                lappend out list.$option [$w cget -$option]
            }
            return $out
        }
        foreach {view widget options} {
            overview map {procedure detail line outlines hits reduce scaling colours}
            detail heat {line top file cursorcolumn range reduce other}  detail gutter {line top}  detail bars {line top}
            detail scopes {scope line top}  detail mini {line view hits}
            ranking list {selected pinned sortcolumn sortorder}  scope stack {scope}  scope profile {row table range}
        } {
            set w [WidgetOf $app $view $widget]
            set name [dict get {map overview mini minimap list ranking heat heat gutter gutter bars bars scopes scopes
                stack stack profile profile} $widget]
            foreach option $options {
                lappend out $name.$option [$w cget -$option]
            }
        }
        lappend out heat.bins [llength [[WidgetOf $app detail heat] bins]] source.letters [[$app view detail] letters] status $status keys [$app keysShown]
        return $out
    }
    # Texts of labels in sight that have no room and do not say so, and what lies over the window and is larger than it.
    proc CutOff {window} {
        set out {}
        foreach w [winfo children $window] {
            if {[winfo class $w] eq "TLabel" && [winfo ismapped $w] && [string index [$w cget -text] end] ni [list "" \u2026]
                && [$w cget -width] in {"" 0} && ([winfo reqwidth $w] > [winfo width $w] || [winfo reqheight $w] > [winfo height $w]
                    || [winfo x $w] + [winfo width $w] > [winfo width [winfo parent $w]])} {
                lappend out [$w cget -text]
            }
            if {$window eq "." && [winfo manager $w] eq "place" && [winfo ismapped $w] && ([winfo x $w] < 0 || [winfo y $w] < 0
                    || [winfo x $w] + [winfo width $w] > [winfo width $window] || [winfo y $w] + [winfo height $w] > [winfo height $window])} {
                lappend out $w
            }
            lappend out {*}[CutOff $w]
        }
        return $out
    }
    proc Do_cut {app} {
        return [CutOff .]
    }
    proc Do_focus {app} {
        return [$app activeView]
    }
    proc Do_mapped {app} {
        set out {}
        foreach name [$app describe views] {
            if {[winfo ismapped [[$app view $name] path]]} {
                lappend out $name
            }
        }
        return $out
    }
    proc Do_exists {app what} {
        set top [expr {[$app top] eq "." ? "" : [$app top]}]
        if {$what eq "dialog"} {
            # Tk's own dialog; its entry has the keyboard when it can be typed into
            set w $top.__tk_filedialog
            return [expr {[winfo exists $w] && [winfo viewable $w] && [string match $w.* [focus -displayof [$app top]]]}]
        }
        return [winfo exists $top.sheet]
    }
    proc Do_found {app} {
        return [$app found]
    }
    proc Do_pixel {app file x y} {
        set image [image create photo -file $file]
        try {
            return [format #%02x%02x%02x {*}[$image get $x $y]]
        } finally {
            image delete $image
        }
    }
    proc Do_display {app} {
        return [list $::env(DISPLAY) [expr {[info exists ::env(XAUTHORITY)] ? $::env(XAUTHORITY) : ""}]]
    }
    proc Do_errors {app} {
        return [join [[$app bus] errors] \n]
    }
    proc Do_quit {app} {
        $app quit
        return ""
    }

    # Runs a file of such lines, answers to stdout; the first error ends it.
    proc runFile {app path} {
        set channel [open $path r]
        fconfigure $channel -encoding utf-8
        try {
            set n 0
            while {[gets $channel line] >= 0} {
                incr n
                try {
                    set answer [execute $app $line]
                } on error {message options} {
                    return -code error -errorcode {HEATSCOPE SCRIPT} "$path:$n: $message"
                }
                if {$answer ne ""} {
                    puts $answer
                }
                if {[info commands $app] eq ""} {
                    return
                }
            }
        } finally {
            close $channel
        }
    }

    # Lines from standard input as they come; each answer ends with a line "ok" or "error TEXT".
    proc serve {app} {
        fconfigure stdin -blocking 0 -encoding utf-8
        fconfigure stdout -buffering line -encoding utf-8
        fileevent stdin readable [namespace code [list Serve $app]]
    }
    proc Serve {app} {
        if {[gets stdin line] < 0} {
            if {[eof stdin]} {
                fileevent stdin readable {}
                if {[info commands $app] ne ""} {
                    $app quit
                }
            }
            return
        }
        # commands wait, working: the next one must not begin meanwhile
        fileevent stdin readable {}
        if {[catch {execute $app $line} answer]} {
            set ::heatscope::status 1
            set answer "error [string map {\n { }} $answer]"
        } else {
            set answer [expr {$answer eq "" ? "ok" : "[string trimright $answer \n]\nok"}]
        }
        try {
            puts $answer
        } on error message {
            # nobody reads them any more; that to `quit` need not be read
            if {![info exists ::heatscope::done]} {
                set ::heatscope::status 1
                puts stderr "heatscope view: $message"
                $app quit
            }
            return
        }
        fileevent stdin readable [namespace code [list Serve $app]]
    }
}
