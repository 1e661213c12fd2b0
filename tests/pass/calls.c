// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Call sites: callee, kind, loop, line and column; intrinsics and inline assembly are no calls.
// RUN: %cc -g -O2 -c %s -o %t.o; %dump %t.o | %check
extern int MPI_Barrier(int), omp_get_thread_num(void), plain(int);
extern void *memcpy(void *, const void *, __SIZE_TYPE__);
int calls(int n, int (*through)(int), char *to, const char *from) {
    // CHECK: loop loop_id=[[LOOP:[0-9]+]] {{.*}} line_begin=[[#@LINE+7]] column_begin=5
    // CHECK: callsite {{.*}} loop_id=[[LOOP]] {{.*}} line=[[#@LINE+7]] column=14 callee="plain" kind=0(direct)
    // CHECK: callsite {{.*}} loop_id=0 {{.*}} line=[[#@LINE+7]] column=5 callee="MPI_Barrier" kind=2(mpi)
    // CHECK: callsite {{.*}} loop_id=0 {{.*}} line=[[#@LINE+10]] column=16 callee="omp_get_thread_num" kind=3(openmp)
    // CHECK: callsite {{.*}} loop_id=0 {{.*}} line=[[#@LINE+9]] column=39 callee="" kind=1(indirect)
    // CHECK-NOT: {{^}}callsite
    int s = 0;
    for (int i = 0; i < n; i++)
        s += plain(i);
    MPI_Barrier(s);
    __builtin_memcpy(to, from, 16);
    __asm__ volatile("nop");
    //
    return s + omp_get_thread_num() + (*through)(n);
}
