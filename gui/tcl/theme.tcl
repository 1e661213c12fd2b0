# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Looks: one ttk theme on clam with a light and a dark palette, named fonts, one scale factor.

namespace eval ::heatscope::theme {
    namespace export setup use current colour dp scale mix category
    namespace ensemble create

    variable Name light
    variable Palette {}
    variable Scale 1.0
    variable Found {}
    variable Mixed {}
    variable Widths {}
    variable Kept 0

    # Chooses the scale once and makes the fonts. `override` > 0: that scale.
    proc setup {{override 0}} {
        variable Scale
        variable Found
        set scaling [expr {[tk scaling] / (4.0 / 3.0)}]
        set xft [option get . dpi Dpi]
        if {![string is double -strict $xft] || $xft <= 0} {
            set xft 96
        }
        set Scale [expr {max($scaling, $xft / 96.0)}]
        if {[string is double -strict $override] && $override > 0} {
            set Scale $override
        }
        set Scale [expr {min(4.0, max(0.75, $Scale))}]
        tk scaling [expr {$Scale * 4.0 / 3.0}]
        set installed [font families]
        set lower {}
        foreach family $installed {
            dict set lower [string tolower $family] $family
        }
        dict for {kind wanted} [::heatscope::settings get families] {
            dict set Found $kind [lindex $wanted end]
            foreach family $wanted {
                if {[dict exists $lower [string tolower $family]]} {
                    dict set Found $kind [dict get $lower [string tolower $family]]
                    break
                }
            }
        }
        dict for {name spec} [::heatscope::settings get fonts] {
            lassign $spec kind points weight slant
            set options [list -family [dict get $Found $kind] -weight $weight -slant $slant \
                -size [expr {-round($points * 4.0 / 3.0 * $Scale)}]]
            if {$name in [font names]} {
                font configure $name {*}$options
            } else {
                font create $name {*}$options
            }
        }
        # those of Tk's own dialogs
        foreach name {TkDefaultFont TkTextFont TkIconFont TkMenuFont TkHeadingFont TkCaptionFont} {
            font configure $name {*}[font configure HsUI]
        }
        option add *tearOff 0
        option add *Text.insertOffTime 0
        foreach name {light dark} {
            Create $name
        }
    }

    # Opens the fonts: what the window needs of them is there then, and the database is being read meanwhile.
    proc warm {} {
        foreach name [dict keys [::heatscope::settings get fonts]] {
            width $name "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.:%"
        }
    }
    namespace export warm

    proc dp {n} {
        variable Scale
        return [expr {round($n * $Scale)}]
    }
    # A length of the settings, scaled.
    proc size {name} {
        return [dp [::heatscope::settings get sizes $name]]
    }
    namespace export size

    proc scale {} {
        variable Scale
        return $Scale
    }
    proc current {} {
        variable Name
        return $Name
    }
    proc colour {key} {
        variable Palette
        return [dict get $Palette $key]
    }

    # Width of a text in pixels, kept: with a display that is far every tenth measuring waits for the server.
    proc width {font text} {
        variable Widths
        variable Kept
        if {[dict exists $Widths $font $text]} {
            return [dict get $Widths $font $text]
        }
        set width [font measure $font $text]
        if {[string length $text] <= 200} {
            if {[incr Kept] > 5000} {
                set Widths {}
                set Kept 0
            }
            dict set Widths $font $text $width
        }
        return $width
    }
    # Is the display on another machine, or forwarded?
    proc remote {} {
        return [expr {[regexp {^[^:/]+:} [winfo screen .]] && ![string match unix:* [winfo screen .]]}]
    }
    # A widget's text; what it says already is not drawn again.
    proc say {w text} {
        if {[$w cget -text] ne $text} {
            $w configure -text $text
        }
    }
    namespace export width remote say

    # Colour of a kind of time, as the drawn widgets have it.
    proc category {k} {
        return [dict get [::heatscope::palette] cat[expr {$k % 10}]]
    }

