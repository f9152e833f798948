#include "hamiltonian/direct/rows/direct_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/dense/host_matrix.hpp"
#include "core/error.hpp"
#include "core/threads/parallel.hpp"

namespace cisolve {
namespace {

/// Strings of both spins of a tile: what is written across stays in the cache.
constexpr Index tile_strings = 32;

double norm_of(Index a, Index b) {
  return a == b ? 1.0 : std::sqrt(0.5);
}

// Place of the coefficient of |ab⟩ in a vector over determinants.
auto place_in(const DirectLayout& layout) {
  return [&layout](Index a, Index b) {
    return layout.row_begin[a] + b - layout.betas(layout.alpha_strings.irrep_of[a]).first;
  };
}
auto place_in_space(const DirectLayout& layout, std::int64_t stride) {
  return [&layout, stride](Index a, Index b) {
    return (layout.row_in_space(a) + layout.beta_strings.number[b]) * stride;
  };
}

}  // namespace

bool DirectRows::knows_parity(const DirectLayout& layout, const Integrals& integrals) {
  return !integrals.unrestricted && layout.alpha_strings.strings == layout.beta_strings.strings &&
         layout.alpha_strings.irrep_of == layout.beta_strings.irrep_of;
}

DirectRows::DirectRows(const DirectLayout& layout, const std::vector<Parity>& parities, int parts)
    : layout_(layout), parts_(parts) {
  std::vector<std::vector<Index>> cuts;  // of the sectors
  std::vector<int> kind_of;
  std::vector<std::int64_t> more(parts, 0);
  for (const Parity parity : parities) {
    const auto kind = static_cast<int>(kinds_.size());
    kinds_.push_back({parity, {}});
    kinds_.back().begin.assign(std::size_t{8} * layout.alpha_strings.size(), 0);
    for (int irrep = 0; irrep < most_irreps; ++irrep) {
      const std::int64_t size = count(kind, irrep);
      if (size == 0) continue;
      sectors_.push_back({parity, irrep, size});
      cuts.push_back(cuts_of(kind, irrep, size, more));
      kind_of.push_back(kind);
      size_ += size;
    }
  }
  if (size_ == 0) {
    throw InputError("input.spin_inversion: the space has no such functions; all are even");
  }
  if (size_ > std::numeric_limits<Index>::max()) {
    throw InputError(std::to_string(size_) +
                     " rows; expected at most 2147483647 (spin inversion even or odd, an irrep or "
                     "fewer active orbitals have fewer)");
  }
  require_rows_for(parts, static_cast<Index>(size_));
  std::int64_t row = 0;
  for (int part = 0; part < parts; ++part) {
    for (std::size_t s = 0; s < sectors_.size(); ++s) {
      pieces_.push_back(static_cast<Index>(row));
      row = number(kind_of[s], sectors_[s].irrep, {cuts[s][part], cuts[s][part + 1]}, row);
    }
  }
  pieces_.push_back(static_cast<Index>(row));
}

/// Rows of the sector of that irrep.
std::int64_t DirectRows::count(int kind, int irrep) const {
  const DirectStrings& alphas = layout_.alpha_strings;
  std::int64_t rows = 0;
  for (Index a = 0; a < alphas.size(); ++a) {
    const int g = alphas.irrep_of[a], y = irrep_product(g, irrep);
    if (layout_.holds(g, y)) rows += betas(kinds_[kind].parity, a, y);
  }
  return rows;
}

/// The alpha strings with which the sector's rows of each part begin, and the end. A string belongs
/// to the part that holds the middle of its rows. `more` says by how many P-ths of a row the parts
/// before each exceed their share of earlier sectors; this sector makes up for that.
std::vector<Index> DirectRows::cuts_of(int kind, int irrep, std::int64_t size,
                                       std::vector<std::int64_t>& more) const {
  const DirectStrings& alphas = layout_.alpha_strings;
  std::vector<Index> cuts{0};
  std::int64_t before = 0;
  const auto part = [&] { return static_cast<std::int64_t>(cuts.size()); };  // to begin next
  for (Index a = 0; a < alphas.size(); ++a) {
    const int g = alphas.irrep_of[a], y = irrep_product(g, irrep);
    if (!layout_.holds(g, y)) continue;
    const std::int64_t rows = betas(kinds_[kind].parity, a, y);
    while (part() < parts_ &&
           (2 * before + rows) * parts_ + 2 * more[part()] >= 2 * size * part()) {
      more[part()] += before * parts_ - size * part();
      cuts.push_back(a);
    }
    before += rows;
  }
  while (part() < parts_) {
    more[part()] += before * parts_ - size * part();
    cuts.push_back(alphas.size());
  }
  cuts.push_back(alphas.size());
  return cuts;
}

/// Numbers the sector's rows with these alpha strings from `row` on; returns the next one.
std::int64_t DirectRows::number(int kind, int irrep, const StringRange& range, std::int64_t row) {
  const DirectStrings& alphas = layout_.alpha_strings;
  for (int g = 0; g < most_irreps; ++g) {
    const int y = irrep_product(g, irrep);
    const Index first = std::max(range.first, alphas.begin[g]);
    const Index last = std::min(range.last, alphas.begin[g + 1]);
    if (first >= last || !layout_.holds(g, y)) continue;
    const std::int64_t begin = row;
    for (Index a = first; a < last; ++a) {
      kinds_[kind].begin[std::size_t{8} * a + y] = row;
      row += betas(kinds_[kind].parity, a, y);
    }
    if (row > begin) runs_.push_back({begin, kind, g, y, {first, last}});
  }
  return row;
}

RowPartition DirectRows::partition() const {
  RowPartition parts;
  for (std::size_t p = 0; p < pieces_.size(); p += sectors_.size()) {
    parts.begin.push_back(static_cast<Index>(pieces_[p]));
  }
  return parts;
}

std::vector<DirectRows::RowRange> DirectRows::numbers_in_one_part(int part) const {
  std::vector<RowRange> numbers;
  std::int64_t first = 0;  // of a sector
  for (int s = 0; s < static_cast<int>(sectors_.size()); first += sectors_[s++].size) {
    std::int64_t before = 0;
    for (int p = 0; p < part; ++p) before += piece(s, p).count;
    numbers.push_back({first + before, piece(s, part).count});
  }
  return numbers;
}

std::vector<Index> DirectRows::sector_sizes() const {
  std::vector<Index> sizes;
  for (const Sector& sector : sectors_) sizes.push_back(static_cast<Index>(sector.size));
  return sizes;
}

Index DirectRows::betas(Parity parity, Index a, int y) const {
  const DirectStrings& strings = layout_.beta_strings;
  const int g = layout_.alpha_strings.irrep_of[a];
  if (parity == Parity::none || g > y) return strings.size(y);
  if (g < y) return 0;
  return a - strings.begin[y] + (parity == Parity::even ? 1 : 0);
}

DirectRows::Function DirectRows::function(std::int64_t row) const {
  const auto run = std::ranges::upper_bound(runs_, row, {}, &Run::first) - 1;
  const Kind& kind = kinds_[run->kind];
  // The last alpha string of the run whose rows begin at or before this one and that has any.
  Index low = run->alphas.first, high = run->alphas.last;
  while (high - low > 1) {
    const Index middle = low + (high - low) / 2;
    (kind.begin[std::size_t{8} * middle + run->beta_irrep] <= row ? low : high) = middle;
  }
  const std::int64_t begin = kind.begin[std::size_t{8} * low + run->beta_irrep];
  return {kind.parity, low,
          layout_.beta_strings.begin[run->beta_irrep] + static_cast<Index>(row - begin)};
}

/// Calls visit(a, y, b_first, b_last) for the beta strings [b_first, b_last) of irrep y with which
/// alpha string a makes functions, tile by tile, in parallel; each determinant pair once, in one of
/// the shares.
template <class Visit>
void DirectRows::for_each_tile(const WorkShare& share, Visit visit) const {
  const DirectStrings &alphas = layout_.alpha_strings, &betas_of = layout_.beta_strings;
  const Parity widest = kinds_.front().parity;  // even ones have the diagonal too
  for (int g = 0; g < most_irreps; ++g) {
    for (int y = 0; y < most_irreps; ++y) {
      if (!layout_.holds(g, y)) continue;
      const Index first = alphas.begin[g], last = alphas.begin[g + 1];
      const double work = static_cast<double>(alphas.size(g)) * betas_of.size(y);
#pragma omp parallel for if (worth_threads(work)) schedule(dynamic, 1)
      for (Index tile = first; tile < last; tile += tile_strings) {
        if ((tile - first) / tile_strings % share.of != share.number) continue;
        const Index tile_last = std::min(tile + tile_strings, last);
        for (Index b = betas_of.begin[y]; b < betas_of.begin[y + 1]; b += tile_strings) {
          for (Index a = tile; a < tile_last; ++a) {
            const Index end = betas_of.begin[y] + betas(widest, a, y);
            const Index b_last = std::min(b + tile_strings, end);
            if (b < b_last) visit(a, y, b, b_last);
          }
        }
      }
    }
  }
}

/// c := the vector, the coefficient of a determinant at c[place(a, b)].
template <class Place>
void DirectRows::expand(const double* x, std::int64_t stride, double* c, Place place,
                        const WorkShare& share) const {
  const DirectStrings& strings = layout_.beta_strings;
  if (kinds_.front().parity == Parity::none) {
    for_each_tile(share, [&](Index a, int y, Index b, Index b_last) {
      const std::int64_t row = kinds_[0].begin[std::size_t{8} * a + y] - strings.begin[y];
      for (; b < b_last; ++b) c[place(a, b)] = x[(row + b) * stride];
    });
    return;
  }
  for_each_tile(share, [&](Index a, int y, Index b, Index b_last) {
    std::array<const double*, 2> part{};  // even, odd
    for (const Kind& kind : kinds_) {
      part[kind.parity == Parity::odd] =
          x + (kind.begin[std::size_t{8} * a + y] - strings.begin[y]) * stride;
    }
    for (; b < b_last; ++b) {
      const double even = part[0] != nullptr ? part[0][b * stride] : 0.0;
      const double odd = part[1] != nullptr && a != b ? part[1][b * stride] : 0.0;
      const double norm = norm_of(a, b);
      c[place(a, b)] = norm * (even + odd);
      if (a != b) c[place(b, a)] = norm * (even - odd);
    }
  });
  // A vector of odd functions alone is zero at a = b, where no function has an element.
  if (kinds_.front().parity == Parity::odd && share.number == 0) {
    for (Index a = 0; a < layout_.alpha_strings.size(); ++a) {
      const int g = layout_.alpha_strings.irrep_of[a];
      if (layout_.holds(g, g)) c[place(a, a)] = 0.0;
    }
  }
}

/// The other way: from_layout, of a vector that lies so.
template <class Place>
void DirectRows::gather(const double* c, Place place, double alpha, std::span<const double> factors,
                        double beta, double* x, std::int64_t stride, RowRange of) const {
  const DirectStrings& strings = layout_.beta_strings;
  const auto set = [=](double value, double& element) {
    element = beta == 0.0 ? alpha * value : alpha * value + beta * element;
  };
  for_each_tile({}, [&](Index a, int y, Index b_first, Index b_last) {
    for (std::size_t k = 0; k < kinds_.size(); ++k) {
      const Kind& kind = kinds_[k];
      const std::int64_t row = kind.begin[std::size_t{8} * a + y] - strings.begin[y] - of.first;
      const std::int64_t last = std::min<std::int64_t>(b_last, of.count - row);
      double* const to = x + row * stride;
      const double sign = static_cast<double>(kind.parity);
      for (std::int64_t i = std::max<std::int64_t>(b_first, -row); i < last; ++i) {
        const auto b = static_cast<Index>(i);
        const double own = c[place(a, b)];
        if (kind.parity == Parity::none || (a == b && kind.parity == Parity::even)) {
          set(factors[k] * own, to[b * stride]);
        } else if (a != b) {
          set(factors[k] * norm_of(a, b) * (own + sign * c[place(b, a)]), to[b * stride]);
        }
      }
    }
  });
}

void DirectRows::to_layout(const double* x, std::int64_t stride, double* c,
                           const WorkShare& share) const {
  expand(x, stride, c, place_in(layout_), share);
}

void DirectRows::from_layout(const double* c, double alpha, std::span<const double> factors,
                             double beta, double* x, std::int64_t stride, RowRange of) const {
  gather(c, place_in(layout_), alpha, factors, beta, x, stride, of);
}

void DirectRows::to_space(const double* x, std::int64_t stride, double* whole,
                          std::int64_t whole_stride) const {
  expand(x, stride, whole, place_in_space(layout_, whole_stride), {});
}

HostVector DirectRows::to_space(const HostVector& x) const {
  HostVector whole(layout_.size());
  to_space(x.data(), 1, whole.data(), 1);
  return whole;
}

void DirectRows::from_space(const double* whole, std::int64_t whole_stride, double* x,
                            std::int64_t stride) const {
  const std::vector<double> factors(kinds_.size(), 1.0);
  gather(whole, place_in_space(layout_, whole_stride), 1.0, factors, 0.0, x, stride, {0, size_});
}

/// Calls visit(first row, first row in one part, rows) for every piece.
template <class Visit>
void DirectRows::for_each_piece(Visit visit) const {
  std::int64_t row = 0;
  for (int part = 0; part < parts_; ++part) {
    for (const auto& [first, count] : numbers_in_one_part(part)) {
      visit(row, first, count);
      row += count;
    }
  }
}

HostVector DirectRows::to_one_part(const HostVector& x) const {
  HostVector y(x.size());
  for_each_piece([&](std::int64_t own, std::int64_t one, std::int64_t rows) {
    y.segment(one, rows) = x.segment(own, rows);
  });
  return y;
}

HostVector DirectRows::from_one_part(const HostVector& x) const {
  HostVector y(x.size());
  for_each_piece([&](std::int64_t own, std::int64_t one, std::int64_t rows) {
    y.segment(own, rows) = x.segment(one, rows);
  });
  return y;
}

HostVector DirectRows::from_space(const HostVector& whole) const {
  HostVector x(size_);
  from_space(whole.data(), 1, x.data(), 1);
  return x;
}

}  // namespace cisolve
