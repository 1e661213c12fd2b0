# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The window: what it saves and opens: pictures, views, sessions, databases, the editor.

# Of Tk's file dialogs: their list of files is black on white, whatever the theme.
oo::class create ::heatscope::FileList {
    method Create {} {
        next
        my variable fill
        set fill [::heatscope::theme colour text]
        my Themed
    }
    method deleteall {} {
        my variable fill
        set fill [::heatscope::theme colour text]
        next
        my Themed
    }
    method DrawSelection {} {
        next
        my Themed
    }
    method Themed {} {
        my variable canvas
        $canvas configure -background [::heatscope::theme colour field]
        $canvas itemconfigure {text && !selectionText} -fill [::heatscope::theme colour text]
    }
}

oo::define ::heatscope::App {
    # Asks for a file, then calls one of ours with it.
    method AskFile {command words suffix types} {
        # other systems have dialogs of their own; loading the class once more is an error
        if {([llength [info commands ::tk::IconList]] || [auto_load ::tk::IconList]) && "::heatscope::FileList" ni [info class mixins ::tk::IconList]} {
            oo::define ::tk::IconList mixin ::heatscope::FileList
        }
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
    # A second database, which all panes compare with.
    method compareDatabase {} {
        set name [my AskFile tk_getOpenFile comparison .h5 {{Databases .h5} {All *}}]
        if {$name ne ""} {
            my Complains {my compare $name}
        }
    }
    # Compares with the database at a path, or that of a measurement directory, the comparison in front; {}: with none.
    method compare {path} {
        my compareWith [expr {[file isdirectory $path] ? [my DatabaseOf $path] : $path}]
        if {[$Comparison any]} {
            $Bus adjust compare show difference
            $Panes raise compare
        }
    }
    # The database of a measurement directory, correlated first where it is older than a measurement.
    method DatabaseOf {folder} {
        set measured [glob -nocomplain -directory $folder *.hsr]
        set database [file join $folder heatscope.h5]
        if {![file exists $database] && ![llength $measured]} {
            return -code error -errorcode {HEATSCOPE VIEW FOLDER} "$folder: neither a database of Heatscope nor a measurement directory"
        }
        set made [expr {[file exists $database] ? [file mtime $database] : -1}]
        foreach file $measured {
            if {[file mtime $file] > $made} {
                my Correlate $folder
                break
            }
        }
        return $database
    }
    # Runs `heatscope correlate` on a folder while the window works; Esc stops it, which is an error, as is its failure.
    method Correlate {folder} {
        if {[dict size $Correlating]} {
            return -code error -errorcode {HEATSCOPE VIEW FOLDER} "$folder: another folder is being correlated"
        }
        set channel [open |[list [set ::heatscope::program] correlate $folder 2>@1] r]
        set Correlating [dict create channel $channel said {} stopped 0 ended 0]
        fconfigure $channel -blocking 0
        fileevent $channel readable [namespace code {my Correlated}]
        $Path.status.progress configure -part 0 -words "Correlating [file tail $folder]"
        while {![dict get $Correlating ended]} {
            vwait [my varname Correlating]
        }
        if {[winfo exists $Path.status.progress]} {
            $Path.status.progress configure -part -1
        }
        fconfigure $channel -blocking 1
        set failed [catch {close $channel}]
        lassign [list [dict get $Correlating stopped] [dict get $Correlating said]] stopped said
        set Correlating {}
        if {$stopped} {
            return -code error -errorcode {HEATSCOPE VIEW STOPPED} "stopped: $folder is not compared with"
        }
        if {$failed} {
            return -code error -errorcode {HEATSCOPE VIEW FOLDER} [regsub {^heatscope correlate: } $said ""]
        }
    }
    # A line of what `heatscope correlate` says: the last one tells why it failed.
    method Correlated {} {
        set channel [dict get $Correlating channel]
        if {[gets $channel line] >= 0 && $line ne ""} {
            dict set Correlating said $line
        } elseif {[eof $channel]} {
            fileevent $channel readable {}
            dict set Correlating ended 1
        }
    }
    # 0: nothing is being correlated.
    method stopCorrelating {} {
        if {![dict size $Correlating]} {
            return 0
        }
        dict set Correlating stopped 1
        catch {exec kill {*}[pid [dict get $Correlating channel]]}
        return 1
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
                set text [::heatscope::session write $Run $Bus [$Panes state] [::heatscope::theme current] [my viewStates] \
                    [$Comparison path]]
                ::heatscope::View::replace $file [list apply {{text file} {::heatscope::View::write $file $text}} $text]
            }
            open {
                set session [::heatscope::session read $Run $file]
                ::heatscope::useTheme [dict get $session theme]
                my Complains {my compareWith [dict get $session compare]}
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
    # Compares with the database at a path, {} with none; what cannot be read is an error and leaves all as it is.
    method compareWith {path} {
        if {$path eq [$Comparison path]} {
            return
        }
        if {$path eq ""} {
            set other ""
        } else {
            set other [::heatscope::data open $path]
        }
        $Comparison with $other
        my ShowMenu
        set only [[$Run db] only]
        $Comparison interval [[$Run db] interval] [expr {$only >= 0 ? [[$Run db] category $only] : ""}] [$Run exact [$Bus get metric]]
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
}
