/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "services.h"

#include "here.h"

static ptrdiff_t self_at(void) {
    return (char *)&hsc_rt_self - (char *)__builtin_thread_pointer();
}

const hsc_rt_services heatscope_rt_services = {self_at,          hsc_rt_active,     hsc_rt_own_untold,      hsc_rt_disown,
                                               hsc_rt_walk_here, hsc_rt_thread_put, hsc_rt_file_put, &hsc_rt};
