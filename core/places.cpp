#include "core/places.hpp"

#include <omp.h>
#include <sched.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace cisolve {

void allow_places(int part, int parts) {
  const int places = omp_get_num_places();
  if (places == 0 || omp_get_proc_bind() == omp_proc_bind_false) return;
  if (places < parts) part = 0, parts = 1;
  const auto place = [&](int i) { return static_cast<int>(1L * places * i / parts); };
  std::vector<int> processors;
  for (int i = place(part); i < place(part + 1); ++i) {
    std::vector<int> more(static_cast<std::size_t>(omp_get_place_num_procs(i)));
    omp_get_place_proc_ids(i, more.data());
    processors.insert(processors.end(), more.begin(), more.end());
  }
  if (processors.empty()) return;
  const int count = *std::ranges::max_element(processors) + 1;
  const std::size_t bytes = CPU_ALLOC_SIZE(count);
  std::vector<unsigned long> bits(bytes / sizeof(unsigned long));
  auto* const set = reinterpret_cast<cpu_set_t*>(bits.data());
  for (const int processor : processors) CPU_SET_S(processor, bytes, set);
  sched_setaffinity(0, bytes, set);  // where it is refused, all stays as it is
}

}  // namespace cisolve
