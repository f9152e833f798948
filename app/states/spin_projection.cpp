#include "app/states/spin_projection.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "app/config/multiplicities.hpp"
#include "app/input/determinants/parity_of_rows.hpp"
#include "core/error.hpp"
#include "core/memory.hpp"
#include "hamiltonian/states/spin_matrix.hpp"

namespace cisolve {
namespace {

/// S(S + 1).
double s_squared_of(int multiplicity) {
  return 0.25 * (multiplicity * multiplicity - 1);
}

[[noreturn]] void refuse(int multiplicity, const std::string& why) {
  throw InputError("solver.multiplicity " + std::to_string(multiplicity) + ": " + why);
}

void require_restricted_determinants(int multiplicity, const RunConfig& config,
                                     const Determinants* determinants, const std::string& nature) {
  if (determinants == nullptr) {
    refuse(multiplicity, "a multiplicity is of electrons, and " + config.input.file.string() + " " +
                             nature + "; it needs integrals (FCIDUMP, TREXIO)");
  }
  if (determinants->active_integrals().general) {
    refuse(multiplicity, "states over general spin orbitals, which mix alpha and beta, have none");
  }
  if (determinants->active_integrals().unrestricted) {
    refuse(multiplicity,
           "the orbitals are unrestricted, and an FCIDUMP file lacks the overlaps of alpha with "
           "beta orbitals that spin needs");
  }
}

void require_within(MultiplicityRange range, int multiplicity, int twice_ms) {
  if (range.lowest <= multiplicity && multiplicity <= range.highest &&
      (multiplicity - range.lowest) % 2 == 0) {
    return;
  }
  std::string expected;
  for (int m = range.lowest; m <= range.highest; m += 2) {
    expected += (m == range.lowest ? "" : ", ") + std::to_string(m);
  }
  refuse(multiplicity, "with 2 M_s = " + std::to_string(twice_ms) + " and at most " +
                           std::to_string(range.highest - 1) +
                           " singly occupied orbitals the space has the multiplicities " +
                           expected);
}

/// Spins 0, 2, 4 … are even, 1, 3 … odd.
void require_parity(int multiplicity, SpinInversion wanted) {
  if (wanted == SpinInversion::all) return;
  if (parity_of_multiplicity(multiplicity) == wanted) return;
  const bool even = wanted == SpinInversion::odd;
  refuse(multiplicity, std::string("such states are ") + (even ? "even" : "odd") +
                           " under spin inversion; found input.spin_inversion " +
                           (even ? "odd" : "even"));
}

void require_states(int states, std::int64_t there_are, int multiplicity) {
  if (states <= there_are) return;
  throw InputError("solver.states: " + std::to_string(states) + " " +
                   multiplicity_name(multiplicity) + " are asked for, the space has " +
                   std::to_string(there_are));
}

}  // namespace

SpinProjector::SpinProjector(std::unique_ptr<LinearOperator> s_squared, Backend& backend,
                             const RequestedMultiplicity& wanted, int columns)
    : backend_(backend),
      s_squared_(std::move(s_squared)),
      wanted_(s_squared_of(wanted.multiplicity)),
      scratch_(backend, s_squared_->rows(), columns) {
  for (int m = wanted.range.lowest; m <= wanted.range.highest; m += 2) {
    if (wanted.one_parity && (m - wanted.multiplicity) % 4 != 0) continue;
    if (m != wanted.multiplicity) others_.push_back(s_squared_of(m));
  }
  std::ranges::stable_sort(others_, std::ranges::greater(),
                           [this](double other) { return std::abs(wanted_ - other); });
}

void SpinProjector::apply(View t) {
  for (int first = 0; first < t.columns; first += scratch_.columns()) {
    const View part = t.slice(first, std::min(scratch_.columns(), t.columns - first));
    const View image = scratch_.narrowed(part.columns);
    for (const double other : others_) {
      const double scale = 1.0 / (wanted_ - other);
      s_squared_->apply(1.0, part, 0.0, image);
      backend_.axpby(scale, image, -other * scale, part);
    }
  }
}

std::optional<RequestedMultiplicity> requested_multiplicity(const RunConfig& config,
                                                            const Determinants* determinants,
                                                            const std::string& nature) {
  if (!config.solver.multiplicities.empty()) {
    throw InputError("solver.multiplicity: found " + multiplicities_text(config.solver) +
                     ", expected one; several are what the commands eigen and run take");
  }
  if (!config.solver.multiplicity) return std::nullopt;
  const int multiplicity = *config.solver.multiplicity;
  require_restricted_determinants(multiplicity, config, determinants, nature);
  const AnySpace& space = determinants->space();
  const int ms2 = space.twice_ms();
  const auto open_shells =
      space.visit([](const auto& listed) { return open_shell_counts(listed); });
  const MultiplicityRange range{std::abs(ms2) + 1, static_cast<int>(open_shells.size())};
  require_within(range, multiplicity, ms2);
  require_parity(multiplicity, config.input.spin_inversion);
  require_states(config.solver.states, states_of_multiplicity(open_shells, ms2, multiplicity),
                 multiplicity);
  return RequestedMultiplicity{range, multiplicity};
}

std::shared_ptr<const CsrMatrix> stored_s_squared(const AnySpace& any) {
  return any.visit([&](const auto& space) {
    require_host_memory(
        static_cast<double>(s_squared_bytes(open_shell_counts(space), any.twice_ms())),
        "the matrix of S^2");
    return std::make_shared<const CsrMatrix>(s_squared_matrix(space));
  });
}

}  // namespace cisolve
