#include "cisolve/hamiltonian.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <string>
#include <utility>

#include "app/input/generated_input.hpp"
#include "app/library/hamiltonian_data.hpp"
#include "app/model/open_model.hpp"
#include "core/error.hpp"
#include "io/matrix_reading.hpp"
#include "io/trexio/trexio_output.hpp"

namespace cisolve {
namespace {

[[noreturn]] void refuse(const std::string& what, const std::string& found,
                         const std::string& expected) {
  throw InputError(what + ": found " + found + ", expected " + expected);
}

void require_length(const std::string& what, std::size_t found, std::size_t expected) {
  if (found != expected) {
    refuse(what, std::to_string(found) + " elements", std::to_string(expected));
  }
}

/// Largest difference of elements that are equal by symmetry.
constexpr double symmetry_tolerance = 1e-8;

/// All digits, so that different numbers look different.
std::string exactly(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

/// `name` makes the words for what they are, where they are needed: there are millions of
/// integrals.
template <class Name>
void require_equal(double a, double b, const Name& name) {
  if (std::abs(a - b) <= symmetry_tolerance) return;  // false of NaN
  refuse(name(), exactly(a) + " and " + exactly(b), "the same finite number");
}

std::shared_ptr<const OneElectron> one_electron(std::span<const double> h, int n) {
  require_length("h1", h.size(), std::size_t(n) * n);
  auto made = std::make_shared<OneElectron>(n);
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q <= p; ++q) {
      require_equal(h[p * n + q], h[q * n + p], [&] {
        return "h1, elements " + std::to_string(p) + ", " + std::to_string(q) + " and back";
      });
      made->set(p, q, h[p * n + q]);
    }
  }
  return made;
}

/// (pq|rs) of all four orbitals at once, of pairs, or of pairs of pairs.
class EriReader {
 public:
  EriReader(std::span<const double> eri, int n) : eri_(eri), n_(n), pairs_(n * (n + 1) / 2) {
    const std::size_t all = std::size_t(n) * n * n * n;
    const std::size_t squared = pairs_ * pairs_, triangle = pairs_ * (pairs_ + 1) / 2;
    if (eri.size() != all && eri.size() != squared && eri.size() != triangle) {
      refuse(
          "eri", std::to_string(eri.size()) + " elements",
          std::to_string(all) + ", " + std::to_string(squared) + " or " + std::to_string(triangle));
    }
    of_pairs_ = eri.size() == squared;
    of_orbitals_ = eri.size() == all && !of_pairs_;
  }

  /// Throws InputError unless (pq|rs) is the same in whatever order it is stored; p ≥ q, r ≥ s.
  double operator()(int p, int q, int r, int s) const {
    const std::size_t pq = pair_index(p, q), rs = pair_index(r, s);
    if (of_pairs_) return same({eri_[pq * pairs_ + rs], eri_[rs * pairs_ + pq]}, p, q, r, s);
    if (of_orbitals_) {
      return same({at(p, q, r, s), at(q, p, r, s), at(p, q, s, r), at(q, p, s, r), at(r, s, p, q),
                   at(s, r, p, q), at(r, s, q, p), at(s, r, q, p)},
                  p, q, r, s);
    }
    const std::size_t high = std::max(pq, rs), low = std::min(pq, rs);
    return same({eri_[high * (high + 1) / 2 + low]}, p, q, r, s);
  }

 private:
  double at(int p, int q, int r, int s) const {
    return eri_[((std::size_t(p) * n_ + q) * n_ + r) * n_ + s];
  }
  static double same(std::initializer_list<double> values, int p, int q, int r, int s) {
    const double first = *values.begin();
    for (const double value : values) {
      require_equal(value, first, [&] {
        return "eri, (" + std::to_string(p) + " " + std::to_string(q) + "|" + std::to_string(r) +
               " " + std::to_string(s) + ") in two orders";
      });
    }
    return first;
  }

