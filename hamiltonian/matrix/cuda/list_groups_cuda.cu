#include "hamiltonian/matrix/cuda/list_groups_cuda.hpp"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include <bit>
#include <limits>
#include <utility>

#include "backends/cuda/check.hpp"
#include "backends/cuda/warp.cuh"
#include "core/error.hpp"

namespace cisolve::list_groups {
namespace {

/// Numbers of remainders and entries.
using Number = std::uint32_t;
using Key = std::uint64_t;

__device__ Index side_key(const Side& side, Index row, int e) {
  const Index string = side.string_of[row];
  return side.remainders == nullptr ? string
                                    : side.remainders[std::int64_t{string} * side.each + e];
}

__global__ void make_keys(Sides sides, Number count, Key* keys, Number* numbers) {
  const Number i = blockIdx.x * block_threads + threadIdx.x;
  if (i >= count) return;
  const auto each = static_cast<Number>(sides.each());
  const auto row = static_cast<Index>(i / each);
  const int e = static_cast<int>(i % each);
  keys[i] = static_cast<Key>(side_key(sides.alpha, row, e / sides.beta.each)) * sides.beta.count +
            side_key(sides.beta, row, e % sides.beta.each);
  numbers[i] = i;
}

__device__ bool begins(const Key* keys, Number i) {
  return i == 0 || keys[i] != keys[i - 1];
}
/// True if other keys equal a sorted one.
__device__ bool is_shared(const Key* keys, Number i, Number count) {
  return !(begins(keys, i) && (i + 1 == count || begins(keys, i + 1)));
}

/// Marks of every sorted key: in the high half whether it is shared, else whether it begins a
/// group.
__global__ void mark(const Key* keys, Number count, Key* marks) {
  const Number i = blockIdx.x * block_threads + threadIdx.x;
  if (i >= count) return;
  const Key shared = is_shared(keys, i, count) ? 1 : 0;
  marks[i] = shared << 32 | (begins(keys, i) ? shared : 0);
}

/// `before`: sums of the marks before each key.
__global__ void fill(const Key* keys, const Number* numbers, const Key* before, Number count,
                     Index* group_of, Number* begin, Number* members) {
  const Number i = blockIdx.x * block_threads + threadIdx.x;
  if (i >= count) return;
  const Number number = numbers[i];
  if (!is_shared(keys, i, count)) {
    group_of[number] = -1;
    return;
  }
  const auto place = static_cast<Number>(before[i] >> 32);
  auto group = static_cast<Number>(before[i]);
  if (begins(keys, i)) {
    begin[group] = place;
  } else {
    --group;
  }
  group_of[number] = static_cast<Index>(group);
  members[place] = number;
}

/// Two arrays that a sort goes between.
template <class T>
struct Pair {
  Pair(Backend& backend, std::size_t count) : one(backend, count), two(backend, count) {}
  cub::DoubleBuffer<T> view() { return {one.data(), two.data()}; }
  Buffer<T> one, two;
};

/// Runs a function of CUB's with the memory that it asks for.
template <class F>
void with_memory(Backend& backend, const char* what, F f) {
  std::size_t bytes = 0;
  check_cuda(f(nullptr, bytes), what);
  Buffer<std::uint8_t> memory(backend, bytes);
  check_cuda(f(memory.data(), bytes), what);
  backend.synchronize();  // before it is released
}

}  // namespace

Groups make_groups(const Sides& sides, Index rows, Backend& backend) {
  const std::uint64_t all = static_cast<std::uint64_t>(rows) * sides.each();
  Groups made;
  if (all == 0) return made;
  if (all > std::numeric_limits<Number>::max()) {
    throw ResourceError("a list of " + std::to_string(rows) + " determinants with " +
                        std::to_string(sides.each()) +
                        " remainders each; a GPU groups 4294967295 at most");
  }
  const auto count = static_cast<Number>(all);
  const unsigned blocks = blocks_of(count);
  Pair<Key> key_memory(backend, count);
  Pair<Number> number_memory(backend, count);
  cub::DoubleBuffer<Key> keys = key_memory.view();
  cub::DoubleBuffer<Number> numbers = number_memory.view();
  make_keys<<<blocks, block_threads>>>(sides, count, keys.Current(), numbers.Current());
  check_launch("remainders of determinants");
  const Key highest = static_cast<Key>(sides.alpha.count) * sides.beta.count;
  with_memory(backend, "sorting remainders", [&](void* memory, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(memory, bytes, keys, numbers, count, 0,
                                           std::max(1, static_cast<int>(std::bit_width(highest))));
  });
  Key* const marks = keys.Alternate();
  mark<<<blocks, block_threads>>>(keys.Current(), count, marks);
  check_launch("groups of determinants");
  Key last = 0, before_last = 0;
  backend.download_bytes(marks + count - 1, &last, sizeof last);
  with_memory(backend, "numbering groups", [&](void* memory, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(memory, bytes, marks, marks, count);
  });
  backend.download_bytes(marks + count - 1, &before_last, sizeof before_last);
  const Key sums = before_last + last;
  const auto members = static_cast<Number>(sums >> 32), groups = static_cast<Number>(sums);
  made.group_of = Buffer<Index>(backend, count);
  made.begin = Buffer<Number>(backend, groups + std::size_t{1});
  made.members = Buffer<Number>(backend, std::max<Number>(members, 1));
  backend.upload_bytes(&members, made.begin.data() + groups, sizeof members);
  fill<<<blocks, block_threads>>>(keys.Current(), numbers.Current(), marks, count,
                                  made.group_of.data(), made.begin.data(), made.members.data());
  check_launch("groups of determinants");
  backend.synchronize();
  return made;
}

}  // namespace cisolve::list_groups
