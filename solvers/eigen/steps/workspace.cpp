#include "solvers/eigen/steps/workspace.hpp"

#include "core/dense/host_matrix.hpp"
#include "solvers/eigen/methods.hpp"

namespace cisolve {
namespace {

// Sectors beyond are searched as one.
constexpr int most_sectors = 32;

/// Rows of every group.
std::vector<Index> rows_on_all(Communicator& ranks, const SectorOrder& order) {
  std::vector<double> sizes;
  for (int s = 0; s < order.groups(); ++s) sizes.push_back(order.rows(s));
  ranks.sum(sizes);
  return {sizes.begin(), sizes.end()};
}

Residence basis_residence(const EigenOptions& asked) {
  return asked.basis_in_host_memory ? Residence::host : Residence::device;
}

}  // namespace

Workspace::Workspace(LinearOperator& matrix, Backend& on, const PSpace& p_space,
                     const EigenOptions& asked)
    : backend(on),
      options(asked),
      rows(matrix.rows()),
      all_rows(static_cast<Index>(ranks().total(rows)) / on.components()),
      block(block_size(asked, all_rows)),
      order(order_by_sector(p_space.sectors, rows, most_sectors)),
      sizes(rows_on_all(ranks(), order)),
      a(matrix, on, order, product_columns(asked, all_rows)),
      basis(on, rows, basis_size(asked, all_rows), basis_residence(asked)),
      images(on, rows, traits_of(asked.method).keeps_images ? basis.columns() : 0,
             basis_residence(asked)),
      new_vectors(on, rows, block),
      new_images(on, rows, block),
      residuals(on, rows, traits_of(asked.method).corrects ? asked.states + 2 : block),
      olsen(on, rows, asked.olsen ? 2 : 0),
      diagonal(on, rows, 1) {
  a.diagonal(matrix, diagonal.view());
  make_searches(p_space);
}

void Workspace::make_searches(const PSpace& p_space) {
  const auto first = static_cast<Index>(ranks().sum_before(rows));
  // Place of every row of P on this rank, or −1, and its sector, known to the rank that owns it.
  std::vector<Index> places;
  std::vector<double> sector_of;
  for (const Index row : p_space.rows) {
    const bool here = first <= row && row < first + rows;
    places.push_back(here ? order.place_of(row - first) : -1);
    sector_of.push_back(here ? order.group_of_place(places.back()) : 0);
  }
  ranks().sum(sector_of);
  std::vector<std::vector<Index>> members(sectors()), own(sectors()), p_rows(sectors());
  for (std::size_t p = 0; p < p_space.rows.size(); ++p) {
    const auto s = static_cast<int>(sector_of[p]);
    if (places[p] >= 0) {
      own[s].push_back(static_cast<Index>(members[s].size()));
      p_rows[s].push_back(places[p] - order.begin[s]);
    }
    members[s].push_back(static_cast<Index>(p));
  }
  for (int s = 0; s < sectors(); ++s) {
    Preconditioner m(backend, p_rows[s], p_space.matrix(members[s], members[s]), own[s],
                     part(diagonal.view(), s), product_columns(options, all_rows));
    m.take(inner_solve(p_space, s));
    searches.push_back(traits_of(options.method)
                           .make(backend, std::move(m),
                                 {dimension_of(s), part(basis.view(), s), part(images.view(), s),
                                  part(residuals.view(), s), part(olsen.view(), s)}));
  }
}

std::unique_ptr<InnerSolve> Workspace::inner_solve(const PSpace& p_space, int sector) const {
  constexpr std::size_t worth = 4;  // P is divided by exactly
  if (p_space.inner == nullptr) return nullptr;
  if (p_space.inner->parts.empty() ||
      p_space.inner->parts[0].rows.size() < worth * p_space.rows.size()) {
    return nullptr;
  }
  for (InnerBlock::Part part : p_space.inner->parts) {
    bool here = true;
    for (std::size_t d = 0; d < part.rows.size() && here; ++d) {
      if (part.factors[d] == 0.0) {
        part.rows[d] = 0;
        continue;
      }
      const Index place = order.place_of(part.rows[d]);
      here = order.group_of_place(place) == sector;
      part.rows[d] = place - order.begin[sector];
    }
    if (here)
      return std::make_unique<InnerSolve>(backend, *p_space.inner, part,
                                          product_columns(options, all_rows));
  }
  return nullptr;
}

}  // namespace cisolve
