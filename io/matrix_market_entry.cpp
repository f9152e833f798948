#include <charconv>
#include <cmath>
#include <sstream>

#include "core/text/text.hpp"
#include "io/matrix_market_text.hpp"

namespace cisolve {
namespace {

bool field_ends(const char* p, const char* end) {
  return p == end || *p == ' ' || *p == '\n' || *p == '\t' || *p == '\r';
}

/// A 1-based number up to `most`; `index` is 0-based.
const char* parse_index(const char* p, const char* end, Index most, Index& index) {
  std::int64_t number = 0;
  const auto [stop, status] = std::from_chars(p, end, number);
  if (status != std::errc{} || number < 1 || number > most || !field_ends(stop, end)) {
    return nullptr;
  }
  index = static_cast<Index>(number - 1);
  return stop;
}

const char* parse_integer(const char* p, const char* end, double& value) {
  constexpr std::int64_t most = std::int64_t{1} << 53;  // beyond, doubles skip integers
  if (end - p > 1 && *p == '+' && p[1] != '-') ++p;
  std::int64_t number = 0;
  const auto [stop, status] = std::from_chars(p, end, number);
  if (status != std::errc{} || number < -most || number > most) return nullptr;
  value = static_cast<double>(number);
  return stop;
}

const char* parse_real_field(const char* p, const char* end, double& value) {
  const char* stop = p;
  while (!field_ends(stop, end)) ++stop;
  const auto number = parse_real({p, static_cast<std::size_t>(stop - p)});
  value = number.value_or(0.0);
  return number ? stop : nullptr;
}

/// A finite number.
const char* parse_value(const char* p, const char* end, bool integer, double& value) {
  p = integer ? parse_integer(p, end, value) : parse_real_field(p, end, value);
  return p != nullptr && field_ends(p, end) && std::isfinite(value) ? p : nullptr;
}

}  // namespace

const char* parse_place(const char* p, const char* end, const MatrixMarketHeader& header,
                        MatrixMarketEntry& entry) {
  p = parse_index(p, end, header.rows, entry.row);
  if (p == nullptr) return nullptr;
  return parse_index(skip_blanks(p, end), end, header.columns, entry.column);
}

const char* parse_entry(const char* p, const char* end, const MatrixMarketHeader& header,
                        MatrixMarketEntry& entry) {
  p = parse_place(p, end, header, entry);
  if (p == nullptr) return nullptr;
  if (header.pattern) {
    entry.value = 1.0;
  } else {
    p = parse_value(skip_blanks(p, end), end, header.integer, entry.value);
  }
  if (p != nullptr && header.components == 2) {
    p = parse_value(skip_blanks(p, end), end, false, entry.imaginary);
  }
  if (p == nullptr) return nullptr;
  p = skip_blanks(p, end);
  return p == end || *p == '\n' ? p : nullptr;
}

std::vector<std::string> split_fields(std::string_view line) {
  std::istringstream stream{std::string(line)};
  std::vector<std::string> fields;
  for (std::string field; stream >> field;) fields.push_back(field);
  return fields;
}

std::string entry_fault(std::string_view line, const MatrixMarketHeader& header) {
  const std::vector<std::string> fields = split_fields(line);
  const char* const expected = header.pattern           ? "2: row column"
                               : header.components == 2 ? "4: row column real imaginary"
                                                        : "3: row column value";
  if (fields.size() != static_cast<std::size_t>(expected[0] - '0')) {
    return std::to_string(fields.size()) + " fields, expected " + expected;
  }
  const auto is_index = [](const std::string& field, Index most) {
    Index index = 0;
    return parse_index(field.data(), field.data() + field.size(), most, index) != nullptr;
  };
  const auto is_number = [](const std::string& field) {
    double value = 0.0;
    return parse_value(field.data(), field.data() + field.size(), false, value) != nullptr;
  };
  const auto range = [](Index most) {
    return "', expected a whole number from 1 to " + std::to_string(most);
  };
  if (!is_index(fields[0], header.rows)) return "row '" + fields[0] + range(header.rows);
  if (!is_index(fields[1], header.columns)) return "column '" + fields[1] + range(header.columns);
  const std::string& value = fields[header.components == 2 && is_number(fields[2]) ? 3 : 2];
  return "value '" + value + "', expected " +
         (header.integer ? "a whole number within ±2^53" : "a finite number");
}

}  // namespace cisolve
