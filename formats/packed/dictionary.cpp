#include "formats/packed/dictionary.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/threads/parallel.hpp"

namespace cisolve {
namespace {

/// Entries that are counted, about.
constexpr Offset sample_size = Offset{1} << 21;
/// A magnitude that occurs less often saves little more than its place in the dictionary costs. If
/// all elements of a symmetric matrix differ, each occurs twice, or four times if alpha and beta
/// can be exchanged.
Offset fewest_occurrences(std::size_t sampled) {
  return std::max<Offset>(3, static_cast<Offset>(sampled) / 150000);
}

/// Number of elements of a among the first k of the two, merged; a's come first among equals. Both
/// ascend and have k elements or more together.
template <class T>
std::size_t taken_of_first(std::span<const T> a, std::span<const T> b, std::size_t k) {
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

/// Every thread sorts a part. Neighbouring parts are then merged into parts twice as wide, the
/// threads sharing the result of every merge evenly, until there is one. Memory is allocated before
/// the threads begin, so that its lack is an exception as elsewhere.
template <class T>
void sort_in_parallel(std::vector<T>& numbers) {
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
  std::vector<T> merged(parts > 1 ? numbers.size() : 0);
  for (std::size_t width = 1; width < parts; width *= 2) {
#pragma omp parallel for schedule(static, 1)
    for (std::size_t part = 0; part < parts; ++part) {
      const std::size_t first = part / (2 * width) * (2 * width);
      const T* const from = numbers.data();
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

/// Ascending, of complex elements by |re|, then |im|. NaN has none; whoever packs the matrix
/// refuses it.
template <int D>
std::vector<FieldElement<D>> sorted_magnitudes(std::span<const double> elements) {
  std::vector<FieldElement<D>> sample;
  sample.reserve(elements.size() / D);
  for (std::size_t e = 0; e < elements.size(); e += D) {
    FieldElement<D> magnitude;
    auto* const numbers = reinterpret_cast<double*>(&magnitude);
    bool is_nan = false;
    for (int c = 0; c < D; ++c) {
      numbers[c] = std::abs(elements[e + c]);
      is_nan = is_nan || std::isnan(numbers[c]);
    }
    if (!is_nan) sample.push_back(magnitude);
  }
  sort_in_parallel(sample);
  return sample;
}

template <int D>
Array<double> frequent_magnitudes_of(std::span<const double> elements) {
  const std::vector<FieldElement<D>> sample = sorted_magnitudes<D>(elements);
  const Offset fewest = fewest_occurrences(sample.size());
  std::vector<std::pair<Offset, FieldElement<D>>> frequent;  // −occurrences, magnitude
  for (auto first = sample.begin(); first != sample.end();) {
    const auto last = std::upper_bound(first, sample.end(), *first);
    if (last - first >= fewest && *first != FieldElement<D>{}) {
      frequent.emplace_back(first - last, *first);
    }
    first = last;
  }
  std::ranges::sort(frequent);
  if (frequent.size() >= most_magnitudes(D)) frequent.resize(most_magnitudes(D) - 1);
  Array<double> dictionary(D, 0.0);
  for (const auto& [occurrences, magnitude] : frequent) {
    const auto* const numbers = reinterpret_cast<const double*>(&magnitude);
    dictionary.insert(dictionary.end(), numbers, numbers + D);
  }
  return dictionary;
}

}  // namespace

std::vector<Index> drawn_rows(Index rows, Offset nonzeros) {
  const auto one_in = static_cast<std::uint64_t>(std::max<Offset>(1, nonzeros / sample_size));
  std::vector<Index> drawn;
  for (Index i = 0; i < rows; ++i) {
    // Rows are drawn by a mixed number: rows at a fixed distance may all be of one kind.
    if (mixed(static_cast<std::uint64_t>(i)) % one_in == 0) drawn.push_back(i);
  }
  return drawn;
}

Array<double> frequent_magnitudes(const CsrMatrix& a) {
  const CsrMatrix drawn = selected_rows(a, drawn_rows(a.rows, a.nonzeros()));
  return frequent_magnitudes(drawn.values, a.components);
}

Array<double> frequent_magnitudes(std::span<const double> elements, int components) {
  return components == 2 ? frequent_magnitudes_of<2>(elements)
                         : frequent_magnitudes_of<1>(elements);
}

template <int D>
Encoder<D>::Encoder(const Array<double>& dictionary)
    : slots_(std::bit_ceil(4 * (dictionary.size() / D))) {
  const auto* const magnitudes = reinterpret_cast<const FieldElement<D>*>(dictionary.data());
  for (std::size_t number = 1; number < dictionary.size() / D; ++number) {
    const auto magnitude = std::bit_cast<Bits>(magnitudes[number]);
    std::size_t place = mixed_bits(magnitude) & (slots_.size() - 1);
    while (slots_[place].magnitude != Bits{}) place = (place + 1) & (slots_.size() - 1);
    slots_[place] = {magnitude, static_cast<std::uint16_t>(number)};
  }
}

template class Encoder<1>;
template class Encoder<2>;

}  // namespace cisolve
