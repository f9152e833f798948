#pragma once

#include <gtest/gtest.h>
// Older versions of it are C alone.
extern "C" {
#include <trexio.h>
}

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "hamiltonian/integrals/integrals.hpp"

namespace cisolve {

/// A TREXIO file that its library has open, written to or read.
class TrexioFile {
 public:
  explicit TrexioFile(const std::filesystem::path& path, char mode = 'w',
                      back_end_t back_end = TREXIO_HDF5) {
    trexio_exit_code status = TREXIO_SUCCESS;
    file_ = trexio_open(path.c_str(), mode, back_end, &status);
    require(status);
  }
  TrexioFile(const TrexioFile&) = delete;
  TrexioFile& operator=(const TrexioFile&) = delete;
  ~TrexioFile() { require(trexio_close(file_)); }

  operator trexio_t*() const { return file_; }
  static void require(trexio_exit_code status) {
    EXPECT_EQ(status, TREXIO_SUCCESS) << trexio_string_of_error(status);
  }

 private:
  trexio_t* file_ = nullptr;
};

/// Contents of a file of integrals; each may be left out.
struct TrexioParts {
  bool one_electron = true, two_electron = true, electrons = true, repulsion = true;
  bool every_permutation = false;  ///< of ⟨pq|rs⟩, else one
};

/// Writes restricted integrals, as TREXIO has them.
inline void write_integrals(trexio_t* file, const Integrals& in, const TrexioParts& parts = {}) {
  const auto require = TrexioFile::require;
  const int n = in.orbitals;
  require(trexio_write_mo_num(file, n));
  if (parts.repulsion) require(trexio_write_nucleus_repulsion(file, in.core_energy));
  if (parts.electrons) {
    require(trexio_write_electron_up_num(file, (in.electrons + in.ms2) / 2));
    require(trexio_write_electron_dn_num(file, (in.electrons - in.ms2) / 2));
  }
  if (parts.one_electron) {
    std::vector<double> h;
    for (int p = 0; p < n; ++p) {
      for (int q = 0; q < n; ++q) h.push_back((*in.one_electron[alpha])(p, q));
    }
    require(trexio_write_mo_1e_int_core_hamiltonian(file, h.data()));
  }
  if (!parts.two_electron) return;
  std::vector<std::int32_t> indices;
  std::vector<double> values;
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q < n; ++q) {
      for (int r = 0; r < n; ++r) {
        for (int s = 0; s < n; ++s) {  // (pr|qs) = <pq|rs>
          const int pr = pair_index(p, r), qs = pair_index(q, s);
          const double value = (*in.alpha_alpha)(p, r, q, s);
          if (value == 0.0 || (!parts.every_permutation && (p < r || q < s || pr < qs))) continue;
          indices.insert(indices.end(), {p, q, r, s});
          values.push_back(value);
        }
      }
    }
  }
  require(trexio_write_mo_2e_int_eri(file, 0, static_cast<std::int64_t>(values.size()),
                                     indices.data(), values.data()));
}

inline void write_symmetry(trexio_t* file, const std::vector<std::string>& labels,
                           const std::string& group) {
  std::vector<const char*> pointers;
  for (const std::string& label : labels) pointers.push_back(label.c_str());
  TrexioFile::require(trexio_write_mo_symmetry(file, pointers.data(), 16));
  if (group.empty()) return;
  TrexioFile::require(trexio_write_nucleus_point_group(file, group.c_str(), 16));
}

}  // namespace cisolve
