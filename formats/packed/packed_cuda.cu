#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "core/error.hpp"
#include "core/memory.hpp"
#include "formats/csr/csr_rows.cuh"
#include "formats/matrix/host_rows.hpp"
#include "formats/packed/batches.hpp"
#include "formats/packed/convert_cuda.hpp"
#include "formats/packed/decode.hpp"
#include "formats/packed/expansion.cuh"
#include "formats/packed/packed.hpp"
#include "formats/packed/slices.cuh"
#include "formats/shared/stored_operator.hpp"

// The operator: a launch for the slices, and one for the expansion.

namespace cisolve {
namespace {

using namespace packed_slices;

int attribute(cudaDeviceAttr which) {
  int device = 0, value = 0;
  check_cuda(cudaGetDevice(&device), "asking for the device");
  check_cuda(cudaDeviceGetAttribute(&value, which, device), "asking for an attribute of it");
  return value;
}

/// Magnitudes that a block keeps in shared memory, the most frequent, next to `sums` doubles, so
/// that `blocks` blocks leave a quarter of a multiprocessor's memory to the first-level cache,
/// which the gathers from X need.
int chosen_in_shared(std::size_t magnitudes, int blocks, int sums) {
  static const int of_block = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  static const int of_all = attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
  const std::size_t room = std::min(of_block, of_all / 4 * 3 / blocks) / sizeof(double);
  const auto left = room - std::min(room, static_cast<std::size_t>(sums));
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

/// One block has a multiprocessor for itself, for a dictionary of which it has no room for two. For
/// one vector half as many warps, with twice the registers, in which the next group is waited for.
template <int K>
struct SingleShape : PackedShape<K, Shape<K>::share, 1024, 1> {};
template <>
struct SingleShape<1> : PackedShape<1, 1, 1024, 1, true> {};

/// Rows of fewer nonzeros have columns far apart, as lists of determinants have, and gathers touch
/// a line of X each. Two lanes a row then halve the lines that a load asks for: four vectors take
/// 0.78 of the time on a list of 100,000 determinants, 0.83 on full CI of 407 nonzeros a row, 1.12
/// of 575.
constexpr double long_rows = 500.0;
struct ShortRows : PackedShape<4, 2, 512, 2> {};
struct SingleShortRows : PackedShape<4, 2, 1024, 1> {};

/// Threads of a block: whole teams.
template <class S>
int packed_threads(const KernelSettings& wanted) {
  return std::max(cuda::threads_of_block(wanted, S::threads) / S::team, 1) * S::team;
}

template <class S>
int in_shared(std::size_t magnitudes, const KernelSettings& wanted) {
  const int threads = packed_threads<S>(wanted);
  return chosen_in_shared(magnitudes, S::blocks * S::threads / threads, threads * S::width);
}

/// f<S, Whole>() for the first of two shapes, or for the one of a single block where that has room
/// for all of the dictionary; Whole: shared memory has all of it.
template <class Shape, class Single, class F>
auto with_one_of(std::size_t magnitudes, const KernelSettings& wanted, F f) {
  const auto fits = [&]<class S>() {
    return in_shared<S>(magnitudes, wanted) == static_cast<int>(magnitudes);
  };
  if (fits.template operator()<Shape>()) return f.template operator()<Shape, true>();
  if constexpr (Shape::blocks > 1) {
    const bool is_whole = packed_threads<Single>(wanted) == Single::threads;
    if (is_whole && fits.template operator()<Single>()) {
      return f.template operator()<Single, true>();
    }
  }
  return f.template operator()<Shape, false>();
}

/// f<S, Whole>() for the shape S of K vectors and rows of so many nonzeros.
template <int K, class F>
auto with_shape(double mean_row, std::size_t magnitudes, const KernelSettings& wanted, F f) {
  if constexpr (K == 4) {
    if (mean_row < long_rows) {
      return with_one_of<ShortRows, SingleShortRows>(magnitudes, wanted, f);
    }
  }
  return with_one_of<Shape<K>, SingleShape<K>>(magnitudes, wanted, f);
}

/// How slices are dealt out, on the device.
struct DeviceBatches {
  Buffer<Index> first_slices;
  Buffer<unsigned> drawn;
};

/// The arrays as they are.
DevicePacked uploaded(const PackedMatrix& m, Backend& backend) {
  DevicePacked copy;
  for_each_array([&]<class T>(const char*, Buffer<T>& to,
                              const Array<T>& from) { to = Buffer<T>::from_host(backend, from); },
                 copy, m);
  return copy;
}

/// Throws ResourceError where the device has not the memory for what was planned, and for a list of
/// the expansion's rows.
void require_room(const PackedMatrix& plan, Offset nonzeros, const Backend& backend) {
  const std::size_t listed = plan.expansion() > 0 ? plan.rows * sizeof(Index) : 0;
  const std::size_t needed = plan.bytes() + listed, free = backend.free_memory();
  if (needed <= free) return;
  const std::size_t half = CsrMatrix::bytes(plan.rows, (nonzeros + plan.rows) / 2);
  throw ResourceError("format packed needs " + format_bytes(needed) + " for this matrix, and " +
                      format_bytes(free) + " are free on " + backend.description() +
                      "; csr_symmetric takes " + format_bytes(half) + " of a symmetric matrix");
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
    for_each_device_piece(x.columns, [&](auto piece, int first) {
      constexpr int k = decltype(piece)::value;
      const ConstView from = contiguous(x.slice(first, k));
      const View to = y.slice(first, k);
      if (packing_ != Packing::none) multiply_slices<k>(alpha, from, beta, to);
      const Offset* offsets = m_.expansion_offsets.data();
      const Index* columns = m_.expansion_columns.data();
      const double* values = m_.expansion_values.data();
      if (expansion_by_row()) {
        cuda::multiply_rows(*this, cuda::CsrRows<double>{offsets, columns, values, {}},
                            mean_expansion_, alpha, from, packing_ == Packing::none ? beta : 1.0,
                            to);
      } else {
        packed_expansion::add_expansion<k>(
            {expansion_rows_.data(), static_cast<Index>(expansion_rows_.size()),
             longer_expansion_rows_, offsets, columns, values},
            alpha, from, to);
      }
    });
  }
  std::span<const KernelSettings> kernels() const override { return cuda::row_kernels; }
  KernelSettings effective_kernel(const KernelSettings& wanted, int vectors) const override {
    KernelSettings comes_to = cuda::effective_row_kernel(wanted, mean_expansion_, vectors);
    if (packing_ == Packing::none) return comes_to;
    if (!expansion_by_row()) comes_to.threads_per_row = 0;
    for_each_device_piece(vectors, [&](auto piece, int first) {
      constexpr int k = decltype(piece)::value;
      if (first > 0) return;
      comes_to.block_threads =
          with_shape<k>(mean_row_, m_.dictionary.size(), wanted,
                        [&]<class S, bool Whole>() { return packed_threads<S>(wanted); });
    });
    return comes_to;
  }

 private:
  void take(DevicePacked m, const PackedMatrix& plan, Offset nonzeros) {
    m_ = std::move(m);
    packing_ = plan.packing;
    if (packing_ != Packing::none) {
      for (Index s = 0; s <= plan.slices(); ++s) {
        work_before_.push_back(plan.slice_offsets[s] + plan.plain_slice_offsets[s] + s);
      }
    }
    mean_row_ = static_cast<double>(nonzeros) / static_cast<double>(std::max<Index>(1, plan.rows));
    mean_expansion_ =
        static_cast<double>(plan.expansion()) / static_cast<double>(std::max<Index>(1, plan.rows));
    if (!expansion_by_row()) {
      const packed_expansion::Rows rows(plan.expansion_offsets);
      expansion_rows_ = Buffer<Index>::from_host(backend(), rows.rows);
      longer_expansion_rows_ = rows.longer;
    }
    backend().synchronize();  // so that the time of building is that of all of it
    built(plan.bytes(), plan.padding(nonzeros), plan.description(nonzeros));
  }

  /// Whether all rows of the expansion are worked, as those of csr are, or those that have entries.
  bool expansion_by_row() const { return packing_ == Packing::none || mean_expansion_ > 8.0; }

  /// For blocks of so many teams, of which so many are at work at once; made at the first product
  /// that needs them, of a few bytes a slice.
  DeviceBatches& batches(int teams, int blocks) const {
    DeviceBatches& found = batches_[{teams, blocks}];
    if (found.drawn.size() > 0) return found;
    found.first_slices =
        Buffer<Index>::from_host(backend(), batches_of_slices(work_before_, teams, blocks));
    found.drawn = Buffer<unsigned>::from_host(backend(), Array<unsigned>{0});
    return found;
  }

  /// Blocks of the kernel that the device holds at once; asked for at the first product of a shape.
  int resident_blocks(const void* kernel, int threads, std::size_t shared) const {
    int& found = resident_[{kernel, threads, shared}];
    if (found > 0) return found;
    int resident = 0;
    check_cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, threads, shared),
               "asking how many blocks a multiprocessor holds");
    return found = std::max(resident, 1) * cuda::multiprocessors();
  }

