#pragma once

#include <array>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "core/host_device.hpp"

namespace cisolve {

/// Occupied spatial orbitals of one spin, bit p for orbital p, of 64 · Words orbitals at most;
/// compared as that binary number.
template <int Words>
class BasicOrbitalString {
 public:
  static constexpr int most_orbitals = 64 * Words;

  constexpr BasicOrbitalString() = default;
  /// String of orbitals 0 … 63, by their bits.
  CISOLVE_HOST_DEVICE constexpr explicit BasicOrbitalString(std::uint64_t bits) : words_{bits} {}
  /// String of another length; orbitals that do not fit are left out.
  template <int Others>
  CISOLVE_HOST_DEVICE constexpr explicit BasicOrbitalString(
      const BasicOrbitalString<Others>& other) {
    for (int k = 0; k < Words && k < Others; ++k) words_[k] = other.word(k);
  }
  /// Bits of orbitals 0 … 63, 64 … 127 and so on, `n` words at most as many as there are here.
  CISOLVE_HOST_DEVICE static constexpr BasicOrbitalString from_words(const std::uint64_t* words,
                                                                     int n) {
    BasicOrbitalString s;
    for (int k = 0; k < n; ++k) s.words_[k] = words[k];
    return s;
  }
  /// Words that hold so many orbitals.
  static constexpr int words_of(int orbitals) { return (orbitals + 63) / 64; }
  /// Those orbitals alone.
  template <class... Orbitals>
  CISOLVE_HOST_DEVICE static constexpr BasicOrbitalString of(Orbitals... orbitals) {
    BasicOrbitalString s;
    for (int k = 0; k < Words; ++k) s.words_[k] = (bit(k, orbitals) | ... | std::uint64_t{0});
    return s;
  }
  /// Orbitals 0 … n − 1.
  CISOLVE_HOST_DEVICE static constexpr BasicOrbitalString lowest(int n) {
    BasicOrbitalString s;
    for (int k = 0; k < Words; ++k) {
      const int in_word = n - 64 * k;
      if (in_word > 0) s.words_[k] = ~std::uint64_t{0} >> (in_word < 64 ? 64 - in_word : 0);
    }
    return s;
  }

  CISOLVE_HOST_DEVICE constexpr bool empty() const {
    std::uint64_t any = 0;
    for (int k = 0; k < Words; ++k) any |= words_[k];
    return any == 0;
  }
  CISOLVE_HOST_DEVICE constexpr int count() const {
    int sum = bits_of(words_[0]);
    for (int k = 1; k < Words; ++k) {
      if (words_[k] != 0) sum += bits_of(words_[k]);
    }
    return sum;
  }
  /// True if the count is odd.
  CISOLVE_HOST_DEVICE constexpr bool odd() const {
    std::uint64_t folded = words_[0];
    for (int k = 1; k < Words; ++k) folded ^= words_[k];
#ifdef __CUDA_ARCH__
    return __popcll(folded) % 2 != 0;
#else
    return __builtin_parityll(folded) != 0;  // every processor has it, not all count bits
#endif
  }
  CISOLVE_HOST_DEVICE constexpr bool has(int p) const {
    return (word_with(p) >> (p % 64) & 1) != 0;
  }
  /// The lowest orbital; there must be one.
  CISOLVE_HOST_DEVICE constexpr int first() const {
    for (int k = 0; k < Words - 1; ++k) {
      if (words_[k] != 0) return 64 * k + zeros_below(words_[k]);
    }
    return 64 * (Words - 1) + zeros_below(words_[Words - 1]);
  }
  /// All but the lowest orbital.
  CISOLVE_HOST_DEVICE constexpr BasicOrbitalString rest() const {
    BasicOrbitalString s = *this;
    for (std::uint64_t& word : s.words_) {
      if (word == 0) continue;
      word &= word - 1;
      break;
    }
    return s;
  }
  /// Orbitals lower than p, which is below the most there may be.
  CISOLVE_HOST_DEVICE constexpr BasicOrbitalString below(int p) const {
    BasicOrbitalString s;
    for (int k = 0; k < Words; ++k) s.words_[k] = words_[k] & bits_below(k, p);
    return s;
  }
  /// Orbitals higher than `low` and lower than `high`.
  CISOLVE_HOST_DEVICE constexpr BasicOrbitalString between(int low, int high) const {
    BasicOrbitalString s;
    for (int k = 0; k < Words; ++k) {
      s.words_[k] = words_[k] & bits_below(k, high) & ~(bits_below(k, low) | bit(k, low));
    }
    return s;
  }
  CISOLVE_HOST_DEVICE constexpr BasicOrbitalString with(int p) const {
    return *this | of(p);
  }
  CISOLVE_HOST_DEVICE constexpr BasicOrbitalString without(int p) const {
    return *this & ~of(p);
  }
  /// Those of the lowest n orbitals that are empty.
  CISOLVE_HOST_DEVICE constexpr BasicOrbitalString empty_of(int n) const {
    return lowest(n) & ~*this;
  }
  /// The next string, by ascending number, of as many electrons: the lowest run of occupied
  /// orbitals moves up by one, its rest down. There must be one.
  CISOLVE_HOST_DEVICE constexpr BasicOrbitalString next() const {
    const int begin = first(), end = (~(*this | lowest(begin))).first();
    return (*this & ~lowest(end)) | of(end) | lowest(end - begin - 1);
  }

