#include "solvers/linear/spectrum/spectrum_look.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "backends/ranks/communicator.hpp"
#include "solvers/linear/method_choice.hpp"
#include "solvers/linear/methods.hpp"
#include "solvers/linear/spectrum/linear_forecast.hpp"

namespace cisolve {
namespace {

/// True if Lanczos' method, in the inner product of |M|⁻¹, can tell the spectrum.
bool shows_spectrum(const LinearSystem& system, const LinearOptions& options) {
  const bool has_inner_product = options.method != LinearMethod::block_jacobi || system.sign() != 0;
  return options.symmetric && options.spectrum_steps > 0 && has_inner_product;
}

/// The spectrum and the forecast. False where a number met was not finite, or `go_on` says no.
bool look(LinearSystem& system, ConstView b, const LinearOptions& options, LinearResult& result,
          const std::function<bool()>& go_on = {}) {
  result.spectrum = jacobi_spectrum(system, b, options.spectrum_steps, options.seed, go_on);
  if (!result.spectrum) return false;
  if (options.method != LinearMethod::block_jacobi) {
    const auto& interval = result.spectrum->interval;
    system.tell_largest_eigenvalue(std::max(std::abs(interval.lowest), interval.highest));
  }
  result.forecasts = forecast_linear(
      *result.spectrum, system.backend().communicator().total(std::int64_t{b.rows}), options);
  // The spectrum is of |D|⁻¹S, and bicgstab divides by D.
  if (system.sign() == 0) {
    std::erase_if(result.forecasts, [](const LinearForecast& forecast) {
      return forecast.method == LinearMethod::bicgstab;
    });
  }
  return true;
}

}  // namespace

bool looks_first(const LinearOptions& options) {
  const LinearMethodTraits& of_method = traits_of(options.method);
  const bool weighs = of_method.weights == Weights::of_interval_or_one && options.omega == 0.0;
  return options.forecast || weighs || needs_interval(of_method, options.omega);
}

bool look_ahead(LinearSystem& system, ConstView b, const LinearOptions& options,
                LinearResult& result) {
  const bool looks = looks_first(options) && shows_spectrum(system, options);
  const bool finite = !looks || look(system, b, options, result);
  if (options.forecast && !options.symmetric) {
    result.notes.push_back("no forecast is made for a matrix that is not symmetric");
  }
  return finite;
}

void note_forecast(const LinearOptions& options, LinearResult& result) {
  for (const LinearForecast& one : result.forecasts) {
    if (one.method != options.method || one.iterations) continue;
    const auto best = cheapest(result.forecasts);
    const bool unknown = is_krylov(options.method) && !result.spectrum->exhausted;
    result.notes.push_back(to_string(options.method) +
                           (unknown ? " may converge, but the steps looked at do not show it"
                                    : " is not expected to converge") +
                           (best ? "; " + to_string(*best) + " is expected to" : ""));
  }
}

void look_behind(LinearSystem& system, ConstView b, const LinearOptions& options,
                 const std::function<bool()>& go_on, LinearResult& result) {
  LinearOptions further = options;
  further.max_iterations = std::numeric_limits<int>::max();
  const bool anew = !result.spectrum && shows_spectrum(system, options);
  if (anew) look(system, b, further, result, go_on);
  if (!result.spectrum || (anew && needs_another(system, options, result))) return;
  if (!result.spectrum->definite && !result.spectrum->singular) {
    result.notes.push_back(
        "an indefinite system may take minres as many iterations as the matrix has rows; where its "
        "factors fit into memory, a direct solver (scipy.sparse.linalg.splu) may be faster");
    return;
  }
  if (anew) note_forecast(further, result);
}

}  // namespace cisolve
