#pragma once

#include <memory>

#include "backends/backend.hpp"
#include "spmv/linear_operator.hpp"

namespace cisolve {

/// The CPU backend behind a device's memory rules, for tests: its addresses cannot be followed on
/// the host, fresh memory holds NaN, every view is checked against its allocation and every shape
/// against its operation; misuse throws std::logic_error.
std::unique_ptr<Backend> make_checked_backend();

/// A CPU operator behind the checked backend's memory rules: its X, Y and d must be addresses of a
/// checked backend, inside their allocations and of the right shapes; else std::logic_error.
std::unique_ptr<LinearOperator> checked_operator(std::unique_ptr<LinearOperator> cpu_operator);

}  // namespace cisolve
