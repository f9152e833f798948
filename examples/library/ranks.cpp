// mpirun -n N ranks FILE: the lowest state of a Hamiltonian over the ranks of a program's own
// communicator.
#include <mpi.h>
#include <cisolve/cisolve.hpp>
#include <cstdio>
#include <exception>

int main(int argc, char** argv) {
  int provided = 0, rank = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  try {
    cisolve::Machine machine;
    machine.communicator = MPI_Comm_c2f(MPI_COMM_WORLD);
    const auto hamiltonian = cisolve::Hamiltonian::read(argc > 1 ? argv[1] : "");
    const auto found = cisolve::lowest_eigenstates(hamiltonian, {}, {machine});
    if (rank == 0) {
      std::printf("%.10f Hartree, %s\n", found.states[0].energy, to_string(found.status).c_str());
    }
    MPI_Finalize();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ranks: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}
