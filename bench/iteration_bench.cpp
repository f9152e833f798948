// Cost of an iteration of the Davidson solver beside its products with A: medians over the
// iterations after the first two. Set-up (the matrix, its p-space) does not count.
//
//   iteration_bench [--generate NAME] [--format NAME] [--backend cpu|cuda] [--states K]
//                   [--iterations N] [--each]
//
// 1.2e8 nonzeros: --generate generate:molecule,orbitals=11,electrons=8
// 1.1e9 nonzeros: --generate generate:molecule,orbitals=12,electrons=10

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "app/input/generated_input.hpp"
#include "core/timer.hpp"
#include "formats/format.hpp"
#include "formats/matrix/csr_matrix.hpp"
#include "hamiltonian/matrix/ci_matrix.hpp"
#include "hamiltonian/space/ci_space.hpp"
#include "solvers/eigen/eigen_problem.hpp"

using namespace cisolve;

namespace {

struct Iteration {
  int basis = 0, products = 0;
  double inside = 0.0, outside = 0.0;  ///< seconds
};

std::shared_ptr<const CsrMatrix> make_matrix(const std::string& name, Storage storage) {
  GeneratedInput input = make_generated_input(name);
  if (!input.integrals) return std::make_shared<const CsrMatrix>(std::move(input.matrix));
  const CiSpace space = make_ci_space(*input.integrals, {});
  const CiMatrixBuilder builder(*input.integrals, space, storage);
  return std::make_shared<const CsrMatrix>(builder.fill(builder.count()));
}

template <class T>
T median(std::vector<T> values) {
  if (values.empty()) return {};
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

void print(const char* what, const Iteration& i) {
  std::printf("%-9s %5d %8d %14.3f %14.3f %9.1f %%\n", what, i.basis, i.products, i.inside * 1e3,
              i.outside * 1e3, 100.0 * i.outside / i.inside);
}

}  // namespace

int main(int argc, char** argv) {
  std::string name = "generate:molecule,orbitals=11,electrons=8", format = "auto";
  std::string backend_name = "cpu";
  bool each = false;
  int p_size = 0;
  EigenOptions options;
  options.states = 4;
  options.max_iterations = 40;
  options.tolerance = 1e-12;  // not to be reached: all iterations are of one kind
  CLI::App app("Times the iterations of the Davidson solver inside and outside its products");
  app.add_option("--generate", name, "input as `cisolve run` takes it");
  app.add_option("--format", format, "storage format; auto: as `cisolve run` chooses");
  app.add_option("--backend", backend_name, "cpu or cuda");
  app.add_option("--states", options.states, "states");
  app.add_option("--iterations", options.max_iterations, "iterations");
  app.add_option("--p-space", p_size, "rows of the p-space; 0: chosen");
  app.add_flag("--each", each, "prints every iteration");
  CLI11_PARSE(app, argc, argv);

  const auto backend = backend_name == "cuda" ? make_cuda_backend() : make_cpu_backend();
  format = first_format(format);
  const Storage storage = find_format(format).symmetric ? Storage::upper : Storage::full;
  auto matrix = make_matrix(name, storage);
  const Timer timer;
  PSpace p_space{{}, {}, connected_sectors(matrix->row_offsets, matrix->column_indices)};
  const double sector_seconds = timer.seconds();
  p_space.rows = p_space_rows(diagonal(*matrix), p_space.sectors, matrix->nonzeros(),
                              options.states, p_size, backend->kind());
  p_space.matrix = principal_submatrix(*matrix, p_space.rows);
  std::printf(
      "%s on %s, %s: %d rows, %.3e nonzeros, %zu sectors (found in %.3f s), p-space %zu, %d "
      "states\n",
      name.c_str(), backend->description().c_str(), format.c_str(), matrix->rows,
      static_cast<double>(full_nonzeros(*matrix)), p_space.sectors.sizes.size(), sector_seconds,
      p_space.rows.size(), options.states);
  const auto a = make_operator(format, std::move(matrix), *backend);

  std::vector<Iteration> iterations;
  EigenIteration before;
  const EigenResult result =
      lowest_eigenpairs(*a, *backend, p_space, options, [&](const EigenIteration& now) {
        const double inside = now.product_seconds - before.product_seconds;
        const auto products = now.operator_applications + now.probe_applications -
                              before.operator_applications - before.probe_applications;
        iterations.push_back(
            {now.basis, static_cast<int>(products), inside, now.seconds - before.seconds - inside});
        before = now;
        return true;
      });

  std::printf("%-9s %5s %8s %14s %14s %11s\n", "iteration", "basis", "products", "in them, ms",
              "outside, ms", "ratio");
  std::vector<int> basis, products;
  std::vector<double> inside, outside;
  for (std::size_t i = 2; i < iterations.size(); ++i) {
    if (each) print(std::to_string(i + 1).c_str(), iterations[i]);
    basis.push_back(iterations[i].basis);
    products.push_back(iterations[i].products);
    inside.push_back(iterations[i].inside);
    outside.push_back(iterations[i].outside);
  }
  print("median", {median(basis), median(products), median(inside), median(outside)});
  std::printf("%d iterations, %s\n", result.iterations, to_string(result.status).c_str());
}
