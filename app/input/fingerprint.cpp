#include "app/input/fingerprint.hpp"

#include <algorithm>
#include <cmath>

#include "backends/ranks/communicator.hpp"
#include "core/dense/field.hpp"
#include "core/dense/host_matrix.hpp"
#include "core/mixed.hpp"
#include "core/threads/block_sums.hpp"
#include "core/threads/parallel.hpp"
#include "formats/matrix/row_sums_cuda.hpp"
#include "formats/packed/decode.hpp"

namespace cisolve {
namespace {

std::string numbers(const char* what, std::int64_t found, std::int64_t expected) {
  return std::string(what) + ": found " + std::to_string(found) + ", expected " +
         std::to_string(expected);
}

/// wᵀaw of element (i, j) of d components, a standing for multiplication from the left.
double weighted(const double* a, std::int64_t i, std::int64_t j, int d) {
  double sum = 0.0;
  for (int r = 0; r < d; ++r) {
    double of_row = 0.0;
    for (int q = 0; q < d; ++q) of_row += unit_sign(r ^ q, q) * a[r ^ q] * mixed_uniform(d * j + q);
    sum += mixed_uniform(d * i + r) * of_row;
  }
  return sum;
}

}  // namespace

Fingerprint fingerprint(const CsrMatrix& a, Index first) {
  const bool half = a.storage == Storage::upper;
  const int d = a.components;
  std::uint64_t row_lengths = 0;
  double elements = 0.0, magnitude = 0.0;
#pragma omp parallel for if (worth_threads(a.nonzeros())) schedule(dynamic, 1024) \
    reduction(+ : row_lengths, elements, magnitude)
  for (Index i = 0; i < a.rows; ++i) {
    const std::uint64_t row = mixed(first + i);
    double sum = 0.0, magnitudes = 0.0;
    for (Offset e = a.row_offsets[i]; e < a.row_offsets[i + 1]; ++e) {
      const Index j = a.column_indices[e];
      const bool mirrored = half && j != i;
      const double factor = mirrored ? 2.0 : 1.0;
      const double term = d == 1 ? factor * mixed_uniform(j) * a.values[e]
                                 : factor * weighted(a.values.data() + d * e, first + i, j, d);
      sum += term;
      magnitudes += std::abs(term);
      row_lengths += row + (mirrored ? mixed(j) : 0);
    }
    const double weight = d == 1 ? mixed_uniform(first + i) : 1.0;
    elements += weight * sum;
    magnitude += std::abs(weight) * magnitudes;
  }
  return {std::int64_t{d} * a.rows, full_nonzeros(a), row_lengths, elements, magnitude, d};
}

Fingerprint fingerprint(RowSource& rows, Backend& backend, std::span<const Index> numbers) {
  Buffer<Index> on_device;
  if (!numbers.empty()) on_device = Buffer<Index>::from_host(backend, numbers);
  const MixedSums sums = mixed_sums(rows, backend, on_device.data());
  return {rows.rows(), rows.nonzeros(),
          row_lengths_fingerprint(rows.row_offsets(), rows.first_row(), numbers), sums.elements,
          sums.magnitude};
}

Fingerprint fingerprint(const PackedMatrix& m, std::span<const Offset> row_offsets) {
  double elements = 0.0, magnitude = 0.0;
#pragma omp parallel for if (worth_threads(row_offsets.back())) schedule(dynamic, 1024) \
    reduction(+ : elements, magnitude)
  for (Index s = 0; s < m.rows; ++s) {
    double sum = 0.0, magnitudes = 0.0;
    for_each_entry(m, s, [&](Index j, double element) {
      const double term = mixed_uniform(j) * element;
      sum += term;
      magnitudes += std::abs(term);
    });
    const double weight = mixed_uniform(row_of(m, s));
    elements += weight * sum;
    magnitude += std::abs(weight) * magnitudes;
  }
  return {m.rows, row_offsets.back(), row_lengths_fingerprint(row_offsets), elements, magnitude};
}

std::uint64_t row_lengths_fingerprint(std::span<const Offset> row_offsets, Index first,
                                      std::span<const Index> numbers) {
  std::uint64_t sum = 0;
#pragma omp parallel for if (worth_threads(row_offsets.size())) reduction(+ : sum)
  for (std::size_t i = 1; i < row_offsets.size(); ++i) {
    const auto number = numbers.empty() ? first + i - 1 : numbers[i - 1];
    sum += mixed(number) * static_cast<std::uint64_t>(row_offsets[i] - row_offsets[i - 1]);
  }
  return sum;
}

Fingerprint fingerprint(const LinearOperator& a, Backend& backend,
                        const std::function<std::int64_t(Index)>& number) {
  Communicator& ranks = backend.communicator();
  HostMatrix w(a.rows(), 1);
#pragma omp parallel for if (worth_threads(a.rows())) schedule(static)
  for (Index i = 0; i < a.rows(); ++i) w(i, 0) = mixed_uniform(number(i));
  MultiVector x(backend, a.rows(), 1), y(backend, a.rows(), 1);
  backend.upload(w, x.view());
  a.apply(1.0, x.view(), 0.0, y.view());
  const HostMatrix product = backend.download(y.view());
  const auto add = [&](std::int64_t i, double* sums) {
    const double term = w(i, 0) * product(i, 0);
    sums[0] += term;
    sums[1] += std::abs(term);
  };
  std::vector<double> sums = block_sums(a.rows(), 2, a.rows(), add);
  ranks.sum(sums);
  return {ranks.total(a.rows()), -1, 0, sums[0], sums[1], a.components()};
}

Fingerprint fingerprint(const LinearOperator& a, Backend& backend) {
  const std::int64_t first = backend.communicator().sum_before(a.rows());
  return fingerprint(a, backend, [first](Index i) { return first + i; });
}

std::string difference(const Fingerprint& found, const Fingerprint& expected) {
  constexpr double rounding = 1e-12;
  if (found.components != expected.components) {
    return numbers("real numbers of an element", found.components, expected.components);
  }
  if (found.rows != expected.rows) return numbers("rows", found.rows, expected.rows);
  if (found.nonzeros >= 0 && expected.nonzeros >= 0) {
    if (found.nonzeros != expected.nonzeros) {
      return numbers("nonzeros", found.nonzeros, expected.nonzeros);
    }
    if (found.row_lengths != expected.row_lengths) {
      return "fingerprint: the rows have other numbers of nonzeros";
    }
  }
  const double magnitude = std::max(found.magnitude, expected.magnitude);
  if (!(std::abs(found.elements - expected.elements) <= rounding * magnitude)) {
    return "fingerprint: the elements differ";
  }
  return "";
}

}  // namespace cisolve
