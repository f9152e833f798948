#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/error.hpp"
#include "core/threads/parallel.hpp"
#include "formats/packed/decode.hpp"

namespace cisolve {
namespace {

/// The checks of `validate`, in the order in which one relies on those before.
class Validation {
 public:
  Validation(const PackedMatrix& m, const std::string& name) : m_(m), name_(name) {}

  void run() const {
    if (m_.components != 1 && m_.components != 2) {
      fail("elements of " + std::to_string(m_.components) + " numbers, expected 1 or 2");
    }
    if (m_.rows < 1 || m_.columns < 1) {
      fail("the matrix is " + std::to_string(m_.rows) + " × " + std::to_string(m_.columns) +
           ", expected at least one row and column");
    }
    require_offsets();
    require_sizes();
    require_permutation();
    require_dictionary();
    require_columns();
    require_finite("plain_values", m_.plain_values);
    require_finite("expansion_values", m_.expansion_values);
    require_single_entries();
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw InputError(name_ + ": " + what); }

  /// "columns: element 3 is 7, expected …", of the first element for which `offends(element's
  /// number)` holds.
  template <class T, class Predicate>
  void forbid(const char* array, const Array<T>& values, const std::string& expected,
              Predicate offends) const {
    const auto count = static_cast<Offset>(values.size());
    Offset first = count;
#pragma omp parallel for if (worth_threads(count)) schedule(static) reduction(min : first)
    for (Offset e = 0; e < count; ++e) {
      if (e < first && offends(e)) first = e;
    }
    if (first < count) {
      fail(std::string(array) + ": element " + std::to_string(first + 1) + " is " +
           text(values[first]) + ", expected " + expected);
    }
  }

  static std::string text(double value) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.17g", value);
    return buffer;
  }
  template <class T>
  static std::string text(T value) {
    return std::to_string(value);
  }

  template <class T>
  void require_size(const char* array, const Array<T>& values, Offset expected,
                    const std::string& what) const {
    if (static_cast<Offset>(values.size()) == expected) return;
    fail(std::string(array) + ": " + std::to_string(values.size()) + " elements, expected " +
         std::to_string(expected) + ", " + what);
  }

  void require_ascending(const char* array, const Array<Offset>& offsets) const {
    if (offsets.empty()) return;
    if (offsets[0] != 0) {
      fail(std::string(array) + ": begins with " + std::to_string(offsets[0]) + ", expected 0");
    }
    forbid(array, offsets, "offsets that ascend",
           [&](Offset e) { return e > 0 && offsets[e] < offsets[e - 1]; });
  }

  void require_offsets() const {
    const bool grouped = m_.packing != Packing::none;
    const Offset slices = grouped ? (Offset{m_.rows} + packed_rows - 1) / packed_rows + 1 : 0;
    require_size("row_order", m_.row_order, grouped ? m_.rows : 0, "the rows in slices");
    require_size("slice_offsets", m_.slice_offsets, slices, "slices + 1");
    require_size("plain_slice_offsets", m_.plain_slice_offsets, slices, "slices + 1");
    if (!grouped || !m_.expansion_offsets.empty()) {
      require_size("expansion_offsets", m_.expansion_offsets, Offset{m_.rows} + 1, "rows + 1");
    }
    require_ascending("slice_offsets", m_.slice_offsets);
    require_ascending("plain_slice_offsets", m_.plain_slice_offsets);
    require_ascending("expansion_offsets", m_.expansion_offsets);
  }

  /// `each` elements a group.
  template <class T>
  void require_groups(const char* array, const Array<T>& values, Offset groups,
                      std::size_t each) const {
    // Divided, since the product of a wrong number of groups may overflow.
    if (values.size() % each == 0 && static_cast<Offset>(values.size() / each) == groups) return;
    fail(std::string(array) + ": " + std::to_string(values.size()) + " elements, expected " +
         std::to_string(each) + " for each of " + std::to_string(groups) + " groups");
  }

  void require_sizes() const {
    const Offset coded = m_.coded_groups(), plain = m_.plain_groups();
    const bool far = m_.packing == Packing::coded_far;
    require_groups("bases", m_.bases, far ? 0 : coded, packed_steps);
    require_groups("column_offsets", m_.column_offsets, far ? 0 : coded, packed_group);
    require_groups("column_indices", m_.column_indices, far ? coded : 0, packed_group);
    require_groups("codes", m_.codes, coded, packed_group);
    require_groups("plain_bases", m_.plain_bases, plain, packed_steps);
    require_groups("plain_column_offsets", m_.plain_column_offsets, plain, packed_group);
    require_groups("plain_values", m_.plain_values, plain, packed_group * m_.components);
    const std::string expansion = "where expansion_offsets ends";
    require_size("expansion_columns", m_.expansion_columns, m_.expansion(), expansion);
    require_size("expansion_values", m_.expansion_values, m_.expansion() * m_.components,
                 m_.components == 1 ? expansion : expansion + ", two an element");
  }

