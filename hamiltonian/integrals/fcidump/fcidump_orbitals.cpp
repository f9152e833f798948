#include "hamiltonian/integrals/fcidump/fcidump_orbitals.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "hamiltonian/integrals/fcidump/fcidump_lines.hpp"

namespace cisolve {

std::optional<FcidumpLayout> layout_of_lines(const NamedText& source, const FcidumpHeader& header,
                                             int numbers) {
  const int n = numbers, half = numbers / 2;
  double largest = 0.0, of_parities = 0.0, of_halves = 0.0;
  std::vector<bool> exchange(static_cast<std::size_t>(n) * (n + 1) / 2);
  IntegralLines lines(source, header.end, header.end_line, n);
  for (IntegralLine line; lines.next(line);) {
    const auto [p, q, r, s] = line.index;
    const double size = std::abs(line.value);
    if (q == 0 || size == 0.0) continue;  // no integral of an operator
    largest = std::max(largest, size);
    const bool parities = (p - q) % 2 != 0, halves = (p > half) != (q > half);
    if (parities || (r - s) % 2 != 0) of_parities = std::max(of_parities, size);
    if (halves || (r > half) != (s > half)) of_halves = std::max(of_halves, size);
    if (!parities || p == 0 || r == 0 || s == 0) continue;
    const int pair = pair_index(p - 1, q - 1);
    if (pair == pair_index(r - 1, s - 1)) exchange[static_cast<std::size_t>(pair)] = true;
  }
  const double zero = spin_zero * std::min(1.0, largest);
  const bool interleaved = n % 2 == 0 && of_parities <= zero;
  const bool blocks = n % 2 == 0 && of_halves <= zero;
  if (interleaved && blocks) return {};
  if (interleaved) return FcidumpLayout::interleaved;
  if (blocks) return FcidumpLayout::blocks;
  const auto given = std::ranges::count(exchange, true);
  if (2 * given > static_cast<std::ptrdiff_t>(half) * (n - half)) return FcidumpLayout::restricted;
  return {};
}

bool have_spin_partners(const Integrals& integrals) {
  constexpr double zero = 1e-8;  // of (pp|pp)
  const TwoElectron& g = *integrals.alpha_alpha;
  for (int p = 0; p < integrals.orbitals; ++p) {
    const double own = g(p, p, p, p);
    for (int q = 0; q < p; ++q) {
      const auto vanishes = [&](double x) { return std::abs(x) <= zero * own; };
      if (own > 0.0 && vanishes(g(q, q, q, q) - own) && vanishes(g(p, p, q, q) - own) &&
          vanishes(g(p, q, p, q))) {
        return true;
      }
    }
  }
  return false;
}

bool look_like_spin_orbitals(const Integrals& integrals) {
  constexpr double zero = 1e-14, none = 1e-8, half_of = 0.5;
  const TwoElectron& g = *integrals.alpha_alpha;
  const OneElectron& h = *integrals.one_electron[alpha];
  const int n = integrals.orbitals;
  double repulsion = 0.0, exchange = 0.0;
  for (int p = 0; p < n; ++p) {
    repulsion = std::max(repulsion, g(p, p, p, p));
    for (int q = 0; q < p; ++q) exchange = std::max(exchange, std::abs(g(p, q, p, q)));
  }
  if (exchange <= none * repulsion) return false;
  const auto fall_apart = [&](auto is_beta) {
    for (int p = 0; p < n; ++p) {
      double partner = 0.0;
      for (int q = 0; q < n; ++q) {
        if (is_beta(p) == is_beta(q)) continue;
        if (std::max(std::abs(g(p, q, p, q)), std::abs(h(p, q))) > zero * repulsion) return false;
        partner = std::max(partner, g(p, p, q, q));
      }
      if (partner < half_of * g(p, p, p, p)) return false;
    }
    return n % 2 == 0;
  };
  return fall_apart([](int p) { return p % 2 != 0; }) ||
         fall_apart([n](int p) { return p >= n / 2; }) || have_spin_partners(integrals);
}

void make_general(Integrals& integrals) {
  integrals.general = integrals.unrestricted = true;
  integrals.ms2 = integrals.electrons;
}

}  // namespace cisolve
