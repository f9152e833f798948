#include "formats/packed/dictionary.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/parallel.hpp"

namespace cisolve {
namespace {

/// Entries that are counted, about.
constexpr Offset sample_size = Offset{1} << 21;
/// A magnitude that occurs less often pays little more than its place in the dictionary: in a
/// symmetric matrix of elements that all differ each occurs twice, or four times where alpha and
/// beta can be exchanged.
Offset fewest_occurrences(std::size_t sampled) {
  return std::max<Offset>(3, static_cast<Offset>(sampled) / 150000);
}

/// How many of the first k elements of the two, merged, are a's; a's come first among equals. Both
/// are ascending and have k elements or more together.
std::size_t taken_of_first(std::span<const double> a, std::span<const double> b, std::size_t k) {
  std::size_t least = k - std::min(k, b.size()), most = std::min(k, a.size());
  while (least < most) {
    const std::size_t middle = (least + most) / 2;
    if (a[middle] <= b[k - middle - 1]) {
      least = middle + 1;
    } else {
      most = middle;
    }
  }
  return least;
}

/// Every thread sorts a part; then neighbouring parts are merged into parts twice as wide, the
/// result of every merge shared out evenly, until there is one. What needs memory takes it before
/// the threads begin, so that the lack of it is an exception as everywhere.
void sort_in_parallel(std::vector<double>& numbers) {
  const std::size_t parts = worth_threads(10.0 * static_cast<double>(numbers.size()))
                                ? static_cast<std::size_t>(omp_get_max_threads())
                                : 1;
  const auto begin = [&](std::size_t part) {
    return numbers.size() * std::min(part, parts) / parts;
  };
#pragma omp parallel for if (parts > 1) schedule(static, 1)
  for (std::size_t part = 0; part < parts; ++part) {
    std::sort(numbers.begin() + begin(part), numbers.begin() + begin(part + 1));
  }
  std::vector<double> merged(parts > 1 ? numbers.size() : 0);
  for (std::size_t width = 1; width < parts; width *= 2) {
#pragma omp parallel for schedule(static, 1)
    for (std::size_t part = 0; part < parts; ++part) {
      const std::size_t first = part / (2 * width) * (2 * width);
      const double* const from = numbers.data();
      const std::span a(from + begin(first), from + begin(first + width));
      const std::span b(from + begin(first + width), from + begin(first + 2 * width));
      const std::size_t k = begin(part) - begin(first), end = begin(part + 1) - begin(first);
      const std::size_t k_of_a = taken_of_first(a, b, k), end_of_a = taken_of_first(a, b, end);
      std::merge(a.begin() + k_of_a, a.begin() + end_of_a, b.begin() + (k - k_of_a),
                 b.begin() + (end - end_of_a), merged.begin() + begin(part));
    }
    numbers.swap(merged);
  }
}

/// Ascending. NaN has none; whoever packs the matrix refuses it.
std::vector<double> sorted_magnitudes(std::span<const double> elements) {
  std::vector<double> sample;
  sample.reserve(elements.size());
  for (const double element : elements) {
    if (!std::isnan(element)) sample.push_back(std::abs(element));
  }
  sort_in_parallel(sample);
  return sample;
}

}  // namespace

std::vector<Index> drawn_rows(Index rows, Offset nonzeros) {
  const auto one_in = static_cast<std::uint64_t>(std::max<Offset>(1, nonzeros / sample_size));
  std::vector<Index> drawn;
  for (Index i = 0; i < rows; ++i) {
    // By a mixed number: rows at a fixed distance may all be of one kind.
    if (mixed(static_cast<std::uint64_t>(i)) % one_in == 0) drawn.push_back(i);
  }
  return drawn;
}

Array<double> frequent_magnitudes(const CsrMatrix& a) {
  return frequent_magnitudes(selected_rows(a, drawn_rows(a.rows, a.nonzeros())).values);
}

Array<double> frequent_magnitudes(std::span<const double> elements) {
  const std::vector<double> sample = sorted_magnitudes(elements);
  const Offset fewest = fewest_occurrences(sample.size());
  std::vector<std::pair<Offset, double>> frequent;  // −occurrences, magnitude
  for (auto first = sample.begin(); first != sample.end();) {
    const auto last = std::upper_bound(first, sample.end(), *first);
    if (last - first >= fewest && *first != 0.0) frequent.emplace_back(first - last, *first);
    first = last;
  }
  std::ranges::sort(frequent);
  if (frequent.size() >= most_magnitudes) frequent.resize(most_magnitudes - 1);
  Array<double> dictionary{0.0};
  for (const auto& [occurrences, magnitude] : frequent) dictionary.push_back(magnitude);
  return dictionary;
}

Encoder::Encoder(const Array<double>& dictionary) : slots_(std::bit_ceil(4 * dictionary.size())) {
  for (std::size_t number = 1; number < dictionary.size(); ++number) {
    const auto magnitude = std::bit_cast<std::uint64_t>(dictionary[number]);
    std::size_t place = mixed(magnitude) & (slots_.size() - 1);
    while (slots_[place].magnitude != 0) place = (place + 1) & (slots_.size() - 1);
    slots_[place] = {magnitude, static_cast<std::uint16_t>(number)};
  }
}

}  // namespace cisolve
