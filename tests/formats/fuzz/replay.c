/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Runs a fuzz target on the files of folders: replay FOLDER... (for normal test runs, without libFuzzer). */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int run_file(const char *path) {
    FILE *f = fopen(path, "rb");
    uint8_t *bytes = NULL;
    long n = -1;
    if (f && !fseek(f, 0, SEEK_END) && (n = ftell(f)) >= 0 && !fseek(f, 0, SEEK_SET))
        bytes = malloc((size_t)n + 1);
    int ok = bytes && fread(bytes, 1, (size_t)n, f) == (size_t)n;
    if (ok) {
        uint8_t *exact = realloc(bytes, (size_t)n ? (size_t)n : 1); /* so that sanitizers see reading past the end */
        bytes = exact ? exact : bytes;
        LLVMFuzzerTestOneInput(bytes, (size_t)n);
    } else
        fprintf(stderr, "replay: %s: cannot read\n", path);
    if (f)
        fclose(f);
    free(bytes);
    return ok;
}

int main(int argc, char **argv) {
    int n = 0, ok = 1;
    for (int i = 1; i < argc; i++) {
        struct dirent **names;
        int n_names = scandir(argv[i], &names, NULL, alphasort);
        for (int k = 0; k < n_names; k++) {
            char path[4096];
            if (names[k]->d_name[0] != '.') {
                snprintf(path, sizeof path, "%s/%s", argv[i], names[k]->d_name);
                ok = run_file(path) && ok;
                n++;
            }
            free(names[k]);
        }
        if (n_names >= 0)
            free(names);
    }
    printf("%d inputs\n", n);
    return ok && n ? 0 : 1;
}
