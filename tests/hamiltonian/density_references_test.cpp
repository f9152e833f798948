// The energy of every small state of references.yaml from its densities.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "hamiltonian/density/direct_densities.hpp"
#include "hamiltonian/density/space_densities.hpp"
#include "hamiltonian/integrals/fcidump/fcidump.hpp"
#include "hamiltonian/matrix/ci_matrix.hpp"
#include "solvers/eigen/eigen_problem.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/reference_cases.hpp"
#include "tests/support/support.hpp"

namespace cisolve {
namespace {

constexpr std::int64_t most_determinants = 15000;

EigenResult states_of(const Integrals& integrals, const CiSpace& space, int states,
                      Backend& backend) {
  const CiMatrixBuilder builder(integrals, space);
  const auto matrix = std::make_shared<const CsrMatrix>(builder.fill(builder.count()));
  PSpace p_space;
  p_space.rows = lowest_diagonal_rows(diagonal(*matrix), 200);
  p_space.matrix = principal_submatrix(*matrix, p_space.rows);
  EigenOptions options;
  // The outcome does not depend on how busy the machine is.
  options.verify = Verify::thorough;
  options.states = states;
  return lowest_eigenpairs(*make_operator("csr", matrix, backend), backend, p_space, options);
}

class DensityReferences : public ::testing::TestWithParam<std::string> {};

TEST_P(DensityReferences, EnergiesFollowFromDensities) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  int found = 0;
  for (const auto& entry : YAML::LoadFile((test_data() / "references.yaml").string())) {
    for (const ReferenceCase& c : cases_of(entry.first.as<std::string>(), entry.second)) {
      SCOPED_TRACE(c.file + " " + c.name);
      const Integrals integrals = read_fcidump(test_data() / c.file);
      const CiSpace space = make_ci_space(integrals, c.space);
      if (space.size() > most_determinants) continue;
      const EigenResult result = states_of(integrals, space, c.states, backend);
      const HostMatrix vectors = backend.download(result.vectors.view());
      for (int j = 0; j < c.states; ++j) {
        const HostVector x = vectors.col(j);
        Densities d;
        if (c.space.max_excitation) {
          d = space_densities(space, make_pair_excitations(space), x, x);
        } else {
          const DirectLayout layout(orbital_labels(integrals), space);
          const MultiVector on_backend = testing::on(backend, to_layout(layout, space, x));
          d = DirectDensities(layout, backend).of(on_backend.view().data, on_backend.view().data);
        }
        EXPECT_NEAR(energy(integrals, d), result.energies[j], 1e-10);
        ++found;
      }
    }
  }
  EXPECT_GE(found, 30);
}

INSTANTIATE_TEST_SUITE_P(Backends, DensityReferences,
                         ::testing::Values(std::string("cpu"), std::string("cuda")));

}  // namespace
}  // namespace cisolve
