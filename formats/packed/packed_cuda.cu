#include <algorithm>
#include <cstdint>

#include "formats/csr/csr_rows.cuh"
#include "formats/packed/dictionary.hpp"
#include "formats/packed/packed.hpp"
#include "formats/stored_operator.hpp"

// A warp a slice, a lane a row; with four vectors and more, two neighbouring lanes a row. What a
// lane loads of a group, four steps, is 8 bytes of offsets and 8 of codes, streamed past the
// caches; the next group is on its way while one is worked. Codes are looked up in shared memory,
// as far as the dictionary fits there: its most frequent magnitudes come first. Behind its coded
// groups a warp works the slice's plain ones. What is in no group is a second launch, of the kernel
// of csr.
//
// Bytes a nonzero, and the time of a product with 1.08e9 nonzeros (12 orbitals, 10 electrons; 4.2 %
// without a code) at 4.2 TB/s, 2 % of the places being padding:
//
//     coded_near   0.958 · 4.125 · 1.02 + 0.042 · 10.125 · 1.02 =  4.5   1.2 ms
//     coded_far    0.958 · 6     · 1.02 + 0.042 · 10.125 · 1.02 =  6.3   1.6 ms
//     plain_near                                   10.125 · 1.02 = 10.3   2.7 ms
//     csr                                                          12     3.1 ms
//
// These are predictions. Gathers from X and, for several vectors, the first-level cache add to
// them.

namespace cisolve {
namespace {

/// What a thread loads at once of four steps; [t] is step t's.
template <class T>
struct Four;
template <>
struct Four<std::uint16_t> {
  uint2 bits;
  explicit __device__ Four(const std::uint16_t* from)
      : bits(__ldcs(reinterpret_cast<const uint2*>(from))) {}
  __device__ unsigned operator[](int t) const {
    return (t < 2 ? bits.x : bits.y) >> (t % 2 * 16) & 0xffffu;
  }
};
template <>
struct Four<Index> {
  int4 columns;
  explicit __device__ Four(const Index* from)
      : columns(__ldcs(reinterpret_cast<const int4*>(from))) {}
  __device__ Index operator[](int t) const {
    return t == 0 ? columns.x : t == 1 ? columns.y : t == 2 ? columns.z : columns.w;
  }
};
template <>
struct Four<double> {
  double2 low, high;
  explicit __device__ Four(const double* from)
      : low(__ldcs(reinterpret_cast<const double2*>(from))),
        high(__ldcs(reinterpret_cast<const double2*>(from) + 1)) {}
  __device__ double operator[](int t) const {
    return t == 0 ? low.x : t == 1 ? low.y : t == 2 ? high.x : high.y;
  }
};

/// Groups of all slices on the device.
template <class Place_, class Element_>
struct DeviceGroups {
  using Place = Place_;
  using Element = Element_;
  const Offset* slice_offsets;
  const Index* bases;
  const Place* places;
  const Element* elements;
};

/// The packed part on the device.
template <class CodedPlace>
struct DeviceSlices {
  Index rows;
  const Index* row_order;
  DeviceGroups<CodedPlace, std::uint16_t> coded;
  DeviceGroups<std::uint16_t, double> plain;
  const double* dictionary;
  int in_shared;  ///< magnitudes that are copied to shared memory
};

/// One row's part of a group, as loaded.
template <class Place, class Element>
struct LoadedGroup {
  Four<Index> bases;
  Four<Place> places;
  Four<Element> elements;

  __device__ LoadedGroup(const DeviceGroups<Place, Element>& m, Offset g, int r)
      : bases(m.bases + g * packed_steps),
        places(m.places + (g * packed_rows + r) * packed_steps),
        elements(m.elements + (g * packed_rows + r) * packed_steps) {}
  __device__ Index column(int t) const { return bases[t] + static_cast<Index>(places[t]); }
};
template <class Element>
struct LoadedGroup<Index, Element> {
  Four<Index> places;
  Four<Element> elements;

