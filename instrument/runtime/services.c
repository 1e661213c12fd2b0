/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "services.h"

#include "here.h"

static hsc_rt_thread *measured(void) {
    return hsc_rt_measured();
}

const hsc_rt_services heatscope_rt_services = {measured,          hsc_rt_own,     hsc_rt_disown, hsc_rt_walk_here,
                                               hsc_rt_thread_put, hsc_rt_file_put, &hsc_rt};
