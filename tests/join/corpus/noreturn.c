/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Its debug information says of a function elsewhere that it does not return, and nothing of that kind of another. */
_Noreturn void told(int x);
void other(int x);

int asks(int x) {
    if (x > 3)
        told(x);
    other(x);
    return x + 1;
}
