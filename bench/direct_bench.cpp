// Products of full CI without a matrix: seconds of a product with one random vector, median, and
// what that is in flops that the definition of the product counts. Usage:
// direct_bench [--backend cpu|cuda] [--products N] INPUT[@IRREP][:even|:odd]...
// Started by mpirun it shares products out among the ranks; seconds are those until all are done.

#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "app/model/open_model.hpp"
#include "app/prepare/context.hpp"
#include "backends/ranks/world.hpp"
#include "core/threads/thread_count.hpp"
#include "core/timer.hpp"
#include "hamiltonian/direct/direct_cost.hpp"
#include "hamiltonian/direct/direct_product.hpp"

namespace {

using namespace cisolve;

void measure(const std::string& argument, Backend& backend, int products) {
  InputConfig input;
  const bool even = argument.ends_with(":even"), odd = argument.ends_with(":odd");
  const Parity only = even ? Parity::even : odd ? Parity::odd : Parity::none;
  const std::string wanted =
      argument.substr(0, even || odd ? argument.rfind(':') : argument.size());
  const auto irrep = wanted.rfind('@');
  input.file = wanted.substr(0, irrep);
  if (even) input.spin_inversion = SpinInversion::even;
  if (odd) input.spin_inversion = SpinInversion::odd;
  if (irrep != std::string::npos) input.irrep = wanted.substr(irrep + 1);
  const auto model = open_model(input);
  const Determinants& determinants = require_determinants(*model, "the bench");
  Timer timer;
  const CiSpace& space = *determinants.ranges();
  const auto tables = std::make_shared<const DirectTables>(determinants.active_integrals(), space,
                                                           only, backend.communicator().size());
  const double tables_seconds = timer.seconds();
  timer = Timer();
  const auto a = make_direct(tables, backend);
  backend.synchronize();
  const double make_seconds = timer.seconds();
  Communicator& ranks = backend.communicator();
  MultiVector x(backend, a->rows(), 1), y(backend, a->rows(), 1);
  backend.fill_random(1, 0, x.view());
  std::vector<double> seconds;
  for (int i = 0; i <= products; ++i) {
    ranks.barrier();
    timer = Timer();
    a->apply(1.0, x.view(), 0.0, y.view());
    backend.synchronize();
    ranks.barrier();
    if (i > 0) seconds.push_back(timer.seconds());
  }
  if (!ranks.first()) return;
  std::ranges::sort(seconds);
  const double median = seconds[seconds.size() / 2], flops = direct_cost(*tables).flops;
  std::printf("| %s | %lld | %.3f | %.3f | %.6f | %.6f | %.3g | %.3f |\n", argument.c_str(),
              static_cast<long long>(tables->rows.size()), tables_seconds, make_seconds, median,
              seconds.front(), flops, flops / median * 1e-12);
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) {
  std::string backend_name = "cpu";
  int products = 10;
  std::vector<std::string> inputs;
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    if (argument == "--backend" && i + 1 < count) {
      backend_name = arguments[++i];
    } else if (argument == "--products" && i + 1 < count) {
      products = std::stoi(arguments[++i]);
    } else {
      inputs.push_back(argument);
    }
  }
  try {
    BackendConfig config;
    config.name = backend_name == "cpu" ? Device::cpu : Device::cuda;
    Communicator& ranks = world().ranks();
    const ThreadCount threads{threads_of(config, ranks)};
    const auto backend = make_backend(chosen_backend(config, {}), config, ranks, {});
    if (ranks.first()) {
      std::printf(
          "%s of %s\n\n| input | rows | tables / s | operator / s | product / s, median "
          "| fastest | flops | TFLOP/s |\n|---|---|---|---|---|---|---|---|\n",
          backend->description().c_str(), ranks.description().c_str());
    }
    for (const std::string& input : inputs) measure(input, *backend, products);
    world().leave();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    if (launched_ranks() > 1) world().abort(1);
    return 1;
  }
}
