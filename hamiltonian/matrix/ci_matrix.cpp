#include "hamiltonian/matrix/ci_matrix.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "core/threads/parallel.hpp"
#include "hamiltonian/matrix/ci_tables.hpp"
#include "hamiltonian/matrix/count_progress.hpp"
#include "hamiltonian/matrix/row_sinks.hpp"

namespace cisolve {
namespace {

/// Determinants of an alpha string a' that the rows of a block reach; of the block's own string
/// all.
struct Target {
  enum Kind : std::int8_t { itself, single_excitation, double_excitation } kind = itself;
  std::int16_t sign = 0;  ///< of a single excitation p q
  RangeLists::Part part = {};
  double value = 0.0;           ///< see Neighbour
  const double* row = nullptr;  ///< (pq|rs) for all rs
};

/// Terms that the rows of a block share.
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
  using Terms = BlockTerms;

  Terms terms(const RowBlock& block) const;
  std::vector<double> coulomb(Index a) const;
  double energy(Index a, Index b, const Terms& shared) const;
  /// Calls visit(b, row) for the rows of a block, beta electrons in `shared`.
  template <class Visit>
  void for_each_row(const RowBlock& block, Terms& shared, Visit visit) const;
  /// Rows of a block: alpha targets ascend, and with each its beta strings, so columns ascend.
  template <class Emit>
  void walk(const RowBlock& block, Emit& emit) const;
  /// Their diagonal elements: emit(row, energy).
  template <class Emit>
  void energies(const RowBlock& block, Emit emit) const;
  Index size() const { return static_cast<Index>(space.size()); }
  std::vector<RowBlock> blocks_of(Index first, Index last) const {
    return tables.blocks_of(first, last);
  }
  RowBlock block_of(Index row) const { return tables.block_of(row); }

  template <class Emit>
  void alpha_kept(Index a, AlphaMember at, const Terms& shared, Emit& emit) const;
  template <class Emit>
  void alpha_excited(const Target& target, Index b, const Terms& shared, Emit& emit) const;

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
  const Index a = block.alpha_string, b = (*space.determinants_of(a).at(block.first)).beta;
  Terms result;
  result.coulomb = coulomb(a);
  bool passed = false;
  for (const Neighbour& n : tables.excitations[alpha]->neighbours(a)) {
    // Determinants of a lower alpha string are all below the diagonal.
    if (storage == Storage::upper && n.target < a) continue;
    if (!passed && n.target > a) {
      result.targets.push_back({});
      passed = true;
    }
    const bool single = n.sign != 0;
    const auto kind = single ? Target::single_excitation : Target::double_excitation;
    const double* const row = single ? tables.mixed.row(n.pair) : nullptr;
    tables.beta_singles.for_each_part(n.target, b, single, [&](const auto& part) {
      result.targets.push_back({kind, n.sign, part, n.value, row});
    });
  }
  if (!passed) result.targets.push_back({});
  return result;
}

template <class Visit>
void CiRows::for_each_row(const RowBlock& block, Terms& shared, Visit visit) const {
  auto at = space.determinants_of(block.alpha_string).at(block.first);
  for (Index row = block.first; row < block.last; ++row, ++at) {
    shared.set_beta(space.beta.strings[(*at).beta]);
    visit(*at);
  }
}

template <class Emit>
void CiRows::walk(const RowBlock& block, Emit& emit) const {
  Terms shared = terms(block);
  for_each_row(block, shared, [&](const AlphaMember& at) {
    emit.begin_row(at.row);
    for (const Target& target : shared.targets) {
      switch (target.kind) {
        case Target::itself:
          alpha_kept(block.alpha_string, at, shared, emit);
          break;
        case Target::single_excitation:
          alpha_excited(target, at.beta, shared, emit);
          break;
        case Target::double_excitation:
          tables.beta_singles.visit_own(target.part, at.beta,
                                        [&](Index column) { emit.add(column, target.value); });
          break;
      }
    }
    emit.end_row(at.row);
  });
}

/// The diagonal: H = E_core + E_a + E_b + Σ_{i in a, j in b} (ii|jj).
double CiRows::energy(Index a, Index b, const Terms& shared) const {
  const auto& excitations = tables.excitations;
  double energy =
      tables.core_energy + (excitations[alpha]->energy(a) + excitations[beta]->energy(b));
  for (const int jj : shared.beta_pairs) energy += shared.coulomb[jj];
  return energy;
}

template <class Emit>
void CiRows::energies(const RowBlock& block, Emit emit) const {
  Terms shared;
  shared.coulomb = coulomb(block.alpha_string);
  for_each_row(block, shared, [&](const AlphaMember& at) {
    emit(at.row, energy(block.alpha_string, at.beta, shared));
  });
}

/// The alpha string stays: beside the diagonal H = value + sign · Σ_{i in a} (ii|rs).
template <class Emit>
void CiRows::alpha_kept(Index a, AlphaMember at, const Terms& shared, Emit& emit) const {
  const std::span<const Neighbour> all = tables.excitations[beta]->neighbours(at.beta);
  const auto above = std::ranges::lower_bound(all, at.beta, {}, &Neighbour::target);
  const auto own = space.determinants_of(a);
  const auto add = [&](const Neighbour& n, std::int64_t column) {
    emit.add(static_cast<Index>(column), n.element(shared.coulomb[n.pair]));
  };
  if (storage == Storage::full) own.select(std::span(all.begin(), above), &Neighbour::target, add);
  emit.add_diagonal(static_cast<Index>(at.row), energy(a, at.beta, shared));
  own.select(std::span(above, all.end()), &Neighbour::target, add);
}

/// The alpha string changes by q → p: H = value + sign · Σ_{j in b} (pq|jj) when the beta string
/// stays, sign · sign_rs · (pq|rs) when it changes by s → r.
template <class Emit>
void CiRows::alpha_excited(const Target& target, Index b, const Terms& shared, Emit& emit) const {
  tables.beta_singles.visit(
      target.part, b, tables.excitations[beta]->singles(b),
      [&](const SingleExcitation& single, Index column) {
        emit.add(column, (target.sign * single.sign) * target.row[single.pair]);
      },
      [&](Index column) {
        double field = 0;
        for (const int jj : shared.beta_pairs) field += target.row[jj];
        emit.add(column, target.value + target.sign * field);
      });
}

Array<Offset> count_rows(const CiRows& rows, const CountWatch& watch, Index first_row,
                         Index last_row) {
  const std::vector<RowBlock> blocks = rows.blocks_of(first_row, last_row);
  Array<Offset> row_offsets(static_cast<std::size_t>(last_row - first_row) + 1);
  row_offsets[0] = 0;
  const std::size_t step = spread_step(blocks.size());
  CountProgress progress(watch);
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
        const Offset* lengths = &row_offsets[block.first - first_row + 1];
        progress.add({size, std::accumulate(lengths, lengths + size, Offset{0})});
      });
    }
  }
  exception.rethrow();
  std::partial_sum(row_offsets.begin(), row_offsets.end(), row_offsets.begin());
  return row_offsets;
}

