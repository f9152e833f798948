// SLEPc as the engine: the program's own reports of what it finds.
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/support/application.hpp"

namespace cisolve {
namespace {

class BySlepc : public Application {
 protected:
  void SetUp() override {
#ifndef CISOLVE_HAVE_SLEPC
    GTEST_SKIP() << "built without SLEPc";
#endif
    if (std::getenv("CISOLVE_PROGRAM") != nullptr &&
        !fs::exists(program().parent_path() / "lib" / "libcisolve_slepc.so")) {
      GTEST_SKIP() << "a bundle of programs, without the module for SLEPc";
    }
  }
  const std::string h8_ = "eigen '" + data + "h8_chain_sto3g.fcidump' --backend cpu ";
  /// Energies of tests/data/references.yaml.
  void expect_h8(const std::string& report) const {
    const auto made = json(report);
    const std::vector<double> energies{-3.8508763326, -3.8330990980, -3.8118708689};
    ASSERT_EQ(made["states"].size(), energies.size());
    for (std::size_t i = 0; i < energies.size(); ++i) {
      EXPECT_NEAR(made["states"][i]["energy"].get<double>(), energies[i], 1e-9);
      EXPECT_LE(made["states"][i]["residual_norm"].get<double>(), 1e-6);
    }
    EXPECT_TRUE(made["verified"].get<bool>());
    // SLEPc's products, and one block to take the residuals with and one after that.
    const auto by_slepc = made["engine"]["operator_applications"].get<int>();
    EXPECT_GT(by_slepc, 0);
    EXPECT_GT(made["operator_applications"].get<int>(), by_slepc);
  }
};

TEST_F(BySlepc, finds_known_states_by_every_method) {
  for (const std::string method : {"krylovschur", "gd"}) {
    for (const std::string held : {"direct", "stored"}) {
      const Outcome made =
          run(h8_ +
              "--states 3 --verify thorough --json r.json --set solver.engine=slepc "
              "--set solver.slepc_method=" +
              method + " --operator " + held);
      ASSERT_EQ(made.status, 0) << made.err;
      expect_h8("r.json");
      EXPECT_NE(made.out.find(method + ": "), std::string::npos) << made.out;
    }
  }
}

TEST_F(BySlepc, finds_them_over_ranks) {
  if (shell("command -v mpirun").status != 0) GTEST_SKIP() << "there is no mpirun";
  for (const std::string of : {"-n 2 ", "-n 3 "}) {
    for (const std::string matrix : {"shell", "assembled"}) {
      const Outcome made =
          shell("mpirun --allow-run-as-root --oversubscribe --bind-to none " + of +
                "\"$CISOLVE\" " + h8_ +
                "--states 3 --verify thorough --json r.json --set solver.engine=slepc "
                "--set solver.slepc_matrix=" +
                matrix);
      ASSERT_EQ(made.status, 0) << made.err;
      expect_h8("r.json");
      const auto name = json("r.json")["engine"]["name"].get<std::string>();
      EXPECT_EQ(name.ends_with(", assembled"), matrix == "assembled") << name;
    }
  }
}

/// A factorisation of A − σ needs the elements; products alone do not allow it.
TEST_F(BySlepc, has_the_elements_of_an_assembled_matrix) {
  const std::string job = "eigen '" + data +
                          "nh3_sto3g.fcidump' --space cisd --states 3 --verify thorough "
                          "--tolerance 1e-8 --backend cpu --json ";
  ASSERT_EQ(run(job + "own.json").status, 0);
  const auto own = json("own.json")["states"];
  const std::string below = std::to_string(own[0]["energy"].get<double>() - 0.1);
  const std::string inverted =
      job + "r.json --set solver.engine=slepc --set 'solver.slepc_options=-st_type sinvert " +
      "-eps_target " + below + " -st_pc_type cholesky' --set solver.slepc_matrix=";
  const Outcome made = run(inverted + "assembled");
  ASSERT_EQ(made.status, 0) << made.err;
  EXPECT_TRUE(json("r.json")["verified"].get<bool>());
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(json("r.json")["states"][i]["energy"].get<double>(), own[i]["energy"].get<double>(),
                1e-10);
  }
  EXPECT_EQ(run(inverted + "shell").status, 1);
}

TEST_F(BySlepc, says_what_it_cannot_do_and_what_nobody_reads) {
  const std::string job = h8_ + "--set solver.engine=slepc ";
  const Outcome method = run(job + "--set solver.slepc_method=nonsense");
  EXPECT_EQ(method.status, 1);
  EXPECT_NE(method.err.find("found nonsense"), std::string::npos) << method.err;
  EXPECT_EQ(run(job + "--set solver.multiplicity=1").status, 1);
  EXPECT_EQ(run(job + "--set solver.stop_by=energy").status, 1);
  EXPECT_EQ(run(h8_ + "--set solver.slepc_options='-eps_ncv 40'").status, 1);
  EXPECT_EQ(run(job + "--set solver.slepc_matrix=assembled --operator direct").status, 1);
  EXPECT_EQ(run(job + "--set solver.slepc_matrix=assembled --format csr_symmetric").status, 1);
  EXPECT_EQ(run(h8_ + "--set solver.slepc_matrix=assembled").status, 1);
  const Outcome even = run(job + "--set solver.slepc_matrix=assembled --spin-inversion even");
  EXPECT_EQ(even.status, 1);
  EXPECT_NE(even.err.find("solver.slepc_matrix"), std::string::npos) << even.err;
  const Outcome unread = run(job + "--set solver.slepc_options='-eps_ncv 40 -eps_nonsense 3'");
  EXPECT_EQ(unread.status, 0);
  EXPECT_NE(unread.err.find("nobody has read -eps_nonsense"), std::string::npos) << unread.err;
}

TEST_F(BySlepc, is_no_success_where_it_stops_early) {
  const Outcome made = run(h8_ +
                           "--json r.json --set solver.engine=slepc "
                           "--set solver.max_iterations=2");
  EXPECT_NE(made.status, 0);
  EXPECT_EQ(json("r.json")["status"], "max_iterations");
}

}  // namespace
}  // namespace cisolve
