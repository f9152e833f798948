#include "formats/packed/convert_cuda.hpp"

#include <algorithm>
#include <vector>

#include "backends/cuda/check.hpp"
#include "formats/packed/dictionary.hpp"
#include "formats/packed/groups.cuh"
#include "formats/packed/plan.hpp"

// Two passes over the rows walk every slice (groups.cuh): the first counts its groups, the second
// stores them. Each pass first looks up the codes of all entries of a block, neighbouring threads
// those of neighbouring entries.
//
// Bytes of device memory that a pass moves for a nonzero: 8 for the search for NaN, 8 + 2 for the
// codes, 2 + 4 for the coded walk, 4 for clearing, setting and reading the byte taken, and 12 for
// each of the few entries left for the plain walk. The filling pass writes 4.5 more, which makes 28
// and 33. Over the bus each pass moves 12.
//
// Predictions for 1.08e9 nonzeros, coded_near, on an H200 (4.2 TB/s; 50 GB/s from pinned memory).
// At memory's speed the passes take 7 and 9 ms. They take about three times as long, because each
// lane has its own entries and a step waits for the slowest of 32 lanes: 0.05 s in all if the rows
// are made on the device. From the host 13.0 GB travel twice, 0.52 s; the kernels of the block
// before are hidden behind that. With 0.2 s for pinned memory and 0.05 s for the dictionary's
// sample the sum is 0.8 s.
//
// Measured (docs/results/end-to-end.md, packed-h200.md): 1.1 s from the host, and 0.29 s if the
// rows are made on the device, about 0.15 s of it in these kernels. Waiting for the slowest of 32
// lanes probably costs ten times memory's time, not three.

