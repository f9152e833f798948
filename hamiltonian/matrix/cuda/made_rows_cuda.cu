#include "hamiltonian/matrix/cuda/made_rows_cuda.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace cisolve {

void MadeRows::for_each_block(Index window, const std::function<void(const DeviceRows&)>& f) {
  const std::vector<Index> ends = block_ends(window);
  Index most_rows = 0;
  Offset most_entries = 0;
  for (Index first = 0; const Index end : ends) {
    most_rows = std::max(most_rows, end - first);
    most_entries = std::max(most_entries, row_offsets_[end] - row_offsets_[first]);
    first = end;
  }
  Buffer<Offset> offsets(backend_, static_cast<std::size_t>(most_rows) + 1);
  Buffer<Index> column_indices(backend_, static_cast<std::size_t>(most_entries));
  Buffer<double> values(backend_, static_cast<std::size_t>(most_entries));
  for (Index first = 0; const Index end : ends) {
    backend_.upload_bytes(row_offsets_.data() + first, offsets.data(),
                          (static_cast<std::size_t>(end - first) + 1) * sizeof(Offset));
    make_entries(first_row_ + first, first_row_ + end, offsets.data(), column_indices.data(),
                 values.data());
    f({first, end - first, offsets.data(), column_indices.data(), values.data()});
    first = end;
  }
  backend_.synchronize();  // what f launched may still read the arrays
}

void MadeRows::count_rows() {
  Communicator& ranks = backend_.communicator();
  RowPartition parts = even_partition(columns_, ranks.size());
  std::vector<Index> all = lengths(parts.first(ranks.rank()), parts.begin[ranks.rank() + 1]);
  if (!ranks.alone()) {
    all = ranks.gather(std::span<const Index>(all));
    parts = balanced_partition(all, ranks.size());
  }
  first_row_ = parts.first(ranks.rank());
  const auto own = all.begin() + first_row_;
  row_offsets_ = Array<Offset>(static_cast<std::size_t>(parts.count(ranks.rank())) + 1);
  row_offsets_[0] = 0;
  std::inclusive_scan(own, own + parts.count(ranks.rank()), row_offsets_.begin() + 1, std::plus<>(),
                      Offset{0});
}

std::vector<Index> MadeRows::lengths(Index first, Index end) {
  std::vector<Index> result(static_cast<std::size_t>(end - first));
  Buffer<Index> on_device(backend_, result.size());
  make_lengths(first, end, on_device.data());
  backend_.download_bytes(on_device.data(), result.data(), result.size() * sizeof(Index));
  return result;
}

/// Ends of the blocks of a pass: as many whole windows as block_entries_ allows, one at least.
std::vector<Index> MadeRows::block_ends(Index window) const {
  std::vector<Index> ends;
  for (Index first = 0; first < rows();) {
    const auto from = row_offsets_.begin() + first;
    const auto fitting = static_cast<Index>(
        std::upper_bound(from, row_offsets_.end(), *from + block_entries_) - from - 1);
    const std::int64_t taken = std::max<std::int64_t>(fitting / window, 1) * window;
    // All rows that are left may be no whole number of windows.
    first = fitting == rows() - first
                ? rows()
                : static_cast<Index>(std::min<std::int64_t>(rows(), std::int64_t{first} + taken));
    ends.push_back(first);
  }
  return ends;
}

}  // namespace cisolve
