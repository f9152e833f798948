#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "backends/backend.hpp"
#include "backends/ranks/whole_vectors.hpp"
#include "backends/stopwatch.hpp"
#include "core/dense/host_matrix.hpp"
#include "solvers/sectors.hpp"
#include "spmv/linear_operator.hpp"

namespace cisolve {

/// A with its rows brought together by sector: block-diagonal, so that one product serves a vector
/// of every sector, each in its own rows. Products are counted (a block of k counts k) and timed.
class SectorOperator {
 public:
  /// Room for blocks of at most `columns` vectors.
  SectorOperator(LinearOperator& a, Backend& backend, const SectorOrder& order, int columns)
      : backend_(backend), sorted_(order.order.empty()), a_(a), stopwatch_(backend) {
    if (sorted_) return;
    order_ = Buffer<Index>::from_host(backend, order.order);
    x_ = MultiVector(backend, a.rows(), columns);
    y_ = MultiVector(backend, a.rows(), columns);
  }

  /// Y := AX.
  void apply(ConstView x, View y) {
    if (sorted_) return multiply(1.0, x, 0.0, y);
    const View original_x = x_.narrowed(x.columns), original_y = y_.narrowed(x.columns);
    backend_.scatter_rows(order_, x, original_x);
    multiply(1.0, original_x, 0.0, original_y);
    backend_.gather_rows(order_, original_y, y);
  }

  /// Y := αAX + βY.
  void apply(double alpha, ConstView x, double beta, View y) {
    if (sorted_) return multiply(alpha, x, beta, y);
    const View original_x = x_.narrowed(x.columns), original_y = y_.narrowed(x.columns);
    backend_.scatter_rows(order_, x, original_x);
    backend_.scatter_rows(order_, y, original_y);
    multiply(alpha, original_x, beta, original_y);
    backend_.gather_rows(order_, original_y, y);
  }

  /// Y := X with the rows where they are in A.
  void to_original(ConstView x, View y) {
    if (sorted_) {
      backend_.copy(x, y);
    } else {
      backend_.scatter_rows(order_, x, y);
    }
  }

  /// T := f(T), f working on rows where they are in A.
  void in_original_order(const std::function<void(View)>& f, View t) {
    if (sorted_) return f(t);
    const View original = x_.narrowed(t.columns);
    backend_.scatter_rows(order_, t, original);
    f(original);
    backend_.gather_rows(order_, original, t);
  }

  /// A vector (n × 1) on the host, of all ranks, its rows where they are in A; and Y from one.
  HostMatrix download(ConstView x) {
    if (sorted_) return download_whole(backend_, x);
    backend_.scatter_rows(order_, x, x_.narrowed(1));
    return download_whole(backend_, x_.narrowed(1));
  }
  void upload(const HostMatrix& x, View y) {
    if (sorted_) return upload_own(backend_, x, y);
    upload_own(backend_, x, x_.narrowed(1));
    backend_.gather_rows(order_, x_.narrowed(1), y);
  }

  /// d := diagonal of A, by sector; n × 1.
  void diagonal(const LinearOperator& a, View d) {
    if (sorted_) return a.diagonal(d);
    a.diagonal(x_.narrowed(1));
    backend_.gather_rows(order_, x_.narrowed(1), d);
  }

  /// LinearOperator::to_double_precision and rounding_error.
  bool to_double_precision() { return a_.to_double_precision(); }
  double rounding_error() const { return a_.rounding_error(); }

  /// Elements that a product reads, or is taken to read; none where nothing is known of that.
  std::optional<double> product_numbers() const {
    const OperatorInfo info = a_.info();
    const auto numbers = static_cast<double>(info.nonzeros + info.padding);
    if (!info.stored && numbers == 0.0) return std::nullopt;
    return numbers;
  }

  std::int64_t applications() const { return applications_; }
  double seconds() const { return stopwatch_.seconds(); }

 private:
  void multiply(double alpha, ConstView x, double beta, View y) {
    stopwatch_.begin();
    a_.apply(alpha, x, beta, y);
    stopwatch_.end();
    applications_ += x.columns;
  }

  Backend& backend_;
  bool sorted_;
  LinearOperator& a_;
  Stopwatch stopwatch_;
  std::int64_t applications_ = 0;
  Buffer<Index> order_;
  MultiVector x_, y_;
};

}  // namespace cisolve
