#include <cctype>
#include <charconv>
#include <cstdint>

#include "core/error.hpp"
#include "core/text/text.hpp"
#include "io/matrix_market_text.hpp"

namespace cisolve {
namespace {

/// Lines of a text with their numbers; comments (%) and blank lines are skipped.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}
  bool next(std::string_view& line) {
    while (!rest_.empty()) {
      line = rest_.substr(0, rest_.find('\n'));
      rest_.remove_prefix(std::min(line.size() + 1, rest_.size()));
      ++number_;
      const auto first = line.find_first_not_of(" \t\r");
      if (first == line.npos || line[first] == '%') continue;
      line = line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
      return true;
    }
    return false;
  }
  std::string number() const { return std::to_string(number_); }

 private:
  std::string_view rest_;
  long number_ = 0;
};

/// A number of rows or columns at the beginning of `text`, which is moved past it and the blanks
/// behind it; 0 where there is none.
Index take_size(std::string_view& text) {
  Index size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (error != std::errc() || size < 1) return 0;
  text.remove_prefix(end - text.data());
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  return size;
}

/// Rows and columns, and how many elements follow.
struct ArrayHead {
  Index rows = 0, columns = 0;
  bool symmetric = false, hermitian = false;
  int components = 1;
  std::int64_t values() const {
    return symmetric ? std::int64_t{rows} * (rows + 1) / 2 : std::int64_t{rows} * columns;
  }
};

/// The first line in lower case, without blanks at its end.
std::string banner_of(std::string_view text) {
  std::string banner = to_lower(text.substr(0, std::min<std::size_t>(text.find('\n'), 200)));
  while (!banner.empty() && std::isspace(static_cast<unsigned char>(banner.back()))) {
    banner.pop_back();
  }
  return banner;
}

[[noreturn]] void refuse_line(const std::string& name, const Lines& lines, std::string_view line,
                              const std::string& expected) {
  throw InputError(name + ":" + lines.number() + ": found '" + std::string(line.substr(0, 80)) +
                   "', expected " + expected);
}

/// A line of `count` numbers.
bool parse_element(std::string_view line, double* numbers, int count) {
  const char* p = line.data();
  const char* const end = p + line.size();
  for (int c = 0; c < count; ++c) {
    if (c > 0 && skip_blanks(p, end) == p) return false;
    p = skip_blanks(p, end);
    const auto [stop, bad] = std::from_chars(p + (p < end && *p == '+'), end, numbers[c]);
    if (bad != std::errc()) return false;
    p = stop;
  }
  return p == end;
}

/// The size line; the banner is behind.
ArrayHead take_array_head(std::string_view banner, Lines& lines, const std::string& name) {
  std::string_view line;
  lines.next(line);
  std::string_view sizes = line;
  const Index rows = take_size(sizes), columns = take_size(sizes);
  if (rows == 0 || columns == 0 || !sizes.empty()) {
    refuse_line(name, lines, line, "a size line, rows and columns");
  }
  const bool hermitian = banner.ends_with("hermitian");
  const ArrayHead head{rows, columns, hermitian || banner.ends_with("symmetric"), hermitian,
                       banner.find(" complex ") == banner.npos ? 1 : 2};
  if (head.symmetric && rows != columns) {
    refuse_line(name, lines, line, "as many rows as columns of a symmetric matrix");
  }
  return head;
}

}  // namespace

bool is_matrix_market_array(std::string_view text) {
  const std::string banner = banner_of(text);
  for (const char* kind : {"real general", "real symmetric", "integer general", "integer symmetric",
                           "complex general", "complex symmetric", "complex hermitian"}) {
    if (banner == std::string("%%matrixmarket matrix array ") + kind) return true;
  }
  return false;
}

std::int64_t count_matrix_market_array(std::string_view beginning, const std::string& name) {
  Lines lines(beginning);
  return take_array_head(banner_of(beginning), lines, name).values();
}

DenseNumbers parse_matrix_market_array(std::string_view text, const std::string& name) {
  Lines lines(text);
  std::string_view line;
  const auto fail = [&](const std::string& expected) { refuse_line(name, lines, line, expected); };
  const ArrayHead head = take_array_head(banner_of(text), lines, name);
  const int d = head.components;
  const std::string count = std::to_string(head.values());
  // The size in the header is checked against the file's length.
  if (head.values() > std::ssize(text)) {
    throw InputError(name + ": the file is too short for " + count + " values");
  }
  HostMatrix x(head.rows, Eigen::Index{head.columns} * d);
  std::int64_t found = 0;
  for (Eigen::Index j = 0; j < head.columns; ++j) {
    for (Eigen::Index i = head.symmetric ? j : 0; i < head.rows; ++i, ++found) {
      if (!lines.next(line)) {
        throw InputError(name + ": found " + std::to_string(found) + " values, expected " + count);
      }
      if (!parse_element(line, &x(i, j * d), d)) fail(d == 1 ? "one number" : "two numbers");
      if (d == 2 && head.symmetric && x(i, j * d + 1) != 0.0) {
        if (i == j) fail("a real number on the diagonal of a Hermitian matrix");
        if (!head.hermitian)
          fail("a real number: 'complex symmetric' is read where it is Hermitian");
      }
      if (!head.symmetric || i == j) continue;
      x(j, i * d) = x(i, j * d);
      if (d == 2) x(j, i * d + 1) = (head.hermitian ? -1.0 : 1.0) * x(i, j * d + 1);
    }
  }
  if (lines.next(line)) fail("the end of the file after " + count + " values");
  return {std::move(x), d};
}

}  // namespace cisolve
