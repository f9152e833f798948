#include "hamiltonian/listed/listed_tables.hpp"

#include <algorithm>
#include <utility>

#include "core/threads/parallel.hpp"
#include "hamiltonian/space/slater_condon.hpp"
#include "hamiltonian/space/strings/remainders.hpp"

namespace cisolve {
namespace {

std::array<std::vector<int>, 2> labels_of_orbitals(const Integrals& integrals) {
  if (integrals.orbitals <= OrbitalString64::most_orbitals) return orbital_labels(integrals).of;
  auto labels = integrals.orbital_irreps;
  for (auto& of_spin : labels) of_spin.resize(static_cast<std::size_t>(integrals.orbitals), 0);
  return labels;
}

std::vector<std::int8_t> labels_of_strings(const StringSpace& space,
                                           const std::vector<int>& of_orbitals) {
  std::vector<std::int8_t> labels;
  labels.reserve(space.strings.size());
  for (const OrbitalString& s : space.strings) {
    int label = 0;
    for (const int p : s) label = irrep_product(label, of_orbitals[p]);
    labels.push_back(static_cast<std::int8_t>(label));
  }
  return labels;
}

/// Orbitals that more than half of the strings have.
OrbitalString common_orbitals(const StringSpace& space) {
  std::vector<Index> counts(static_cast<std::size_t>(space.orbitals), 0);
  for (const OrbitalString& s : space.strings) {
    for (const int p : s) ++counts[p];
  }
  OrbitalString common;
  for (int p = 0; p < space.orbitals; ++p) {
    if (counts[p] > space.size() / 2) common = common.with(p);
  }
  return common;
}

/// Calls f(other string, what the string has, what the other one has instead, odd) of all other
/// strings that have a remainder of a string; odd: the sign is −.
template <class F>
void for_each_other(const Remainders& remainders, Index string, F f) {
  const auto of = remainders.of(string);
  const auto taken = remainders.taken(string);
  for (std::size_t e = 0; e < of.size(); ++e) {
    for (const auto& [other, of_other] : remainders.members(of[e])) {
      if (other != string) f(other, taken[e], of_other, (taken[e].odd ^ of_other.odd) != 0);
    }
  }
}

/// The matrix of a spin's electrons among themselves, in a field: Σ_q≥s field_qs X_qs is added, and
/// a constant.
StringMatrix own_matrix(const StringSpace& space, const SpinIntegrals& integrals,
                        const std::vector<std::int8_t>& labels, const Remainders& one,
                        const std::vector<double>& field, double constant) {
  const Remainders two(space, 2);
  struct Element {
    Index column;
    double value;
  };
  std::vector<std::vector<Element>> rows(space.strings.size());
  FirstException exception;
#pragma omp parallel for if (worth_threads(1000.0 * space.size())) schedule(dynamic, 16)
  for (Index s = 0; s < space.size(); ++s) {
    exception.guard([&] {
      const OrbitalString& string = space.strings[s];
      std::vector<Element> row;
      double energy = constant + string_energy(integrals, string);
      for (const int j : string) energy += field[pair_index(j, j)];
      row.push_back({s, energy});
      const auto add = [&](Index other, double value, bool odd) {
        if (value != 0.0) row.push_back({other, odd ? -value : value});
      };
      for_each_other(one, s, [&](Index other, const auto& x, const auto& y, bool odd) {
        if (labels[other] != labels[s]) return;
        const int p = x.first, q = y.first;
        add(other, single_value(integrals, string.without(p), p, q) + field[pair_index(p, q)], odd);
      });
      for_each_other(two, s, [&](Index other, const auto& x, const auto& y, bool odd) {
        const auto has = [&](int p) { return p == y.first || p == y.second; };
        if (labels[other] != labels[s] || has(x.first) || has(x.second)) return;
        add(other, double_value(integrals, x.first, x.second, y.first, y.second), odd);
      });
      std::ranges::sort(row, {}, &Element::column);
      rows[s] = {row.begin(), row.end()};
    });
  }
  exception.rethrow();
  StringMatrix matrix;
  for (auto& row : rows) {
    for (const auto& [column, value] : row) {
      matrix.columns.push_back(column);
      matrix.values.push_back(value);
    }
    matrix.begin.push_back(static_cast<Offset>(matrix.columns.size()));
    row = {};
  }
  return matrix;
}

template <class T>
std::size_t bytes_of(const std::vector<T>& v) {
  return v.size() * sizeof(T);
}

}  // namespace

std::size_t StringMatrix::bytes() const {
  return bytes_of(begin) + bytes_of(columns) + bytes_of(values);
}

ListedTables::ListedTables(const Integrals& integrals, const CiSpace& space)
    : integrals_(integrals), space_(space) {
  make_blocks();
  const auto labels = labels_of_orbitals(integrals);
  labels_ = {labels_of_strings(space.alpha, labels[alpha]),
             labels_of_strings(space.beta, labels[beta])};
  for (int p = 0; p < space.alpha.orbitals; ++p) {
    for (int r = 0; r <= p; ++r) {
      pair_labels_.push_back(
          static_cast<std::int8_t>(irrep_product(labels[alpha][p], labels[alpha][r])));
    }
  }
  const OrbitalString typical = common_orbitals(space.alpha);
  make_alpha_links(typical);
  make_beta_links(labels[beta]);

  const auto no_field = std::vector<double>(pair_labels_.size(), 0.0);
  auto field = no_field;
  for (const int p : typical) {
    const double* const row = integrals_of(pair_index(p, p));
    for (std::size_t qs = 0; qs < field.size(); ++qs) field[qs] += row[qs];
  }
  h_ = {own_matrix(space.alpha, {*integrals.one_electron[alpha], *integrals.alpha_alpha},
                   labels_[alpha], Remainders(space.alpha, 1), no_field, integrals.core_energy),
        own_matrix(space.beta, {*integrals.one_electron[beta], *integrals.beta_beta}, labels_[beta],
                   Remainders(space.beta, 1), field, 0.0)};
}

void ListedTables::make_blocks() {
  const auto& begin = space_.alpha.group_begin;
  std::int64_t row = 0;
  for (int g = 0; g < space_.alpha.groups(); ++g) {
    Block block{{begin[g], begin[g + 1]}, {}, row};
    if (block.alphas.size() > 0) {
      const RangeDeterminants of = space_.determinants_of(block.alphas.first);
      const Index first = (*of.begin()).beta;
      block.betas = {first, first + of.size()};
    }
    row += std::int64_t{block.alphas.size()} * block.betas.size();
    blocks_.push_back(block);
  }
}

void ListedTables::make_alpha_links(const OrbitalString& typical) {
  struct Found {
    std::uint16_t pair;
    AlphaLink link;
  };
  const StringSpace& strings = space_.alpha;
  const Remainders one(strings, 1);
  std::vector<Found> found;
  for (Index a = 0; a < strings.size(); ++a) {
    const OrbitalString& string = strings.strings[a];
    const auto add = [&](int p, int r, Index source, int sign) {
      found.push_back({static_cast<std::uint16_t>(pair_index(p, r)), {a, source, sign}});
    };
    for (const int p : string & ~typical) add(p, p, a, 1);
    for (const int p : typical & ~string) add(p, p, a, -1);
    for_each_other(one, a, [&](Index other, const auto& x, const auto& y, bool odd) {
      add(x.first, y.first, other, odd ? -1 : 1);
    });
  }
  alpha_begin_.assign(pair_labels_.size() + 1, 0);
  for (const Found& of : found) ++alpha_begin_[of.pair + 1];
  for (std::size_t i = 1; i < alpha_begin_.size(); ++i) alpha_begin_[i] += alpha_begin_[i - 1];
  alpha_links_.resize(found.size());
  std::vector<Offset> next(alpha_begin_.begin(), alpha_begin_.end() - 1);
  for (const Found& of : found) alpha_links_[next[of.pair]++] = of.link;
}

void ListedTables::make_beta_links(const std::vector<int>& orbital_labels) {
  const StringSpace& strings = space_.beta;
  const Remainders one(strings, 1);
  const auto for_each_link = [&](auto f) {
    for (Index b = 0; b < strings.size(); ++b) {
      for_each_other(one, b, [&](Index other, const auto& x, const auto& y, bool odd) {
        const int label = irrep_product(orbital_labels[x.first], orbital_labels[y.first]);
        f(static_cast<std::size_t>(label) * strings.size() + b,
          ListedLink{other, static_cast<std::uint16_t>(pair_index(x.first, y.first)), odd});
      });
    }
  };
  beta_begin_.assign(std::size_t{most_irreps} * strings.size() + 1, 0);
  for_each_link([&](std::size_t list, const ListedLink&) { ++beta_begin_[list + 1]; });
  for (std::size_t i = 1; i < beta_begin_.size(); ++i) beta_begin_[i] += beta_begin_[i - 1];
  beta_links_.resize(static_cast<std::size_t>(beta_begin_.back()));
  std::vector<Offset> next(beta_begin_.begin(), beta_begin_.end() - 1);
  for_each_link(
      [&](std::size_t list, const ListedLink& link) { beta_links_[next[list]++] = link; });
}

std::size_t ListedTables::bytes() const {
  return h_[alpha].bytes() + h_[beta].bytes() + bytes_of(alpha_begin_) + bytes_of(alpha_links_) +
         bytes_of(beta_begin_) + bytes_of(beta_links_);
}

double listed_table_bytes(const CiSpace& space) {
  constexpr double of_a_remainder = 48.0;  // found, sorted, numbered, and by string
  const auto of_spin = [](const StringSpace& strings) {
    const double electrons = strings.electrons;
    return of_a_remainder * strings.size() * electrons * (1.0 + (electrons - 1.0) / 2.0);
  };
  return std::max(of_spin(space.alpha), of_spin(space.beta));
}

ListedCost listed_cost(const ListedTables& tables) {
  const auto within = [](const auto* begin, const StringRange& range) {
    return static_cast<double>(begin[range.last] - begin[range.first]);
  };
  ListedCost cost;
  for (int pair = 0; pair < tables.pairs(); ++pair) {
    const auto links = tables.beta_links(tables.label(pair)).begin;
    for (const AlphaLink& link : tables.alpha_links(pair)) {
      const StringRange& betas = tables.block_of(link.target).betas;
      const double of_link = within(links, betas);
      cost.moved += betas.size();
      cost.multiplications += of_link;
      if (link.target != link.source) cost.nonzeros += of_link;
    }
  }
  for (const ListedTables::Block& block : tables.blocks()) {
    const double of_alpha = within(tables.h(alpha).begin.data(), block.alphas) * block.betas.size();
    const double of_beta = within(tables.h(beta).begin.data(), block.betas) * block.alphas.size();
    cost.of_one_spin += of_alpha + of_beta;
    cost.nonzeros += of_alpha + of_beta - 1.0 * block.alphas.size() * block.betas.size();
  }
  return cost;
}

}  // namespace cisolve
