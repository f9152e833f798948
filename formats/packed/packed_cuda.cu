#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "core/error.hpp"
#include "core/memory.hpp"
#include "formats/csr/csr_rows.cuh"
#include "formats/host_rows.hpp"
#include "formats/packed/convert_cuda.hpp"
#include "formats/packed/decode.hpp"
#include "formats/packed/dictionary.hpp"
#include "formats/packed/packed.hpp"
#include "formats/stored_operator.hpp"

// A warp a slice, a lane a row; with eight vectors two neighbouring lanes a row, and two warps.
// What a lane loads of a group, four steps, is 8 bytes of offsets and 8 of codes, streamed past the
// caches. Codes are looked up in shared memory, as far as the dictionary fits there: its most
// frequent magnitudes come first. Behind its coded groups a warp works the slice's plain ones. What
// is in no group is a second launch, of the kernel of csr.
//
// What a multiprocessor does in a step of a warp with one vector is, next to loading a group's 132
// bytes, a look-up of 32 words of 8 bytes in random banks and a gather of 32 from X, about 7 cycles
// of its load/store unit each: it, not the memory, is to be kept busy, by as many warps as there is
// room for. -Xptxas -v prints the registers of a kernel.
//
// Bytes a nonzero, and the time of a product with 1.08e9 nonzeros (12 orbitals, 10 electrons; 4.2 %
// without a code) at 4.2 TB/s, 2 % of the places being padding:
//
//     coded_near   0.958 · 4.125 · 1.02 + 0.042 · 10.125 · 1.02 =  4.5   1.2 ms
//     coded_far    0.958 · 6     · 1.02 + 0.042 · 10.125 · 1.02 =  6.3   1.6 ms
//     plain_near                                   10.125 · 1.02 = 10.3   2.7 ms
//     csr                                                          12     3.1 ms
//
// These are predictions. What the first-level cache serves, gathers from X and look-ups, adds to
// them: 1.44 ms were measured for coded_near (docs/results/packed-h200.md).

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
  int magnitudes;             ///< of the dictionary
  int in_shared;              ///< of them, copied to shared memory
  const Index* first_slices;  ///< shares + 1, of equal shares of the work
  int shares;
  int at_once;      ///< slices that a block works at once, at most
  int sums_behind;  ///< doubles of shared memory before the sums of parts

  /// The first slice that is not block b's, nor an earlier one's.
  __device__ Index end_of(unsigned b) const {
    return first_slices[std::int64_t{shares} * (b + 1) / gridDim.x];
  }
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

/// The dictionary as a block sees it; `Whole`: all of it is in shared memory.
template <bool Whole>
struct Dictionary {
  /// Address in shared memory of the first `in_shared` magnitudes. As a pointer it would be worked
  /// out anew for every look-up, from a special register that takes tens of cycles.
  unsigned near;
  int in_shared;
  const double* all;

  __device__ Dictionary(const double* shared, int count, const double* whole)
      : in_shared(count), all(whole) {
    // What the compiler cannot see through it does not work out again.
    asm volatile("mov.u32 %0, %1;"
                 : "=r"(near)
                 : "r"(static_cast<unsigned>(__cvta_generic_to_shared(shared))));
  }
  __device__ double magnitude(unsigned number) const {
    if (!Whole && static_cast<int>(number) >= in_shared) return __ldg(all + number);
    double found;
    asm("ld.shared.f64 %0, [%1];" : "=d"(found) : "r"(near + number * 8));
    return found;
  }
};

