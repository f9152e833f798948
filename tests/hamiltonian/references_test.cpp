// Every small energy of references.yaml, by Davidson, in the formats that matter, on every backend
// there is.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "formats/format.hpp"
#include "hamiltonian/integrals/fcidump/fcidump.hpp"
#include "hamiltonian/matrix/ci_matrix.hpp"
#include "solvers/eigen/eigen_problem.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/reference_cases.hpp"
#include "tests/support/support.hpp"

namespace cisolve {
namespace {

constexpr std::int64_t most_determinants = 15000;

struct SmallCase {
  ReferenceCase reference;
  std::shared_ptr<const CsrMatrix> matrix;
};

/// Reading and building is done once for all formats and backends.
const std::vector<SmallCase>& small_cases() {
  static const std::vector<SmallCase> all = [] {
    std::vector<SmallCase> list;
    for (const auto& entry : YAML::LoadFile((test_data() / "references.yaml").string())) {
      for (ReferenceCase& c : cases_of(entry.first.as<std::string>(), entry.second)) {
        const Integrals integrals = read_fcidump(test_data() / c.file);
        const CiSpace space = make_ci_space(integrals, c.space);
        if (space.size() > most_determinants) continue;
        const CiMatrixBuilder builder(integrals, space);
        list.push_back(
            {std::move(c), std::make_shared<const CsrMatrix>(builder.fill(builder.count()))});
      }
    }
    return list;
  }();
  return all;
}

class References : public ::testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(References, AreReproducedTo1e8Hartree) {
  const auto& [format, backend_name] = GetParam();
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name);
  EXPECT_GE(small_cases().size(), 15u);
  for (const auto& [reference, matrix] : small_cases()) {
    SCOPED_TRACE(reference.file + " " + reference.name);
    PSpace p_space;
    p_space.rows = lowest_diagonal_rows(diagonal(*matrix), 200);
    p_space.matrix = principal_submatrix(*matrix, p_space.rows);
    EigenOptions options;
    // The outcome does not depend on how busy the machine is.
    options.verify = Verify::thorough;
    options.states = reference.states;
    const EigenResult result =
        lowest_eigenpairs(*make_operator(format, matrix, backend), backend, p_space, options);
    EXPECT_EQ(result.status, SolveStatus::converged);
    EXPECT_LE(largest_error(reference, result.energies), 1e-8);
  }
}

/// Roots in several sectors, degenerate and close ones: the lowest k for every seed, verified, with
/// no more products than these and a p-space of 1500. The large blocks of the chain take too long
/// here: bench/eigensolver_bench has them.
TEST(LowestStates, AreFoundVerifiedAndWithFewProducts) {
  const std::map<std::string, std::map<int, int>> most_products{
      {"n2_sto3g.fcidump", {{1, 9}, {4, 12}, {8, 21}}},
      {"be_ccpvdz.fcidump", {{1, 6}, {4, 8}, {8, 14}}},
      {"h8_chain_sto3g.fcidump", {{1, 40}, {4, 130}, {8, 220}}}};
  const auto backend = make_cpu_backend();
  int solved = 0;
  for (const auto& [reference, matrix] : small_cases()) {
    const auto limits = most_products.find(reference.file);
    if (limits == most_products.end() || reference.energies.size() < 8) continue;
    const auto a = make_operator("csr", matrix, *backend);
    PSpace p_space{{}, {}, connected_sectors(matrix->row_offsets, matrix->column_indices)};
    const int size = p_space.sectors.sizes.size() == 8 ? 1500 : 400;
    p_space.rows = p_space_rows(diagonal(*matrix), p_space.sectors, matrix->nonzeros(), 1, size,
                                backend->kind());
    p_space.matrix = principal_submatrix(*matrix, p_space.rows);
    for (const auto& [states, most] : limits->second) {
      EigenOptions options;
      // The outcome does not depend on how busy the machine is.
      options.verify = Verify::thorough;
      options.states = states;
      ReferenceCase lowest = reference;
      lowest.energies.resize(states);
      for (options.seed = 1; options.seed <= 4; ++options.seed) {
        SCOPED_TRACE(reference.file + ", states " + std::to_string(states) + ", seed " +
                     std::to_string(options.seed));
        const EigenResult result = lowest_eigenpairs(*a, *backend, p_space, options);
        EXPECT_EQ(result.status, SolveStatus::converged);
        EXPECT_TRUE(result.verified);
        EXPECT_LE(largest_error(lowest, result.energies), 1e-8);
        EXPECT_LE(result.operator_applications, most);
        ++solved;
      }
    }
  }
  EXPECT_EQ(solved, 3 * 3 * 4);
}

INSTANTIATE_TEST_SUITE_P(
    FormatsAndBackends, References,
    ::testing::Combine(::testing::Values(std::string("csr"), std::string("csr_symmetric"),
                                         std::string("hybrid"), std::string("packed_symmetric")),
                       ::testing::Values(std::string("cpu"), std::string("cuda"))),
    [](const auto& p) { return std::string(std::get<0>(p.param)) + "_" + std::get<1>(p.param); });

}  // namespace
}  // namespace cisolve
