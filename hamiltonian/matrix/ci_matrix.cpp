#include "hamiltonian/matrix/ci_matrix.hpp"

#include <algorithm>
#include <mutex>
#include <numeric>

#include "core/parallel.hpp"
#include "core/timer.hpp"
#include "hamiltonian/matrix/ci_tables.hpp"
#include "hamiltonian/matrix/row_sinks.hpp"

namespace cisolve {
namespace {

/// An alpha string a' that the rows of a block reach, with a range of its beta strings; with all of
/// them where a' is the block's own.
struct Target {
  enum Kind : std::int8_t { itself, single_excitation, double_excitation } kind;
  bool holds_beta;    ///< the range holds the block's beta strings b, so (a', b) is a determinant
  std::int16_t sign;  ///< of a single excitation p q
  Index range;        ///< its number
  Index column;       ///< determinant (a', b) of the range has number column + b
  double value;       ///< see Neighbour
  const double* row;  ///< (pq|rs) for all rs
};

/// What the rows of a block share.
struct BlockTerms {
  std::vector<Target> targets;  ///< by ascending alpha string
  std::vector<double> coulomb;  ///< Σ_{i in a} (ii|rs) for all rs
  std::vector<int> beta_pairs;  ///< pair_index(j, j) of the row's beta electrons

  void set_beta(const OrbitalString& electrons) {
    beta_pairs.clear();
    for (const int j : electrons) beta_pairs.push_back(pair_index(j, j));
  }
};

/// Rows by the tables, of the whole matrix or of its upper triangle.
struct CiRows {
  BlockTerms terms(const RowBlock& block) const;
  std::vector<double> coulomb(Index a) const;
  double energy(Index a, Index b, const BlockTerms& shared) const;
  /// Rows of a block: alpha targets ascend, and with each its beta strings, so columns ascend.
  template <class Emit>
  void walk(const RowBlock& block, Emit& emit) const;
  template <class Emit>
  void alpha_kept(const RowBlock& block, const BlockTerms& shared, Index b, Emit& emit) const;
  template <class Emit>
  void alpha_excited(const Target& target, const BlockTerms& shared, Index b, Emit& emit) const;

