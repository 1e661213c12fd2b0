/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a program can tell Heatscope while it is measured. Include this header and call; nothing has to be linked: without
 * `heatscope run` (or LD_PRELOAD of the runtime) each call is a test of a pointer and does nothing. C and C++; for
 * Fortran see heatscope.f90. All functions may be called from any thread at any time, also from signal handlers unless they say
 * otherwise.
 *
 * Names are kept once and may be any text; a call with a name costs some 100 ns while the program is measured. */
#ifndef HEATSCOPE_H
#define HEATSCOPE_H

#ifdef __cplusplus
extern "C" {
#endif

#if !defined(__GNUC__) || !defined(__ELF__)
#error "heatscope.h needs GCC, Clang or a compiler like them, on an ELF system"
#endif

/* The runtime's functions: weak, so that absent ones are null. On x86-64 their addresses are read from the global offset
 * table in so many words: in programs at fixed addresses the linker would else make them null for good. */
#ifdef __x86_64__
#define HEATSCOPE_WEAK_(type, name, parameters) \
    static inline type(*name##_(void)) parameters { \
        type(*found) parameters; \
        __asm__(".weak " #name "\n\tmovq " #name "@GOTPCREL(%%rip), %0" : "=r"(found)); \
        return found; \
    }
#else
#define HEATSCOPE_WEAK_(type, name, parameters) \
    extern type name parameters __attribute__((weak)); \
    static inline type(*name##_(void)) parameters { \
        return name; \
    }
#endif
HEATSCOPE_WEAK_(void, heatscope_rt_measure, (int on))
HEATSCOPE_WEAK_(int, heatscope_rt_measuring, (void))
HEATSCOPE_WEAK_(void, heatscope_rt_begin, (const char *name))
HEATSCOPE_WEAK_(void, heatscope_rt_end, (const char *name))
HEATSCOPE_WEAK_(void, heatscope_rt_phase, (const char *name))
HEATSCOPE_WEAK_(void, heatscope_rt_counter, (const char *name, double value))
HEATSCOPE_WEAK_(int, heatscope_rt_probes_arm, (const char *list, int on))
#undef HEATSCOPE_WEAK_

/* Starts and stops measuring of the whole process: samples of all threads, waits, calls of MPI. For samples threads notice at once or, if they are not running, when
 * they run next; a stop costs each thread one more sample. `heatscope run --stopped` begins with samples stopped. */
static inline void heatscope_start(void) {
    if (heatscope_rt_measure_())
        heatscope_rt_measure_()(1);
}

static inline void heatscope_stop(void) {
    if (heatscope_rt_measure_())
        heatscope_rt_measure_()(0);
}

/* 1: the process is measured and samples are taken; else 0. */
static inline int heatscope_measuring(void) {
    return heatscope_rt_measuring_() ? heatscope_rt_measuring_()() : 0;
}

/* A scope of the calling thread. Scopes nest; the name given to the end is for checking and may be NULL. */
static inline void heatscope_begin(const char *name) {
    if (heatscope_rt_begin_())
        heatscope_rt_begin_()(name);
}

static inline void heatscope_end(const char *name) {
    if (heatscope_rt_end_())
        heatscope_rt_end_()(name);
}

/* A phase of the whole process, until the next one; NULL: none. */
static inline void heatscope_phase(const char *name) {
    if (heatscope_rt_phase_())
        heatscope_rt_phase_()(name);
}

/* A quantity of the program that has this value from here on. */
static inline void heatscope_counter(const char *name, double value) {
    if (heatscope_rt_counter_())
        heatscope_rt_counter_()(name, value);
}

/* Arms or disarms the probes of the process that the list names, as `heatscope run --arm` takes it ("procedures:solve,loops").
 * Returns how many changed. Not from signal handlers. */
static inline int heatscope_arm(const char *list, int on) {
    return heatscope_rt_probes_arm_() ? heatscope_rt_probes_arm_()(list, on) : 0;
}

#ifdef __cplusplus
}

/* A scope for as long as the object lives. */
class heatscope_scope {
  public:
    explicit heatscope_scope(const char *name) : name_(name) {
        heatscope_begin(name);
    }
    ~heatscope_scope() {
        heatscope_end(name_);
    }

  private:
    heatscope_scope(const heatscope_scope &);
    heatscope_scope &operator=(const heatscope_scope &);
    const char *name_;
};
#endif

#endif
