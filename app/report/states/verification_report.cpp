#include "app/report/states/verification_report.hpp"

#include <spdlog/fmt/fmt.h>

#include <cmath>

#include "app/config/config_value.hpp"
#include "app/config/multiplicities.hpp"

namespace cisolve {
namespace {

Json finite_or_null(double x) {
  return std::isfinite(x) ? Json(x) : Json(nullptr);
}

/// A gap, rounded up to two digits, with its unit.
std::string gap_text(double gap, Units units) {
  const double unit = std::pow(10.0, std::floor(std::log10(gap)) - 1.0);
  return fmt::format("{:.2g}{}", std::ceil(gap / unit - 1e-6) * unit, after_number(units));
}

/// Kind of states that a solve was for; those over a list are not the space's.
std::string searched_for(const RunConfig& config) {
  const InputConfig& input = config.input;
  const bool listed = config.task == Task::select || !input.determinants.empty() ||
                      !input.strings.empty() || input.listed;
  const std::string where = listed ? " over the list" : "";
  if (config.solver.multiplicity) return multiplicity_name(*config.solver.multiplicity) + where;
  const SpinInversion parity = input.spin_inversion;
  const std::string kind = parity == SpinInversion::all ? "" : std::string(name_of(parity)) + " ";
  return kind + "states" + where;
}

/// True if the search came so far that its bound says something of low states.
bool tells_something(const EigenResult& result) {
  return result.exclusion.gap <= 1000.0 * verified_gap * result.scale;
}

std::string verified_word(const EigenResult& result) {
  if (result.status != SolveStatus::converged) return "";
  if (result.verified) return ", verified";
  return tells_something(result) ? ", searched" : ", NOT verified";
}

}  // namespace

Json verification_json(const RunConfig& config, const EigenOutcome& outcome) {
  const Exclusion& exclusion = outcome.result.exclusion;
  return {{"level", name_of(config.solver.verify)},
          {"gap", finite_or_null(exclusion.gap)},
          {"verified_gap", verified_gap * outcome.result.scale},
          {"probability", exclusion.probability},
          {"products", exclusion.products},
          {"products_needed", finite_or_null(exclusion.products_needed)},
          {"seconds", exclusion.seconds},
          {"cut_short", exclusion.cut_short},
          {"lower_exists", exclusion.lower_exists},
          {"summary", exclusion_text(config, outcome)}};
}

std::string status_text(const EigenResult& result) {
  return to_string(result.status) + verified_word(result);
}

std::string exclusion_text(const RunConfig& config, const EigenOutcome& outcome) {
  const EigenResult& result = outcome.result;
  const Units units = outcome.facts.units;
  const Exclusion& exclusion = result.exclusion;
  const std::string states = searched_for(config);
  if (config.solver.verify == Verify::off) return "not searched for";
  std::string text;
  if (exclusion.lower_exists) {
    text = "there is a lower state, not found to the end";
  } else if (tells_something(result)) {
    text = fmt::format(
        "no {} more than {} below the highest one were missed, probability of error at "
        "most {:.0e}",
        states, gap_text(exclusion.gap, units), exclusion.probability);
  } else {
    text = states + " were not searched for to the end";
  }
  if (!exclusion.cut_short.empty()) text += "; search cut short: " + exclusion.cut_short;
  if (!result.verified && std::isfinite(exclusion.products_needed) &&
      exclusion.products_needed > 0.0) {
    text += fmt::format("; --verify thorough: about {:.0f} products for {}",
                        exclusion.products_needed, gap_text(verified_gap * result.scale, units));
  }
  return text;
}

}  // namespace cisolve
