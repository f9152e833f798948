#pragma once

#include <omp.h>

#include <algorithm>

#include "spmv/kernel_settings.hpp"

namespace cisolve {

/// The kernels worth trying on the CPU.
inline constexpr KernelSettings cpu_kernels[] = {
    {KernelSettings::Schedule::dynamic, 16},   {KernelSettings::Schedule::dynamic, 128},
    {KernelSettings::Schedule::dynamic, 1024}, {KernelSettings::Schedule::guided, 16},
    {KernelSettings::Schedule::guided, 128},   {KernelSettings::Schedule::fixed, 128},
    {KernelSettings::Schedule::fixed, 1024}};

/// What such a kernel comes to for loops whose turns take `rows` rows: whole turns.
inline KernelSettings effective_cpu_kernel(const KernelSettings& wanted, Index rows = 1) {
  return {wanted.schedule, std::max<Index>(1, wanted.chunk / rows) * rows};
}

/// The schedule of the loops that follow with schedule(runtime), whose turns take `rows` rows.
inline void set_schedule(const KernelSettings& kernel, Index rows = 1) {
  constexpr omp_sched_t schedules[] = {omp_sched_static, omp_sched_dynamic, omp_sched_guided};
  omp_set_schedule(schedules[static_cast<int>(kernel.schedule)],
                   effective_cpu_kernel(kernel, rows).chunk / rows);
}

}  // namespace cisolve
