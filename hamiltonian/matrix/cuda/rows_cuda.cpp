#include "hamiltonian/matrix/cuda/rows_cuda.hpp"

#include "hamiltonian/space/listed/configuration_order.hpp"

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
    return make_list_rows_cuda(integrals, space, backend, row_block_entries, order);
  }

  const Integrals& integrals;
  Backend& backend;
  std::span<const Index> order;
};

/// Most rows that are ordered by configuration. With more, the columns of a step are further apart
/// than 16 bits reach: 3·10⁶ take 5.8 bytes a nonzero instead of 5.3 (H200, docs/results/lists.md).
constexpr std::int64_t most_by_configuration = 1 << 20;

struct Near {
  std::vector<Index> operator()(const CiSpace&) const { return {}; }
  std::vector<Index> operator()(const ListedSpace& space) const {
    return space.size() <= most_by_configuration ? rows_by_configuration(space)
                                                 : std::vector<Index>();
  }
};

}  // namespace

bool can_make_rows_cuda(const AnySpace& space) {
  return space.visit(CanMake{});
}

std::unique_ptr<RowSource> make_rows_cuda(const Integrals& integrals, const AnySpace& space,
                                          Backend& backend, std::span<const Index> order) {
  return space.visit(Make{integrals, backend, order});
}

std::vector<Index> near_rows(const AnySpace& space) {
  return space.visit(Near{});
}

}  // namespace cisolve
