#include "io/vector_file.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "core/error.hpp"
#include "core/host_matrix.hpp"
#include "core/text.hpp"
#include "core/text_file.hpp"
#include "io/matrix_file.hpp"
#include "io/matrix_reading.hpp"
#include "io/npy.hpp"

namespace cisolve {
namespace {

constexpr std::string_view npy_magic = "\x93NUMPY";
// A matrix given by mistake is not to fill the memory.
constexpr Index most_sparse_columns = 1000;

/// An array (n,) or (n, k) as n × k, its elements where the file has them, at any address.
struct NpyVectors {
  std::int64_t rows = 0, columns = 0;
  std::string_view elements;
};

NpyVectors parse_npy(std::string_view bytes, const std::string& name) {
  const auto fail = [&](const std::string& what) { throw InputError(name + ": " + what); };
  // Magic, version, then the length of the header in 2 bytes or, from version 2 on, in 4.
  const auto byte = [&](std::size_t i) {
    return std::size_t{static_cast<unsigned char>(bytes[i])};
  };
  if (bytes.size() < 12) fail("the .npy header is cut off");
  std::size_t start = 10, length = byte(8) | byte(9) << 8;
  if (byte(6) > 1) {
    length |= byte(10) << 16 | byte(11) << 24;
    start = 12;
  }
  if (bytes.size() - start < length) fail("the .npy header is cut off");
  const NpyHeader header = parse_npy_header(bytes.substr(start, length), name);
  bytes.remove_prefix(start + length);

  if (header.type != "<f8") fail("found elements of type " + header.type + ", expected float64");
  const auto& shape = header.shape;
  if (shape.empty() || shape.size() > 2) fail("found another shape than (n,) or (n, k)");
  const std::int64_t columns = shape.size() == 2 ? shape[1] : 1;
  const std::size_t elements = bytes.size() / sizeof(double);
  if (bytes.size() % sizeof(double) != 0 || columns == 0 ||
      elements % static_cast<std::size_t>(columns) != 0 ||
      elements / static_cast<std::size_t>(columns) != static_cast<std::size_t>(shape[0])) {
    fail("found " + std::to_string(bytes.size()) + " bytes of data, expected " +
         std::to_string(shape[0]) + (columns == 1 ? "" : " x " + std::to_string(columns)) +
         " elements of 8 bytes");
  }
  return {shape[0], columns, bytes};
}

HostMatrix copy(const NpyVectors& vectors) {
  HostMatrix x(vectors.rows, vectors.columns);
  if (x.size() > 0) std::memcpy(x.data(), vectors.elements.data(), vectors.elements.size());
  return x;
}

[[noreturn]] void fail_infinite(const std::string& name, std::size_t element) {
  throw InputError(name + ": element " + std::to_string(element + 1) + " is not finite");
}

void require_finite(const HostMatrix& x, const std::string& name) {
  for (Eigen::Index e = 0; e < x.size(); ++e) {
    if (!std::isfinite(x.data()[e])) fail_infinite(name, static_cast<std::size_t>(e));
  }
}

NpyVectors npy_vectors(const TextFile& file, const std::string& name) {
  if (!file.text().starts_with(npy_magic)) throw InputError(name + ": expected vectors as .npy");
  return parse_npy(file.text(), name);
}

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

/// Matrix Market's array format: "rows columns", then one value a line, column by column.
HostMatrix parse_array(std::string_view text, const std::string& name) {
  Lines lines(text);
  std::string_view line;
  const auto fail = [&](const std::string& expected) {
    throw InputError(name + ":" + lines.number() + ": found '" + std::string(line.substr(0, 80)) +
                     "', expected " + expected);
  };
  lines.next(line);
  std::string_view sizes = line;
  const Index n = take_size(sizes), k = take_size(sizes);
  if (n == 0 || k == 0 || !sizes.empty()) fail("a size line, rows and columns");
  // What is said of the size is believed only as far as the file can hold it.
  const std::string count = std::to_string(std::int64_t{n} * k);
  if (std::int64_t{n} * k > std::ssize(text)) {
    throw InputError(name + ": the file is too short for " + count + " values");
  }
  HostMatrix x(n, k);
  for (std::int64_t e = 0; e < std::int64_t{n} * k; ++e) {
    if (!lines.next(line)) {
      throw InputError(name + ": found " + std::to_string(e) + " values, expected " + count);
    }
    const bool plus = line.starts_with('+');
    const auto [stop, bad] =
        std::from_chars(line.data() + plus, line.data() + line.size(), x(e % n, e / n));
    if (bad != std::errc() || stop != line.data() + line.size()) fail("one number");
  }
  if (lines.next(line)) fail("the end of the file after " + count + " values");
  return x;
}

/// True for the banner "%%MatrixMarket matrix array real|integer general", false for another.
bool is_array(std::string_view text) {
  std::string banner = to_lower(text.substr(0, std::min<std::size_t>(text.find('\n'), 200)));
  while (!banner.empty() && std::isspace(static_cast<unsigned char>(banner.back()))) {
    banner.pop_back();
  }
  return banner == "%%matrixmarket matrix array real general" ||
         banner == "%%matrixmarket matrix array integer general";
}

HostMatrix dense(const CsrMatrix& a, const std::string& name) {
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
  const TextFile file(path);
  HostMatrix x;
  if (file.text().starts_with(npy_magic)) {
    x = copy(parse_npy(file.text(), path.string()));
  } else if (is_array(file.text())) {
    x = parse_array(file.text(), path.string());
  } else if (file.text().starts_with("%%")) {
    x = dense(read_matrix_market(path), path.string());
  } else {
    throw InputError(path.string() + ": expected vectors, as .npy or as Matrix Market");
  }
  require_finite(x, path.string());
  return x;
}

HostMatrix read_npy_vectors(const std::filesystem::path& path) {
  const TextFile file(path);
  HostMatrix x = copy(npy_vectors(file, path.string()));
  require_finite(x, path.string());
  return x;
}

std::int64_t check_npy_vectors(const std::filesystem::path& path) {
  const TextFile file(path);
  const NpyVectors vectors = npy_vectors(file, path.string());
  for (std::size_t place = 0; place < vectors.elements.size(); place += sizeof(double)) {
    double element = 0.0;
    std::memcpy(&element, vectors.elements.data() + place, sizeof element);
    if (!std::isfinite(element)) fail_infinite(path.string(), place / sizeof(double));
  }
  return vectors.rows;
}

void write_npy(const HostMatrix& x, const std::filesystem::path& path) {
  const std::span<const double> elements(x.data(), static_cast<std::size_t>(x.size()));
  write_npy({"<f8", {x.rows(), x.cols()}}, std::as_bytes(elements), path);
}

}  // namespace cisolve