  __device__ LoadedGroup(const DeviceGroups<Index, Element>& m, Offset g, int r)
      : places(m.places + (g * packed_rows + r) * packed_steps),
        elements(m.elements + (g * packed_rows + r) * packed_steps) {}
  __device__ Index column(int t) const { return places[t]; }
};

/// The dictionary as a block sees it.
struct Dictionary {
  const double* near;  ///< the first `in_shared` magnitudes, in shared memory
  int in_shared;
  const double* all;
};

/// The element of a code.
__device__ inline double decoded(const Dictionary& dictionary, unsigned code) {
  const int number = static_cast<int>(code & ~static_cast<unsigned>(sign_of_code));
  const double magnitude =
      number < dictionary.in_shared ? dictionary.near[number] : __ldg(dictionary.all + number);
  const int sign = static_cast<int>((code & sign_of_code) << 16);
  return __hiloint2double(__double2hiint(magnitude) ^ sign, __double2loint(magnitude));
}
__device__ inline double decoded(const Dictionary&, double element) {
  return element;
}

/// Where a row's K vectors are shared by lanes, each takes pairs, every Share-th of them, so that
/// what the lanes read at once is a run of X. Vector j of a lane is vector of_lane(j) from its
/// first.
template <int K, int Share>
__device__ constexpr int of_lane(int j) {
  return Share == 1 ? j : j / 2 * 2 * Share + j % 2;
}
template <int K, int Share>
__device__ inline void load_vectors(const double* row, double (&to)[K / Share]) {
  constexpr int run = Share == 1 ? K : 2;
#pragma unroll
  for (int first = 0; first < K / Share; first += run) {
    double part[run];
    cuda::load_row<run, true>(row + of_lane<K, Share>(first), part);
#pragma unroll
    for (int j = 0; j < run; ++j) to[first + j] = part[j];
  }
}

/// sum_j += the entries of a row of slice s times x(column, vector j of the lane); of its groups in
/// `parts` equal runs, this part.
template <int K, int Share, class Groups>
__device__ inline void add_groups(const Groups& m, const Dictionary& dictionary, Index s, int part,
                                  int parts, int r, const double* x, double (&sum)[K / Share]) {
  constexpr int width = K / Share;
  using Group = LoadedGroup<typename Groups::Place, typename Groups::Element>;
  const Offset first = m.slice_offsets[s], count = m.slice_offsets[s + 1] - first;
  const Offset begin = first + count * part / parts, end = first + count * (part + 1) / parts;
  if (begin == end) return;
  Group next(m, begin, r);
  for (Offset g = begin; g < end; ++g) {
    const Group group = next;
    if (g + 1 < end) next = Group(m, g + 1, r);
    // All of X is asked for before the first of it is used.
    double from[packed_steps][width], element[packed_steps];
#pragma unroll
    for (int t = 0; t < packed_steps; ++t) {
      load_vectors<K, Share>(x + static_cast<std::int64_t>(group.column(t)) * K, from[t]);
      element[t] = decoded(dictionary, group.elements[t]);
    }
#pragma unroll
    for (int t = 0; t < packed_steps; ++t) {
      if (group.elements[t] == 0) continue;  // what padding read is another row's
#pragma unroll
      for (int j = 0; j < width; ++j) sum[j] += element[t] * from[t][j];
    }
  }
}

constexpr int most_threads = 1024;

/// Y := α·packed part·X + βY for packed X. `parts` threads have a row's groups in equal runs, one
/// behind the other, and their sums are added in that order.
template <int K, int Share, class Slices>
__global__ void __launch_bounds__(most_threads)
    multiply_slices_kernel(Slices m, int parts, double alpha, const double* __restrict__ x,
                           double beta, double* __restrict__ y, int y_stride) {
  constexpr int width = K / Share;
  extern __shared__ double shared[];
  for (int i = static_cast<int>(threadIdx.x); i < m.in_shared; i += static_cast<int>(blockDim.x)) {
    shared[i] = m.dictionary[i];
  }
  __syncthreads();

  const int threads = static_cast<int>(blockDim.x) / parts;
  const int part = static_cast<int>(threadIdx.x) / threads;
  const int thread = static_cast<int>(threadIdx.x) % threads;
  const int lane = thread % Share;
  const std::int64_t s = std::int64_t{blockIdx.x} * (threads / Share) + thread / Share;
  double sum[width] = {};
  if (s < m.rows) {
    const Dictionary dictionary{shared, m.in_shared, m.dictionary};
    const auto slice = static_cast<Index>(s / packed_rows);
    const auto r = static_cast<int>(s % packed_rows);
    add_groups<K, Share>(m.coded, dictionary, slice, part, parts, r, x + lane * 2, sum);
    add_groups<K, Share>(m.plain, dictionary, slice, part, parts, r, x + lane * 2, sum);
  }
  if (parts > 1) {
    double* sums = shared + m.in_shared;
#pragma unroll
    for (int j = 0; j < width; ++j) sums[j * blockDim.x + threadIdx.x] = sum[j];
    __syncthreads();
    if (part > 0) return;
    for (int p = 1; p < parts; ++p) {
#pragma unroll
      for (int j = 0; j < width; ++j) sum[j] += sums[j * blockDim.x + p * threads + thread];
    }
  }
  if (s >= m.rows) return;
  double* row = y + std::int64_t{m.row_order[s]} * y_stride + lane * 2;
#pragma unroll
  for (int j = 0; j < width; ++j) {
    double& to = row[of_lane<K, Share>(j)];
    to = alpha * sum[j] + (beta == 0.0 ? 0.0 : beta * to);
  }
}

/// Lanes on a row.
template <int K>
inline constexpr int lanes_a_row = K % 4 == 0 ? 2 : 1;

/// Magnitudes that a block keeps in shared memory: all of them, as a rule. The rest of a
/// multiprocessor's memory is the first-level cache, which the gathers from X need.
int chosen_in_shared(std::size_t magnitudes) {
  static const std::size_t room = [] {
    int device = 0, bytes = 0;
    check_cuda(cudaGetDevice(&device), "asking for the device");
    check_cuda(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device),
               "asking for its shared memory");
    const std::size_t sums = most_threads * 6;  // of the widest kernel, where rows have parts
    return bytes / sizeof(double) - sums;
  }();
  return static_cast<int>(std::min({magnitudes, room, std::size_t{20480}}));
}

/// Threads of a block, unless the kernel says otherwise: the fewest with which the dictionary's
/// copies, one a block, leave a third of a multiprocessor's 228 KiB to the first-level cache.
/// Registers let about 1536 threads be there at once.
int chosen_threads(int in_shared) {
  constexpr int most_doubles = 18432;  // 144 KiB
  int threads = 256;
  while (threads < most_threads && 1536 / threads * in_shared > most_doubles) threads *= 2;
  return threads;
}

/// Parts of the rows: enough threads for the device to be busy four times over, if each has 16
/// groups still.
int chosen_parts(std::int64_t row_threads, int threads, Offset mean_groups) {
  const std::int64_t wanted = std::int64_t{4} * 2048 * cuda::multiprocessors();
  int parts = 1;
  while (row_threads * parts < wanted && threads % (64 * parts) == 0 && mean_groups >= 32 * parts) {
    parts *= 2;
  }
  return parts;
}

template <int K, class Slices>
void launch_slices(const Slices& m, int threads, Offset groups, double alpha, ConstView x,
                   double beta, View y) {
  constexpr int share = lanes_a_row<K>;
  const std::int64_t row_threads = std::int64_t{m.rows} * share;
  const int parts = chosen_parts(row_threads, threads, groups / ((m.rows - 1) / packed_rows + 1));
  const std::size_t shared =
      (m.in_shared + (parts > 1 ? std::size_t(threads) * (K / share) : 0)) * sizeof(double);
  const auto kernel = multiply_slices_kernel<K, share, Slices>;
  if (shared > 48 * 1024) {
    check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(shared)),
               "asking for shared memory");
  }
  const std::int64_t blocks = (row_threads * parts - 1) / threads + 1;
  kernel<<<static_cast<unsigned>(blocks), threads, shared>>>(m, parts, alpha, x.data, beta, y.data,
                                                             static_cast<int>(y.stride));
  check_launch("packed product");
}

