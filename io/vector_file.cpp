#include "io/vector_file.hpp"

#include <cmath>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

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

/// Throws InputError where it is neither of (n,) nor of (n, k).
HostMatrix npy_vectors(std::string_view bytes, const std::string& name) {
  const NpyArray array = parse_npy(bytes, name);
  const auto& shape = array.header.shape;
  if (shape.empty() || shape.size() > 2 || array.header.size() == 0) {
    throw InputError(name + ": found another shape than (n,) or (n, k)");
  }
  return npy_matrix(array);
}

HostMatrix dense(const CsrMatrix& a, const std::string& name) {
  require_real(a, name);
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
  HostMatrix x = HostMatrix::Zero(a.rows, a.columns);
  for (Index i = 0; i < a.rows; ++i) {
    for (Offset e = a.row_offsets[i]; e < a.row_offsets[i + 1]; ++e) {
      x(i, a.column_indices[e]) = a.values[e];
    }
  }
  return x;
}

}  // namespace

HostMatrix read_vectors(const std::filesystem::path& path) {
  const TextFile file(path, [&](std::string_view beginning) {
    return beginning.starts_with(npy_magic) ? npy_bytes(beginning, path.string())
                                            : longest_matrix_market(beginning, path.string());
  });
  HostMatrix x;
  if (file.text().starts_with(npy_magic)) {
    x = npy_vectors(file.text(), path.string());
  } else if (is_matrix_market_array(file.text())) {
    x = real_numbers(parse_matrix_market_array(file.text(), path.string()), path.string());
  } else if (file.text().starts_with("%%")) {
    x = dense(read_matrix_market(path), path.string());
  } else {
    throw InputError(path.string() + ": expected vectors, as .npy or as Matrix Market");
  }
  require_finite(x, path.string());
  return x;
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
