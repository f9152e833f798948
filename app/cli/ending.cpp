#include "app/cli/ending.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <limits>

#include "backends/ranks/world.hpp"
#include "core/error.hpp"
#include "io/atomic_file.hpp"

namespace cisolve {
namespace {

constexpr double patience = 2.0;  // seconds: that ranks take to find the same problem

int launched_alone(const Ending& ending) {
  if (!ending.problem.empty()) spdlog::error("{}", ending.problem);
  return ending.status;
}

}  // namespace

int end_together(const Ending& ending) {
  if (launched_ranks() == 1) return launched_alone(ending);
  World* joined = nullptr;
  try {
    joined = &world();
  } catch (const std::exception&) {  // each is alone with that
    return launched_rank() == 0 ? launched_alone(ending) : ending.status;
  }
  const int rank = joined->ranks().rank(), size = joined->ranks().size();
  const bool failed = !ending.problem.empty();
  const auto say = [&] {
    spdlog::error(
        "{}{}",
        rank == 0 ? "" : "rank " + std::to_string(rank) + " of " + std::to_string(size) + ": ",
        ending.problem);
  };
  const auto problems =
      joined->end(failed ? 1 : 0, failed ? patience : std::numeric_limits<double>::infinity());
  if (!problems) {
    say();
    remove_temporaries();
    joined->abort(ending.status);
  }
  const auto first = std::ranges::find(*problems, 1) - problems->begin();
  if (failed && first == rank) say();
  joined->leave();  // a launcher ends all others when the first has failed
  return ending.status;
}

}  // namespace cisolve