namespace cisolve {
namespace {

using namespace packed_groups;

constexpr int entry_threads = 256;

using Encoded = Encoder<>::Slot;

__device__ inline std::int64_t thread_number() {
  return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

__global__ void encode_kernel(const double* values, Offset count, const Encoded* slots,
                              std::size_t slot_count, std::uint16_t* codes) {
  for (Offset e = thread_number(); e < count; e += Offset{gridDim.x} * blockDim.x) {
    const auto bits = static_cast<std::uint64_t>(__double_as_longlong(values[e]));
    codes[e] = Encoder<>::code(slots, slot_count, bits);
  }
}

/// `first` := the smaller of it and the number of the first entry that is NaN.
__global__ void find_nan_kernel(const double* values, Offset count, Offset first_entry,
                                unsigned long long* first) {
  for (Offset e = thread_number(); e < count; e += Offset{gridDim.x} * blockDim.x) {
    if (isnan(values[e])) atomicMin(first, static_cast<unsigned long long>(first_entry + e));
  }
}

unsigned entry_blocks(Offset entries) {
  return static_cast<unsigned>(
      std::clamp<Offset>((entries + entry_threads - 1) / entry_threads, 1, 1 << 14));
}

template <class T>
void reserve(Buffer<T>& buffer, std::size_t count, Backend& backend) {
  if (buffer.size() >= count) return;
  buffer = {};  // released before the larger one is taken
  buffer = Buffer<T>(backend, count);
}

/// Passes over the rows of a matrix that is packed in the way of a plan.
class Passes {
 public:
  /// `row_order`: the plan's, on the device.
  Passes(RowSource& source, const PackedMatrix& plan, const Index* row_order, Backend& backend)
      : source_(source),
        backend_(backend),
        row_order_(row_order),
        first_nan_(Buffer<unsigned long long>::from_host(backend, std::vector{no_entry})) {
    if (!is_coded(plan.packing)) return;
    slots_ = Buffer<Encoded>::from_host(backend, Encoder<>(plan.dictionary).slots());
  }

  /// Calls f(block) for every block of rows; throws InputError behind the last where one held NaN.
  template <class F>
  void for_each_block(F f) {
    source_.for_each_block(packed_window, [&](const DeviceRows& rows) {
      if (rows.count > 0) f(prepared(rows));
    });
    require_numbers();
  }

 private:
  static constexpr unsigned long long no_entry = ~0ull;

  Block prepared(const DeviceRows& rows) {
    const Array<Offset>& offsets = source_.row_offsets();
    const Offset first = offsets[rows.first], entries = offsets[rows.first + rows.count] - first;
    const auto slices =
        static_cast<Index>((std::int64_t{rows.count} + packed_rows - 1) / packed_rows);
    reserve(taken_, std::max<Offset>(entries, 1), backend_);
    if (slots_.size() > 0) reserve(codes_, std::max<Offset>(entries, 1), backend_);
    const unsigned blocks = entry_blocks(entries);
    check_cuda(cudaMemsetAsync(taken_.data(), 0, entries), "clearing memory");
    find_nan_kernel<<<blocks, entry_threads>>>(rows.values, entries, first, first_nan_.data());
    check_launch("search for NaN");
    if (slots_.size() > 0) {
      encode_kernel<<<blocks, entry_threads>>>(rows.values, entries, slots_.data(), slots_.size(),
                                               codes_.data());
      check_launch("packed codes");
    }
    return {rows,          entries,      rows.first / packed_rows, slices, row_order_,
            codes_.data(), taken_.data()};
  }

  void require_numbers() {
    unsigned long long found = no_entry;
    backend_.download_bytes(first_nan_.data(), &found, sizeof found);
    if (found == no_entry) return;
    const auto entry = static_cast<Offset>(found);
    const Array<Offset>& offsets = source_.row_offsets();
    const auto behind = std::upper_bound(offsets.begin(), offsets.end(), entry) - offsets.begin();
    const auto row = static_cast<Index>(behind - 1);
    const CsrMatrix whole = source_.some_rows({&row, 1});
    throw not_a_number(source_.first_row() + row, whole.column_indices[entry - offsets[row]]);
  }

  RowSource& source_;
  Backend& backend_;
  const Index* row_order_;
  Buffer<unsigned long long> first_nan_;
  Buffer<Encoded> slots_;  ///< of the dictionary's table; none where nothing is coded
  Buffer<std::uint16_t> codes_;
  Buffer<std::uint8_t> taken_;
};

unsigned slice_blocks(const Block& block) {
  constexpr int warps = slice_threads / lanes;
  return static_cast<unsigned>((block.slices + warps - 1) / warps);
}

void count(const Block& block, Packing packing, const Counts& counts) {
  const unsigned blocks = slice_blocks(block);
  if (packing == Packing::coded_far) {
    count_kernel<Index><<<blocks, slice_threads>>>(block, counts);
  } else {
    count_kernel<std::uint16_t><<<blocks, slice_threads>>>(block, counts);
  }
  check_launch("packed counts");
}

void download(const Buffer<Offset>& from, Array<Offset>& to, Backend& backend) {
  backend.download_bytes(from.data(), to.data(), to.size() * sizeof(Offset));
}

PackedMatrix plan(RowSource& source, Packing packing, const Array<double>& dictionary,
                  Backend& backend) {
  PackedMatrix m = uncounted_plan(source.row_offsets(), source.columns(), packing, dictionary);
  if (packing == Packing::none) return m;
  const auto row_order = Buffer<Index>::from_host(backend, m.row_order);
  Buffer<Offset> coded(backend, m.slice_offsets.size());
  Buffer<Offset> plain(backend, m.plain_slice_offsets.size());
  Buffer<Offset> expansion(backend, m.expansion_offsets.size());
  const Counts counts{coded.data(), plain.data(), expansion.data()};
  Passes(source, m, row_order.data(), backend).for_each_block([&](const Block& block) {
    count(block, packing, counts);
  });
  download(coded, m.slice_offsets, backend);
  download(plain, m.plain_slice_offsets, backend);
  download(expansion, m.expansion_offsets, backend);
  sum_counts(m);
  return m;
}

Array<double> dictionary_of(const RowSource& source) {
  return frequent_magnitudes(source.some_rows(drawn_rows(source.rows(), source.nonzeros())).values);
}

/// The arrays of a plan: its offsets, and memory for the rest.
DevicePacked allocated(const PackedMatrix& plan, Backend& backend) {
  const auto coded = static_cast<std::size_t>(plan.coded_groups());
  const auto plain = static_cast<std::size_t>(plan.plain_groups());
  const auto expansion = static_cast<std::size_t>(plan.expansion());
  const bool far = plan.packing == Packing::coded_far;
  DevicePacked m;
  m.row_order = Buffer<Index>::from_host(backend, plan.row_order);
  m.slice_offsets = Buffer<Offset>::from_host(backend, plan.slice_offsets);
  if (far) {
    m.column_indices = Buffer<Index>(backend, coded * packed_group);
  } else {
    m.bases = Buffer<Index>(backend, coded * packed_steps);
    m.column_offsets = Buffer<std::uint16_t>(backend, coded * packed_group);
  }
  m.codes = Buffer<std::uint16_t>(backend, coded * packed_group);
  m.dictionary = Buffer<double>::from_host(backend, plan.dictionary);
  m.plain_slice_offsets = Buffer<Offset>::from_host(backend, plan.plain_slice_offsets);
  m.plain_bases = Buffer<Index>(backend, plain * packed_steps);
  m.plain_column_offsets = Buffer<std::uint16_t>(backend, plain * packed_group);
  m.plain_values = Buffer<double>(backend, plain * packed_group);
  m.expansion_offsets = Buffer<Offset>::from_host(backend, plan.expansion_offsets);
  m.expansion_columns = Buffer<Index>(backend, expansion);
  m.expansion_values = Buffer<double>(backend, expansion);
  return m;
}

template <class Place>
Stored<Place> stored(DevicePacked& m, Place* places) {
  return {{m.slice_offsets.data(), m.bases.data(), places, m.codes.data()},
          {m.plain_slice_offsets.data(), m.plain_bases.data(), m.plain_column_offsets.data(),
           m.plain_values.data()},
          m.expansion_offsets.data(),
          m.expansion_columns.data(),
          m.expansion_values.data()};
}

/// The rows as they are, to the end of the expansion, where `none` has all of them.
void copy_rows(const Block& block, Offset first, DevicePacked& m) {
  check_cuda(cudaMemcpyAsync(m.expansion_columns.data() + first, block.rows.column_indices,
                             block.entries * sizeof(Index), cudaMemcpyDeviceToDevice),
             "copying rows");
  check_cuda(cudaMemcpyAsync(m.expansion_values.data() + first, block.rows.values,
                             block.entries * sizeof(double), cudaMemcpyDeviceToDevice),
             "copying rows");
}

void fill(const Block& block, Packing packing, DevicePacked& m) {
  const unsigned blocks = slice_blocks(block);
  if (packing == Packing::coded_far) {
    fill_kernel<<<blocks, slice_threads>>>(block, stored(m, m.column_indices.data()));
  } else {
    fill_kernel<<<blocks, slice_threads>>>(block, stored(m, m.column_offsets.data()));
  }
  check_launch("packed groups");
}

}  // namespace

PackedMatrix plan_packed(RowSource& source, Packing packing, Backend& backend) {
  return plan(source, packing, is_coded(packing) ? dictionary_of(source) : Array<double>(),
              backend);
}

PackedMatrix plan_packed(RowSource& source, Backend& backend) {
  const Array<double> dictionary = dictionary_of(source);
  return plan_of_fewest_bytes(source.rows(), source.nonzeros(), [&](Packing packing) {
    return plan(source, packing, dictionary, backend);
  });
}

DevicePacked pack_on_device(RowSource& source, const PackedMatrix& plan, Backend& backend) {
  DevicePacked m = allocated(plan, backend);
  Passes(source, plan, m.row_order.data(), backend).for_each_block([&](const Block& block) {
    if (plan.packing == Packing::none) {
      copy_rows(block, source.row_offsets()[block.rows.first], m);
    } else {
      fill(block, plan.packing, m);
    }
  });
  return m;
}

}  // namespace cisolve
