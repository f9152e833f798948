#include "app/report/info/reference_report.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "app/config/irrep.hpp"
#include "app/config/units.hpp"
#include "hamiltonian/space/ci_space.hpp"
#include "hamiltonian/states/irrep_weights.hpp"

namespace cisolve {
namespace {

/// Orbitals of lowest energy first, by the mean of both spins.
Json orbitals_json(const Integrals& integrals, const Determinant& reference,
                   const std::vector<int>& numbers) {
  const auto energies = fock_diagonal(integrals, reference);
  std::vector<int> order(static_cast<std::size_t>(integrals.orbitals));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {},
                           [&](int p) { return energies[alpha][p] + energies[beta][p]; });
  const bool irreps = !integrals.orbital_irreps[alpha].empty();
  Json list = Json::array();
  for (const int p : order) {
    const auto holds = [&](Spin spin) { return reference[spin].has(p) ? 1 : 0; };
    list.push_back(
        {{"orbital", numbers[p] + 1},
         {"irrep",
          irreps ? Json(irrep_name(integrals.orbital_irreps[alpha][p], integrals)) : Json()},
         {"alpha", holds(alpha)},
         {"beta", holds(beta)},
         {"energy_alpha", energies[alpha][p]},
         {"energy_beta", energies[beta][p]}});
  }
  return list;
}

}  // namespace

Json reference_json(const Determinants& determinants, Units units) {
  const Integrals& active = determinants.active_integrals();
  const Determinant reference = reference_determinant(active);
  const std::optional<int> irrep = irrep_of(reference, active);
  const bool from_file = !active.orbital_energies[alpha].empty();
  return {{"occupation", determinants.labels().occupation(reference)},
          {"by", from_file ? "orbital energies of the file" : "diagonal of the Fock operator"},
          {"energy", determinant_energy(active, reference)},
          {"unit", unit_symbol(units)},
          {"irrep", or_null(irrep)},
          {"irrep_name", irrep ? Json(irrep_name(*irrep, active)) : Json()},
          {"orbitals", orbitals_json(active, reference, determinants.frozen_and_active().second)}};
}

void print_reference(std::ostream& out, const Json& reference) {
  const std::string unit = reference["unit"].get<std::string>();
  const auto occupation = reference["occupation"].get<std::string>();
  const Json& irrep = reference["irrep_name"];
  out << fmt::format("{:15} {}, lowest {}\n{:15} {:.10f}{}{}\n", "reference", occupation,
                     reference["by"].get<std::string>(), "energy of it",
                     reference["energy"].get<double>(), unit.empty() ? "" : " " + unit,
                     irrep.is_null() ? "" : ", irrep " + irrep.get<std::string>());
  const Json& orbitals = reference["orbitals"];
  const bool same = std::ranges::all_of(orbitals, [](const Json& orbital) {
    return orbital["energy_alpha"] == orbital["energy_beta"];
  });
  out << fmt::format("its orbitals, lowest first, and the diagonal of its Fock operator{}{}\n",
                     unit.empty() ? "" : " / " + unit, same ? "" : ", alpha and beta");
  out << fmt::format("{:>15} {:5} {} {:>14}\n", "orbital", "irrep", "n", "energy");
  for (const Json& orbital : orbitals) {
    const std::string energy =
        same ? fmt::format("{:14.6f}", orbital["energy_alpha"].get<double>())
             : fmt::format("{:14.6f} {:14.6f}", orbital["energy_alpha"].get<double>(),
                           orbital["energy_beta"].get<double>());
    const int number = orbital["orbital"].get<int>();
    out << fmt::format("{:>15} {:5} {} {}\n", number,
                       orbital["irrep"].is_null() ? "" : orbital["irrep"].get<std::string>(),
                       occupation[static_cast<std::size_t>(number - 1)], energy);
  }
}

}  // namespace cisolve
