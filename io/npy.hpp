#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/array.hpp"
#include "core/dense/host_matrix.hpp"
#include "io/dense_numbers.hpp"

namespace cisolve {

/// Header of a NumPy .npy array (numpy.lib.format): element type, such as "<f8", shape, and order.
struct NpyHeader {
  std::string type;
  std::vector<std::int64_t> shape;  ///< empty: a single element
  bool column_major = false;        ///< Fortran's order

  /// Elements of the shape.
  std::uint64_t size() const;
};

/// Parses a header's text, {'descr': …, 'fortran_order': …, 'shape': …}. Throws InputError, naming
/// `name`, when it is malformed or has more elements than 2^63.
NpyHeader parse_npy_header(std::string_view text, const std::string& name);

/// First bytes of every .npy file.
inline constexpr std::string_view npy_magic = "\x93NUMPY";

/// An array in memory, at any address.
struct NpyArray {
  NpyHeader header;
  std::string_view elements;
};

/// Which elements a reader takes.
enum class NpyElements { real, real_or_complex };

/// Bytes of a file with this beginning. Throws InputError as parse_npy does.
double npy_bytes(std::string_view beginning, const std::string& name,
                 NpyElements taken = NpyElements::real);

/// Parses a whole file's bytes. Throws InputError, naming `name`, when they are no .npy array, are
/// cut short, or its elements no such numbers.
NpyArray parse_npy(std::string_view bytes, const std::string& name,
                   NpyElements taken = NpyElements::real);

/// Real numbers of an element of that type: 2 of a complex one, 1 of another.
int npy_components(const std::string& type);

/// Bytes of an element that is a real or complex number or a truth value; 0 of another type.
std::size_t npy_element_bytes(const std::string& type);

/// The numbers of `count` such elements as float64; integers beyond 2^53 are rounded.
void npy_to_double(const std::string& type, const char* elements, std::size_t count, double* out);

/// The numbers of all elements, the last index running fastest, whatever the array's order.
Array<double> npy_values(const NpyArray& array);

/// An array as a matrix: shape (rows, columns), or (rows,) for one column.
DenseNumbers npy_numbers(const NpyArray& array);

/// Magic, version 1.0 and header, padded so that the data begin at a multiple of 64 bytes.
std::string make_npy_header(const NpyHeader& header);

/// Writes an array, its elements as they lie in memory, to `path` itself; errors say `name`. Throws
/// ResourceError when it cannot be written.
void write_npy(const NpyHeader& header, std::span<const std::byte> data,
               const std::filesystem::path& path, const std::string& name = "");

}  // namespace cisolve