  void require_permutation() const {
    std::vector<bool> met(m_.row_order.size());
    for (std::size_t s = 0; s < met.size(); ++s) {
      const Index row = m_.row_order[s];
      if (row >= 0 && row < m_.rows && !met[row]) {
        met[row] = true;
        continue;
      }
      fail("row_order: element " + std::to_string(s + 1) + " is " + std::to_string(row) +
           ", expected every row from 0 to " + std::to_string(m_.rows - 1) + " once");
    }
  }

  void require_dictionary() const {
    const Array<double>& numbers = m_.dictionary;
    const auto d = static_cast<std::size_t>(m_.components);
    const std::size_t magnitudes = numbers.size() / d;
    if (m_.coded_groups() > 0 && magnitudes == 0) fail("dictionary: found nothing for codes");
    if (numbers.size() % d != 0 || magnitudes > most_magnitudes(m_.components)) {
      fail("dictionary: " + std::to_string(numbers.size()) + " elements, expected at most " +
           std::to_string(d * most_magnitudes(m_.components)) + (d == 1 ? "" : ", pairs"));
    }
    forbid("dictionary", numbers,
           d == 1 ? "0, then positive numbers" : "two zeros, then pairs of numbers not below 0",
           [&](Offset e) {
             const double x = numbers[e];
             if (e < m_.components) return x != 0.0 || std::signbit(x);
             if (std::signbit(x) || !std::isfinite(x)) return true;
             return x == 0.0 && (d == 1 || numbers[e ^ 1] == 0.0);
           });
    const auto mask = static_cast<std::uint16_t>(~signs_of_code(m_.components));
    forbid("codes", m_.codes, "a magnitude of the dictionary's " + std::to_string(magnitudes),
           [&](Offset e) { return (m_.codes[e] & mask) >= magnitudes; });
  }

  template <class T>
  void require_within(const char* array, const Array<T>& columns) const {
    forbid(array, columns, "a column from 0 to " + std::to_string(m_.columns - 1),
           [&](Offset e) { return columns[e] < 0 || columns[e] >= static_cast<T>(m_.columns); });
  }

  /// The offsets of padding as well: products read X there.
  void require_near(const char* array, const Array<std::uint16_t>& offsets,
                    const Array<Index>& bases) const {
    forbid(array, offsets, "a column below " + std::to_string(m_.columns) + " with its base",
           [&](Offset e) {
             const Index base = bases[e / packed_group * packed_steps + e % packed_steps];
             return Offset{base} + offsets[e] >= m_.columns;
           });
  }

  void require_columns() const {
    require_within("bases", m_.bases);
    require_within("plain_bases", m_.plain_bases);
    require_within("column_indices", m_.column_indices);
    require_within("expansion_columns", m_.expansion_columns);
    require_near("column_offsets", m_.column_offsets, m_.bases);
    require_near("plain_column_offsets", m_.plain_column_offsets, m_.plain_bases);
  }

  void require_finite(const char* array, const Array<double>& values) const {
    forbid(array, values, "a finite number", [&](Offset e) { return !std::isfinite(values[e]); });
  }

  void require_single_entries() const {
    Index first = m_.rows;
    FirstException exception;
#pragma omp parallel if (worth_threads(30.0 * m_.rows)) reduction(min : first)
    {
      std::vector<Index> columns;
#pragma omp for schedule(dynamic, packed_rows)
      for (Index s = 0; s < m_.rows; ++s) {
        exception.guard([&] {
          columns.clear();
          for_each_numbers(m_, s, [&](Index j, const double*) { columns.push_back(j); });
          if (twice(columns) != columns.end()) first = std::min(first, row_of(m_, s));
        });
      }
    }
    exception.rethrow();
    if (first == m_.rows) return;
    const CsrMatrix row = some_rows(m_, std::span<const Index>(&first, 1));
    std::vector<Index> columns(row.column_indices.begin(), row.column_indices.end());
    fail("row " + std::to_string(Offset{first} + 1) + ", column " +
         std::to_string(Offset{*twice(columns)} + 1) + " is given twice");
  }

  /// A column that is there twice; sorts them where they do not ascend yet.
  static std::vector<Index>::iterator twice(std::vector<Index>& columns) {
    if (!std::ranges::is_sorted(columns)) std::ranges::sort(columns);
    return std::ranges::adjacent_find(columns);
  }

  const PackedMatrix& m_;
  const std::string& name_;
};

}  // namespace

const char* name_of(Packing packing) {
  constexpr const char* names[] = {"none", "coded_near", "coded_far", "plain_near"};
  return names[static_cast<int>(packing)];
}

void validate(const PackedMatrix& m, const std::string& name) {
  Validation(m, name).run();
}

}  // namespace cisolve
