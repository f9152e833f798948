#include "app/ways/direct/operator_forecast.hpp"

#include <omp.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>

#include "app/memory/memory.hpp"
#include "backends/ranks/communicator.hpp"
#include "hamiltonian/spinor_product/spinor_product.hpp"

namespace cisolve {
namespace {

/// Nanoseconds, fitted to results of direct_bench and operator_bench.py of bench/ on two EPYC cores
/// and an H200. Those of a CPU are for one thread.
struct Costs {
  double build;    ///< a nonzero of the stored matrix
  double entry;    ///< of a product with one vector, a nonzero
  double flop;     ///< of a direct product
  double gather;   ///< an element that it gathers
  double product;  ///< any product
  double entry_bytes;
};
constexpr Costs of_cpu_thread{20.0, 0.9, 0.025, 3.0, 2e4, 12.0};
constexpr Costs of_gpu{0.4, 1.3e-3, 0.03e-3, 0.02, 1e6, 4.6};

/// Nanoseconds of products over pairs of listed strings: to move an element of C, for a
/// multiplication, and for any product. Fitted to `cisolve bench --format direct,csr`. CPU thread:
/// lists of 200, 500 and 3000 strings of N2 in 26 orbitals, on two EPYC cores. GPU: 500 and 3000 of
/// these and 1543 of water in 24 orbitals, on an H200.
struct ListedCosts {
  double moved, multiplication, product;
};
constexpr ListedCosts listed_of_cpu_thread{0.3, 0.25, 2e4}, listed_of_gpu{4.7e-3, 3.9e-3, 1.5e6};

/// Nanoseconds of the complex matrix of spinors, made on the host, and of products without it.
/// Fitted to 7 electrons in 16 and 8 in 20 spinors on two AMD cores, and 8 in 32 on an H200
/// (docs/results/complex.md).
constexpr Costs spinors_of_cpu_thread{40.0, 1.6, 0.03, 6.0, 2e4, 20.0};
constexpr Costs spinors_of_gpu{5.0, 6e-3, 0.02e-3, 0.02, 1e6, 20.0};

/// Iterations of a solve from the p-space, and as many products again in the search for lower
/// states.
constexpr double products_of_a_block = 28.0;
/// Products without a matrix for one state with vectors of one irrep: most of the solve's.
constexpr double products_of_an_irrep = 9.0;
/// A product with several vectors reads a stored matrix once.
constexpr double share_in_a_block = 0.5;

/// Forecast for a stored matrix of so many nonzeros; `direct` is left open.
OperatorForecast stored_forecast(double nonzeros, const Costs& costs, double threads, int vectors,
                                 int before) {
  OperatorForecast forecast;
  forecast.products = before + static_cast<int>(std::ceil(products_of_a_block * vectors));
  const double share = vectors > 1 ? share_in_a_block : 1.0;
  const double product = costs.product + nonzeros * costs.entry * share / threads;
  forecast.nonzeros = nonzeros;
  forecast.stored_bytes = nonzeros * costs.entry_bytes;
  forecast.stored = 1e-9 * (nonzeros * costs.build / threads + forecast.products * product);
  return forecast;
}

}  // namespace

std::string OperatorForecast::text() const {
  return fmt::format(
      "{:.2g} s expected for {} products without a matrix, {:.2g} s with a stored one of {:.2g} "
      "nonzeros",
      direct, products, stored, nonzeros);
}

OperatorForecast operator_forecast(const DirectTables& tables, const Backend& backend, int vectors,
                                   int before, bool one_state) {
  const bool on_cpu = backend.kind() == BackendKind::cpu;
  const Costs& costs = on_cpu ? of_cpu_thread : of_gpu;
  const double threads = on_cpu ? omp_get_max_threads() : 1;
  const DirectCost cost = direct_cost(tables);
  OperatorForecast forecast = stored_forecast(cost.nonzeros, costs, threads, vectors, before);
  const double direct_work = (cost.flops * costs.flop + cost.gathers * costs.gather) / threads;
  const double of_an_irrep = one_state ? products_of_an_irrep : 0.0;
  const double whole = forecast.products - of_an_irrep + of_an_irrep / tables.layout.irreps();
  forecast.direct = 1e-9 * (forecast.products * costs.product + whole * direct_work);
  return forecast;
}

OperatorForecast operator_forecast(const ListedTables& tables, const Backend& backend, int vectors,
                                   int before) {
  const bool on_cpu = backend.kind() == BackendKind::cpu;
  const Costs& costs = on_cpu ? of_cpu_thread : of_gpu;
  const ListedCosts& each = on_cpu ? listed_of_cpu_thread : listed_of_gpu;
  const double threads = on_cpu ? omp_get_max_threads() : 1;
  const ListedCost cost = listed_cost(tables);
  OperatorForecast forecast = stored_forecast(cost.nonzeros, costs, threads, vectors, before);
  const double work =
      cost.moved * each.moved + (cost.multiplications + cost.of_one_spin) * each.multiplication;
  forecast.direct = 1e-9 * forecast.products * (each.product + work / threads);
  return forecast;
}

OperatorForecast operator_forecast(const SpinorProductTables& tables, const Backend& backend,
                                   int vectors, int before, bool paired) {
  const bool on_cpu = backend.kind() == BackendKind::cpu;
  const Costs& costs = on_cpu ? spinors_of_cpu_thread : spinors_of_gpu;
  const double threads = on_cpu ? omp_get_max_threads() : 1;
  const SpinorProductCost cost = spinor_product_cost(tables, backend.kind());
  const double nonzeros = paired ? 0.5 * cost.nonzeros : cost.nonzeros;
  OperatorForecast forecast = stored_forecast(nonzeros, costs, threads, vectors, before);
  const double work = cost.flops * costs.flop + cost.gathers * costs.gather;
  forecast.direct = 1e-9 * forecast.products * (costs.product + work / threads);
  return forecast;
}

double seconds_of_solve(Elements& elements, int states, BackendKind backend) {
  const bool on_cpu = backend == BackendKind::cpu, real = elements.components() == 1;
  Costs costs =
      on_cpu ? (real ? of_cpu_thread : spinors_of_cpu_thread) : (real ? of_gpu : spinors_of_gpu);
  if (!elements.of_determinants()) costs.build = 0.0;
  return stored_forecast(elements.expected_nonzeros(), costs, on_cpu ? omp_get_max_threads() : 1,
                         states, 0)
      .stored;
}

bool is_for_direct(const OperatorForecast& forecast, WayRequest& request, bool by_host) {
  const OperatorForecast of_all = request.ranks().of_first(forecast);
  const MemoryAvailable available =
      available_memory(request.backend, request.config.backend.memory_limit.count);
  std::size_t room = available.device.value_or(available.host);
  if (by_host) room = std::min(room, available.host);
  const bool fits = of_all.stored_bytes / request.ranks().size() <= static_cast<double>(room);
  request.operator_reason = of_all.text() + (fits ? "" : ", which does not fit");
  return !fits || of_all.direct_is_faster();
}

}  // namespace cisolve
