#include "formats/matrix/generate.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/error.hpp"
#include "core/memory.hpp"
#include "core/random.hpp"
#include "core/threads/parallel.hpp"

namespace cisolve {
namespace {

void require_room(const CsrMatrix& drawn, bool to_be_mirrored) {
  const std::size_t needed =
      CsrMatrix::bytes(drawn.rows, drawn.nonzeros()) * (to_be_mirrored ? 3 : 1);
  const std::size_t free = available_host_memory();
  if (needed <= free) return;
  throw ResourceError("making this matrix needs " + format_bytes(needed) + ", and " +
                      format_bytes(free) + " are available");
}

/// Calls visit(j) for columns first ≤ j < end, each taken with probability `density`, by jumps of
/// geometric length: one random number an entry.
template <class Visit>
void sample(Random& random, Index first, Index end, double density, Visit visit) {
  if (density <= 0.0) return;
  const double scale = density < 1.0 ? 1.0 / std::log1p(-density) : 0.0;
  for (double j = first; j < end; j += 1.0) {
    if (density < 1.0) j += std::floor(std::log(random.uniform()) * scale);
    if (j < end) visit(static_cast<Index>(j));
  }
}

/// Pass 1 counts, pass 2 fills. columns_of(random, i, end, visit) visits the columns j < end of row
/// i, ascending; the diagonal is put in whether visited or not.
template <class ColumnsOf>
CsrMatrix draw_rows(Index rows, std::uint64_t seed, bool lower_only, double scale,
                    ColumnsOf columns_of) {
  CsrMatrix a{rows, rows, Array<Offset>(rows + std::size_t{1}), {}, {}};
  const auto end_of = [=](Index i) { return lower_only ? i : rows; };
  a.row_offsets[0] = 0;
#pragma omp parallel for if (worth_threads(100.0 * rows)) schedule(dynamic, 128)
  for (Index i = 0; i < rows; ++i) {
    Random random(seed, i);
    Offset count = 1;
    columns_of(random, i, end_of(i), [&](Index j) { count += j != i; });
    a.row_offsets[i + 1] = count;
  }
  for (Index i = 0; i < rows; ++i) a.row_offsets[i + 1] += a.row_offsets[i];
  require_room(a, lower_only);
  a.column_indices.resize(a.nonzeros());
  a.values.resize(a.nonzeros());
#pragma omp parallel for if (worth_threads(100.0 * rows)) schedule(dynamic, 128)
  for (Index i = 0; i < rows; ++i) {
    Random random(seed, i), for_values(~seed, i);
    Offset place = a.row_offsets[i];
    bool diagonal_done = false;
    const auto put = [&](Index j, double value) {
      a.column_indices[place] = j;
      a.values[place++] = value;
    };
    const auto put_diagonal = [&] {
      put(i, 1.0 + static_cast<double>(i) / rows);
      diagonal_done = true;
    };
    columns_of(random, i, end_of(i), [&](Index j) {
      if (j == i) return;
      if (j > i && !diagonal_done) put_diagonal();
      put(j, scale * (2.0 * for_values.uniform() - 1.0));
    });
    if (!diagonal_done) put_diagonal();
  }
  return a;
}

/// L + Lᵀ − diag(L) of a lower triangle.
CsrMatrix mirrored(const CsrMatrix& lower) {
  CsrMatrix a{lower.rows, lower.columns, Array<Offset>(lower.rows + std::size_t{1}), {}, {}};
  std::vector<Offset> next(lower.rows, 0);  // entries of each row, then where its next one goes
  for (Index i = 0; i < lower.rows; ++i) next[i] += lower.row_length(i);
  for (Index i = 0; i < lower.rows; ++i) {
    for (Offset e = lower.row_offsets[i]; e < lower.row_offsets[i + 1] - 1; ++e) {
      ++next[lower.column_indices[e]];
    }
  }
  a.row_offsets[0] = 0;
  for (Index i = 0; i < a.rows; ++i) {
    a.row_offsets[i + 1] = a.row_offsets[i] + next[i];
    next[i] = a.row_offsets[i];
  }
  a.column_indices.resize(a.nonzeros());
  a.values.resize(a.nonzeros());
  // Rows in order: a row first gets its own entries, then those mirrored from later rows,
  // ascending.
  for (Index i = 0; i < lower.rows; ++i) {
    for (Offset e = lower.row_offsets[i]; e < lower.row_offsets[i + 1]; ++e) {
      const Index j = lower.column_indices[e];
      const auto put = [&](Index row, Index column) {
        a.column_indices[next[row]] = column;
        a.values[next[row]++] = lower.values[e];
      };
      put(i, j);
      if (j != i) put(j, i);
    }
  }
  return a;
}

template <class ColumnsOf>
CsrMatrix generate(Index rows, double per_row, std::uint64_t seed, bool symmetric,
                   ColumnsOf columns_of) {
  const double scale = 1.0 / std::max(per_row, 1.0);
  CsrMatrix drawn = draw_rows(rows, seed, symmetric, scale, columns_of);
  return symmetric ? mirrored(drawn) : drawn;
}

}  // namespace

CsrMatrix generate_ci(const CiPattern& p, std::uint64_t seed, bool symmetric) {
  const auto reference = static_cast<Index>(std::lround(p.reference_fraction * p.rows));
  const double per_row =
      p.reference_density * reference + p.expansion_density * (p.rows - reference);
  return generate(p.rows, per_row, seed, symmetric,
                  [=](Random& random, Index, Index end, auto visit) {
                    sample(random, 0, std::min(reference, end), p.reference_density, visit);
                    sample(random, reference, end, p.expansion_density, visit);
                  });
}

CsrMatrix generate_banded(Index rows, Index bandwidth, std::uint64_t seed, bool symmetric) {
  return generate(rows, 2.0 * bandwidth + 1.0, seed, symmetric,
                  [=](Random&, Index i, Index end, auto visit) {
                    const Index first = i > bandwidth ? i - bandwidth : 0;
                    const Index last = bandwidth < rows - i ? i + bandwidth : rows - 1;
                    for (Index j = first; j <= last && j < end; ++j) visit(j);
                  });
}

CsrMatrix generate_random(Index rows, double per_row, std::uint64_t seed, bool symmetric) {
  return generate(rows, per_row, seed, symmetric,
                  [=](Random& random, Index, Index end, auto visit) {
                    sample(random, 0, end, per_row / rows, visit);
                  });
}

CsrMatrix generate_power_law(Index rows, double per_row, double exponent, std::uint64_t seed,
                             bool symmetric) {
  const double shortest = per_row * (exponent - 2.0) / (exponent - 1.0);
  return generate(
      rows, per_row, seed, symmetric, [=](Random& random, Index, Index end, auto visit) {
        const double length = shortest * std::pow(random.uniform(), -1.0 / (exponent - 1.0));
        sample(random, 0, end, std::min(length / rows, 1.0), visit);
      });
}

CsrMatrix generate_stencil(Index side, int dimensions, bool box, std::uint64_t seed,
                           bool symmetric) {
  Index rows = side;
  for (int d = 1; d < dimensions; ++d) rows *= side;
  const Index up_y = dimensions > 1 ? side : 0, up_z = dimensions > 2 ? side * side : 0;
  return generate(rows, box ? std::pow(3.0, dimensions) : 2.0 * dimensions + 1.0, seed, symmetric,
                  [=](Random&, Index i, Index end, auto visit) {
                    const auto below = [](Index place) { return place > 0 ? -1 : 0; };
                    const auto above = [=](Index place, bool there) {
                      return there && place < side - 1 ? 1 : 0;
                    };
                    const Index x = i % side, y = i / side % side, z = i / side / side;
                    for (Index dz = below(z); dz <= above(z, up_z > 0); ++dz) {
                      for (Index dy = below(y); dy <= above(y, up_y > 0); ++dy) {
                        for (Index dx = below(x); dx <= above(x, true); ++dx) {
                          const Index j = i + dz * up_z + dy * up_y + dx;
                          const bool neighbour = box || (dx != 0) + (dy != 0) + (dz != 0) < 2;
                          if (neighbour && j < end) visit(j);
                        }
                      }
                    }
                  });
}

CsrMatrix generate_blocks(Index rows, Index block_size, double per_row, std::uint64_t seed,
                          bool symmetric) {
  const Index blocks = (rows - 1) / block_size + 1;
  return generate(rows, per_row * block_size, seed, symmetric,
                  [=](Random&, Index i, Index end, auto visit) {
                    const Index own = i / block_size;
                    Random random(seed, static_cast<std::uint64_t>(rows) + own);
                    bool own_done = false;
                    const auto visit_block = [&](Index block) {
                      const Index first = block * block_size;
                      const Index last = std::min(end - first, block_size);
                      for (Index j = 0; j < last; ++j) visit(first + j);
                      own_done = own_done || block == own;
                    };
                    sample(random, 0, blocks, (per_row - 1.0) / blocks, [&](Index block) {
                      if (block > own && !own_done) visit_block(own);
                      visit_block(block);
                    });
                    if (!own_done) visit_block(own);
                  });
}

CsrMatrix generate_diagonals(Index rows, Index count, double density, std::uint64_t seed,
                             bool symmetric) {
  Random random(seed, static_cast<std::uint64_t>(rows));
  std::vector<std::int64_t> offsets;
  for (Index d = 0; d < count; ++d) {
    offsets.push_back(std::llround((2.0 * random.uniform() - 1.0) * (rows - 1)));
    if (symmetric) offsets.back() = -std::abs(offsets.back());
  }
  std::ranges::sort(offsets);
  offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
  return generate(rows, density * count, seed, symmetric,
                  [=, &offsets](Random& of_row, Index i, Index end, auto visit) {
                    for (const std::int64_t offset : offsets) {
                      const std::int64_t j = i + offset;
                      if (j < 0 || j >= end) continue;
                      if (of_row.uniform() < density) visit(static_cast<Index>(j));
                    }
                  });
}

CsrMatrix generate_runs(Index rows, double per_row, Index length, Index bandwidth,
                        std::uint64_t seed, bool symmetric) {
  const double starts = per_row / length / (2.0 * bandwidth + 1.0);
  return generate(
      rows, per_row, seed, symmetric, [=](Random& random, Index i, Index end, auto visit) {
        Index next = i > bandwidth ? i - bandwidth : 0;  // the first column not visited yet
        const Index last = bandwidth < rows - i ? std::min(i + bandwidth + 1, end) : end;
        sample(random, next, last, std::min(starts, 1.0), [&](Index start) {
          for (Index j = std::max(start, next); j < std::min(last, start + length); ++j) visit(j);
          next = std::max(next, std::min(last, start + length));
        });
      });
}

CsrMatrix generate_arrow(Index rows, Index width, Index bandwidth, std::uint64_t seed,
                         bool symmetric) {
  return generate(rows, 2.0 * width + 2.0 * bandwidth + 1.0, seed, symmetric,
                  [=](Random&, Index i, Index end, auto visit) {
                    const Index dense = i < width ? end : std::min(width, end);
                    for (Index j = 0; j < dense; ++j) visit(j);
                    const Index last = bandwidth < rows - i ? i + bandwidth + 1 : rows;
                    for (Index j = std::max(dense, i - bandwidth); j < std::min(last, end); ++j) {
                      visit(j);
                    }
                  });
}

CsrMatrix generate_hubs(Index rows, double per_row, Index hubs, double hub_length,
                        std::uint64_t seed, bool symmetric) {
  std::vector<char> is_hub(static_cast<std::size_t>(rows), 0);
  Random places(seed, static_cast<std::uint64_t>(rows));
  for (Index h = 0; h < hubs; ++h) is_hub[static_cast<Index>(places.uniform() * rows)] = 1;
  return generate(rows, per_row, seed, symmetric,
                  [&](Random& random, Index i, Index end, auto visit) {
                    const double length = is_hub[i] ? hub_length : per_row;
                    sample(random, 0, end, std::min(length / rows, 1.0), visit);
                  });
}

CsrMatrix generate_recursive(int levels, double per_row, double skew, std::uint64_t seed,
                             bool symmetric) {
  const Index rows = Index{1} << levels;
  const double other = 0.25 - skew / 3.0;
  const double upper = 0.25 + skew + other;  // elements in the upper half, and in the left one
  return generate(rows, per_row, seed, symmetric,
                  [=](Random& random, Index i, Index end, auto visit) {
                    double length = per_row;
                    for (int b = 0; b < levels; ++b)
                      length *= 2.0 * (i >> b & 1 ? 1 - upper : upper);
                    std::vector<Index> columns;
                    const double most = std::min(length + random.uniform(), 1.0 * rows);
                    for (Index e = 1; e <= most; ++e) {
                      Index j = 0;
                      for (int b = 0; b < levels; ++b) {
                        const double left = i >> b & 1 ? 0.5 : (0.25 + skew) / upper;
                        if (random.uniform() > left) j |= Index{1} << b;
                      }
                      if (j < end) columns.push_back(j);
                    }
                    std::ranges::sort(columns);
                    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
                    for (const Index j : columns) visit(j);
                  });
}

}  // namespace cisolve
