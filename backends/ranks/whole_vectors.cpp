#include "backends/ranks/whole_vectors.hpp"

#include "backends/ranks/row_partition.hpp"

namespace cisolve {

HostMatrix download_whole(Backend& backend, ConstView x) {
  HostMatrix own = backend.download(x);
  Communicator& ranks = backend.communicator();
  if (ranks.alone()) return own;
  const RowPartition parts = partition_of(ranks, x.rows);
  HostMatrix whole(parts.rows(), x.columns);
  ranks.all_gather(own.data(), whole.data(), parts.bytes(x.columns * sizeof(double)));
  return whole;
}

void upload_own(Backend& backend, const HostMatrix& whole, View y) {
  Communicator& ranks = backend.communicator();
  if (ranks.alone()) return backend.upload(whole, y);
  const auto first = static_cast<Eigen::Index>(ranks.sum_before(y.rows));
  backend.upload(HostMatrix(whole.middleRows(first, y.rows)), y);
}

}  // namespace cisolve
