#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <iterator>

#include "core/text/text.hpp"
#include "core/text/text_blocks.hpp"
#include "core/threads/parallel.hpp"
#include "hamiltonian/integrals/fcidump/fcidump_store.hpp"

namespace cisolve {
namespace {

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

/// Finds the words and lines of a part of a text that begins and ends with whole lines.
class LineScanner {
 public:
  explicit LineScanner(std::string_view part) : at_(part.data()), end_(part.data() + part.size()) {}

  /// Goes to the next word of any line; false: there is none.
  bool find_line() {
    for (skip_spaces(); at_ != end_ && *at_ == '\n'; skip_spaces()) ++at_;
    return at_ != end_;
  }
  bool read_value(double& value) {
    auto [stop, error] = std::from_chars(at_, end_, value);
    if (error != std::errc() || !is_end_of_word(stop)) {
      while (stop != end_ && !is_space(*stop) && *stop != '\n') ++stop;
      const auto word = parse_real({at_, static_cast<std::size_t>(stop - at_)});
      if (!word) return false;
      value = *word;
    }
    at_ = stop;
    return std::isfinite(value);
  }
  /// The four of a line. Three are mostly written as on the line before, and then taken from it.
  bool read_indices(std::array<int, 4>& index, int norb) {
    if (repeats(first_three_)) {
      at_ += first_three_.size();
      return read_index(index[3], norb);
    }
    const char* const begin = at_;
    for (int i = 0; i < 3; ++i) {
      if (!read_index(index[i], norb)) return false;
    }
    first_three_ = {begin, static_cast<std::size_t>(at_ - begin)};
    return read_index(index[3], norb);
  }
  bool end_line() {
    skip_spaces();
    return at_ == end_ || *at_ == '\n';
  }

 private:
  /// True if the text goes on with these words and a space.
  bool repeats(std::string_view words) const {
    const std::size_t size = words.size();
    if (size < 8 || static_cast<std::size_t>(end_ - at_) <= size) return false;
    const auto differ = [&](std::size_t i) {
      return std::memcmp(at_ + i, words.data() + i, 8) != 0;
    };
    for (std::size_t i = 0; i + 8 < size; i += 8) {
      if (differ(i)) return false;
    }
    return !differ(size - 8) && is_space(at_[size]);
  }
  bool read_index(int& index, int norb) {
    skip_spaces();
    const char* const begin = at_;
    int number = 0;
    for (; at_ != end_ && *at_ >= '0' && *at_ <= '9' && number <= norb; ++at_) {
      number = 10 * number + (*at_ - '0');
    }
    index = number;
    return at_ != begin && number <= norb && is_end_of_word(at_);
  }
  void skip_spaces() {
    while (at_ != end_ && is_space(*at_)) ++at_;
  }
  bool is_end_of_word(const char* p) const {
    return p == end_ || (p != nullptr && (is_space(*p) || *p == '\n'));
  }

  const char* at_;
  const char* end_;
  std::string_view first_three_;  ///< indices of the last line, as written
};

/// Largest magnitude among the integrals of some lines, and among those that the irreps forbid.
struct Largest {
  double of_all = 0.0, of_forbidden = 0.0;
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

/// While lines are read, +0 is an element that no line has given yet, and −0 a zero that one has.
bool is_given(double value) {
  return std::bit_cast<std::uint64_t>(value) != 0;
}

/// Ends that: a(j, i) := a(i, j) := a(i, j) + 0 of i ≥ j, in squares that the cache holds. Returns
/// how many elements were given.
std::ptrdiff_t complete(TwoElectron& values) {
  constexpr int edge = 64;
  const int n = values.pairs();
  std::ptrdiff_t count = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : count)
  for (int top = 0; top < n; top += edge) {
    for (int left = 0; left <= top; left += edge) {
      for (int i = top; i < std::min(top + edge, n); ++i) {
        for (int j = left; j < std::min(left + edge, i + 1); ++j) {
          double& value = values.row(i)[j];
          count += is_given(value) ? 1 : 0;
          values.row(j)[i] = value += 0.0;
        }
      }
    }
  }
  return count;
}

}  // namespace

std::optional<double> FcidumpStore::add_lines(std::size_t begin, int norb,
                                              const std::vector<int>& irreps, double zero,
                                              std::vector<IntegralLine>& others) {
  TwoElectron& values = *two_[0].values;
  std::atomic<bool> plain = true;

  const auto measure = [&](const IntegralLine& line, Largest& largest) {
    if (line.index[1] == 0) return;  // an orbital's or the nuclei's energy
    const double size = std::abs(line.value);
    largest.of_all = std::max(largest.of_all, size);
    if (irreps.empty() || size <= largest.of_forbidden) return;
    int product = 0;
    for (const int index : line.index)
      if (index != 0) product = irrep_product(product, irreps[index - 1]);
    if (product != 0) largest.of_forbidden = size;
  };
  const auto add = [&](const IntegralLine& line) {
    const auto [p, q, r, s] = line.index;
    if (p == s && q == r && p != q) return false;  // (pq|qp): whether (pq|pq) is there decides
    int pq = pair_index(p - 1, q - 1), rs = pair_index(r - 1, s - 1);
    if (pq < rs) std::swap(pq, rs);
    const std::atomic_ref place(values.row(pq)[rs]);
    if (is_given(place.load(std::memory_order_relaxed))) return false;
    place.store(line.value == 0.0 ? -0.0 : line.value, std::memory_order_relaxed);
    return true;
  };
  std::atomic<std::ptrdiff_t> lines = 0;
  const auto take = [&](std::string_view part, std::vector<IntegralLine>& rest, Largest& largest) {
    std::ptrdiff_t added = 0;
    LineScanner scan(part);
    IntegralLine line;
    line.number = 1;  // any: 0 would be that of no line
    while (scan.find_line()) {
      if (!scan.read_value(line.value)) return false;
      if (!scan.read_indices(line.index, norb)) return false;
      if (!scan.end_line()) return false;
      measure(line, largest);
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

  Largest largest;
  const auto take_block = [&](std::string_view text) {
    const std::vector<std::string_view> parts = parts_of(text, std::size_t{1} << 20);
    std::vector<std::vector<IntegralLine>> others_of(parts.size());
    std::vector<Largest> largest_of(parts.size());
    FirstException exception;
#pragma omp parallel for schedule(dynamic)
    for (std::size_t i = 0; i < parts.size(); ++i) {
      exception.guard([&] {
        if (!plain) return;
        Largest of_part;
        if (!take(parts[i], others_of[i], of_part)) plain = false;
        largest_of[i] = of_part;
      });
    }
    exception.rethrow();
    for (const Largest& one : largest_of) {
      largest.of_all = std::max(largest.of_all, one.of_all);
      largest.of_forbidden = std::max(largest.of_forbidden, one.of_forbidden);
    }
    for (auto& some : others_of) std::ranges::move(some, std::back_inserter(others));
  };
  take_block(source_.text.substr(begin));
  if (source_.blocks != nullptr) {
    source_.blocks->rewind();
    for (std::string_view block; plain && source_.blocks->next(block);) take_block(block);
  }
  // Two threads may have met one quantity at once, and neither seen the other.
  if (!plain || lines != complete(values)) return {};
  if (largest.of_forbidden > zero * std::min(1.0, largest.of_all)) return {};
  return largest.of_all;
}

}  // namespace cisolve
