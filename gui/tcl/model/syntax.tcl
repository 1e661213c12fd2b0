# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What the words of C and C++ sources are (types, functions, macros, variables, ...), by libclang in a process of its own. Until it has
# answered, and where it can't, the lexer's keywords stand.

oo::class create ::heatscope::Syntax {
    variable Run Program Waiting Active Channel Output Timer Files

    # program: path of heatscope-tokens, "" for none
    constructor {run program} {
        set Run $run
        set Program $program
        set Waiting {}
        set Active {}
        set Channel {}
        set Output {}
        set Timer {}
        set Files {}
    }
    destructor {
        my Stop
    }
    # Asks for a document's words, once; {*}$done FILE is called when it has them.
    method ask {file done} {
        set document [$Run document $file]
        if {$Program eq "" || [$document language] ne "c" || [$document state] ne "text" || [$document where] eq "" || [$document asked]} {
            return
        }
        $document ask
        lappend Waiting [list $file $done]
        my Next
    }
    method pending {} { return [expr {$Active ne "" || [llength $Waiting]}] }

    method Next {} {
        if {$Active ne "" || ![llength $Waiting]} {
            return
        }
        set Waiting [lassign $Waiting Active]
        set path [file normalize [[$Run document [lindex $Active 0]] where]]
        set Output {}
        if {[catch {open |[list $Program [my Language $path] $path {*}[my Includes [lindex $Active 0] $path] 2>/dev/null] r} Channel]} {
            set Channel {}
            set Active {}
            set Waiting {}
            return
        }
        fconfigure $Channel -blocking 0 -translation binary
        fileevent $Channel readable [namespace code {my Read}]
        set Timer [after 120000 [namespace code {my Done 0}]]
    }
    method Read {} {
        if {[catch {read $Channel} data]} {
            my Done 0
            return
        }
        append Output $data
        if {[eof $Channel]} {
            my Done 1
        } elseif {[string length $Output] > 64000000} {
            my Done 0
        }
    }
    method Stop {} {
        after cancel $Timer
        set good 1
        if {$Channel ne ""} {
            # a channel that blocks waits for the process and tells how it ended
            if {[eof $Channel]} {
                fconfigure $Channel -blocking 1
            } else {
                catch {exec kill -- {*}[pid $Channel]}
            }
            set good [expr {![catch {close $Channel}]}]
        }
        set Channel {}
        return $good
    }
    method Done {good} {
        lassign $Active file done
        set good [expr {[my Stop] && $good}]
        set Active {}
        if {$good} {
            set roles {}
            foreach line [split $Output \n] {
                set at [string first " " $line]
                if {$at > 0} {
                    dict set roles [string range $line 0 $at-1] [string range $line $at+1 end]
                }
            }
            [$Run document $file] words $roles
            {*}$done $file
        }
        set Output {}
        my Next
    }

    # Paths of the program's files and their modules, the first ones, flat.
    method Files {} {
        if {$Files eq ""} {
            foreach file [[$Run db] files -n 4096] {
                lappend Files [dict get $file path] [dict get $file module]
            }
        }
        return $Files
    }
    # A header is C++ where the program has C++.
    method Language {path} {
        switch -- [file extension $path] {
            .c { return c }
            .h - .inc - .inl {
                foreach {name module} [my Files] {
                    if {[regexp -nocase {\.(cc|cpp|cxx|c\+\+|hpp|hh|hxx)$} $name] || [string match *.C $name]} {
                        return c++
                    }
                }
                return c
            }
        }
        return c++
    }
    # Where to look for headers: in its own folder, with MPI, and in the folders of the files of its program or library that have code.
    # How it was compiled is not known; what is not found costs the roles of its words.
    method Includes {file path} {
        set folders [dict create [file dirname $path] 1]
        foreach folder [glob -nocomplain -types d /usr/lib/*/openmpi/include /usr/lib/*/mpich/include /usr/include/*/mpich /usr/include/mpich* \
                /usr/include/openmpi*] {
            dict set folders $folder 1
        }
        set of [dict get [[$Run document $file] facts] module]
        foreach {name module} [my Files] {
            set folder [file dirname $name]
            if {$module == $of && [dict size $folders] < 64 && [file pathtype $folder] eq "absolute" && ![string match /usr/* $folder]
                && [file isdirectory $folder]} {
                dict set folders $folder 1
                set beside [file join [file dirname $folder] include]
                if {[file isdirectory $beside]} {
                    dict set folders $beside 1
                }
            }
        }
        return [lmap folder [dict keys $folders] {string cat -I $folder}]
    }
}
