# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What every view is: a card with a heading, subscribed to the bus, drawn lazily, able to say what it shows.

oo::class create ::heatscope::View {
    variable Path Bus Run Nav Db App Token Dirty Selection Subtitle Tabs TabsLeft TabsFitted Complaint Waiting Reading ShowsPart

    # context: {bus B run R nav N app A}; the view makes the widget `path`
    constructor {path context} {
        set Path $path
        dict with context {}
        set Bus $bus
        set Run $run
        set Nav $nav
        set App $app
        set Db [$run db]
        set Dirty {}
        set Token ""
        set Complaint ""
        set Waiting 0
        set Reading {}
        set ShowsPart 0
        set Tabs {}
        set TabsLeft {}
        set TabsFitted {}
        set Selection [$Bus get]
        ttk::frame $Path -style Card.TFrame
        ttk::frame $Path.head -style Card.TFrame -padding \
            [list [::heatscope::theme size pad] [::heatscope::theme dp 7] [::heatscope::theme dp 8] [::heatscope::theme dp 7]]
        my Heading $Path.head
        ttk::frame $Path.rule -style Rule.TFrame -height 1
        ttk::frame $Path.body -style Card.TFrame
        grid $Path.head -sticky we
        grid $Path.rule -sticky we
        grid $Path.body -sticky nswe
        grid columnconfigure $Path 0 -weight 1
        grid rowconfigure $Path 2 -weight 1
        my Build $Path.body
        my themed
        set Token [$Bus subscribe [namespace code {my OnSelection}] [my Keys]]
        bind $Path.head <Configure> +[namespace code {my FitSubtitle}]
        bind $Path <Map> +[namespace code {my OnMap}]
        bind $Path <Destroy> +[namespace code [list my OnDestroy %W]]
        if {[winfo exists $Path.head.sub]} {
            bind $Path.head.sub <Enter> [namespace code {my Read [my fullSubtitle]}]
            bind $Path.head.sub <Leave> [namespace code {my Read ""}]
        }
        foreach w [list $Path.head $Path.head.title $Path.head.sub] {
            if {[winfo exists $w]} {
                bind $w <Double-1> [namespace code [list my Maximise]]
            }
        }
    }
    destructor {
        my stopReading
        if {$Token ne ""} {
            $Bus unsubscribe $Token
        }
    }

    method Heading {head} {
        ttk::label $head.title -style Card.Title.TLabel -text [my title]
        ttk::label $head.sub -style Card.Sub.TLabel
        pack $head.title -side left
        pack $head.sub -side left -padx [list [::heatscope::theme dp 12] 0]
    }
    # Tabs for the views that share the place: flat list NAME WORDS, {*}$command NAME shows one.
    method tabs {list command} {
        set Tabs $list
        foreach {name words} $list {
            if {$name eq [my name]} {
                continue
            }
            set w $Path.head.tab$name
            ttk::label $w -style Tab.TLabel -text $words -cursor hand2
            bind $w <Button-1> [list {*}$command $name]
            bind $w <Enter> [list $w configure -style Over.Tab.TLabel]
            bind $w <Leave> [list $w configure -style Tab.TLabel]
        }
        # between two tabs the nearer one is meant
        bind $Path.head <Button-1> [namespace code [list my NearTab $command %x]]
        # those that have no room
        ttk::menubutton $Path.head.more -style Rank.TMenubutton -text \u22ef -menu $Path.head.more.menu -takefocus 0
        menu $Path.head.more.menu -postcommand [namespace code [list my PostMore $command]]
        my FitSubtitle
    }
    method NearTab {command x} {
        set near [::heatscope::theme dp 8]
        foreach {name words} $Tabs {
            set w $Path.head.tab$name
            if {[winfo exists $w] && [winfo ismapped $w] && $x >= [winfo x $w] - $near && $x < [winfo x $w] + [winfo width $w] + $near} {
                {*}$command $name
                return
            }
        }
    }
    method PostMore {command} {
        $Path.head.more.menu delete 0 end
        foreach {name words} $Tabs {
            if {$name in $TabsLeft} {
                ::heatscope::theme menuEntry $Path.head.more.menu $words -command [list {*}$command $name]
            }
        }
    }
    # Tabs in their order, this view's title among them; what has no room goes into a menu.
    method FitTabs {} {
        set gap [::heatscope::theme dp 14]
        set room [expr {[winfo width $Path.head] - [::heatscope::theme size pad] - [::heatscope::theme dp 8]}]
        set key [list $room [winfo reqwidth $Path.head.title]]
        if {$room < 30 || $key eq $TabsFitted} {
            return
        }
        set TabsFitted $key
        set widths {}
        set all 0
        foreach {name words} $Tabs {
            set w [expr {$name eq [my name] ? "$Path.head.title" : "$Path.head.tab$name"}]
            dict set widths $name [expr {[winfo reqwidth $w] + $gap}]
            incr all [dict get $widths $name]
        }
        set TabsLeft {}
        if {$all - $gap > $room} {
            set used [expr {[dict get $widths [my name]] + [winfo reqwidth $Path.head.more]}]
            foreach {name words} $Tabs {
                if {$name eq [my name]} {
                    continue
                }
                incr used [dict get $widths $name]
                if {$used > $room || [llength $TabsLeft]} {
                    lappend TabsLeft $name
                }
            }
        }
        # a gap behind the last one would take its room
        set before 0
        foreach {name words} $Tabs {
            set w [expr {$name eq [my name] ? "$Path.head.title" : "$Path.head.tab$name"}]
            pack forget $w
            if {$name ni $TabsLeft} {
                pack $w -side left -padx [list $before 0] -before $Path.head.sub
                set before $gap
            }
        }
        if {[llength $TabsLeft]} {
            pack $Path.head.more -side left -padx [list $gap 0] -before $Path.head.sub
        } else {
            pack forget $Path.head.more
        }
        # at the other end: beside the tabs it would look like one more
        pack configure $Path.head.sub -side right -padx 0
    }
    # The text beside the title, cut to the room there is.
    method subtitle {text} {
        set Subtitle $text
        my FitSubtitle
    }
    method FitSubtitle {} {
        if {[llength $Tabs]} {
            my FitTabs
        }
        if {![info exists Subtitle]} {
            return
        }
        set room [expr {[winfo width $Path.head] - [::heatscope::theme dp 34]}]
        foreach w [pack slaves $Path.head] {
            if {$w ne "$Path.head.sub"} {
                set room [expr {$room - [winfo reqwidth $w] - ([string match *.head.tab* $w] ? [::heatscope::theme dp 14] : 0)}]
            }
        }
        set text [expr {$room > 0 ? [::heatscope::fmt clauses $Subtitle $room {::heatscope::theme width HsUI}] : ""}]
        if {[$Path.head.sub cget -text] ne $text} {
            ::heatscope::theme say $Path.head.sub $text
        }
    }
    method fullSubtitle {} {
        return [expr {[info exists Subtitle] ? $Subtitle : ""}]
    }

    method OnSelection {selection changed origin} {
        set Selection $selection
        foreach key $changed {
            dict set Dirty $key 1
        }
        # what is being read is read to its end, if it is still what is wanted
        if {[winfo ismapped $Path] && (![my reading] || [my Any $changed metric axis interval category show group])} {
            my Refresh
        }
    }
    method OnMap {} {
        if {[dict size $Dirty]} {
            my Refresh
        }
    }
    # What the bus knows it by.
    method token {} { return $Token }
    # Does it need of an interval what is added up last?
    method needsLast {} { return 0 }
    # Shows what has changed. What takes long breathes (model/breathe.tcl), so it may go on after this.
    method Refresh {} {
        my stopReading
        set Reading [dict keys $Dirty]
        set Dirty {}
        ::heatscope::work [self namespace]::refreshing [list [namespace which my] RefreshNow]
        if {[my reading]} {
            after [::heatscope::settings get partAfter] [namespace code {my Part 0}]
        }
    }
    # Which part of what is being read is done, in the status bar; there it can be stopped. Not before it has taken a moment.
    method Part {part {words {}}} {
        if {[my reading] && ($ShowsPart || $words eq "") && [winfo ismapped $Path]} {
            set ShowsPart [$App showReading $part [expr {$words eq "" ? "Reading [my title]" : $words}]]
        }
    }
    # Is it said, so that it can be stopped?
    method showsPart {} { return $ShowsPart }
    method EndPart {} {
        if {$ShowsPart} {
            set ShowsPart 0
            $App showReading -1 ""
        }
    }
    method RefreshNow {} {
        try {
            my Show $Reading
            set Reading {}
            my EndPart
            if {![my hasSome]} {
                my Complain ""
            }
            # what was read may have needed the room for the next interval
            if {[dict get $Selection interval] ne ""} {
                $App later $App readyRoom
            }
        } trap {HEATSCOPE DB} {message options} {
            my Failed $Reading $message $options
            return
        }
        # what came meanwhile
        if {[dict size $Dirty] && [winfo ismapped $Path]} {
            after idle [namespace code {my OnMap}]
        }
    }
    # These keys are still to be shown; why is said in the view.
    method Failed {keys message options} {
        foreach key $keys {
            dict set Dirty $key 1
        }
        set Reading {}
        my EndPart
        set why [lindex [dict get $options -errorcode] 2]
        if {$why eq "PENDING"} {
            my Wait
        } else {
            my Complain $message $why
        }
    }
    # Draws again what has another size now, by a method of the view: what can't be read then is said as when it is shown.
    method Redraw {args} {
        if {$Complaint ne ""} {
            return
        }
        try {
            my {*}$args
        } trap {HEATSCOPE DB} {message options} {
            my Failed [dict keys [$Bus get]] $message $options
        }
    }
    # Is something being read by and by?
    method reading {} {
        return [expr {[llength [info commands [self namespace]::refreshing]] > 0}]
    }
    # Does a widget of it read its picture by and by?
    method readingPicture {} { return 0 }
    # For scripts: reads all of it once more.
    method readAnew {} {
        my forget
        my refreshAll
    }
    # It is to be shown anew.
    method stopReading {} {
        if {[info coroutine] ne "[self namespace]::refreshing" && [::heatscope::abandon [self namespace]::refreshing]} {
            foreach key $Reading {
                dict set Dirty $key 1
            }
            my EndPart
        }
    }
    # Stops what is being read and shown to be, until the next change; 0: nothing is.
    method cancelReading {} {
        if {!$ShowsPart || ![my reading]} {
            return 0
        }
        my stopReading
        my Complain stopped CANCELLED
        return 1
    }
    # What it shows needs processors that are being counted: over what it showed, or below a part that is known without, until `counted`.
    method Wait {} {
        my Complain ""
        set Waiting 1
        set f [ttk::frame $Path.complaint -style Card.TFrame -padding [::heatscope::theme size pad]]
        pack [ttk::label $f.text -style Card.Sub.TLabel -text "counting by processor \u2026"] -side top -anchor w
        if {[my hasSome]} {
            $f configure -padding [list [::heatscope::theme size pad] [::heatscope::theme dp 3]]
            place $f -in $Path.body -x 0 -rely 1 -anchor sw -relwidth 1
        } else {
            place $f -in $Path.body -x 0 -y 0 -relwidth 1 -relheight 1
        }
        raise $f
    }
    method counted {} {
        if {$Waiting} {
            set Waiting 0
            my Complain ""
            if {[winfo ismapped $Path]} {
                my Refresh
            }
        }
    }
    # In place of what could not be read: why, and a button that tries again. "": nothing.
    method Complain {message {why {}}} {
        destroy $Path.complaint
        set Complaint $message
        if {$message eq ""} {
            return
        }
        if {$why eq "CANCELLED"} {
            set Complaint "Stopped before all was read."
        }
        set f [ttk::frame $Path.complaint -style Card.TFrame -padding [::heatscope::theme size pad]]
        ttk::label $f.text -style Card.TLabel -text [::heatscope::fmt plain $Complaint] -justify left
        ttk::button $f.again -text "Read again" -command [namespace code {my readAgain}]
        if {[my hasSome]} {
            pack $f.text $f.again -side left
        } else {
            pack $f.text -side top -anchor w -fill x
            pack $f.again -side top -anchor w -pady [list [::heatscope::theme size pad] 0]
        }
        bind $f <Configure> [list apply {{w width} {
            $w.text configure -wraplength [expr {max(80, $width - 30)}]
        }} $f %w]
        place $f -in $Path.body -x 0 {*}[expr {[my hasSome] ? "-rely 1 -anchor sw" : "-y 0 -relheight 1"}] -relwidth 1
        raise $f
    }
    # Does it show a part of what it was reading? A complaint stands below it then.
    method hasSome {} { return 0 }
    # Is something of it drawn, though not all?
    method showsSome {} { return [my hasSome] }
    # What the view complains of; "" nothing.
    method complaint {} { return $Complaint }
    method readAgain {} { my Refresh }
    # After a change of the theme.
    method recoloured {} { my refreshAll }
    # Everything anew, as for a first drawing.
    method refreshAll {} {
        my stale
        set Selection [$Bus get]
        if {[winfo ismapped $Path]} {
            my Refresh
        }
    }
    # Everything is to be shown anew when it is told of the next change, or appears.
    method stale {} {
        foreach key [dict keys [$Bus get]] {
            dict set Dirty $key 1
        }
    }
    method OnDestroy {w} {
        if {$w eq $Path} {
            my destroy
        }
    }
    method Maximise {} {
        $App maximise [my name]
    }

    # True when one of the keys is among those that changed.
    method Any {changed args} {
        foreach key $args {
            if {$key in $changed} {
                return 1
            }
        }
        return 0
    }

    # Parts of the selection that it shows: which lines are in sight is of no interest but to who draws them.
    method Keys {} { return [lsearch -all -inline -exact -not [dict keys [::heatscope::Bus::fields]] range] }

    # ---- what the views make their own ----
    method name {} { return view }
    method title {} { return View }
    method Build {body} {}
    method Show {changed} {}
    method describe {} { return "" }
    # What is shown as rows for spreadsheets: a list of rows, the first with the names of the columns.
    method table {} {
        return -code error -errorcode [list HEATSCOPE VIEW TABLE] "[my name] has no table: export it as picture or text"
    }
    # What a vector picture has in its head.
    method DrawnHead {} { return [list [$Path.head.title cget -text] [my fullSubtitle]] }
    # {WIDTH HEIGHT ITEMS}: all that is shown of the view.
    method DrawnItems {} { return [::heatscope::drawn::items $Path {*}[my DrawnHead]] }
    # As SVG or PDF.
    method Drawing {file} {
        lassign [my DrawnItems] width height items
        ::heatscope::drawing $file $width $height $items
        if {[file extension $file] eq ".svg"} {
            ::heatscope::drawn::crisp $file
        }
    }
    # By suffix: .png as on the screen, .svg and .pdf as it is drawn, .tsv the rows, .txt the description. Written beside
    # and renamed.
    method exportTo {file} {
        set suffix [string tolower [file extension $file]]
        if {$suffix ni {.png .svg .pdf .tsv .txt}} {
            return -code error -errorcode {HEATSCOPE VIEW EXPORT} \
                "export: expected a file name that ends in .png, .svg, .pdf, .tsv or .txt, got '$file'"
        }
        ::heatscope::View::replace $file [namespace code [list my ExportAs $suffix]]
    }
    method ExportAs {suffix file} {
        switch -- $suffix {
            .png { ::heatscope::grab $Path $file }
            .svg - .pdf { my Drawing $file }
            .tsv { ::heatscope::View::write $file [::heatscope::View::tsv [my table]] }
            .txt { ::heatscope::View::write $file [my describe] }
        }
    }
    # What a session file keeps of the view itself: a dict; takes such a dict, what does not fit is left out.
    method state {} { return {} }
    method restore {state} {}
    # The widget that takes the keyboard.
    method focusWidget {} { return $Path }
    method themed {} {}
    # What was remembered of values is of another interval now.
    method forget {} {}
    method path {} { return $Path }

    # ---- shared words and options ----
    method Common {} {
        return [list -metric [dict get $Selection metric] -axis [dict get $Selection axis]]
    }
    # Lines by what they took themselves, or with what they call; of one category always with it: communication is in the library's lines.
    method LineTable {} {
        set calls [expr {[dict get $Selection category] >= 0 || [dict get $Selection lines] eq "calls"}]
        return [expr {$calls && ![$Run exact [dict get $Selection metric]] ? "line_incl" : "line"}]
    }
    # What drawn widgets show of two databases; empty with one.
    method Against {} {
        set group [dict get $Selection group]
        return [list -group [expr {$group eq "auto" ? "" : $group}] {*}[[$App comparison] options [dict get $Selection show]]]
    }
    method Comparing {} {
        return [expr {[[$App comparison] any] && [dict get $Selection show] ne "value"}]
    }
    # A value as widgets give it: an amount, or a change.
    method Told {value {noise 0}} {
        if {[my Comparing] && $noise == 2} {
            return "nothing in either run"
        }
        if {[my Comparing]} {
            return "[[$App comparison] words [dict get $Selection show] $value [dict get $Selection metric]][expr {$noise && $value != 0 ? {, within noise} : {}}]"
        }
        return [my Samples $value]
    }
    method Processors {} {
        set range [dict get $Selection processors]
        if {$range eq ""} {
            return ""
        }
        lassign $range a b
        return [expr {$a == $b ? $a : "$a-$b"}]
    }
    method Read {text} {
        $App readOut $text
    }
    # What was timed and counted exactly says what it is of: an interval by slices, where the database has those; a category does not change it.
    method Timed {words} {
        if {[dict get $Selection interval] ne ""} {
            if {[$Db interval] ne "" && [dict get [$Db times] slices]} {
                return "of the interval, by slices of some 100 ms"
            }
            return [expr {[$Db interval] eq "" ? "of the whole run, as the metric" : "of the whole run \u00b7 not known by time"}]
        }
        return [expr {[dict get $Selection category] >= 0 ? "of all categories" : $words}]
    }
    # Why a pane of what was timed and counted is empty: "no message passing was recorded", or not in the interval.
    method NoneTimed {what {verb was}} {
        if {[dict get $Selection interval] ne "" && [$Db interval] ne "" && [dict get [$Db times] slices]} {
            return "$what in the interval"
        }
        return "$what $verb recorded"
    }
    method Samples {n} {
        set metric [dict get $Selection metric]
        return [expr {[$Run exact $metric] ? [$Run amount $metric $n] : [::heatscope::fmt plural $n [$Run countWord]]}]
    }
    method Label {column} {
        return [$Run columnLabel [dict get $Selection axis] $column]
    }
    # Widths that all drawn widgets share.
    method Widget {class path args} {
        return [::heatscope::$class $path -db $Db -background "" -scale [::heatscope::theme scale] {*}$args]
    }
    # A key of a pane's own; with Control or Alt it is none: those are the window's.
    method PaneKey {widget key script} {
        bind $widget <$key> "$script; break"
        foreach modifier {Control Alt} {
            bind $widget <$modifier-Key-$key> {#}
        }
    }
    # A list with its scroll bar that fills `frame`; options of the list. The view has OnPick, OnOpen, OnSort, OnHover and Scroll.
    method Barlist {frame args} {
        ttk::scrollbar $frame.scroll -style Slim.Vertical.TScrollbar -orient vertical -command [namespace code {my Scroll}]
        set list [my Widget barlist $frame.list -font HsUI -monofont HsUI -takefocus 1 -yscrollcommand [list $frame.scroll set] \
            -heading 1 -height [::heatscope::theme dp 160] -rowheight [::heatscope::theme dp 22] {*}$args]
        grid $list $frame.scroll -sticky nswe
        grid columnconfigure $frame 0 -weight 1
        grid rowconfigure $frame 0 -weight 1
        foreach {event method} {ListPick OnPick ListOpen OnOpen ListSort OnSort HeatscopeHover OnHover} {
            bind $list <<$event>> [namespace code [list my $method %d]]
        }
        return $list
    }
    # Is there something under the pointer that has the fact `key`, of numbers one of at least `least`? If not, the read-out is empty.
    method Hits {hit key {least 0}} {
        if {$hit ne "" && [dict exists $hit $key]
            && (![string is double -strict [dict get $hit $key]] || [dict get $hit $key] >= $least)} {
            return 1
        }
        my Read ""
        return 0
    }
}
namespace eval ::heatscope::View {
    # Tabs and line ends in cells become blanks.
    proc tsv {rows} {
        set out {}
        foreach row $rows {
            append out [join [lmap cell $row {regsub -all {[\t\r\n]+} $cell { }}] \t] \n
        }
        return $out
    }
    # Makes `file` by a command that is called with the name of a file beside it, which is then renamed: a failure leaves what
    # was there. An error of writing names the file that was asked for.
    proc replace {file command} {
        set beside $file.part[pid][string tolower [file extension $file]]
        if {[catch {close [open $beside w]} message options]} {
            return -code error -errorcode {HEATSCOPE VIEW WRITE} \
                "$file: can't be written: [lindex [dict get $options -errorcode] end]"
        }
        try {
            {*}$command $beside
            file rename -force -- $beside $file
        } finally {
            file delete -force -- $beside
        }
    }
    proc write {file text} {
        set channel [open $file w]
        fconfigure $channel -encoding utf-8
        puts -nonewline $channel $text
        close $channel
    }
}
