#include "io/npy.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <fstream>

#include "core/error.hpp"

static_assert(std::endian::native == std::endian::little, ".npy data are written as they lie");

namespace cisolve {
namespace {

/// The text behind `'key':` in a Python dictionary, empty when the key is not there.
std::string_view value_of(std::string_view dictionary, const std::string& key) {
  const std::size_t place = dictionary.find("'" + key + "':");
  if (place == std::string_view::npos) return {};
  const std::string_view value = dictionary.substr(place + key.size() + 3);
  return value.substr(std::min(value.find_first_not_of(' '), value.size()));
}

/// A tuple of whole numbers: (), (5,) or (2, 3). False when it is something else.
bool parse_tuple(std::string_view text, std::vector<std::int64_t>& numbers) {
  if (!text.starts_with('(')) return false;
  const char* p = text.data() + 1;
  const char* const end = text.data() + text.size();
  while (p < end && *p != ')') {
    std::int64_t number = 0;
    const auto [stop, status] = std::from_chars(p, end, number);
    if (status != std::errc{} || number < 0) return false;
    numbers.push_back(number);
    for (p = stop; p < end && (*p == ',' || *p == ' ');) ++p;
  }
  return p < end;
}

}  // namespace

NpyHeader parse_npy_header(std::string_view text, const std::string& name) {
  NpyHeader header;
  const std::string_view type = value_of(text, "descr");
  const std::size_t type_end = type.find('\'', 1);
  if (!type.starts_with('\'') || type_end == std::string_view::npos ||
      !parse_tuple(value_of(text, "shape"), header.shape)) {
    throw InputError(name + ": malformed .npy header '" + std::string(text.substr(0, 80)) + "'");
  }
  if (!value_of(text, "fortran_order").starts_with("False")) {
    throw InputError(name + ": column-major array, expected 'fortran_order': False");
  }
  header.type = type.substr(1, type_end - 1);
  return header;
}

std::string make_npy_header(const NpyHeader& header) {
  std::string shape;
  for (const std::int64_t extent : header.shape) shape += std::to_string(extent) + ",";
  std::string text =
      "{'descr': '" + header.type + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  constexpr std::size_t prefix = 10, alignment = 64;
  text.resize((prefix + text.size() + 1 + alignment - 1) / alignment * alignment - prefix, ' ');
  text.back() = '\n';
  const auto length = static_cast<unsigned>(text.size());
  std::string result = "\x93NUMPY";
  result += {'\1', '\0', static_cast<char>(length % 256), static_cast<char>(length / 256)};
  return result + text;
}

void write_npy(const NpyHeader& header, std::span<const std::byte> data,
               const std::filesystem::path& path) {
  std::ofstream stream(path, std::ios::binary);
  stream << make_npy_header(header);
  stream.write(reinterpret_cast<const char*>(data.data()),
               static_cast<std::streamsize>(data.size()));
  stream.close();
  if (!stream) throw ResourceError(path.string() + ": cannot be written");
}

}  // namespace cisolve