CsrMatrix filled_rows(const CiRows& rows, Storage storage, Array<Offset> row_offsets, Index first) {
  CsrMatrix matrix;
  matrix.storage = storage;
  matrix.rows = static_cast<Index>(row_offsets.size() - 1);
  matrix.columns = rows.size();
  const std::vector<RowBlock> blocks = rows.blocks_of(first, first + matrix.rows);
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

CsrMatrix rows_wanted(const CiRows& rows, Storage storage, std::span<const Index> wanted) {
  std::vector<Collector> found(wanted.size());
  FirstException exception;
#pragma omp parallel for if (worth_threads(1000.0 * wanted.size())) schedule(dynamic)
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    exception.guard([&] { rows.walk(rows.block_of(wanted[k]), found[k]); });
  }
  exception.rethrow();
  CsrMatrix matrix;
  matrix.storage = storage;
  matrix.rows = static_cast<Index>(wanted.size());
  matrix.columns = rows.size();
  matrix.row_offsets.push_back(0);
  for (const Collector& row : found) {
    matrix.column_indices.insert(matrix.column_indices.end(), row.columns.begin(),
                                 row.columns.end());
    matrix.values.insert(matrix.values.end(), row.values.begin(), row.values.end());
    matrix.row_offsets.push_back(static_cast<Offset>(matrix.values.size()));
  }
  return matrix;
}

std::vector<double> diagonal_of(const CiRows& rows, Index first_row, Index last_row) {
  const std::vector<RowBlock> blocks = rows.blocks_of(first_row, last_row);
  std::vector<double> result(static_cast<std::size_t>(last_row - first_row));
  FirstException exception;
#pragma omp parallel for if (worth_threads(50.0 * result.size())) schedule(dynamic)
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    exception.guard([&] {
      rows.energies(blocks[k],
                    [&](std::int64_t row, double energy) { result[row - first_row] = energy; });
    });
  }
  exception.rethrow();
  return result;
}

}  // namespace

CiMatrixBuilder::CiMatrixBuilder(const Integrals& integrals, const CiSpace& space, Storage storage)
    : tables_(std::make_unique<const CiTables>(integrals, space)), storage_(storage) {}

CiMatrixBuilder::~CiMatrixBuilder() = default;

Index CiMatrixBuilder::size() const {
  return static_cast<Index>(tables_->space.size());
}

Array<Offset> CiMatrixBuilder::count(const CountWatch& watch, Index first, Index last) const {
  return count_rows(CiRows{*tables_, storage_}, watch, first, last);
}

CsrMatrix CiMatrixBuilder::fill(Array<Offset> row_offsets, Index first) const {
  return filled_rows(CiRows{*tables_, storage_}, storage_, std::move(row_offsets), first);
}

CsrMatrix CiMatrixBuilder::some_rows(std::span<const Index> wanted) const {
  return rows_wanted(CiRows{*tables_, storage_}, storage_, wanted);
}

std::vector<double> CiMatrixBuilder::diagonal(Index first, Index last) const {
  return diagonal_of(CiRows{*tables_, storage_}, first, last);
}

std::size_t CiMatrixBuilder::table_bytes() const {
  return tables_->bytes();
}

}  // namespace cisolve