  template <int K>
  void multiply_slices(double alpha, ConstView x, double beta, View y) const {
    with_shape<K>(mean_row_, m_.dictionary.size(), kernel(), [&]<class S, bool Whole>() {
      if (packing_ == Packing::coded_far) {
        launch_slices<S, Whole>(m_.column_indices.data(), alpha, x, beta, y);
      } else {
        launch_slices<S, Whole>(m_.column_offsets.data(), alpha, x, beta, y);
      }
    });
  }

  template <class S, bool Whole, class Place>
  void launch_slices(const Place* places, double alpha, ConstView x, double beta, View y) const {
    const int threads = packed_threads<S>(kernel());
    const int kept = in_shared<S>(m_.dictionary.size(), kernel());
    const auto multiply = multiply_slices_kernel<S, Place, Whole>;
    // The kernel's limit is one for all matrices, which differ in what they keep there.
    const std::size_t shared = (kept + threads * S::width) * sizeof(double);
    check_cuda(cudaFuncSetAttribute(multiply, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(shared)),
               "asking for shared memory");
    const int at_once = resident_blocks(reinterpret_cast<const void*>(multiply), threads, shared);
    DeviceBatches& dealt = batches(threads / S::team, at_once);
    const auto count = static_cast<unsigned>(dealt.first_slices.size()) - 1;
    const DeviceSlices<Place> slices{
        rows(),
        m_.row_order.data(),
        {m_.slice_offsets.data(), m_.bases.data(), places, m_.codes.data()},
        {m_.plain_slice_offsets.data(), m_.plain_bases.data(), m_.plain_column_offsets.data(),
         m_.plain_values.data()},
        m_.dictionary.data(),
        kept,
        dealt.first_slices.data(),
        count,
        dealt.drawn.data()};
    multiply<<<std::min(static_cast<unsigned>(at_once), count), threads, shared>>>(
        slices, alpha, x.data, beta, y.data, static_cast<int>(y.stride));
    check_launch("packed product");
  }

