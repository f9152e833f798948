#pragma once

#include <Eigen/Core>

#include <type_traits>

#include "core/dense/host_matrix_forward.hpp"

namespace cisolve {

static_assert(std::is_same_v<
              HostMatrix, Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>);
static_assert(std::is_same_v<HostVector, Eigen::VectorXd>);

}  // namespace cisolve
