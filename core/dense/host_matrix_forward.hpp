#pragma once

// Names alone, without Eigen's headers, which cost every file that sees them seconds to compile.

namespace Eigen {
template <typename Scalar, int Rows, int Columns, int Options, int MostRows, int MostColumns>
class Matrix;
template <typename Plain, int Options, typename Stride>
class Ref;
template <int Value>
class OuterStride;
}  // namespace Eigen

namespace cisolve {

/// A dense matrix in host memory, row-major: the small matrices of the solvers (C = XᵀY), and host
/// images of blocks of vectors, whose interleaved layout (n × k, row-major) is the same.
using HostMatrix = Eigen::Matrix<double, -1, -1, 1, -1, -1>;
using HostVector = Eigen::Matrix<double, -1, 1, 0, -1, 1>;

/// A HostMatrix or a block of one, as an argument to be read and to be written: nothing is copied.
using ConstHostRef = Eigen::Ref<const HostMatrix, 0, Eigen::OuterStride<-1>>;
using HostRef = Eigen::Ref<HostMatrix, 0, Eigen::OuterStride<-1>>;

}  // namespace cisolve
