#pragma once

#include <Eigen/Core>

namespace cisolve {

/// A dense matrix in host memory, row-major: the small matrices of the solvers (C = XᵀY), and host
/// images of blocks of vectors, whose interleaved layout (n × k, row-major) is the same.
using HostMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using HostVector = Eigen::VectorXd;

/// A HostMatrix or a block of one, as an argument to be read and to be written: nothing is copied.
using ConstHostRef = Eigen::Ref<const HostMatrix, 0, Eigen::OuterStride<>>;
using HostRef = Eigen::Ref<HostMatrix, 0, Eigen::OuterStride<>>;

}  // namespace cisolve
