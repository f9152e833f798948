#pragma once

#include <cstdint>

namespace cisolve {

/// As many numbers as a register of the instruction set that is compiled for holds.
#if defined(__AVX512F__)
typedef double Packet __attribute__((vector_size(64)));
#elif defined(__AVX__)
typedef double Packet __attribute__((vector_size(32)));
#else
typedef double Packet __attribute__((vector_size(16)));
#endif
/// From and to where no packet need begin.
inline Packet packet_at(const double* from) {
  Packet packet;
  __builtin_memcpy(&packet, from, sizeof packet);
  return packet;
}
inline void store(const Packet& packet, double* to) {
  __builtin_memcpy(to, &packet, sizeof packet);
}
inline constexpr int packet_columns = sizeof(Packet) / sizeof(double);
/// Three packets and sums of four rows, with a factor and a row's packets beside them, fill the 16
/// registers there are.
inline constexpr int packets = 3;
inline constexpr int rows_together = 4;
/// Columns that are made at a time: `combine_rows` reads and writes whole ones.
inline constexpr int combined_columns = packets * packet_columns;

inline constexpr std::int64_t whole_blocks(std::int64_t columns) {
  return (columns + combined_columns - 1) / combined_columns * combined_columns;
}

/// `weights` of combine_rows: those of 4 rows t side by side for i = 0 … k − 1, one set behind
/// another, zeros for rows that fill up the last set.
class PackedWeights {
 public:
  /// Room for k × pairs.
  PackedWeights(double* memory, int k, int pairs) : memory_(memory), k_(k), pairs_(pairs) {}
  static std::int64_t size(int k, int pairs) { return std::int64_t{k} * whole_rows(pairs); }
  /// Rows of G with those that fill up the last set.
  static int whole_rows(int pairs) {
    return (pairs + rows_together - 1) / rows_together * rows_together;
  }
  /// Weight of row i in row t is f(t).
  template <class F>
  void set(int i, F f) {
    double* to = memory_ + i * rows_together;
    int t = 0;
    for (; t + rows_together <= pairs_; t += rows_together, to += k_ * rows_together) {
      for (int s = 0; s < rows_together; ++s) to[s] = f(t + s);
    }
    if (t == pairs_) return;
    for (int s = 0; s < rows_together; ++s) to[s] = t + s < pairs_ ? f(t + s) : 0.0;
  }
  int k() const { return k_; }
  int pairs() const { return pairs_; }
  const double* set_of(int t) const { return memory_ + t * std::int64_t{k_}; }

 private:
  double* memory_;
  int k_, pairs_;
};

/// G_t := Σ_i weights_it rows_i, or with `add` G_t += it, for the set t … t + 3 at g[0] … g[3]: a
/// product of matrices, the second given by its rows. Columns are made in blocks of
/// `combined_columns`: as much must be readable behind the end of a row, and writable. Blocks for
/// which wanted(number) is false are left out.
template <bool add = false, class Wanted>
void combine_rows(const double* const* rows, std::int64_t columns, const PackedWeights& weights,
                  int t, double* const* g, Wanted wanted) {
  const int k = weights.k();
  for (std::int64_t b = 0; b < columns; b += combined_columns) {
    if (!wanted(b / combined_columns)) continue;
    const double* weight = weights.set_of(t);
    // Unrolled, so that the sums are registers from beginning to end.
    Packet sum[rows_together][packets];
#pragma GCC unroll 4
    for (int s = 0; s < rows_together; ++s) {
#pragma GCC unroll 3
      for (int j = 0; j < packets; ++j) {
        sum[s][j] = add ? packet_at(g[s] + b + j * packet_columns) : Packet{};
      }
    }
    for (int i = 0; i < k; ++i, weight += rows_together) {
      const double* const from = rows[i] + b;
      Packet row[packets];
#pragma GCC unroll 3
      for (int j = 0; j < packets; ++j) row[j] = packet_at(from + j * packet_columns);
#pragma GCC unroll 4
      for (int s = 0; s < rows_together; ++s) {
#pragma GCC unroll 3
        for (int j = 0; j < packets; ++j) sum[s][j] += weight[s] * row[j];
      }
    }
#pragma GCC unroll 4
    for (int s = 0; s < rows_together; ++s) {
#pragma GCC unroll 3
      for (int j = 0; j < packets; ++j) store(sum[s][j], g[s] + b + j * packet_columns);
    }
  }
}

}  // namespace cisolve
