# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Draws the viewer as it is and compares it with the pictures of the folder `pictures`; `tclsh pictures.tcl` draws these anew.
# A simulated run, a font of whole pixels and a display of our own: nothing of the machine is in a picture.
package require Tcl 8.6-

namespace eval pictures {
    variable Here [file dirname [file normalize [info script]]]
    variable References [file join $Here pictures]
    # A channel that is off by no more makes no other pixel.
    variable Off 8
    # Of whole windows and of views made of widgets: the share of pixels that may be others, and how many in a box. Of what C alone draws: none.
    variable Share 0.002
    variable Box {48 24 25}

    variable Views {overview profilemap outline terrain detail findings ranking scope flame contexts assembly compiler messages matrix waiting arrays probes compare
        timeline about}
    variable Drawn {overview profilemap terrain flame timeline matrix}
    # Other sides of a view: name, view, what is done once it is alone in the window, and what undoes it.
    variable Sides {
        reasons   ranking   {"set ranking reason"}      {"set ranking procedure"}
        bottomup  contexts  {"key u"}                   {"key d"}
        flat      contexts  {"key f"}                   {"key d"}
        waited    matrix    {"key g" "key g" "key g"}   {}
        threads   about     {"key g" "key g" "key g"}   {}
        found     ranking   {"search update"}           {"search {}"}
    }
    # Two runs: what changed.
    variable Changed {compare detail overview flame ranking timeline assembly}
    # Whole windows: name, options, databases, commands.
    variable Windows {
        start    {--size=1280x800}             {one.h5}         {}
        small    {--size=680x460}              {one.h5}         {}
        interval {--size=1100x720}             {one.h5}         {"set interval {1 2}" "raise timeline"}
        calls    {--size=1100x720}             {one.h5}         {"set lines calls" "raise messages" "raise profilemap"}
        changed  {--size=1100x720}             {one.h5 two.h5}  {}
        large    {--size=1700x1040 --scale=2}  {one.h5}         {"raise outline"}
        keys     {--size=1000x700}             {one.h5}         {"key F1"}
    }
    # Windows in which rankings are taken in their place too, where they have less room.
    variable Placed {start changed}
    variable Rankings {loop array reason}

    # The databases, in a folder: one program, of which the second run computes more, in more lines, and waits less.
    proc simulate {folder} {
        foreach {name options} {one.h5 {--samples=2000} two.h5 {--samples=1900 --fill=40}} {
            exec -ignorestderr $::env(HEATSCOPE_SIMULATE) -o [file join $folder $name] --lines=420 --threads=8 --processes=4 --hosts=2 --times --details {*}$options 2>@1
        }
    }
    # Takes pictures of the viewer into the folder that the databases are in: scripts of one window each.
    proc Session {folder options databases commands} {
        set script [file join $folder commands.txt]
        set f [open $script w]
        puts $f [join [concat $commands [list errors]] \n]
        close $f
        set said [exec env -u DISPLAY -u HEATSCOPE_SOURCE_PATH LC_ALL=C.UTF-8 TZ=UTC HOME=$folder XDG_CONFIG_HOME=$folder XDG_CACHE_HOME=$folder HEATSCOPE_LIBCLANG=/dev/null \
            FONTCONFIG_FILE=[file join $pictures::References fonts.conf] $::env(HEATSCOPE_BIN) view --script=commands.txt {*}$options {*}$databases]
        if {$said ne ""} {
            return -code error "the viewer said: $said"
        }
    }
    # Commands for a view alone in the window, into NAME-THEME.png.
    proc View {view name theme {before {}} {after {}}} {
        return [list "maximise $view" {*}$before "snapshot $view $name-$theme.png" {*}$after "maximise $view"]
    }
    proc draw {folder} {
        variable Views
        variable Sides
        variable Changed
        variable Windows
        variable Placed
        variable Rankings
        set was [pwd]
        cd $folder
        try {
            foreach theme {light dark} {
                set commands {}
                foreach view $Views {
                    lappend commands {*}[View $view $view $theme]
                }
                foreach {name view before after} $Sides {
                    lappend commands {*}[View $view $name $theme $before $after]
                }
                Session $folder [list --size=680x460 --theme=$theme] one.h5 $commands
                Session $folder [list --size=680x460 --theme=$theme] {one.h5 two.h5} \
                    [concat {*}[lmap view $Changed {View $view $view-changed $theme}]]
                foreach {name options databases commands} $Windows {
                    lappend commands "snapshot window window-$name-$theme.png"
                    if {$name in $Placed} {
                        foreach by $Rankings {
                            lappend commands "raise ranking" "set ranking $by" "snapshot ranking by$by-$name-$theme.png"
                        }
                    }
                    Session $folder [concat $options --theme=$theme] $databases $commands
                }
            }
        } finally {
            cd $was
        }
        return [lsort [glob -directory $folder -tails *.png]]
    }

