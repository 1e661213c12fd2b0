// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Innermost loops that walk memory by large steps, where one round them would not: what exchanging them would do, and what is known against it.
// RUN: for o in 0 2; do %cc -O$o -g -c %s -o %t.$o.o || exit 1; %map --remarks %t.$o.o | %check; done
// RUN: for o in 0 2; do %map --remarks %t.$o.o | sed -n '/ skew$/,$p' > %t.txt; grep -q ' unclear$' %t.txt; if grep exchanged %t.txt; then exit 1; fi; done
static double a[300][300], b[300][300], c[300][300];

// CHECK: product
// CHECK: b[k][j] goes on by 2400 bytes from one iteration to the next; with the loops over j (line [[#@LINE+4]]) and k (line [[#@LINE+5]]) exchanged, by 8 bytes; no dependence is against it
// CHECK-NOT: exchanged
void product(int n) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                c[i][j] += a[i][k] * b[k][j];
}
// CHECK: in_variable
// CHECK: y[n*k + j] goes on by 8*n bytes {{.*}} exchanged, by 8 bytes; what stands between them would have to be a loop of its own, and s an array; whether what is written overlaps what is read is not known
void in_variable(int n, const double *x, const double *y, double *z) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double s = 0;
            for (int k = 0; k < n; k++)
                s += x[i * n + k] * y[k * n + j];
            z[i * n + j] = s;
        }
}
// CHECK: rows
// CHECK: y[k][j] goes on to another row from one iteration to the next; {{.*}} exchanged, by 8 bytes; whether
void rows(int n, double **x, double **y, double **z) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                z[i][j] += x[i][k] * y[k][j];
}
// Gauss-Seidel: what an iteration reads of the new values stays behind it either way.
// CHECK: seidel
// CHECK: a[i - 1][j] and others go on by 2400 bytes {{.*}} exchanged, by 8 bytes; no dependence is against it
void seidel(int n) {
    for (int j = 1; j < n - 1; j++)
        for (int i = 1; i < n - 1; i++)
            a[i][j] = 0.25 * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
}
// CHECK: total
// CHECK: a[i][j] goes on by 2400 bytes {{.*}} exchanged, by 8 bytes; sums are then added in another order
double total(int n) {
    double s = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            s += a[i][j];
    return s;
}
// Triangles: where the inner loop begins, or where it ends, goes on with the outer one.
// CHECK: lower
// CHECK: a[i][j] goes on by 2400 bytes {{.*}} exchanged, and bounds for the same iterations, by 8 bytes; no dependence is against it
void lower(int n) {
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++)
            a[i][j] = 2;
}
// CHECK: upper
// CHECK: a[i][j] goes on by 2400 bytes {{.*}} exchanged, and bounds for the same iterations, by 8 bytes; no dependence is against it
void upper(int n) {
    for (int j = 0; j < n; j++)
        for (int i = 0; i <= j; i++)
            a[i][j] += 2;
}
// what an iteration reads is written in the one before, of the outer loop alone
// CHECK: recurrent
// CHECK: a[i][j - 1] and others go on by 2400 bytes {{.*}} exchanged, and bounds for the same iterations, by 8 bytes; no dependence is against it
void recurrent(int n) {
    for (int j = 1; j < n; j++)
        for (int i = j; i < n; i++)
            a[i][j] += a[i][j - 1];
}
// CHECK: down
// CHECK: a[i][j] goes on by -2400 bytes {{.*}} exchanged, and bounds for the same iterations, by 8 bytes; sums are then added in another order
double down(int n) {
    double s = 0;
    for (int j = 0; j < n; j++)
        for (int i = n - 1; i > j; i--)
            s += a[i][j];
    return s;
}
// The largest of all, and what it is of: no order matters to that.
// CHECK: largest
// CHECK: a[i][j] goes on by 2400 bytes {{.*}} exchanged, by 8 bytes; no dependence is against it
double largest(int n) {
    double m = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            if (a[i][j] > m)
                m = a[i][j];
    return m;
}
// CHECK: least
// CHECK: a[i][j] and others go on by 2400 bytes {{.*}} exchanged, by 8 bytes; no dependence is against it
double least(int n) {
    double m = 1e9;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            double d = __builtin_fabs(a[i][j] - b[i][j]);
            m = d < m ? d : m;
        }
    return m;
}

// Nothing is said from here on. A value that the loop two lines on reads before it is written:
void skew(int n) {
    for (int j = 1; j < n - 1; j++)
        for (int i = 1; i < n - 1; i++)
            a[i][j] = a[i + 1][j - 1] + 1;
}
// no order is better
void transpose(int n) {
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            a[i][j] = b[j][i];
}
// a band: of the other order the inner loop has few iterations
void band(int n) {
    for (int j = 2; j < n - 2; j++)
        for (int i = j - 2; i <= j + 2; i++)
            a[i][j] = 2;
}
// a triangle whose values go on against the order
void skewed(int n) {
    for (int j = 1; j < n - 1; j++)
        for (int i = j; i < n - 1; i++)
            a[i][j] = a[i + 1][j - 1] + 1;
}
// ends that no step tells
void ragged(int n, const int *ends) {
    for (int j = 0; j < n; j++)
        for (int i = 0; i < ends[j]; i++)
            a[i][j] = 2;
}
// it is right
void order(int n) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[i][j] += b[i][j];
}
// another loop beside it
void beside(int n) {
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++)
            a[i][j] += 1;
        for (int i = 0; i < n; i++)
            b[j][i] += a[j][i];
    }
}
double other(double x);
// calls, of which nothing is known
void calls(int n) {
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            a[i][j] = other(a[i][j]);
}
// addresses that are read from memory
void unclear(int n, const int *at) {
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            a[i][j] += b[at[i]][j];
}
// a running number
void running(int n) {
    int k = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            a[i][j] = k++;
}
// the same, counted before
void counted(int n) {
    int k = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            a[i][j] = ++k;
}
// one row behind the other in both directions: the first must come before
void both(int n, double *x) {
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            x[100 * i + j] = x[100 * i + j - 99] + 1;
}
// where the largest one is: of several alike the order says which
int largest_at(int n) {
    double m = 0;
    int at = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            if (a[i][j] > m) {
                m = a[i][j];
                at = i * n + j;
            }
    return at;
}
// what is kept is another value than what is compared
double other_one(int n) {
    double m = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            if (a[i][j] > m)
                m = b[i][j];
    return m;
}
// how often it grew depends on the order
int grew(int n) {
    double m = 0;
    int k = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            if (a[i][j] > m)
                m = a[i][j];
            b[i][j] = m;
        }
    return k;
}
void last(void) {}
