#include <zip.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "io/array_archive.hpp"
#include "io/atomic_file.hpp"
#include "io/matrix_file.hpp"
#include "io/matrix_reading.hpp"
#include "io/npy.hpp"
#include "io/npz/sparse_layouts.hpp"

namespace cisolve {
namespace {

using Archive = std::unique_ptr<zip_t, void (*)(zip_t*)>;

Archive open_archive(const std::filesystem::path& path) {
  require_file(path);
  int code = 0;
  Archive archive(zip_open(path.c_str(), ZIP_RDONLY, &code), zip_discard);
  if (archive == nullptr) {
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    const std::string message = zip_error_strerror(&error);
    zip_error_fini(&error);
    throw InputError(path.string() + ": not readable as .npz (zip: " + message + ")");
  }
  return archive;
}

/// One .npy array of the archive: its header is read on construction, its elements by `read`.
class Member {
 public:
  Member(const Archive& archive, std::uintmax_t archive_bytes, const std::string& member,
         const std::string& archive_name)
      : name_(archive_name + ": " + member), stream_(nullptr, zip_fclose) {
    zip_stat_t status;
    if (zip_stat(archive.get(), member.c_str(), 0, &status) != 0 ||
        (status.valid & ZIP_STAT_SIZE) == 0) {
      fail("is missing, expected what scipy.sparse.save_npz writes");
    }
    remaining_ = status.size;
    if ((status.valid & ZIP_STAT_COMP_SIZE) == 0 || status.comp_size > archive_bytes ||
        !can_inflate(status.comp_size, status.size)) {
      fail("damaged: " + std::to_string(status.size) + " bytes are too many for this archive");
    }
    stream_.reset(zip_fopen(archive.get(), member.c_str(), 0));
    if (stream_ == nullptr) fail(std::string("cannot be read: ") + zip_strerror(archive.get()));

    std::array<unsigned char, 8> magic{};
    read_bytes(magic.data(), magic.size());
    if (std::memcmp(magic.data(), "\x93NUMPY", 6) != 0) fail("not a .npy array");
    if (magic[6] < 1 || magic[6] > 2) {
      fail(".npy version " + std::to_string(magic[6]) + ", expected 1 or 2");
    }
    std::array<unsigned char, 4> length{};
    read_bytes(length.data(), magic[6] == 1 ? 2 : 4);
    const std::size_t bytes =
        length[0] + 256 * (length[1] + 256 * (length[2] + 256ull * length[3]));
    if (bytes > remaining_) fail("cut short in its header");
    std::string text(bytes, '\0');
    read_bytes(text.data(), bytes);
    header_ = parse_npy_header(text, name_);
  }

  const std::string& type() const { return header_.type; }
  const std::string& name() const { return name_; }

  const NpyHeader& header() const { return header_; }

  void require_dimension() const {
    if (header_.shape.size() != 1) {
      fail(std::to_string(header_.shape.size()) + " dimensions, expected 1");
    }
  }
  /// Elements, found to be there.
  std::size_t size(std::size_t element_bytes) const {
    const std::size_t size = header_.size();
    if (remaining_ / element_bytes != size || remaining_ % element_bytes != 0) {
      fail(std::to_string(remaining_) + " bytes of data, expected " + std::to_string(size) +
           " elements of " + std::to_string(element_bytes));
    }
    return size;
  }

  /// The text of a single string; NumPy pads with zero bytes.
  std::string read_text() {
    if (!header_.shape.empty() || remaining_ > 64) fail("expected one short string");
    std::string text(remaining_, '\0');
    read_bytes(text.data(), remaining_);
    std::erase(text, '\0');
    return text;
  }

  void read_bytes(void* destination, std::size_t bytes) {
    for (auto* p = static_cast<char*>(destination); bytes > 0;) {
      const zip_int64_t got = zip_fread(stream_.get(), p, std::min(bytes, std::size_t{1} << 30));
      if (got <= 0) fail("damaged or cut short");
      p += got;
      bytes -= static_cast<std::size_t>(got);
      remaining_ -= std::min(remaining_, static_cast<std::size_t>(got));
    }
    // The checksum is compared when the end is met.
    char none = 0;
    if (remaining_ == 0 && zip_fread(stream_.get(), &none, 1) != 0) fail("damaged: wrong checksum");
  }

