#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "core/types.hpp"
#include "io/dense_numbers.hpp"

namespace cisolve {

/// The text of a Matrix Market file: its head and its entry lines. (R. F. Boisvert, R. Pozo,
/// K. A. Remington, The Matrix Market Exchange Formats: Initial Design, NISTIR 5935, 1996.)

struct MatrixMarketHeader {
  Index rows = 0;
  Index columns = 0;
  Offset entries = 0;      ///< as announced
  bool symmetric = false;  ///< of an entry and its mirror image one is in the file
  bool hermitian = false;  ///< of which the other is the conjugate
  int components = 1;      ///< real numbers of an entry
  bool integer = false;
  bool pattern = false;    ///< entries without values, which are 1
  std::size_t bytes = 0;   ///< of the text up to and with the size line
  std::int64_t lines = 0;  ///< as many lines
};

/// Banner and size line. Throws InputError, naming `name` and the line, on a malformed or
/// unsupported one.
MatrixMarketHeader read_matrix_market_header(std::string_view text, const std::string& name);

/// Most bytes of a text with this beginning, whatever its format. Throws InputError, naming `name`,
/// where that is no Matrix Market file.
double longest_matrix_market(std::string_view beginning, const std::string& name);

/// The words of a line.
std::vector<std::string> split_fields(std::string_view line);

/// One line of the file, numbered from 0.
struct MatrixMarketEntry {
  Index row = 0;
  Index column = 0;
  double value = 0.0;
  double imaginary = 0.0;
};

/// True if it begins with the banner of the array format, "%%MatrixMarket matrix array real|integer
/// general|symmetric" or "complex general|symmetric|hermitian".
bool is_matrix_market_array(std::string_view text);

/// Elements that a text with this beginning has. Throws InputError, naming `name` and the line.
std::int64_t count_matrix_market_array(std::string_view beginning, const std::string& name);

/// Such a text: "rows columns", then one element a line, column by column, of a symmetric matrix
/// from the diagonal on. Throws InputError, naming `name` and the line.
DenseNumbers parse_matrix_market_array(std::string_view text, const std::string& name);

// A cursor `p` moves over text that ends at `end`; nullptr says "unreadable".

inline const char* skip_blanks(const char* p, const char* end) {
  while (p < end && (*p == ' ' || *p == '\t' || *p == '\r')) ++p;
  return p;
}

inline const char* line_end(const char* p, const char* end) {
  const void* newline = std::memchr(p, '\n', static_cast<std::size_t>(end - p));
  return newline != nullptr ? static_cast<const char*>(newline) : end;
}

/// Row and column at the head of an entry line, within the matrix.
const char* parse_place(const char* p, const char* end, const MatrixMarketHeader& header,
                        MatrixMarketEntry& entry);

/// A whole entry, to the end of its line: row, column and, but in a pattern, a finite value, of
/// which a complex one has two.
const char* parse_entry(const char* p, const char* end, const MatrixMarketHeader& header,
                        MatrixMarketEntry& entry);

/// Fault that parse_entry finds in `line`, in words.
std::string entry_fault(std::string_view line, const MatrixMarketHeader& header);

/// Calls `visit(p, end)` with the first field of every line that is neither blank nor a comment;
/// visit returns the end of its line or nullptr. Returns how many lines were visited, −1 when a
/// visit failed.
template <class Visit>
Offset for_each_entry_line(std::string_view text, Visit visit) {
  const char* const end = text.data() + text.size();
  Offset visited = 0;
  for (const char* p = text.data(); p < end; p += p < end) {  // the step is over the newline
    p = skip_blanks(p, end);
    if (p == end || *p == '\n') continue;
    if (*p == '%') {
      p = line_end(p, end);
      continue;
    }
    p = visit(p, end);
    if (p == nullptr) return -1;
    ++visited;
  }
  return visited;
}

}  // namespace cisolve
