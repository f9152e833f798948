#include "hamiltonian/integrals/fcidump_store.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>

namespace cisolve {
FcidumpStore::FcidumpStore(const NamedText& source, int orbitals, bool unrestricted)
    : source_(source), orbitals_(orbitals), unrestricted_(unrestricted) {
  const auto n = static_cast<std::size_t>(orbitals);
  const std::size_t pairs = n * (n + 1) / 2;
  for (int spin = 0; spin < spins(); ++spin) {
    one_[spin] = {std::make_shared<OneElectron>(orbitals), std::vector<double>(n),
                  FirstLines(pairs), FirstLines(n)};
  }
  for (int spin_sum = 0; spin_sum < (unrestricted ? 3 : 1); ++spin_sum) {
    two_[spin_sum].values = std::make_shared<TwoElectron>(orbitals);
  }
}

void FcidumpStore::add_two_electron(SpinOrbital p, SpinOrbital q, SpinOrbital r, SpinOrbital s,
                                    const IntegralLine& line) {
  const bool same_spin = p.spin == r.spin;
  TwoElectronSet& set = two_[p.spin + r.spin];
  TwoElectron& values = *set.values;
  const auto pairs = static_cast<std::size_t>(values.pairs());
  if (set.lines.empty()) set.lines.resize(same_spin ? pairs * (pairs + 1) / 2 : pairs * pairs);
  std::size_t pq = pair_index(p.orbital, q.orbital);
  std::size_t rs = pair_index(r.orbital, s.orbital);
  // Canonical order: pq ≥ rs for one spin, alpha before beta for two.
  if (same_spin ? pq < rs : p.spin == beta) std::swap(pq, rs);
  const std::size_t unique = same_spin ? pq * (pq + 1) / 2 + rs : pq * pairs + rs;
  const int row = static_cast<int>(pq), column = static_cast<int>(rs);
  if (!is_first(set.lines[unique], values.row(row)[column], line)) return;
  values.row(row)[column] = line.value;
  if (same_spin) values.row(column)[row] = line.value;
}

void FcidumpStore::add_one_electron(SpinOrbital p, SpinOrbital q, const IntegralLine& line) {
  OneElectron& h = *one_[p.spin].values;
  std::uint32_t& first_line = one_[p.spin].lines[pair_index(p.orbital, q.orbital)];
  if (is_first(first_line, h(p.orbital, q.orbital), line)) h.set(p.orbital, q.orbital, line.value);
}

void FcidumpStore::add_orbital_energy(SpinOrbital p, const IntegralLine& line) {
  double& energy = one_[p.spin].energies[p.orbital];
  if (is_first(one_[p.spin].energy_lines[p.orbital], energy, line)) energy = line.value;
}

void FcidumpStore::add_core_energy(const IntegralLine& line) {
  if (is_first(core_line_, core_energy_, line)) core_energy_ = line.value;
}

/// True when the entry is new; a repeat has to agree with what is stored.
bool FcidumpStore::is_first(std::uint32_t& first_line, double stored,
                            const IntegralLine& line) const {
  if (first_line == 0) {
    first_line = static_cast<std::uint32_t>(line.number);
    return true;
  }
  if (!are_repeats(stored, line.value)) {
    char first[32], now[32];
    std::snprintf(first, sizeof first, "%.15g", stored);
    std::snprintf(now, sizeof now, "%.15g", line.value);
    source_.fail(line.number, "found \"" + describe(line) + "\", that is " + now + ", but line " +
                                  std::to_string(first_line) + " gives the same quantity as " +
                                  first);
  }
  return false;
}

bool FcidumpStore::has_diagonal(SpinOrbital p) const {
  return one_[p.spin].lines[pair_index(p.orbital, p.orbital)] != 0;
}

int FcidumpStore::orbital_energies() const {
  std::ptrdiff_t missing = 0;
  for (const OneElectronSet& set : one_) {
    missing += std::count(set.energy_lines.begin(), set.energy_lines.end(), 0U);
  }
  return spins() * orbitals_ - static_cast<int>(missing);
}

Integrals FcidumpStore::release() {
  Integrals result;
  result.orbitals = orbitals_;
  result.core_energy = core_energy_;
  result.unrestricted = unrestricted_;
  if (orbital_energies() == spins() * orbitals_) {
    result.orbital_energies = {one_[alpha].energies, one_[spins() - 1].energies};
  }
  result.one_electron = {one_[alpha].values, one_[spins() - 1].values};
  result.alpha_alpha = two_[0].values;
  result.alpha_beta = two_[unrestricted_ ? alpha + beta : 0].values;
  result.beta_beta = two_[unrestricted_ ? beta + beta : 0].values;
  return result;
}

}  // namespace cisolve
