#include "io/hdf5/hdf5_child.hpp"

#include <hdf5.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <exception>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/array.hpp"
#include "io/hdf5/hdf5_file.hpp"

namespace cisolve {
namespace {

/// Thrown here, sent to the parent as text.
using Failure = std::runtime_error;

Handle memory_type(Element element) {
  const auto number = [](hid_t type) { return Handle(H5Tcopy(type), H5Tclose); };
  switch (element) {
    case Element::float64:
      return number(H5T_NATIVE_DOUBLE);
    case Element::complex128:
      return complex_type();
    case Element::int64:
      return number(H5T_NATIVE_INT64);
    case Element::int32:
      return number(H5T_NATIVE_INT32);
    case Element::uint16:
      return number(H5T_NATIVE_UINT16);
    case Element::uint64:
      return number(H5T_NATIVE_UINT64);
  }
  throw Failure("no such type of elements");
}

/// A compound of two floating-point numbers, r and i.
bool is_complex(hid_t type) {
  if (H5Tget_class(type) != H5T_COMPOUND || H5Tget_nmembers(type) != 2) return false;
  const int parts[] = {H5Tget_member_index(type, "r"), H5Tget_member_index(type, "i")};
  return std::ranges::all_of(parts, [&](int part) {
    return part >= 0 && H5Tget_member_class(type, static_cast<unsigned>(part)) == H5T_FLOAT;
  });
}

NumberKind kind_of(hid_t type) {
  const H5T_class_t found = H5Tget_class(type);
  if (found == H5T_INTEGER) return NumberKind::integer;
  if (found == H5T_FLOAT) return NumberKind::real;
  return is_complex(type) ? NumberKind::complex : NumberKind::other;
}

/// A string of fixed or variable length; empty where it cannot be read.
std::string read_text(hid_t attribute, hid_t type) {
  if (H5Tis_variable_str(type) > 0) {
    char* text = nullptr;
    const bool read = H5Aread(attribute, type, &text) >= 0 && text != nullptr;
    return read ? text : "";  // the process ends before it would have to be freed
  }
  std::string text(H5Tget_size(type), '\0');
  if (H5Aread(attribute, type, text.data()) < 0) return "";
  return text.substr(0, text.find('\0'));
}

Hdf5Attribute read_attribute(hid_t file, const char* name) {
  Hdf5Attribute found;
  const Handle id(H5Aopen(file, name, H5P_DEFAULT), H5Aclose);
  if (id < 0) return found;
  found.found = true;
  const Handle type(H5Aget_type(id), H5Tclose), space(H5Aget_space(id), H5Sclose);
  if (H5Sget_simple_extent_npoints(space) != 1) return found;
  if (H5Tget_class(type) == H5T_STRING) {
    const std::string text = read_text(id, type);
    std::strncpy(found.text, text.c_str(), sizeof found.text - 1);
    return found;
  }
  const NumberKind kind = kind_of(type);
  const bool good =
      kind == NumberKind::integer
          ? H5Aread(id, H5T_NATIVE_INT64, &found.integer) >= 0 &&
                H5Aread(id, H5T_NATIVE_UINT64, &found.natural) >= 0
          : kind == NumberKind::real && H5Aread(id, H5T_NATIVE_DOUBLE, &found.real) >= 0;
  if (good) found.kind = kind;
  return found;
}

class Server {
 public:
  explicit Server(const std::filesystem::path& path)
      : file_(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose) {
    if (file_ < 0) throw Failure("not readable as HDF5" + library_message());
  }

  /// Answer in memory that lasts until the next request.
  std::span<const std::byte> answer(const Hdf5Request& request) {
    switch (request.what) {
      case Hdf5Request::object:
        object_.found = H5Lexists(file_, request.name, H5P_DEFAULT) > 0;
        return std::as_bytes(std::span(&object_, 1));
      case Hdf5Request::attribute:
        attribute_ = read_attribute(file_, request.name);
        return std::as_bytes(std::span(&attribute_, 1));
      case Hdf5Request::dataset:
        dataset_ = describe(request.name);
        return std::as_bytes(std::span(&dataset_, 1));
      case Hdf5Request::elements:
        return read(request);
    }
    throw Failure("no such request");
  }

 private:
  static std::string quoted(const std::string& name) { return "dataset '" + name + "'"; }

  hid_t open(const std::string& name) {
    const auto known = open_.find(name);
    if (known != open_.end()) return known->second;
    Handle id(H5Dopen2(file_, name.c_str(), H5P_DEFAULT), H5Dclose);
    if (id < 0) {
      const bool there = H5Lexists(file_, name.c_str(), H5P_DEFAULT) > 0;
      throw Failure(quoted(name) +
                    (there ? " cannot be opened" + library_message() : " is missing"));
    }
    return open_.emplace(name, std::move(id)).first->second;
  }

