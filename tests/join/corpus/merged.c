/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls that the compiler makes one of, which then has no line: the sends of the first and the last branch end alike. Stands for
 * MPI by its names alone. */
typedef struct communicator *MPI_Comm;
typedef struct datatype *MPI_Datatype;
struct communicator {
    int id;
};
struct datatype {
    int id;
};
static struct communicator world;
static struct datatype real;
volatile int sent;

int MPI_Send(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm communicator);

__attribute__((noinline)) int exchange(int way, double *a, double *b, int n) {
    if (way == 0) {
        for (int i = 0; i < n; i++)
            a[i] = b[2 * i];
        MPI_Send(a, n, &real, 1, 7, &world); /* MERGED */
    } else if (way == 1) {
        MPI_Send(b, 2 * n, &real, 2, 8, &world); /* KEPT */
        b[0] = 0;
    } else {
        for (int i = 0; i < n; i++)
            a[i] = b[3 * i];
        MPI_Send(a, n, &real, 1, 7, &world); /* MERGED */
    }
    return 0;
}

/* Each has a call of its own; what ends the program after an error is one call of all three, at their places. */
_Noreturn void leave(int code, int line);
int MPI_Barrier(MPI_Comm communicator);
int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm communicator);
#define CHECK(call) do { int code = (call); if (code) leave(3, code); } while (0)

__attribute__((noinline)) int checked(double *a, int n) {
    CHECK(MPI_Barrier(&world)); /* CHECKED */
    CHECK(MPI_Bcast(a, n, &real, 0, &world)); /* CHECKED */
    CHECK(MPI_Barrier(&world)); /* CHECKED */
    return n;
}

_Noreturn __attribute__((noinline)) void leave(int code, int line) {
    for (sent += code + line;;)
        ;
}

__attribute__((noinline)) int MPI_Barrier(MPI_Comm communicator) { return sent > communicator->id; }

__attribute__((noinline)) int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm communicator) {
    return buffer && sent > count + type->id + root + communicator->id;
}

__attribute__((noinline)) int MPI_Send(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm communicator) {
    sent += buffer && count + to + tag > type->id + communicator->id;
    return 0;
}

int main(int argc, char **argv) {
    static double a[100], b[300];
    (void)argv;
    return checked(a, 100) + exchange(argc, a, b, 100) + exchange(argc - 1, a, b, 10);
}
