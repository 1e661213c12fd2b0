/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* From the small executable to the full one. */
#ifndef HEATSCOPE_CLI_HAND_OVER_H
#define HEATSCOPE_CLI_HAND_OVER_H

/* To be called first of all in main(): what the full executable will be started with. Borrowed. */
void hsc_cli_keep_words(char **argv);

/* This process becomes the full executable, with the same words and environment. Returns, with one line said, only when that
 * cannot be started: an exit code. */
int hsc_cli_hand_over(const char *command);

#endif
