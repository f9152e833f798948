#include "hamiltonian/select/selection.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/parallel.hpp"
#include "core/parallel_sort.hpp"
#include "hamiltonian/select/heat_bath.hpp"
#include "hamiltonian/space/slater_condon.hpp"

namespace cisolve {
namespace {

using Candidates = std::vector<Candidate>;

bool before(const Candidate& x, const Candidate& y) {
  if (x.determinant != y.determinant) return x.determinant < y.determinant;
  return x.importance > y.importance;
}

/// Excitations of one determinant after another.
class Excitations {
 public:
  Excitations(const Expansion& expansion, const HeatBath& heat_bath, double epsilon)
      : e_(expansion), heat_bath_(heat_bath), epsilon_(epsilon) {}

  /// found(determinant, importance) of those above epsilon from (a, b), whose c is given.
  template <class Found>
  void visit(const Determinant& from, double c, Found found) const {
    for (const Spin spin : {alpha, beta}) {
      visit_singles(from, spin, c, found);
      visit_doubles(from, spin, c, found);
    }
    for (const int p : from[alpha]) {
      for (const int q : from[beta]) {
        for (const auto& [magnitude, r, s] : heat_bath_.mixed(p, q)) {
          if (magnitude * c <= epsilon_) break;
          if (from[alpha].has(r) || from[beta].has(s)) continue;
          found(Determinant{from[alpha].without(p).with(r), from[beta].without(q).with(s)},
                magnitude * c);
        }
      }
    }
  }

 private:
  template <class Found>
  void visit_singles(const Determinant& from, Spin spin, double c, Found found) const {
    const Integrals& integrals = e_.integrals;
    const SpinIntegrals own{*integrals.one_electron[spin],
                            spin == alpha ? *integrals.alpha_alpha : *integrals.beta_beta};
    const TwoElectron& mixed = *integrals.alpha_beta;
    const OrbitalString& s = from[spin];
    const OrbitalString& other = from[spin == alpha ? beta : alpha];
    for (const int p : s) {
      for (const int r : s.empty_of(integrals.orbitals)) {
        double value = single_value(own, s.without(p), r, p);
        const int pr = pair_index(p, r);
        for (const int j : other) {
          const int jj = pair_index(j, j);
          value += spin == alpha ? mixed.row(pr)[jj] : mixed.row(jj)[pr];
        }
        const double importance = std::abs(value) * c;
        if (importance <= epsilon_) continue;
        Determinant made = from;
        made[spin] = s.without(p).with(r);
        found(made, importance);
      }
    }
  }

  template <class Found>
  void visit_doubles(const Determinant& from, Spin spin, double c, Found found) const {
    const OrbitalString& s = from[spin];
    for (const int p : s) {
      for (const int q : s.below(p)) {
        for (const auto& [magnitude, r, t] : heat_bath_.same(spin, p, q)) {
          if (magnitude * c <= epsilon_) break;
          if (s.has(r) || s.has(t)) continue;
          Determinant made = from;
          made[spin] = s.without(p).without(q).with(r).with(t);
          found(made, magnitude * c);
        }
      }
    }
  }

  const Expansion& e_;
  const HeatBath& heat_bath_;
  double epsilon_;
};

/// Sorted; of each the most important alone, and none that is listed.
void reduce(Candidates& candidates, const ListedSpace& space) {
  parallel_sort(candidates, before);
  const auto same = [](const Candidate& x, const Candidate& y) {
    return x.determinant == y.determinant;
  };
  candidates.erase(std::unique(candidates.begin(), candidates.end(), same), candidates.end());
  const auto is_listed = [&](const Candidate& candidate) {
    const Index a = space.alpha.find(candidate.determinant[alpha]);
    const Index b = a < 0 ? -1 : space.beta.find(candidate.determinant[beta]);
    return b >= 0 && space.determinants_of(a).find(b) >= 0;
  };
  std::erase_if(candidates, is_listed);
}

/// Importances are equal under an exchange of spins but for rounding: the larger one is both's.
void close_under_flips(Candidates& candidates) {
  const std::size_t n = candidates.size();
  candidates.reserve(2 * n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto& [determinant, importance] = candidates[i];
    candidates.push_back({{determinant[beta], determinant[alpha]}, importance});
  }
}

}  // namespace

std::optional<Candidates> important_candidates(const Expansion& expansion, double epsilon,
                                               std::size_t most) {
  constexpr Index rows = 4096;  // between two looks at how many there are
  const auto& [integrals, space, coefficients, energies] = expansion;
  const HeatBath heat_bath(integrals, epsilon);
  const Excitations excitations(expansion, heat_bath, epsilon);
  Candidates candidates;
  std::size_t reduced = 0;
  for (std::int64_t first = 0; first < space.size(); first += rows) {
    const std::int64_t last = std::min<std::int64_t>(space.size(), first + rows);
    FirstException exception;
#pragma omp parallel
    exception.guard([&] {
      Candidates own;
#pragma omp for schedule(dynamic, 16) nowait
      for (std::int64_t row = first; row < last; ++row) {
        exception.guard([&] {
          const double c = coefficients.row(row).cwiseAbs().maxCoeff();
          excitations.visit(space.determinant(row), c,
                            [&](const Determinant& determinant, double importance) {
                              own.push_back({determinant, importance});
                            });
        });
      }
#pragma omp critical
      exception.guard([&] { candidates.insert(candidates.end(), own.begin(), own.end()); });
    });
    exception.rethrow();
    if (candidates.size() <= 2 * reduced + most / 2) continue;
    reduce(candidates, space);
    reduced = candidates.size();
    if (reduced > most) return std::nullopt;
  }
  reduce(candidates, space);
  if (!integrals.unrestricted && space.alpha.electrons == space.beta.electrons) {
    close_under_flips(candidates);
    reduce(candidates, space);
  }
  if (candidates.size() > most) return std::nullopt;
  return candidates;
}

}  // namespace cisolve
