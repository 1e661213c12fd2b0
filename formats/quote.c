/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <heatscope/formats/quote.h>

#include <string.h>

void hsc_quote_csv(FILE *out, const char *text) {
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

void hsc_quote_json(FILE *out, const char *text) {
    fputc('"', out);
    for (; *text; text++)
        switch (*text) {
        case '"':
        case '\\':
            fprintf(out, "\\%c", *text);
            break;
        case '\n':
            fputs("\\n", out);
            break;
        case '\t':
            fputs("\\t", out);
            break;
        default:
            if ((unsigned char)*text < 0x20 || *text == 0x7F)
                fprintf(out, "\\u%04x", (unsigned char)*text);
            else
                fputc(*text, out);
        }
    fputc('"', out);
}
