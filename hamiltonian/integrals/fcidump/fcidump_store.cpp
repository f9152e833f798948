#include "hamiltonian/integrals/fcidump/fcidump_store.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <sstream>
#include <string>
#include <utility>

#include "core/text/text.hpp"

namespace cisolve {
namespace {

/// Advice where integrals are not those of real orbitals.
constexpr std::string_view less_symmetry =
    "integrals of less symmetry are read where the header has momenta (SYMLZ, KSYM)";

/// The four numbers behind the value of a line; zeros where they are not that.
std::array<int, 4> indices_of(std::string_view line) {
  std::istringstream words{std::string(line)};
  std::string value;
  std::array<int, 4> indices{};
  words >> value;
  for (int& index : indices) words >> index;
  return indices;
}

}  // namespace

FcidumpStore::FcidumpStore(const NamedText& source, int orbitals, bool unrestricted)
    : source_(source), orbitals_(orbitals), unrestricted_(unrestricted) {
  const auto n = static_cast<std::size_t>(orbitals);
  const std::size_t pairs = n * (n + 1) / 2;
  for (int spin = 0; spin < spins(); ++spin) {
    one_[spin] = {std::make_shared<OneElectron>(orbitals),
                  std::vector<double>(n),
                  FirstLines(pairs),
                  FirstLines(n),
                  {}};
    one_[spin].orders.resize(pairs);
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
  if (set.lines.empty()) {
    set.lines.resize(same_spin ? pairs * (pairs + 1) / 2 : pairs * pairs);
    set.orders.resize(set.lines.size());
  }
  std::size_t pq = pair_index(p.orbital, q.orbital);
  std::size_t rs = pair_index(r.orbital, s.orbital);
  // Canonical order: pq ≥ rs for one spin, alpha before beta for two.
  if (same_spin ? pq < rs : p.spin == beta) std::swap(pq, rs);
  const std::size_t unique = same_spin ? pq * (pq + 1) / 2 + rs : pq * pairs + rs;
  const int row = static_cast<int>(pq), column = static_cast<int>(rs);
  const bool first = is_first(set.lines[unique], values.row(row)[column], line);
  if (p.orbital != q.orbital && r.orbital != s.orbital) {
    const bool swapped = (p.orbital > q.orbital) != (r.orbital > s.orbital);
    set.orders.add(unique, swapped, set.lines[unique], line.number);
  }
  if (!first) return;
  values.row(row)[column] = line.value;
  if (same_spin) values.row(column)[row] = line.value;
}

void FcidumpStore::add_one_electron(SpinOrbital p, SpinOrbital q, const IntegralLine& line) {
  OneElectron& h = *one_[p.spin].values;
  std::uint32_t& first_line = one_[p.spin].lines[pair_index(p.orbital, q.orbital)];
  if (is_first(first_line, h(p.orbital, q.orbital), line)) h.set(p.orbital, q.orbital, line.value);
  if (p.orbital != q.orbital) {
    one_[p.spin].orders.add(static_cast<std::size_t>(pair_index(p.orbital, q.orbital)),
                            p.orbital < q.orbital, first_line, line.number);
  }
}

void FcidumpStore::add_orbital_energy(SpinOrbital p, const IntegralLine& line) {
  double& energy = one_[p.spin].energies[p.orbital];
  if (is_first(one_[p.spin].energy_lines[p.orbital], energy, line)) energy = line.value;
}

void FcidumpStore::add_core_energy(const IntegralLine& line) {
  if (is_first(core_line_, core_energy_, line)) core_energy_ = line.value;
}

/// True when the entry is new; a repeat has to agree with what is stored, which the largest
/// integral may decide that is not known yet.
bool FcidumpStore::is_first(std::uint32_t& first_line, double stored, const IntegralLine& line) {
  if (first_line == 0) {
    first_line = static_cast<std::uint32_t>(line.number);
    return true;
  }
  if (!are_repeats(stored, line.value, 0.0)) {
    const Repeat repeat{first_line, stored, line};
    if (!are_repeats(stored, line.value)) fail(repeat);
    const double farthest = std::abs(farthest_.first - farthest_.line.value);
    if (std::abs(stored - line.value) > farthest) farthest_ = repeat;
  }
  return false;
}

void FcidumpStore::fail(const Repeat& repeat) const {
  const IntegralLine& line = repeat.line;
  char first[32], now[32];
  std::snprintf(first, sizeof first, "%.15g", repeat.first);
  std::snprintf(now, sizeof now, "%.15g", line.value);
  // Two lines with equal indices: no symmetry explains that they differ.
  const bool same_indices = indices_of(source_.line(repeat.first_line)) == line.index;
  source_.fail(
      line.number,
      "found \"" + describe(line) + "\", that is " + now + ", but line " +
          std::to_string(repeat.first_line) + " gives the same quantity as " + first +
          (same_indices ? "; it is given twice (files of unrestricted orbitals in sections "
                          "have IUHF=1 in the header)"
                        : "; real orbitals have (pq|rs) = (qp|rs), and integrals of less "
                          "symmetry cannot be solved"));
}

void FcidumpStore::check_symmetry(double largest) const {
  const Repeat& repeat = farthest_;
  if (repeat.first_line != 0 && !are_repeats(repeat.first, repeat.line.value, largest)) {
    fail(repeat);
  }
  for (int spin = 0; spin < spins(); ++spin) {
    const OneElectron& h = *one_[spin].values;
    check_orders(one_[spin].orders, one_[spin].lines, "h_pq", [&](const auto& value) {
      for (int p = 0; p < orbitals_; ++p) {
        for (int q = 0; q < p; ++q) value(pair_index(p, q), h(p, q));
      }
    });
  }
  for (std::size_t spins = 0; spins < two_.size(); ++spins) {
    const TwoElectronSet& set = two_[spins];
    if (set.lines.empty()) continue;
    const bool same_spin = spins != alpha + beta;
    if (same_spin) check_exchange(set);
    check_orders(set.orders, set.lines, "(pq|rs)", [&](const auto& value) {
      const TwoElectron& g = *set.values;
      std::size_t unique = 0;
      for (int pq = 0; pq < g.pairs(); ++pq) {
        const int last = same_spin ? pq : g.pairs() - 1;
        for (int rs = 0; rs <= last; ++rs) value(unique++, g.row(pq)[rs]);
      }
    });
  }
}

/// Programs for real orbitals write an exchange integral as (pq|pq). A file with (pq|qp) but
/// without (pq|pq) has complex orbitals, for which (pq|pq) is another integral, mostly zero.
void FcidumpStore::check_exchange(const TwoElectronSet& set) const {
  constexpr double small = 1e-6;  // of the largest
  const TwoElectron& g = *set.values;
  double largest = 0.0;
  for (int pq = 0; pq < g.pairs(); ++pq) largest = std::max(largest, std::abs(g.row(pq)[pq]));
  for (std::size_t pq = 0; pq < static_cast<std::size_t>(g.pairs()); ++pq) {
    const std::size_t entry = pq * (pq + 1) / 2 + pq;
    const double value = g.row(static_cast<int>(pq))[pq];
    if (!set.orders.swapped_alone(entry) || std::abs(value) <= small * largest) continue;
    source_.fail(set.lines[entry],
                 "found " + quoted(std::string_view(source_.line(set.lines[entry]))) +
                     ", (pq|qp), and no line with (pq|pq): real orbitals have the same integral in "
                     "both, and files of them give (pq|pq); " +
                     std::string(less_symmetry));
  }
}

/// A file that gives both orders of one entry does not rely on their being equal: an entry of which
/// it gives one alone, and that is not small, is 0 in the other.
template <class ForEachValue>
void FcidumpStore::check_orders(const GivenOrders& orders, const FirstLines& lines,
                                const char* integral, const ForEachValue& for_each_value) const {
  constexpr double small = 1e-6;  // of the largest: below, a file's own threshold may have cut one
  const auto [one, other] = orders.both();
  if (one == 0) return;
  double largest = 0.0, largest_alone = 0.0;
  std::size_t alone = 0;
  for_each_value([&](std::size_t entry, double value) {
    largest = std::max(largest, std::abs(value));
    if (!orders.one_alone(entry) || std::abs(value) <= largest_alone) return;
    largest_alone = std::abs(value);
    alone = lines[entry];
  });
  if (largest_alone <= small * largest) return;
  source_.fail(alone, "found " + quoted(std::string_view(source_.line(alone))) +
                          " and no line with " + integral +
                          " in the other order of p and q, while lines " + std::to_string(one) +
                          " and " + std::to_string(other) +
                          " give both: real orbitals have the same integral in both. Where it is "
                          "the same, one order of each is enough; " +
                          std::string(less_symmetry));
}

bool FcidumpStore::has_any_diagonal() const {
  for (int spin = 0; spin < spins(); ++spin) {
    for (int p = 0; p < orbitals_; ++p) {
      if (has_diagonal({p, Spin(spin)})) return true;
    }
  }
  return false;
}

bool FcidumpStore::has_hopping() const {
  for (int spin = 0; spin < spins(); ++spin) {
    for (int p = 0; p < orbitals_; ++p) {
      for (int q = 0; q < p; ++q) {
        if ((*one_[spin].values)(p, q) != 0.0) return true;
      }
    }
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
