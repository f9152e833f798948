// Packed matrices in HDF5 files: they come back bit for bit, and no damage goes unnoticed.

#include "io/hdf5/packed_file.hpp"

#include <hdf5.h>

#include <cmath>
#include <numeric>

#include "core/error.hpp"
#include "formats/packed/decode.hpp"
#include "io/hdf5/hdf5_dataset.hpp"
#include "io/matrix_file.hpp"
#include "tests/support/matrices/matrix_files.hpp"
#include "tests/support/matrices/packed_cases.hpp"

namespace cisolve {
namespace {

using namespace cisolve::testing;

/// Infinity is refused when a file is read.
CsrMatrix finite(CsrMatrix a) {
  for (double& value : a.values) {
    if (std::isinf(value)) value = 3.0;
  }
  return a;
}

template <class T>
void expect_same_bits(const char* name, const Array<T>& found, const Array<T>& expected) {
  ASSERT_EQ(found.size(), expected.size()) << name;
  if (found.empty()) return;
  EXPECT_EQ(std::memcmp(found.data(), expected.data(), found.size() * sizeof(T)), 0) << name;
}

void expect_same(const PackedMatrix& a, const PackedMatrix& b) {
  EXPECT_EQ(a.rows, b.rows);
  EXPECT_EQ(a.columns, b.columns);
  EXPECT_EQ(a.packing, b.packing);
  for_each_array([](const char* name, const auto& found,
                    const auto& expected) { expect_same_bits(name, found, expected); },
                 a, b);
}

class PackedFiles : public MatrixFileTest {
 protected:
  fs::path file() const { return folder_ / "a.h5"; }
};

TEST_F(PackedFiles, come_back_bit_for_bit_in_every_packing) {
  for (const auto& [name, any] : cases()) {
    const CsrMatrix a = finite(any);
    for (const Packing packing : packings) {
      SCOPED_TRACE(name + ", " + name_of(packing));
      const PackedMatrix m = to_packed(a, plan_packed(a, packing));
      write_packed(m, a.nonzeros(), is_symmetric(a), file());
      EXPECT_TRUE(is_packed_file(file()));
      const PackedFile back = read_packed(file());
      expect_same(back.matrix, m);
      EXPECT_EQ(back.symmetric, is_symmetric(a));
      EXPECT_EQ(back.outline.row_offsets, a.row_offsets);
      cisolve::expect_same(read_matrix(file()), a);
    }
  }
}

TEST_F(PackedFiles, rows_and_diagonal_are_those_of_the_matrix) {
  for (const auto& [name, a] : cases()) {
    for (const Packing packing : packings) {
      SCOPED_TRACE(name + ", " + name_of(packing));
      const PackedMatrix m = to_packed(a, plan_packed(a, packing));
      EXPECT_EQ(row_offsets(m), a.row_offsets);
      EXPECT_EQ(diagonal(m), diagonal(a));
      const std::vector<Index> wanted{a.rows - 1, 0, a.rows / 2};
      const CsrMatrix some = some_rows(m, wanted);
      for (Index i = 0; i < 3; ++i) {
        ASSERT_EQ(some.row_length(i), a.row_length(wanted[i]));
        for (Offset e = 0; e < some.row_length(i); ++e) {
          const Offset here = some.row_offsets[i] + e, there = a.row_offsets[wanted[i]] + e;
          EXPECT_EQ(some.column_indices[here], a.column_indices[there]);
          EXPECT_EQ(some.values[here], a.values[there]);
        }
      }
    }
  }
}

TEST_F(PackedFiles, of_csr_are_told_apart) {
  write_matrix(CsrMatrix{1, 1, {0, 1}, {0}, {2.0}}, folder_ / "csr.h5");
  EXPECT_FALSE(is_packed_file(folder_ / "csr.h5"));
  EXPECT_FALSE(is_packed_file(folder_ / "absent.h5"));
  EXPECT_FALSE(is_packed_file(write("text.h5", "no HDF5")));
  EXPECT_THROW(read_packed(folder_ / "csr.h5"), InputError);
}

TEST_F(PackedFiles, are_refused_another_name_and_an_unwritable_folder) {
  const PackedMatrix m = to_packed(fci_matrix(4, 4, 1));
  EXPECT_THROW(write_packed(m, 1, true, folder_ / "a.mtx"), InputError);
  EXPECT_THROW(write_packed(m, 1, true, folder_ / "none" / "a.h5"), InputError);
  EXPECT_TRUE(fs::is_empty(folder_));
}

// ---- Damage -------------------------------------------------------------------------------------

class DamagedPackedFile : public PackedFiles {
 protected:
  void SetUp() override {
    PackedFiles::SetUp();
    write_as(Packing::coded_near);
  }
  /// A matrix with all parts of that packing.
  void write_as(Packing packing) {
    CsrMatrix a = repeating_matrix(70, 70, 20, 5, 1);
    // Two elements of every row are there once: 64 of a slice make a plain group, 12 a rest.
    for (Index i = 0; i < a.rows; ++i) {
      for (const Offset e : {a.row_offsets[i], a.row_offsets[i] + 1}) {
        a.values[e] = 100.0 + static_cast<double>(e);
      }
    }
    m_ = to_packed(a, plan_packed(a, packing));
    write_packed(m_, to_csr(m_).nonzeros(), false, file());
  }
  /// The dataset in another type or with other elements.
  template <class T>
  void replace(const char* name, const Array<T>& values) const {
    OutputFile out{std::unique_lock(hdf5_in_use()),
                   QuietErrors(),
                   {},
                   "",
                   Handle(H5Fopen(file().c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose)};
    ASSERT_GE(H5Ldelete(out.id, name, H5P_DEFAULT), 0);
    write_dataset(out, name, values);
  }
  template <class T>
  void set(const char* name, Array<T> values, std::size_t element, T value) const {
    ASSERT_LT(element, values.size()) << name;
    values[element] = value;
    replace(name, values);
  }
  void remove(const char* name) const {
    const Handle out(H5Fopen(file().c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
    ASSERT_GE(H5Ldelete(out, name, H5P_DEFAULT), 0);
  }
  void set_attribute(const char* name, std::int64_t value) const {
    const Handle out(H5Fopen(file().c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
    const Handle id(H5Aopen(out, name, H5P_DEFAULT), H5Aclose);
    ASSERT_GE(H5Awrite(id, H5T_NATIVE_INT64, &value), 0);
  }
  void remove_attribute(const char* name) const {
    const Handle out(H5Fopen(file().c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
    ASSERT_GE(H5Adelete(out, name), 0);
  }
  void set_text(const char* name, const std::string& text) const {
    remove_attribute(name);
    OutputFile out{std::unique_lock(hdf5_in_use()),
                   QuietErrors(),
                   {},
                   "",
                   Handle(H5Fopen(file().c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose)};
    write_attribute(out, name, text);
  }
  /// And puts the whole file back.
  void expect_refused(const std::string& words, Packing packing = Packing::coded_near) {
    std::string message = "no error";
    try {
      read_packed(file());
    } catch (const InputError& error) {
      message = error.what();
    }
    EXPECT_TRUE(message.starts_with(file().string() + ": " + words)) << message << "\n" << words;
    write_as(packing);
  }

  PackedMatrix m_;
};

TEST_F(DamagedPackedFile, has_all_parts_before) {
  EXPECT_GT(m_.coded_groups(), 0);
  EXPECT_GT(m_.plain_groups(), 0);
  EXPECT_GT(m_.expansion(), 0);
  EXPECT_NO_THROW(read_packed(file()));
}

TEST_F(DamagedPackedFile, is_refused_for_an_attribute) {
  set_attribute("version", 2);
  expect_refused("packed layout of version 2, expected 1");
  remove_attribute("version");
  expect_refused("attribute 'version' is missing");
  set_text("format", "csc");
  expect_refused("format 'csc', expected 'packed'");
  set_text("packing", "coded");
  expect_refused("packing 'coded', expected one of: none, coded_near, coded_far, plain_near");
  set_text("packing", "coded_far");
  expect_refused("bases: ");
  set_text("packing", "none");
  expect_refused("row_order: 70 elements, expected 0");
  set_attribute("rows", 0);
  expect_refused("0 rows, expected 1 to 2^31 - 1");
  set_attribute("rows", 71);
  expect_refused("row_order: 70 elements, expected 71");
  set_attribute("columns", 69);
  expect_refused("expansion_columns: element ");
  remove_attribute("symmetric");
  expect_refused("attribute 'symmetric' is missing");
  set_attribute("symmetric", 2);
  expect_refused("attribute 'symmetric' is 2, expected 0 or 1");
  set_attribute("nonzeros", 7);
  expect_refused("the arrays hold ");
  remove_attribute("nonzeros");
  expect_refused("attribute 'nonzeros' is missing");
}

TEST_F(DamagedPackedFile, is_refused_for_a_dataset_that_is_missing_or_of_another_type) {
  for_each_array(
      [&](const char* name, const auto&) {
        remove(name);
        expect_refused("dataset '" + std::string(name) + "' is missing");
      },
      m_);
  replace("codes", Array<std::int32_t>(m_.codes.begin(), m_.codes.end()));
  expect_refused(
      "dataset 'codes' holds signed integers of 32 bits, expected unsigned integers of 16 bits");
  replace("dictionary", Array<std::int32_t>(m_.dictionary.size(), 0));
  expect_refused("dataset 'dictionary' is of another type, expected floating-point numbers");
  replace("row_order", Array<double>(m_.row_order.size(), 0.0));
  expect_refused("dataset 'row_order' is of another type, expected integers");
}

TEST_F(DamagedPackedFile, is_refused_for_numbers_whose_size_is_absurd) {
  const hsize_t size = 1;
  const Handle type(H5Tcopy(H5T_NATIVE_UINT16), H5Tclose);
  ASSERT_GE(H5Tset_size(type, (std::size_t{1} << 29) + 2), 0);  // of 16 bits, modulo 2^32
  const Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose);
  remove("codes");
  {
    const Handle out(H5Fopen(file().c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
    const Handle id(H5Dcreate2(out, "codes", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                    H5Dclose);
    ASSERT_GE(id, 0);
  }
  expect_refused("dataset 'codes' holds numbers of 536870914 bytes, expected 1 to 16");
}

TEST_F(DamagedPackedFile, is_refused_for_sizes_that_do_not_belong_together) {
  const auto shortened = [&]<class T>(const char* name, const Array<T>& values) {
    ASSERT_FALSE(values.empty()) << name;
    replace(name, Array<T>(values.begin(), values.end() - 1));
    expect_refused(std::string(name) + ": " + std::to_string(values.size() - 1) + " elements");
  };
  shortened("row_order", m_.row_order);
  shortened("slice_offsets", m_.slice_offsets);
  shortened("bases", m_.bases);
  shortened("column_offsets", m_.column_offsets);
  shortened("codes", m_.codes);
  shortened("plain_slice_offsets", m_.plain_slice_offsets);
  shortened("plain_bases", m_.plain_bases);
  shortened("plain_column_offsets", m_.plain_column_offsets);
  shortened("plain_values", m_.plain_values);
  shortened("expansion_offsets", m_.expansion_offsets);
  shortened("expansion_columns", m_.expansion_columns);
  shortened("expansion_values", m_.expansion_values);
  replace("column_indices", Array<Index>(128, 0));
  expect_refused("column_indices: 128 elements, expected 128 for each of 0 groups");
  replace("dictionary", Array<double>());
  expect_refused("dictionary: found nothing for codes");
  Array<double> many(40000);
  std::iota(many.begin(), many.end(), 0.0);
  replace("dictionary", many);
  expect_refused("dictionary: 40000 elements, expected at most 32768");
}

TEST_F(DamagedPackedFile, is_refused_for_offsets_that_do_not_ascend_from_zero) {
  const auto each = [&](const char* name, const Array<Offset>& offsets) {
    set(name, offsets, 0, Offset{1});
    expect_refused(std::string(name) + ": begins with 1, expected 0");
    set(name, offsets, 1, Offset{1000000});
    expect_refused(std::string(name) + ": element 3 is ");
    set(name, offsets, 1, Offset{-1});
    expect_refused(std::string(name) + ": element 2 is -1, expected offsets that ascend");
  };
  each("slice_offsets", m_.slice_offsets);
  each("plain_slice_offsets", m_.plain_slice_offsets);
  each("expansion_offsets", m_.expansion_offsets);
  // Groups too many for their elements to be counted.
  set("slice_offsets", m_.slice_offsets, m_.slice_offsets.size() - 1, Offset{1} << 60);
  expect_refused("bases: ");
}

TEST_F(DamagedPackedFile, is_refused_for_rows_that_are_no_permutation) {
  set("row_order", m_.row_order, 1, m_.row_order[0]);
  expect_refused("row_order: element 2 is " + std::to_string(m_.row_order[0]) +
                 ", expected every row from 0 to 69 once");
  set("row_order", m_.row_order, 3, 70);
  expect_refused("row_order: element 4 is 70");
  set("row_order", m_.row_order, 0, -1);
  expect_refused("row_order: element 1 is -1");
}

TEST_F(DamagedPackedFile, is_refused_for_columns_outside) {
  set("bases", m_.bases, 2, -1);
  expect_refused("bases: element 3 is -1, expected a column from 0 to 69");
  set("plain_bases", m_.plain_bases, 0, 70);
  expect_refused("plain_bases: element 1 is 70, expected a column from 0 to 69");
  set("column_offsets", m_.column_offsets, 5, std::uint16_t{65535});
  expect_refused("column_offsets: element 6 is 65535, expected a column below 70 with its base");
  set("plain_column_offsets", m_.plain_column_offsets, 7, std::uint16_t{70});
  expect_refused("plain_column_offsets: element 8 is 70");
  set("expansion_columns", m_.expansion_columns, 0, 70);
  expect_refused("expansion_columns: element 1 is 70, expected a column from 0 to 69");
  write_as(Packing::coded_far);
  set("column_indices", m_.column_indices, 9, 70);
  expect_refused("column_indices: element 10 is 70, expected a column from 0 to 69");
}

TEST_F(DamagedPackedFile, is_refused_for_elements_and_codes) {
  const auto size = std::to_string(m_.dictionary.size());
  set("codes", m_.codes, 4, static_cast<std::uint16_t>(m_.dictionary.size() | 0x8000));
  expect_refused("codes: element 5 is " + std::to_string(m_.dictionary.size() | 0x8000) +
                 ", expected a magnitude of the dictionary's " + size);
  set("dictionary", m_.dictionary, 0, 1.0);
  expect_refused("dictionary: element 1 is 1, expected 0, then positive numbers");
  set("dictionary", m_.dictionary, 2, -1.0);
  expect_refused("dictionary: element 3 is -1");
  set("dictionary", m_.dictionary, 1, std::nan(""));
  expect_refused("dictionary: element 2 is nan");
  set("plain_values", m_.plain_values, 3, HUGE_VAL);
  expect_refused("plain_values: element 4 is inf, expected a finite number");
  set("expansion_values", m_.expansion_values, 0, -HUGE_VAL);
  expect_refused("expansion_values: element 1 is -inf, expected a finite number");
}

TEST_F(DamagedPackedFile, is_refused_for_an_entry_that_is_there_twice) {
  // The rest of a row takes the column of one of its entries in groups.
  Index row = 0;
  while (m_.expansion_offsets[row + 1] == m_.expansion_offsets[row]) ++row;
  const CsrMatrix entries = some_rows(m_, std::vector<Index>{row});
  const auto rest = static_cast<std::size_t>(m_.expansion_offsets[row]);
  const Index last = entries.column_indices.back(), first = entries.column_indices.front();
  const Index column = m_.expansion_columns[rest] == last ? first : last;
  set("expansion_columns", m_.expansion_columns, rest, column);
  expect_refused("row " + std::to_string(row + 1) + ", column " + std::to_string(column + 1) +
                 " is given twice");
}

TEST_F(DamagedPackedFile, is_refused_for_a_flipped_bit_and_a_cut) {
  const std::string whole = bytes_of(file());
  // The codes are the largest dataset: a run of them, found by what they hold.
  const std::string codes(reinterpret_cast<const char*>(m_.codes.data()), 64);
  const std::size_t place = whole.find(codes);
  ASSERT_NE(place, std::string::npos);
  std::string spoilt = whole;
  spoilt[place + 8] = static_cast<char>(spoilt[place + 8] ^ 1);
  write("a.h5", spoilt);
  expect_refused("dataset 'codes' cannot be read (HDF5: ");
  for (const std::size_t part : {whole.size() / 2, whole.size() - 1}) {
    write("a.h5", whole.substr(0, part));
    EXPECT_NE(error_of(file()).find("not readable as HDF5"), std::string::npos);
  }
}

}  // namespace
}  // namespace cisolve
