// The Davidson solver on the cases of references.yaml whose lowest energies are all known, for
// several numbers of states, seeds and basis limits: whether every root is right, and what it took.
// Exits 2 when a root is wrong or a solve is not verified.
//
//   eigensolver_bench [--data DIR] [--only TEXT] [--states 1,4,8] [--seeds 4] [--largest N]

#include <yaml-cpp/yaml.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "core/timer.hpp"
#include "formats/format.hpp"
#include "formats/matrix/csr_matrix.hpp"
#include "hamiltonian/integrals/fcidump.hpp"
#include "hamiltonian/matrix/ci_matrix.hpp"
#include "hamiltonian/space/ci_space.hpp"
#include "solvers/eigen/eigen_problem.hpp"
#include "tests/support/reference_cases.hpp"

using namespace cisolve;

namespace {

struct Asked {
  int states = 1;
  bool small_basis = false;
  int seeds = 4;
  EigenOptions options;
};

/// One row of the table: the same solve for every seed. True when all are right and verified; the
/// roots of a solve that did not converge count as none.
bool measure(const ReferenceCase& c, LinearOperator& a, Backend& backend, const PSpace& p_space,
             const Asked& asked) {
  ReferenceCase lowest = c;
  lowest.energies.resize(asked.states);
  std::string products, probes, iterations;
  bool converged = true, right = true, verified = true;
  double seconds = 0.0, product_seconds = 0.0;
  for (int seed = 1; seed <= asked.seeds; ++seed) {
    EigenOptions options = asked.options;
    options.states = asked.states;
    options.seed = seed;
    if (asked.small_basis)
      options.max_basis = std::max(3 * asked.states, smallest_basis(options, a.rows()));
    const EigenResult result = lowest_eigenpairs(a, backend, p_space, options);
    converged = converged && result.status == SolveStatus::converged;
    right = right && largest_error(lowest, result.energies) <= 1e-8;
    verified = verified && result.verified;
    const char* comma = seed == 1 ? "" : ",";
    products += comma + std::to_string(result.operator_applications);
    probes += comma + std::to_string(result.probe_applications);
    iterations += comma + std::to_string(result.iterations);
    seconds += result.seconds / asked.seeds;
    product_seconds += result.product_seconds / asked.seeds;
  }
  std::printf("%-30s %-8s %4d %-7s %5zu %-5s %-8s %-20s %-16s %-16s %8.3f %8.3f\n", c.file.c_str(),
              c.name.c_str(), asked.states, asked.small_basis ? "3k" : "default",
              p_space.rows.size(),
              !converged ? "none"
              : right    ? "right"
                         : "WRONG",
              verified ? "yes" : "NO", products.c_str(), probes.c_str(), iterations.c_str(),
              seconds, product_seconds);
  std::fflush(stdout);
  return converged && right && verified;
}

}  // namespace

int main(int argc, char** argv) {
  std::string data = CISOLVE_BENCH_DATA, only, format = "csr", backend_name = "cpu";
  std::vector<int> states{1, 4, 8};
  std::int64_t largest = 30000;
  int p_size = 0;
  Asked asked;
  CLI::App app("Solves for the known lowest roots of references.yaml and prints what it took");
  app.add_option("--data", data, "folder with references.yaml and the integral files");
  app.add_option("--only", only, "cases whose file and name contain this text");
  app.add_option("--states", states, "numbers of states")->delimiter(',');
  app.add_option("--seeds", asked.seeds, "seeds 1 to this");
  app.add_option("--largest", largest, "determinants beyond which a case is left out");
  app.add_option("--p-space", p_size, "rows of the p-space; 0: chosen");
  app.add_option("--guard", asked.options.guard, "guard vectors");
  app.add_option("--tolerance", asked.options.tolerance, "residual norm");
  app.add_option("--format", format, "storage format");
  std::string method = "davidson";
  app.add_option("--method", method, "davidson, lobpcg or lanczos");
  app.add_flag("--olsen", asked.options.olsen, "corrections with Olsen's term");
  app.add_option("--backend", backend_name, "cpu or cuda");
  CLI11_PARSE(app, argc, argv);
  asked.options.method = method == "lanczos"  ? EigenMethod::lanczos
                         : method == "lobpcg" ? EigenMethod::lobpcg
                                              : EigenMethod::davidson;

  const auto backend = backend_name == "cuda" ? make_cuda_backend() : make_cpu_backend();
  std::printf("%-30s %-8s %4s %-7s %5s %-5s %-8s %-20s %-16s %-16s %8s %8s\n", "file", "case", "k",
              "basis", "P", "roots", "verified", "products", "probe products", "iterations",
              "seconds", "products");
  bool all_right = true;
  for (const auto& entry : YAML::LoadFile(data + "/references.yaml")) {
    for (const ReferenceCase& c : cases_of(entry.first.as<std::string>(), entry.second)) {
      // Only where every energy below the last one is known.
      if (static_cast<std::size_t>(c.states) != c.energies.size()) continue;
      if ((c.file + " " + c.name).find(only) == std::string::npos) continue;
      const Integrals integrals = read_fcidump(data + "/" + c.file);
      const CiSpace space = make_ci_space(integrals, c.space);
      if (space.size() > largest) continue;
      const CiMatrixBuilder builder(integrals, space);
      const auto matrix = std::make_shared<const CsrMatrix>(builder.fill(builder.count()));
      const auto a = make_operator(format, matrix, *backend);
      const Timer timer;
      const Sectors sectors = connected_sectors(matrix->row_offsets, matrix->column_indices);
      std::printf("# %s %s: %d rows, %lld nonzeros, %zu sectors (%.3f s)\n", c.file.c_str(),
                  c.name.c_str(), matrix->rows, static_cast<long long>(matrix->nonzeros()),
                  sectors.sizes.size(), timer.seconds());
      for (const int k : states) {
        if (k > c.states) continue;
        asked.states = k;
        PSpace p_space{{}, {}, sectors};
        p_space.rows = p_space_rows(diagonal(*matrix), sectors, matrix->nonzeros(), k, p_size,
                                    backend->kind());
        p_space.matrix = principal_submatrix(*matrix, p_space.rows);
        for (const bool small_basis : {false, true}) {
          asked.small_basis = small_basis;
          all_right = measure(c, *a, *backend, p_space, asked) && all_right;
        }
      }
    }
  }
  return all_right ? 0 : 2;
}
