#include "app/cli/ending.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <optional>

#include "app/config/config_value.hpp"
#include "app/run/run.hpp"
#include "backends/ranks/world.hpp"
#include "core/error.hpp"
#include "io/atomic_file.hpp"

namespace cisolve {
namespace {

constexpr double patience = 2.0;  // seconds: that ranks take to find the same problem
// Seconds without a sign of life, or what this variable says; 0: nobody listens.
constexpr double silence = 20.0;
constexpr const char* silence_variable = "CISOLVE_RANK_SILENCE";

int launched_alone(const Ending& ending) {
  if (!ending.problem.empty()) spdlog::error("{}", ending.problem);
  return ending.status;
}

}  // namespace

void watch_ranks() {
  World& all = world();
  const char* const text = std::getenv(silence_variable);
  const std::optional<double> given = text ? parse_number<double>(text) : std::nullopt;
  if (text && !given) {
    throw InputError(std::string(silence_variable) + ": found \"" + text + "\", expected seconds");
  }
  const double seconds = all.ranks().of_first(given.value_or(silence));
  if (!(seconds > 0.0)) return;
  const std::string problem = all.watch(seconds, [](const std::string& said) {
    spdlog::error("{}", said);
    remove_temporaries();
    std::_Exit(no_resource);  // the launcher ends the others; where it does not, they notice
  });
  if (!problem.empty() && all.ranks().first()) spdlog::warn("{}", problem);
}

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
