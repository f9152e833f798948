#include "solvers/linear/linear_problem.hpp"

#include <algorithm>
#include <utility>

#include "core/error.hpp"
#include "solvers/linear/linear_loop.hpp"
#include "solvers/linear/linear_verdict.hpp"
#include "solvers/linear/method_choice.hpp"
#include "solvers/linear/methods.hpp"
#include "solvers/linear/spectrum/spectrum_look.hpp"
#include "solvers/linear/system_units.hpp"

namespace cisolve {
namespace {

void require_blocks(const DiagonalBlocks* blocks, Index rows, const Communicator& ranks) {
  if (blocks == nullptr || blocks->matrix.size() == 0) {
    throw InputError("linear: block_jacobi needs diagonal blocks of the matrix, and has none");
  }
  if (!ranks.alone() && blocks->rows.empty()) {
    throw InputError("linear: over several ranks diagonal blocks are of rows that are named");
  }
  if (!ranks.alone() && !std::ranges::is_sorted(blocks->rows)) {
    throw InputError("linear: over several ranks the rows of diagonal blocks ascend");
  }
  const auto expected = blocks->rows.empty() ? static_cast<std::size_t>(rows) : blocks->rows.size();
  if (std::cmp_not_equal(blocks->matrix.rows(), expected)) {
    throw InputError("linear: the diagonal blocks have " + std::to_string(blocks->matrix.rows()) +
                     " rows, expected " + std::to_string(expected));
  }
}

/// Does not go on from the start, which may be the solution all the same.
class Refusal final : public LinearStep {
 public:
  explicit Refusal(SolveStatus status) : status_(status) {}
  void begin(ConstView) override {}
  std::optional<SolveStatus> advance(ConstView, View, View) override { return status_; }

