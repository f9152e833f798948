#pragma once

#include "core/condition.hpp"
#include "core/types.hpp"

namespace cisolve {

/// Distribution of a product's rows among threads. A format's kernel reads the settings that
/// concern it (LinearOperator::effective_kernel has the values in use). 0 leaves the choice to the
/// format.
struct KernelSettings {
  enum class Schedule { fixed, dynamic, guided };  ///< OpenMP's; fixed is its `static`
  Schedule schedule = Schedule::dynamic;           ///< CPU
  Index chunk = 0;                                 ///< CPU
  int threads_per_row = 0;  ///< GPU, where a format's rows are runs of entries
  int block_threads = 0;    ///< GPU; a kernel takes as many as its registers leave room for

  bool operator==(const KernelSettings&) const = default;

  static void describe(const auto& row) {
    row("spmv.schedule", &KernelSettings::schedule,
        "How OpenMP shares rows out among the threads of the CPU; coo, csb, csr5, csr_symmetric, "
        "packed_symmetric and dia do not read it.");
    row("spmv.chunk", &KernelSettings::chunk,
        "Rows a thread of the CPU takes at a time, where spmv.schedule is read; in whole bands "
        "of 256 rows for jad and ellr, of at most 32 (256 from that slice height on) for sell, "
        "sellr and sell_c_sigma, whole slices of 32 for packed. 0: chosen: 128, or more where rows "
        "are short and many.",
        at_least(0));
    row("spmv.threads_per_row", &KernelSettings::threads_per_row,
        "GPU threads on a row of csr, csr5's tail, hybrid and, where it has more than 8 "
        "entries a row or they are complex, packed's expansion; 0: chosen.",
        Condition<int>{"0, 8, 16, 32",
                       [](const int& x) { return x == 0 || x == 8 || x == 16 || x == 32; }});
    row("spmv.block_threads", &KernelSettings::block_threads,
        "GPU threads of a block; 0: chosen. A format's largest value, 256 to 1024, replaces larger "
        "ones (docs/configuration.md). coo, csb, csr_symmetric and cusparse_* do not read it.",
        Condition<int>{"a multiple of 32 from 0 to 1024",
                       [](const int& x) { return 0 <= x && x <= 1024 && x % 32 == 0; }});
  }
};

}  // namespace cisolve
