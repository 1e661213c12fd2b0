// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C++ runtime's demangler behind a C function.
#include <cxxabi.h>

extern "C" char *hsc_demangle_cxx(const char *symbol);

extern "C" char *hsc_demangle_cxx(const char *symbol) {
    int status = 0;
    char *text = abi::__cxa_demangle(symbol, nullptr, nullptr, &status);
    return status == 0 ? text : nullptr;
}
