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
#include "formats/packed/packed_on_device.hpp"
#include "formats/packed/shapes.cuh"
#include "formats/packed/slices.cuh"
#include "formats/shared/stored_operator.hpp"

// The operator: a launch for the slices, and one for the expansion.

namespace cisolve {
namespace {

using namespace packed_slices;

/// Distribution of the slices, on the device.
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
void require_room(const PackedMatrix& plan, const Backend& backend, const std::string& name,
                  const std::string& advice) {
  const std::size_t listed = plan.expansion() > 0 ? plan.rows * sizeof(Index) : 0;
  const std::size_t needed = plan.bytes() + listed, free = backend.free_memory();
  if (needed <= free) return;
  throw ResourceError("format " + name + " needs " + format_bytes(needed) +
                      " for this matrix, and " + format_bytes(free) + " are free on " +
                      backend.description() + advice);
}

/// Over elements of D real numbers.
template <int D>
class CudaPackedOperator final : public PackedOnDevice {
 public:
  CudaPackedOperator(RowSource& source, Backend& backend, const std::string& name,
                     const std::string& advice)
      : PackedOnDevice(source, backend, name) {
    const PackedMatrix plan = plan_packed(source, backend);
    require_room(plan, backend, name, advice);
    take(pack_on_device(source, plan, backend), plan, source.nonzeros());
  }
  /// Packed on the host.
  CudaPackedOperator(const CsrMatrix& a, Backend& backend) : PackedOnDevice(a, backend, "packed") {
    const PackedMatrix m = to_packed(a);
    take(uploaded(m, backend), m, a.nonzeros());
  }
  CudaPackedOperator(const PackedMatrix& m, Offset nonzeros, Backend& backend)
      : PackedOnDevice(m.rows, m.columns, nonzeros, cisolve::diagonal(m), backend, "packed", D) {
    take(uploaded(m, backend), m, nonzeros);
  }

  const DevicePacked& arrays() const override { return m_; }
  Packing packing() const override { return packing_; }