  Packing packing_ = Packing::none;
  DevicePacked m_;
  Array<Offset> work_before_;  ///< groups and slices before a slice
  mutable std::map<std::pair<int, int>, DeviceBatches> batches_;
  mutable std::map<std::tuple<const void*, int, std::size_t>, int> resident_;
  double mean_row_ = 0.0, mean_expansion_ = 0.0;  ///< nonzeros
  Buffer<Index> expansion_rows_;
  Index longer_expansion_rows_ = 0;
};

}  // namespace

std::unique_ptr<LinearOperator> CISOLVE_IN_MODULE(make_packed_cuda)(
    std::shared_ptr<const CsrMatrix> a, Backend& backend, const FormatOptions&) {
  HostRows source(*a, backend);
  return make_packed_from_rows(source, backend);
}

std::unique_ptr<LinearOperator> CISOLVE_IN_MODULE(make_packed_from_rows)(RowSource& source,
                                                                         Backend& backend) {
  return std::make_unique<CudaPackedOperator>(source, backend);
}

std::unique_ptr<LinearOperator> CISOLVE_IN_MODULE(upload_packed)(const PackedMatrix& m,
                                                                 Offset nonzeros,
                                                                 Backend& backend) {
  return std::make_unique<CudaPackedOperator>(m, nonzeros, backend);
}

}  // namespace cisolve
