#include "io/npy.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <fstream>

#include "core/error.hpp"
#include "core/text/text.hpp"
#include "io/atomic_file.hpp"

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

/// True if the bytes of an element lie the other way round than this machine's.
bool is_big_endian(const std::string& type) {
  return type.starts_with('>');
}

/// Calls f with a zero of the type, of a complex one with that of its parts; not for what is no
/// number.
template <class F>
void with_type(std::string type, const F& f) {
  if (is_big_endian(type)) type[0] = '<';
  if (type == "<c16") return f(double{});
  if (type == "<c8") return f(float{});
  if (type == "<f8") return f(double{});
  if (type == "<f4") return f(float{});
  if (type == "<i8") return f(std::int64_t{});
  if (type == "<i4") return f(std::int32_t{});
  if (type == "<i2") return f(std::int16_t{});
  if (type == "|i1") return f(std::int8_t{});
  if (type == "<u8") return f(std::uint64_t{});
  if (type == "<u4") return f(std::uint32_t{});
  if (type == "<u2") return f(std::uint16_t{});
  if (type == "|u1" || type == "|b1") return f(std::uint8_t{});
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
  header.column_major = value_of(text, "fortran_order").starts_with("True");
  header.type = type.substr(1, type_end - 1);
  long double size = 1.0L;
  for (const std::int64_t extent : header.shape) size *= static_cast<long double>(extent);
  if (size > 9e18L) throw InputError(name + ": more elements than any file holds");
  return header;
}

std::uint64_t NpyHeader::size() const {
  std::uint64_t size = 1;
  for (const std::int64_t extent : shape) size *= static_cast<std::uint64_t>(extent);
  return size;
}

namespace {

/// The header, and the bytes behind it as the elements.
NpyArray split_npy(std::string_view bytes, const std::string& name, NpyElements taken) {
  const auto fail = [&](const std::string& what) { throw InputError(name + ": " + what); };
  if (!bytes.starts_with(npy_magic)) fail("expected a .npy array");
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
  NpyArray array{parse_npy_header(bytes.substr(start, length), name), {}};
  array.elements = bytes.substr(start + length);
  const std::string& type = array.header.type;
  if (npy_element_bytes(type) == 0 || (taken == NpyElements::real && npy_components(type) > 1)) {
    fail("found elements of type " + type + ", expected real numbers, such as float64" +
         (taken == NpyElements::real ? "" : ", or complex ones"));
  }
  return array;
}

}  // namespace

double npy_bytes(std::string_view beginning, const std::string& name, NpyElements taken) {
  const NpyArray array = split_npy(beginning, name, taken);
  return double(beginning.size() - array.elements.size()) +
         double(array.header.size()) * double(npy_element_bytes(array.header.type));
}

NpyArray parse_npy(std::string_view bytes, const std::string& name, NpyElements taken) {
  const NpyArray array = split_npy(bytes, name, taken);
  const std::size_t size = npy_element_bytes(array.header.type);
  if (array.elements.size() / size != array.header.size() || array.elements.size() % size != 0) {
    const std::string shape = joined(array.header.shape, " x ",
                                     [](std::int64_t extent) { return std::to_string(extent); });
    throw InputError(name + ": found " + std::to_string(array.elements.size()) +
                     " bytes of data, expected " + shape + " elements of " + std::to_string(size) +
                     " bytes");
  }
  return array;
}

int npy_components(const std::string& type) {
  return type.find('c') == 1 ? 2 : 1;
}

std::size_t npy_element_bytes(const std::string& type) {
  std::size_t bytes = 0;
  with_type(type, [&](auto number) { bytes = npy_components(type) * sizeof number; });
  return bytes;
}

void npy_to_double(const std::string& type, const char* elements, std::size_t count, double* out) {
  const bool turned = is_big_endian(type);
  with_type(type, [&](auto number) {
    std::array<char, sizeof number> bytes;
    for (std::size_t i = 0; i < count * npy_components(type); ++i) {
      std::memcpy(bytes.data(), elements + i * sizeof number, sizeof number);
      if (turned) std::ranges::reverse(bytes);
      std::memcpy(&number, bytes.data(), sizeof number);
      out[i] = static_cast<double>(number);
    }
  });
}

Array<double> npy_values(const NpyArray& array) {
  const auto& shape = array.header.shape;
  const auto components = static_cast<std::size_t>(npy_components(array.header.type));
  Array<double> stored(array.header.size() * components);
  npy_to_double(array.header.type, array.elements.data(), array.header.size(), stored.data());
  if (!array.header.column_major || shape.size() < 2) return stored;
  Array<double> values(stored.size());
  std::vector<std::int64_t> index(shape.size(), 0);
  for (std::size_t to = 0; to < values.size(); to += components) {
    std::int64_t place = 0;
    for (std::size_t d = shape.size(); d-- > 0;) place = place * shape[d] + index[d];
    std::copy_n(stored.data() + static_cast<std::size_t>(place) * components, components,
                values.data() + to);
    for (std::size_t d = shape.size(); d-- > 0 && ++index[d] == shape[d];) index[d] = 0;
  }
  return values;
}

DenseNumbers npy_numbers(const NpyArray& array) {
  const auto& shape = array.header.shape;
  const int components = npy_components(array.header.type);
  const Array<double> values = npy_values(array);
  return {Eigen::Map<const HostMatrix>(values.data(), shape[0],
                                       (shape.size() > 1 ? shape[1] : 1) * components),
          components};
}

std::string make_npy_header(const NpyHeader& header) {
  std::string shape;
  for (const std::int64_t extent : header.shape) shape += std::to_string(extent) + ",";
  std::string text = "{'descr': '" + header.type +
                     "', 'fortran_order': " + (header.column_major ? "True" : "False") +
                     ", 'shape': (" + shape + "), }";
  constexpr std::size_t prefix = 10, alignment = 64;
  text.resize((prefix + text.size() + 1 + alignment - 1) / alignment * alignment - prefix, ' ');
  text.back() = '\n';
  const auto length = static_cast<unsigned>(text.size());
  std::string result = "\x93NUMPY";
  result += {'\1', '\0', static_cast<char>(length % 256), static_cast<char>(length / 256)};
  return result + text;
}

void write_npy(const NpyHeader& header, std::span<const std::byte> data,
               const std::filesystem::path& path, const std::string& name) {
  std::ofstream stream(path, std::ios::binary);
  stream << make_npy_header(header);
  stream.write(reinterpret_cast<const char*>(data.data()),
               static_cast<std::streamsize>(data.size()));
  stream.close();
  if (!stream) {
    throw ResourceError((name.empty() ? path.string() : name) + ": cannot be written" +
                        obstacle_to(path));
  }
}

}  // namespace cisolve