  /// Y := α·packed part·X + βY, then Y := Y + α·expansion·X.
  void apply(double alpha, ConstView x, double beta, View y) const override {
    if (y.rows == 0) return;
    for_each_packed_piece<D>(x.columns, [&](auto piece, int first) {
      constexpr int k = decltype(piece)::value;
      const ConstView from = contiguous(x.slice(first, k));
      const View to = y.slice(first, k);
      if (packing_ != Packing::none) multiply_slices<k>(alpha, from, beta, to);
      add_expansion<k>(alpha, from, packing_ == Packing::none ? beta : 1.0, to);
    });
  }
  std::span<const KernelSettings> kernels() const override { return cuda::row_kernels; }
  KernelSettings effective_kernel(const KernelSettings& wanted, int vectors) const override {
    KernelSettings comes_to = effective_expansion_kernel(wanted, vectors);
    if (packing_ == Packing::none) return comes_to;
    if (!expansion_by_row()) comes_to.threads_per_row = 0;
    for_each_packed_piece<D>(vectors, [&](auto piece, int first) {
      constexpr int k = decltype(piece)::value;
      if (first > 0) return;
      comes_to.block_threads =
          with_shape<D, k>(mean_row_, magnitudes(), wanted,
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
    if (D == 1 && !expansion_by_row()) {
      const packed_expansion::Rows rows(plan.expansion_offsets);
      expansion_rows_ = Buffer<Index>::from_host(backend(), rows.rows);
      longer_expansion_rows_ = rows.longer;
    }
    backend().synchronize();  // so that the time of building is that of all of it
    built(plan.bytes(), plan.padding(nonzeros), plan.description(nonzeros));
  }

  std::size_t magnitudes() const { return m_.dictionary.size() / D; }

  /// True if all rows of the expansion are worked, as those of csr are, or those that have entries;
  /// of complex ones all are, if there is an entry.
  bool expansion_by_row() const {
    if (D > 1) return m_.expansion_offsets.size() > 0;
    return packing_ == Packing::none || mean_expansion_ > 8.0;
  }
  KernelSettings effective_expansion_kernel(const KernelSettings& wanted, int vectors) const {
    return cuda::effective_row_runs_kernel<D>(wanted, mean_expansion_, vectors);
  }

  /// Y := α·expansion·X + βY.
  template <int K>
  void add_expansion(double alpha, ConstView x, double beta, View y) const {
    const Offset* offsets = m_.expansion_offsets.data();
    const Index* columns = m_.expansion_columns.data();
    const auto* values = reinterpret_cast<const FieldElement<D>*>(m_.expansion_values.data());
    if (expansion_by_row()) {
      cuda::multiply_row_runs<FieldElement<D>>(
          *this, cuda::CsrRows<FieldElement<D>>{offsets, columns, values, {}}, mean_expansion_,
          alpha, x, beta, y);
    } else if constexpr (D == 1) {
      packed_expansion::add_expansion<K>(
          {expansion_rows_.data(), static_cast<Index>(expansion_rows_.size()),
           longer_expansion_rows_, offsets, columns, values},
          alpha, x, y);
    }
  }

  /// Batches for blocks of so many teams, so many of which run at once. They take a few bytes a
  /// slice and are made at the first product that needs them.
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
    with_shape<D, K>(mean_row_, magnitudes(), kernel(), [&]<class S, bool Whole>() {
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
    const int kept = in_shared<S>(magnitudes(), kernel());
    const auto multiply = multiply_slices_kernel<S, Place, Whole>;
    // The kernel's limit is one for all matrices, which differ in what they keep there.
    const std::size_t shared = (kept * D + threads * S::width) * sizeof(double);
    check_cuda(cudaFuncSetAttribute(multiply, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(shared)),
               "asking for shared memory");
    const int at_once = resident_blocks(reinterpret_cast<const void*>(multiply), threads, shared);
    DeviceBatches& dealt = batches(threads / S::team, at_once);
    const auto count = static_cast<unsigned>(dealt.first_slices.size()) - 1;
    using Element = DeviceElement<D>;
    const DeviceSlices<D, Place> slices{
        rows() / D,
        m_.row_order.data(),
        {m_.slice_offsets.data(), m_.bases.data(), places, m_.codes.data()},
        {m_.plain_slice_offsets.data(), m_.plain_bases.data(), m_.plain_column_offsets.data(),
         reinterpret_cast<const Element*>(m_.plain_values.data())},
        reinterpret_cast<const Element*>(m_.dictionary.data()),
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

std::unique_ptr<PackedOnDevice> pack_rows(RowSource& source, Backend& backend,
                                          const std::string& name, const std::string& advice) {
  return std::make_unique<CudaPackedOperator<1>>(source, backend, name, advice);
}

std::unique_ptr<LinearOperator> CISOLVE_IN_MODULE(make_packed_cuda)(
    std::shared_ptr<const CsrMatrix> a, Backend& backend, const FormatOptions&) {
  if (a->components == 2) return std::make_unique<CudaPackedOperator<2>>(*a, backend);
  HostRows source(*a, backend);
  return make_packed_from_rows(source, backend);
}

std::unique_ptr<LinearOperator> CISOLVE_IN_MODULE(make_packed_from_rows)(RowSource& source,
                                                                         Backend& backend) {
  return pack_rows(source, backend, "packed",
                   "; packed_symmetric takes about half of it, if the matrix is symmetric");
}

std::unique_ptr<LinearOperator> CISOLVE_IN_MODULE(upload_packed)(const PackedMatrix& m,
                                                                 Offset nonzeros,
                                                                 Backend& backend) {
  if (m.components == 2) return std::make_unique<CudaPackedOperator<2>>(m, nonzeros, backend);
  return std::make_unique<CudaPackedOperator<1>>(m, nonzeros, backend);
}

}  // namespace cisolve
