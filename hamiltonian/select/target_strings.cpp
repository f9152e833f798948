#include "hamiltonian/select/target_strings.hpp"

#include <algorithm>
#include <functional>
#include <iterator>

#include "core/binomial.hpp"
#include "core/threads/parallel.hpp"
#include "core/threads/parallel_sort.hpp"
#include "hamiltonian/space/slater_condon.hpp"

namespace cisolve {
namespace {

struct Reached {
  OrbitalString target;
  TargetLink link;

  bool operator<(const Reached& other) const {
    if (const auto order = target <=> other.target; order != 0) return order < 0;
    return link.source < other.link.source;
  }
};

bool has_single(const Integrals& integrals, int p, int q) {
  const int pair = pair_index(p, q);
  if ((*integrals.one_electron[alpha])(p, q) != 0.0) return true;
  const auto some = [&](const TwoElectron& g) {
    return std::any_of(g.row(pair), g.row(pair) + g.pairs(), [](double v) { return v != 0.0; });
  };
  return some(*integrals.alpha_beta) || some(*integrals.alpha_alpha);
}

}  // namespace

TargetStrings::TargetStrings(const Integrals& integrals, const StringSpace& of_list,
                             TargetPart part) {
  const SpinIntegrals same{*integrals.one_electron[alpha], *integrals.alpha_alpha};
  const int m = integrals.orbitals;
  std::vector<bool> single(static_cast<std::size_t>(m) * m);
  for (int p = 0; p < m; ++p) {
    for (int q = 0; q < m; ++q) single[p * m + q] = p != q && has_single(integrals, p, q);
  }

  std::vector<Reached> reached;
  FirstException exception;
#pragma omp parallel if (worth_threads(most_links(of_list)))
  {
    std::vector<Reached> own;
    const auto add = [&](const OrbitalString& target, const TargetLink& link) {
      if (std::hash<OrbitalString>()(target) % part.parts == part.part) {
        own.push_back({target, link});
      }
    };
#pragma omp for schedule(dynamic, 64)
    for (Index a = 0; a < of_list.size(); ++a) {
      exception.guard([&] {
        const OrbitalString s = of_list.strings[a], empty = s.empty_of(m);
        add(s, {a, 0, 1, {}, {}});
        for (const int p : s) {
          for (const int r : empty) {
            if (!single[p * m + r]) continue;
            const OrbitalString once = s.without(p).with(r);
            const int sign = excitation_sign(s, r, p);
            add(once, {a,
                       1,
                       static_cast<std::int8_t>(sign),
                       {static_cast<std::uint8_t>(p)},
                       {static_cast<std::uint8_t>(r)}});
          }
        }
        for (const int p : s) {
          for (const int q : s.below(p)) {
            const OrbitalString without = s.without(p).without(q);
            for (const int r : empty) {
              for (const int t : empty.below(r)) {
                if (double_value(same, r, t, p, q) == 0.0) continue;
                const OrbitalString one = s.without(q).with(t);
                const int sign = excitation_sign(s, t, q) * excitation_sign(one, r, p);
                add(without.with(r).with(t),
                    {a,
                     2,
                     static_cast<std::int8_t>(sign),
                     {static_cast<std::uint8_t>(p), static_cast<std::uint8_t>(q)},
                     {static_cast<std::uint8_t>(r), static_cast<std::uint8_t>(t)}});
              }
            }
          }
        }
      });
    }
#pragma omp critical
    exception.guard([&] { reached.insert(reached.end(), own.begin(), own.end()); });
  }
  exception.rethrow();

  parallel_sort(reached);
  for (std::int64_t i = 0; i < std::ssize(reached); ++i) {
    if (i == 0 || reached[i].target != reached[i - 1].target) begin_.push_back(i);
  }
  const bool shared = worth_threads(10.0 * static_cast<double>(reached.size()));
  targets_.resize(begin_.size());
  for_each_index(begin_.size(), shared,
                 [&](std::size_t k) { targets_[k] = reached[begin_[k]].target; });
  begin_.push_back(std::ssize(reached));
  links_.resize(reached.size());
  for_each_index(links_.size(), shared, [&](std::size_t i) { links_[i] = reached[i].link; });
}

double number_of_strings(const StringSpace& space) {
  return binomial(space.orbitals, space.electrons);
}

double TargetStrings::most_links(const StringSpace& of_list) {
  return of_list.size() * (1.0 + number_of_excitations(of_list));
}

}  // namespace cisolve