  [[noreturn]] void fail(const std::string& what) const { throw InputError(name_ + ": " + what); }

 private:
  std::string name_;
  std::unique_ptr<zip_file_t, int (*)(zip_file_t*)> stream_;
  std::size_t remaining_ = 0;  ///< bytes
  NpyHeader header_;
};

/// All elements, stored as `Stored` in the file, through a small buffer where T is another type.
template <class Stored, class T>
Array<T> read_stored(Member& member) {
  const std::size_t size = member.size(sizeof(Stored));
  Array<T> result = allocate<T>(size, "elements", member.name());
  if constexpr (std::is_same_v<Stored, T>) {
    member.read_bytes(result.data(), size * sizeof(T));
    return result;
  }
  constexpr std::size_t piece = std::size_t{1} << 18;
  std::vector<Stored> buffer(std::min(size, piece));
  for (std::size_t begin = 0; begin < size; begin += piece) {
    const std::size_t count = std::min(piece, size - begin);
    member.read_bytes(buffer.data(), count * sizeof(Stored));
    for (std::size_t i = 0; i < count; ++i) {
      result[begin + i] = static_cast<T>(buffer[i]);
      if (std::is_integral_v<T> && static_cast<Stored>(result[begin + i]) != buffer[i]) {
        member.fail("element " + std::to_string(buffer[i]) + " is out of range");
      }
    }
  }
  return result;
}

template <class T>
Array<T> read_integers(Member member) {
  member.require_dimension();
  if (member.type() == "<i4") return read_stored<std::int32_t, T>(member);
  if (member.type() == "<i8") return read_stored<std::int64_t, T>(member);
  member.fail("type '" + member.type() + "', expected '<i4' or '<i8'");
}

/// Numbers of any type, of complex ones both parts side by side.
Array<double> read_doubles(Member& member, NpyElements taken = NpyElements::real) {
  const std::string& type = member.type();
  const std::size_t bytes = npy_element_bytes(type), components = npy_components(type);
  if (bytes == 0 || (taken == NpyElements::real && components > 1)) {
    member.fail("type '" + type + "', expected real numbers, such as '<f8'" +
                (taken == NpyElements::real ? "" : ", or complex ones"));
  }
  const std::size_t size = member.size(bytes);
  Array<double> result = allocate<double>(size * components, "elements", member.name());
  if (type == "<f8" || type == "<c16") {
    member.read_bytes(result.data(), size * bytes);
    return result;
  }
  constexpr std::size_t piece = std::size_t{1} << 18;
  std::vector<char> buffer(std::min(size, piece) * bytes);
  for (std::size_t begin = 0; begin < size; begin += piece) {
    const std::size_t count = std::min(piece, size - begin);
    member.read_bytes(buffer.data(), count * bytes);
    npy_to_double(type, buffer.data(), count, result.data() + begin * components);
  }
  return result;
}

/// The elements of `a`, in one dimension.
void read_values(Member member, CsrMatrix& a) {
  member.require_dimension();
  a.components = npy_components(member.type());
  a.values = read_doubles(member, NpyElements::real_or_complex);
}

/// An array of so many dimensions, row by row.
NpzElements read_dimensions(Member member, std::size_t dimensions) {
  if (member.header().shape.size() != dimensions) {
    member.fail(std::to_string(member.header().shape.size()) + " dimensions, expected " +
                std::to_string(dimensions));
  }
  if (member.header().column_major) {
    member.fail("column-major, expected row-major: save matrix.tocsr() instead");
  }
  return {member.header().shape, read_doubles(member, NpyElements::real_or_complex),
          npy_components(member.type())};
}

}  // namespace

CsrMatrix read_npz(const std::filesystem::path& path) {
  const std::string name = path.string();
  const Archive archive = open_archive(path);
  const std::uintmax_t bytes = std::filesystem::file_size(path);
  const auto member = [&](const char* array) {
    return Member(archive, bytes, std::string(array) + ".npy", name);
  };
  const std::string format = member("format").read_text();
  const std::string known[] = {"csr", "csc", "coo", "bsr", "dia"};
  if (std::ranges::find(known, format) == std::end(known)) {
    throw InputError(name + ": sparse format '" + format +
                     "', expected 'csr', 'csc', 'coo', 'bsr' or 'dia': save matrix.tocsr() "
                     "instead");
  }
  const Array<Offset> shape = read_integers<Offset>(member("shape"));
  if (shape.size() != 2) {
    throw InputError(name + ": shape of " + std::to_string(shape.size()) + " numbers, expected 2");
  }
  const Index rows = checked_dimension(shape[0], "rows", name);
  const Index columns = checked_dimension(shape[1], "columns", name);
  CsrMatrix a{rows, columns, {}, {}, {}};
  if (format == "csc") std::swap(a.rows, a.columns);
  if (format == "coo") {
    const Array<Index> row = read_integers<Index>(member("row"));
    a.column_indices = read_integers<Index>(member("col"));
    read_values(member("data"), a);
    a = from_coordinates(std::move(a), row, name);
  } else if (format == "bsr") {
    a = from_blocks(rows, columns, read_integers<Offset>(member("indptr")),
                    read_integers<Index>(member("indices")), read_dimensions(member("data"), 3),
                    name);
  } else if (format == "dia") {
    a = from_diagonals(rows, columns, read_integers<std::int64_t>(member("offsets")),
                       read_dimensions(member("data"), 2), name);
  } else {
    a.row_offsets = read_integers<Offset>(member("indptr"));
    a.column_indices = read_integers<Index>(member("indices"));
    read_values(member("data"), a);
    sort_rows(a, name);
    if (format == "csc") a = from_columns(a, rows, name);
  }
  return validated(std::move(a), name);
}

bool npz_has_array(const std::filesystem::path& path, const std::string& array) {
  return zip_name_locate(open_archive(path).get(), (array + ".npy").c_str(), 0) >= 0;
}

NpzValues read_npz_values(const std::filesystem::path& path, const std::string& array,
                          NpyElements taken) {
  const Archive archive = open_archive(path);
  Member member(archive, std::filesystem::file_size(path), array + ".npy", path.string());
  if (member.header().column_major) member.fail("column-major, expected row-major");
  return {member.header().shape, read_doubles(member, taken), npy_components(member.type())};
}

std::optional<NpzIntegers> read_npz_integers(const std::filesystem::path& path,
                                             const std::string& array) {
  const Archive archive = open_archive(path);
  const std::string name = array + ".npy";
  if (zip_name_locate(archive.get(), name.c_str(), 0) < 0) return std::nullopt;
  Member member(archive, std::filesystem::file_size(path), name, path.string());
  if (member.type() != "<u8" && member.type() != "<i8") {
    member.fail("type '" + member.type() + "', expected '<u8' or '<i8'");
  }
  if (member.header().column_major) member.fail("column-major, expected row-major");
  NpzIntegers found{member.header().shape, {}};
  found.values.resize(member.size(sizeof(std::uint64_t)));
  member.read_bytes(found.values.data(), found.values.size() * sizeof(std::uint64_t));
  return found;
}

void write_npz(const CsrMatrix& a, const std::filesystem::path& path) {
  require_full(a, path.string());
  const bool is_complex = a.components == 2;
  if (!is_complex) require_real(a, path.string());
  AtomicFile file(path);
  const std::array<Offset, 2> shape{a.rows, a.columns};
  NamedArray data = named_array("data", "<f8", a.values);
  if (is_complex) data.header = {"<c16", {a.nonzeros()}};
  write_npz_arrays(
      {named_array("indices", "<i4", a.column_indices), named_array("indptr", "<i8", a.row_offsets),
       named_text("format", "csr"), named_array("shape", "<i8", shape), data},
      file.temporary(), path.string());
  file.commit();
}

}  // namespace cisolve
