#pragma once

#include <omp.h>

#include <algorithm>

#include "formats/shared/stored_operator.hpp"
#include "spmv/kernel_settings.hpp"

namespace cisolve {

/// The kernels worth trying on the CPU.
inline constexpr KernelSettings cpu_kernels[] = {
    {KernelSettings::Schedule::dynamic, 16},   {KernelSettings::Schedule::dynamic, 128},
    {KernelSettings::Schedule::dynamic, 1024}, {KernelSettings::Schedule::guided, 16},
    {KernelSettings::Schedule::guided, 128},   {KernelSettings::Schedule::fixed, 0},
    {KernelSettings::Schedule::fixed, 1024}};

/// Rows that a thread takes at a time where no number is asked for: those of about 8,192 entries,
/// some microseconds, beside which what taking them costs is little, but no more than a sixteenth
/// of a thread's share of all rows, and 128 at least.
inline Index chosen_chunk(const StoredOperator& a) {
  constexpr double entries = 8192.0;
  constexpr Index least = 128;
  const double of_a_row = static_cast<double>(a.nonzeros()) / std::max(a.rows(), 1);
  const Index most = a.rows() / (16 * omp_get_max_threads());
  return std::max(least, std::min(most, static_cast<Index>(entries / std::max(1.0, of_a_row))));
}

/// Kernel that `wanted` becomes for A's loops whose turns take `rows` rows: whole turns.
inline KernelSettings effective_cpu_kernel(const StoredOperator& a, const KernelSettings& wanted,
                                           Index rows = 1) {
  const Index chunk = wanted.chunk > 0 ? wanted.chunk : chosen_chunk(a);
  return {wanted.schedule, std::max<Index>(1, chunk / rows) * rows};
}

/// The schedule of the loops that follow with schedule(runtime), whose turns take `rows` rows.
inline void set_schedule(const StoredOperator& a, Index rows = 1) {
  constexpr omp_sched_t schedules[] = {omp_sched_static, omp_sched_dynamic, omp_sched_guided};
  const KernelSettings kernel = effective_cpu_kernel(a, a.kernel(), rows);
  omp_set_schedule(schedules[static_cast<int>(kernel.schedule)], kernel.chunk / rows);
}

}  // namespace cisolve
