#include "hamiltonian/select/selection.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "core/mixed.hpp"
#include "core/threads/parallel.hpp"
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

  /// Numbers read of one determinant, about: those of its single excitations, and a pair's of the
  /// largest element.
  double work() const {
    const double m = e_.integrals.orbitals, n = e_.space.alpha.electrons,
                 k = e_.space.beta.electrons;
    return (n + k) * (n * (m - n) + k * (m - k)) + 0.5 * (n + k) * (n + k);
  }
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
          if (!(magnitude * c > epsilon_)) break;
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
        if (!(importance > epsilon_)) continue;
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
          if (!(magnitude * c > epsilon_)) break;
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

/// Candidates by hash, each thread's apart, so that threads meet in none until a part is reduced.
class Parts {
 public:
  Parts(const ListedSpace& space, bool flips)
      : space_(space),
        flips_(flips),
        threads_(static_cast<std::size_t>(omp_get_max_threads())),
        found_(threads_ * parts) {}

  /// Adds a candidate, within a thread of a parallel region.
  void add(Determinant determinant, double importance) {
    if (flips_ && determinant[beta] < determinant[alpha]) {
      std::swap(determinant[alpha], determinant[beta]);
    }
    const std::hash<OrbitalString> hash;
    const std::size_t part = mixed(hash(determinant[alpha]) ^ 3 * hash(determinant[beta])) % parts;
    found_[static_cast<std::size_t>(omp_get_thread_num()) * parts + part].push_back(
        {determinant, importance});
  }
  std::size_t size() const {
    std::size_t sum = 0;
    for (const Candidates& some : found_) sum += some.size();
    return sum;
  }

  /// Keeps the most important candidate of each determinant, and none that is listed.
  void reduce() {
    for_each_part([&](std::size_t part) { reduced(part); });
  }
  /// Candidates that are not listed, with their flips; by part, then ascending.
  Candidates take() {
    std::vector<Candidates> taken(parts);
    for_each_part([&](std::size_t part) {
      const auto take_one = [&](const Determinant& determinant, double importance) {
        if (!is_listed(determinant)) taken[part].push_back({determinant, importance});
      };
      for (const auto& [determinant, importance] : reduced(part)) {
        take_one(determinant, importance);
        if (!flips_ || determinant[alpha] == determinant[beta]) continue;
        take_one(flipped(determinant), importance);
      }
      Candidates().swap(found_[part]);
    });
    Candidates all;
    for (const Candidates& some : taken) all.insert(all.end(), some.begin(), some.end());
    return all;
  }

 private:
  static constexpr std::size_t parts = 256;

  template <class F>
  void for_each_part(F f) const {
    FirstException exception;
#pragma omp parallel for schedule(dynamic, 1) if (worth_threads(100.0 * size()))
    for (std::size_t part = 0; part < parts; ++part) exception.guard([&] { f(part); });
    exception.rethrow();
  }

  const Candidates& reduced(std::size_t part) {
    Candidates& all = found_[part];
    for (std::size_t t = 1; t < threads_; ++t) {
      Candidates& more = found_[t * parts + part];
      all.insert(all.end(), more.begin(), more.end());
      Candidates().swap(more);
    }
    std::ranges::sort(all, before);
    const auto same = [](const Candidate& x, const Candidate& y) {
      return x.determinant == y.determinant;
    };
    all.erase(std::unique(all.begin(), all.end(), same), all.end());
    std::erase_if(all, [&](const Candidate& one) {
      return is_listed(one.determinant) && (!flips_ || is_listed(flipped(one.determinant)));
    });
    return all;
  }
  static Determinant flipped(const Determinant& determinant) {
    return {determinant[beta], determinant[alpha]};
  }
  bool is_listed(const Determinant& determinant) const {
    const Index a = space_.alpha.find(determinant[alpha]);
    const Index b = a < 0 ? -1 : space_.beta.find(determinant[beta]);
    return b >= 0 && space_.determinants_of(a).find(b) >= 0;
  }

  const ListedSpace& space_;
  bool flips_;  ///< one stands for both, that whose alpha string is not the larger
  std::size_t threads_;
  std::vector<Candidates> found_;  ///< threads × parts
};

/// Importance of the wanted-th of more than are wanted, which are left out; else epsilon.
double keep_most_important(Candidates& candidates, std::size_t wanted, double epsilon) {
  if (candidates.size() <= wanted) return epsilon;
  std::vector<double> importances;
  importances.reserve(candidates.size());
  for (const Candidate& candidate : candidates) importances.push_back(candidate.importance);
  const auto last = importances.begin() + static_cast<std::ptrdiff_t>(wanted - 1);
  std::ranges::nth_element(importances, last, std::greater());
  const double least = as_important_as(*last);
  std::erase_if(candidates, [&](const Candidate& one) { return one.importance < least; });
  return *last;
}

}  // namespace

CandidateSearch important_candidates_cpu(const Expansion& expansion, const CandidateBounds& bounds,
                                         const GoesOn& goes_on) {
  constexpr std::int64_t fewest_rows = 256;  // between two looks at how many there are
  const auto& [integrals, space, coefficients, energies] = expansion;
  const auto [epsilon, wanted, most] = bounds;
  const HeatBath heat_bath(integrals, epsilon);
  const Excitations excitations(expansion, heat_bath, epsilon);
  Parts found(space, expansion.has_flips());
  const double room = 0.5 * static_cast<double>(most) + 1.0;
  std::size_t reduced = 0;
  for (std::int64_t first = 0, rows = fewest_rows; first < space.size();) {
    if (goes_on && !goes_on()) return {std::nullopt, 0, 0.0, true};
    const std::size_t before = found.size();
    const std::int64_t last = std::min(space.size(), first + rows);
    FirstException exception;
#pragma omp parallel for schedule( \
    dynamic, 64) if (worth_threads(excitations.work() * static_cast <double>(last - first)))
    for (std::int64_t row = first; row < last; ++row) {
      exception.guard([&] {
        const double c = coefficients.row(row).cwiseAbs().maxCoeff();
        excitations.visit(space.determinant(row), c,
                          [&](const Determinant& determinant, double importance) {
                            found.add(determinant, importance);
                          });
      });
    }
    exception.rethrow();
    // Next rows: as many as have room, if each leads to as many candidates as these.
    const double each = static_cast<double>(found.size() - before + 1) / (last - first);
    rows = std::max(fewest_rows, static_cast<std::int64_t>(std::min(4.0 * rows, room / each)));
    first = last;
    if (found.size() <= 2 * reduced + most / 2) continue;
    found.reduce();
    reduced = found.size();
    if (reduced > most) return {};
  }
  Candidates candidates = found.take();
  if (candidates.size() > most) return {};
  const std::size_t all = candidates.size();
  const double least = keep_most_important(candidates, wanted, epsilon);
  return {std::move(candidates), all, least};
}

}  // namespace cisolve