  /// Bits of a number; some sizes do not fit into 32 bits.
  static std::uint32_t bits_of(hid_t type, const std::string& name) {
    const std::size_t bytes = H5Tget_size(type);
    if (bytes < 1 || bytes > 16) {
      throw Failure(quoted(name) + " holds numbers of " + std::to_string(bytes) +
                    " bytes, expected 1 to 16");
    }
    return static_cast<std::uint32_t>(8 * bytes);
  }

  Hdf5Dataset describe(const std::string& name) {
    const hid_t id = open(name);
    const Handle type(H5Dget_type(id), H5Tclose), space(H5Dget_space(id), H5Sclose),
        properties(H5Dget_create_plist(id), H5Pclose);
    Hdf5Dataset set;
    set.kind = kind_of(type);
    if (set.kind != NumberKind::other) set.bits = bits_of(type, name);
    set.has_sign = H5Tget_sign(type) != H5T_SGN_NONE;
    set.dimensions = H5Sget_simple_extent_ndims(space);
    hsize_t shape[2] = {1, 1}, chunk[2] = {1, 1};
    if (set.dimensions != 1 && set.dimensions != 2) return set;
    const H5D_layout_t layout = H5Pget_layout(properties);
    if (H5Sget_simple_extent_dims(space, shape, nullptr) < 0 ||
        (layout == H5D_CHUNKED && H5Pget_chunk(properties, 2, chunk) != set.dimensions)) {
      throw Failure(quoted(name) + " cannot be read" + library_message());
    }
    if (layout == H5D_VIRTUAL || H5Pget_external_count(properties) != 0) {
      throw Failure(quoted(name) + " is kept in other files, expected in this one");
    }
    if (set.dimensions == 2) set.rows = shape[0];
    set.columns = shape[set.dimensions - 1];
    set.chunk = std::max<hsize_t>(1, chunk[set.dimensions - 1]);
    set.stored_bytes = H5Dget_storage_size(id);
    set.compressed = is_compressed(properties);
    return set;
  }

  static bool is_compressed(hid_t properties) {
    bool compressed = false;
    for (int i = 0; i < H5Pget_nfilters(properties); ++i) {
      unsigned flags = 0;
      std::size_t none = 0;
      const H5Z_filter_t filter = H5Pget_filter2(properties, static_cast<unsigned>(i), &flags,
                                                 &none, nullptr, 0, nullptr, nullptr);
      compressed = compressed || (filter != H5Z_FILTER_FLETCHER32 && filter != H5Z_FILTER_SHUFFLE);
    }
    return compressed;
  }

  std::span<const std::byte> read(const Hdf5Request& request) {
    const hid_t id = open(request.name);
    const Handle type = memory_type(request.element);
    const hsize_t elements = request.rows * request.count;
    const std::size_t bytes = elements * H5Tget_size(type);
    limit_child(bytes);
    if (elements_.size() < bytes) elements_ = Array<std::byte>(bytes);
    const Handle space(H5Dget_space(id), H5Sclose),
        memory(H5Screate_simple(1, &elements, nullptr), H5Sclose);
    const hsize_t start[] = {request.row, request.begin}, count[] = {request.rows, request.count};
    const int first = H5Sget_simple_extent_ndims(space) == 2 ? 0 : 1;
    if (H5Sselect_hyperslab(space, H5S_SELECT_SET, start + first, nullptr, count + first, nullptr) <
            0 ||
        H5Dread(id, type, memory, space, H5P_DEFAULT, elements_.data()) < 0) {
      throw Failure(quoted(request.name) + " cannot be read" + library_message());
    }
    return std::span(elements_).first(bytes);
  }

  Handle file_;
  std::map<std::string, Handle> open_;
  Hdf5Object object_;
  Hdf5Attribute attribute_;
  Hdf5Dataset dataset_;
  Array<std::byte> elements_;
};

bool send_good(const Channel& parent, std::span<const std::byte> bytes) {
  const Hdf5Answer good;
  return parent.send(&good, sizeof good) && parent.send(bytes.data(), bytes.size());
}

bool send_failure(const Channel& parent, const std::exception& error) {
  const std::string text = error.what();
  const Hdf5Answer bad{text.size()};
  return parent.send(&bad, sizeof bad) && parent.send(text.data(), text.size());
}

}  // namespace

void serve_hdf5(const std::filesystem::path& path, const Channel& parent) try {
  limit_child(0);
  close_hdf5_early();
  const QuietErrors quiet;
  Server server(path);
  bool connected = send_good(parent, {});
  for (Hdf5Request request; connected && parent.receive(&request, sizeof request);) {
    limit_child(0);
    try {
      connected = send_good(parent, server.answer(request));
    } catch (const std::exception& error) {
      connected = send_failure(parent, error);
    }
  }
} catch (const std::exception& error) {
  send_failure(parent, error);
}

}  // namespace cisolve