  CISOLVE_HOST_DEVICE friend constexpr BasicOrbitalString operator&(const BasicOrbitalString& x,
                                                                    const BasicOrbitalString& y) {
    BasicOrbitalString s;
    for (int k = 0; k < Words; ++k) s.words_[k] = x.words_[k] & y.words_[k];
    return s;
  }
  CISOLVE_HOST_DEVICE friend constexpr BasicOrbitalString operator|(const BasicOrbitalString& x,
                                                                    const BasicOrbitalString& y) {
    BasicOrbitalString s;
    for (int k = 0; k < Words; ++k) s.words_[k] = x.words_[k] | y.words_[k];
    return s;
  }
  CISOLVE_HOST_DEVICE friend constexpr BasicOrbitalString operator^(const BasicOrbitalString& x,
                                                                    const BasicOrbitalString& y) {
    BasicOrbitalString s;
    for (int k = 0; k < Words; ++k) s.words_[k] = x.words_[k] ^ y.words_[k];
    return s;
  }
  /// Complement within all orbitals that there may be.
  CISOLVE_HOST_DEVICE friend constexpr BasicOrbitalString operator~(const BasicOrbitalString& x) {
    BasicOrbitalString s;
    for (int k = 0; k < Words; ++k) s.words_[k] = ~x.words_[k];
    return s;
  }
  CISOLVE_HOST_DEVICE friend constexpr bool operator==(const BasicOrbitalString& x,
                                                       const BasicOrbitalString& y) {
    return (x ^ y).empty();
  }
  CISOLVE_HOST_DEVICE friend constexpr std::strong_ordering operator<=>(
      const BasicOrbitalString& x, const BasicOrbitalString& y) {
    for (int k = Words - 1; k > 0; --k) {
      if (x.words_[k] != y.words_[k]) return x.words_[k] <=> y.words_[k];
    }
    return x.words_[0] <=> y.words_[0];
  }

  /// Visits the occupied orbitals, ascending.
  class Iterator {
   public:
    CISOLVE_HOST_DEVICE constexpr explicit Iterator(const BasicOrbitalString& s)
        : string_(s), left_(s.words_[0]) {
      skip_empty_words();
    }
    CISOLVE_HOST_DEVICE constexpr int operator*() const { return 64 * word_ + zeros_below(left_); }
    CISOLVE_HOST_DEVICE constexpr Iterator& operator++() {
      left_ &= left_ - 1;
      skip_empty_words();
      return *this;
    }
    CISOLVE_HOST_DEVICE constexpr bool operator!=(const Iterator&) const { return left_ != 0; }

   private:
    CISOLVE_HOST_DEVICE constexpr void skip_empty_words() {
      while (left_ == 0 && word_ < Words - 1) left_ = string_.words_[++word_];
    }

    BasicOrbitalString string_;
    std::uint64_t left_;  ///< of a word
    int word_ = 0;
  };
  CISOLVE_HOST_DEVICE constexpr Iterator begin() const {
    return Iterator(*this);
  }
  CISOLVE_HOST_DEVICE constexpr Iterator end() const {
    return Iterator({});
  }

  /// Bits of orbitals 64k … 64k + 63.
  CISOLVE_HOST_DEVICE constexpr std::uint64_t word(int k) const {
    return words_[k];
  }
  /// Bits of orbitals 8k … 8k + 7.
  CISOLVE_HOST_DEVICE constexpr unsigned byte(int k) const {
    return static_cast<unsigned>(word_with(8 * k) >> 8 * (k % 8) & 255);
  }

 private:
  CISOLVE_HOST_DEVICE constexpr std::uint64_t word_with(int p) const {
    std::uint64_t word = words_[0];
    for (int k = 1; k < Words; ++k) word = p / 64 == k ? words_[k] : word;
    return word;
  }
  CISOLVE_HOST_DEVICE static constexpr int bits_of(std::uint64_t word) {
#ifdef __CUDA_ARCH__
    return __popcll(word);
#else
    return std::popcount(word);
#endif
  }
  /// The lowest bit of a word that is not zero.
  CISOLVE_HOST_DEVICE static constexpr int zeros_below(std::uint64_t word) {
#ifdef __CUDA_ARCH__
    return __ffsll(static_cast<long long>(word)) - 1;
#else
    return std::countr_zero(word);
#endif
  }
  /// Bit of orbital p, and those below it, in word k.
  CISOLVE_HOST_DEVICE static constexpr std::uint64_t bit(int k, int p) {
    return Words == 1 || p / 64 == k ? std::uint64_t{1} << (p % 64) : 0;
  }
  CISOLVE_HOST_DEVICE static constexpr std::uint64_t bits_below(int k, int p) {
    return Words > 1 && p / 64 > k ? ~std::uint64_t{0} : (p / 64 < k ? 0 : bit(k, p) - 1);
  }

  std::uint64_t words_[Words] = {};
};

/// String of as many orbitals as a space may have.
using OrbitalString = BasicOrbitalString<2>;
/// String of products without a matrix and of GPUs.
using OrbitalString64 = BasicOrbitalString<1>;

}  // namespace cisolve

template <int Words>
struct std::hash<cisolve::BasicOrbitalString<Words>> {
  std::size_t operator()(const cisolve::BasicOrbitalString<Words>& s) const {
    std::uint64_t mixed = 0;
    for (int k = 0; k < Words; ++k) mixed = (mixed ^ s.word(k)) * 0x9e3779b97f4a7c15u;
    return static_cast<std::size_t>(mixed ^ mixed >> 32);
  }
};