    # {width height bytes} of each of the files, three bytes a pixel.
    proc Read {files} {
        set f [open "|[list convert {*}$files -alpha off -depth 8 ppm:-]" rb]
        set data [read $f]
        close $f
        set at 0
        set pictures {}
        foreach file $files {
            if {![regexp {^P6\s+(\d+)\s+(\d+)\s+255\s} [string range $data $at $at+40] head w h]} {
                return -code error "$file: no picture"
            }
            incr at [string length $head]
            lappend pictures [list $w $h [string range $data $at [incr at [expr {3 * $w * $h}]]-1]]
        }
        return $pictures
    }
    # What is not as in the reference, in words; {} when they are alike. The differences go to a picture: the reference faint, what differs red.
    proc differ {name new reference differences exact} {
        return [Differ $name $new {*}[Read [list $new $reference]] $differences $exact]
    }
    proc Differ {name new drawn kept differences exact} {
        variable Off
        variable Share
        variable Box
        lassign $kept w h old
        lassign $drawn w2 h2 now
        if {$w != $w2 || $h != $h2} {
            return "$name: ${w2}x$h2 pixels, not ${w}x$h: $new"
        }
        if {$old eq $now} {
            return
        }
        lassign $Box across down most
        set n 0
        set left $w
        set top $h
        set right 0
        set bottom 0
        set boxes {}
        set row [expr {3 * $w}]
        set out ""
        for {set y 0} {$y < $h} {incr y} {
            set a [string range $old [expr {$y * $row}] [expr {($y + 1) * $row - 1}]]
            set b [string range $now [expr {$y * $row}] [expr {($y + 1) * $row - 1}]]
            binary scan $a cu* p
            set bytes [lmap v $p {expr {192 + $v / 4}}]
            if {$a ne $b} {
                binary scan $b cu* q
                set x 0
                foreach {r g b} $p {r2 g2 b2} $q {
                    if {abs($r - $r2) > $Off || abs($g - $g2) > $Off || abs($b - $b2) > $Off} {
                        incr n
                        set left [expr {min($left, $x)}]
                        set right [expr {max($right, $x)}]
                        set top [expr {min($top, $y)}]
                        set bottom $y
                        dict incr boxes [expr {$x / $across}],[expr {$y / $down}]
                        set bytes [lreplace $bytes [expr {3 * $x}] [expr {3 * $x + 2}] 255 0 0]
                    }
                    incr x
                }
            }
            append out [binary format c* $bytes]
        }
        if {$n <= ($exact ? 0 : $Share * $w * $h) && [tcl::mathfunc::max 0 {*}[dict values $boxes]] <= ($exact ? 0 : $most)} {
            return
        }
        set f [open "|[list convert -size ${w}x$h -depth 8 rgb:- $differences]" wb]
        puts -nonewline $f $out
        close $f
        return "$name: $n pixels ([format %.2f [expr {100.0 * $n / ($w * $h)}]] %) differ, in the box\
            [expr {$right - $left + 1}]x[expr {$bottom - $top + 1}] at $left,$top: $new, differences: $differences"
    }
    # Of all that was drawn in a folder: what is not as it should be, a line each.
    proc compare {folder names} {
        variable References
        variable Drawn
        set wrong {}
        set kept [lsort [glob -directory $References -tails *.png]]
        foreach name $names {
            if {$name ni $kept} {
                lappend wrong "$name: no reference in $References: [file join $folder $name]"
            }
        }
        foreach name $kept {
            if {$name ni $names} {
                lappend wrong "$name: a reference that is drawn no more"
            }
        }
        set both [lmap name $names {expr {$name in $kept ? $name : [continue]}}]
        foreach name $both drawn [Read [lmap name $both {file join $folder $name}]] reference [Read [lmap name $both {file join $References $name}]] {
            set exact [expr {[regexp {^([a-z]+)(-changed)?-(light|dark)\.png$} $name -> view] && $view in $Drawn}]
            set said [Differ $name [file join $folder $name] $drawn $reference [file join $folder [file rootname $name]-differences.png] $exact]
            if {$said ne ""} {
                lappend wrong $said
            }
        }
        return $wrong
    }
    # The references as the viewer draws now.
    proc update {folder} {
        variable References
        set names [draw $folder]
        file delete {*}[glob -nocomplain -directory $References *.png]
        foreach name $names {
            # as few bytes as can be; indexed where there are no more than 256 colours
            exec convert [file join $folder $name] -strip -define png:compression-level=9 -define png:compression-filter=5 [file join $References $name]
        }
        puts "[llength $names] pictures in $References: look at those that changed"
    }
    # An empty folder of the build's for pictures.
    proc folder {} {
        set folder [file join $::env(HEATSCOPE_SCRATCH) pictures]
        file delete -force $folder
        file mkdir $folder
        return $folder
    }
}

if {[info exists ::argv0] && [file normalize $::argv0] eq [file normalize [info script]]} {
    set folder [pictures::folder]
    pictures::simulate $folder
    pictures::update $folder
}
