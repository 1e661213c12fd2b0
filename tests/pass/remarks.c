// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Remarks of the optimiser, at their loops; the compiler's own output is as without the pass.
// RUN: %cc -g -O2 -c %s -o %t.o; %dump %t.o | %check; %map --remarks %t.o | %check --check-prefix=MAP
// RUN: clang-19 -g -O2 -Rpass=.* -Rpass-missed=licm -Rpass-analysis=loop-vectorize -c %s -o %t.1.o 2> %t.1
// RUN: %cc -g -O2 -Rpass=.* -Rpass-missed=licm -Rpass-analysis=loop-vectorize -c %s -o %t.2.o 2> %t.2
// RUN: grep -q remark: %t.1 && cmp %t.1 %t.2
// RUN: ! clang-19 -O2 -DBROKEN -c %s -o %t.3.o 2> %t.3; ! %cc -g0 -O2 -DBROKEN -c %s -o %t.3.o 2> %t.4; cmp %t.3 %t.4; test ! -e %t.3.o
// RUN: clang-19 -g -O2 -fsave-optimization-record -c %s -o %t.5.o; cp %t.5.opt.yaml %t.5
// RUN: %cc -g -O2 -fsave-optimization-record -c %s -o %t.5.o; cmp %t.5 %t.5.opt.yaml
// CHECK-DAG: remark pass="loop-vectorize" name="Vectorized" kind=0(passed) procedure_id=1 file_id=1 line=19 column=5 site_id=1 message="vectorized loop (vectorization width: 4, interleaved count: 2)"
// CHECK-DAG: remark pass="loop-vectorize" name="CantReorderFPOps" kind=3(analysis_fp_commute) {{.*}} line=25 column=11 site_id=2 message="loop not vectorized: cannot prove it is safe to reorder floating-point operations"
// CHECK-DAG: remark pass="loop-unroll" name="FullyUnrolled" kind=0(passed) {{.*}} line=30 column=5 site_id=3
// CHECK-NOT: name="MissedDetails"
// MAP: 19-20 for: remainder, vector 4 lanes x2
// MAP-NEXT: 19:5: vectorized loop (vectorization width: 4, interleaved count: 2) [loop-vectorize]
// MAP: 24-25 for:
// MAP: 25:11: loop not vectorized: cannot prove it is safe to reorder floating-point operations [loop-vectorize: order of floating-point operations]
void scale(int n, float *restrict a, const float *restrict b) {
    for (int i = 0; i < n; i++)
        a[i] = b[i] * 3;
}
float sum(int n, const float *a) {
    float s = 0;
    for (int i = 0; i < n; i++)
        s += a[i];
    return s;
}
int seven(const int *a) {
    int s = 0;
    for (int i = 0; i < 7; i++)
        s += a[i] ^ i;
    return s;
}
#ifdef BROKEN
void broken(void) { __asm__("no such instruction"); }
#endif
