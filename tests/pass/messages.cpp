// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The deprecated C++ bindings, which mpi.h brings into every unit: what they call is not what the program calls.
// RUN: for o in 0 2; do %cxx -g -O$o -c %s -o %t.$o.o || exit 1; %map --messages %t.$o.o | %check; done
typedef struct ompi_communicator_t *MPI_Comm;
typedef struct ompi_datatype_t *MPI_Datatype;
extern "C" {
extern struct ompi_predefined_communicator_t {
    int n;
} ompi_mpi_comm_world;
extern struct ompi_predefined_datatype_t {
    int n;
} ompi_mpi_double;
int MPI_Send(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm communicator);
int MPI_Barrier(MPI_Comm communicator);
}

namespace MPI {
class Comm {
  public:
    MPI_Comm mpi_comm;
    virtual void Send(const void *b, int n, MPI_Datatype t, int to, int tag) const { MPI_Send(b, n, t, to, tag, mpi_comm); }
    virtual void Barrier() const { MPI_Barrier(mpi_comm); }
    virtual ~Comm() {}
};
} // namespace MPI

MPI::Comm everybody; // emits the virtual table with all of them

// CHECK: 1 call of MPI
// CHECK-NOT: Comm
// CHECK: MPI_Send in send_row
// CHECK-NEXT: from row[0 : n - 1]
// CHECK-NOT: MPI_Barrier
void send_row(const double *row, int n) {
    MPI_Send(row, n, (MPI_Datatype)&ompi_mpi_double, 1, 3, (MPI_Comm)&ompi_mpi_comm_world);
}
