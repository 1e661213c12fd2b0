/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* compare/instances.c: which names are of one template. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "instances.h"

static void names(void **state) {
    (void)state;
    static const struct {
        const char *a, *b;
        bool are;
    } t[] = {
        {"double sum<double>(double*, int)", "float sum<float>(float*, int)", true},
        {"int smooth<1>(int*, int)", "int rough<2>(int*, int)", false},
        {"int smooth(int*, int)", "int smooth(float*, int)", false},
        {"place<1>::operator<(place<1> const&) const", "place<2>::operator<(place<2> const&) const", true},
        {"place<1>::operator<(place<1> const&) const", "place<2>::operator>(place<2> const&) const", false},
        {"(anonymous namespace)::f<int>(int)", "(anonymous namespace)::f<long>(long)", true},
        {"std::vector<int, std::allocator<int> >::push_back(int&&)", "std::vector<long, std::allocator<long> >::push_back(long&&)", true},
        {"f<1> [omp parallel]", "f<2> [omp parallel]", true},
        {"f<1> [omp parallel]", "f<2>", false},
        {"A<int>::operator()(int) const", "A<long>::operator()(long) const", true},
        {"A::operator long() const", "A::operator int() const", false},
        {"f<&S::operator->>(int)", "f<&T::operator->>(int)", true},
        {"f<", "f<", true},
        {"", "", false},
        {"operator", "operator", false},
        {"solve", "advance", false},
        {"f<int>", "f", false},
        {"f<int>", "f<int>g", false}};
    for (size_t i = 0; i < sizeof t / sizeof *t; i++)
        if (compare_are_instances(t[i].a, t[i].b) != t[i].are || compare_are_instances(t[i].b, t[i].a) != t[i].are)
            fail_msg("'%s' and '%s' are%s of one template", t[i].a, t[i].b, t[i].are ? "" : " not");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
