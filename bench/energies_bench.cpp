// Every energy of a references file, computed anew: one table row a case, format, backend and
// method, with the largest error in Hartree. Exits 2 when an error passes 1e-8.
//
//   energies_bench [--data DIR] [--backend cpu|cuda] [--only TEXT] [--largest N]

#include <yaml-cpp/yaml.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "core/timer.hpp"
#include "formats/format.hpp"
#include "formats/matrix/csr_matrix.hpp"
#include "hamiltonian/integrals/fcidump/fcidump.hpp"
#include "hamiltonian/matrix/ci_matrix.hpp"
#include "hamiltonian/space/ci_space.hpp"
#include "solvers/eigen/eigen_problem.hpp"
#include "tests/support/reference_cases.hpp"

using namespace cisolve;

int main(int argc, char** argv) {
  std::string data = CISOLVE_BENCH_DATA, backend_name = "cpu", only;
  std::int64_t largest = 300000;
  int guard = -1, p_size = 500, max_basis = 0;
  double tolerance = 1e-6;
  std::vector<std::string> formats_asked{"csr", "hybrid"};
  CLI::App app("Computes the energies of references.yaml and prints their errors");
  app.add_option("--data", data, "folder with references.yaml and the integral files");
  app.add_option("--backend", backend_name, "cpu or cuda");
  app.add_option("--only", only, "cases whose file and name contain this text");
  app.add_option("--largest", largest, "determinants beyond which a case is left out");
  app.add_option("--formats", formats_asked, "storage formats")->delimiter(',');
  app.add_option("--guard", guard, "guard vectors");
  app.add_option("--p-space", p_size, "rows of the start space");
  app.add_option("--max-basis", max_basis, "basis vectors");
  app.add_option("--tolerance", tolerance, "residual norm");
  CLI11_PARSE(app, argc, argv);

  const auto backend = backend_name == "cuda" ? make_cuda_backend() : make_cpu_backend();
  std::printf("backend %s: %s\n", backend_name.c_str(), backend->description().c_str());
  std::printf("%-28s %-26s %9s %11s %6s %-7s %-8s %-14s %8s %8s %10s\n", "file", "case", "rows",
              "nonzeros", "states", "format", "method", "status", "products", "seconds",
              "error/Eh");

  bool all_right = true;
  const YAML::Node references = YAML::LoadFile(data + "/references.yaml");
  for (const auto& entry : references) {
    for (const ReferenceCase& c : cases_of(entry.first.as<std::string>(), entry.second)) {
      if ((c.file + " " + c.name).find(only) == std::string::npos) continue;
      const Integrals integrals = read_fcidump(data + "/" + c.file);
      const CiSpace space = make_ci_space(integrals, c.space);
      if (space.size() > largest) {
        std::printf("%-28s %-26s %9lld  left out: more than %lld determinants\n", c.file.c_str(),
                    c.name.c_str(), static_cast<long long>(space.size()),
                    static_cast<long long>(largest));
        continue;
      }
      std::shared_ptr<const CsrMatrix> matrix;
      {
        const CiMatrixBuilder builder(integrals, space);
        matrix = std::make_shared<const CsrMatrix>(builder.fill(builder.count()));
      }
      PSpace p_space;
      p_space.rows = lowest_diagonal_rows(diagonal(*matrix), p_size);
      p_space.matrix = principal_submatrix(*matrix, p_space.rows);

      for (const std::string& format : formats_asked) {
        const auto a = make_operator(format, matrix, *backend);
        for (const bool use_lanczos : {false, true}) {
          EigenOptions options;
          options.states = c.states;
          options.tolerance = tolerance;
          options.guard = guard;
          options.max_basis = max_basis;
          ReferenceCase asked = c;
          if (use_lanczos) {
            if (c.name.ends_with("singlet")) continue;  // no lowest state
            options.states = 1;
            options.max_iterations = 1000;
            asked.energies.resize(1);
          }
          options.method = use_lanczos ? EigenMethod::lanczos : EigenMethod::davidson;
          const EigenResult result = lowest_eigenpairs(*a, *backend, p_space, options);
          const double error = largest_error(asked, result.energies);
          const bool right = result.status == SolveStatus::converged && error <= 1e-8;
          all_right = all_right && right;
          std::printf("%-28s %-26s %9d %11lld %6d %-7s %-8s %-14s %8lld %8.2f %10.1e%s\n",
                      c.file.c_str(), c.name.c_str(), matrix->rows,
                      static_cast<long long>(matrix->nonzeros()), options.states, format.c_str(),
                      use_lanczos ? "lanczos" : "davidson", to_string(result.status).c_str(),
                      static_cast<long long>(result.operator_applications), result.seconds, error,
                      right ? "" : "  WRONG");
          std::fflush(stdout);
        }
      }
    }
  }
  return all_right ? 0 : 2;
}
