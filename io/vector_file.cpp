#include "io/vector_file.hpp"

#include <cmath>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/error.hpp"
#include "core/text/text_file.hpp"
#include "io/matrix_file.hpp"
#include "io/matrix_market_text.hpp"
#include "io/matrix_reading.hpp"
#include "io/npy.hpp"

namespace cisolve {
namespace {

// A matrix given by mistake is not to fill the memory.
constexpr Index most_sparse_columns = 1000;

void require_finite(const HostMatrix& x, const std::string& name) {
  for (Eigen::Index e = 0; e < x.size(); ++e) {
    if (!std::isfinite(x.data()[e])) {
      throw InputError(name + ": element " + std::to_string(e + 1) + " is not finite");
    }
  }
}

/// Throws InputError where it is none of (n,), (n, k) and (n, k, 4).
DenseNumbers npy_vectors(std::string_view bytes, const std::string& name) {
  const NpyArray array = parse_npy(bytes, name, NpyElements::real_or_complex);
  const auto& shape = array.header.shape;
  const bool quaternions =
      shape.size() == 3 && shape[2] == 4 && npy_components(array.header.type) == 1;
  if (shape.empty() || (shape.size() > 2 && !quaternions) || array.header.size() == 0) {
    throw InputError(name + ": found another shape than (n,), (n, k), or of quaternions (n, k, 4)");
  }
  if (!quaternions) return npy_numbers(array);
  const Array<double> values = npy_values(array);
  return {Eigen::Map<const HostMatrix>(values.data(), shape[0], shape[1] * 4), 4};
}

DenseNumbers dense(const CsrMatrix& a, const std::string& name) {
  if (a.columns > most_sparse_columns) {
    throw InputError(name + ": found " + std::to_string(a.columns) + " columns, expected at most " +
                     std::to_string(most_sparse_columns) + ", as they are made dense");
  }
  if (const std::uint64_t elements = std::uint64_t(a.rows) * std::uint64_t(a.columns);
      !is_believable(elements, std::uint64_t(a.nonzeros()))) {
    throw InputError(name + ": found " + std::to_string(elements) + " elements, but " +
                     std::to_string(a.nonzeros()) +
                     " entries; expected one for every 1000, as they are made dense");
  }
  const int d = a.components;
  DenseNumbers made{HostMatrix::Zero(a.rows, a.columns * d), d};
  for (Index i = 0; i < a.rows; ++i) {
    for (Offset e = a.row_offsets[i]; e < a.row_offsets[i + 1]; ++e) {
      for (int c = 0; c < d; ++c) {
        made.numbers(i, a.column_indices[e] * d + c) = a.values[e * d + c];
      }
    }
  }
  return made;
}

DenseNumbers read_numbers(const std::filesystem::path& path) {
  const std::string name = path.string();
  const TextFile file(path, [&](std::string_view beginning) {
    return beginning.starts_with(npy_magic)
               ? npy_bytes(beginning, name, NpyElements::real_or_complex)
               : longest_matrix_market(beginning, name);
  });
  const std::string_view text = file.text();
  if (text.starts_with(npy_magic)) return npy_vectors(text, name);
  if (is_matrix_market_array(text)) return parse_matrix_market_array(text, name);
  if (text.starts_with("%%")) return dense(read_matrix_market(path), name);
  throw InputError(name + ": expected vectors, as .npy or as Matrix Market");
}

}  // namespace

FieldVectors read_field_vectors(const std::filesystem::path& path) {
  DenseNumbers read = read_numbers(path);
  require_finite(read.numbers, path.string());
  const Eigen::Index d = read.components;
  if (d == 1) return {std::move(read.numbers), 1};
  FieldVectors made{HostMatrix(read.numbers.rows() * d, read.numbers.cols() / d), read.components};
  for (Eigen::Index i = 0; i < made.x.rows(); ++i) {
    for (Eigen::Index j = 0; j < made.x.cols(); ++j) {
      made.x(i, j) = read.numbers(i / d, j * d + i % d);
    }
  }
  return made;
}

HostMatrix read_vectors(const std::filesystem::path& path) {
  FieldVectors read = read_field_vectors(path);
  if (read.components > 1) {
    throw InputError(path.string() + ": the elements are not real, expected real ones");
  }
  return std::move(read.x);
}

void write_npy(const HostMatrix& x, const std::filesystem::path& path, const std::string& name,
               int components) {
  const Eigen::Index d = components, n = x.rows() / d, k = x.cols();
  NpyHeader header{d == 2 ? "<c16" : "<f8", {n, k}};
  if (d > 2) header.shape.push_back(d);
  HostMatrix side_by_side;  // the components of an element
  if (d > 1) side_by_side.resize(n, d * k);
  for (Eigen::Index i = 0; d > 1 && i < x.rows(); ++i) {
    for (Eigen::Index j = 0; j < k; ++j) side_by_side(i / d, d * j + i % d) = x(i, j);
  }
  const HostMatrix& written = d > 1 ? side_by_side : x;
  const std::span<const double> elements(written.data(), static_cast<std::size_t>(x.size()));
  write_npy(header, std::as_bytes(elements), path, name);
}

}  // namespace cisolve
