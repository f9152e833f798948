#pragma once

#include <cstddef>
#include <memory>

#include "backends/backend.hpp"
#include "formats/matrix/row_source.hpp"

namespace cisolve {

/// A host matrix as a source of rows for a CUDA device: while a block travels, all threads write
/// the next one into pinned memory, and the device works on the one before. Memory for two blocks
/// is taken on the host and on the device at the first call for rows, and kept.
class HostRows final : public RowSource {
 public:
  /// `a` and `backend`, a CUDA device, must outlive it. A block is one window of rows at least and,
  /// if it is more, of at most `block_bytes`.
  HostRows(const CsrMatrix& a, Backend& backend, std::size_t block_bytes = std::size_t{1} << 28);
  ~HostRows() override;

  Index columns() const override { return a_.columns; }
  const Array<Offset>& row_offsets() const override { return a_.row_offsets; }
  void for_each_block(Index window, const std::function<void(const DeviceRows&)>& f) override;
  CsrMatrix some_rows(std::span<const Index> wanted) const override;
  std::vector<double> diagonal() const override;

 private:
  class Transfer;
  const CsrMatrix& a_;
  Backend& backend_;
  std::size_t block_bytes_;
  std::unique_ptr<Transfer> transfer_;
};

}  // namespace cisolve