  const CiTables& tables;
  Storage storage;
  const CiSpace& space = tables.space;
};

std::vector<double> CiRows::coulomb(Index a) const {
  const TwoElectron& mixed = tables.mixed;
  std::vector<double> result(mixed.pairs(), 0.0);
  for (const int i : space.alpha.strings[a]) {
    const double* row = mixed.row(pair_index(i, i));
    for (int rs = 0; rs < mixed.pairs(); ++rs) result[rs] += row[rs];
  }
  return result;
}

BlockTerms CiRows::terms(const RowBlock& block) const {
  const Index a = block.alpha_string;
  BlockTerms result;
  result.coulomb = coulomb(a);
  const int beta_group = space.beta.group_of[block.first];
  const auto append_itself = [&] {
    result.targets.push_back({Target::itself, true, 0, 0, 0, 0.0, nullptr});
  };
  bool passed = false;
  for (const Neighbour& n : tables.excitations[alpha]->neighbours(a)) {
    // Determinants of a lower alpha string are all below the diagonal.
    if (storage == Storage::upper && n.target < a) continue;
    if (!passed && n.target > a) {
      append_itself();
      passed = true;
    }
    const bool single = n.sign != 0;
    const BetaStrings betas = space.betas(n.target);
    Index number = space.first_range(space.alpha.group_of[n.target]);
    for (const BetaRange& range : betas.ranges()) {
      const bool holds_beta = range.holds(block.first);
      if (holds_beta || (single && tables.reaches(beta_group, number))) {
        result.targets.push_back({single ? Target::single_excitation : Target::double_excitation,
                                  holds_beta, n.sign, number,
                                  static_cast<Index>(betas.first_column(range)), n.value,
                                  single ? tables.mixed.row(n.pair) : nullptr});
      }
      ++number;
    }
  }
  if (!passed) append_itself();
  return result;
}

template <class Emit>
void CiRows::walk(const RowBlock& block, Emit& emit) const {
  BlockTerms shared = terms(block);
  Index row = tables.first_row(block);
  for (Index b = block.first; b < block.last; ++b, ++row) {
    shared.set_beta(space.beta.strings[b]);
    emit.begin_row(row);
    for (const Target& target : shared.targets) {
      switch (target.kind) {
        case Target::itself:
          alpha_kept(block, shared, b, emit);
          break;
        case Target::single_excitation:
          alpha_excited(target, shared, b, emit);
          break;
        case Target::double_excitation:
          emit.add(target.column + b, target.value);
          break;
      }
    }
    emit.end_row(row);
  }
}

/// The diagonal: H = E_core + E_a + E_b + Σ_{i in a, j in b} (ii|jj).
double CiRows::energy(Index a, Index b, const BlockTerms& shared) const {
  const auto& excitations = tables.excitations;
  double energy =
      tables.core_energy + (excitations[alpha]->energy(a) + excitations[beta]->energy(b));
  for (const int jj : shared.beta_pairs) energy += shared.coulomb[jj];
  return energy;
}

/// The alpha string stays: beside the diagonal H = value + sign · Σ_{i in a} (ii|rs).
template <class Emit>
void CiRows::alpha_kept(const RowBlock& block, const BlockTerms& shared, Index b,
                        Emit& emit) const {
  const auto all = tables.excitations[beta]->neighbours(b);
  const auto position = [&](Index target) {
    return std::lower_bound(all.begin(), all.end(), target,
                            [](const Neighbour& n, Index wanted) { return n.target < wanted; });
  };
  const BetaStrings betas = space.betas(block.alpha_string);
  for (const BetaRange& range : betas.ranges()) {
    const auto column = static_cast<Index>(betas.first_column(range));
    const auto emit_range = [&](auto from, auto to) {
      for (auto n = from; n != to; ++n) {
        emit.add(column + n->target, n->element(shared.coulomb[n->pair]));
      }
    };
    if (storage == Storage::upper && range.last <= b) continue;
    const auto first = position(range.first), last = position(range.last);
    if (!range.holds(b)) {
      emit_range(first, last);
      continue;
    }
    const auto middle = position(b);
    if (storage == Storage::full) emit_range(first, middle);
    emit.add_diagonal(column + b, energy(block.alpha_string, b, shared));
    emit_range(middle, last);
  }
}

/// The alpha string changes by q → p: H = value + sign · Σ_{j in b} (pq|jj) when the beta string
/// stays, sign · sign_rs · (pq|rs) when it changes by s → r.
template <class Emit>
void CiRows::alpha_excited(const Target& target, const BlockTerms& shared, Index b,
                           Emit& emit) const {
  const SingleExcitation* singles = tables.excitations[beta]->singles(b).data();
  const SinglesRange range = tables.ranges[std::size_t(b) * space.ranges() + target.range];
  const auto emit_range = [&](int from, int to) {
    for (int k = from; k < to; ++k) {
      const SingleExcitation& single = singles[k];
      emit.add(target.column + single.target,
               (target.sign * single.sign) * target.row[single.pair]);
    }
  };
  emit_range(range.first, range.middle);
  if (target.holds_beta) {
    double field = 0;
    for (const int jj : shared.beta_pairs) field += target.row[jj];
    emit.add(target.column + b, target.value + target.sign * field);
  }
  emit_range(range.middle, range.last);
}

/// Steps of which so many visit all of a ring's blocks, the first few already spread over it: the
/// golden section of them, where it has no divisor in common with them.
std::size_t spread_step(std::size_t blocks) {
  auto step = std::max<std::size_t>(1, static_cast<std::size_t>(0.618 * blocks));
  while (std::gcd(step, blocks) > 1) ++step;
  return step;
}

/// What all threads have counted.
class Counted {
 public:
  explicit Counted(const CountWatch& watch) : watch_(watch) {}

  void add(const CountedRows& block) {
    const std::lock_guard lock(mutex_);
    sum_.rows += block.rows;
    sum_.entries += block.entries;
    if (timer_.seconds() < told_ + watch_.interval) return;
    told_ = timer_.seconds();
    watch_.tell(sum_);
  }

