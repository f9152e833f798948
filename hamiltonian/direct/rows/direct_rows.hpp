#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "backends/ranks/row_partition.hpp"
#include "core/dense/host_matrix_forward.hpp"
#include "hamiltonian/direct/rows/direct_layout.hpp"

namespace cisolve {

/// Change of a function when alpha and beta strings change places: c_ba = c_ab for `even` ones
/// (spins 0, 2, 4 …), c_ba = −c_ab for `odd` ones (1, 3 …).
enum class Parity { none = 0, even = 1, odd = -1 };

/// One of several equal parts of the work.
struct WorkShare {
  int number = 0, of = 1;
};

/// The rows of full CI without a matrix: functions of a parity and an irrep each, sector by sector,
/// all even ones before all odd ones. With a, b the numbers of a determinant's strings in the
/// layout:
///   even: |aa⟩, (|ab⟩ + |ba⟩)/√2,  odd: (|ab⟩ − |ba⟩)/√2,  a > b;  none: |ab⟩.
/// They are orthonormal, so that H over them is symmetric, and determinants and functions go over
/// into each other by a rotation. Within a sector: by alpha string, then beta string.
///
/// In several parts, one for each of several ranks, that is the order of a part's rows: each part
/// has about as much of every sector, alpha strings as they follow each other, so that where one
/// sector is worked on all ranks have a share.
class DirectRows {
 public:
  /// `parities`: those that are wanted; `none` stands alone, the others need that alpha and beta
  /// strings are the same. Throws InputError where there are more than 2^31 − 1 rows, or none, or
  /// more parts than rows. A part may have no rows.
  DirectRows(const DirectLayout& layout, const std::vector<Parity>& parities, int parts = 1);

  /// True if parities can be told apart in such a space.
  static bool knows_parity(const DirectLayout& layout, const Integrals& integrals);

  std::int64_t size() const { return size_; }
  /// The rows of a parity and an irrep, as OrbitalLabels count them.
  struct Sector {
    Parity parity;
    int irrep;
    std::int64_t size;
  };
  /// None is empty.
  const std::vector<Sector>& sectors() const { return sectors_; }
  std::vector<Index> sector_sizes() const;
  int parts() const { return parts_; }
  struct RowRange {
    std::int64_t first, count;
  };
  /// The rows of each part.
  RowPartition partition() const;
  /// A part's rows, piece by piece, as they would be numbered in one part.
  std::vector<RowRange> numbers_in_one_part(int part) const;
  /// The first rows of each sector in each part, part by part, and the end.
  std::span<const Index> pieces() const { return pieces_; }
  /// The rows of a sector, by number, that a part has.
  RowRange piece(int sector, int part) const {
    const std::size_t p = part * sectors_.size() + sector;
    return {pieces_[p], pieces_[p + 1] - pieces_[p]};
  }

  /// Rows of one parity.
  struct Kind {
    Parity parity;
    /// (a, b), b of irrep y, has row begin[8 a + y] + b − (first string of y), where it has one.
    std::vector<std::int64_t> begin;
  };
  const std::vector<Kind>& kinds() const { return kinds_; }
  /// Beta strings of irrep y that make functions of that parity with alpha string a: the first
  /// ones.
  Index betas(Parity parity, Index a, int y) const;

  /// The function of a row: its parity and a determinant of it.
  struct Function {
    Parity parity;
    Index a, b;  ///< in the layout
  };
  Function function(std::int64_t row) const;

  /// c := a vector in the layout's order; x has an element for each row, `stride` apart. Host
  /// memory, parallel. Each of several shares sets its part of c.
  void to_layout(const double* x, std::int64_t stride, double* c,
                 const WorkShare& share = {}) const;
  /// Converts from the layout: for each kind's rows, x := alpha (its part of c) factor + beta x.
  /// Parts of c with parities that are not among the rows are left out. x has the rows `of` alone.
  void from_layout(const double* c, double alpha, std::span<const double> factors, double beta,
                   double* x, std::int64_t stride, RowRange of) const;

  /// A vector over determinants in the order of the CI space from one over rows, and the other way;
  /// elements lie as far apart as the strides say. Host memory, parallel, nothing beside the two.
  void to_space(const double* x, std::int64_t stride, double* whole,
                std::int64_t whole_stride) const;
  void from_space(const double* whole, std::int64_t whole_stride, double* x,
                  std::int64_t stride) const;
  /// A vector over rows in the order that they would have in one part, and the other way.
  HostVector to_one_part(const HostVector& x) const;
  HostVector from_one_part(const HostVector& x) const;
  HostVector to_space(const HostVector& x) const;
  HostVector from_space(const HostVector& c) const;

 private:
  /// Rows of one sector with alpha strings of one irrep, in one part.
  struct Run {
    std::int64_t first;
    int kind, alpha_irrep, beta_irrep;
    StringRange alphas;
  };
  std::vector<Index> cuts_of(int kind, int irrep, std::int64_t size,
                             std::vector<std::int64_t>& more) const;
  std::int64_t count(int kind, int irrep) const;
  std::int64_t number(int kind, int irrep, const StringRange& alphas, std::int64_t row);
  template <class Visit>
  void for_each_piece(Visit visit) const;
  template <class Visit>
  void for_each_tile(const WorkShare& share, Visit visit) const;
  template <class Place>
  void expand(const double* x, std::int64_t stride, double* c, Place place,
              const WorkShare& share) const;
  template <class Place>
  void gather(const double* c, Place place, double alpha, std::span<const double> factors,
              double beta, double* x, std::int64_t stride, RowRange of) const;

  const DirectLayout& layout_;
  std::int64_t size_ = 0;
  std::vector<Sector> sectors_;
  std::vector<Kind> kinds_;
  std::vector<Run> runs_;
  int parts_;
  std::vector<Index> pieces_;
};

}  // namespace cisolve
