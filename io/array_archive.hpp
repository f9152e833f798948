#pragma once

#include <complex>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/array.hpp"
#include "io/npy.hpp"

namespace cisolve {

/// Arrays by name in one file: NumPy's .npz, or HDF5.

/// By their names.
bool is_npz(const std::filesystem::path& path);
bool is_hdf5(const std::filesystem::path& path);
/// Either.
bool is_archive(const std::filesystem::path& path);

/// An array of an archive: its elements as they lie in memory, row by row.
struct NamedArray {
  std::string name;  ///< "data"
  NpyHeader header;
  const void* data = nullptr;
  std::size_t bytes = 0;
  std::shared_ptr<const void> owner = {};  ///< of the elements; null: the caller
};

/// Array of numbers in one dimension, the caller's.
template <class Container>
NamedArray named_array(const std::string& name, const char* type, const Container& values) {
  return {name,
          {type, {static_cast<std::int64_t>(values.size())}},
          values.data(),
          values.size() * sizeof(values[0])};
}

/// A string of the caller's.
inline NamedArray named_text(const std::string& name, const std::string& text) {
  return {name, {"|S" + std::to_string(text.size()), {}}, text.data(), text.size()};
}

/// Array of float64, complex128, int64 or uint64 that it keeps; an empty shape: of one element.
template <class T>
NamedArray kept_array(const std::string& name, std::vector<T> values,
                      std::vector<std::int64_t> shape) {
  const char* type = std::is_same_v<T, std::complex<double>> ? "<c16" : "<f8";
  if constexpr (std::is_integral_v<T>) type = std::is_signed_v<T> ? "<i8" : "<u8";
  static_assert(sizeof(T) == 8 || std::is_same_v<T, std::complex<double>>);
  const auto kept = std::make_shared<const std::vector<T>>(std::move(values));
  return {name, {type, std::move(shape)}, kept->data(), kept->size() * sizeof(T), kept};
}

inline NamedArray kept_text(const std::string& name, std::string text) {
  const auto kept = std::make_shared<const std::string>(std::move(text));
  NamedArray array = named_text(name, *kept);
  array.owner = kept;
  return array;
}

/// Writes NumPy's .npz, uncompressed (numpy.lib.format in a zip), to `path` itself. Throws
/// ResourceError, naming `name`, when it cannot be written.
void write_npz_arrays(const std::vector<NamedArray>& arrays, const std::filesystem::path& path,
                      const std::string& name);

/// Writes them as HDF5: a dataset for each array, and the attribute `format` of the root.
void write_hdf5_arrays(const std::vector<NamedArray>& arrays, const std::string& format,
                       const std::filesystem::path& path, const std::string& name);

/// Writes the one of the two that `name` asks for.
void write_arrays(const std::vector<NamedArray>& arrays, const std::string& format,
                  const std::filesystem::path& path, const std::string& name);

/// An array of real numbers, or of complex ones, both parts side by side.
struct NpzValues {
  std::vector<std::int64_t> shape;
  Array<double> values;  ///< row by row
  int components = 1;    ///< real numbers of an element
};

/// True if an .npz file has an array of that name. Throws InputError where it is damaged.
bool npz_has_array(const std::filesystem::path& path, const std::string& array);

/// An array of an .npz file by its name, "ci". Throws InputError where there is none, or it is
/// damaged or no such numbers.
NpzValues read_npz_values(const std::filesystem::path& path, const std::string& array,
                          NpyElements taken = NpyElements::real);

/// An array of 64-bit integers, their bits.
struct NpzIntegers {
  std::vector<std::int64_t> shape;
  std::vector<std::uint64_t> values;  ///< row by row
};

/// An array of 64-bit integers of an .npz file, signed or not; none where the file has no array of
/// that name. Throws InputError where it is damaged, column-major or of another type.
std::optional<NpzIntegers> read_npz_integers(const std::filesystem::path& path,
                                             const std::string& array);

}  // namespace cisolve
