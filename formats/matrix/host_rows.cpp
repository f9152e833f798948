#include "formats/matrix/host_rows.hpp"

#include <algorithm>

#include "backends/cuda/event.hpp"

namespace cisolve {
namespace {

struct Stream {
  cudaStream_t stream = nullptr;
  Stream() {
    check_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "making a stream");
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { cudaStreamDestroy(stream); }
};

/// Places of the three arrays of rows first … end − 1 in a block's memory: values, row offsets,
/// columns.
struct BlockLayout {
  Index first, count;
  Offset entries;

  BlockLayout(const CsrMatrix& a, Index first_row, Index end)
      : first(first_row),
        count(end - first_row),
        entries(a.row_offsets[end] - a.row_offsets[first]) {}
  std::size_t row_offsets() const { return static_cast<std::size_t>(entries) * sizeof(double); }
  std::size_t columns() const {
    return row_offsets() + (static_cast<std::size_t>(count) + 1) * sizeof(Offset);
  }
  std::size_t bytes() const {
    return columns() + static_cast<std::size_t>(entries) * sizeof(Index);
  }
};

/// First rows of the blocks, and the number of rows.
std::vector<Index> block_bounds(const CsrMatrix& a, Index window, std::size_t most_bytes) {
  std::vector<Index> bounds{0};
  for (Offset end = 0; end < a.rows;) {
    const auto before = static_cast<Index>(end);
    end = std::min<Offset>(end + window, a.rows);
    const auto wider = BlockLayout(a, bounds.back(), static_cast<Index>(end));
    if (wider.bytes() > most_bytes && before > bounds.back()) bounds.push_back(before);
  }
  if (a.rows > 0) bounds.push_back(a.rows);
  return bounds;
}

/// A copy by all threads.
template <class T>
void copy(const T* from, Offset count, std::byte* to) {
  constexpr Offset piece = 1 << 16;
#pragma omp parallel for schedule(static)
  for (Offset first = 0; first < count; first += piece) {
    std::copy_n(from + first, std::min(piece, count - first), reinterpret_cast<T*>(to) + first);
  }
}

}  // namespace

/// Two blocks' memory, on both sides, used in turn.
class HostRows::Transfer {
 public:
  Transfer(Backend& backend, std::size_t block_bytes)
      : slots_{Slot(backend, block_bytes), Slot(backend, block_bytes)} {}

  std::size_t block_bytes() const { return slots_[0].device.size(); }

  /// Rows first … end − 1 on the device for the default stream, until `take_back`.
  DeviceRows send(const CsrMatrix& a, Index first, Index end) {
    Slot& slot = slots_[turn_];
    const BlockLayout layout(a, first, end);
    check_cuda(cudaEventSynchronize(slot.arrived.get()), "waiting for a block of rows");
    std::byte* from = slot.pinned.data();
    const Offset entry = a.row_offsets[first];
    copy(a.values.data() + entry, layout.entries, from);
    copy(a.row_offsets.data() + first, Offset{layout.count} + 1, from + layout.row_offsets());
    copy(a.column_indices.data() + entry, layout.entries, from + layout.columns());
    check_cuda(cudaStreamWaitEvent(stream_.stream, slot.taken_back.get(), 0), "ordering streams");
    std::byte* to = slot.device.data();
    check_cuda(cudaMemcpyAsync(to, from, layout.bytes(), cudaMemcpyHostToDevice, stream_.stream),
               "uploading rows");
    slot.arrived.record(stream_.stream);
    check_cuda(cudaStreamWaitEvent(nullptr, slot.arrived.get(), 0), "ordering streams");
    return {first, layout.count, reinterpret_cast<const Offset*>(to + layout.row_offsets()),
            reinterpret_cast<const Index*>(to + layout.columns()),
            reinterpret_cast<const double*>(to)};
  }
  /// The block sent last is free again after what the default stream was given so far.
  void take_back() {
    slots_[turn_].taken_back.record();
    turn_ = 1 - turn_;
  }

 private:
  struct Slot {
    Buffer<std::byte> pinned, device;
    cuda::Event arrived{cudaEventDisableTiming}, taken_back{cudaEventDisableTiming};
    Slot(Backend& backend, std::size_t bytes)
        : pinned(backend, bytes, Residence::host), device(backend, bytes) {}
  };
  Slot slots_[2];  // releasing their memory waits for what uses it
  Stream stream_;
  int turn_ = 0;
};

HostRows::HostRows(const CsrMatrix& a, Backend& backend, std::size_t block_bytes)
    : a_(a), backend_(backend), block_bytes_(block_bytes) {
  require_real(a, "rows for a device");
}

HostRows::~HostRows() = default;

void HostRows::for_each_block(Index window, const std::function<void(const DeviceRows&)>& f) {
  const std::vector<Index> bounds = block_bounds(a_, window, block_bytes_);
  if (bounds.size() == 1) return;
  std::size_t largest = 0;
  for (std::size_t b = 1; b < bounds.size(); ++b) {
    largest = std::max(largest, BlockLayout(a_, bounds[b - 1], bounds[b]).bytes());
  }
  if (!transfer_ || transfer_->block_bytes() < largest) {
    transfer_.reset();  // released before the larger one is taken
    transfer_ = std::make_unique<Transfer>(backend_, largest);
  }
  for (std::size_t b = 1; b < bounds.size(); ++b) {
    f(transfer_->send(a_, bounds[b - 1], bounds[b]));
    transfer_->take_back();
  }
}

CsrMatrix HostRows::some_rows(std::span<const Index> wanted) const {
  return selected_rows(a_, wanted);
}

std::vector<double> HostRows::diagonal() const {
  return cisolve::diagonal(a_);
}

}  // namespace cisolve
