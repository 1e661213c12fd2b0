/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What heatscope.f90 calls: linked into Fortran programs, since Fortran has no weak symbols. An empty name is none. */
#include <heatscope.h>

void heatscope_fortran_start(void);
void heatscope_fortran_stop(void);
int heatscope_fortran_measuring(void);
void heatscope_fortran_begin(const char *name);
void heatscope_fortran_end(const char *name);
void heatscope_fortran_phase(const char *name);
void heatscope_fortran_counter(const char *name, double value);

void heatscope_fortran_start(void) {
    heatscope_start();
}

void heatscope_fortran_stop(void) {
    heatscope_stop();
}

int heatscope_fortran_measuring(void) {
    return heatscope_measuring();
}

void heatscope_fortran_begin(const char *name) {
    heatscope_begin(name);
}

void heatscope_fortran_end(const char *name) {
    heatscope_end(*name ? name : 0);
}

void heatscope_fortran_phase(const char *name) {
    heatscope_phase(*name ? name : 0);
}

void heatscope_fortran_counter(const char *name, double value) {
    heatscope_counter(name, value);
}
