#include "hamiltonian/space/listed/listed_space.hpp"

#include <cstdint>
#include <unordered_set>
#include <utility>

#include "core/threads/parallel.hpp"
#include "core/threads/parallel_sort.hpp"

namespace cisolve {
namespace {

/// Strings that are different, some of them more than once; of many different ones all.
std::vector<OrbitalString> different(std::span<const OrbitalString> all) {
  constexpr std::size_t portion = std::size_t{1} << 16;
  std::vector<OrbitalString> found;
  FirstException exception;
#pragma omp parallel for schedule( \
    static) if (worth_threads(100.0 * static_cast <double>(all.size())))
  for (std::size_t first = 0; first < all.size(); first += portion) {
    exception.guard([&] {
      const auto some = all.subspan(first, std::min(portion, all.size() - first));
      std::unordered_set<OrbitalString> own;
      for (const OrbitalString& s : some) {
        own.insert(s);
        if (own.size() > portion / 4) break;
      }
      const bool few = own.size() <= portion / 4;
#pragma omp critical
      exception.guard([&] {
        if (few) {
          found.insert(found.end(), own.begin(), own.end());
        } else {
          found.insert(found.end(), some.begin(), some.end());
        }
      });
    });
  }
  exception.rethrow();
  return found;
}

/// Different strings, ascending: one group.
void fill_with(StringSpace& space, std::span<const OrbitalString> all) {
  space.strings = different(all);
  parallel_sort(space.strings);
  space.strings.erase(std::ranges::unique(space.strings).begin(), space.strings.end());
  space.strings.shrink_to_fit();
  space.irrep_of.assign(space.strings.size(), 0);
  space.group_of.assign(space.strings.size(), 0);
  space.group_begin = {0, space.size()};
}

}  // namespace

ListedSpace::ListedSpace(StringSpace of_alpha, StringSpace of_beta,
                         std::span<const OrbitalString> alphas,
                         std::span<const OrbitalString> betas)
    : alpha(std::move(of_alpha)), beta(std::move(of_beta)) {
  fill_with(alpha, alphas);
  fill_with(beta, betas);
  // Both strings' numbers as one, by which determinants are ordered.
  std::vector<std::uint64_t> numbers(alphas.size());
#pragma omp parallel for if (worth_threads(100.0 * numbers.size())) schedule(static)
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = static_cast<std::uint64_t>(alpha.find(alphas[i])) << 32 |
                 static_cast<std::uint64_t>(beta.find(betas[i]));
  }
  parallel_sort(numbers);
  const auto alpha_of_number = [](std::uint64_t number) {
    return static_cast<Index>(number >> 32);
  };
  const auto beta_of_number = [](std::uint64_t number) {
    return static_cast<Index>(static_cast<std::uint32_t>(number));
  };
  if (const auto twice = std::ranges::adjacent_find(numbers); twice != numbers.end()) {
    throw RepeatedDeterminant(
        {alpha.strings[alpha_of_number(*twice)], beta.strings[beta_of_number(*twice)]});
  }
  betas_.resize(numbers.size());
  begin_.assign(static_cast<std::size_t>(alpha.size()) + 1, 0);
  for (std::size_t row = 0; row < numbers.size(); ++row) {
    betas_[row] = beta_of_number(numbers[row]);
    begin_[alpha_of_number(numbers[row]) + 1] = static_cast<Index>(row + 1);
  }
}

Index ListedSpace::alpha_of(std::int64_t row) const {
  return static_cast<Index>(std::ranges::upper_bound(begin_, row) - begin_.begin() - 1);
}

}  // namespace cisolve
