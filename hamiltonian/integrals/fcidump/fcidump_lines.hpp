#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "core/error.hpp"
#include "hamiltonian/integrals/fcidump/fcidump_keys.hpp"
#include "hamiltonian/integrals/fcidump/namelist.hpp"

namespace cisolve {

/// One line `value i j k l` of an FCIDUMP file.
struct IntegralLine {
  double value = 0.0;
  std::array<int, 4> index = {};  ///< 1-based, 0 for none
  std::size_t number = 0;         ///< the line's, from 1
};

/// One line of a file of integrals of fourfold symmetry; `value` is the real part.
struct ComplexIntegralLine : IntegralLine {
  double imaginary = 0.0;
};

/// A line has a number above that of the orbitals.
struct BeyondNorb : InputError {
  using InputError::InputError;
};

/// "value i j k l", "(re,im) i j k l", for messages.
std::string describe(const IntegralLine& line);
std::string describe(const ComplexIntegralLine& line);

/// The lines that follow an FCIDUMP header, one by one; blank ones are skipped, and so is what
/// follows a !, and a line that opens with #.
class IntegralLines {
 public:
  /// Reads what follows `begin`, the end of line `number`; indices go from 0 to `norb`.
  IntegralLines(const NamedText& source, std::size_t begin, std::size_t number, int norb);

  /// False at the end of the file, which may have words behind a core energy as its last integral.
  /// Throws InputError on a line that is not a finite real number (Fortran's D exponents included)
  /// and four indices, and BeyondNorb on an index above `norb`.
  bool next(IntegralLine& line) { return next_of(line); }
  /// Reads a line of a file of complex integrals, whose lines are `(re,im) i j k l`, with blanks
  /// between the parentheses or without, or `re im i j k l`; the core energy may be one real
  /// number.
  bool next(ComplexIntegralLine& line) { return next_of(line); }
  /// Reads a line of a file of such values; of real ones the imaginary part is 0.
  bool next(ComplexIntegralLine& line, IntegralValues values) {
    return values == IntegralValues::complex ? next(line) : next(static_cast<IntegralLine&>(line));
  }
  /// True if the next line has a complex value. `re im i j k l` with a whole number as im, which
  /// could be an index, is one only if the header says that values are complex.
  bool next_is_complex(bool said) const;
  /// Number of the last line so far.
  std::size_t number() const { return number_; }
  /// Number of the first line of the words at the end; 0: there are none.
  std::size_t words() const { return words_; }

 private:
  std::string_view next_text();
  bool at_end() const;
  template <class Line>
  bool next_of(Line& line);
  template <class Line>
  void skip_words(std::string_view first);
  void parse(std::string_view text, IntegralLine& line) const;
  void parse(std::string_view text, ComplexIntegralLine& line) const;
  double parse_value(std::string_view word) const;
  int parse_index(std::string_view word) const;
  [[noreturn]] void fail(const std::string& what) const { source_.fail(number_, what); }

  const NamedText& source_;
  std::string_view rest_;  // of a block; starts with the newline that ends line number_
  std::size_t number_;
  int norb_;
  std::size_t words_ = 0;
  bool core_energy_ = false;  // was the last line
};

}  // namespace cisolve
