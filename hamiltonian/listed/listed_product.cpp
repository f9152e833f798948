#include "hamiltonian/listed/listed_product.hpp"

#include <omp.h>

#include <algorithm>
#include <vector>

#include "core/threads/parallel.hpp"
#include "hamiltonian/space/slater_condon.hpp"

namespace cisolve {

Index listed_panel_columns(const ListedTables& tables) {
  constexpr std::int64_t doubles = std::int64_t{1} << 21;
  constexpr Index least = 64, most = 16384;
  const std::int64_t betas = std::max<Index>(1, tables.space().beta.size());
  return static_cast<Index>(std::clamp<std::int64_t>(doubles / betas / least * least, least, most));
}

std::size_t listed_scratch(const ListedTables& tables, BackendKind backend, int columns) {
  const auto n = static_cast<std::size_t>(tables.space().size());
  const auto betas = static_cast<std::size_t>(tables.space().beta.size());
  if (backend == BackendKind::cpu) {
    return sizeof(double) * betas * static_cast<std::size_t>(listed_host_columns) *
           static_cast<std::size_t>(omp_get_max_threads());
  }
  const auto pairs = static_cast<std::size_t>(tables.pairs());
  const auto beta_pairs = static_cast<std::size_t>(tables.integrals().alpha_beta->pairs());
  return sizeof(double) * (pairs * beta_pairs + n * (columns > 1 ? 3 : 2) +
                           betas * static_cast<std::size_t>(listed_panel_columns(tables)));
}

Array<double> listed_diagonal(const ListedTables& tables) {
  const Integrals& integrals = tables.integrals();
  const CiSpace& space = tables.space();
  const auto energies = [](const StringSpace& strings, const SpinIntegrals& of_spin) {
    std::vector<double> all;
    for (const OrbitalString& s : strings.strings) all.push_back(string_energy(of_spin, s));
    return all;
  };
  const auto of_alpha =
      energies(space.alpha, {*integrals.one_electron[alpha], *integrals.alpha_alpha});
  const auto of_beta = energies(space.beta, {*integrals.one_electron[beta], *integrals.beta_beta});
  Array<double> diagonal(static_cast<std::size_t>(space.size()));
  FirstException exception;
#pragma omp parallel for if (worth_threads(10.0 * diagonal.size())) schedule(static)
  for (Index a = 0; a < space.alpha.size(); ++a) {
    exception.guard([&] {
      std::vector<double> field(static_cast<std::size_t>(space.beta.orbitals), 0.0);
      for (const int i : space.alpha.strings[a]) {
        const double* const row = tables.integrals_of(pair_index(i, i));
        for (int j = 0; j < space.beta.orbitals; ++j) field[j] += row[pair_index(j, j)];
      }
      for (const auto& [b, row] : space.determinants_of(a)) {
        double energy = integrals.core_energy + (of_alpha[a] + of_beta[b]);
        for (const int j : space.beta.strings[b]) energy += field[j];
        diagonal[row] = energy;
      }
    });
  }
  exception.rethrow();
  return diagonal;
}

}  // namespace cisolve
