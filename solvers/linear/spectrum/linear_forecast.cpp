#include "solvers/linear/spectrum/linear_forecast.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/dense/host_matrix.hpp"
#include "solvers/linear/linear_loop.hpp"
#include "solvers/linear/methods.hpp"
#include "solvers/linear/spectrum/model_levels.hpp"

namespace cisolve {
namespace {

constexpr int most_iterations = 5000;
// Fewer nodes have no rate at which residuals fall.
constexpr int fewest_nodes = 3;
// Levels of the model. A Krylov method ends after as many iterations as there are levels; other
// methods depend only on the position of the levels.
constexpr int fine_levels = 1000, coarse_levels = 60;
constexpr double part_of_model = 0.7;

class DiagonalOperator final : public LinearOperator {
 public:
  DiagonalOperator(HostVector d, Backend& backend) : backend_(backend), d_(std::move(d)) {}
  Index rows() const override { return static_cast<Index>(d_.size()); }
  Index columns() const override { return rows(); }
  void apply(double alpha, ConstView x, double beta, View y) const override {
    HostMatrix product = alpha * d_.asDiagonal() * backend_.download(x);
    if (beta != 0.0) product += beta * backend_.download(y);
    backend_.upload(product, y);
  }
  void diagonal(View d) const override { backend_.upload(d_, d); }
  OperatorInfo info() const override { return {}; }

 private:
  Backend& backend_;
  HostVector d_;
};

/// Logarithm of the factor by which an iteration of conjugate gradients shrinks the residual once
/// the lowest eigenvalue is found; 0 where that is not known.
double rate_past_lowest(const JacobiSpectrum& spectrum) {
  if (!spectrum.definite) return 0.0;
  const double root = std::sqrt(spectrum.interval.highest / spectrum.nodes[1]);
  return std::log((root - 1.0) / (root + 1.0));
}

/// The first place in a history at or below the tolerance, its trusted part being continued by the
/// mean factor of that part's second half, or at `rate` where that is faster; none beyond `most`.
std::optional<int> place_of(double tolerance, const std::vector<double>& history, int trusted,
                            double rate, int most) {
  const int last = std::min<int>(trusted, static_cast<int>(history.size()) - 1);
  for (int i = 0; i <= last; ++i) {
    if (history[i] <= tolerance) return i;
  }
  const int half = last / 2;
  if (half == last) return std::nullopt;
  rate = std::min(rate, std::log(history[last] / history[half]) / (last - half));
  if (!(rate < 0.0)) return std::nullopt;
  const double further = std::ceil(std::log(tolerance / history[last]) / rate);
  if (!(last + further <= most)) return std::nullopt;
  return last + static_cast<int>(further);
}

/// Levels of the quadrature: b's, and those of the random numbers. The latter get small weights, as
/// rounding gives to levels of which b has no part; there a method that does not converge grows.
Levels quadrature_levels(const JacobiSpectrum& spectrum) {
  constexpr double rounding = std::numeric_limits<double>::epsilon();
  Levels levels;
  const Eigen::Index all = spectrum.nodes.size() + spectrum.random_nodes.size();
  levels.values.resize(all);
  levels.parts.resize(all);
  levels.values << spectrum.nodes, spectrum.random_nodes;
  levels.parts << spectrum.weights.cwiseSqrt(), rounding * spectrum.random_weights.cwiseSqrt();
  return levels;
}

/// Result of the method on the diagonal system of these levels.
LinearResult solve(const Levels& levels, const Interval& interval, const LinearOptions& options) {
  const auto backend = make_cpu_backend();
  const auto rows = static_cast<int>(levels.values.size());
  const DiagonalOperator diagonal(levels.values, *backend);
  LinearSystem system(diagonal, *backend, Splitting(*backend, HostMatrix::Ones(rows, 1), 0.0));
  system.tell_largest_eigenvalue(interval.highest);
  MultiVector b(*backend, rows, 1), x(*backend, rows, 1);
  backend->upload(levels.parts, b.view());
  backend->fill(0.0, x.view());
  LinearResult result;
  const auto step = traits_of(options.method).make(system, options, interval, 1);
  const ColumnScalars goal{options.tolerance * levels.parts.norm()};
  iterate(system, *step, b.view(), x.view(), true, goal, options, Timer(), {}, result);
  return result;
}

LinearForecast forecast(const JacobiSpectrum& spectrum, const std::optional<Levels>& model,
                        const LinearOptions& options) {
  const LinearMethodTraits& of_method = traits_of(options.method);
  const bool krylov = is_krylov(options.method);
  const LinearResult result =
      solve(model ? *model : quadrature_levels(spectrum), spectrum.interval, options);
  LinearForecast made{options.method, std::nullopt, 0};
  if (krylov && !model && !spectrum.exhausted) {
    const auto m = static_cast<int>(spectrum.nodes.size());
    made.iterations =
        place_of(options.tolerance, result.history, (m - 1) / of_method.products,
                 of_method.products * rate_past_lowest(spectrum), options.max_iterations);
  } else if (result.status == SolveStatus::converged) {
    made.iterations = krylov && model
                          ? static_cast<int>(std::ceil(part_of_model * result.iterations))
                          : result.iterations;
  }
  made.products = made.iterations.value_or(0) * of_method.products;
  return made;
}

}  // namespace

std::vector<LinearForecast> forecast_linear(const JacobiSpectrum& spectrum, std::int64_t rows,
                                            const LinearOptions& options) {
  std::vector<LinearForecast> forecasts;
  if (!spectrum.exhausted && spectrum.steps < fewest_nodes) return forecasts;
  std::optional<Levels> coarse, fine;
  if (is_open_below(spectrum)) {
    coarse = model_levels(spectrum, rows, coarse_levels);
    fine = model_levels(spectrum, rows, fine_levels);
  }
  const bool of_blocks = options.method == LinearMethod::block_jacobi;
  for (const LinearMethodTraits& of_method : linear_methods()) {
    const LinearMethod method = of_method.method;
    if ((method == LinearMethod::block_jacobi) != of_blocks) continue;
    LinearOptions one = options;
    one.method = method;
    one.shift = one.absolute_tolerance = one.time_limit = 0.0;
    one.max_iterations = std::min(options.max_iterations, most_iterations);
    if (method != options.method) one.omega = 0.0;
    if (!spectrum.definite && of_method.needs_definite) continue;
    forecasts.push_back(forecast(spectrum, is_krylov(method) ? fine : coarse, one));
  }
  return forecasts;
}

bool is_krylov(LinearMethod method) {
  return method == LinearMethod::cg || method == LinearMethod::minres ||
         method == LinearMethod::bicgstab;
}

std::optional<LinearMethod> cheapest(const std::vector<LinearForecast>& forecasts) {
  const LinearForecast* best = nullptr;
  for (const LinearForecast& one : forecasts) {
    if (one.iterations && (best == nullptr || one.products < best->products)) best = &one;
  }
  return best == nullptr ? std::nullopt : std::optional(best->method);
}

}  // namespace cisolve
