#include "solvers/linear/splitting.hpp"

#include <spdlog/fmt/fmt.h>
#include <Eigen/Cholesky>
#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "backends/ranks/communicator.hpp"
#include "core/error.hpp"
#include "core/threads/parallel.hpp"

namespace cisolve {
namespace {

/// `d` has the ranks' rows from `first` on.
void require_divisible(Communicator& ranks, const HostMatrix& d, std::int64_t first, double shift) {
  struct Wrong {
    std::int64_t row = -1;
    double element = 0.0;
  } mine;
  for (Eigen::Index i = 0; mine.row < 0 && i < d.rows(); ++i) {
    if (d(i, 0) == 0.0 || !std::isfinite(d(i, 0))) mine = {first + i, d(i, 0)};
  }
  for (const Wrong& wrong : ranks.gather(mine)) {
    if (wrong.row < 0) continue;
    throw InputError(fmt::format(
        "linear: row {} has the diagonal element {} after the shift by {}; this method "
        "divides by it{}",
        wrong.row + 1, wrong.element, shift,
        wrong.element == 0.0 ? ": minres of a symmetric matrix and bicgstab do not, nor "
                               "block_jacobi where a block holds the row"
                             : ""));
  }
}

int common_sign(const HostMatrix& numbers) {
  if ((numbers.array() > 0.0).all()) return 1;
  return (numbers.array() < 0.0).all() ? -1 : 0;
}

/// Common sign of the numbers on all ranks; a rank may have none.
int common_sign(Communicator& ranks, const HostMatrix& numbers) {
  if (ranks.all((numbers.array() > 0.0).all())) return 1;
  return ranks.all((numbers.array() < 0.0).all()) ? -1 : 0;
}

/// Sign of a definite symmetric block, else 0.
int definiteness(const HostMatrix& block) {
  if (block(0, 0) > 0.0) return block.llt().info() == Eigen::Success ? 1 : 0;
  return (-block).llt().info() == Eigen::Success ? -1 : 0;
}

/// Reason why a block has no inverse; empty if `inverse` is its inverse. Rows and columns are first
/// scaled to a largest element of one, so that units do not matter.
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

Splitting::Splitting(Backend& backend, HostMatrix d, double shift, ZeroDiagonal zeros)
    : backend_(backend),
      sign_(common_sign(backend.communicator(), d)),
      d_(backend, static_cast<Index>(d.rows()), 1) {
  Communicator& ranks = backend.communicator();
  if (zeros == ZeroDiagonal::counts_as_one) {
    zeros_ = ranks.total(std::int64_t{(d.array() == 0.0).count()});
    d = (d.array() == 0.0).select(1.0, d);
  }
  require_divisible(ranks, d, ranks.sum_before(d.rows()), shift);
  backend_.upload(d, d_.view());
}

Splitting::Splitting(Backend& backend, HostMatrix d, double shift, int unit,
                     const DiagonalBlocks& blocks)
    : backend_(backend) {
  Communicator& ranks = backend.communicator();
  const int sign = ranks.of_first(invert(blocks, shift, unit));  // the same rounding for all
  if (blocks.rows.empty()) {
    sign_ = sign;
    return;
  }
  const std::int64_t first = ranks.sum_before(d.rows());
  std::vector<Index> own;
  for (const Index row : blocks.rows) {
    if (first <= row && row < first + d.rows()) own.push_back(static_cast<Index>(row - first));
  }
  for (const Index row : own) d(row, 0) = sign == 0 ? 1.0 : sign;
  require_divisible(ranks, d, first, shift);
  sign_ = sign == common_sign(ranks, d) ? sign : 0;
  d_ = MultiVector(backend, static_cast<Index>(d.rows()), 1);
  backend_.upload(d, d_.view());
  parts_ = partition_of(ranks, static_cast<Index>(own.size()));
  rows_ = Buffer<Index>::from_host(backend, own);
}

int Splitting::invert(const DiagonalBlocks& blocks, double shift, int unit) {
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
        block *= std::ldexp(1.0, -unit);
        complaints[b] =
            invert_block(block, inverses.block((b - begin) * size, 0, of_block, of_block));
        signs[b] = complaints[b].empty() ? definiteness(block) : 0;
      });
    }
    exception.rethrow();
    backend_.upload(inverses, inverse_.view().row_range(begin * size, inverses.rows()));
  }
  // The first rank decides: at the limit another processor may round otherwise.
  const auto wrong = backend_.communicator().of_first(
      std::ranges::find_if_not(complaints, &std::string::empty) - complaints.begin());
  if (wrong == std::ssize(complaints)) return common_sign(signs);
  const auto first = static_cast<Index>(wrong) * size;
  const std::string complaint = complaints[wrong].empty() ? "is singular" : complaints[wrong];
  const Index row = blocks.rows.empty() ? first : blocks.rows[first];
  throw InputError(fmt::format(
      "linear: the diagonal block of {} rows whose first is row {} {} after the shift by {}; "
      "block_jacobi divides by it",
      std::min(size, rows - first), row + 1, complaint, shift));
}

void Splitting::update(double omega, ConstView r, double beta, View x) {
  if (inverse_.rows() == 0) return backend_.jacobi_update(omega, r, d_.view(), beta, x);
  if (parts_.begin.empty()) return backend_.multiply_blocks(omega, inverse_.view(), r, beta, x);
  const Communicator& ranks = backend_.communicator();
  const int k = r.columns;
  const Index first = parts_.first(ranks.rank()), count = parts_.count(ranks.rank());
  if (z_.columns() < k) {
    own_ = MultiVector(backend_, count, k);
    if (!ranks.alone()) r_ = MultiVector(backend_, inverse_.rows(), k);
    z_ = MultiVector(backend_, inverse_.rows(), k);
  }
  const View own = own_.narrowed(k), z = z_.narrowed(k);
  const View over_blocks = ranks.alone() ? own : r_.narrowed(k);
  backend_.gather_rows(rows_, r, own);
  if (!ranks.alone()) backend_.gather(own, parts_, over_blocks);
  backend_.multiply_blocks(omega, inverse_.view(), over_blocks, 0.0, z);
  backend_.gather_rows(rows_, x, own);
  backend_.jacobi_update(omega, r, d_.view(), beta, x);
  backend_.axpby(1.0, z.row_range(first, count), beta, own);
  backend_.scatter_rows(rows_, own, x);
}

void Splitting::divide_by_magnitude(ConstView r, View z) {
  if (sign_ != 0) return update(sign_, r, 0.0, z);
  if (magnitude_.rows() == 0) {
    magnitude_ = MultiVector(backend_, d_.rows(), 1);
    backend_.upload(backend_.download(d_.view()).cwiseAbs(), magnitude_.view());
  }
  backend_.jacobi_update(1.0, r, magnitude_.view(), 0.0, z);
}

}  // namespace cisolve
