#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <iterator>

#include "core/parallel.hpp"
#include "core/text.hpp"
#include "hamiltonian/integrals/fcidump_store.hpp"

namespace cisolve {
namespace {

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

/// What separates words and lines of a part of a text that begins and ends with lines.
class LineScanner {
 public:
  explicit LineScanner(std::string_view part) : at_(part.data()), end_(part.data() + part.size()) {}

  /// Goes to the next word of any line; false: there is none.
  bool find_line() {
    while (at_ != end_ && (is_space(*at_) || *at_ == '\n')) ++at_;
    return at_ != end_;
  }
  bool read_value(double& value) {
    auto [stop, error] = std::from_chars(at_, end_, value);
    if (error != std::errc() || stop == end_ || !is_space(*stop)) {
      while (stop != end_ && !is_space(*stop) && *stop != '\n') ++stop;
      const auto word = parse_real({at_, static_cast<std::size_t>(stop - at_)});
      if (!word) return false;
      value = *word;
    }
    at_ = stop;
    return std::isfinite(value);
  }
  bool read_index(int& index, int norb) {
    while (at_ != end_ && is_space(*at_)) ++at_;
    const char* const begin = at_;
    int number = 0;
    for (; at_ != end_ && *at_ >= '0' && *at_ <= '9' && number <= norb; ++at_) {
      number = 10 * number + (*at_ - '0');
    }
    index = number;
    return at_ != begin && number <= norb && (at_ == end_ || is_space(*at_) || *at_ == '\n');
  }
  bool end_line() {
    while (at_ != end_ && is_space(*at_)) ++at_;
    return at_ == end_ || *at_ == '\n';
  }

 private:
  const char* at_;
  const char* end_;
};

/// Parts of about that many bytes, each from the beginning of a line to the end of one.
std::vector<std::string_view> parts_of(std::string_view text, std::size_t bytes) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = text.size() <= bytes ? text.npos : text.find('\n', bytes);
    parts.push_back(text.substr(0, end));
    text.remove_prefix(parts.back().size());
  }
  return parts;
}

/// a(j, i) := a(i, j) of i ≥ j, in squares that the cache holds.
void mirror(TwoElectron& values) {
  constexpr int edge = 64;
  const int n = values.pairs();
#pragma omp parallel for schedule(dynamic)
  for (int top = 0; top < n; top += edge) {
    for (int left = 0; left <= top; left += edge) {
      for (int i = top; i < std::min(top + edge, n); ++i) {
        for (int j = left; j < std::min(left + edge, i); ++j) {
          values.row(j)[i] = values.row(i)[j];
        }
      }
    }
  }
}

/// How many quantities have a line.
std::ptrdiff_t given(const std::vector<std::uint32_t>& lines) {
  std::ptrdiff_t count = 0;
#pragma omp parallel for reduction(+ : count)
  for (const std::uint32_t line : lines) count += line != 0 ? 1 : 0;
  return count;
}

}  // namespace

bool FcidumpStore::add_lines(std::string_view text, int norb, const std::vector<int>& irreps,
                             double zero, std::vector<IntegralLine>& others) {
  TwoElectronSet& set = two_[0];
  TwoElectron& values = *set.values;
  const std::vector<std::string_view> parts = parts_of(text, std::size_t{1} << 20);
  std::vector<std::vector<IntegralLine>> others_of(parts.size());
  std::atomic<bool> plain = true;

  const auto vanishes = [&](const IntegralLine& line) {
    if (irreps.empty() || std::abs(line.value) <= zero) return true;
    int product = 0;
    for (const int index : line.index) product ^= index != 0 ? irreps[index - 1] : 0;
    return product == 0;
  };
  const auto add = [&](const IntegralLine& line) {
    const auto [p, q, r, s] = line.index;
    int pq = pair_index(p - 1, q - 1), rs = pair_index(r - 1, s - 1);
    if (pq < rs) std::swap(pq, rs);
    const std::atomic_ref first(set.lines[static_cast<std::size_t>(pq) * (pq + 1) / 2 + rs]);
    if (first.load(std::memory_order_relaxed) != 0) return false;
    first.store(1, std::memory_order_relaxed);
    values.row(pq)[rs] = line.value;
    return true;
  };
  std::atomic<std::ptrdiff_t> lines = 0;
  const auto take = [&](std::string_view part, std::vector<IntegralLine>& rest) {
    std::ptrdiff_t added = 0;
    LineScanner scan(part);
    IntegralLine line;
    line.number = 1;  // any: 0 would be that of no line
    while (scan.find_line()) {
      if (!scan.read_value(line.value)) return false;
      for (int& index : line.index) {
        if (!scan.read_index(index, norb)) return false;
      }
      if (!scan.end_line() || !vanishes(line)) return false;
      const auto [p, q, r, s] = line.index;
      if (p != 0 && q != 0 && r != 0 && s != 0) {
        if (!add(line)) return false;
        ++added;
      } else {
        rest.push_back(line);
      }
    }
    lines += added;
    return true;
  };

  FirstException exception;
#pragma omp parallel for schedule(dynamic)
  for (std::size_t i = 0; i < parts.size(); ++i) {
    exception.guard([&] {
      if (plain && !take(parts[i], others_of[i])) plain = false;
    });
  }
  exception.rethrow();
  // Two threads may have met one quantity at once, and neither seen the other.
  if (!plain || lines != given(set.lines)) return false;
  for (auto& some : others_of) std::ranges::move(some, std::back_inserter(others));
  mirror(values);
  return true;
}

}  // namespace cisolve
