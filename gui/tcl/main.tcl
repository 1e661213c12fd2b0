# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Start of the viewer: tclsh main.tcl OPTIONS DATABASE [DATABASE]; `heatscope view` calls it.
package require Tcl 8.6-

namespace eval ::heatscope {
    variable Apps {}
    variable status 0 ;# what the program ends with
    variable astray 0 ;# 1: --select named nothing, which a picture tells by its exit code
    variable keeps 0 ;# 1: theme and size are a person's, and those of the next start
    variable size {} ;# of the first window, as it began or was left
    variable begun [clock microseconds]
    variable here [file dirname [file normalize [info script]]]
}

proc ::heatscope::fail {message {code 1}} {
    puts stderr "heatscope view: $message"
    exit $code
}

proc ::heatscope::arguments {words} {
    set options {theme {} size {} select {} axis {} snapshot {} script {} scale 0 lib {} program {} files {}}
    while {[llength $words]} {
        set words [lassign $words word]
        if {[regexp {^--(theme|size|select|axis|snapshot|script|scale|lib|program)=(.*)$} $word -> name value]} {
            dict set options $name $value
        } elseif {[string match --* $word] && $word ne "--"} {
            fail "unknown option '$word'" 2
        } elseif {$word eq "--"} {
            dict lappend options files {*}$words
            break
        } else {
            dict lappend options files $word
        }
    }
    return $options
}

# The program that tells what the words of C and C++ are; "" without one.
proc ::heatscope::tokens {lib} {
    set program [file join $lib heatscope-tokens]
    return [expr {$lib ne "" && [file executable $program] ? [file normalize $program] : ""}]
}

# The palette of the drawn widgets from that of the theme.
proc ::heatscope::useTheme {name} {
    variable Apps
    theme use $name
    set t ::heatscope::theme
    palette background [$t colour card] panel [$t colour card] foreground [$t colour text] muted [$t colour muted] \
        faint [$t colour barTrack] accent [$t colour accent] accentsoft [$t colour selection] bar [$t colour barDark] \
        barlight [$t colour barLight] warn [$t colour warn] lineband [$t colour current] nocode [$t colour noCode] \
        greylow [$t colour gutterLow] greyhigh [$t colour gutterHigh]
    foreach app $Apps {
        $app themed
    }
}

# Errors outside of a view's drawing: the window stays and says it.
proc ::heatscope::background {message options} {
    variable Apps
    puts stderr "heatscope view: $message"
    foreach app $Apps {
        catch {$app complain $message $options}
    }
    if {[info exists ::env(HEATSCOPE_DEBUG)]} {
        puts stderr [dict get $options -errorinfo]
    }
}

# Compose keys and the like, from now on. Not with a display that is far: each window costs four round trips.
proc ::heatscope::useInputMethods {} {
    if {![theme remote]} {
        tk useinputmethods 1
    }
}

# Reads the package indexes of those folders by themselves: a package that is not known yet makes Tcl read all that are installed.
proc ::heatscope::index {folders} {
    foreach dir $folders {
        set file [file join $dir pkgIndex.tcl]
        if {[file readable $file]} {
            catch {source $file}
        }
    }
}

# Is the display on another machine, or forwarded? Before there is a window, which `theme remote` asks.
proc ::heatscope::isFar {} {
    set display [expr {[info exists ::env(DISPLAY)] ? $::env(DISPLAY) : ""}]
    return [expr {([regexp {^[^:/]+:} $display] && ![string match unix:* $display]) || [info exists ::env(HEATSCOPE_NO_SHM)]}]
}
# Runs a script in which X reads our table of compose keys, unless the user has one: that of the system takes as long to read as all else of
# Tk's start. What is started later is not told of it.
proc ::heatscope::withFewComposeKeys {script} {
    variable here
    set own [expr {[info exists ::env(HOME)] ? [file join $::env(HOME) .XCompose] : ""}]
    if {[info exists ::env(XCOMPOSEFILE)] || [file exists $own]} {
        return [uplevel 1 $script]
    }
    set ::env(XCOMPOSEFILE) [file join $here compose]
    try {
        uplevel 1 $script
    } finally {
        unset ::env(XCOMPOSEFILE)
    }
}