class CudaPackedOperator final : public StoredOperator {
 public:
  CudaPackedOperator(const CsrMatrix& a, Backend& backend) : StoredOperator(a, backend, "packed") {
    const PackedMatrix m = to_packed(a);
    packing_ = m.packing;
    groups_ = m.coded_groups() + m.plain_groups();
    row_order_ = Buffer<Index>::from_host(backend, m.row_order);
    slice_offsets_ = Buffer<Offset>::from_host(backend, m.slice_offsets);
    bases_ = Buffer<Index>::from_host(backend, m.bases);
    column_offsets_ = Buffer<std::uint16_t>::from_host(backend, m.column_offsets);
    column_indices_ = Buffer<Index>::from_host(backend, m.column_indices);
    codes_ = Buffer<std::uint16_t>::from_host(backend, m.codes);
    dictionary_ = Buffer<double>::from_host(backend, m.dictionary);
    plain_slice_offsets_ = Buffer<Offset>::from_host(backend, m.plain_slice_offsets);
    plain_bases_ = Buffer<Index>::from_host(backend, m.plain_bases);
    plain_column_offsets_ = Buffer<std::uint16_t>::from_host(backend, m.plain_column_offsets);
    plain_values_ = Buffer<double>::from_host(backend, m.plain_values);
    expansion_offsets_ = Buffer<Offset>::from_host(backend, m.expansion_offsets);
    expansion_columns_ = Buffer<Index>::from_host(backend, m.expansion_columns);
    expansion_values_ = Buffer<double>::from_host(backend, m.expansion_values);
    mean_expansion_ = static_cast<double>(m.expansion_columns.size()) / std::max<Index>(1, a.rows);
    built(m.bytes(), m.padding(a.nonzeros()), m.description(a.nonzeros()));
  }

