#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cisolve {

/// What the header of a NumPy .npy array says (numpy.lib.format): element type, such as "<f8", and
/// shape. Row-major.
struct NpyHeader {
  std::string type;
  std::vector<std::int64_t> shape;  ///< empty: a single element
};

/// Parses a header's text, {'descr': …, 'fortran_order': …, 'shape': …}. Throws InputError, naming
/// `name`, when it is malformed or the array column-major.
NpyHeader parse_npy_header(std::string_view text, const std::string& name);

/// Magic, version 1.0 and header, padded so that the data begin at a multiple of 64 bytes.
std::string make_npy_header(const NpyHeader& header);

/// Writes an array, its elements as they lie in memory, to `path` itself. Throws ResourceError when
/// it cannot be written.
void write_npy(const NpyHeader& header, std::span<const std::byte> data,
               const std::filesystem::path& path);

}  // namespace cisolve