  std::span<const double> eri_;
  int n_;
  std::size_t pairs_;
  bool of_pairs_, of_orbitals_;
};

std::shared_ptr<const TwoElectron> two_electron(std::span<const double> eri, int n) {
  const EriReader read(eri, n);
  auto made = std::make_shared<TwoElectron>(n);
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q <= p; ++q) {
      double* row = made->row(pair_index(p, q));
      for (int r = 0; r < n; ++r) {
        for (int s = 0; s <= r; ++s) row[pair_index(r, s)] = read(p, q, r, s);
      }
    }
  }
  return made;
}

std::vector<int> checked_irreps(const IntegralArrays& arrays) {
  if (arrays.irreps.empty()) return {};
  require_length("irreps", arrays.irreps.size(), arrays.orbitals);
  for (const int irrep : arrays.irreps) {
    if (irrep < 0 || irrep > 7) refuse("irreps", std::to_string(irrep), "0 to 7");
  }
  return arrays.irreps;
}

/// Throws InputError where an integral that the irreps make vanish does not.
void require_symmetry(const std::vector<int>& irreps, const OneElectron& h, const TwoElectron& g) {
  if (irreps.empty()) return;
  const int n = h.orbitals();
  const auto require_zero = [](double value, const std::string& what) {
    if (std::abs(value) > symmetry_tolerance) {
      refuse("irreps", what + " = " + exactly(value), "0, as the irreps of its orbitals make it");
    }
  };
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q <= p; ++q) {
      const std::string pq = std::to_string(p) + ", " + std::to_string(q);
      if (irreps[p] != irreps[q]) require_zero(h(p, q), "h1 of orbitals " + pq);
      for (int r = 0; r <= p; ++r) {
        for (int s = 0; s <= r; ++s) {
          if (irrep_product(irreps[p], irreps[q], irreps[r], irreps[s]) == 0) continue;
          const double value = g(p, q, r, s);
          if (value != 0.0) {
            require_zero(value, "eri of orbitals " + pq + ", " + std::to_string(r) + ", " +
                                    std::to_string(s));
          }
        }
      }
    }
  }
}

/// A copy, or the elements themselves where they have an owner.
template <class T>
Array<T> array_of(std::span<const T> from, const std::shared_ptr<const void>& owner) {
  if (owner) return lent_array(from.data(), from.size(), owner);
  Array<T> made(from.size());
  std::copy(from.begin(), from.end(), made.begin());
  return made;
}

void require_size(const std::string& what, std::int64_t size) {
  constexpr std::int64_t most = std::numeric_limits<Index>::max();
  if (size < 1 || size > most) refuse(what, std::to_string(size), "1 to " + std::to_string(most));
}

/// Vectors are blocks of real numbers.
void require_components(int components, std::int64_t rows) {
  if (components != 1 && components != 2 && components != 4) {
    refuse("components", std::to_string(components), "1, 2 or 4");
  }
  require_size("rows", components * rows);
}

std::shared_ptr<const Hamiltonian::Data> data_of(std::int64_t rows, std::vector<double> diagonal,
                                                 Multiply multiply, int components) {
  require_size("rows", rows);
  require_components(components, rows);
  if (!multiply) refuse("multiply", "no function", "one");
  auto data = std::make_shared<Hamiltonian::Data>();
  data->input.file = "the product";
  data->product = std::make_shared<const CallersProduct>(CallersProduct{
      static_cast<Index>(rows), std::move(diagonal), std::move(multiply), components});
  return data;
}

}  // namespace

std::unique_ptr<Model> Hamiltonian::Data::open(Storage storage, const Log& log) const {
  if (product) return open_model(product, input);
  if (matrix) return open_model(matrix, input, storage);
  if (integrals) return open_model(*integrals, input, storage, log);
  if (spinors) return open_model(*spinors, input, storage, log);
  return open_model(input, storage, log);
}

