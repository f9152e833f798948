#pragma once

#include <algorithm>
#include <complex>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <type_traits>

#include "core/array.hpp"
#include "io/hdf5/hdf5_child.hpp"
#include "io/matrix_reading.hpp"

namespace cisolve {

/// HDF5 files for reading. HDF5's library can crash, hang, read past its buffers or allocate
/// without measure on a damaged file, so it sees files in a child process alone:
/// docs/adr/0016-hdf5-is-read-in-a-child-process.md.

/// A dataset that is known to hold numbers and to be in the file; nothing is read yet.
struct Dataset {
  std::string name;
  Hdf5Dataset found;
  /// Elements of one that has one dimension.
  std::size_t size() const { return found.columns; }
};

/// A file open for reading. All its functions throw, naming the file: InputError where it is
/// damaged, ResourceError where the process that reads it is killed. Moves only.
class InputFile {
 public:
  /// Throws InputError when it is not there, or no HDF5; ResourceError without a process for it.
  explicit InputFile(const std::filesystem::path& path);

  const std::string& name() const { return name_; }
  /// Throws InputError.
  [[noreturn]] void fail(const std::string& what) const;

  /// True if the root has a group or dataset of that name.
  bool has_object(const char* name) const;
  bool has_attribute(const char* name) const { return attribute(name).found; }
  /// Throw InputError unless the root has the attribute, one whole number, or one number.
  std::int64_t integer_attribute(const char* name) const;
  std::uint64_t unsigned_attribute(const char* name) const;
  double number_attribute(const char* name) const;
  /// An attribute of fixed or variable length; empty when it is no string, or absent.
  std::string string_attribute(const char* name) const;

  /// A dataset of one dimension. Throws InputError if it is missing, of another kind or shape, or
  /// larger than the file can hold.
  Dataset dataset(const char* name, NumberKind expected) const;
  /// Kind of a dataset's elements.
  NumberKind kind(const char* name) const { return describe(name).found.kind; }
  /// True if a dataset has no dimensions.
  bool is_scalar(const char* name) const { return describe(name).found.dimensions == 0; }
  /// Integers of one or two dimensions; of one, a table of one row.
  Dataset integers(const char* name) const;
  /// A dataset of two dimensions, rows × `columns`; throws as `dataset`.
  Dataset table(const char* name, NumberKind expected, std::uint64_t columns) const;

  /// All elements of a dataset of one dimension, converted by HDF5 to T; integers that do not fit
  /// become the nearest that does. Throws ResourceError where memory does not hold them.
  template <class T>
  Array<T> read(const Dataset& dataset) const {
    Array<T> values = allocate<T>(dataset.size(), dataset.name, name_);
    read_row(dataset, 0, values.data());
    return values;
  }
  /// One row of a table, or all of a dataset of one dimension.
  template <class T>
  void read_row(const Dataset& dataset, std::uint64_t row, T* values) const {
    // Whole chunks, so that HDF5 reads each once.
    constexpr std::uint64_t piece_bytes = 8 << 20;
    const std::uint64_t chunk = dataset.found.chunk;
    const std::uint64_t piece = std::max<std::uint64_t>(1, piece_bytes / sizeof(T) / chunk) * chunk;
    for (std::uint64_t begin = 0; begin < dataset.found.columns; begin += piece) {
      const std::uint64_t count = std::min(piece, dataset.found.columns - begin);
      read_elements(dataset, {row, 1, begin, count}, values + begin);
    }
  }
  /// The whole table, row by row.
  template <class T>
  void read_table(const Dataset& dataset, T* values) const {
    if (dataset.found.rows > 0) {
      read_elements(dataset, {0, dataset.found.rows, 0, dataset.found.columns}, values);
    }
  }

 private:
  struct Rectangle {
    std::uint64_t row, rows, begin, count;
  };

  template <class T>
  static constexpr Element element_of() {
    if constexpr (std::is_same_v<T, double>) {
      return Element::float64;
    } else if constexpr (std::is_same_v<T, std::complex<double>>) {
      return Element::complex128;
    } else if constexpr (std::is_same_v<T, std::int64_t>) {
      return Element::int64;
    } else if constexpr (std::is_same_v<T, std::int32_t>) {
      return Element::int32;
    } else if constexpr (std::is_same_v<T, std::uint64_t>) {
      return Element::uint64;
    } else {
      static_assert(std::is_same_v<T, std::uint16_t>);
      return Element::uint16;
    }
  }
  template <class T>
  void read_elements(const Dataset& dataset, const Rectangle& part, T* values) const {
    read_elements(dataset, part, element_of<T>(), values, part.rows * part.count * sizeof(T));
  }

  Hdf5Attribute attribute(const char* name) const;
  Hdf5Attribute numeric_attribute(const char* name, NumberKind expected) const;
  Dataset describe(const char* name) const;
  void require_stored(const Dataset& dataset) const;
  void read_elements(const Dataset& dataset, const Rectangle& part, Element element, void* values,
                     std::size_t bytes) const;
  void receive_answer(void* answer, std::size_t bytes) const;

  std::string name_;
  std::uintmax_t file_bytes_;
  std::unique_ptr<ChildProcess> child_;
};

/// Throws InputError unless its numbers are of so many bits, and with a sign or without one.
void require_type(const InputFile& file, const Dataset& dataset, NumberKind kind,
                  std::uint32_t bits, bool has_sign);

}  // namespace cisolve
