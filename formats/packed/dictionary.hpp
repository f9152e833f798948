#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "core/array.hpp"
#include "core/host_device.hpp"
#include "core/mixed.hpp"
#include "formats/matrix/csr_matrix.hpp"
#include "formats/matrix/elements.hpp"

namespace cisolve {

/// A code is a magnitude's number in a dictionary and, in the highest bits of 16, the signs of the
/// element: one of a real number; of a complex one two, the real part's the highest, for its
/// magnitude is |re|, |im|, so that ±a and ±a* have one.
inline constexpr std::uint16_t sign_of_code = 0x8000;
/// The bits of the signs of an element of so many numbers.
CISOLVE_HOST_DEVICE constexpr std::uint16_t signs_of_code(int components) {
  return static_cast<std::uint16_t>(0xffff0000u >> components);
}
/// Magnitudes of a dictionary, the 0 of padding among them.
constexpr std::size_t most_magnitudes(int components) {
  return std::size_t{0x10000} >> components;
}

/// The magnitudes that occur most often in the matrix, most frequent first, behind a 0 for padding:
/// at most 2^15, of complex elements 2^14. Nearly all elements of a CI matrix are ± two-electron
/// integrals, or complex conjugates of these, of which there are few. Counted on all entries or, of
/// more than 2^21, on about so many, those of `drawn_rows`; those met less than three times, or
/// less than once in 150,000 entries, are left out. The result is the same for any number of
/// threads.
Array<double> frequent_magnitudes(const CsrMatrix& a);
/// Magnitudes from the elements of the rows drawn alone.
Array<double> frequent_magnitudes(std::span<const double> elements, int components = 1);
/// The rows whose elements are counted, drawn by their number.
std::vector<Index> drawn_rows(Index rows, Offset nonzeros);

/// The element, of D real numbers, that a code stands for.
template <int D = 1>
FieldElement<D> decoded(const double* dictionary, std::uint16_t code) {
  FieldElement<D> element;
  auto* const numbers = reinterpret_cast<double*>(&element);
  const double* const of_code = dictionary + (code & ~signs_of_code(D)) * D;
  for (int c = 0; c < D; ++c) {
    const auto magnitude = std::bit_cast<std::uint64_t>(of_code[c]);
    const auto sign = static_cast<std::uint64_t>(code << c & sign_of_code) << 48;
    numbers[c] = std::bit_cast<double>(magnitude ^ sign);
  }
  return element;
}

/// The bits of the numbers of a complex element.
struct PairBits {
  std::uint64_t re = 0, im = 0;
  friend bool operator==(const PairBits&, const PairBits&) = default;
};

/// From elements of D real numbers to codes: a table of the dictionary's magnitudes, open
/// addressing with linear probing.
template <int D = 1>
class Encoder {
 public:
  using Bits = std::conditional_t<D == 1, std::uint64_t, PairBits>;

  explicit Encoder(const Array<double>& dictionary);

  /// The code that is decoded to `element`, bit for bit; 0 where the dictionary has not its
  /// magnitude, and for +0.0.
  std::uint16_t operator()(const FieldElement<D>& element) const {
    return code(slots_.data(), slots_.size(), std::bit_cast<Bits>(element));
  }

  struct Slot {
    Bits magnitude = {};  ///< its bits; 0: free, and the number then is 0 as well
    std::uint16_t number = 0;
  };
  /// The table: a power of two of slots.
  const std::vector<Slot>& slots() const { return slots_; }
  /// The code of the element of these bits by such a table, wherever it lies.
  CISOLVE_HOST_DEVICE static std::uint16_t code(const Slot* slots, std::size_t count, Bits bits) {
    const Bits magnitude = without_signs(bits);
    std::size_t place = mixed_bits(magnitude) & (count - 1);
    while (slots[place].magnitude != magnitude) {
      if (slots[place].magnitude == Bits{}) return 0;
      place = (place + 1) & (count - 1);
    }
    return static_cast<std::uint16_t>(slots[place].number | code_signs(bits));
  }

 private:
  static constexpr std::uint64_t sign = std::uint64_t{1} << 63;  ///< of a number

  CISOLVE_HOST_DEVICE static std::uint64_t without_signs(std::uint64_t bits) {
    return bits & ~sign;
  }
  CISOLVE_HOST_DEVICE static std::uint64_t mixed_bits(std::uint64_t magnitude) {
    return mixed(magnitude);
  }
  CISOLVE_HOST_DEVICE static std::uint64_t code_signs(std::uint64_t bits) {
    return (bits & sign) >> 48;
  }
  static PairBits without_signs(PairBits bits) { return {bits.re & ~sign, bits.im & ~sign}; }
  static std::uint64_t mixed_bits(PairBits magnitude) {
    return mixed(magnitude.re ^ mixed(magnitude.im));
  }
  static std::uint64_t code_signs(PairBits bits) {
    return (bits.re & sign) >> 48 | (bits.im & sign) >> 49;
  }

  std::vector<Slot> slots_;
};

}  // namespace cisolve
