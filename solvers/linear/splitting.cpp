#include "solvers/linear/splitting.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/error.hpp"
#include "core/host_matrix.hpp"
#include "core/parallel.hpp"

namespace cisolve {
namespace {

void require_divisible(const HostMatrix& d, double shift) {
  for (Eigen::Index i = 0; i < d.rows(); ++i) {
    if (d(i, 0) == 0.0 || !std::isfinite(d(i, 0))) {
      throw InputError("linear: row " + std::to_string(i + 1) + " has the diagonal element " +
                       std::to_string(d(i, 0)) + " after the shift by " + std::to_string(shift) +
                       "; the methods divide by it");
    }
  }
}

int common_sign(const HostMatrix& numbers) {
  if ((numbers.array() > 0.0).all()) return 1;
  return (numbers.array() < 0.0).all() ? -1 : 0;
}

/// That of a symmetric block.
int definiteness(const HostMatrix& block) {
  if (block(0, 0) > 0.0) return block.llt().info() == Eigen::Success ? 1 : 0;
  return (-block).llt().info() == Eigen::Success ? -1 : 0;
}

/// What is wrong with a block; empty where `inverse` is its inverse. Rows and columns are brought
/// to a largest element of one before, so that units do not matter.
std::string invert_block(const HostMatrix& block, Eigen::Ref<HostMatrix> inverse) {
  if (!block.allFinite()) return "has an element that is not finite";
  const HostVector rows = block.cwiseAbs().rowwise().maxCoeff();
  if (!(rows.minCoeff() > 0.0)) return "is singular";
  HostMatrix scaled = rows.cwiseInverse().asDiagonal() * block;
  const HostVector columns = scaled.cwiseAbs().colwise().maxCoeff();
  if (!(columns.minCoeff() > 0.0)) return "is singular";
  scaled *= columns.cwiseInverse().asDiagonal();
  const Eigen::PartialPivLU<HostMatrix> lu(scaled);
  // The estimate of the condition number misses zero pivots where its trial vectors have no part
  // in them.
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  const double smallest = lu.matrixLU().diagonal().cwiseAbs().minCoeff();
  if (!(smallest > epsilon && lu.rcond() > epsilon)) return "is singular";
  inverse = columns.cwiseInverse().asDiagonal() * lu.inverse() * rows.cwiseInverse().asDiagonal();
  return inverse.allFinite() ? "" : "is singular";
}

}  // namespace

Splitting::Splitting(Backend& backend, const HostMatrix& d, double shift)
    : backend_(backend), sign_(common_sign(d)), d_(backend, static_cast<Index>(d.rows()), 1) {
  require_divisible(d, shift);
  backend_.upload(d, d_.view());
}

Splitting::Splitting(Backend& backend, HostMatrix d, double shift, const DiagonalBlocks& blocks)
    : backend_(backend) {
  const int sign = invert(blocks, shift);
  if (blocks.rows.empty()) {
    sign_ = sign;
    return;
  }
  for (const Index row : blocks.rows) d(row, 0) = sign == 0 ? 1.0 : sign;
  require_divisible(d, shift);
  sign_ = sign == common_sign(d) ? sign : 0;
  d_ = MultiVector(backend, static_cast<Index>(d.rows()), 1);
  backend_.upload(d, d_.view());
  rows_ = Buffer<Index>::from_host(backend, blocks.rows);
}

int Splitting::invert(const DiagonalBlocks& blocks, double shift) {
  constexpr Index elements_at_once = 1 << 23;  // on the host, beside the blocks
  const auto rows = static_cast<Index>(blocks.matrix.rows());
  const auto size = static_cast<Index>(blocks.matrix.cols());
  const Index count = (rows - 1) / size + 1;
  const Index at_once = std::max<Index>(1, elements_at_once / size / size);
  inverse_ = MultiVector(backend_, rows, static_cast<int>(size));
  HostVector signs(count);
  std::vector<std::string> complaints(count);
  for (Index begin = 0; begin < count; begin += at_once) {
    const Index end = std::min(count, begin + at_once);
    HostMatrix inverses = HostMatrix::Zero(std::min(rows, end * size) - begin * size, size);
    FirstException exception;
#pragma omp parallel for if (worth_threads(Offset{size} * size * rows)) schedule(dynamic)
    for (Index b = begin; b < end; ++b) {
      exception.guard([&] {
        const Index of_block = std::min(size, rows - b * size);
        HostMatrix block = blocks.matrix.block(b * size, 0, of_block, of_block);
        block.diagonal().array() -= shift;
        complaints[b] =
            invert_block(block, inverses.block((b - begin) * size, 0, of_block, of_block));
        signs[b] = complaints[b].empty() ? definiteness(block) : 0;
      });
    }
    exception.rethrow();
    backend_.upload(inverses, inverse_.view().row_range(begin * size, inverses.rows()));
  }
  const auto wrong = std::ranges::find_if_not(complaints, &std::string::empty);
  if (wrong == complaints.end()) return common_sign(signs);
  const auto first = static_cast<Index>(wrong - complaints.begin()) * size;
  const Index row = blocks.rows.empty() ? first : blocks.rows[first];
  throw InputError("linear: the diagonal block of " + std::to_string(std::min(size, rows - first)) +
                   " rows whose first is row " + std::to_string(row + 1) + " " + *wrong +
                   " after the shift by " + std::to_string(shift) + "; block_jacobi divides by it");
}

void Splitting::add(double omega, ConstView r, View x) {
  if (inverse_.rows() == 0) return backend_.jacobi_update(omega, r, d_.view(), x);
  if (rows_.size() == 0) return backend_.multiply_blocks(omega, inverse_.view(), r, 1.0, x);
  if (r_.columns() < r.columns) {
    r_ = MultiVector(backend_, inverse_.rows(), r.columns);
    x_ = MultiVector(backend_, inverse_.rows(), r.columns);
  }
  const View r_over_blocks = r_.narrowed(r.columns), x_over_blocks = x_.narrowed(r.columns);
  backend_.gather_rows(rows_, r, r_over_blocks);
  backend_.gather_rows(rows_, x, x_over_blocks);
  backend_.jacobi_update(omega, r, d_.view(), x);
  backend_.multiply_blocks(omega, inverse_.view(), r_over_blocks, 1.0, x_over_blocks);
  backend_.scatter_rows(rows_, x_over_blocks, x);
}

void Splitting::divide(ConstView r, View z) {
  backend_.fill(0.0, z);
  add(1.0, r, z);
}

void Splitting::divide_by_magnitude(ConstView r, View z) {
  backend_.fill(0.0, z);
  if (sign_ != 0) return add(sign_, r, z);
  if (magnitude_.rows() == 0) {
    magnitude_ = MultiVector(backend_, d_.rows(), 1);
    backend_.upload(backend_.download(d_.view()).cwiseAbs(), magnitude_.view());
  }
  backend_.jacobi_update(1.0, r, magnitude_.view(), z);
}

}  // namespace cisolve
