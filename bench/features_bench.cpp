// Cost of the features that choose a storage format, in products: seconds of `features`, and of its
// pass over the diagonals alone, over those of a product of csr with one vector on the CPU.
// Medians, caches overwritten before each run.
//
//   features_bench [--generate NAME] [--repeats N]
//
// 1.2e8 nonzeros: --generate generate:molecule,orbitals=11,electrons=8

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <random>
#include <string>

#include "app/bench/measurement.hpp"
#include "app/model/open_model.hpp"
#include "core/dense/host_matrix.hpp"
#include "formats/dia/dia.hpp"
#include "formats/format.hpp"
#include "formats/matrix/features.hpp"

using namespace cisolve;

namespace {

double product_seconds(const std::shared_ptr<const CsrMatrix>& a, Backend& backend,
                       Measurement& measurement) {
  const auto product = make_operator("csr", a, backend);
  std::mt19937 engine(1);
  std::normal_distribution<double> normal;
  MultiVector x(backend, a->columns, 1), y(backend, a->rows, 1);
  backend.upload(HostMatrix::NullaryExpr(a->columns, 1, [&] { return normal(engine); }), x.view());
  return measurement.seconds([&] { product->apply(1.0, x.view(), 0.0, y.view()); }).median;
}

}  // namespace

int main(int argc, char** argv) {
  InputConfig input;
  std::string name = "generate:molecule,orbitals=11,electrons=8";
  int repeats = 20;
  CLI::App app("Times the features of a matrix in products");
  app.add_option("--generate", name, "input as `cisolve run` takes it");
  app.add_option("--repeats", repeats, "timed runs");
  CLI11_PARSE(app, argc, argv);

  input.file = name;
  const auto backend = make_cpu_backend();
  const auto model = open_model(input);
  const auto a = require_elements(*model).take();
  Measurement measurement(*backend, repeats);
  MatrixFeatures found;
  const double seconds = measurement.seconds([&] { found = features(*a); }).median;
  Offset diagonals = 0;
  const double diagonal_seconds =
      measurement.seconds([&] { diagonals = count_diagonals(*a); }).median;
  const double product = product_seconds(a, *backend, measurement);
  std::printf("%s on %s: %d rows, %.3e nonzeros, %lld diagonals\n", name.c_str(),
              backend->description().c_str(), found.rows, static_cast<double>(found.nonzeros),
              static_cast<long long>(diagonals));
  std::printf("features %.3f ms, of these the diagonals %.3f ms; product %.3f ms\n", seconds * 1e3,
              diagonal_seconds * 1e3, product * 1e3);
  std::printf("features / product %.2f\n", seconds / product);
}
