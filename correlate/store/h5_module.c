/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What reads through HDF5, as a module: HDF5 is loaded with it (h5_late.c). */
#include "h5.h"

__attribute__((visibility("default"))) extern const hsc_h5_calls heatscope_h5;
const hsc_h5_calls heatscope_h5 = {hsc_h5_open,      hsc_h5_close, hsc_h5_has,         hsc_h5_open_set, hsc_h5_info,
                                   hsc_h5_close_set, hsc_h5_read,  hsc_h5_read_pieces, hsc_h5_text,     hsc_h5_numbers};
