// Gain of `spmv.format: auto`: seconds of making an operator and of N products with it, by auto
// (features, conversions and trials counted) over those by csr and, if every format is measured,
// over those by the best. Medians; the host matrix exists before. No cache.
//
//   choice_bench [INPUT...] [--products 50,500] [--all] [--backend cpu|cuda] [--block K]
//                [--repeats N] [--network FILE] [--threads N]

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/choice/format_chooser.hpp"
#include "app/model/open_model.hpp"
#include "backends/stopwatch.hpp"
#include "core/error.hpp"
#include "core/threads/thread_count.hpp"
#include "formats/format.hpp"

using namespace cisolve;

namespace {

/// One or two of each kind, most above the size at which a format is chosen.
const std::vector<std::string> default_inputs{
    "generate:ci,rows=2000",
    "generate:ci,rows=8000,symmetric=true",
    "generate:ci,rows=60000,reference_density=0.002,expansion_density=0.001",
    "generate:banded,rows=20000,bandwidth=8",
    "generate:banded,rows=500000,bandwidth=4,symmetric=true",
    "generate:random,rows=20000,per_row=8",
    "generate:random,rows=200000,per_row=40",
    "generate:power_law,rows=200000,per_row=16",
    "generate:stencil,side=600",
    "generate:stencil,side=60,dimensions=3,box=true",
    "generate:blocks,rows=100000",
    "generate:diagonals,rows=300000",
    "generate:runs,rows=100000",
    "generate:arrow,rows=200000",
    "generate:hubbard,sites=10",
    "generate:molecule,orbitals=9,electrons=8"};

struct Settings {
  RunConfig config;
  std::vector<int> products{50};
  int block = 1, repeats = 3;
  bool all = false;
};

using Make = std::function<std::unique_ptr<LinearOperator>()>;

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

/// Seconds of `make` and so many products; nothing where it cannot be made. `note` sees the
/// operator before it goes.
std::optional<double> seconds_of(
    const Settings& settings, int products, const CsrMatrix& a, Backend& backend, const Make& make,
    const std::function<void(const LinearOperator&)>& note = [](const LinearOperator&) {}) {
  MultiVector x(backend, a.columns, settings.block), y(backend, a.rows, settings.block);
  backend.fill_random(1, 0, x.view());
  try {
    std::unique_ptr<LinearOperator> made;
    const double milliseconds = timed_milliseconds(backend, [&] {
      made = make();
      for (int p = 0; p < products; ++p) made->apply(1.0, x.view(), 0.0, y.view());
      backend.synchronize();
    });
    note(*made);
    return 1e-3 * milliseconds;
  } catch (const ResourceError&) {
    return std::nullopt;
  } catch (const InputError&) {
    return std::nullopt;
  }
}

/// The format with the fewest seconds, and those.
std::pair<std::string, double> best_format(const Settings& settings, int products,
                                           const std::shared_ptr<const CsrMatrix>& a,
                                           Backend& backend) {
  std::pair<std::string, double> best{"csr", HUGE_VAL};
  for (const Format& format : formats()) {
    std::vector<double> times;
    for (int r = 0; r < settings.repeats; ++r) {
      const auto seconds = seconds_of(settings, products, *a, backend, [&] {
        return make_operator(format.name, a, backend, settings.config.spmv);
      });
      if (!seconds) break;
      times.push_back(*seconds);
    }
    if (!times.empty() && median(times) < best.second) best = {format.name, median(times)};
  }
  return best;
}

void measure(const std::string& name, const Settings& settings, Backend& backend, double& worst) {
  InputConfig input;
  input.file = name;
  const auto model = open_model(input);
  const auto a = require_elements(*model).take();
  const bool symmetric = a->rows == a->columns && is_symmetric(*a);
  for (const int products : settings.products) {
    RunConfig config = settings.config;
    config.spmv.expected_products = products;
    FormatChooser chooser(config, backend, [](const std::string&) {});
    // Both run in turn: a machine that gets slower then does so for both.
    FormatChoice choice;
    std::vector<double> csr, adaptive, ratios;
    for (int r = 0; r < settings.repeats; ++r) {
      const auto by_csr = seconds_of(settings, products, *a, backend, [&] {
        return make_operator("csr", a, backend, settings.config.spmv);
      });
      const auto by_auto = seconds_of(
          settings, products, *a, backend,
          [&] { return chooser.make(a, settings.block, symmetric, backend.free_memory()); },
          [&](const LinearOperator& made) {
            choice = dynamic_cast<const AdaptiveOperator&>(made).choice();
          });
      if (!by_csr || !by_auto) break;
      csr.push_back(*by_csr);
      adaptive.push_back(*by_auto);
      ratios.push_back(*by_auto / *by_csr);
    }
    if (ratios.empty()) continue;
    worst = std::max(worst, median(ratios));
    std::printf("| %s | %.2e | %d | %.3g | %.3f | %s |", name.c_str(),
                static_cast<double>(a->nonzeros()), products, median(csr) / products,
                median(ratios), choice.format.c_str());
    if (settings.all) {
      const auto [format, seconds] = best_format(settings, products, a, backend);
      std::printf(" %s | %.3f |", format.c_str(), median(adaptive) / seconds);
    }
    std::printf("\n");
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  std::vector<std::string> inputs;
  std::string where = "cpu", network;
  int threads = 0;
  CLI::App app("Seconds of spmv.format auto beside csr and the best format");
  app.add_option("INPUT", inputs, "inputs as `cisolve run` takes them; default: one of each kind");
  app.add_option("--products", settings.products, "products with each operator")->delimiter(',');
  app.add_flag("--all", settings.all, "measure every format for the best");
  app.add_option("--backend", where)->check(CLI::IsMember({"cpu", "cuda"}));
  app.add_option("--block", settings.block, "vectors of a product")->check(CLI::PositiveNumber);
  app.add_option("--repeats", settings.repeats)->check(CLI::PositiveNumber);
  app.add_option("--network", network, "another network");
  app.add_option("--threads", threads, "of the CPU");
  CLI11_PARSE(app, argc, argv);
  settings.config.spmv.network = network;
  settings.config.spmv.cache = "none";
  const ThreadCount count(threads);
  const auto backend = where == "cuda" ? make_cuda_backend() : make_cpu_backend();
  std::printf("%s, blocks of %d\n\n", backend->description().c_str(), settings.block);
  std::printf("| matrix | nonzeros | products | s / product of csr | auto / csr | chosen |%s\n",
              settings.all ? " best | auto / best |" : "");
  std::printf("|---|---|---|---|---|---|%s\n", settings.all ? "---|---|" : "");
  double worst = 0.0;
  for (const std::string& name : inputs.empty() ? default_inputs : inputs) {
    measure(name, settings, *backend, worst);
  }
  std::printf("\nauto / csr at most %.3f\n", worst);
}
