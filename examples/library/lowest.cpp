// lowest FILE [STATES]: energies of the lowest states of a Hamiltonian, and what they are.
#include <cisolve/cisolve.hpp>
#include <cstdio>
#include <cstdlib>
#include <exception>

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: lowest FILE [STATES]\n");
    return 1;
  }
  try {
    cisolve::EigenSettings settings;
    settings.states = argc > 2 ? std::atoi(argv[2]) : 1;
    const auto hamiltonian = cisolve::Hamiltonian::read(argv[1]);
    const auto found = cisolve::lowest_eigenstates(hamiltonian, settings);
    for (const cisolve::Eigenstate& state : found.states) {
      std::printf("%.10f Hartree, residual %.1e", state.energy, state.residual_norm);
      if (state.multiplicity) std::printf(", 2S + 1 = %d", *state.multiplicity);
      std::printf("\n");
    }
    std::printf("%s%s after %lld products with %lld rows\n", to_string(found.status).c_str(),
                found.verified ? ", verified" : "",
                static_cast<long long>(found.operator_applications),
                static_cast<long long>(found.rows));
    return found.status == cisolve::SolveStatus::converged ? 0 : 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "lowest: %s\n", error.what());
    return 1;
  }
}