 private:
  SolveStatus status_;
};

void require_valid(const LinearOperator& a, ConstView b, ConstView x, const LinearOptions& options,
                   const Communicator& ranks) {
  if (a.rows() != a.columns()) {
    throw InputError("linear: the matrix has " + std::to_string(a.rows()) + " rows and " +
                     std::to_string(a.columns()) + " columns; it must be square");
  }
  if (b.rows != a.rows() || x.rows != a.rows() || b.columns != x.columns) {
    throw InputError("linear: b is " + std::to_string(b.rows) + " x " + std::to_string(b.columns) +
                     " and x is " + std::to_string(x.rows) + " x " + std::to_string(x.columns) +
                     " for a matrix of " + std::to_string(a.rows()) + " rows");
  }
  if (!(options.omega >= 0.0 && options.omega < 2.0)) {
    throw InputError("linear: omega is " + std::to_string(options.omega) +
                     ", expected from 0 to below 2");
  }
  if (options.method == LinearMethod::block_jacobi) require_blocks(options.blocks, a.rows(), ranks);
  const LinearMethodTraits& of_method = traits_of(options.method);
  if (options.method == LinearMethod::automatic) return;
  const bool spectral = needs_interval(of_method, options.omega);
  if (!options.symmetric && !takes_any_matrix(of_method, options.omega)) {
    throw InputError(
        "linear: " + to_string(options.method) +
        (spectral ? " needs the spectrum of a symmetric matrix" : " takes symmetric matrices") +
        "; this one is not known to be one: bicgstab takes any, and where rounding alone makes it "
        "unsymmetric, input.symmetrize takes (A + Aᵀ)/2 in its place");
  }
  if (spectral && options.spectrum_steps < 1) {
    throw InputError("linear: " + to_string(options.method) +
                     " needs the interval of the spectrum: at least one step for it");
  }
}

bool is_zero(LinearSystem& system, ConstView x) {
  return std::ranges::all_of(system.norms(x), [](double norm) { return norm == 0.0; });
}

LinearSystem make_system(const LinearOperator& a, Backend& backend, const LinearOptions& options) {
  return options.method == LinearMethod::block_jacobi
             ? LinearSystem(a, backend, options.shift, *options.blocks)
             : LinearSystem(a, backend, options.shift,
                            traits_of(options.method).needs_definite ? ZeroDiagonal::refused
                                                                     : ZeroDiagonal::counts_as_one);
}

/// Why no iteration is to be made, if none is.
std::optional<SolveStatus> refusal(LinearSystem& system, ConstView b, LinearOptions& options,
                                   LinearResult& result) {
  const bool finite = look_ahead(system, b, options, result);
  if (options.method == LinearMethod::automatic) {
    options.method = choose_method(system, options, result);
  }
  result.method = options.method;
  if (!finite) {
    result.notes.push_back(
        "a product with the matrix is not finite: the matrix holds an element that is not, or so "
        "large a one that sums overflow");
    return SolveStatus::diverged;
  }
  if (needs_another(system, options, result)) return SolveStatus::indefinite;
  return std::nullopt;
}

/// True if the user and the clock let the solve go on, by what the first rank hears.
std::function<bool()> still_wanted(const LinearOptions& options, const Timer& timer,
                                   const LinearObserver& observer, LinearSystem& system,
                                   const LinearResult& result) {
  return [&] {
    const double seconds = timer.seconds();
    const bool in_time = options.time_limit == 0.0 || seconds < options.time_limit;
    const bool wanted =
        in_time && (!observer || observer({result.iterations, result.relative_residual, seconds}));
    return system.backend().communicator().of_first(wanted);
  };
}

/// The residual norms, in the system's units, that are small enough.
ColumnScalars goals_of(LinearSystem& system, const SystemUnits& units,
                       const LinearOptions& options) {
  ColumnScalars goals = system.norms(units.b());
  const ColumnScalars absolute =
      units.of_user(ColumnScalars(goals.size(), options.absolute_tolerance));
  for (std::size_t j = 0; j < goals.size(); ++j) {
    goals[j] = std::max(options.tolerance * goals[j], absolute[j]);
  }
  return goals;
}

}  // namespace

std::string preconditioned_name(LinearMethod method) {
  return std::string(method == LinearMethod::block_jacobi ? "B" : "D") + "^-1 (A - shift)";
}

std::string to_string(LinearMethod method) {
  for (const auto& [candidate, name] : linear_method_names) {
    if (candidate == method) return name;
  }
  return "unknown";
}

LinearResult solve_linear(const LinearOperator& a, Backend& backend, ConstView b, View x,
                          const LinearOptions& given, const LinearObserver& observer) {
  require_valid(a, b, x, given, backend.communicator());
  const Timer timer;
  LinearOptions options = given;
  LinearSystem system = make_system(a, backend, options);
  const SystemUnits units(system, b, x);
  const ColumnScalars goals = goals_of(system, units, options);
  LinearResult result;
  const auto refused = refusal(system, units.b(), options, result);
  std::optional<Interval> interval;
  if (result.spectrum) interval = result.spectrum->interval;
  std::unique_ptr<LinearStep> step;
  if (refused) {
    step = std::make_unique<Refusal>(*refused);
  } else {
    // A forecast for D of both signs is one for |D|, which only minres takes.
    if (system.sign() != 0) note_forecast(options, result);
    step = traits_of(options.method).make(system, options, interval, b.columns);
  }
  const auto go_on = [&] {
    result.omega = relaxation_weight(options, interval);
    iterate(system, *step, units.b(), x, is_zero(system, x), goals, options, timer, observer,
            result);
  };
  go_on();
  const bool bends_down = result.status == SolveStatus::indefinite && !refused;
  if (given.method == LinearMethod::automatic && !refused &&
      needs_minres(system, units.b(), x, options, result)) {
    result.notes.push_back(to_string(options.method) + " ended as " + to_string(result.status) +
                           ": minres went on from its best iterate");
    result.method = options.method = LinearMethod::minres;
    step.reset();  // its vectors make room for those of the next
    step = traits_of(options.method).make(system, options, interval, b.columns);
    go_on();
  }
  step.reset();
  if (failed(result.status) && !refused) {
    look_behind(system, units.b(), options, still_wanted(options, timer, observer, system, result),
                result);
  }
  result.system = describe(system, options, result, bends_down);
  judge(system, units.b(), x, goals, options, result);
  result.operator_applications = system.products();
  units.restore(x);
  result.residual_norms = units.to_user(std::move(result.residual_norms));
  result.residual_norm = largest(result.residual_norms);
  result.seconds = timer.seconds();
  return result;
}

int products_before(const LinearOptions& options) {
  return looks_first(options) ? 2 * options.spectrum_steps : 0;
}

std::size_t linear_vector_bytes(const LinearOptions& options, Index rows, int columns) {
  // b, in its units and in the system's, x, the one kept, the residual; D and |D|; of the spectrum
  // four blocks of two vectors and a sum, before those of the method.
  int blocks = 0;
  for (const LinearMethodTraits& one : linear_methods()) {
    const bool open = options.method == LinearMethod::automatic &&
                      (options.forecast || one.weights == Weights::none);
    if (!open && options.method != one.method) continue;
    blocks = std::max(blocks, one.vectors + one.vectors_a_depth * options.anderson_depth);
  }
  const std::size_t vectors = std::max((5 + blocks) * columns, 3 * columns + 9) + 2;
  return vectors * static_cast<std::size_t>(rows) * sizeof(double);
}

}  // namespace cisolve
