#include <algorithm>
#include <cstdint>

#include "core/error.hpp"
#include "core/memory.hpp"
#include "formats/csr/csr_rows.cuh"
#include "formats/host_rows.hpp"
#include "formats/packed/convert_cuda.hpp"
#include "formats/packed/decode.hpp"
#include "formats/packed/packed.hpp"
#include "formats/packed/slices.cuh"
#include "formats/stored_operator.hpp"

// How the slices are shared out to a device, and the operator: slices, then the expansion.

namespace cisolve {
namespace {

using namespace packed_slices;

/// Shares into which the slices are divided, for any number of blocks up to that.
int most_shares() {
  return 16 * cuda::multiprocessors();
}

/// First slices of equal shares of the work, and the number of slices: a slice costs its groups,
/// and its rows of Y about as much as one.
Array<Index> equal_shares(const PackedMatrix& m, int shares) {
  const auto work_before = [&](Index s) {
    return m.slice_offsets[s] + m.plain_slice_offsets[s] + s;
  };
  const Offset all = work_before(m.slices());
  Array<Index> first{0};
  Index s = 0;
  for (int share = 1; share < shares; ++share) {
    // A slice belongs to the share that has its middle.
    while (s < m.slices() && work_before(s) + work_before(s + 1) < 2 * (all * share / shares)) ++s;
    first.push_back(s);
  }
  first.push_back(m.slices());
  return first;
}

/// The most slices, a power of two, that a block works at once: as many as there are warps, or so
/// few that of their time, did all wait for the longest, at most a sixth is lost.
/// A window of rows sorted by length has its few long rows, as the double excitations among triple
/// ones, in slices several times as long as the others; a warp each, they would keep the block busy
/// when its other warps are done.
Index slices_at_once(const PackedMatrix& m) {
  const auto groups = [&](Index s) {
    return m.slice_offsets[s + 1] - m.slice_offsets[s] + m.plain_slice_offsets[s + 1] -
           m.plain_slice_offsets[s];
  };
  for (Index at_once = packed_rows; at_once > 1; at_once /= 2) {
    Offset taken = 0;
    for (Index first = 0; first < m.slices(); first += at_once) {
      const Index count = std::min(at_once, m.slices() - first);
      Offset longest = 0;
      for (Index s = first; s < first + count; ++s) longest = std::max(longest, groups(s));
      taken += longest * count;
    }
    if (5 * taken <= 6 * (m.coded_groups() + m.plain_groups())) return at_once;
  }
  return 1;
}

int attribute(cudaDeviceAttr which) {
  int device = 0, value = 0;
  check_cuda(cudaGetDevice(&device), "asking for the device");
  check_cuda(cudaDeviceGetAttribute(&value, which, device), "asking for an attribute of it");
  return value;
}

/// Magnitudes that a block keeps in shared memory, the most frequent, next to `others` doubles, so
/// that `blocks` blocks leave three eighths of a multiprocessor's memory to the first-level cache,
/// which the gathers from X need.
int chosen_in_shared(std::size_t magnitudes, int blocks, int others) {
  static const int of_block = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  static const int of_all = attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
  const std::size_t room = std::min(of_block, of_all / 8 * 5 / blocks) / sizeof(double);
  const auto left = room - std::min(room, static_cast<std::size_t>(others));
  return static_cast<int>(std::min(magnitudes, left));
}

/// The fastest of those measured (docs/results/packed-h200.md): as many warps as there is room for,
/// 32 or 40 registers a thread (64 and more for three vectors and up), of which ptxas keeps up to
/// ten words of the outer loop in memory.
template <int K>
struct Shape;
template <>
struct Shape<1> : PackedShape<1, 1, 1024, 2> {};
template <>
struct Shape<2> : PackedShape<2, 1, 512, 3> {};
template <>
struct Shape<3> : PackedShape<3, 1, 512, 2> {};
template <>
struct Shape<4> : PackedShape<4, 1, 512, 2> {};
template <>
struct Shape<6> : PackedShape<6, 1, 512, 1> {};
template <>
struct Shape<8> : PackedShape<8, 2, 512, 2> {};

/// Threads of a block: whole teams.
template <class S>
int packed_threads(const Kernel& wanted) {
  return std::max(cuda::block_threads(wanted, S::threads) / S::team, 1) * S::team;
}

template <class S, class Place>
void launch_slices(DeviceSlices<Place> m, const Kernel& wanted, double alpha, ConstView x,
                   double beta, View y) {
  const int threads = packed_threads<S>(wanted);
  // Where only the last slices are parted, the sums of parts take the dictionary's place.
  const int sums = threads * S::width;
  const bool parts_all = m.at_once < threads / S::team;
  m.in_shared =
      chosen_in_shared(m.magnitudes, S::blocks * S::threads / threads, parts_all ? sums : 0);
  m.sums_behind = parts_all ? m.in_shared : 0;
  const std::size_t shared = std::max(m.in_shared, m.sums_behind + sums) * sizeof(double);
  const auto kernel = m.in_shared == m.magnitudes ? multiply_slices_kernel<S, Place, true>
                                                  : multiply_slices_kernel<S, Place, false>;
  check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(shared)),
             "asking for shared memory");
  int resident = 0;
  check_cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, threads, shared),
             "asking how many blocks a multiprocessor holds");
  const int blocks = std::min(std::max(resident, 1) * cuda::multiprocessors(), m.shares);
  kernel<<<static_cast<unsigned>(blocks), threads, shared>>>(m, alpha, x.data, beta, y.data,
                                                             static_cast<int>(y.stride));
  check_launch("packed product");
}

