#include "hamiltonian/matrix/matrix_builder.hpp"

#include "hamiltonian/matrix/ci_matrix.hpp"
#include "hamiltonian/matrix/list_matrix.hpp"
#include "hamiltonian/space/listed/list_pairs.hpp"

namespace cisolve {
namespace {

std::unique_ptr<const MatrixBuilder> builder_over(const Integrals& integrals, const CiSpace& space,
                                                  Storage storage) {
  return std::make_unique<const CiMatrixBuilder>(integrals, space, storage);
}

std::unique_ptr<const MatrixBuilder> builder_over(const Integrals& integrals,
                                                  const ListedSpace& space, Storage storage) {
  return std::make_unique<const ListMatrixBuilder>(integrals, space, storage);
}

struct ListBytes {
  double operator()(const CiSpace&) const { return 0.0; }
  double operator()(const ListedSpace& space) const { return ListPairs::bytes_for(space); }
};

}  // namespace

double list_table_bytes(const AnySpace& space) {
  return space.visit(ListBytes{});
}

std::unique_ptr<const MatrixBuilder> make_matrix_builder(const Integrals& integrals,
                                                         const AnySpace& space, Storage storage) {
  return space.visit([&](const auto& of) { return builder_over(integrals, of, storage); });
}

}  // namespace cisolve