Hamiltonian Hamiltonian::read(const std::filesystem::path& file,
                              const DeterminantSettings& determinants) {
  // A folder holds TREXIO's text files.
  std::error_code ignored;
  const bool folder = is_trexio_name(file) && std::filesystem::is_directory(file, ignored);
  if (!is_generated(file) && !folder) require_file(file);
  auto data = std::make_shared<Data>();
  static_cast<DeterminantSettings&>(data->input) = determinants;
  data->input.file = file;
  return Hamiltonian(std::move(data));
}

Hamiltonian Hamiltonian::from_integrals(const IntegralArrays& arrays,
                                        const DeterminantSettings& determinants) {
  const int n = arrays.orbitals;
  if (n < 1) refuse("orbitals", std::to_string(n), "at least 1");
  Integrals integrals;
  integrals.orbitals = n;
  integrals.electrons = determinants.electrons.value_or(arrays.electrons);
  integrals.ms2 = determinants.ms2.value_or(arrays.ms2);
  integrals.core_energy = arrays.core_energy;
  if (!std::isfinite(arrays.core_energy)) refuse("core_energy", "NaN or infinity", "a number");
  const auto h = one_electron(arrays.h1, n);
  integrals.one_electron = {h, h};
  integrals.alpha_alpha = integrals.alpha_beta = integrals.beta_beta = two_electron(arrays.eri, n);
  const std::vector<int> irreps = checked_irreps(arrays);
  integrals.orbital_irreps = {irreps, irreps};
  integrals.irreps_as_pyscf = true;  // they count from 0
  require_symmetry(irreps, *h, *integrals.alpha_alpha);
  electron_numbers(integrals);  // throws where they do not fit
  auto data = std::make_shared<Data>();
  static_cast<DeterminantSettings&>(data->input) = determinants;
  data->input.file = "the integrals";
  data->integrals = std::make_shared<const Integrals>(std::move(integrals));
  return Hamiltonian(std::move(data));
}

Hamiltonian Hamiltonian::from_csr(const CsrArrays& arrays) {
  for (const std::int64_t size : {arrays.rows, arrays.columns}) {
    require_size("rows or columns", size);
  }
  require_components(arrays.components, std::max(arrays.rows, arrays.columns));
  require_length("row_offsets", arrays.row_offsets.size(), arrays.rows + 1);
  CsrMatrix a;
  a.rows = static_cast<Index>(arrays.rows);
  a.columns = static_cast<Index>(arrays.columns);
  a.row_offsets = array_of(arrays.row_offsets, arrays.owner);
  a.column_indices = array_of(arrays.column_indices, arrays.owner);
  a.values = array_of(arrays.values, arrays.owner);
  a.components = arrays.components;
  auto data = std::make_shared<Data>();
  data->input.file = "the matrix";
  data->matrix =
      std::make_shared<const CsrMatrix>(validated(std::move(a), data->input.file.string()));
  return Hamiltonian(std::move(data));
}

Hamiltonian Hamiltonian::from_product(std::vector<double> diagonal, Multiply multiply,
                                      int components) {
  if (diagonal.empty()) refuse("diagonal", "no elements", "one a row");
  for (const double d : diagonal) {
    if (!std::isfinite(d)) refuse("diagonal", "NaN or infinity", "numbers");
  }
  const auto rows = static_cast<std::int64_t>(diagonal.size());
  return Hamiltonian(data_of(rows, std::move(diagonal), std::move(multiply), components));
}

Hamiltonian Hamiltonian::from_product_alone(std::int64_t rows, Multiply multiply, int components) {
  return Hamiltonian(data_of(rows, {}, std::move(multiply), components));
}

std::int64_t Hamiltonian::rows() const {
  return data_->open(Storage::full, {})->rows();
}

int Hamiltonian::components() const {
  return data_->open(Storage::full, {})->components();
}

}  // namespace cisolve
