#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "backends/backend.hpp"
#include "backends/cuda_module.hpp"
#include "core/array.hpp"
#include "core/dense/host_matrix.hpp"
#include "hamiltonian/spinor_product/pair_operator.hpp"
#include "hamiltonian/spinor_product/remainder_groups.hpp"
#include "hamiltonian/spinor_product/string_numbers.hpp"
#include "spmv/linear_operator.hpp"

namespace cisolve {

/// Strings that are numbered at most: vectors have two rows for each.
inline constexpr double most_numbered_strings = 1073741823.0;

/// Tables for products over all determinants of N ≥ 2 electrons in n spinors, in host memory.
class SpinorProductTables {
 public:
  /// Throws ResourceError where determinants, or strings of two electrons fewer, are too many to
  /// number.
  explicit SpinorProductTables(const SpinorIntegrals& integrals);

  int spinors() const { return spinors_; }
  int electrons() const { return electrons_; }
  Index determinants() const { return determinants_; }
  Index remainders() const { return remainders_; }  ///< strings of two electrons fewer
  const PairOperator& pairs() const { return pairs_; }
  StringNumbers numbers() const { return {binomials_.data(), electrons_ + 1}; }
  std::span<const std::uint32_t> binomials() const { return binomials_; }
  /// Pairs of spinors that a remainder leaves empty.
  int empty_pairs() const {
    const int empty = spinors_ - electrons_ + 2;
    return empty * (empty - 1) / 2;
  }
  /// ⟨D|Ĥ|D⟩ in Hartree of a determinant.
  double energy(Index determinant) const;
  /// Diagonal elements of all determinants; parallel.
  Array<double> diagonal() const;
  std::size_t bytes() const;

 private:
  int spinors_, electrons_;
  Index determinants_, remainders_;
  std::vector<std::uint32_t> binomials_;
  PairOperator pairs_;
  std::vector<double> energies_;  ///< W_pq,pq at p · n + q
};

/// The pairs of W that a group's remainders may be given: those without their common spinors, block
/// by block.
struct GroupPairs {
  GroupPairs(const SpinorProductTables& tables, const OrbitalString& common);

  struct Block {
    int of;                   ///< the number of the block of W
    std::vector<int> chosen;  ///< of its pairs
    int first;                ///< the place of the first one
  };
  std::vector<Block> blocks;
  int count = 0;
  /// By p · n + q, p < q: the place of the pair, −1 of others.
  std::vector<int> places;
};

/// Parts of D and T that exist at once.
struct SpinorPanels {
  Index columns;      ///< remainders of a group at most
  std::size_t batch;  ///< doubles of T, of groups that are multiplied one behind another
};
SpinorPanels spinor_panels(BackendKind backend);

/// H over all determinants of spinors, complex (`components` 2), without its elements, over vectors
/// in the ascending order of strings:
///
///   σ_I = E_core c_I + Σ_{p<q in I} ± T_pq,I−p−q,  T_pq,K = Σ_{r<s} W_pq,rs D_rs,K,
///   D_rs,K = ± c_K+r+s,
///
/// signs as of SpinorMatrixBuilder: a product of matrices for all K whose highest electrons are the
/// same, and for each block of W (PairOperator). Flops of a vector: 8 Σ_groups K Σ_blocks pairs².
/// Olsen, Roos, Jørgensen and Jensen, J. Chem. Phys. 1988, 89, 2185, by strings of N − 2 electrons
/// as they are for one spin.
///
/// Every run gives the same bits, with any number of threads. Tables and backend must outlive it.
/// One rank only.
std::unique_ptr<LinearOperator> make_spinor_product_cpu(
    std::shared_ptr<const SpinorProductTables> tables, Backend& backend,
    const SpinorPanels& panels);
CISOLVE_CUDA_FUNCTION(
    make_spinor_product_cuda,
    std::unique_ptr<LinearOperator>(std::shared_ptr<const SpinorProductTables> tables,
                                    Backend& backend, const SpinorPanels& panels));

/// On the backend's kind.
inline std::unique_ptr<LinearOperator> make_spinor_product(
    std::shared_ptr<const SpinorProductTables> tables, Backend& backend,
    const SpinorPanels& panels) {
  return (backend.kind() == BackendKind::cpu ? make_spinor_product_cpu : *make_spinor_product_cuda)(
      std::move(tables), backend, panels);
}
inline std::unique_ptr<LinearOperator> make_spinor_product(
    std::shared_ptr<const SpinorProductTables> tables, Backend& backend) {
  const SpinorPanels panels = spinor_panels(backend.kind());
  return make_spinor_product(std::move(tables), backend, panels);
}

/// Bytes that a product takes beside vectors and tables.
std::size_t spinor_scratch(const SpinorProductTables& tables, BackendKind backend);

/// Cost of a product with one vector.
struct SpinorProductCost {
  double flops = 0.0;
  double gathers = 0.0;   ///< elements of c and T that are looked up
  double nonzeros = 0.0;  ///< entries that the matrix would have, at most
};
SpinorProductCost spinor_product_cost(const SpinorProductTables& tables, BackendKind backend);

/// ⟨I|Ĥ|J⟩ in Hartree over some determinants, by their numbers: the real form, Hermitian to the
/// bit. O(rows²), parallel.
HostMatrix spinor_submatrix(const SpinorIntegrals& integrals, const SpinorProductTables& tables,
                            std::span<const Index> rows);

/// The lowest row of the block of every row. O(remainders · pairs), parallel.
std::vector<Index> spinor_roots(const SpinorProductTables& tables);

}  // namespace cisolve
