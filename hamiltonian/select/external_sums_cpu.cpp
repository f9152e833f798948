#include "hamiltonian/select/external_sums.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>

#include "core/threads/parallel.hpp"
#include "hamiltonian/select/beta_sums.hpp"
#include "hamiltonian/space/slater_condon.hpp"

namespace cisolve {
namespace {

/// Tables that all threads read.
template <int Words>
struct ExternalTables {
  using String = BasicOrbitalString<Words>;

  explicit ExternalTables(const Expansion& e)
      : expansion(e),
        orbitals(e.integrals.orbitals),
        of_alpha{*e.integrals.one_electron[alpha], *e.integrals.alpha_alpha},
        of_beta{*e.integrals.one_electron[beta], *e.integrals.beta_beta},
        mixed(*e.integrals.alpha_beta) {
    for (const OrbitalString& s : e.space.beta.strings) betas.emplace_back(s);
    const int pairs = mixed.pairs();
    reached.resize(static_cast<std::size_t>(pairs) * orbitals);
    for (int pr = 0; pr < pairs; ++pr) {
      for (int q = 0; q < orbitals; ++q) {
        String& targets = reached[static_cast<std::size_t>(pr) * orbitals + q];
        for (int s = 0; s < orbitals; ++s) {
          if (s != q && mixed.row(pr)[pair_index(q, s)] != 0.0) targets = targets.with(s);
        }
      }
    }
    same.resize(static_cast<std::size_t>(orbitals) * orbitals);
    for (int i = 0; i < orbitals; ++i) {
      for (int j = 0; j < orbitals; ++j) {
        same[i * orbitals + j] = of_beta.coulomb(i, i, j, j) - of_beta.coulomb(i, j, i, j);
      }
    }
  }

  /// At most so many ways lead to the determinants of a target.
  double most_ways(std::span<const TargetLink> links) const {
    const double n = expansion.space.beta.electrons, u = orbitals - n;
    double most = 0.0;
    for (const TargetLink& link : links) {
      const double each = link.electrons == 2   ? 1.0
                          : link.electrons == 1 ? 1.0 + n * u
                                                : number_of_excitations(expansion.space.beta);
      most += each * static_cast<double>(expansion.space.determinants_of(link.source).size());
    }
    return most;
  }

  const Expansion& expansion;
  int orbitals;
  SpinIntegrals of_alpha, of_beta;
  const TwoElectron& mixed;     ///< (αα|ββ)
  std::vector<String> betas;    ///< of the list
  std::vector<String> reached;  ///< pair pr, orbital q: the s with (pr|qs) ≠ 0
  std::vector<double> same;     ///< (ii|jj) − (ij|ij) of beta electrons
};

/// The sums of one target after another: a thread's.
template <int Words>
class TargetSums {
 public:
  using String = BasicOrbitalString<Words>;

  explicit TargetSums(const ExternalTables<Words>& tables)
      : t_(tables),
        e_(tables.expansion),
        sums_(e_.states(), e_.space.beta.electrons > 0),
        field_(t_.mixed.pairs()) {}

  /// Adds e_j(target) to result[j], and takes |c| to result[states + j].
  void add(const OrbitalString& target, std::span<const TargetLink> links, std::size_t bytes,
           double* result) {
    set_field(target);
    const std::uint64_t classes = classes_for(links, bytes);
    for (std::uint64_t number = 0; number < classes; ++number) {
      sums_.clear(number, classes);
      Index listed = -1;
      for (const TargetLink& link : links) {
        if (link.electrons == 0) {
          listed = link.source;
          add_same(link.source);
        } else if (link.electrons == 1) {
          add_single(target, link);
        } else {
          add_double(link);
        }
      }
      if (listed >= 0) {
        for (const auto& [b, row] : e_.space.determinants_of(listed)) sums_.erase(t_.betas[b]);
      }
      take(target, result);
    }
  }

 private:
  /// Field of both spins' electrons: Σ_{j in target} (jj|qs).
  void set_field(const OrbitalString& target) {
    std::ranges::fill(field_, 0.0);
    for (const int j : target) {
      const double* const row = t_.mixed.row(pair_index(j, j));
      for (std::size_t pair = 0; pair < field_.size(); ++pair) field_[pair] += row[pair];
    }
  }

  /// Parts in which the sums have room.
  std::uint64_t classes_for(std::span<const TargetLink> links, std::size_t bytes) const {
    const double strings = number_of_strings(e_.space.beta);
    const double table = std::min(t_.most_ways(links), strings) *
                         (2.0 * static_cast<double>(BetaSums<Words>::bytes_of_entry(e_.states())));
    return static_cast<std::uint64_t>(std::ceil(table / static_cast<double>(bytes)));
  }

  const double* coefficients(std::int64_t row) const { return e_.coefficients.row(row).data(); }

