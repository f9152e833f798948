#include "hamiltonian/ci_matrix.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "hamiltonian/excitations.hpp"
#include "hamiltonian/row_sinks.hpp"

namespace cisolve {
namespace {

/// Rows of one alpha string whose beta strings [first, last) are of one group (irrep, rank): which
/// other alpha strings they reach then holds for all of them. At most block_rows, so that a few
/// alpha strings still make work for many threads.
struct Block {
  Index alpha_string, first, last;
};
constexpr Index block_rows = 256;

std::vector<Block> make_blocks(const CiSpace& space) {
  std::vector<Block> blocks;
  for (Index a = 0; a < space.alpha.size(); ++a) {
    for (Index first = space.beta_begin[a]; first < space.beta_end[a];) {
      const int group = space.beta.group(space.beta.irrep_of[first], space.beta.rank_of[first]);
      const Index last =
          std::min({space.beta_end[a], space.beta.group_begin[group + 1], first + block_rows});
      blocks.push_back({a, first, last});
      first = last;
    }
  }
  return blocks;
}

/// Single excitations [first, last) of a beta string that stay within the beta strings of one group
/// of alpha strings; those from `middle` lead above the string itself.
struct SinglesRange {
  std::uint16_t first, middle, last;
};

int alpha_group(const CiSpace& space, Index a) {
  return space.alpha.group(space.alpha.irrep_of[a], space.alpha.rank_of[a]);
}

/// Range of beta string b for alpha group g at [b · groups + g].
std::vector<SinglesRange> make_ranges(const CiSpace& space, const ExcitationTable& table) {
  const int groups = space.alpha.groups();
  std::vector<SinglesRange> ranges(std::size_t(space.beta.size()) * groups, SinglesRange{0, 0, 0});
#pragma omp parallel for schedule(static)
  for (Index b = 0; b < space.beta.size(); ++b) {
    const auto singles = table.singles(b);
    const auto position = [&](Index target) {
      const auto found = std::lower_bound(
          singles.begin(), singles.end(), target,
          [](const SingleExcitation& s, Index wanted) { return s.target < wanted; });
      return static_cast<std::uint16_t>(found - singles.begin());
    };
    for (int g = 0; g < groups; ++g) {
      const Index a = space.alpha.group_begin[g];
      if (a == space.alpha.group_begin[g + 1]) continue;
      const std::uint16_t first = position(space.beta_begin[a]), last = position(space.beta_end[a]);
      ranges[std::size_t(b) * groups + g] = {first, std::clamp(position(b), first, last), last};
    }
  }
  return ranges;
}

/// An alpha string a' that the rows of a block reach.
struct Target {
  enum Kind : std::int8_t { itself, single_excitation, double_excitation } kind;
  bool holds_beta;    ///< (a', b) is a determinant for the block's beta strings b
  std::int16_t sign;  ///< of a single excitation p q
  int group;          ///< of a'
  Index column;       ///< determinant (a', b) has number column + b
  double value;       ///< see Neighbour
  const double* row;  ///< (pq|rs) for all rs
};

/// What the rows of a block share.
struct BlockTerms {
  std::vector<Target> targets;  ///< by ascending alpha string
  std::vector<double> coulomb;  ///< Σ_{i in a} (ii|rs) for all rs
  std::vector<int> beta_pairs;  ///< pair_index(j, j) of the row's beta electrons
};

}  // namespace

struct CiMatrixBuilder::Tables {
  Tables(const Integrals& integrals, const CiSpace& ci_space, Storage what);

  BlockTerms terms(const Block& block) const;
  /// Rows of a block: alpha targets ascend, and with each its beta strings, so columns ascend.
  template <class Emit>
  void walk(const Block& block, Emit& emit) const;
  template <class Emit>
  void alpha_kept(const Block& block, const BlockTerms& terms, Index b, Emit& emit) const;
  template <class Emit>
  void alpha_excited(const Target& target, const BlockTerms& terms, Index b, Emit& emit) const;

