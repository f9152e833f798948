// The cases of references.yaml whose lowest energies are all known, solved as the program solves
// them, with its defaults, for several numbers of states and seeds: whether every state is right,
// and what it took. Exits 2 when a state is wrong or a solve is not verified.
//
//   eigensolver_bench [--data DIR] [--only TEXT] [--states 1,4,8] [--seeds 4] [--largest N]
//     [--method lobpcg] [--set KEY=VALUE]

#include <yaml-cpp/yaml.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "app/config/json.hpp"
#include "cisolve/eigen.hpp"
#include "solvers/eigen/eigen_problem.hpp"
#include "tests/support/reference_cases.hpp"

using namespace cisolve;

namespace {

struct Asked {
  int seeds = 4;
  EigenSettings settings;
  Machine machine;
};

/// Counts as text: one number if all seeds have the same.
std::string joined(const std::vector<std::int64_t>& counts) {
  const bool equal = std::ranges::adjacent_find(counts, std::not_equal_to()) == counts.end();
  std::string text;
  for (const std::int64_t count : counts) {
    text += (text.empty() ? "" : ",") + std::to_string(count);
    if (equal) break;
  }
  return text;
}

/// One row of the table: the same solve for every seed. True when all are right and verified; the
/// states of a solve that did not converge count as none.
bool measure(const ReferenceCase& c, const Hamiltonian& hamiltonian, const Asked& asked,
             bool small_basis) {
  EigenSettings settings = asked.settings;
  if (small_basis) {
    const auto rows = static_cast<Index>(hamiltonian.rows());
    EigenOptions options;
    static_cast<EigenSolverSettings&>(options) = settings;
    settings.max_basis = std::max(3 * settings.states, smallest_basis(options, rows));
  }
  ReferenceCase lowest = c;
  lowest.energies.resize(settings.states);
  std::vector<std::int64_t> products, probes, iterations;
  bool converged = true, right = true, verified = true;
  double seconds = 0.0;
  std::string kept_as;
  for (int seed = 1; seed <= asked.seeds; ++seed) {
    settings.seed = seed;
    const Eigenstates found = lowest_eigenstates(hamiltonian, settings, {asked.machine});
    std::vector<double> energies;
    for (const Eigenstate& state : found.states) energies.push_back(state.energy);
    converged = converged && found.status == SolveStatus::converged;
    right = right && largest_error(lowest, energies) <= 1e-8;
    verified = verified && found.verified;
    products.push_back(found.operator_applications);
    probes.push_back(found.probe_applications);
    iterations.push_back(found.iterations);
    seconds += found.seconds / asked.seeds;
    kept_as = Json::parse(found.report.text())["matrix"]["format"].get<std::string>();
  }
  std::printf("%-28s %-8s %8lld %3d %-7s %-7s %-5s %-8s %-16s %-16s %-12s %8.3f\n", c.file.c_str(),
              c.name.c_str(), static_cast<long long>(hamiltonian.rows()), settings.states,
              small_basis ? "3k" : "default", kept_as.c_str(),
              !converged ? "none"
              : right    ? "right"
                         : "WRONG",
              verified ? "yes" : "NO", joined(products).c_str(), joined(probes).c_str(),
              joined(iterations).c_str(), seconds);
  std::fflush(stdout);
  return converged && right && verified;
}

Hamiltonian hamiltonian_of(const ReferenceCase& c, const std::string& folder) {
  DeterminantSettings determinants;
  if (c.space.irrep) determinants.irrep = std::to_string(*c.space.irrep);
  determinants.space = Space{c.space.max_excitation};
  return Hamiltonian::read(folder + "/" + c.file, determinants);
}

}  // namespace

int main(int argc, char** argv) {
  std::string data = CISOLVE_BENCH_DATA, only, method = "davidson", backend = "cpu";
  std::vector<std::string> sets;
  std::vector<int> states{1, 4, 8};
  std::int64_t largest = 30000;
  Asked asked;
  CLI::App app("Solves for the known lowest states of references.yaml and prints what it took");
  app.add_option("--data", data, "folder with references.yaml and the integral files");
  app.add_option("--only", only, "cases whose file and name contain this text");
  app.add_option("--states", states, "numbers of states")->delimiter(',');
  app.add_option("--seeds", asked.seeds, "seeds 1 to this");
  app.add_option("--largest", largest, "determinants beyond which a case is left out");
  app.add_option("--method", method, "davidson, lobpcg or lanczos")
      ->check(CLI::IsMember({"davidson", "lobpcg", "lanczos"}));
  app.add_option("--set", sets, "KEY=VALUE, any key of run files");
  app.add_option("--backend", backend, "cpu or cuda")->check(CLI::IsMember({"cpu", "cuda"}));
  CLI11_PARSE(app, argc, argv);
  asked.settings.method = method == "lanczos"  ? EigenMethod::lanczos
                          : method == "lobpcg" ? EigenMethod::lobpcg
                                               : EigenMethod::davidson;
  asked.machine.backend = backend == "cuda" ? Device::cuda : Device::cpu;
  for (const std::string& set : sets) {
    const std::size_t equals = set.find('=');
    if (equals == set.npos) {
      std::fprintf(stderr, "--set: found %s, expected KEY=VALUE\n", set.c_str());
      return 1;
    }
    asked.machine.more.push_back({"--set", set.substr(0, equals), set.substr(equals + 1)});
  }

  std::printf("%-28s %-8s %8s %3s %-7s %-7s %-5s %-8s %-16s %-16s %-12s %8s\n", "file", "case",
              "rows", "k", "basis", "format", "right", "verified", "products", "in search",
              "iterations", "seconds");
  bool all_right = true;
  for (const auto& entry : YAML::LoadFile(data + "/references.yaml")) {
    for (const ReferenceCase& c : cases_of(entry.first.as<std::string>(), entry.second)) {
      // Cases need every energy below the last one.
      if (static_cast<std::size_t>(c.states) != c.energies.size()) continue;
      if ((c.file + " " + c.name).find(only) == std::string::npos) continue;
      const Hamiltonian hamiltonian = hamiltonian_of(c, data);
      if (hamiltonian.rows() > largest) continue;
      for (const int k : states) {
        if (k > c.states) continue;
        asked.settings.states = k;
        for (const bool small_basis : {false, true}) {
          if (small_basis && method == "lobpcg") continue;  // which has no other basis
          all_right = measure(c, hamiltonian, asked, small_basis) && all_right;
        }
      }
    }
  }
  return all_right ? 0 : 2;
}
