#include "hamiltonian/spinor/kramers/kramers_pairs.hpp"

#include <array>

#include "core/threads/parallel.hpp"

namespace cisolve {
namespace {

constexpr std::uint64_t even_spinors = 0x5555555555555555;

template <class OfWord>
OrbitalString by_words(const OrbitalString& s, const OfWord& of_word) {
  constexpr int words = OrbitalString::words_of(OrbitalString::most_orbitals);
  std::array<std::uint64_t, words> made;
  for (int k = 0; k < words; ++k) made[k] = of_word(s.word(k));
  return OrbitalString::from_words(made.data(), words);
}

/// Ī.
OrbitalString time_reversed(const OrbitalString& s) {
  return by_words(s, [](std::uint64_t word) {
    return (word & even_spinors) << 1 | (word >> 1 & even_spinors);
  });
}

/// s_I: of a pair of spinors that are both occupied the minus of the odd one is undone by their
/// exchange.
std::int8_t sign_of(const OrbitalString& s) {
  const OrbitalString odd_alone =
      by_words(s, [](std::uint64_t word) { return word >> 1 & ~word & even_spinors; });
  return odd_alone.odd() ? -1 : 1;
}

}  // namespace

std::optional<KramersPairs> KramersPairs::of(const StringSpace& space) {
  if (space.electrons % 2 == 0 || space.orbitals % 2 != 0) return {};
  KramersPairs made;
  made.pair_of_.resize(space.strings.size());
  for (Index i = 0; i < space.size(); ++i) {
    const Index partner = space.find(time_reversed(space.strings[i]));
    if (partner < 0) return {};
    if (partner < i) continue;
    made.pair_of_[i] = made.pair_of_[partner] = made.size();
    made.firsts_.push_back(i);
    made.seconds_.push_back(partner);
    made.signs_.push_back(sign_of(space.strings[i]));
  }
  return made;
}

void KramersPairs::fold(const double* psi, std::int64_t stride, double* v,
                        std::int64_t v_stride) const {
  for_each_index(size(), worth_threads(8.0 * size()), [&](Index k) {
    const double* const a = psi + 2 * stride * firsts_[k];
    const double* const b = psi + 2 * stride * seconds_[k];
    double* const element = v + 4 * v_stride * k;
    element[0] = a[0];
    element[v_stride] = a[stride];
    element[2 * v_stride] = signs_[k] * b[0];
    element[3 * v_stride] = -signs_[k] * b[stride];
  });
}

void KramersPairs::unfold(const double* v, std::int64_t stride, double* psi, double* reversed,
                          std::int64_t psi_stride) const {
  for_each_index(size(), worth_threads(12.0 * size()), [&](Index k) {
    const double* const element = v + 4 * stride * k;
    const double w = element[0], x = element[stride], y = element[2 * stride],
                 z = element[3 * stride], s = signs_[k];
    const auto put = [&](double* to, Index determinant, double re, double im) {
      to[2 * psi_stride * determinant] = re;
      to[psi_stride * (2 * std::int64_t{determinant} + 1)] = im;
    };
    put(psi, firsts_[k], w, x);
    put(psi, seconds_[k], s * y, -s * z);
    put(reversed, firsts_[k], -y, -z);
    put(reversed, seconds_[k], s * w, -s * x);
  });
}

}  // namespace cisolve
