#include "hamiltonian/matrix/excitations.hpp"

#include <algorithm>

#include "core/threads/parallel.hpp"

namespace cisolve {
namespace {

void append_singles(const StringSpace& space, const SpinIntegrals& integrals,
                    const OrbitalString& from, std::vector<Neighbour>& result) {
  const OrbitalString empty = from.empty_of(space.orbitals);
  for (const int q : from) {
    const OrbitalString common = from.without(q);
    for (const int p : empty) {
      const Index target = space.find(common.with(p));
      if (target < 0) continue;
      const int sign = excitation_sign(from, p, q);
      result.push_back({sign * single_value(integrals, common, p, q), target,
                        static_cast<std::int16_t>(pair_index(p, q)),
                        static_cast<std::int16_t>(sign)});
    }
  }
}

void append_doubles(const StringSpace& space, const SpinIntegrals& integrals,
                    const OrbitalString& from, std::vector<Neighbour>& result) {
  const OrbitalString empty = from.empty_of(space.orbitals);
  for (const int s : from) {
    for (const int r : from.below(s)) {
      for (const int q : empty) {
        const OrbitalString middle = from.without(s).with(q);
        const int first_sign = excitation_sign(from, q, s);
        for (const int p : empty.below(q)) {
          const double value = double_value(integrals, p, q, r, s);
          if (value == 0.0) continue;
          const Index target = space.find(middle.without(r).with(p));
          if (target < 0) continue;
          result.push_back({first_sign * excitation_sign(middle, p, r) * value, target, 0, 0});
        }
      }
    }
  }
}

/// Neighbours by ascending target, in no more memory than they need.
std::vector<Neighbour> neighbours_of(const StringSpace& space, const SpinIntegrals& integrals,
                                     OrbitalString from) {
  std::vector<Neighbour> list;
  append_singles(space, integrals, from, list);
  append_doubles(space, integrals, from, list);
  std::sort(list.begin(), list.end(),
            [](const Neighbour& x, const Neighbour& y) { return x.target < y.target; });
  return {list.begin(), list.end()};
}

}  // namespace

ExcitationTable::ExcitationTable(const StringSpace& space, const SpinIntegrals& integrals) {
  const Index n = space.size();
  energies_.resize(n);
  std::vector<std::vector<Neighbour>> lists(n);
  FirstException exception;
#pragma omp parallel for if (worth_threads(1000.0 * n)) schedule(dynamic, 16)
  for (Index i = 0; i < n; ++i) {
    exception.guard([&] {
      energies_[i] = string_energy(integrals, space.strings[i]);
      lists[i] = neighbours_of(space, integrals, space.strings[i]);
    });
  }
  exception.rethrow();

  singles_begin_.assign(1, 0);
  neighbours_begin_.assign(1, 0);
  for (Index i = 0; i < n; ++i) {
    for (const Neighbour& entry : lists[i]) {
      neighbours_.push_back(entry);
      if (entry.sign != 0) singles_.push_back({entry.target, entry.pair, entry.sign});
    }
    lists[i] = {};
    neighbours_begin_.push_back(static_cast<Offset>(neighbours_.size()));
    singles_begin_.push_back(static_cast<Offset>(singles_.size()));
  }
  neighbours_.shrink_to_fit();
  singles_.shrink_to_fit();
}

std::size_t ExcitationTable::bytes() const {
  return energies_.size() * sizeof(double) +
         (singles_begin_.size() + neighbours_begin_.size()) * sizeof(Offset) +
         singles_.size() * sizeof(SingleExcitation) + neighbours_.size() * sizeof(Neighbour);
}

}  // namespace cisolve