  const CiSpace& space;
  Storage storage;
  double core_energy;
  const TwoElectron& mixed;  ///< (αα|ββ)
  std::array<std::shared_ptr<const ExcitationTable>, 2> excitations;
  std::vector<SinglesRange> ranges;
  std::vector<Block> blocks;
};

CiMatrixBuilder::Tables::Tables(const Integrals& integrals, const CiSpace& ci_space, Storage what)
    : space(ci_space),
      storage(what),
      core_energy(integrals.core_energy),
      mixed(*integrals.alpha_beta) {
  excitations[alpha] = std::make_shared<ExcitationTable>(
      space.alpha, SpinIntegrals{*integrals.one_electron[alpha], *integrals.alpha_alpha});
  const bool shared = !integrals.unrestricted && space.alpha.strings == space.beta.strings;
  excitations[beta] =
      shared ? excitations[alpha]
             : std::make_shared<ExcitationTable>(
                   space.beta, SpinIntegrals{*integrals.one_electron[beta], *integrals.beta_beta});
  ranges = make_ranges(space, *excitations[beta]);
  blocks = make_blocks(space);
}

BlockTerms CiMatrixBuilder::Tables::terms(const Block& block) const {
  const Index a = block.alpha_string;
  BlockTerms result;
  result.coulomb.assign(mixed.pairs(), 0.0);
  for_each_orbital(space.alpha.strings[a], [&](int i) {
    const double* row = mixed.row(pair_index(i, i));
    for (int rs = 0; rs < mixed.pairs(); ++rs) result.coulomb[rs] += row[rs];
  });

  const int rank = space.beta.rank_of[block.first];
  const auto column = [&](Index to) {
    return static_cast<Index>(space.row_begin[to] - space.beta_begin[to]);
  };
  const auto append_itself = [&] {
    result.targets.push_back(
        {Target::itself, true, 0, alpha_group(space, a), column(a), 0.0, nullptr});
  };
  bool passed = false;
  for (const Neighbour& n : excitations[alpha]->neighbours(a)) {
    // Determinants of a lower alpha string are all below the diagonal.
    if (storage == Storage::upper && n.target < a) continue;
    if (!passed && n.target > a) {
      append_itself();
      passed = true;
    }
    const Index first = space.beta_begin[n.target], last = space.beta_end[n.target];
    const bool holds_beta = first <= block.first && block.first < last;
    const bool single = n.sign != 0;
    // A single excitation lowers a beta string's rank by one at most.
    const bool reached =
        holds_beta || (single && first < last && space.beta.rank_of[last - 1] >= rank - 1);
    if (!reached) continue;
    result.targets.push_back({single ? Target::single_excitation : Target::double_excitation,
                              holds_beta, n.sign, alpha_group(space, n.target), column(n.target),
                              n.value, single ? mixed.row(n.pair) : nullptr});
  }
  if (!passed) append_itself();
  return result;
}

template <class Emit>
void CiMatrixBuilder::Tables::walk(const Block& block, Emit& emit) const {
  BlockTerms shared = terms(block);
  const Index column = static_cast<Index>(space.row_begin[block.alpha_string] -
                                          space.beta_begin[block.alpha_string]);
  for (Index b = block.first; b < block.last; ++b) {
    shared.beta_pairs.clear();
    for_each_orbital(space.beta.strings[b],
                     [&](int j) { shared.beta_pairs.push_back(pair_index(j, j)); });
    emit.begin_row(column + b);
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
    emit.end_row(column + b);
  }
}

/// The alpha string stays: H = E_core + E_a + E_b + Σ_{i in a, j in b} (ii|jj) on the diagonal,
/// value + sign · Σ_{i in a} (ii|rs) beside it.
template <class Emit>
void CiMatrixBuilder::Tables::alpha_kept(const Block& block, const BlockTerms& shared, Index b,
                                         Emit& emit) const {
  const Index a = block.alpha_string;
  const Index column = static_cast<Index>(space.row_begin[a] - space.beta_begin[a]);
  const auto all = excitations[beta]->neighbours(b);
  const auto position = [&](Index target) {
    return std::lower_bound(all.begin(), all.end(), target,
                            [](const Neighbour& n, Index wanted) { return n.target < wanted; });
  };
  const auto emit_range = [&](auto from, auto to) {
    for (auto n = from; n != to; ++n) {
      emit.add(column + n->target, n->value + n->sign * shared.coulomb[n->pair]);
    }
  };
  const auto middle = position(b);
  if (storage == Storage::full) emit_range(position(space.beta_begin[a]), middle);
  double energy = core_energy + (excitations[alpha]->energy(a) + excitations[beta]->energy(b));
  for (const int jj : shared.beta_pairs) energy += shared.coulomb[jj];
  emit.add_diagonal(column + b, energy);
  emit_range(middle, position(space.beta_end[a]));
}

/// The alpha string changes by q → p: H = value + sign · Σ_{j in b} (pq|jj) when the beta string
/// stays, sign · sign_rs · (pq|rs) when it changes by s → r.
template <class Emit>
void CiMatrixBuilder::Tables::alpha_excited(const Target& target, const BlockTerms& shared, Index b,
                                            Emit& emit) const {
  const SingleExcitation* singles = excitations[beta]->singles(b).data();
  const SinglesRange range = ranges[std::size_t(b) * space.alpha.groups() + target.group];
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

CiMatrixBuilder::CiMatrixBuilder(const Integrals& integrals, const CiSpace& space, Storage storage)
    : tables_(std::make_unique<const Tables>(integrals, space, storage)) {}

CiMatrixBuilder::~CiMatrixBuilder() = default;

Array<Offset> CiMatrixBuilder::count() const {
  Array<Offset> row_offsets(static_cast<std::size_t>(tables_->space.size()) + 1);
  row_offsets[0] = 0;
#pragma omp parallel
  {
    Counter counter(row_offsets);
#pragma omp for schedule(dynamic)
    for (std::size_t k = 0; k < tables_->blocks.size(); ++k) {
      tables_->walk(tables_->blocks[k], counter);
    }
  }
  std::partial_sum(row_offsets.begin(), row_offsets.end(), row_offsets.begin());
  return row_offsets;
}

CsrMatrix CiMatrixBuilder::fill(Array<Offset> row_offsets) const {
  CsrMatrix matrix;
  matrix.storage = tables_->storage;
  matrix.rows = matrix.columns = static_cast<Index>(tables_->space.size());
  matrix.row_offsets = std::move(row_offsets);
  matrix.column_indices = Array<Index>(static_cast<std::size_t>(matrix.nonzeros()));
  matrix.values = Array<double>(static_cast<std::size_t>(matrix.nonzeros()));
#pragma omp parallel
  {
    Writer writer(matrix);
#pragma omp for schedule(dynamic)
    for (std::size_t k = 0; k < tables_->blocks.size(); ++k) {
      tables_->walk(tables_->blocks[k], writer);
    }
  }
  return matrix;
}

std::size_t CiMatrixBuilder::table_bytes() const {
  const auto& tables = tables_->excitations;
  return tables[alpha]->bytes() + (tables[beta] == tables[alpha] ? 0 : tables[beta]->bytes()) +
         tables_->ranges.size() * sizeof(SinglesRange) + tables_->blocks.size() * sizeof(Block);
}

}  // namespace cisolve
