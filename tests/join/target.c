/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Procedures whose addresses the synthetic measurements of test_join.c name. */
int alpha(int x);
int beta(int x);
int gamma_(int x);
int delta(int x);

int delta(int x) {
    x += 3;
    return x * x;
}

int gamma_(int x) {
    x += 5;
    return delta(x) + 1;
}

int beta(int x) {
    x += 7;
    return gamma_(x) + delta(x);
}

int alpha(int x) {
    x += 9;
    return beta(x) + gamma_(x);
}
