#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "backends/backend.hpp"
#include "backends/cuda_module.hpp"
#include "hamiltonian/direct/tables/direct_tables.hpp"
#include "spmv/linear_operator.hpp"

namespace cisolve {

/// H of a full CI space, in Hartree, without its elements, over vectors in the order of the space:
///
///   σ_ab = Σ_t X^β_t G_t,  G_t = Σ_u V_tu D_u,  D_u = X^α_u c,
///
/// alpha string by alpha string, where D_u are but other rows of c with a sign, and G, a product of
/// matrices, has the beta strings as its fast index; then the electrons of each spin among
/// themselves (SameSpin). Flops of a vector of n determinants: 2 · pairs · (single excitations of a
/// string + 1) · n for G, divided by the number of irreps; about
/// (pairs of the orbitals a string of two electrons fewer has empty)² · n for each spin.
/// Bytes: two vectors, the tables, and tiles of a core's cache for each thread.
/// Knowles and Handy, Chem. Phys. Lett. 1984, 111, 315; Olsen, Roos, Jørgensen and Jensen, J. Chem.
/// Phys. 1988, 89, 2185, whose σ₁ … σ₃ they are.
///
/// Rows are those of the tables (DirectRows). Each column is looked at for what is zero in it. A
/// vector of one parity alone takes half of the flops: σ follows from the lower triangle of c and
/// is the transpose of itself, up to the sign. One of some irreps alone takes the flops of those.
///
/// Every run gives the same bits, with any number of threads. Over the ranks of the backend vectors
/// are distributed and the work is divided (DirectRanks), here as in all else: x and y are this
/// rank's rows, all ranks call alike, and sums differ by rounding from those of one rank. Tables
/// and backend must outlive it.
class DirectOperator : public LinearOperator {
 public:
  /// c := x in the order of the layout, DirectLayout::size() numbers in the backend's memory, on
  /// every rank all of them; x is n × 1.
  virtual void to_layout(ConstView x, double* c) const = 0;
  /// y := S²x over the same rows, of restricted orbitals (apply_s_squared says what S² is); n × 1.
  virtual void apply_s_squared(ConstView x, View y) const = 0;
};

std::unique_ptr<DirectOperator> make_direct_cpu(std::shared_ptr<const DirectTables> tables,
                                                Backend& backend);
CISOLVE_CUDA_FUNCTION(make_direct_cuda,
                      std::unique_ptr<DirectOperator>(std::shared_ptr<const DirectTables> tables,
                                                      Backend& backend));

/// Part of a sector that x, a rank's rows of a vector, has.
inline ConstView part_of(const DirectRows& rows, int sector, int rank, ConstView x) {
  const DirectRows::RowRange piece = rows.piece(sector, rank);
  return x.row_range(static_cast<Index>(piece.first - rows.piece(0, rank).first),
                     static_cast<Index>(piece.count));
}

/// Content of a vector, n × 1, over such rows.
struct Content {
  /// Parity of the rows that are not zero; none if there are some of both, or parities are not told
  /// apart.
  Parity parity = Parity::none;
  /// Determinants of one irrep, or of all (no irrep).
  struct Part {
    std::optional<int> irrep;
    BetaRanges betas;
  };
  std::vector<Part> parts;  ///< all others are zero
};
/// `x` has a rank's rows. Sectors whose norm, squared, is less than the smallest number
/// count as zero. All ranks call alike.
Content content_of(const DirectTables& tables, ConstView x, Backend& backend);
/// Factors of DirectRows::from_layout for each kind after a product with a vector of that parity.
std::vector<double> kind_factors(const DirectRows& rows, Parity parity);

/// Most pairs of orbitals that two electrons of one spin may be added in to a string of two
/// electrons fewer on a GPU: their weights are in the shared memory of a block.
inline constexpr std::int64_t most_additions_on_device = 1176;

/// Doubles that a GPU takes for the electrons of one spin among themselves: G of up to 1024
/// columns, of fewer where that would be more than 2 GiB, but of 32 at least.
std::int64_t work_on_device(const DirectTables& tables);

/// On the backend's kind.
inline std::unique_ptr<DirectOperator> make_direct(std::shared_ptr<const DirectTables> tables,
                                                   Backend& backend) {
  return (backend.kind() == BackendKind::cpu ? make_direct_cpu : *make_direct_cuda)(
      std::move(tables), backend);
}

/// S² as an operator; the direct one must outlive it.
std::unique_ptr<LinearOperator> make_s_squared(const DirectOperator& direct, Backend& backend);

}  // namespace cisolve
