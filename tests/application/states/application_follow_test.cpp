// States that continue vectors of an earlier run.
#include <cmath>
#include <string>

#include "tests/support/application.hpp"

namespace cisolve {
namespace {

class FollowedStates : public Application {
 protected:
  nlohmann::json solve(const std::string& arguments) {
    last_ = run("eigen " + arguments + " --backend cpu --json r.json");
    EXPECT_EQ(last_.status, 0) << last_.err;
    return json("r.json");
  }
  const std::string nitrogen = data + "n2_sto3g.fcidump --frozen 1,4 ";
  Outcome last_;
};

TEST_F(FollowedStates, AreThoseThatOverlap) {
  solve(nitrogen + "--irrep 0 --states 3 --vectors before.npz");
  // Five states now, begun from nothing: the same three are the lowest of them.
  const nlohmann::json report = solve(nitrogen + "--irrep 0 --states 5 --follow before.npz");
  ASSERT_EQ(report["followed"].size(), 3u);
  for (int j = 0; j < 3; ++j) {
    const nlohmann::json& one = report["followed"][j];
    EXPECT_EQ(one["vector"], j + 1);
    EXPECT_EQ(one["state"], j + 1);
    EXPECT_NEAR(one["overlap"].get<double>(), 1.0, 1e-8);
    EXPECT_NEAR(one["found"].get<double>(), 1.0, 1e-8);
  }
  EXPECT_NE(last_.out.find("continued by"), std::string::npos);
}

TEST_F(FollowedStates, ThatAreNotFoundAreSaidToBe) {
  solve(nitrogen + "--irrep 0 --states 3 --vectors before.npz");
  const nlohmann::json report = solve(nitrogen + "--irrep 0 --states 1 --follow before.npz");
  EXPECT_EQ(report["followed"][0]["state"], 1);
  EXPECT_TRUE(report["followed"][2]["state"].is_null());
  EXPECT_LT(report["followed"][2]["found"].get<double>(), 1e-8);
  const std::string notes = report["notes"].dump();
  EXPECT_NE(notes.find("vector 3"), std::string::npos) << notes;
  EXPECT_EQ(notes.find("vector 1 "), std::string::npos) << notes;
}

TEST_F(FollowedStates, OfHalfVectorsAndMatrices) {
  const std::string direct = nitrogen + "--operator direct --spin-inversion even --states 2 ";
  solve(direct + "--vectors before.npz");
  const nlohmann::json even = solve(direct + "--follow before.npz");
  EXPECT_NEAR(even["followed"][1]["overlap"].get<double>(), 1.0, 1e-8);
  write_pair();
  solve("pair.mtx --states 2 --vectors before.npy");
  const nlohmann::json pair = solve("pair.mtx --states 2 --follow before.npy");
  EXPECT_EQ(pair["followed"][1]["state"], 2);
}

TEST_F(FollowedStates, OfOtherDeterminantsAreRefused) {
  solve(nitrogen + "--irrep 0 --vectors before.npz");
  const Outcome other = run("eigen " + nitrogen + "--irrep 1 --follow before.npz --backend cpu");
  EXPECT_EQ(other.status, 1);
  expect_says(other, "before.npz");
  const Outcome none = run("eigen " + nitrogen + "--follow none.npz --backend cpu");
  EXPECT_EQ(none.status, 1);
  expect_says(none, "none.npz");
}

}  // namespace
}  // namespace cisolve