proc ::heatscope::main {words} {
    variable here
    variable Apps
    set options [arguments $words]
    if {![llength [dict get $options files]]} {
        fail "no database named" 2
    }
    # malloc has read it; programs that we start have what the user gave us
    if {[info exists ::env(GLIBC_TUNABLES)] && $::env(GLIBC_TUNABLES) eq "glibc.malloc.hugetlb=1"} {
        unset ::env(GLIBC_TUNABLES)
    }
    # Tk would take options of its own out of these
    set ::argv {}
    set ::argc 0
    if {[dict get $options lib] ne ""} {
        lappend ::auto_path [file join [dict get $options lib] tcl]
        index [list [lindex $::auto_path end]]
    }
    # it is read while Tk is loaded; what is wrong is told when it is opened
    catch {
        package require heatscope::data
        data begin [lindex [dict get $options files] 0]
    }
    # before Tk looks for what it calls
    if {[dict get $options lib] ne "" && [isFar]} {
        catch {data far [file join [dict get $options lib] tcl heatscope_far.so]}
    }
    foreach folder $::auto_path {
        index [glob -nocomplain -directory $folder -type d tk$::tcl_version]
    }
    if {[catch {withFewComposeKeys {package require Tk}} message]} {
        fail "no window: $message"
    }
    rename ::send {}
    wm withdraw .
    interp bgerror {} ::heatscope::background
    foreach package {heatscope::data heatscope::draw} {
        if {[catch {package require $package} message]} {
            fail "the viewer's extension is missing: $message"
        }
    }
    source -encoding utf-8 [file join $here models.tcl]
    readFiles [list theme {*}[settings get viewFiles] panes app app_tools app_interval app_keys app_files app_search app_script]
    readLater [settings get viewsLater]
    # an input context for each window is four round trips: not before the first picture is there
    tk useinputmethods 0
    variable keeps [expr {[dict get $options script] eq "" && [dict get $options snapshot] eq ""}]
    set kept [expr {$keeps ? [kept read] : {}}]
    theme setup [expr {[dict get $options scale] ne "" ? [dict get $options scale] : 0}]
    if {[dict get $options theme] eq ""} {
        dict set options theme [expr {[dict exists $kept theme] ? [dict get $kept theme] : "light"}]
    }
    useTheme [dict get $options theme]
    theme warm
    set width [showWindow $options [expr {[dict exists $kept size] ? [dict get $kept size] : [list [theme dp 1560] [theme dp 940]]}]]
    # a second database is compared with the first
    set handles {}
    foreach file [lrange [dict get $options files] 0 1] {
        if {[catch {data open $file} db]} {
            fail $db
        }
        lappend handles $db
    }
    set start [dict create width $width]
    foreach key {axis select} {
        if {[dict get $options $key] ne ""} {
            dict set start $key [dict get $options $key]
        }
    }
    if {[llength $handles] > 1} {
        dict set start compare [lindex $handles 1]
    }
    dict set start tokens [tokens [dict get $options lib]]
    variable tokens [dict get $start tokens]
    variable program [dict get $options program]
    lappend Apps [App new . [lindex $handles 0] $start]
    set app [lindex $Apps 0]
    focus -force .
    if {$keeps} {
        variable size [list [winfo width .] [winfo height .]]
        bind . <Configure> +[list ::heatscope::resized %W %w %h]
    }
    bind . <Destroy> +[list ::heatscope::closed %W]
    if {[info exists ::env(HEATSCOPE_BEAT)]} {
        $app beat on
    }
    try {
        $app open
    } on error {message details} {
        # closed while it was being filled
        if {[catch {winfo exists .} there] || !$there} {
            exit 0
        }
        return -options $details $message
    }
    if {[dict get $options script] eq "-"} {
        $app settle
        script serve $app
        return
    }
    if {[dict get $options script] ne "" || [dict get $options snapshot] ne ""} {
        try {
            $app settle
            if {[dict get $options script] ne ""} {
                script runFile $app [dict get $options script]
            }
            if {[dict get $options snapshot] ne "" && [info commands $app] ne ""} {
                $app snapshot window [dict get $options snapshot]
            }
        } on error {message details} {
            if {[info exists ::env(HEATSCOPE_DEBUG)]} {
                puts stderr [dict get $details -errorinfo]
            }
            fail $message
        }
        exit $::heatscope::astray
    }
}
# Puts the first window on the screen, empty: that goes on while the database is read; usual: its size where none is asked for. Gives its width.
proc ::heatscope::showWindow {options usual} {
    lassign $usual width height
    if {[regexp {^(\d+)x(\d+)$} [dict get $options size] -> width height] == 0} {
        # a snapshot needs no room for a window manager
        lassign [expr {[dict get $options snapshot] eq "" ? {40 80} : {0 0}}] beside above
        set width [expr {min($width, [winfo screenwidth .] - $beside)}]
        set height [expr {min($height, [winfo screenheight .] - $above)}]
    }
    wm geometry . ${width}x$height[expr {[dict get $options snapshot] ne "" ? "+0+0" : ""}]
    wm minsize . {*}[LeastSize]
    wm title . "[file tail [lindex [dict get $options files] 0]] \u2013 Heatscope"
    wm deiconify .
    update
    if {[catch {winfo exists .} there] || !$there} {
        # closed at once
        exit 0
    }
    return $width
}
# {width height}: the least that a window has, as far as the screen goes.
proc ::heatscope::LeastSize {} {
    return [list [expr {min([theme dp 900], [winfo screenwidth .])}] [expr {min([theme dp 560], [winfo screenheight .])}]]
}
# Another database in a window of its own. Closing the first window closes all.
proc ::heatscope::openWindow {file} {
    variable Apps
    variable windows
    variable tokens
    set db [data open $file]
    set top .window[incr windows]
    toplevel $top
    wm geometry $top [theme dp 1560]x[theme dp 940]
    wm minsize $top {*}[LeastSize]
    if {[catch {App new $top $db [dict create tokens $tokens]} app options]} {
        destroy $top
        $db close
        return -options $options $app
    }
    lappend Apps $app
    bind $top <Destroy> +[list ::heatscope::windowGone %W $top $app]
    $app open
    return $app
}
proc ::heatscope::windowGone {w top app} {
    variable Apps
    if {$w eq $top} {
        set Apps [lsearch -all -inline -not -exact $Apps $app]
    }
}
# The next start begins with them. A window that a window manager has made as large as the screen is no size.
proc ::heatscope::keepTheme {} {
    variable keeps
    if {$keeps} {
        kept write [list theme [theme current]]
    }
}
proc ::heatscope::resized {w width height} {
    variable size
    variable sized
    if {$w eq "." && [list $width $height] ne $size && ![wm attributes . -zoomed] && ![wm attributes . -fullscreen]} {
        set size [list $width $height]
        set sized 1
    }
}
proc ::heatscope::closed {w} {
    if {$w eq "."} {
        if {[info exists ::heatscope::sized]} {
            kept write [list size $::heatscope::size]
        }
        set ::heatscope::done 1
    }
}

if {[catch {::heatscope::main $::argv} message details]} {
    puts stderr "heatscope view: $message"
    if {[info exists ::env(HEATSCOPE_DEBUG)]} {
        puts stderr [dict get $details -errorinfo]
    }
    exit 1
}
vwait ::heatscope::done
exit $::heatscope::status