    # Colour between two of the palette's, t in 0..1 in 24 steps, so that few Tk colours are ever made.
    proc mix {a b t} {
        variable Mixed
        set step [expr {round(24 * min(1.0, max(0.0, $t)))}]
        if {[dict exists $Mixed $a $b $step]} {
            return [dict get $Mixed $a $b $step]
        }
        scan [colour $a] #%2x%2x%2x r1 g1 b1
        scan [colour $b] #%2x%2x%2x r2 g2 b2
        set f [expr {$step / 24.0}]
        set c [format #%02x%02x%02x [expr {round($r1 + ($r2 - $r1) * $f)}] [expr {round($g1 + ($g2 - $g1) * $f)}] \
            [expr {round($b1 + ($b2 - $b1) * $f)}]]
        dict set Mixed $a $b $step $c
        return $c
    }

    # Takes the palette for all widgets; views hear <<ThemeChanged>>.
    proc use {name} {
        variable Name
        variable Palette
        variable Mixed
        set Palette [::heatscope::settings palette $name]
        set Name $name
        set Mixed {}
        ttk::style theme use heatscope-$name
        . configure -background [colour window]
        Menus .
    }

    # An entry of a menu, with room round its words.
    proc menuEntry {menu label args} {
        variable MenuGap
        if {![info exists MenuGap]} {
            # a bitmap: a photo frees colours that a far display was never asked for (far.c)
            set height [expr {[font metrics HsUI -linespace] + [dp 7]}]
            set MenuGap [image create bitmap -background {} -data "#define gap_width [dp 5]\n#define gap_height $height\nstatic char gap_bits\[\] = {\
                [join [lrepeat [expr {$height * (([dp 5] + 7) / 8)}] 0] ,]};"]
        }
        $menu add command -label "$label\u2003" -image $MenuGap -compound left {*}$args
    }
    # What the entries below it are.
    proc menuHead {menu label} {
        menuEntry $menu $label -state disabled -font HsSmall
    }
    # Marks the entries that hold; holds: a truth for each.
    proc menuMark {menu holds} {
        set i -1
        foreach on $holds {
            incr i
            if {[$menu entrycget $i -state] ne "disabled"} {
                $menu entryconfigure $i -font [expr {$on ? "HsUIb" : ""}] -foreground [expr {$on ? [colour accent] : ""}]
            }
        }
    }
    namespace export menuEntry menuHead menuMark

    # Menus are the only classic widgets that no view owns.
    proc Menus {w} {
        if {[winfo class $w] eq "Menu"} {
            $w configure -font HsUI -background [colour card] -foreground [colour text] -activebackground [colour selection] \
                -activeforeground [colour text] -disabledforeground [colour muted] -borderwidth 1 -activeborderwidth 0 -relief solid -selectcolor [colour accent]
        }
        foreach child [winfo children $w] {
            Menus $child
        }
    }
    namespace export Menus

