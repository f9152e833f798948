// Full CI without a matrix, as users run it.
#include <yaml-cpp/yaml.h>

#include "tests/support/application.hpp"
#include "tests/support/reference_cases.hpp"

namespace cisolve {
namespace {

using Json = nlohmann::json;

class Direct : public Application {
 protected:
  Json solve(const std::string& arguments) const {
    const Outcome outcome = run("eigen " + arguments + " --operator direct --backend cpu --json -");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return Json::parse(outcome.out, nullptr, false);
  }
};

TEST_F(Direct, GivesTheEnergiesOfTheReferences) {
  int cases = 0;
  for (const auto& entry : YAML::LoadFile((test_data() / "references.yaml").string())) {
    const auto file = entry.first.as<std::string>();
    for (const Case& c : cases_of(file, entry.second)) {
      if (c.space.max_excitation || file.starts_with("n2_631g") || file.starts_with("ch2") ||
          file.starts_with("h2o")) {
        continue;  // truncated, or of many determinants
      }
      SCOPED_TRACE(file + " " + c.name);
      const std::string irrep = c.space.irrep ? " --irrep " + std::to_string(*c.space.irrep) : "";
      const Json found =
          solve(data + file + irrep + " --states " + std::to_string(c.states) + " --verify quick");
      std::vector<double> energies;
      for (const auto& state : found["states"]) energies.push_back(state["energy"].get<double>());
      EXPECT_LE(largest_error(c, energies), 1e-8);
      EXPECT_EQ(found["matrix"]["format"], "direct");
      EXPECT_EQ(found["matrix"]["nonzeros"], nullptr);
      ++cases;
    }
  }
  EXPECT_GE(cases, 8);
}

TEST_F(Direct, SaysWhatAStateIsAsAStoredMatrixDoes) {
  const std::string input = data + "n2_sto3g.fcidump --states 4 --irrep 0 --backend cpu --json -";
  const auto state_of = [&](const std::string& kind) {
    return Json::parse(run("eigen " + input + " --operator " + kind).out)["states"][2];
  };
  const Json direct = state_of("direct"), stored = state_of("stored");
  EXPECT_NEAR(direct["energy"].get<double>(), stored["energy"].get<double>(), 1e-10);
  EXPECT_EQ(direct["multiplicity"], stored["multiplicity"]);
  EXPECT_EQ(direct["leading"][0]["occupation"], stored["leading"][0]["occupation"]);
}

TEST_F(Direct, IsRefusedWhereThereAreNoDirectProducts) {
  const auto complaint = [&](const std::string& arguments) {
    const Outcome outcome = run("eigen " + arguments + " --operator direct --backend cpu");
    EXPECT_EQ(outcome.status, 1) << outcome.out;
    return outcome.err;
  };
  const std::string nh3 = data + "nh3_sto3g.fcidump";
  EXPECT_NE(complaint(nh3 + " --space cisd").find("full CI"), std::string::npos);
  EXPECT_NE(complaint(nh3 + " --format csr").find("spmv.format"), std::string::npos);
  EXPECT_NE(complaint("generate:ci,rows=100").find("integrals"), std::string::npos);
}

}  // namespace
}  // namespace cisolve
