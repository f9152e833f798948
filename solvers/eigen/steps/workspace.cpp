#include "solvers/eigen/steps/workspace.hpp"

#include "solvers/eigen/methods.hpp"

namespace cisolve {
namespace {

// Sectors beyond are searched as one.
constexpr int most_sectors = 32;

Residence basis_residence(const EigenOptions& asked) {
  return asked.basis_in_host_memory ? Residence::host : Residence::device;
}

}  // namespace

Workspace::Workspace(LinearOperator& matrix, Backend& on, const PSpace& p_space,
                     const EigenOptions& asked)
    : backend(on),
      options(asked),
      rows(matrix.rows()),
      block(block_size(asked, rows)),
      order(order_by_sector(p_space.sectors, rows, most_sectors)),
      a(matrix, on, order, product_columns(asked, rows)),
      basis(on, rows, basis_size(asked, rows), basis_residence(asked)),
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
  std::vector<std::vector<Index>> members(sectors()), p_rows(sectors());
  for (std::size_t p = 0; p < p_space.rows.size(); ++p) {
    const Index place = order.place_of(p_space.rows[p]);
    const int s = order.group_of_place(place);
    members[s].push_back(static_cast<Index>(p));
    p_rows[s].push_back(place - order.begin[s]);
  }
  for (int s = 0; s < sectors(); ++s) {
    Preconditioner m(backend, p_rows[s], p_space.matrix(members[s], members[s]),
                     part(diagonal.view(), s), product_columns(options, rows));
    searches.push_back(traits_of(options.method)
                           .make(backend, std::move(m),
                                 {part(basis.view(), s), part(images.view(), s),
                                  part(residuals.view(), s), part(olsen.view(), s)}));
  }
}

}  // namespace cisolve
