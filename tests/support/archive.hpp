#pragma once

#include <gtest/gtest.h>
#include <hdf5.h>
#include <zip.h>

#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

namespace cisolve {

/// An array of an .npz file: the text of its header, and its elements.
struct Stored {
  std::string header, bytes;

  template <class T>
  std::vector<T> as() const {
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
    return values;
  }
};

/// Fails the test where there is none.
inline Stored npz_member(const std::filesystem::path& file, const std::string& name) {
  zip_t* archive = zip_open(file.c_str(), ZIP_RDONLY, nullptr);
  EXPECT_NE(archive, nullptr) << file;
  zip_stat_t status{};
  if (archive == nullptr || zip_stat(archive, (name + ".npy").c_str(), 0, &status) != 0) {
    ADD_FAILURE() << "no array " << name;
    return {};
  }
  std::string text(status.size, ' ');
  zip_file_t* member = zip_fopen(archive, (name + ".npy").c_str(), 0);
  EXPECT_EQ(zip_fread(member, text.data(), text.size()), static_cast<zip_int64_t>(text.size()));
  zip_fclose(member);
  zip_discard(archive);
  const std::size_t begin = text.find('\n') + 1;  // the header ends with one
  return {text.substr(0, begin), text.substr(begin)};
}

inline bool npz_has(const std::filesystem::path& file, const std::string& name) {
  zip_t* archive = zip_open(file.c_str(), ZIP_RDONLY, nullptr);
  const bool has = archive != nullptr && zip_name_locate(archive, (name + ".npy").c_str(), 0) >= 0;
  if (archive != nullptr) zip_discard(archive);
  return has;
}

/// A dataset of float64 numbers, and its shape.
struct Hdf5Numbers {
  std::vector<hsize_t> shape;
  std::vector<double> values;
};

/// Fails the test where there is none.
inline Hdf5Numbers hdf5_numbers(const std::filesystem::path& path, const std::string& name) {
  Hdf5Numbers numbers;
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t id = H5Dopen2(file, name.c_str(), H5P_DEFAULT);
  EXPECT_GE(id, 0) << name;
  if (id < 0) return numbers;
  const hid_t space = H5Dget_space(id);
  numbers.shape.resize(H5Sget_simple_extent_ndims(space));
  H5Sget_simple_extent_dims(space, numbers.shape.data(), nullptr);
  numbers.values.resize(H5Sget_simple_extent_npoints(space));
  EXPECT_GE(H5Dread(id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.values.data()),
            0);
  H5Sclose(space);
  H5Dclose(id);
  H5Fclose(file);
  return numbers;
}

}  // namespace cisolve
