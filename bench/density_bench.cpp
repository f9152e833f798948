// Densities of full CI vectors: seconds for the 1- and 2-RDM of a random normalised vector, median,
// and for a transition 1-RDM; the traces' distance from what they are. Usage:
// density_bench [--backend cpu|cuda] [--runs N] INPUT[@IRREP]...

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "app/model/open_model.hpp"
#include "core/timer.hpp"
#include "hamiltonian/density/direct_densities.hpp"

namespace {

using namespace cisolve;

template <class F>
double median_seconds(int runs, F f) {
  std::vector<double> seconds;
  for (int i = 0; i <= runs; ++i) {
    const Timer timer;
    f();
    if (i > 0) seconds.push_back(timer.seconds());
  }
  std::ranges::sort(seconds);
  return seconds[seconds.size() / 2];
}

/// |Σ_pr Γ_pp,rr − N (N − 1)|.
double trace_error(const CiSpace& space, const Densities& d) {
  const int m = space.alpha.orbitals;
  const double n = space.alpha.electrons + space.beta.electrons;
  const HostMatrix two = spin_summed_two(d);
  double sum = 0.0;
  for (int p = 0; p < m; ++p) {
    for (int r = 0; r < m; ++r) sum += two(p * m + p, r * m + r);
  }
  return std::abs(sum - n * (n - 1));
}

void measure(const std::string& argument, Backend& backend, int runs) {
  InputConfig input;
  const auto irrep = argument.rfind('@');
  input.file = argument.substr(0, irrep);
  if (irrep != std::string::npos) input.irrep = argument.substr(irrep + 1);
  const auto model = open_model(input);
  const Determinants& determinants = require_determinants(*model, "the bench");
  const Index rows = determinants.rows();
  const CiSpace& space = *determinants.ranges();
  const DirectLayout layout(orbital_labels(determinants.active_integrals()), space);
  const Timer timer;
  const DirectDensities densities(layout, backend);
  backend.synchronize();
  const double made = timer.seconds();

  MultiVector x(backend, rows, 1), y(backend, rows, 1);
  backend.fill_random(1, 0, x.view());
  backend.fill_random(2, 0, y.view());
  std::vector<double> norm(1);
  backend.column_norms(x.view(), norm);
  norm[0] = 1.0 / norm[0];
  backend.scale_columns(norm, x.view());
  Densities found;
  const double both =
      median_seconds(runs, [&] { found = densities.of(x.view().data, x.view().data); });
  const double transition =
      median_seconds(runs, [&] { densities.one(x.view().data, y.view().data); });
  std::printf("| %s | %lld | %.3f | %.4f | %.4f | %.1e |\n", argument.c_str(),
              static_cast<long long>(space.size()), made, both, transition,
              trace_error(space, found));
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) {
  std::string backend_name = "cpu";
  int runs = 3;
  std::vector<std::string> inputs;
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    if (argument == "--backend" && i + 1 < count) {
      backend_name = arguments[++i];
    } else if (argument == "--runs" && i + 1 < count) {
      runs = std::stoi(arguments[++i]);
    } else {
      inputs.push_back(argument);
    }
  }
  try {
    const auto backend = backend_name == "cpu" ? make_cpu_backend() : make_cuda_backend();
    std::printf(
        "%s\n\n| input | determinants | tables / s | 1- and 2-RDM / s, median "
        "| transition 1-RDM / s | error of the trace |\n|---|---|---|---|---|---|\n",
        backend->description().c_str());
    for (const std::string& input : inputs) measure(input, *backend, runs);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