 private:
  const CountWatch& watch_;
  std::mutex mutex_;
  CountedRows sum_;
  Timer timer_;
  double told_ = 0.0;
};

}  // namespace

CiMatrixBuilder::CiMatrixBuilder(const Integrals& integrals, const CiSpace& space, Storage storage)
    : tables_(std::make_unique<const CiTables>(integrals, space)), storage_(storage) {}

CiMatrixBuilder::~CiMatrixBuilder() = default;

Array<Offset> CiMatrixBuilder::count(const CountWatch& watch) const {
  return count(watch, 0, static_cast<Index>(tables_->space.size()));
}

Array<Offset> CiMatrixBuilder::count(const CountWatch& watch, Index first_row,
                                     Index last_row) const {
  const CiRows rows{*tables_, storage_};
  const std::vector<RowBlock> blocks = tables_->blocks_of(first_row, last_row);
  Array<Offset> row_offsets(static_cast<std::size_t>(last_row - first_row) + 1);
  row_offsets[0] = 0;
  const std::size_t step = spread_step(blocks.size());
  Counted counted(watch);
  FirstException exception;
#pragma omp parallel if (worth_threads(50.0 * (last_row - first_row)))
  {
    Counter counter(row_offsets, first_row);
#pragma omp for schedule(dynamic)
    for (std::size_t k = 0; k < blocks.size(); ++k) {
      exception.guard([&] {
        const RowBlock& block = blocks[k * step % blocks.size()];
        rows.walk(block, counter);
        if (!watch.tell) return;
        const Index size = block.last - block.first;
        const Offset* lengths = &row_offsets[tables_->first_row(block) - first_row + 1];
        counted.add({size, std::accumulate(lengths, lengths + size, Offset{0})});
      });
    }
  }
  exception.rethrow();
  std::partial_sum(row_offsets.begin(), row_offsets.end(), row_offsets.begin());
  return row_offsets;
}

CsrMatrix CiMatrixBuilder::fill(Array<Offset> row_offsets, Index first) const {
  const CiRows rows{*tables_, storage_};
  CsrMatrix matrix;
  matrix.storage = storage_;
  matrix.rows = static_cast<Index>(row_offsets.size() - 1);
  matrix.columns = static_cast<Index>(tables_->space.size());
  const std::vector<RowBlock> blocks = tables_->blocks_of(first, first + matrix.rows);
  matrix.row_offsets = std::move(row_offsets);
  matrix.column_indices = Array<Index>(static_cast<std::size_t>(matrix.nonzeros()));
  matrix.values = Array<double>(static_cast<std::size_t>(matrix.nonzeros()));
  FirstException exception;
#pragma omp parallel if (worth_threads(matrix.nonzeros()))
  {
    Writer writer(matrix, first);
#pragma omp for schedule(dynamic)
    for (std::size_t k = 0; k < blocks.size(); ++k) {
      exception.guard([&] { rows.walk(blocks[k], writer); });
    }
  }
  exception.rethrow();
  return matrix;
}

CsrMatrix CiMatrixBuilder::some_rows(std::span<const Index> wanted) const {
  const CiRows rows{*tables_, storage_};
  std::vector<Collector> found(wanted.size());
  FirstException exception;
#pragma omp parallel for if (worth_threads(1000.0 * wanted.size())) schedule(dynamic)
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    exception.guard([&] { rows.walk(tables_->block_of(wanted[k]), found[k]); });
  }
  exception.rethrow();
  CsrMatrix matrix;
  matrix.storage = storage_;
  matrix.rows = static_cast<Index>(wanted.size());
  matrix.columns = static_cast<Index>(tables_->space.size());
  matrix.row_offsets.push_back(0);
  for (const Collector& row : found) {
    matrix.column_indices.insert(matrix.column_indices.end(), row.columns.begin(),
                                 row.columns.end());
    matrix.values.insert(matrix.values.end(), row.values.begin(), row.values.end());
    matrix.row_offsets.push_back(static_cast<Offset>(matrix.values.size()));
  }
  return matrix;
}

std::vector<double> CiMatrixBuilder::diagonal() const {
  return diagonal(0, static_cast<Index>(tables_->space.size()));
}

std::vector<double> CiMatrixBuilder::diagonal(Index first_row, Index last_row) const {
  const CiRows rows{*tables_, storage_};
  const std::vector<RowBlock> blocks = tables_->blocks_of(first_row, last_row);
  std::vector<double> result(static_cast<std::size_t>(last_row - first_row));
  FirstException exception;
#pragma omp parallel for if (worth_threads(50.0 * result.size())) schedule(dynamic)
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    exception.guard([&] {
      const auto [a, first, last] = blocks[k];
      Index row = tables_->first_row(blocks[k]) - first_row;
      BlockTerms shared;
      shared.coulomb = rows.coulomb(a);
      for (Index b = first; b < last; ++b, ++row) {
        shared.set_beta(tables_->space.beta.strings[b]);
        result[row] = rows.energy(a, b, shared);
      }
    });
  }
  exception.rethrow();
  return result;
}

std::size_t CiMatrixBuilder::table_bytes() const {
  return tables_->bytes();
}

}  // namespace cisolve
