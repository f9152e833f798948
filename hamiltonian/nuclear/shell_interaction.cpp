#include "hamiltonian/nuclear/shell_interaction.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "core/error.hpp"
#include "core/memory.hpp"
#include "hamiltonian/nuclear/clebsch_gordan.hpp"

namespace cisolve {
namespace {

/// The states of an orbit, among those of its kind.
struct Range {
  int first = 0, count = 0;
};
using States = std::array<std::vector<ShellState>, 2>;

std::vector<Range> ranges_of(const ShellInteraction& interaction) {
  std::array<int, 2> next = {};
  std::vector<Range> ranges;
  for (const ShellOrbit& orbit : interaction.orbits) {
    ranges.push_back({next[orbit.kind], orbit.twice_j + 1});
    next[orbit.kind] += orbit.twice_j + 1;
  }
  return ranges;
}

void put(TwoElectron& g, int p, int r, int q, int s, double value) {
  g.row(g.pair(p, r))[g.pair(q, s)] = value;
  g.row(g.pair(r, p))[g.pair(s, q)] = value;
}

/// ⟨pq|V|rs⟩ of two nucleons of one kind, and what antisymmetry makes of it.
void put_antisymmetric(TwoElectron& g, int p, int q, int r, int s, double value) {
  const double half = 0.5 * value;
  put(g, p, r, q, s, half);
  put(g, q, s, p, r, half);
  put(g, p, s, q, r, -half);
  put(g, q, r, p, s, -half);
}

/// Terms of one quadruple of orbits, all J.
class Quadruple {
 public:
  Quadruple(const ShellInteraction& interaction, const States& states,
            const std::vector<Range>& ranges, double factor)
      : interaction_(interaction), states_(states), ranges_(ranges), factor_(factor) {}

  void put_into(TwoElectron& g, const std::vector<ShellTwoBody>& terms) const {
    const auto& [a, b, c, d] = terms.front().orbits;
    const bool one_kind = interaction_.orbits[a].kind == interaction_.orbits[b].kind;
    for_pairs(a, b, [&](int p, int q) {
      for_pairs(c, d, [&](int r, int s) {
        const double value = element(terms, p, q, r, s);
        if (value == 0.0) return;
        if (one_kind) {
          put_antisymmetric(g, p, q, r, s, value);
        } else {
          put(g, p, r, q, s, value);
        }
      });
    });
  }

 private:
  template <class F>
  void for_pairs(int a, int b, F f) const {
    const Range of_a = ranges_[a], of_b = ranges_[b];
    for (int p = of_a.first; p < of_a.first + of_a.count; ++p) {
      for (int q = a == b ? p + 1 : of_b.first; q < of_b.first + of_b.count; ++q) f(p, q);
    }
  }
  int twice_m(int orbit, int state) const {
    return states_[interaction_.orbits[orbit].kind][state].twice_m;
  }
  double coefficient(int a, int b, int p, int q, int j, int twice_total) const {
    const double normal = a == b ? std::sqrt(2.0) : 1.0;
    return normal * clebsch_gordan(interaction_.orbits[a].twice_j, twice_m(a, p),
                                   interaction_.orbits[b].twice_j, twice_m(b, q), 2 * j,
                                   twice_total);
  }
  double element(const std::vector<ShellTwoBody>& terms, int p, int q, int r, int s) const {
    const auto& [a, b, c, d] = terms.front().orbits;
    const int total = twice_m(a, p) + twice_m(b, q);
    if (total != twice_m(c, r) + twice_m(d, s)) return 0.0;
    double sum = 0.0;
    for (const ShellTwoBody& term : terms) {
      sum += coefficient(a, b, p, q, term.j, total) * coefficient(c, d, r, s, term.j, total) *
             (factor_ * term.value);
    }
    return sum;
  }

  const ShellInteraction& interaction_;
  const States& states_;
  const std::vector<Range>& ranges_;
  double factor_;
};

}  // namespace

std::string orbit_name(const ShellOrbit& orbit) {
  constexpr std::string_view letters = "spdfghijklmno";
  const auto l = static_cast<std::size_t>(orbit.l);
  const std::string letter =
      l < letters.size() ? std::string(1, letters[l]) : "(l=" + std::to_string(orbit.l) + ")";
  return std::to_string(orbit.n) + letter + std::to_string(orbit.twice_j) + "/2";
}

double ShellInteraction::factor(int nucleons) const {
  if (!scaling) return 1.0;
  const int mass = core[proton] + core[neutron] + nucleons;
  const double factor = std::pow(mass / scaling->reference, scaling->power);
  if (factor > 0.0 && std::isfinite(factor)) return factor;
  throw InputError(fmt::format("two-body terms are scaled by ({}/{})^{}, which is {}", mass,
                               scaling->reference, scaling->power, factor));
}

std::vector<ShellState> shell_states(const ShellInteraction& interaction, Nucleon kind) {
  std::vector<ShellState> states;
  for (int k = 0; k < std::ssize(interaction.orbits); ++k) {
    const ShellOrbit& orbit = interaction.orbits[k];
    if (orbit.kind != kind) continue;
    for (int m = -orbit.twice_j; m <= orbit.twice_j; m += 2) states.push_back({k, m});
  }
  return states;
}

Integrals shell_integrals(const ShellInteraction& interaction, int protons, int neutrons) {
  const States states{shell_states(interaction, proton), shell_states(interaction, neutron)};
  const std::vector<Range> ranges = ranges_of(interaction);
  Integrals made;
  made.orbitals = static_cast<int>(std::max(states[proton].size(), states[neutron].size()));
  made.electrons = protons + neutrons;
  made.ms2 = protons - neutrons;
  made.unrestricted = true;

  std::array<std::shared_ptr<OneElectron>, 2> h;
  for (auto& of_kind : h) of_kind = std::make_shared<OneElectron>(made.orbitals);
  for (const auto& [a, b, value] : interaction.one_body) {
    for (int k = 0; k < ranges[a].count; ++k) {
      h[interaction.orbits[a].kind]->set(ranges[a].first + k, ranges[b].first + k, value);
    }
  }
  made.one_electron = {h[proton], h[neutron]};

  const double pairs = 1.0 * made.orbitals * made.orbitals;
  require_host_memory(3.0 * pairs * pairs * sizeof(double), "two-body integrals of nucleons");
  std::array<std::shared_ptr<TwoElectron>, 3> g;  // of protons, of both, of neutrons
  for (auto& of_kinds : g) {
    of_kinds = std::make_shared<TwoElectron>(TwoElectron::ordered(made.orbitals));
  }
  const Quadruple quadruple(interaction, states, ranges, interaction.factor(made.electrons));
  std::vector<ShellTwoBody> sorted = interaction.two_body;
  std::ranges::stable_sort(sorted, {}, &ShellTwoBody::orbits);
  for (auto first = sorted.begin(); first != sorted.end();) {
    const auto last = std::find_if(first, sorted.end(), [&](const ShellTwoBody& term) {
      return term.orbits != first->orbits;
    });
    const auto& orbits = first->orbits;
    const int kinds = interaction.orbits[orbits[0]].kind + interaction.orbits[orbits[1]].kind;
    quadruple.put_into(*g[kinds], {first, last});
    first = last;
  }
  made.alpha_alpha = g[0];
  made.alpha_beta = g[1];
  made.beta_beta = g[2];
  return made;
}

}  // namespace cisolve
