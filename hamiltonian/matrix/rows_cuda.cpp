#include "hamiltonian/matrix/rows_cuda.hpp"

namespace cisolve {
namespace {

struct CanMake {
  bool operator()(const CiSpace& space) const { return can_make_ci_rows_cuda(space); }
  bool operator()(const ListedSpace&) const { return true; }
};

struct Make {
  std::unique_ptr<RowSource> operator()(const CiSpace& space) const {
    return make_ci_rows_cuda(integrals, space, backend, row_block_entries);
  }
  std::unique_ptr<RowSource> operator()(const ListedSpace& space) const {
    return make_list_rows_cuda(integrals, space, backend, row_block_entries);
  }

  const Integrals& integrals;
  Backend& backend;
};

}  // namespace

bool can_make_rows_cuda(const AnySpace& space) {
  return space.visit(CanMake{});
}

std::unique_ptr<RowSource> make_rows_cuda(const Integrals& integrals, const AnySpace& space,
                                          Backend& backend) {
  return space.visit(Make{integrals, backend});
}

}  // namespace cisolve
