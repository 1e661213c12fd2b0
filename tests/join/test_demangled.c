/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names for people of linker symbols, of stubs and of copies that compilers made, too. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "code.h"

/* A class template's instance whose arguments are the last one, twice, and so on: 9 characters double the name. What the name is, malloc'ed; NULL. */
static char *demangle_doubled(unsigned times) {
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    char symbol[1024] = "_Z1f1AIiiE";
    for (unsigned k = 0; k < times && k < 36; k++)
        snprintf(symbol + strlen(symbol), sizeof symbol - strlen(symbol), "S_IS%c_S%c_E", digits[k], digits[k]);
    return hsc_demangle(symbol);
}

int main(void) {
    static const struct {
        const char *symbol, *name;
    } cases[] = {
        {"_ZN4mesh3sumEl", "mesh::sum(long)"},
        {"_ZN4mesh3sumEl.cold", "mesh::sum(long) [clone .cold]"},
        {"_ZN4mesh3sumEl@plt", "mesh::sum(long)@plt"},
        {"_ZdlPvm@plt", "operator delete(void*, unsigned long)@plt"},
        {"_ZSt4cout@@GLIBCXX_3.4", "std::cout@@GLIBCXX_3.4"},
        {"_ZN5range5pagescvSt6vectorIS0_SaIS0_EEEv", "range::pages::operator std::vector<range::pages, std::allocator<range::pages> >()"},
        {"_Z1fIiTnN2okIT_E4typeELb1EEvS1_", "void f<int, true>(int)"}, /* clang's, not the runtime's */
        /* no names: the runtime's demangler takes them for ever */
        {"_ZN4llvm11Inst5mergeDIAsrgeDIAgeDIAssign5mesigrgeDIAssign5menIruction15mergergeDIAssign5me5mergeDIAssign5mergeDIAssig5mergS0_"
         "eDIAssignIngeDIgeDIAAIIDIAssignID5mergeDIAsrgeDIgeDIAAssign5mesignIENS_8ArrayRefIPKS0_EE", NULL},
        {"_ZN4llvm7hashing6detail23hash_combine_range_implIKmEENSt9enable_ifIXsr16is_hashable_dataITDEE5valueENS_9hash_codeEE4typeEPS5_S9_", NULL},
        {"_FortranASumReal8x2_contract_simplified", "sum of a 2-dimensional array"},
        {"_FortranAMaxvalInteger4x3_simplified", "maxval of a 3-dimensional array"}, /* an x of its own */
        {"_FortranADotProductReal8_simplified", "dot_product"},
        {"_FortranAioBeginExternalListOutput", NULL},
        {"_QMgridPsweep", "grid::sweep"},
        {"_QMgridPsweep@plt", "grid::sweep@plt"},
        {"_QQmain", "main program"},
        {"__grid_MOD_sweep", "grid::sweep"},
        {"__grid_MOD_sweep.constprop.0", "grid::sweep"},
        {"__grid_MOD_sweep@plt", "grid::sweep@plt"},
        {"_ZN34_$LT$m..Ci$u20$as$u20$m..Shape$GT$4area17habeccfa7c2282105E", "<m::Ci as m::Shape>::area"},
        {"_ZN4core3ops8function6FnOnce40call_once$u7b$$u7b$vtable.shim$u7d$$u7d$17h0123456789abcdefE.llvm.123", "core::ops::function::FnOnce::call_once{{vtable.shim}}"},
        {"_ZN4mesh5sweep17h0123456789abcdefE.cold", "mesh::sweep [clone .cold]"},
        {"_ZN4mesh17h0123456789abcdeE", NULL}, /* a digit too few, and no name of 17 letters */
        {"_ZN17h0123456789abcdefE", "h0123456789abcdef"},
        {"_RNvNtCs1234_4mesh4grid5sweep", "mesh::grid::sweep"},
        {"_RINvNtC3std3mem8align_ofdE", "std::mem::align_of::<f64>"},
        {"_R", NULL},
        {"sweep", NULL},
        {"sweep@plt", NULL},
        {"_Z", NULL},
        {"_Z@plt", NULL},
        {"@plt", NULL},
        {"", NULL},
    };
    int wrong = 0;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *name = hsc_demangle(cases[i].symbol);
        if (!name != !cases[i].name || (name && strcmp(name, cases[i].name) != 0)) {
            printf("%s: got %s, expected %s\n", cases[i].symbol, name ? name : "nothing", cases[i].name ? cases[i].name : "nothing");
            wrong++;
        }
        free(name);
    }
    char *name = demangle_doubled(5);
    if (!name || strlen(name) < 32 * strlen("A<i, i>")) {
        printf("doubled 5 times: got %s\n", name ? name : "nothing");
        wrong++;
    }
    free(name);
    name = demangle_doubled(30); /* 34 GB */
    if (name) {
        printf("doubled 30 times: a name of %zu characters\n", strlen(name));
        wrong++;
    }
    free(name);
    static const struct {
        const char *text, *written;
    } texts[] = {
        {"'_ZN7CaDiCaL8Internal5chainEib' not inlined into '_ZN7CaDiCaL8Internal9propagateEv' because too costly",
         "'CaDiCaL::Internal::chain(int, bool)' not inlined into 'CaDiCaL::Internal::propagate()' because too costly"},
        {"loop not vectorized: call instruction cannot be vectorized (call of _ZN4mesh3sumEl or _QMgridPsweep). More", /* a word's last dot is the sentence's */
         "loop not vectorized: call instruction cannot be vectorized (call of mesh::sum(long) or grid::sweep). More"},
        {"it calls _ZN4mesh3sumEl.", "it calls mesh::sum(long)."},
        {"_ZN4mesh40a_name_of_forty_letters_that_is_too_longE", "mesh::a_name_of_forty_letters_that..."},
        {"plain_Zname __builtin_x _ _Z9 _ZN99abcE x_y.z...", "plain_Zname __builtin_x _ _Z9 _ZN99abcE x_y.z..."},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        char *text = hsc_demangle_words(texts[i].text, i == 3 ? 37 : 80);
        if (!text || strcmp(text, texts[i].written) != 0) {
            printf("%s: got %s, expected %s\n", texts[i].text, text ? text : "nothing", texts[i].written);
            wrong++;
        }
        free(text);
    }
    printf("%zu names, %d wrong\n", sizeof cases / sizeof cases[0], wrong);
    return wrong != 0;
}
