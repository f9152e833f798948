#include "hamiltonian/space/remainders.hpp"

#include <algorithm>

#include "core/parallel_sort.hpp"

namespace cisolve {
namespace {

std::size_t ways_to_take(int removed, std::size_t electrons) {
  return removed == 1 ? electrons : electrons * (electrons - 1) / 2;
}

/// Calls f(remainder, taken) of all ways to take so many electrons out of a string.
template <class F>
void for_each_remainder(const OrbitalString& string, int removed, F f) {
  std::vector<int> orbitals;
  for (const int p : string) orbitals.push_back(p);
  const auto orbital = [&](std::size_t e) { return static_cast<std::uint8_t>(orbitals[e]); };
  for (std::size_t e = 0; e < orbitals.size(); ++e) {
    const OrbitalString rest = string.without(orbitals[e]);
    if (removed == 1) {
      f(rest, Remainders::Taken{orbital(e), orbital(e), static_cast<std::uint8_t>(e % 2)});
      continue;
    }
    for (std::size_t d = 0; d < e; ++d) {
      f(rest.without(orbitals[d]),
        Remainders::Taken{orbital(d), orbital(e), static_cast<std::uint8_t>((d + e) % 2)});
    }
  }
}

}  // namespace

Remainders::Remainders(const StringSpace& space, int removed)
    : each_(ways_to_take(removed, static_cast<std::size_t>(space.electrons))) {
  struct Found {
    OrbitalString remainder;
    std::int64_t place;
  };
  const std::size_t n = space.strings.size(), count = each_ * n;
  std::vector<Found> found(count);
  taken_.resize(count);
  remainders_.resize(count);
#pragma omp parallel for if (worth_threads(10.0 * count)) schedule(static)
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t place = each_ * k;
    for_each_remainder(space.strings[k], removed, [&](const OrbitalString& rest, Taken taken) {
      taken_[place] = taken;
      found[place] = {rest, static_cast<std::int64_t>(place)};
      ++place;
    });
  }
  parallel_sort(found, [](const Found& x, const Found& y) {
    return x.remainder != y.remainder ? x.remainder < y.remainder : x.place < y.place;
  });
  members_.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (i == 0 || found[i].remainder != found[i - 1].remainder) {
      begin_.push_back(static_cast<Offset>(i));
    }
    const auto place = static_cast<std::size_t>(found[i].place);
    remainders_[place] = static_cast<Index>(begin_.size() - 1);
    members_[i] = {static_cast<Index>(place / each_), taken_[place]};
  }
  begin_.push_back(static_cast<Offset>(count));
}

std::size_t Remainders::bytes() const {
  return remainders_.size() * sizeof(Index) + taken_.size() * sizeof(Taken) +
         begin_.size() * sizeof(Offset) + members_.size() * sizeof(Member);
}

}  // namespace cisolve
