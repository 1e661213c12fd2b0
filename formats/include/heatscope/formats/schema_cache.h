/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* For who reads thousands of files of one program: what their schema chunks say is parsed once for each reader that is open at a
 * time, not once for each file. */
#ifndef HEATSCOPE_FORMATS_SCHEMA_CACHE_H
#define HEATSCOPE_FORMATS_SCHEMA_CACHE_H

#include <heatscope/formats/stream.h>

typedef struct hsc_schema_cache hsc_schema_cache; /* used by any number of threads */

hsc_schema_cache *hsc_schema_cache_new(void); /* NULL: out of memory */
void hsc_schema_cache_free(hsc_schema_cache *c); /* after all readers that use it are closed; NULL: nothing */

/* As hsc_reader_open; the cache must outlive the reader. */
hsc_status hsc_reader_open_cached(const char *path, hsc_schema_cache *cache, hsc_reader **out, hsc_err *err);

#endif