  /// Y := α·packed part·X + βY, then Y := Y + α·expansion·X.
  void apply(double alpha, ConstView x, double beta, View y) const override {
    if (y.rows == 0) return;
    for_each_piece(x.columns, [&](auto piece, int first) {
      constexpr int k = decltype(piece)::value;
      const ConstView from = packed(x.slice(first, k));
      const View to = y.slice(first, k);
      if (packing_ != Packing::none) multiply_slices<k>(alpha, from, beta, to);
      if (packing_ != Packing::none && expansion_columns_.size() == 0) return;
      const cuda::CsrRows<double> expansion{
          expansion_offsets_.data(), expansion_columns_.data(), expansion_values_.data(), {}};
      cuda::multiply_rows(*this, expansion, mean_expansion_, alpha, from,
                          packing_ == Packing::none ? beta : 1.0, to);
    });
  }
  std::span<const Kernel> kernels() const override { return cuda::row_kernels; }
  Kernel effective_kernel(const Kernel& wanted, int vectors) const override {
    Kernel comes_to = cuda::effective_row_kernel(wanted, mean_expansion_, vectors);
    comes_to.block_threads = threads(wanted);
    return comes_to;
  }

 private:
  int in_shared() const { return chosen_in_shared(dictionary_.size()); }
  int threads(const Kernel& wanted) const {
    return wanted.block_threads > 0 ? std::min(wanted.block_threads, most_threads)
                                    : chosen_threads(in_shared());
  }

  template <int K>
  void multiply_slices(double alpha, ConstView x, double beta, View y) const {
    const auto launch = [&]<class Place>(const Place* places) {
      const DeviceSlices<Place> slices{
          rows(),
          row_order_.data(),
          {slice_offsets_.data(), bases_.data(), places, codes_.data()},
          {plain_slice_offsets_.data(), plain_bases_.data(), plain_column_offsets_.data(),
           plain_values_.data()},
          dictionary_.data(),
          in_shared()};
      launch_slices<K>(slices, threads(kernel()), groups_, alpha, x, beta, y);
    };
    if (packing_ == Packing::coded_far) {
      launch(column_indices_.data());
    } else {
      launch(column_offsets_.data());
    }
  }

  Packing packing_ = Packing::none;
  Offset groups_ = 0;
  Buffer<Index> row_order_;
  Buffer<Offset> slice_offsets_, plain_slice_offsets_;
  Buffer<Index> bases_, column_indices_, plain_bases_;
  Buffer<std::uint16_t> column_offsets_, codes_, plain_column_offsets_;
  Buffer<double> plain_values_, dictionary_;
  Buffer<Offset> expansion_offsets_;
  Buffer<Index> expansion_columns_;
  Buffer<double> expansion_values_;
  double mean_expansion_ = 0.0;
};

}  // namespace

std::unique_ptr<LinearOperator> make_packed_cuda(std::shared_ptr<const CsrMatrix> a,
                                                 Backend& backend, const FormatOptions&) {
  return std::make_unique<CudaPackedOperator>(*a, backend);
}

}  // namespace cisolve
