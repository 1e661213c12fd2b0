/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
double work1(const double *a, int n);
double work2(const double *a, int n);

int main(int argc, char **argv) {
    double a[100] = {argc};
    (void)argv;
    return work1(a, 100) + work2(a, 100) > 5;
}
