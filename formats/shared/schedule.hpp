#pragma once

#include <omp.h>

#include <algorithm>

#include "spmv/kernel.hpp"

namespace cisolve {

/// The kernels worth trying on the CPU.
inline constexpr Kernel cpu_kernels[] = {
    {Kernel::Schedule::dynamic, 16},   {Kernel::Schedule::dynamic, 128},
    {Kernel::Schedule::dynamic, 1024}, {Kernel::Schedule::guided, 16},
    {Kernel::Schedule::guided, 128},   {Kernel::Schedule::fixed, 128},
    {Kernel::Schedule::fixed, 1024}};

/// What such a kernel comes to for loops whose turns take `rows` rows: whole turns.
inline Kernel effective_cpu_kernel(const Kernel& wanted, Index rows = 1) {
  return {wanted.schedule, std::max<Index>(1, wanted.chunk / rows) * rows};
}

/// The schedule of the loops that follow with schedule(runtime), whose turns take `rows` rows.
inline void set_schedule(const Kernel& kernel, Index rows = 1) {
  constexpr omp_sched_t schedules[] = {omp_sched_static, omp_sched_dynamic, omp_sched_guided};
  omp_set_schedule(schedules[static_cast<int>(kernel.schedule)],
                   effective_cpu_kernel(kernel, rows).chunk / rows);
}

}  // namespace cisolve