/// The arrays as they are.
DevicePacked uploaded(const PackedMatrix& m, Backend& backend) {
  const auto on_device = [&]<class T>(const Array<T>& array) {
    return Buffer<T>::from_host(backend, array);
  };
  return {.row_order = on_device(m.row_order),
          .slice_offsets = on_device(m.slice_offsets),
          .bases = on_device(m.bases),
          .column_offsets = on_device(m.column_offsets),
          .column_indices = on_device(m.column_indices),
          .codes = on_device(m.codes),
          .dictionary = on_device(m.dictionary),
          .plain_slice_offsets = on_device(m.plain_slice_offsets),
          .plain_bases = on_device(m.plain_bases),
          .plain_column_offsets = on_device(m.plain_column_offsets),
          .plain_values = on_device(m.plain_values),
          .expansion_offsets = on_device(m.expansion_offsets),
          .expansion_columns = on_device(m.expansion_columns),
          .expansion_values = on_device(m.expansion_values)};
}

/// Throws ResourceError where the device has not the memory for what was planned.
void require_room(const PackedMatrix& plan, Offset nonzeros, const Backend& backend) {
  const std::size_t needed = plan.bytes(), free = backend.free_memory();
  if (needed <= free) return;
  const std::size_t half = CsrMatrix::bytes(plan.rows, (nonzeros + plan.rows) / 2);
  throw ResourceError("format packed needs " + format_bytes(static_cast<double>(needed)) +
                      " for this matrix, and " + format_bytes(static_cast<double>(free)) +
                      " are free on " + backend.description() + "; csr_symmetric takes " +
                      format_bytes(static_cast<double>(half)) + " of a symmetric matrix");
}

class CudaPackedOperator final : public StoredOperator {
 public:
  CudaPackedOperator(RowSource& source, Backend& backend)
      : StoredOperator(source, backend, "packed") {
    const PackedMatrix plan = plan_packed(source, backend);
    require_room(plan, source.nonzeros(), backend);
    take(pack_on_device(source, plan, backend), plan, source.nonzeros());
  }
  CudaPackedOperator(const PackedMatrix& m, Offset nonzeros, Backend& backend)
      : StoredOperator(m.rows, m.columns, nonzeros, cisolve::diagonal(m), backend, "packed") {
    take(uploaded(m, backend), m, nonzeros);
  }

