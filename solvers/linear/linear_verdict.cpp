#include "solvers/linear/linear_verdict.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

namespace cisolve {
namespace {

// A residual that is so many times the bound of rounding is not rounding's.
constexpr double surely = 100.0;
// ‖Sz‖ / (‖S‖ ‖z‖) of a z that is in the null space of S to this, or to the rounding in z.
constexpr double nothing = 1e-6;

ColumnScalars roundings(LinearSystem& system, ConstView b, ConstView x) {
  ColumnScalars bounds = system.norms(x);
  const ColumnScalars of_b = system.norms(b);
  for (std::size_t j = 0; j < bounds.size(); ++j) bounds[j] = system.rounding(bounds[j], of_b[j]);
  return bounds;
}

/// ‖(b − Sx) − (3b − S(3x)) / 3‖: every rounding of the one is another in the other.
ColumnScalars differences(LinearSystem& system, ConstView b, ConstView x) {
  Backend& backend = system.backend();
  MultiVector r(backend, b.rows, b.columns), tripled(backend, b.rows, b.columns);
  system.residual(b, x, r.view());
  backend.axpby(3.0, x, 0.0, tripled.view());
  backend.axpby(-3.0, b, 3.0, r.view());
  system.add_product(tripled.view(), r.view());
  ColumnScalars norms = system.norms(r.view());
  for (double& norm : norms) norm /= 3.0;
  return norms;
}

void judge_converged(LinearSystem& system, ConstView b, ConstView x, const ColumnScalars& goals,
                     const LinearOptions& options, LinearResult& result) {
  const ColumnScalars bounds = roundings(system, b, x);
  if (std::ranges::equal(bounds, goals, std::less_equal<>())) return;
  const ColumnScalars told = differences(system, b, x), of_b = system.norms(b);
  double relative = 0.0, untold = 0.0;
  for (std::size_t j = 0; j < goals.size(); ++j) {
    if (bounds[j] <= goals[j]) continue;
    relative = std::max(relative, bounds[j] / of_b[j]);
    if (told[j] > goals[j]) untold = std::max(untold, told[j] / of_b[j]);
  }
  if (untold > 0.0) {
    result.status = SolveStatus::stagnated;
    result.notes.push_back(fmt::format(
        "the residual cannot be told from rounding: computed in two ways it differs by {:.1e} of "
        "|b|, and {:.1e} is asked for; x is so large that the shifted matrix is nearly singular",
        untold, options.tolerance));
    return;
  }
  result.notes.push_back(fmt::format(
      "x is so large that to round the elements of the matrix to double precision may change the "
      "residual by up to {:.1e} of |b|, more than the {:.1e} asked for: the shifted matrix is "
      "nearly singular, and x has fewer correct digits than its residual",
      relative, options.tolerance));
}

void judge_stagnated(LinearSystem& system, ConstView b, ConstView x, const LinearOptions& options,
                     LinearResult& result) {
  const ColumnScalars bounds = roundings(system, b, x), of_b = system.norms(b);
  double relative = 0.0;
  for (std::size_t j = 0; j < bounds.size(); ++j) {
    if (of_b[j] > 0.0) relative = std::max(relative, bounds[j] / of_b[j]);
  }
  result.notes.push_back(fmt::format(
      "rounding keeps the residual at {:.1e} of |b|, where {:.1e} is asked for: products "
      "with x are good to about {:.1e} of |b|{}",
      result.relative_residual, options.tolerance, relative,
      relative > 1e-13 ? ", for x is so large that the shifted matrix is nearly singular" : ""));
}

/// |M| is known: not of blocks that are not definite.
bool has_magnitude(const LinearSystem& system, const LinearOptions& options) {
  return options.method != LinearMethod::block_jacobi || system.sign() != 0;
}

void judge_failed(LinearSystem& system, ConstView b, ConstView x, LinearResult& result) {
  Backend& backend = system.backend();
  const ColumnScalars bounds = roundings(system, b, x), of_b = system.norms(b);
  MultiVector r(backend, b.rows, b.columns), z(backend, b.rows, b.columns);
  system.residual(b, x, r.view());
  const ColumnScalars of_r = system.norms(r.view());
  system.divide_by_magnitude(r.view(), z.view());
  const ColumnScalars of_z = system.norms(z.view());
  system.apply(z.view(), r.view());
  const ColumnScalars images = system.norms(r.view());
  double outside = 0.0;
  for (std::size_t j = 0; j < bounds.size(); ++j) {
    if (!(of_r[j] > surely * bounds[j])) continue;
    const double rounding = surely * bounds[j] / of_r[j];
    if (!(images[j] <= std::max(nothing, rounding) * system.magnitude() * of_z[j])) continue;
    outside = std::max(outside, of_r[j] / of_b[j]);
  }
  if (outside == 0.0) return;
  result.status = SolveStatus::stagnated;
  result.system = "symmetric, singular as far as rounding lets one tell";
  result.notes.push_back(fmt::format(
      "the shifted matrix is singular, as far as rounding lets one tell, and b has a part outside "
      "of its range, of relative size about {:.1e}, which no x takes from the residual; b without "
      "that part, or another shift, has a solution",
      outside));
}

/// Meaning of a Krylov solve that comes no further, as far as one may guess, and what to try.
void advise(const std::string& seen, const LinearOptions& options, LinearResult& result) {
  if (options.symmetric) {
    const bool minres = options.method == LinearMethod::minres;
    result.notes.push_back(
        seen + ": the shifted matrix may be nearly singular; try another shift" +
        (minres ? "" : ", minres") +
        " or, where its factors fit into memory, a direct solver (scipy.sparse.linalg.splu)");
  } else {
    result.notes.push_back(
        seen +
        ": a matrix that is not symmetric may have eigenvalues all around zero, or be nearly "
        "singular; try another shift or, where its factors fit into memory, a direct solver "
        "(scipy.sparse.linalg.splu), which tells");
  }
}

}  // namespace

std::string describe(const LinearSystem& system, const LinearOptions& options,
                     const LinearResult& result, bool bends_down) {
  if (!options.symmetric) return "not symmetric";
  if (const std::int64_t zeros = system.zeros() / system.components(); zeros > 0) {
    return fmt::format("symmetric, not definite: {} on the diagonal",
                       zeros == 1 ? "a zero" : fmt::format("{} zeros", zeros));
  }
  const bool blocks = options.method == LinearMethod::block_jacobi;
  if (system.sign() == 0) {
    return blocks ? "symmetric, its blocks not definite of one sign"
                  : "symmetric, indefinite: elements of both signs on the diagonal";
  }
  const std::string definite =
      std::string("symmetric, ") + (system.sign() > 0 ? "positive" : "negative") + " definite";
  std::string indefinite = fmt::format("symmetric, indefinite: {} has eigenvalues of both signs",
                                       preconditioned_name(options.method));
  if (bends_down) return indefinite;
  if (!result.spectrum) {
    return options.method == LinearMethod::cg && result.iterations > 0
               ? fmt::format("{} along the {} directions of cg", definite, result.iterations)
               : "symmetric";
  }
  const JacobiSpectrum& spectrum = *result.spectrum;
  const std::string seen =
      spectrum.exhausted_all ? "" : fmt::format(" as far as {} Lanczos steps tell", spectrum.steps);
  if (spectrum.singular) return "symmetric, singular to rounding" + seen;
  if (!spectrum.definite) return indefinite;
  return definite + seen;
}

void judge(LinearSystem& system, ConstView b, ConstView x, const ColumnScalars& goals,
           const LinearOptions& options, LinearResult& result) {
  const std::size_t notes = result.notes.size();
  if (result.status == SolveStatus::converged) {
    judge_converged(system, b, x, goals, options, result);
  } else if (result.status == SolveStatus::stagnated && !above_rounding(system, b, x, result)) {
    judge_stagnated(system, b, x, options, result);
  } else if (options.symmetric && result.iterations > 0 && has_magnitude(system, options) &&
             (result.status == SolveStatus::stagnated || result.status == SolveStatus::diverged ||
              result.status == SolveStatus::indefinite)) {
    judge_failed(system, b, x, result);
  }
  const bool ended =
      result.status == SolveStatus::stagnated || result.status == SolveStatus::diverged;
  if (result.notes.size() != notes || !traits_of(options.method).recurs) return;
  const std::string method = to_string(options.method);
  if (ended) {
    advise(method + " comes no further", options, result);
  } else if (result.status == SolveStatus::max_iterations) {
    const std::int64_t unknowns = system.unknowns();
    if (result.iterations < unknowns) return;
    advise(fmt::format("{} has taken {} iterations for {} unknowns", method, result.iterations,
                       unknowns),
           options, result);
  }
}

bool above_rounding(LinearSystem& system, ConstView b, ConstView x, const LinearResult& result) {
  const ColumnScalars bounds = roundings(system, b, x);
  for (std::size_t j = 0; j < bounds.size(); ++j) {
    if (result.residual_norms[j] > surely * bounds[j]) return true;
  }
  return false;
}

}  // namespace cisolve