  void add_same(Index source) {
    for (const auto& [b, row] : e_.space.determinants_of(source)) {
      const String& from = t_.betas[b];
      const String odd = parity_below(from), empty = from.empty_of(t_.orbitals);
      const double* const c = coefficients(row);
      for (const int q : from) {
        const String without = from.without(q);
        for (const int s : empty) {
          const double value =
              single_value(t_.of_beta, OrbitalString(without), s, q) + field_[pair_index(s, q)];
          if (value == 0.0) continue;
          sums_.add(without.with(s), is_negative(odd, q, s) ? -value : value, c);
        }
      }
      for (const int q : from) {
        for (const int t : from.below(q)) {
          const String without = from.without(q).without(t);
          for (const int s : empty) {
            const String one = without.with(s);
            const double* const direct = t_.of_beta.g.row(pair_index(q, s));
            const double* const exchange = t_.of_beta.g.row(pair_index(t, s));
            for (const int r : empty.below(s)) {
              const double value = direct[pair_index(t, r)] - exchange[pair_index(q, r)];
              if (value == 0.0) continue;
              sums_.add(one.with(r), is_negative(odd, q, s, t, r) ? -value : value, c);
            }
          }
        }
      }
    }
  }

  void add_single(const OrbitalString& target, const TargetLink& link) {
    const int p = link.from[0], r = link.to[0], pr = pair_index(p, r);
    const double* const v = t_.mixed.row(pr);
    const String* const reached = &t_.reached[static_cast<std::size_t>(pr) * t_.orbitals];
    const double alone = single_value(t_.of_alpha, target.without(r), r, p);
    for (const auto& [b, row] : e_.space.determinants_of(link.source)) {
      const String& from = t_.betas[b];
      const String odd = parity_below(from);
      const double* const c = coefficients(row);
      double value = alone;
      for (const int j : from) value += v[pair_index(j, j)];
      if (value != 0.0) sums_.add(from, link.sign * value, c);
      for (const int q : from) {
        const String without = from.without(q);
        for (const int s : reached[q] & ~from) {
          const bool negative = is_negative(odd, q, s) != (link.sign < 0);
          const double element = v[pair_index(q, s)];
          sums_.add(without.with(s), negative ? -element : element, c);
        }
      }
    }
  }

  void add_double(const TargetLink& link) {
    const double value =
        link.sign * double_value(t_.of_alpha, link.to[0], link.to[1], link.from[0], link.from[1]);
    for (const auto& [b, row] : e_.space.determinants_of(link.source)) {
      sums_.add(t_.betas[b], value, coefficients(row));
    }
  }

  void take(const OrbitalString& target, double* result) const {
    const double of_target = e_.integrals.core_energy + string_energy(t_.of_alpha, target);
    const int k = e_.states();
    sums_.for_each([&](const String& s, const double* sums) {
      double energy = of_target;
      for (const int i : s) {
        energy += t_.of_beta.h(i, i) + field_[pair_index(i, i)];
        for (const int j : s.below(i)) energy += t_.same[i * t_.orbitals + j];
      }
      for (int j = 0; j < k; ++j) {
        if (sums[j] == 0.0) continue;
        const double coefficient = first_order_coefficient(sums[j], e_.energies[j], energy);
        result[j] += sums[j] * coefficient;
        result[k + j] = std::max(result[k + j], std::abs(coefficient));
      }
    });
  }

  const ExternalTables<Words>& t_;
  const Expansion& e_;
  BetaSums<Words> sums_;
  std::vector<double> field_;
};

template <int Words>
class ExternalSumsCpu final : public ExternalSums {
 public:
  ExternalSumsCpu(const Expansion& expansion, std::size_t bytes)
      : tables_(expansion), bytes_(bytes) {}

  HostMatrix sums(const TargetStrings& links,
                  std::span<const std::int64_t> targets) const override {
    HostMatrix made = HostMatrix::Zero(std::ssize(targets), 2 * tables_.expansion.states());
    const std::size_t each = bytes_ / static_cast<std::size_t>(omp_get_max_threads());
    std::vector<TargetSums<Words>> own(static_cast<std::size_t>(omp_get_max_threads()),
                                       TargetSums<Words>(tables_));
    double ways = 0.0;
    for (const std::int64_t i : targets) ways += tables_.most_ways(links.links(i));
    FirstException exception;
#pragma omp parallel for schedule(dynamic, 1) if (worth_threads(10.0 * ways))
    for (std::int64_t i = 0; i < std::ssize(targets); ++i) {
      exception.guard([&] {
        own[static_cast<std::size_t>(omp_get_thread_num())].add(
            links.target(targets[i]), links.links(targets[i]), each, made.row(i).data());
      });
    }
    exception.rethrow();
    return made;
  }

 private:
  ExternalTables<Words> tables_;
  std::size_t bytes_;
};

}  // namespace

std::unique_ptr<ExternalSums> make_external_sums_cpu(const Expansion& expansion,
                                                     std::size_t bytes) {
  if (expansion.integrals.orbitals <= OrbitalString64::most_orbitals) {
    return std::make_unique<ExternalSumsCpu<1>>(expansion, bytes);
  }
  return std::make_unique<ExternalSumsCpu<2>>(expansion, bytes);
}

}  // namespace cisolve
