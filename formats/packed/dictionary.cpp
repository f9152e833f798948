#include "formats/packed/dictionary.hpp"

#include <algorithm>
#include <cmath>
#include <parallel/algorithm>
#include <utility>

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

/// Ascending. NaN has none; whoever packs the matrix refuses it.
std::vector<double> sorted_magnitudes(std::span<const double> elements) {
  std::vector<double> sample;
  sample.reserve(elements.size());
  for (const double element : elements) {
    if (!std::isnan(element)) sample.push_back(std::abs(element));
  }
  __gnu_parallel::sort(sample.begin(), sample.end());
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
