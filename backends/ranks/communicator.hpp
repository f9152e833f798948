#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace cisolve {

/// The ranks that work on one problem: processes, of MPI or of one host, or threads of a test; one
/// rank by default, which costs nothing. All ranks call the same functions in the same order, but
/// for `rank` and `size`. Pointers are to host memory.
///
/// Rank 0 decides what a clock or a user decides (`of_first`), and sums are added in the order of
/// ranks: every rank goes on with the same bits.
class Communicator {
 public:
  Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  virtual ~Communicator() = default;

  virtual int rank() const { return 0; }
  virtual int size() const { return 1; }
  bool alone() const { return size() == 1; }
  bool first() const { return rank() == 0; }
  /// Ranks on this host, this one among them, and this one's number there.
  virtual int local_size() const { return size(); }
  virtual int local_rank() const { return rank(); }
  /// True if all ranks see the same memory where they make some (SharedMemory::of).
  virtual bool has_common_memory() const { return false; }
  /// For people: "one process", "3 ranks of Open MPI".
  virtual std::string description() const { return "one process"; }

  /// `all` := what the ranks have, one behind another by rank: bytes[r] of rank r. They do not
  /// overlap.
  void all_gather(const void* mine, void* all, std::span<const std::size_t> bytes);
  /// `data` := that rank's.
  void broadcast(void* data, std::size_t bytes, int from = 0);
  void barrier();

  /// Rank 0's value.
  template <class T>
  T of_first(T value) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (!alone()) broadcast(&value, sizeof(T));
    return value;
  }
  /// The ranks' values, by rank.
  template <class T>
  std::vector<T> gather(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<T> all(size(), value);
    if (!alone()) all_gather(&value, all.data(), std::vector<std::size_t>(size(), sizeof(T)));
    return all;
  }
  /// The ranks' arrays, one behind another by rank.
  template <class T>
  std::vector<T> gather(std::span<const T> mine) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<std::size_t> bytes = gather(mine.size_bytes());
    std::size_t total = 0;
    for (const std::size_t b : bytes) total += b;
    std::vector<T> all(total / sizeof(T));
    all_gather(mine.data(), all.data(), bytes);
    return all;
  }
  /// x_i := Σ x_i of the ranks, added by rank.
  void sum(std::span<double> x);
  /// True if it is so on every rank.
  bool all(bool mine);
  /// Sum of the lower ranks' values.
  std::int64_t sum_before(std::int64_t mine);
  std::int64_t total(std::int64_t mine);

  /// Exchanges in which this rank has taken part.
  struct Traffic {
    double seconds = 0.0;        ///< waiting for others included; not of exchanges between devices
    std::int64_t exchanges = 0;  ///< calls that had something to wait for
    std::int64_t bytes = 0;      ///< that have come from others
  };
  const Traffic& traffic() const { return traffic_; }
  /// An exchange past this one, between devices, that nothing waits for; of so many bytes that
  /// come.
  void note_exchange(std::size_t bytes) {
    ++traffic_.exchanges;
    traffic_.bytes += static_cast<std::int64_t>(bytes);
  }

 private:
  virtual void do_all_gather(const void* mine, void* all, std::span<const std::size_t> bytes);
  virtual void do_broadcast(void* data, std::size_t bytes, int from);
  virtual void do_barrier() {}

  template <class Exchange>
  void count(std::size_t bytes, const Exchange& exchange);

  Traffic traffic_;
  std::vector<double> gathered_;  ///< of `sum`
};

/// One rank.
Communicator& one_rank();  // as backends/backend.hpp has it

}  // namespace cisolve
