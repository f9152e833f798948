#include "backends/ranks/communicator.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "core/timer.hpp"

namespace cisolve {

template <class Exchange>
void Communicator::count(std::size_t bytes, const Exchange& exchange) {
  const Timer timer;
  exchange();
  ++traffic_.exchanges;
  traffic_.bytes += static_cast<std::int64_t>(bytes);
  traffic_.seconds += timer.seconds();
}

void Communicator::all_gather(const void* mine, void* all, std::span<const std::size_t> bytes) {
  const std::size_t sum = std::accumulate(bytes.begin(), bytes.end(), std::size_t{0});
  count(sum - bytes[rank()], [&] { do_all_gather(mine, all, bytes); });
}

void Communicator::broadcast(void* data, std::size_t bytes, int from) {
  count(rank() == from ? 0 : bytes, [&] { do_broadcast(data, bytes, from); });
}

void Communicator::barrier() {
  count(0, [&] { do_barrier(); });
}

void Communicator::sum(std::span<double> x) {
  if (alone() || x.empty()) return;
  gathered_.resize(x.size() * size());
  const std::vector<std::size_t> bytes(size(), x.size_bytes());
  all_gather(x.data(), gathered_.data(), bytes);
  std::copy_n(gathered_.begin(), x.size(), x.begin());
  for (int r = 1; r < size(); ++r) {
    const double* of_rank = gathered_.data() + x.size() * r;
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += of_rank[i];
  }
}

bool Communicator::all(bool mine) {
  return std::ranges::all_of(gather(static_cast<char>(mine)), [](char c) { return c != 0; });
}

std::int64_t Communicator::sum_before(std::int64_t mine) {
  const std::vector<std::int64_t> values = gather(mine);
  return std::accumulate(values.begin(), values.begin() + rank(), std::int64_t{0});
}

std::int64_t Communicator::total(std::int64_t mine) {
  const std::vector<std::int64_t> values = gather(mine);
  return std::accumulate(values.begin(), values.end(), std::int64_t{0});
}

void Communicator::do_all_gather(const void* mine, void* all, std::span<const std::size_t> bytes) {
  if (bytes[0] > 0) std::memcpy(all, mine, bytes[0]);
}

void Communicator::do_broadcast(void*, std::size_t, int) {}

Communicator& one_rank() {
  // No state but the counts: any thread may use it.
  thread_local Communicator one;
  return one;
}

}  // namespace cisolve
