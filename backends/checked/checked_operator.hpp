#pragma once

#include <memory>

#include "spmv/linear_operator.hpp"

namespace cisolve {

/// A CPU operator behind the checked backend's memory rules: its X, Y and d must be addresses of a
/// checked backend, inside their allocations and of the right shapes; else std::logic_error.
std::unique_ptr<LinearOperator> checked_operator(std::unique_ptr<LinearOperator> cpu_operator);

}  // namespace cisolve
