# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Syntax of one line at a time: where keywords, types, numbers, strings, comments and directives stand.

namespace eval ::heatscope::lexer {
    namespace export language languageOf spans inComment
    namespace ensemble create

    variable C [dict create]
    foreach word {
        alignas alignof asm auto break case catch class concept const constexpr consteval constinit const_cast continue
        co_await co_return co_yield decltype default delete do dynamic_cast else enum explicit export extern false final
        for friend goto if inline mutable namespace new noexcept nullptr operator override private protected public
        register reinterpret_cast requires restrict return sizeof static static_assert static_cast struct switch template
        this thread_local throw true try typedef typeid typename union using virtual volatile while _Atomic _Alignas
        _Alignof _Generic _Noreturn _Static_assert _Thread_local __restrict __restrict__ __attribute__ __inline
    } {
        dict set C $word keyword
    }
    foreach word {
        bool char char8_t char16_t char32_t double float int long short signed unsigned void wchar_t size_t ssize_t
        ptrdiff_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t intptr_t uintptr_t _Bool _Complex
        MPI_Comm MPI_Request MPI_Status MPI_Datatype
    } {
        dict set C $word type
    }

    variable Fortran [dict create]
    foreach word {
        abstract allocate allocatable assign associate asynchronous backspace bind block blockdata call case class close
        codimension common concurrent contains contiguous continue critical cycle data deallocate default deferred
        dimension do elemental else elseif elsewhere end endassociate endblock enddo endforall endfunction endif
        endinterface endmodule endprocedure endprogram endselect endsubmodule endsubroutine endtype endwhere entry enum
        enumerator equivalence error exit extends external final flush forall format function generic go goto if implicit
        import impure in include inout inquire intent interface intrinsic is module namelist none non_overridable nopass
        nullify only open operator optional out parameter pass pause pointer print private procedure program protected
        public pure read recursive result return rewind save select sequence stop submodule subroutine target then to
        use value volatile wait where while write
    } {
        dict set Fortran $word keyword
    }
    foreach word {character complex double doubleprecision integer logical precision real type} {
        dict set Fortran $word type
    }

