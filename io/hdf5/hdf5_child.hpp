#pragma once

#include <cstdint>
#include <filesystem>

#include "io/hdf5/child_process.hpp"

namespace cisolve {

/// Messages between `InputFile` (io/hdf5/hdf5_input.hpp) and the child process that has the HDF5
/// file open. Each request is answered by `Answer`, then either by so many bytes of text, the
/// reason why it cannot be answered, or by the data. All are structures of plain data.

/// Elements in memory.
enum class Element : std::int32_t { float64, complex128, int64, int32, uint16, uint64 };

/// Numbers in the file; complex: compounds of two floating-point numbers, r and i.
enum class NumberKind : std::int32_t { other, integer, real, complex };

struct Hdf5Request {
  enum What : std::int32_t { object, attribute, dataset, elements } what = attribute;
  char name[60] = {};
  /// Requested elements: those of a rectangle of the dataset, one after the other, as `Hdf5Dataset`
  /// counts; of one dimension, in row 0.
  Element element = Element::float64;
  std::uint64_t row = 0, rows = 1, begin = 0, count = 0;
};

struct Hdf5Answer {
  std::uint64_t failure_bytes = 0;  ///< 0: it is no failure
};

/// An attribute of the root.
struct Hdf5Attribute {
  bool found = false;
  NumberKind kind = NumberKind::other;  ///< of one number; `other`: it is not one
  std::int64_t integer = 0;             ///< the nearest that there is
  std::uint64_t natural = 0;
  double real = 0.0;
  char text[256] = {};  ///< of a string, up to a zero; empty: it is none
};

/// A group or dataset of the root.
struct Hdf5Object {
  bool found = false;
};

struct Hdf5Dataset {
  NumberKind kind = NumberKind::other;
  std::uint32_t bits = 0;  ///< of an element
  bool has_sign = false;
  std::int32_t dimensions = 0;
  std::uint64_t rows = 1, columns = 0;  ///< of one dimension `columns`; of others but two unset
  std::uint64_t chunk = 1;              ///< columns that HDF5 reads at once
  std::uint64_t stored_bytes = 0;       ///< that the file says it has of them
  bool compressed = false;
};

/// The child's side: opens the file, answers with what came of that (no more than Answer), then
/// answers requests. It alone calls HDF5 on a file not made by this process.
void serve_hdf5(const std::filesystem::path& path, const Channel& parent);

}  // namespace cisolve
