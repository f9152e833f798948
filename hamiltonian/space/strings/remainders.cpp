#include "hamiltonian/space/strings/remainders.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "core/error.hpp"
#include "core/threads/parallel_sort.hpp"

namespace cisolve {
namespace {

std::size_t ways_to_take(int removed, std::size_t electrons) {
  return removed == 1 ? electrons : electrons * (electrons - 1) / 2;
}

/// Calls f(remainder, taken) of all ways to take so many electrons out of a string.
template <class F>
void for_each_remainder(const OrbitalString& string, int removed, F f) {
  const auto odd = [](int n) { return static_cast<std::uint8_t>(n % 2); };
  int e = 0;
  for (const int q : string) {
    const OrbitalString rest = string.without(q);
    const auto second = static_cast<std::uint8_t>(q);
    if (removed == 1) f(rest, Remainders::Taken{second, second, odd(e)});
    int d = 0;
    for (const int p : removed == 2 ? string.below(q) : OrbitalString()) {
      f(rest.without(p), Remainders::Taken{static_cast<std::uint8_t>(p), second, odd(d + e)});
      ++d;
    }
    ++e;
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
  if (begin_.size() > std::numeric_limits<Index>::max()) {
    throw ResourceError("the strings of a list leave " + std::to_string(begin_.size() - 1) +
                        " different remainders; 2147483646 are numbered at most");
  }
}

std::size_t Remainders::bytes() const {
  return remainders_.size() * sizeof(Index) + taken_.size() * sizeof(Taken) +
         begin_.size() * sizeof(Offset) + members_.size() * sizeof(Member);
}

}  // namespace cisolve
