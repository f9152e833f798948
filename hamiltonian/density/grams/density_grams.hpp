#pragma once

#include <cstdint>
#include <memory>

#include "backends/backend.hpp"
#include "backends/cuda_module.hpp"
#include "core/dense/host_matrix.hpp"
#include "hamiltonian/density/grams/density_tables.hpp"

namespace cisolve {

/// One of so many parts of the strings that a sum goes over.
struct StringShare {
  int number = 0, shares = 1;

  StringRange of(const StringRange& all) const {
    const std::int64_t size = all.size();
    return {all.first + static_cast<Index>(size * number / shares),
            all.first + static_cast<Index>(size * (number + 1) / shares)};
  }
};

/// Gram matrices of operators on full CI vectors, from which their densities are put together.
/// Vectors have the order of DirectLayout, in the backend's memory; results are in host memory, the
/// same bits on every run, with any number of threads. Operators of an irrep are those of
/// DensityTables, in their order.
class DensityGrams {
 public:
  virtual ~DensityGrams() = default;

  /// ⟨u x|t y⟩ for the first `alphas` alpha excitations u and the first `betas` beta excitations t
  /// of an irrep in the file's count. 2 · alphas · betas flops a determinant, at most.
  virtual HostMatrix mixed(int irrep, const double* x, const double* y, int alphas,
                           int betas) const = 0;
  /// ⟨u x|t y⟩ for all pairs u, t of electrons of one spin that are taken away, of an irrep; x and
  /// y may be the same, which takes less time.
  virtual HostMatrix same_spin(Spin spin, int irrep, const double* x, const double* y) const = 0;
};

/// Alpha string by alpha string, the vectors' rows and what beta excitations make of them in tiles
/// of a core's cache. Bytes: those tiles and, of one spin, 128 or 256 a beta string for each
/// thread, and up to 512 MiB of results, which a fixed partition of the sums has each for itself.
/// Tables must outlive it.
std::unique_ptr<DensityGrams> make_density_grams_cpu(const DensityTables& tables,
                                                     const StringShare& share);

/// Grams of operators, for as many strings as there is room for, written out, zeros too, and
/// multiplied by cuBLAS; where one side is 1 alone, dots of rows. Bytes: the tables, up to 1 GiB of
/// those rows, more where a single string's take more, and up to 64 results; of dots operators ×
/// alpha strings. Tables and backend must outlive it.
CISOLVE_CUDA_FUNCTION(make_density_grams_cuda,
                      std::unique_ptr<DensityGrams>(const DensityTables& tables,
                                                    const StringShare& share, Backend& backend));

/// On the backend's kind. Over its ranks, of which each has whole vectors, every one makes a share
/// of the sums and gets the whole: sums are asked for by all ranks, which all throw ResourceError
/// where one lacks memory. This function itself throws on the rank that does.
std::unique_ptr<DensityGrams> make_density_grams(const DensityTables& tables, Backend& backend);

}  // namespace cisolve
