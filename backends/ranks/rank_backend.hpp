#pragma once

#include <functional>
#include <memory>
#include <string>

#include "backends/backend.hpp"
#include "backends/ranks/device_exchange.hpp"

namespace cisolve {

/// Every rank's own backend as one: n × k blocks whose rows are distributed over the ranks, each
/// view a rank's own part. What sums or searches over rows (gram, grams, residuals, column_dots,
/// column_norms, largest_elements, extremes) does so over all ranks and has the same bits on each;
/// random numbers are by global row; all else stays within the rank, as do gather_rows and
/// scatter_rows, whose rows are the rank's own. A part may have no rows. Every rank makes the same
/// calls.
///
/// A matrix that every rank has whole is no such block: it may be what `combine` multiplies with
/// or what a gram comes to, not what is summed over.
///
/// `exchange`: between the ranks' devices; null: what is gathered goes by way of the host. So it
/// does where a rank's turns out to fail: `warn` is told why.
std::unique_ptr<Backend> make_rank_backend(
    std::unique_ptr<Backend> own, Communicator& ranks,
    std::unique_ptr<DeviceExchange> exchange = nullptr,
    std::function<void(const std::string&)> warn = [](const std::string&) {});

/// Leaves such a backend to the end of the process, which takes apart what NCCL has made in a tenth
/// of the 0.45 s that NCCL itself takes; what is still getting ready is waited for.
void leave_to_the_end(std::unique_ptr<Backend> rank_backend);

}  // namespace cisolve
