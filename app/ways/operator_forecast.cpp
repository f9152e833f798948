#include "app/ways/operator_forecast.hpp"

#include <omp.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>

namespace cisolve {
namespace {

/// Nanoseconds, fitted to what direct_bench and operator_bench.py of bench/ gave on two EPYC cores
/// and an H200. Of a CPU each is of one thread.
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

/// Iterations of a solve from the p-space, and as many products again in the search for lower
/// states.
constexpr double products_of_a_block = 28.0;
/// Of those without a matrix for one state, with vectors of one irrep alone: most of the solve's.
constexpr double products_of_an_irrep = 9.0;
/// A product with several vectors reads a stored matrix once.
constexpr double share_in_a_block = 0.5;

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
  OperatorForecast forecast;
  forecast.products = before + static_cast<int>(std::ceil(products_of_a_block * vectors));
  const double share = vectors > 1 ? share_in_a_block : 1.0;
  const double stored_product = costs.product + cost.nonzeros * costs.entry * share / threads;
  const double direct_work = (cost.flops * costs.flop + cost.gathers * costs.gather) / threads;
  forecast.nonzeros = cost.nonzeros;
  forecast.stored_bytes = cost.nonzeros * costs.entry_bytes;
  forecast.stored =
      1e-9 * (cost.nonzeros * costs.build / threads + forecast.products * stored_product);
  const double of_an_irrep = one_state ? products_of_an_irrep : 0.0;
  const double whole = forecast.products - of_an_irrep + of_an_irrep / tables.layout.irreps();
  forecast.direct = 1e-9 * (forecast.products * costs.product + whole * direct_work);
  return forecast;
}

}  // namespace cisolve
