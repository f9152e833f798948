#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "backends/ranks/row_partition.hpp"
#include "core/dense/host_matrix.hpp"
#include "solvers/sectors.hpp"

namespace cisolve {

/// An order of a vector's elements other than that of an operator's rows, and the way from and to
/// it: in host memory, elements as far apart as the strides say, parallel.
class RowOrder {
 public:
  virtual ~RowOrder() = default;
  /// Elements that a vector has in this order.
  virtual std::int64_t size() const = 0;
  /// ordered := the vector x over rows.
  virtual void from_rows(const double* x, std::int64_t stride, double* ordered,
                         std::int64_t ordered_stride) const = 0;
  /// x := the vector over rows of what lies in this order; what no row stands for is left out.
  virtual void to_rows(const double* ordered, std::int64_t ordered_stride, double* x,
                       std::int64_t stride) const = 0;
};

/// The rows of an operator's vectors: how many, which of them every rank owns, and how those
/// outside of a solve order them. Vectors are turned at the border, by this and nowhere else.
class Basis {
 public:
  explicit Basis(RowPartition parts) : parts_(std::move(parts)) {}
  Basis(const Basis&) = delete;
  Basis& operator=(const Basis&) = delete;
  virtual ~Basis() = default;

  Index rows() const { return parts_.rows(); }
  const RowPartition& parts() const { return parts_; }

  /// The order that callers and their files have; null: that of the rows.
  virtual const RowOrder* callers() const { return nullptr; }
  /// The order of checkpoints, the same however many ranks there are; null: that of the rows.
  virtual const RowOrder* checkpoints() const { return nullptr; }
  /// Elements that a caller's vector has.
  std::int64_t callers_size() const { return callers() != nullptr ? callers()->size() : rows(); }

  /// States of multiplicity 2S + 1 in each of these sectors; none known: empty.
  virtual std::vector<Index> states_of_multiplicity(const Sectors& /*sectors*/,
                                                    int /*multiplicity*/) const {
    return {};
  }

 private:
  RowPartition parts_;
};

/// Vectors n × k over rows as they are in an order, and the other way; `order` may be null.
HostMatrix from_rows(const RowOrder* order, HostMatrix x);
HostMatrix to_rows(const RowOrder* order, Index rows, HostMatrix ordered);

}  // namespace cisolve
