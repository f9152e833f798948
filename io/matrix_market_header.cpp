#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>

#include "core/error.hpp"
#include "core/text/text.hpp"
#include "core/text/text_file.hpp"
#include "io/matrix_market_text.hpp"
#include "io/matrix_reading.hpp"

namespace cisolve {
namespace {

[[noreturn]] void fail(const std::string& name, std::int64_t line, const std::string& what) {
  throw InputError(name + ":" + std::to_string(line) + ": " + what);
}

/// The line that begins at `text[position]`; moves `position` behind it.
std::string_view take_line(std::string_view text, std::size_t& position) {
  const std::size_t begin = position;
  const std::size_t newline = std::min(text.find('\n', begin), text.size());
  position = std::min(newline + 1, text.size());
  return text.substr(begin, newline - begin);
}

void read_banner(std::string_view line, const std::string& name, MatrixMarketHeader& header) {
  const std::string supported =
      "; supported: %%MatrixMarket matrix coordinate|array real|integer|pattern|complex "
      "general|symmetric, complex hermitian";
  const std::vector<std::string> words = split_fields(to_lower(line.substr(0, 256)));
  if (words.empty() || words[0] != "%%matrixmarket") {
    fail(name, 1, "no Matrix Market banner" + supported);
  }
  if (words.size() != 5) {
    fail(name, 1, "banner of " + std::to_string(words.size()) + " words, expected 5" + supported);
  }
  const auto require = [&](const std::string& word, std::initializer_list<const char*> taken) {
    if (std::find(taken.begin(), taken.end(), word) == taken.end()) {
      fail(name, 1, "'" + word + "' in the banner is not supported" + supported);
    }
  };
  require(words[1], {"matrix"});
  require(words[2], {"coordinate"});
  require(words[3], {"real", "integer", "pattern", "complex"});
  header.components = words[3] == "complex" ? 2 : 1;
  if (header.components == 2) {
    require(words[4], {"general", "symmetric", "hermitian"});
  } else {
    require(words[4], {"general", "symmetric"});
  }
  header.integer = words[3] == "integer";
  header.pattern = words[3] == "pattern";
  header.hermitian = words[4] == "hermitian";
  header.symmetric = header.hermitian || words[4] == "symmetric";
}

void read_sizes(std::string_view line, const std::string& name, MatrixMarketHeader& header) {
  const std::vector<std::string> fields = split_fields(line);
  std::array<std::int64_t, 3> sizes{};
  bool readable = fields.size() == 3;
  for (std::size_t i = 0; readable && i < 3; ++i) {
    const char* end = fields[i].data() + fields[i].size();
    const auto [stop, status] = std::from_chars(fields[i].data(), end, sizes[i]);
    readable = status == std::errc{} && stop == end && sizes[i] >= 0;
  }
  if (!readable) {
    fail(name, header.lines,
         "bad size line '" + std::string(line.substr(0, 80)) + "', expected: rows columns entries");
  }
  const std::string here = name + ":" + std::to_string(header.lines);
  header.rows = checked_dimension(sizes[0], "rows", here);
  header.columns = checked_dimension(sizes[1], "columns", here);
  header.entries = sizes[2];
  if (!is_believable(std::uint64_t(header.rows), std::uint64_t(header.entries))) {
    fail(name, header.lines,
         fields[0] + " rows, but " + fields[2] + " entries; expected one for every 1000 rows");
  }
  if (header.symmetric && header.rows != header.columns) {
    fail(name, header.lines,
         (header.hermitian ? "hermitian, but " : "symmetric, but ") + fields[0] + " rows and " +
             fields[1] + " columns, expected as many");
  }
}

}  // namespace

MatrixMarketHeader read_matrix_market_header(std::string_view text, const std::string& name) {
  MatrixMarketHeader header;
  read_banner(take_line(text, header.bytes), name, header);
  header.lines = 1;
  while (header.bytes < text.size()) {
    const std::string_view line = take_line(text, header.bytes);
    ++header.lines;
    const char* const end = line.data() + line.size();
    const char* const first = skip_blanks(line.data(), end);
    if (first == end || *first == '%') continue;
    read_sizes({first, static_cast<std::size_t>(end - first)}, name, header);
    return header;
  }
  fail(name, header.lines, "found no size line: rows columns entries");
}

double longest_matrix_market(std::string_view beginning, const std::string& name) {
  constexpr double longest_line = 256;  // on average, blanks and comments between lines included
  require_lines(beginning, name);
  if (is_matrix_market_array(beginning)) {
    return longest_line * double(count_matrix_market_array(beginning, name));
  }
  const MatrixMarketHeader header = read_matrix_market_header(beginning, name);
  return double(header.bytes) + longest_line * double(header.entries);
}

}  // namespace cisolve
