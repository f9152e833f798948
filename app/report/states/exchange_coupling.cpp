#include "app/report/states/exchange_coupling.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <map>
#include <string>

#include "app/config/multiplicities.hpp"
#include "app/report/states/state_table.hpp"

namespace cisolve {
namespace {

constexpr const char* hamiltonian = "H = -2 J S1.S2, E(S) = -J S(S + 1) + const";
constexpr const char* formula = "J = (E(S - 1) - E(S)) / (2 S)";

}  // namespace

std::vector<ExchangeCoupling> exchange_couplings(const std::vector<PartReport>& parts,
                                                 SolveStatus status) {
  if (status != SolveStatus::converged) return {};
  std::map<int, double> lowest;
  for (const PartReport& one : parts) {
    if (!one.part.multiplicity) continue;
    const double energy = one.outcome.result.energies[0];
    const auto [place, is_new] = lowest.emplace(*one.part.multiplicity, energy);
    if (!is_new) place->second = std::min(place->second, energy);
  }
  std::vector<ExchangeCoupling> couplings;
  if (lowest.size() < 3) return couplings;
  for (const auto& [multiplicity, energy] : lowest) {
    const auto below = lowest.find(multiplicity - 2);
    if (below == lowest.end()) continue;
    couplings.push_back(
        {multiplicity - 2, multiplicity, (below->second - energy) / (multiplicity - 1)});
  }
  return couplings;
}

Json exchange_json(const std::vector<ExchangeCoupling>& couplings, Units units) {
  if (couplings.empty()) return nullptr;
  Json pairs = Json::array();
  for (const auto& [lower, upper, j] : couplings) {
    pairs.push_back({{"multiplicities", {lower, upper}},
                     {"j", j},
                     {"j_cm1", units == Units::none ? Json() : Json(in_wavenumbers(j, units))}});
  }
  return {{"hamiltonian", hamiltonian}, {"formula", formula}, {"pairs", std::move(pairs)}};
}

void print_exchange(std::ostream& out, const std::vector<ExchangeCoupling>& couplings,
                    Units units) {
  if (couplings.empty()) return;
  const bool has_unit = units != Units::none;
  out << fmt::format("\nexchange coupling, {}: {}\n", hamiltonian, formula);
  out << fmt::format("  S - 1      S  {:>18}{}\n", has_unit ? "J / " + unit_symbol(units) : "J",
                     has_unit ? "   J / cm^-1" : "");
  for (const auto& [lower, upper, j] : couplings) {
    out << fmt::format("  {:>5}  {:>5}  {:18.8e}{}\n", spin_text(lower), spin_text(upper), j,
                       has_unit ? decimals(in_wavenumbers(j, units), 12, 3) : "");
  }
}

}  // namespace cisolve
