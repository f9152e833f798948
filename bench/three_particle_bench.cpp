// Three-particle densities and the contracted four-particle density of a random normalised vector
// of full CI: seconds, and how far they are from what they must be. Usage:
// three_particle_bench [--backend cpu|cuda] ORBITALS,ALPHAS,BETAS...

#include <cmath>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "core/timer.hpp"
#include "hamiltonian/three_particle/string_removals.hpp"
#include "hamiltonian/three_particle/three_particle.hpp"

namespace {

using namespace cisolve;

StringMatrix random_vector(int orbitals, int alphas, int betas, Backend& backend) {
  const Index rows = AllStrings(orbitals, alphas).size(),
              columns = AllStrings(orbitals, betas).size();
  StringMatrix x{orbitals, {alphas, betas}, HostMatrix(rows, columns)};
  MultiVector random(backend, columns, 1);
  for (Index i = 0; i < rows; ++i) {
    backend.fill_random(1, std::int64_t{i} * columns, random.view());
    x.elements.row(i) = backend.download(random.view()).transpose();
  }
  x.elements.normalize();
  return x;
}

/// (ce|df) = δ_ce δ_df, with which the contracted density is −N times the other.
HostMatrix of_the_number(int m) {
  HostMatrix g = HostMatrix::Zero(m * m, m * m);
  for (int c = 0; c < m; ++c) {
    for (int d = 0; d < m; ++d) g(c * (m + 1), d * (m + 1)) = 1.0;
  }
  return g;
}

void measure(const std::string& argument, Backend& backend) {
  int m = 0, a = 0, b = 0;
  if (std::sscanf(argument.c_str(), "%d,%d,%d", &m, &a, &b) != 3) {
    throw std::runtime_error("found " + argument + ", expected ORBITALS,ALPHAS,BETAS");
  }
  const StringMatrix x = random_vector(m, a, b, backend);
  const HostMatrix integrals = of_the_number(m);
  const double n = a + b;
  const Timer first;
  HostMatrix density = three_particle_density(x, backend);
  const double beginning = first.seconds();
  const Timer timer;
  density = three_particle_density(x, backend);
  const double three = timer.seconds();
  const Timer again;
  const HostMatrix contracted = contracted_four_particle_density(x, integrals, backend);
  const double four = again.seconds();
  std::printf("| %s | %lld | %.3f | %.3f | %.3f | %.1e | %.1e |\n", argument.c_str(),
              static_cast<long long>(x.elements.size()), beginning, three, four,
              std::abs(density.trace() - n * (n - 1) * (n - 2)),
              (contracted + n * density).cwiseAbs().maxCoeff());
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) {
  std::string backend_name = "cpu";
  std::vector<std::string> inputs;
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    if (argument == "--backend" && i + 1 < count) {
      backend_name = arguments[++i];
    } else {
      inputs.push_back(argument);
    }
  }
  try {
    const auto backend = backend_name == "cpu" ? make_cpu_backend() : make_cuda_backend();
    std::printf(
        "%s\n\n| orbitals, electrons | determinants | 3-RDM / s, first | 3-RDM / s | contracted "
        "4-RDM / s | error of the trace | error of N times the 3-RDM "
        "|\n|---|---|---|---|---|---|---|\n",
        backend->description().c_str());
    for (const std::string& input : inputs) measure(input, *backend);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
