// Products and exchanges of one of several ranks, or of one process: milliseconds, medians. Usage:
// [mpirun -n N] ranks_bench [--backend cpu|cuda] [--threads N] INPUT...
//
// "product": a whole product with so many random vectors; "gather": the exchange of X in it; "sum":
// 24·8 numbers summed over the ranks; "gram": a Gram matrix of that size, on the host of all ranks,
// and "of own rows" without the sum.

#include <omp.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "app/model/open_model.hpp"
#include "app/prepare/preparation.hpp"
#include "backends/ranks/world.hpp"
#include "core/timer.hpp"
#include "formats/format.hpp"

namespace {

using namespace cisolve;

/// Products with so many vectors, and nothing beside them.
class Products final : public Purpose {
 public:
  int columns(bool) const override { return 8; }
  MemoryNeed memory(bool) const override { return {}; }
};

/// Milliseconds of a call, the median of some; all ranks begin together, and what was begun on the
/// device is waited for.
template <class Call>
double milliseconds(Backend& backend, const Call& call) {
  constexpr int calls = 41;
  std::vector<double> seconds;
  for (int i = 0; i < calls; ++i) {
    backend.communicator().barrier();
    const Timer timer;
    call();
    backend.synchronize();
    seconds.push_back(timer.seconds());
  }
  std::ranges::nth_element(seconds, seconds.begin() + calls / 2);
  return 1e3 * seconds[calls / 2];
}

/// Milliseconds of one of many calls in a row, without a barrier between them.
template <class Call>
double milliseconds_of_each(Backend& backend, const Call& call) {
  constexpr int calls = 200;
  return milliseconds(backend,
                      [&] {
                        for (int i = 0; i < calls; ++i) call();
                      }) /
         calls;
}

void measure(const std::string& name, Backend& backend, Backend& own) {
  Communicator& ranks = backend.communicator();
  InputConfig input;
  input.file = name;
  RunConfig config;
  config.input = input;
  config.operator_kind = OperatorKind::stored;
  config.spmv.format = backend.kind() == BackendKind::cuda ? format_of_device_rows().name : "csr";
  const RunContext context{config, backend, {}};
  RunFacts facts;
  Preparation preparation(context, facts);
  const auto model = preparation.open([&](Storage storage) { return open_model(input, storage); });
  Products purpose;
  const Prepared prepared = preparation.prepare(*model, purpose);
  const auto a = prepared.a;
  const RowPartition& parts = prepared.basis->parts();
  backend.synchronize();
  const double made = facts.seconds.convert;
  const std::size_t free = backend.free_memory();
  const auto rows = a->rows();
  if (ranks.first()) {
    std::printf("%s: %d rows, %.4g nonzeros, %d ranks, %s, operator made in %.3f s\n", name.c_str(),
                parts.rows(), static_cast<double>(a->info().nonzeros), ranks.size(),
                backend.description().c_str(), made);
  }
  for (const int k : {1, 4, 8}) {
    MultiVector x(backend, rows, k), y(backend, rows, k), whole(backend, parts.rows(), k);
    backend.fill_random(1, 0, x.view());
    const double product = milliseconds(backend, [&] { a->apply(1.0, x.view(), 0.0, y.view()); });
    const double gather = ranks.alone() ? 0.0 : milliseconds(backend, [&] {
      backend.gather(x.view(), parts, whole.view());
    });
    if (ranks.first()) std::printf("  %d vectors: product %.4f, gather %.4f\n", k, product, gather);
  }
  MultiVector v(backend, rows, 24), t(backend, rows, 8);
  backend.fill_random(1, 0, v.view());
  backend.fill_random(2, 0, t.view());
  HostMatrix c(24, 8);
  std::vector<double> numbers(24 * 8, 1.0);
  const double sum = milliseconds_of_each(backend, [&] { ranks.sum(numbers); });
  const double gram = milliseconds_of_each(backend, [&] { backend.gram(v.view(), t.view(), c); });
  const double own_gram = milliseconds_of_each(own, [&] { own.gram(v.view(), t.view(), c); });
  if (!ranks.first()) return;
  std::printf("  sum %.4f, gram %.4f, of own rows %.4f; device memory free %.3f GB\n", sum, gram,
              own_gram, static_cast<double>(free) * 1e-9);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  BackendConfig config;
  std::vector<std::string> inputs;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--backend" && i + 1 < argc) {
      config.name = std::string(argv[++i]) == "cuda" ? Device::cuda : Device::cpu;
    } else if (argument == "--threads" && i + 1 < argc) {
      config.threads = std::stoi(argv[++i]);
    } else {
      inputs.push_back(argument);
    }
  }
  try {
    Communicator& ranks = world().ranks();
    if (const int threads = threads_of(config, ranks); threads > 0) omp_set_num_threads(threads);
    const auto backend = make_backend(chosen_backend(config, {}), config, ranks, {});
    // Another of the same device, whose sums are of its own rows.
    config.device += ranks.local_rank();
    const auto own = make_backend(chosen_backend(config, {}), config, one_rank(), {});
    for (const std::string& input : inputs) measure(input, *backend, *own);
    if (!ranks.alone()) {
      world().end(0, 1e9);
      world().leave();
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ranks_bench: %s\n", error.what());
    world().abort(1);
  }
  return 0;
}
