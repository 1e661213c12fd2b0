/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Fills the caller's error struct; texts of status codes and enums. */
#include <stdio.h>
#include <string.h>

#include <heatscope/formats/err.h>
#include <heatscope/formats/records.h>

static void set_text(hsc_err *err, hsc_status status, int errno_value, const char *fmt, va_list ap) {
    err->status = status;
    err->sys_errno = errno_value;
    int n = vsnprintf(err->text, sizeof err->text, fmt, ap);
    size_t used = n < 0 ? 0 : (size_t)n;
    err->text[sizeof err->text - 1] = 0;
    if (n < 0)
        err->text[0] = 0;
    if (errno_value && used < sizeof err->text) {
        char buffer[128];
        snprintf(err->text + used, sizeof err->text - used, ": %s", strerror_r(errno_value, buffer, sizeof buffer));
    }
    /* one line, whatever was in a name */
    for (char *p = err->text; *p; p++)
        if ((unsigned char)*p < 0x20 || *p == 0x7f)
            *p = '?';
}

hsc_status hsc_err_set(hsc_err *err, hsc_status status, const char *fmt, ...) {
    if (err && !err->status) {
        va_list ap;
        va_start(ap, fmt);
        set_text(err, status, 0, fmt, ap);
        va_end(ap);
    }
    return status;
}

hsc_status hsc_err_set_errno(hsc_err *err, int errno_value, const char *fmt, ...) {
    if (err && !err->status) {
        va_list ap;
        va_start(ap, fmt);
        set_text(err, HSC_E_IO, errno_value, fmt, ap);
        va_end(ap);
    }
    return HSC_E_IO;
}

void hsc_err_clear(hsc_err *err) {
    if (err)
        memset(err, 0, sizeof *err);
}

const char *hsc_status_text(hsc_status status) {
    switch (status) {
#define HSC_STATUS_CASE(name, value, text) \
    case HSC_##name: \
        return text;
        HSC_STATUS_TABLE(HSC_STATUS_CASE)
#undef HSC_STATUS_CASE
    }
    return "unknown status";
}

const char *hsc_enum_text(const char *e, uint64_t value) {
    size_t n;
    const hsc_enum_info *infos = hsc_enum_infos(&n);
    for (size_t i = 0; i < n; i++)
        if (infos[i].value == value && !strcmp(infos[i].enum_name, e))
            return infos[i].text;
    return NULL;
}
