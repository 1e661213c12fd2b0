/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Fuzz target: any bytes as what was kept of a module, under a right seal. The first byte says what follows:
 *   0  the bytes that were kept
 *   1  pairs of numbers of 4 bytes, place and value: changes of what is truly kept of the module
 * The module is that of the variable HSC_FUZZ_MODULE, else a small one that was built with the target (CODE_FUZZ_MODULE), else this program. What is refused is read from the module again; what is taken must bear
 * all questions. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "code_fuzz.h"
#include "instructions.h"

static uint8_t *genuine;
static size_t genuine_size;
static const uint8_t *given;
static size_t given_size, text_bytes;

#ifndef CODE_FUZZ_MODULE
#define CODE_FUZZ_MODULE "/proc/self/exe"
#endif

enum { STEP = 5, BYTES_MAX = 4096 }; /* of code that is asked for */

static uint8_t *get(void *ctx, const hsc_code_spec *spec, hsc_pool *pool, hsc_looks *looks, size_t *n) {
    (void)ctx, (void)spec, (void)pool, (void)looks;
    uint8_t *bytes = given ? malloc(given_size + 1) : NULL;
    if (bytes)
        memcpy(bytes, given, given_size);
    *n = given_size;
    return bytes;
}

static void put(void *ctx, const hsc_code_spec *spec, const hsc_looks *looks, const uint8_t *bytes, size_t n) {
    (void)spec, (void)looks;
    *(bool *)ctx = true; /* what was given was refused */
    if (genuine || !(genuine = malloc(n + 1)))
        return;
    memcpy(genuine, bytes, n);
    genuine_size = n;
}

static hsc_status find_all(void *ctx, const hsc_code_part *part, hsc_err *err) {
    hsc_code_answer answer;
    hsc_status status = HSC_OK;
    uint64_t end = part->end - part->begin < BYTES_MAX ? part->end : part->begin + BYTES_MAX;
    for (uint64_t at = part->begin; at < end && status == HSC_OK; at += STEP) {
        uint64_t jumps[HSC_CODE_JUMPS_MAX];
        hsc_code_tail tails[HSC_CODE_TAILS_MAX];
        status = hsc_code_find(ctx, at, true, &answer, err);
        text_bytes += hsc_code_find_release(ctx, at, jumps);
        text_bytes += hsc_code_find_mpi(ctx, at, tails);
    }
    return status;
}

static hsc_status take_line(void *ctx, uint32_t file, uint32_t line, uint32_t procedure, uint32_t loop, hsc_err *err) {
    (void)ctx, (void)file, (void)line, (void)procedure, (void)loop, (void)err;
    return HSC_OK;
}

static void add_text(const char *text) { text_bytes += text ? strlen(text) : 0; }

/* True: what was given was taken. */
static bool ask(void) {
    const char *module = getenv("HSC_FUZZ_MODULE");
    bool was_put = false;
    const hsc_code_keeper keeper = {&was_put, get, put};
    const hsc_code_spec spec = {.path = module ? module : CODE_FUZZ_MODULE, .with_data = true, .keeper = &keeper};
    hsc_code *code = NULL;
    hsc_code_tables t;
    hsc_err err;
    if (hsc_code_open(&spec, &code, &err) != HSC_OK)
        abort();
    hsc_code_get_tables(code, &t);
    uint8_t *wanted = malloc(t.procedure_count + 1);
    if (!wanted)
        abort();
    memset(wanted, 1, t.procedure_count);
    if (hsc_code_each_part(code, wanted, t.procedure_count, find_all, code, &err) != HSC_OK || hsc_code_each_line(code, take_line, NULL, &err) != HSC_OK)
        abort();
    hsc_code_get_tables(code, &t);
    for (size_t i = 0; i < t.procedure_count; i++) {
        add_text(t.procedures[i].name);
        add_text(t.procedures[i].linkage);
        add_text(t.procedures[i].file < t.file_count ? t.files[t.procedures[i].file].path : NULL);
    }
    for (size_t i = 0; i < t.loop_count; i++) {
        add_text(t.loops[i].name);
        text_bytes += hsc_code_get_loop_depth(code, (uint32_t)i);
    }
    for (size_t i = 0; i < t.remark_count; i++)
        add_text(t.remarks[i].message);
    const hsc_code_data *data = hsc_code_get_data(code);
    for (size_t i = 0; i < data->arrays.n; i++)
        add_text(data->arrays.p[i].bounds);
    free(wanted);
    hsc_code_close(code);
    return !was_put;
}

size_t code_fuzz_size(void) {
    given = NULL;
    if (!genuine)
        ask();
    return genuine_size;
}

bool code_fuzz_take(const uint8_t *data, size_t size) {
    size_t whole = code_fuzz_size();
    uint8_t *bytes = malloc(whole + size + 1);
    if (!whole || !bytes)
        abort();
    given_size = data[0] == 1 ? whole : size - 1;
    memcpy(bytes, data[0] == 1 ? genuine : data + 1, given_size);
    for (size_t i = 1; data[0] == 1 && i + 8 <= size; i += 8) {
        uint32_t at;
        memcpy(&at, data + i, sizeof at);
        memcpy(bytes + at % (whole - 3), data + i + 4, 4);
    }
    given = bytes;
    bool taken = ask();
    given = NULL;
    free(bytes);
    return taken;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size && size <= 1 << 20)
        code_fuzz_take(data, size);
    return 0;
}