    # c, fortran, fixed (Fortran in fixed form) or plain.
    proc language {path} {
        set ext [string tolower [string range $path [string last . $path] end]]
        switch -- $ext {
            .c - .h - .cc - .hh - .cpp - .hpp - .cxx - .hxx - .c++ - .inl - .inc - .cu - .cl - .m - .tcc - .ipp { return c }
            .f90 - .f95 - .f03 - .f08 - .f18 - .f23 - .fypp - .ff90 - .h90 - .i90 - .inc90 - .fpp { return fortran }
            .f - .for - .ftn - .f77 { return fixed }
        }
        return plain
    }
    # The same of what is included, whose name does not tell: by its text.
    proc languageOf {path text} {
        set ext [string tolower [string range $path [string last . $path] end]]
        if {$ext ni {.inc .h .fi .fh .finc} || ![regexp -nocase {(?n)^\s*(?:implicit\s+none|(?:integer|real|logical|complex|character|double\s+precision)\M[^;\{]*$|end\s*(?:do|if|subroutine|function|module|interface)\M[^;\{]*$|(?:subroutine|call|use)\s+\w+[^;\{]*$)} [string range $text 0 20000]]} {
            return [language $path]
        }
        return [expr {[regexp {(?n)^[cC*](?:[\s*=-]|$)} $text] ? "fixed" : "fortran"}]
    }

    # Whether the text before a line ends inside a block comment; `before` need only reach some way back.
    proc inComment {language before} {
        if {$language ne "c"} {
            return 0
        }
        # without whole comments, strings and line comments ("//****" opens nothing), what is left of a comment is open
        set rest [regsub -all {/\*[^*]*\*+(?:[^*/][^*]*\*+)*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'} $before " "]
        return [expr {[string first "/*" $rest] >= 0}]
    }

    # Spans {first last kind first last kind ...} of one line, columns from 0; *open: inside a block comment, before
    # and after. Lines of unreasonable length are not looked at beyond `limit` characters.
    proc spans {language line {openName {}} {limit 2000}} {
        if {$openName ne ""} {
            upvar 1 $openName open
        } else {
            set open 0
        }
        if {[string length $line] > $limit} {
            set line [string range $line 0 $limit-1]
        }
        switch -- $language {
            c { return [CSpans $line open] }
            fortran { return [FortranSpans $line 0] }
            fixed { return [FortranSpans $line 1] }
        }
        return {}
    }

    variable CToken {//.*|/\*(?:[^*]|\*+[^*/])*(?:\*+/)?|"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|[A-Za-z_]\w*|\d[\w.']*(?:[eEpP][+-]\w+)?}

    proc CSpans {line openName} {
        upvar 1 $openName open
        variable C
        variable CToken
        set spans {}
        set start 0
        if {$open} {
            set close [string first "*/" $line]
            set last [expr {$close < 0 ? [string length $line] - 1 : $close + 1}]
            if {$last >= 0} {
                lappend spans 0 $last comment
            }
            if {$close < 0} {
                return $spans
            }
            set open 0
            set start [expr {$close + 2}]
        } elseif {[regexp -indices {^\s*#\s*\w+} $line where]} {
            lappend spans {*}$where directive
            set start [expr {[lindex $where 1] + 1}]
            if {[regexp {^\s*#\s*pragma} $line]} {
                lset spans 1 [expr {[string length $line] - 1}]
                return $spans
            }
            if {[regexp -indices -start $start {\A\s*<[^>]*>} $line where]} {
                lappend spans {*}$where string
                set start [expr {[lindex $where 1] + 1}]
            }
        }
        foreach where [regexp -all -inline -indices -start $start $CToken $line] {
            lassign $where a b
            set first [string index $line $a]
            if {$first eq "/"} {
                if {[string index $line $a+1] eq "*" && ($b < $a + 3 || [string range $line $b-1 $b] ne "*/")} {
                    set open 1
                    lappend spans $a [expr {[string length $line] - 1}] comment
                    return $spans
                }
                lappend spans $a $b comment
            } elseif {$first eq "\"" || $first eq "'"} {
                lappend spans $a $b string
            } elseif {[string is digit $first]} {
                lappend spans $a $b number
            } else {
                set word [string range $line $a $b]
                if {[dict exists $C $word]} {
                    lappend spans $a $b [dict get $C $word]
                }
            }
        }
        return $spans
    }

    variable FToken {!.*|"[^"]*"?|'[^']*'?|[A-Za-z_]\w*|(?:\d+\.?\d*|\.\d+)(?:[eEdD][+-]?\d+)?(?:_\w+)?|\.[A-Za-z]+\.}

    proc FortranSpans {line fixed} {
        variable Fortran
        variable FToken
        set last [expr {[string length $line] - 1}]
        if {$last < 0} {
            return {}
        }
        if {[regexp -nocase {^\s*[!c*](?:\$(?:omp|acc)?\M|dir\$|dec\$|pgi\$)} $line]
            && ($fixed || [regexp {^\s*!} $line])} {
            return [list 0 $last directive]
        }
        if {[string index $line 0] eq "#"} {
            return [list 0 $last directive]
        }
        if {$fixed && [regexp {^[cC*dD!]} $line]} {
            return [list 0 $last comment]
        }
        set spans {}
        foreach where [regexp -all -inline -indices $FToken $line] {
            lassign $where a b
            set first [string index $line $a]
            if {$first eq "!"} {
                lappend spans $a $b comment
            } elseif {$first eq "\"" || $first eq "'"} {
                lappend spans $a $b string
            } elseif {[string is digit $first] || ($first eq "." && [string is digit -strict [string index $line $a+1]])} {
                lappend spans $a $b number
            } elseif {$first eq "."} {
                lappend spans $a $b keyword
            } else {
                set word [string tolower [string range $line $a $b]]
                if {![dict exists $Fortran $word]} {
                    continue
                }
                # a % component or an argument's name is no keyword
                if {[string index $line $a-1] eq "%" || [regexp -start [expr {$b + 1}] {\A\s*=[^=]} $line]} {
                    continue
                }
                lappend spans $a $b [dict get $Fortran $word]
            }
        }
        return $spans
    }
}
