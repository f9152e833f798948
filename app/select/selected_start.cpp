#include "app/select/selected_start.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "app/input/determinants/parity_of_rows.hpp"
#include "app/select/growing_states.hpp"
#include "app/select/list_block.hpp"
#include "app/ways/direct/why_not_direct.hpp"
#include "core/error.hpp"
#include "solvers/eigen/methods.hpp"
#include "solvers/p_space.hpp"

namespace cisolve {
namespace {

constexpr std::int64_t first_look = 1600;  ///< determinants that tell whether one has most
constexpr std::int64_t fewest_selected = 200000, most_selected = 1000000;  ///< to start from
constexpr std::int64_t fewest_rows = 10000000;  ///< below, the selection takes as long as it saves
constexpr int most_states = 16;  ///< that vectors over all determinants are made for unasked

/// Why there is no selection; empty where there can be one.
std::string why_not(const RunContext& context, const Model& model) {
  const RunConfig& config = context.config;
  const Determinants* const determinants = model.determinants();
  if (determinants == nullptr || determinants->listed() || determinants->ranges() == nullptr ||
      !determinants->ranges()->alpha.full ||
      !direct_unavailable_reason(*determinants, context.backend.kind()).empty() ||
      config.operator_kind == OperatorKind::stored) {
    return "it is for full CI without a matrix";
  }
  if (!context.backend.communicator().alone()) return "there are several ranks";
  if (parity_of_rows(config, *determinants) == SpinInversion::odd) {
    return "the lowest states of a list need not be odd under spin inversion";
  }
  if (config.solver.engine == Engine::slepc) return "solver.engine is slepc";
  return "";
}

/// True if a determinant, or one and its flip, have most of the lowest state.
bool one_has_most(const HostMatrix& c) {
  return c.col(0).cwiseAbs2().maxCoeff() > 0.5;
}

/// The states, and of each determinant of their list its number among all.
ListedStates listed_states(GrowingStates& states, const CiSpace& all) {
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(states.size()));
  states.space()->for_each([&](std::int64_t row, const OrbitalString& a, const OrbitalString& b) {
    numbers[row] = all.row(all.alpha.find(a), all.beta.find(b));
  });
  return {states.space(), states.last().result.energies, states.coefficients(), std::move(numbers)};
}

HostMatrix over_all(const ListedStates& states, std::int64_t all) {
  HostMatrix made = HostMatrix::Zero(all, states.coefficients.cols());
  for (std::size_t i = 0; i < states.numbers.size(); ++i) {
    made.row(states.numbers[i]) = states.coefficients.row(static_cast<Eigen::Index>(i));
  }
  return made;
}

/// The block of the list's Hamiltonian, where corrections can divide by it; Olsen's term would
/// divide by something else.
MakeInner inner_of(const RunContext& context, const Model& model, const RunConfig& of_list,
                   std::shared_ptr<const ListedStates> states) {
  const SolverConfig& solver = context.config.solver;
  if (solver.project || solver.olsen || !traits_of(solver.method).corrects) return {};
  return [&context, &model, of_list, states = std::move(states)](
             const Prepared& all, const Sectors& sectors, int columns) {
    return list_block({of_list, context.backend, {}, context.begun}, model, *states, all, sectors,
                      columns);
  };
}

/// True if the selection costs more than it saves. It selects a million determinants and places
/// their block, which takes 8 s beside a GPU, against six products of 0.4 s with 2.4·10⁸
/// determinants.
bool products_are_fast(const Backend& backend) {
  return backend.kind() == BackendKind::cuda;
}

MadeStart select_start(const RunContext& context, const Model& model,
                       const std::function<bool()>& goes_on) {
  const StartFrom from = context.config.solver.start;
  if (from == StartFrom::p_space) return {};
  const Timer timer;
  if (const std::string reason = why_not(context, model); !reason.empty()) {
    if (from == StartFrom::automatic) return {};
    throw InputError("solver.start: found selection: " + reason);
  }
  const CiSpace& all = *model.determinants()->ranges();
  const int k = context.config.solver.states;
  if (from == StartFrom::automatic && (all.size() < fewest_rows || k > most_states)) return {};

  RunConfig config = config_of_quiet_list(context.config);
  config.operator_kind = OperatorKind::automatic;
  config.input.spin_inversion = SpinInversion::all;
  config.solver.multiplicity.reset();  // lists are closed under spin flips alone
  config.solver.project = {};
  const bool few = from == StartFrom::automatic && products_are_fast(context.backend);
  const std::int64_t size = std::min(
      all.size() / 10,
      std::clamp(all.size() / 100, fewest_selected, few ? fewest_selected : most_selected));
  const int p_space = largest_p_space(
      context.config.solver.p_space,
      static_cast<Index>(std::min<std::int64_t>(all.size(), std::numeric_limits<Index>::max())));
  if (size <= p_space) {
    return {{},
            fmt::format("begun from the p-space, of up to {} determinants: of {} in all no more "
                        "than {} would be selected",
                        p_space, all.size(), size)};
  }
  context.log.inform(fmt::format("selects up to {} determinants to begin from", size));
  GrowingStates states(context, model);
  states.begin();
  const auto one_has_most_of_it = [&] {
    const bool looked = states.size() >= std::min(first_look, size);
    return from == StartFrom::automatic && looked && one_has_most(states.coefficients());
  };
  if (!grow_to(states, config, size, goes_on, one_has_most_of_it)) return {};
  const auto listed = std::make_shared<const ListedStates>(listed_states(states, all));
  return {over_all(*listed, all.size()),
          fmt::format("begun from {} selected determinants, which took {:.1f} s", states.size(),
                      timer.seconds()),
          few ? MakeInner{} : inner_of(context, model, config, listed)};
}

}  // namespace

MakeStart selected_start(const RunContext& context, std::function<bool()> goes_on) {
  return [&context, goes_on = std::move(goes_on)](const Model& model) -> MadeStart {
    if (context.config.solver.start == StartFrom::selection) {
      return select_start(context, model, goes_on);
    }
    try {
      return select_start(context, model, goes_on);
    } catch (const ResourceError&) {  // nobody asked for it
      return {};
    }
  };
}

}  // namespace cisolve
