// Problems whose lowest states are easily missed: right, and verified, by every method.

#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/dense/host_matrix.hpp"
#include "tests/support/application.hpp"
#include "tests/support/eigenpairs.hpp"
#include "tests/support/integrals/atomic_shells.hpp"
#include "tests/support/matrices/hard_spectra.hpp"

namespace cisolve {
namespace {

using namespace testing;

void expect_right_and_verified(const CsrMatrix& a, const HostVector& exact, int states,
                               int p_space) {
  const auto backend = make_cpu_backend();
  const auto op = operator_on("cpu", *backend, "csr", a);
  for (const Method& method : methods) {
    EigenOptions options;
    options.method = method.method;
    options.states = states;
    // The tests' own speed is that of a busy machine.
    options.verify = Verify::thorough;
    const EigenResult result =
        lowest_eigenpairs(*op, *backend, p_space_with_sectors(a, p_space), options);
    EXPECT_TRUE(result.verified) << method.name;
    EXPECT_LE(result.exclusion.gap, verified_gap);
    EXPECT_EQ(result.exclusion.probability, verified_probability);
    for (int j = 0; j < states; ++j) {
      EXPECT_NEAR(result.energies[j], exact[j], 1e-8) << method.name << ", state " << j;
    }
  }
}

TEST(HardSpectra, copies_of_levels_on_graphs_are_all_found) {
  const HostMatrix cube = hard::hypercube(8), torus = hard::torus(9, 12);
  for (const int states : {3, 9}) {
    expect_right_and_verified(from_dense(cube), symmetric_eigen(cube).values, states, 10);
    expect_right_and_verified(from_dense(torus), symmetric_eigen(torus).values, states, 10);
  }
}

TEST(HardSpectra, low_states_of_small_blocks_that_the_diagonal_does_not_show_are_found) {
  const HostMatrix blocks = hard::small_blocks(80, 3);
  for (const int states : {1, 6}) {
    expect_right_and_verified(from_dense(blocks), symmetric_eigen(blocks).values, states, 100);
  }
}

TEST(HardSpectra, low_states_coupled_by_next_to_nothing_are_found) {
  for (const double coupling : {1e-9, 1e-12}) {
    const HostMatrix pairs = hard::far_pairs(400, 3, coupling, 5);
    for (const int states : {1, 4}) {
      expect_right_and_verified(from_dense(pairs), symmetric_eigen(pairs).values, states, 100);
    }
  }
}

TEST(HardSpectra, mixed_copies_of_a_block_are_counted_right) {
  const HostMatrix copies = hard::mixed_copies(150, 3, 0.0, 2);
  for (const int states : {2, 7}) {
    expect_right_and_verified(from_dense(copies), symmetric_eigen(copies).values, states, 20);
  }
}

TEST(HardSpectra, symmetry_hidden_by_rotated_orbitals_costs_no_state) {
  const CsrMatrix ring = hard::full_ci(hard::rotated(hubbard_integrals({.sites = 6, .u = 1.0}), 4));
  const HostVector exact = dense_eigenvalues(ring);
  for (const int states : {1, 5}) expect_right_and_verified(ring, exact, states, 50);
}

TEST(HardSpectra, lobpcg_keeps_its_direction_where_states_move_by_next_to_nothing) {
  // Three electrons in p and d in a weak field, clusters of 7: the last residuals are near 1e-6,
  // and so are the steps.
  const CsrMatrix shells =
      hard::full_ci(hard::rotated(atoms::in_field(atoms::shells({1, 2}, 3, 10.0, 5), 1e-3, 5), 5));
  const HostVector exact = dense_eigenvalues(shells);
  const auto backend = make_cpu_backend();
  const auto op = operator_on("cpu", *backend, "csr", shells);
  for (const int states : {20, 44}) {
    EigenOptions options = thorough_options();
    options.method = EigenMethod::lobpcg;
    options.states = states;
    options.max_iterations = 300;
    const EigenResult result =
        lowest_eigenpairs(*op, *backend, p_space_with_sectors(shells, 10), options);
    EXPECT_EQ(result.status, SolveStatus::converged) << states;
    EXPECT_TRUE(result.verified) << states;
    for (int j = 0; j < states; ++j) EXPECT_NEAR(result.energies[j], exact[j], 1e-8) << j;
  }
}

/// Files with results that were once wrong and called `verified`, by the program with its defaults,
/// except the time of the search.
class HardFile : public Application,
                 public ::testing::WithParamInterface<std::tuple<std::string, std::string, int>> {};

TEST_P(HardFile, has_its_lowest_states_found) {
  const auto& [file, method, states] = GetParam();
  const auto exact = YAML::LoadFile(data + "hard/energies.yaml")[file].as<std::vector<double>>();
  const Outcome outcome =
      run("eigen '" + data + "hard/" + file + "' --method " + method + " --states " +
          std::to_string(states) + " --verify thorough --leading 0 --json report.json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto report = json("report.json");
  EXPECT_EQ(report["status"], "converged");
  EXPECT_TRUE(report["verified"].get<bool>());
  EXPECT_LE(report["verification"]["gap"].get<double>(), verified_gap);
  for (int j = 0; j < states; ++j) {
    EXPECT_NEAR(report["states"][j]["energy"].get<double>(), exact[j], 2e-9) << j;
  }
}

INSTANTIATE_TEST_SUITE_P(Files, HardFile,
                         ::testing::Values(std::tuple{"O_631g_cas_rand.fcidump", "davidson", 3},
                                           std::tuple{"H8chain_3.0_rand.fcidump", "lobpcg", 1},
                                           std::tuple{"H8chain_3.0_rand.fcidump", "davidson", 3},
                                           std::tuple{"H2H2_far_degrot.fcidump", "davidson", 9},
                                           std::tuple{"hub_ring6_U0_site.fcidump", "lanczos", 6},
                                           std::tuple{"blocks200.npz", "davidson", 2},
                                           std::tuple{"blocks200.npz", "lobpcg", 12},
                                           std::tuple{"pairs_1e-12.npz", "davidson", 1},
                                           std::tuple{"pairs_1e-12.npz", "lanczos", 4},
                                           std::tuple{"adj_hypercube11.npz", "davidson", 11}),
                         [](const auto& tested) {
                           return testing::test_name(std::get<0>(tested.param)) + "_" +
                                  std::get<1>(tested.param) + "_" +
                                  std::to_string(std::get<2>(tested.param));
                         });

}  // namespace
}  // namespace cisolve