  /// Y := α·packed part·X + βY, then Y := Y + α·expansion·X.
  void apply(double alpha, ConstView x, double beta, View y) const override {
    if (y.rows == 0) return;
    for_each_piece(x.columns, [&](auto piece, int first) {
      constexpr int k = decltype(piece)::value;
      const ConstView from = packed(x.slice(first, k));
      const View to = y.slice(first, k);
      if (packing_ != Packing::none) multiply_slices<k>(alpha, from, beta, to);
      if (packing_ != Packing::none && m_.expansion_columns.size() == 0) return;
      const cuda::CsrRows<double> expansion{
          m_.expansion_offsets.data(), m_.expansion_columns.data(), m_.expansion_values.data(), {}};
      cuda::multiply_rows(*this, expansion, mean_expansion_, alpha, from,
                          packing_ == Packing::none ? beta : 1.0, to);
    });
  }
  std::span<const Kernel> kernels() const override { return cuda::row_kernels; }
  Kernel effective_kernel(const Kernel& wanted, int vectors) const override {
    Kernel comes_to = cuda::effective_row_kernel(wanted, mean_expansion_, vectors);
    if (packing_ == Packing::none) return comes_to;
    for_each_piece(vectors, [&](auto piece, int first) {
      constexpr int k = decltype(piece)::value;
      if (first > 0) return;
      comes_to.block_threads = packed_threads<Shape<k>>(wanted);
    });
    return comes_to;
  }

 private:
  void take(DevicePacked m, const PackedMatrix& plan, Offset nonzeros) {
    m_ = std::move(m);
    packing_ = plan.packing;
    if (packing_ != Packing::none) {
      first_slices_ = Buffer<Index>::from_host(backend(), equal_shares(plan, most_shares()));
      at_once_ = slices_at_once(plan);
    }
    mean_expansion_ =
        static_cast<double>(plan.expansion()) / static_cast<double>(std::max<Index>(1, plan.rows));
    backend().synchronize();  // so that the time of building is that of all of it
    built(plan.bytes(), plan.padding(nonzeros), plan.description(nonzeros));
  }

  template <int K>
  void multiply_slices(double alpha, ConstView x, double beta, View y) const {
    const auto launch = [&]<class Place>(const Place* places) {
      const DeviceSlices<Place> slices{
          rows(),
          m_.row_order.data(),
          {m_.slice_offsets.data(), m_.bases.data(), places, m_.codes.data()},
          {m_.plain_slice_offsets.data(), m_.plain_bases.data(), m_.plain_column_offsets.data(),
           m_.plain_values.data()},
          m_.dictionary.data(),
          static_cast<int>(m_.dictionary.size()),
          0,
          first_slices_.data(),
          static_cast<int>(first_slices_.size()) - 1,
          at_once_,
          0};
      launch_slices<Shape<K>>(slices, kernel(), alpha, x, beta, y);
    };
    if (packing_ == Packing::coded_far) {
      launch(m_.column_indices.data());
    } else {
      launch(m_.column_offsets.data());
    }
  }

  Packing packing_ = Packing::none;
  DevicePacked m_;
  Index at_once_ = 0;
  Buffer<Index> first_slices_;
  double mean_expansion_ = 0.0;
};

}  // namespace

std::unique_ptr<LinearOperator> make_packed_cuda(std::shared_ptr<const CsrMatrix> a,
                                                 Backend& backend, const FormatOptions&) {
  HostRows source(*a, backend);
  return make_packed_from_rows(source, backend);
}

std::unique_ptr<LinearOperator> make_packed_from_rows(RowSource& source, Backend& backend) {
  return std::make_unique<CudaPackedOperator>(source, backend);
}

std::unique_ptr<LinearOperator> upload_packed(const PackedMatrix& m, Offset nonzeros,
                                              Backend& backend) {
  return std::make_unique<CudaPackedOperator>(m, nonzeros, backend);
}

}  // namespace cisolve
