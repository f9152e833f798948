#include <algorithm>
#include <utility>

#include "core/text/text_file.hpp"
#include "core/threads/parallel.hpp"
#include "io/matrix_file.hpp"
#include "io/matrix_market_text.hpp"
#include "io/matrix_reading.hpp"
#include "io/npy.hpp"

namespace cisolve {
namespace {

/// Its elements that are not zero.
CsrMatrix sparse(const DenseNumbers& dense, const std::string& name) {
  const HostMatrix& x = dense.numbers;
  const int d = dense.components;
  const Index rows = checked_dimension(x.rows(), "rows", name);
  CsrMatrix a{rows, checked_dimension(x.cols() / d, "columns", name), {}, {}, {}};
  a.components = d;
  const auto is_zero = [&](Index i, Index j) {
    const double* const element = &x(i, Eigen::Index{j} * d);
    return std::all_of(element, element + d, [](double number) { return number == 0.0; });
  };
  a.row_offsets.assign(1, 0);
  for (Index i = 0; i < rows; ++i) {
    Offset entries = 0;
    for (Index j = 0; j < a.columns; ++j) entries += is_zero(i, j) ? 0 : 1;
    a.row_offsets.push_back(a.row_offsets.back() + entries);
  }
  a.column_indices = allocate<Index>(std::size_t(a.nonzeros()), "column indices", name);
  a.values = allocate<double>(std::size_t(a.nonzeros() * d), "values", name);
#pragma omp parallel for if (worth_threads(x.size())) schedule(static)
  for (Index i = 0; i < rows; ++i) {
    Offset place = a.row_offsets[i];
    for (Index j = 0; j < a.columns; ++j) {
      if (is_zero(i, j)) continue;
      a.column_indices[place] = j;
      std::copy_n(&x(i, Eigen::Index{j} * d), d, a.values.data() + d * place++);
    }
  }
  return validated(std::move(a), name);
}

}  // namespace

CsrMatrix read_dense_npy(const std::filesystem::path& path) {
  constexpr auto taken = NpyElements::real_or_complex;
  const TextFile file(
      path, [&](std::string_view beginning) { return npy_bytes(beginning, path.string(), taken); });
  const NpyArray array = parse_npy(file.text(), path.string(), taken);
  if (array.header.shape.size() != 2) {
    throw InputError(path.string() + ": found an array of " +
                     std::to_string(array.header.shape.size()) +
                     " dimensions, expected a matrix, of 2" +
                     (array.header.shape.size() == 1 ? "; this is a vector" : ""));
  }
  return sparse(npy_numbers(array), path.string());
}

CsrMatrix read_matrix_market_array(const std::filesystem::path& path) {
  const TextFile file(path, [&](std::string_view beginning) {
    return longest_matrix_market(beginning, path.string());
  });
  return sparse(parse_matrix_market_array(file.text(), path.string()), path.string());
}

}  // namespace cisolve