    proc Create {name} {
        set p [::heatscope::settings palette $name]
        dict with p {}
        ttk::style theme create heatscope-$name -parent clam
        ttk::style theme settings heatscope-$name {
            ttk::style configure . -background $window -foreground $text -font HsUI -bordercolor $border \
                -lightcolor $window -darkcolor $window -troughcolor $barTrack -fieldbackground $field \
                -selectbackground $selection -selectforeground $text -insertcolor $text -focuscolor $accent \
                -arrowcolor $muted -borderwidth 0 -relief flat
            ttk::style map . -foreground [list disabled $faint]
            ttk::style configure TPanedwindow -background $window
            ttk::style configure Sash -sashthickness [dp 5] -gripcount 0 -background $window -bordercolor $window \
                -lightcolor $window -darkcolor $window
            ttk::style configure Card.TFrame -background $card
            ttk::style configure Rule.TFrame -background $rule
            ttk::style configure Warn.TFrame -background $warnSoft
            ttk::style configure Warn.TLabel -background $warnSoft -foreground $warn
            foreach {style colour font} [list Title.TLabel $text HsTitle Head.TLabel $text HsUIb Sub.TLabel $muted HsUI \
                    Small.TLabel $muted HsSmall] {
                ttk::style configure $style -background $window -foreground $colour -font $font
                ttk::style configure Card.$style -background $card -foreground $colour -font $font
            }
            ttk::style configure Above.TLabel -background $current -foreground $text
            ttk::style configure Tab.TLabel -background $card -foreground $muted -font HsUI
            ttk::style configure Over.Tab.TLabel -foreground $accent
            ttk::style configure Card.TLabel -background $card -foreground $text
            ttk::style configure Tool.TLabel -background $window -foreground $muted -font HsUI
            ttk::style layout Segment.TRadiobutton {Radiobutton.border -sticky nswe -children {
                Radiobutton.padding -sticky nswe -children {Radiobutton.label -sticky nswe}}}
            ttk::style configure Segment.TRadiobutton -background $button -foreground $text \
                -padding [list [dp 11] [dp 5]] -borderwidth 1 -bordercolor $button -lightcolor $button -darkcolor $button -relief flat -font HsUI
            ttk::style map Segment.TRadiobutton \
                -background [list selected $accentSoft active $buttonActive] -foreground [list selected $accent] \
                -bordercolor [list focus $accent selected $accentSoft] -lightcolor [list selected $accentSoft active $buttonActive] \
                -darkcolor [list selected $accentSoft active $buttonActive]
            ttk::style configure TButton -background $button -foreground $text -padding [list [dp 10] [dp 4]] \
                -borderwidth 1 -relief flat -bordercolor $fieldBorder -lightcolor $button -darkcolor $button -anchor center
            ttk::style map TButton -background [list active $buttonActive] -bordercolor [list focus $accent]
            ttk::style configure Action.TButton -background $accentSoft -foreground $accent -bordercolor $accentSoft \
                -lightcolor $accentSoft -darkcolor $accentSoft
            ttk::style map Action.TButton -background [list active $selection]
            ttk::style configure TMenubutton -background $button -foreground $text -padding [list [dp 10] [dp 5]] \
                -borderwidth 1 -relief flat -bordercolor $button -lightcolor $button -darkcolor $button -arrowcolor $muted \
                -arrowsize [dp 5]
            ttk::style map TMenubutton -background [list active $buttonActive] -bordercolor [list focus $accent] \
                -lightcolor [list active $buttonActive] -darkcolor [list active $buttonActive]
            ttk::style configure Rank.TMenubutton -background $card -foreground $text -font HsTitle -padding 0 \
                -borderwidth 0 -bordercolor $card -lightcolor $card -darkcolor $card
            ttk::style map Rank.TMenubutton -background [list active $card] -foreground [list active $accent] \
                -lightcolor [list active $card] -darkcolor [list active $card]
            ttk::style configure Sheet.TFrame -background $fieldBorder
            ttk::style configure TCheckbutton -background $card -foreground $text -indicatorbackground $field -indicatorforeground $accent \
                -upperbordercolor $fieldBorder -lowerbordercolor $fieldBorder -focuscolor $card \
                -indicatorsize [dp 10] -indicatormargin [list 1 1 [dp 6] 1]
            ttk::style map TCheckbutton -background [list active $card] -indicatorbackground [list selected $field]
            ttk::style configure TEntry -foreground $text -fieldbackground $field -bordercolor $fieldBorder \
                -lightcolor $field -darkcolor $field -padding [list [dp 6] [dp 4]] -borderwidth 1
            ttk::style map TEntry -bordercolor [list focus $accent] -lightcolor [list focus $field]
            ttk::style layout Slim.Vertical.TScrollbar {Vertical.Scrollbar.trough -sticky ns -children {
                Vertical.Scrollbar.thumb -expand 1 -sticky nswe}}
            ttk::style layout Slim.Horizontal.TScrollbar {Horizontal.Scrollbar.trough -sticky we -children {
                Horizontal.Scrollbar.thumb -expand 1 -sticky nswe}}
            foreach way {Vertical Horizontal} {
                ttk::style configure Slim.$way.TScrollbar -troughcolor $card -background $fieldBorder -bordercolor $card \
                    -lightcolor $fieldBorder -darkcolor $fieldBorder -arrowsize [dp 8] -width [dp 8] -gripcount 0 -borderwidth 0
                ttk::style map Slim.$way.TScrollbar -background [list disabled $card active $faint] \
                    -lightcolor [list disabled $card active $faint] -darkcolor [list disabled $card active $faint]
            }
        }
    }
}
