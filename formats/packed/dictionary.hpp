#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "core/array.hpp"
#include "core/host_device.hpp"
#include "core/mixed.hpp"
#include "formats/matrix/csr_matrix.hpp"

namespace cisolve {

/// A code is a magnitude's number in a dictionary, of 15 bits, and the sign, the highest of 16.
inline constexpr std::uint16_t sign_of_code = 0x8000;
/// Magnitudes of a dictionary, the 0 of padding among them.
inline constexpr int most_magnitudes = 0x8000;

/// The magnitudes that occur most often in the matrix, most frequent first, behind a 0 for padding:
/// at most 2^15. Nearly all elements of a CI matrix are ± two-electron integrals, of which there
/// are few. Counted on all entries or, of more than 2^21, on about so many, those of `drawn_rows`;
/// those met less than three times, or less than once in 150,000 entries, are left out. The same
/// for any number of threads.
Array<double> frequent_magnitudes(const CsrMatrix& a);
/// The same from the elements of the rows drawn alone.
Array<double> frequent_magnitudes(std::span<const double> elements);
/// The rows whose elements are counted, drawn by their number.
std::vector<Index> drawn_rows(Index rows, Offset nonzeros);

/// The element that a code stands for.
inline double decoded(const double* dictionary, std::uint16_t code) {
  const auto magnitude = std::bit_cast<std::uint64_t>(dictionary[code & ~sign_of_code]);
  const auto sign = static_cast<std::uint64_t>(code & sign_of_code) << 48;
  return std::bit_cast<double>(magnitude ^ sign);
}

/// From elements to codes: a table of the dictionary's magnitudes, open addressing with linear
/// probing.
class Encoder {
 public:
  explicit Encoder(const Array<double>& dictionary);

  /// The code that is decoded to `element`, bit for bit; 0 where the dictionary has not its
  /// magnitude, and for +0.0.
  std::uint16_t operator()(double element) const {
    return code(slots_.data(), slots_.size(), std::bit_cast<std::uint64_t>(element));
  }

  struct Slot {
    std::uint64_t magnitude = 0;  ///< its bits; 0: free, and the number then is 0 as well
    std::uint16_t number = 0;
  };
  /// The table: a power of two of slots.
  const std::vector<Slot>& slots() const { return slots_; }
  /// The code of the element of these bits by such a table, wherever it lies.
  CISOLVE_HOST_DEVICE static std::uint16_t code(const Slot* slots, std::size_t count,
                                                std::uint64_t bits) {
    constexpr std::uint64_t sign_of_double = std::uint64_t{1} << 63;
    const std::uint64_t magnitude = bits & ~sign_of_double;
    std::size_t place = mixed(magnitude) & (count - 1);
    while (slots[place].magnitude != magnitude) {
      if (slots[place].magnitude == 0) return 0;
      place = (place + 1) & (count - 1);
    }
    return static_cast<std::uint16_t>(slots[place].number | (bits & sign_of_double) >> 48);
  }

 private:
  std::vector<Slot> slots_;
};

}  // namespace cisolve