/// The element of a code.
template <bool Whole>
__device__ inline double decoded(const Dictionary<Whole>& dictionary, unsigned code) {
  const double magnitude = dictionary.magnitude(code & ~static_cast<unsigned>(sign_of_code));
  const int sign = static_cast<int>((code & sign_of_code) << 16);
  return __hiloint2double(__double2hiint(magnitude) ^ sign, __double2loint(magnitude));
}
template <bool Whole>
__device__ inline double decoded(const Dictionary<Whole>&, double element) {
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

/// How the threads of a kernel for K vectors are laid out.
template <int K_, int Share_, int Threads_, int Blocks_>
struct PackedShape {
  static constexpr int vectors = K_;
  static constexpr int share = Share_;               ///< lanes on a row
  static constexpr int width = K_ / Share_;          ///< vectors of a lane
  static constexpr int team = packed_rows * Share_;  ///< threads of a slice
  static constexpr int threads = Threads_;           ///< a block, at most
  static constexpr int blocks = Blocks_;  ///< for which a multiprocessor's registers must suffice
};

/// sum_j += the entries of a row of slice s times x(column, vector j of the lane); of its groups
/// every `parts`-th, from number `part` on, so that the parts of a slice read the same columns.
template <class S, class Groups, class Dictionary>
__device__ inline void add_groups(const Groups& m, const Dictionary& dictionary, Index s, int part,
                                  int parts, int r, const double* x, double (&sum)[S::width]) {
  using Group = LoadedGroup<typename Groups::Place, typename Groups::Element>;
  const Offset end = m.slice_offsets[s + 1];
  for (Offset g = m.slice_offsets[s] + part; g < end; g += parts) {
    const Group now(m, g, r);
    // All of X is asked for before the first of it is used.
    double from[packed_steps][S::width];
#pragma unroll
    for (int t = 0; t < packed_steps; ++t) {
      load_vectors<S::vectors, S::share>(x + static_cast<std::int64_t>(now.column(t)) * S::vectors,
                                         from[t]);
    }
#pragma unroll
    for (int t = 0; t < packed_steps; ++t) {
      const double element = decoded(dictionary, now.elements[t]);
      if (now.elements[t] == 0) continue;  // what padding read is another row's
#pragma unroll
      for (int j = 0; j < S::width; ++j) sum[j] += element * from[t][j];
    }
  }
}

/// sum_j := Σ of the sums of a slice's parts, `apart` threads from each other, in order, for the
/// first of them. `sums` may be the dictionary's place only when nobody looks up codes any more.
template <int Width>
__device__ inline void add_parts(double* sums, int parts, int apart, bool is_first,
                                 double (&sum)[Width]) {
  __syncthreads();
#pragma unroll
  for (int j = 0; j < Width; ++j) sums[j * blockDim.x + threadIdx.x] = sum[j];
  __syncthreads();
  if (!is_first) return;
  for (int p = 1; p < parts; ++p) {
#pragma unroll
    for (int j = 0; j < Width; ++j) sum[j] += sums[j * blockDim.x + threadIdx.x + p * apart];
  }
}

/// Y := α·groups·X + βY for packed X. A block has a run of neighbouring slices, an equal share of
/// the work, and copies the dictionary once. Its teams, of a warp or of several that share a slice,
/// take as many slices as they are in turn, so that those worked at once read neighbouring columns
/// of the same part of X. When fewer slices are to be worked at once than there are teams, or fewer
/// are left, several teams take parts of one.
template <class S, class Place, bool Whole>
__global__ void __launch_bounds__(S::threads, S::blocks)
    multiply_slices_kernel(DeviceSlices<Place> m, double alpha, const double* __restrict__ x,
                           double beta, double* __restrict__ y, int y_stride) {
  extern __shared__ double shared[];
  for (int i = static_cast<int>(threadIdx.x); i < m.in_shared; i += static_cast<int>(blockDim.x)) {
    shared[i] = m.dictionary[i];
  }
  __syncthreads();
  const Dictionary<Whole> dictionary(shared, m.in_shared, m.dictionary);
  const int teams = static_cast<int>(blockDim.x) / S::team;
  const int team = static_cast<int>(threadIdx.x) / S::team;
  const int r = static_cast<int>(threadIdx.x) % S::team / S::share;
  const int first_vector = static_cast<int>(threadIdx.x) % S::share * 2;
  const int at_once = min(teams, m.at_once);
  const Index end = m.end_of(blockIdx.x);
  for (Index first = m.end_of(blockIdx.x - 1); first < end; first += at_once) {
    const int slices = min(at_once, end - first);
    const int parts = teams / slices, part = team / slices;
    const Index s = first + team % slices;
    double sum[S::width] = {};
    if (part < parts) {
      add_groups<S>(m.coded, dictionary, s, part, parts, r, x + first_vector, sum);
      add_groups<S>(m.plain, dictionary, s, part, parts, r, x + first_vector, sum);
    }
    if (parts > 1) add_parts(shared + m.sums_behind, parts, slices * S::team, part == 0, sum);
    if (part > 0 || s * packed_rows + r >= m.rows) continue;
    double* row = y + std::int64_t{m.row_order[s * packed_rows + r]} * y_stride + first_vector;
#pragma unroll
    for (int j = 0; j < S::width; ++j) {
      double& to = row[of_lane<S::vectors, S::share>(j)];
      to = alpha * sum[j] + (beta == 0.0 ? 0.0 : beta * to);
    }
  }
}

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

/// Where the dictionary is not whole in shared memory a look-up takes more registers, and longer.
template <int K>
struct PartShape : Shape<K> {};
template <>
struct PartShape<1> : PackedShape<1, 1, 512, 3> {};

/// Threads of a block: whole teams.
template <class S>
int packed_threads(const Kernel& wanted) {
  return std::max(cuda::block_threads(wanted, S::threads) / S::team, 1) * S::team;
}

/// Whether all magnitudes find room in shared memory, as `chosen_in_shared` says.
template <class S, class Place>
bool holds_dictionary(const DeviceSlices<Place>& m, const Kernel& wanted) {
  const int threads = packed_threads<S>(wanted);
  const int sums = m.at_once < threads / S::team ? threads * S::width : 0;
  return chosen_in_shared(m.magnitudes, S::blocks * S::threads / threads, sums) == m.magnitudes;
}

template <class S, bool Whole, class Place>
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
  const auto kernel = multiply_slices_kernel<S, Place, Whole>;
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
      if (holds_dictionary<Shape<K>>(slices, kernel())) {
        launch_slices<Shape<K>, true>(slices, kernel(), alpha, x, beta, y);
      } else {
        launch_slices<PartShape<K>, false>(slices, kernel(), alpha, x, beta, y);
      }
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
