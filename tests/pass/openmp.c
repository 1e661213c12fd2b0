// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// OpenMP in C: regions have their procedure as parent, the directive's line and name; loops begin at their `for`.
// RUN: for o in 0 2 3; do %cc -g -fopenmp -O$o -c %s -o %t.$o.o; %map %t.$o.o | %check; %dump %t.$o.o | %check --check-prefix=DUMP; done
// CHECK: openmp.c: C,
// DUMP: procedure_id=[[PARENT:[0-9]+]] {{.*}} name="regions" linkage_name="regions"
// CHECK: [[#@LINE+1]]-[[#@LINE+24]] regions
void regions(int n, double *a) {
    // CHECK-DAG: [[#@LINE+5]]-{{[0-9]+}} regions [omp@[[#@LINE+5]]]
    // CHECK-DAG: [[#@LINE+6]]-[[#@LINE+7]] OpenMP worksharing:
    // DUMP-DAG: name="regions [omp@[[#@LINE+3]]]" linkage_name="regions.omp_outlined_debug__" {{.*}}outlined{{[|a-z]*}}) parent_id=[[PARENT]] 
    // DUMP-DAG: name="regions [omp@[[#@LINE+2]]]" linkage_name="regions.omp_outlined" {{.*}}outlined{{[|a-z]*}}) parent_id=[[PARENT]] 
    //
#pragma omp parallel for \
    schedule(static)
    for (int i = 0; i < n; i++)
        a[i] += 1;

#pragma omp parallel
    {
        // CHECK-DAG: [[#@LINE+5]]-[[#@LINE+8]] OpenMP worksharing:
        // CHECK-DAG: [[#@LINE+4]]-[[#@LINE+7]] OpenMP worksharing:
        // CHECK-DAG: [[#@LINE+4]]-[[#@LINE+5]] for:
        // DUMP-DAG: line_begin=[[#@LINE+2]] {{.*}} kind=8(omp) flags=1(compiler)
#pragma omp for schedule(dynamic, 4)
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < i; j++)
                a[i] *= a[j];
        }
    }
}

int work(int);

// The loop over sections is none of the source, and not the next `for`; calls go to the directive that causes them.
void others(int n, double *a) {
    // CHECK-DAG: [[#@LINE+12]] omp sections: own share of a static schedule, {{.*}}barrier at the end of a construct
    // CHECK-DAG: [[#@LINE+11]]-{{[0-9]+}} OpenMP worksharing: {{.*}}(not in the source)
    // CHECK-DAG: [[#@LINE+3]] omp single: {{.*}}choice of the thread
    // CHECK-DAG: [[#@LINE+6]] omp barrier: barrier
#pragma omp parallel
#pragma omp single
    a[0] = work(1);
#pragma omp parallel
    {
#pragma omp barrier
    }
#pragma omp parallel
#pragma omp sections
    {
#pragma omp section
        a[1] = work(2);
#pragma omp section
        a[2] = work(3);
    }
    // CHECK-DAG: [[#@LINE+1]]-[[#@LINE+2]] for:
    for (int i = 0; i < n; i++)
        a[i] *= work(i);
}
