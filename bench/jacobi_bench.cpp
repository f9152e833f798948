// Cost of a sweep of Jacobi's method over that of a product: a Markdown table, a row each input,
// backend and format. A sweep is the step of `cisolve linear --method jacobi` between two iterates,
// with the copies of x that it keeps; the residual falls by about a quarter a sweep. A product is
// one of many in a row, with nobody waiting for it. Medians over repeats, sweeps and products in
// turn.
//
//   jacobi_bench [--input NAME,...] [--format NAME,...] [--backend cpu,cuda] [--columns K]
//
// 1.2e8 nonzeros: --input generate:molecule,orbitals=11,electrons=8

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "app/model/open_model.hpp"
#include "core/error.hpp"
#include "core/timer.hpp"
#include "formats/format.hpp"
#include "solvers/linear/linear_problem.hpp"

using namespace cisolve;

namespace {

struct Settings {
  int columns = 1, iterations = 40, repeats = 9;
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// Seconds of one sweep of a solve that begins at zero.
double sweep_seconds(const LinearOperator& a, Backend& backend, ConstView b, View x,
                     const LinearOptions& options) {
  double first = 0.0, last = 0.0;
  backend.fill(0.0, x);
  const LinearResult result =
      solve_linear(a, backend, b, x, options, [&](const LinearIteration& i) {
        (i.iteration == 0 ? first : last) = i.seconds;
        return true;
      });
  if (result.iterations != options.max_iterations) {
    throw InputError("the solve ended after " + std::to_string(result.iterations) + " sweeps, " +
                     to_string(result.status));
  }
  return (last - first) / result.iterations;
}

double product_seconds(const LinearOperator& a, Backend& backend, ConstView x, View y, int count) {
  backend.synchronize();
  const Timer timer;
  for (int i = 0; i < count; ++i) a.apply(1.0, x, 0.0, y);
  backend.synchronize();
  return timer.seconds() / count;
}

void measure(const std::string& format, std::shared_ptr<const CsrMatrix> matrix, Backend& backend,
             double shift, const Settings& settings) {
  const auto a = make_operator(format, std::move(matrix), backend);
  MultiVector b(backend, a->rows(), settings.columns), x(backend, a->rows(), settings.columns);
  backend.fill_random(1, 0, b.view());
  LinearOptions options;
  options.method = LinearMethod::jacobi;
  options.shift = shift;
  options.omega = 0.25;
  options.tolerance = 1e-300;  // not to be reached
  options.max_iterations = settings.iterations;
  std::vector<double> sweeps, products;
  product_seconds(*a, backend, b.view(), x.view(), 3);
  for (int i = 0; i < settings.repeats; ++i) {
    sweeps.push_back(sweep_seconds(*a, backend, b.view(), x.view(), options));
    products.push_back(product_seconds(*a, backend, b.view(), x.view(), settings.iterations));
  }
  const double sweep = median(sweeps), product = median(products);
  std::printf("| %s | %s | %.4f | %.4f | %.3f |\n", format.c_str(),
              backend.kind() == BackendKind::cuda ? "cuda" : "cpu", product * 1e3, sweep * 1e3,
              sweep / product);
  std::fflush(stdout);
}

void measure_input(const std::string& name, const std::vector<std::string>& asked,
                   const std::vector<std::unique_ptr<Backend>>& backends,
                   const Settings& settings) {
  InputConfig input;
  input.file = name;
  const auto model = open_model(input);
  const auto matrix = require_elements(*model).take();
  // Shift so far below that every method converges, whatever the matrix.
  const double shift = std::ranges::min(diagonal(*matrix)) - 1000.0;
  std::printf("\n%s: %d rows, %lld nonzeros, %d columns\n\n", name.c_str(), matrix->rows,
              static_cast<long long>(matrix->nonzeros()), settings.columns);
  std::printf("| format | backend | product / ms | sweep / ms | ratio |\n|---|---|---|---|---|\n");
  for (const auto& backend : backends) {
    for (const std::string& format : asked) {
      try {
        const Format& found = find_format(format);
        const std::string reason = unavailable_reason(found, backend->kind());
        if (!reason.empty()) throw ResourceError(reason);
        measure(format,
                found.symmetric ? std::make_shared<const CsrMatrix>(upper_triangle(*matrix, name))
                                : matrix,
                *backend, shift, settings);
      } catch (const std::exception& error) {
        std::printf("| %s | %s | left out: %s | | |\n", format.c_str(),
                    backend->kind() == BackendKind::cuda ? "cuda" : "cpu", error.what());
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> inputs{"generate:molecule,orbitals=9,electrons=8"}, asked, names;
  Settings settings;
  CLI::App app("Times a sweep of Jacobi's method beside a product");
  app.add_option("--input", inputs, "inputs as `cisolve run` takes them");
  app.add_option("--format", asked, "storage formats; default: all")->delimiter(',');
  app.add_option("--backend", names, "cpu, cuda; default: all there are")->delimiter(',');
  app.add_option("--columns", settings.columns, "right-hand sides");
  app.add_option("--iterations", settings.iterations, "sweeps, and products, a repeat");
  app.add_option("--repeats", settings.repeats, "repeats");
  CLI11_PARSE(app, argc, argv);

  if (asked.empty()) {
    for (const Format& format : formats()) asked.push_back(format.name);
  }
  if (names.empty()) {
    names = {"cpu"};
    if (cuda_unavailable_reason().empty()) names.push_back("cuda");
  }
  std::vector<std::unique_ptr<Backend>> backends;
  for (const std::string& name : names) {
    backends.push_back(name == "cuda" ? make_cuda_backend() : make_cpu_backend());
    std::printf("%s: %s\n", name.c_str(), backends.back()->description().c_str());
  }
  try {
    for (const std::string& input : inputs) measure_input(input, asked, backends, settings);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
