// Inputs and spaces through the program, against reference energies.
#include <regex>

#include "tests/support/application.hpp"

namespace cisolve {
namespace {

TEST_F(Application, FcidumpMayComeThroughAPipePlainOrCompressed) {
  const std::string file = "'" + data + "nh3_sto3g.fcidump'";
  for (const char* filter : {"cat ", "gzip -c "}) {
    const Outcome outcome = shell(filter + file +
                                  " | \"$CISOLVE\" eigen /dev/stdin --space cisd --backend cpu "
                                  "--json r.json");
    ASSERT_EQ(outcome.status, 0) << filter << outcome.err;
    EXPECT_NEAR(json("r.json")["states"][0]["energy"].get<double>(), -55.517613462102, 1e-8);
  }
}

TEST_F(Application, TruncatedSpacesGiveTheReferenceEnergies) {
  for (const auto& [space, energy] : {std::pair{"cisd", -55.517613462102},
                                      {"CISDT", -55.517778492325},
                                      {"cisdtq", -55.519208762883},
                                      {"fci", -55.519219000997}}) {
    const Outcome outcome = run("eigen " + data + "nh3_sto3g.fcidump --backend cpu --space " +
                                space + " --json r.json");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_NEAR(json("r.json")["states"][0]["energy"].get<double>(), energy, 1e-8) << space;
  }
}

TEST_F(Application, UnrestrictedTripletGivesTheReferenceEnergy) {
  const Outcome outcome = run("eigen " + data + "o2_sto3g_uhf.fcidump --backend cpu --json r.json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NEAR(json("r.json")["states"][0]["energy"].get<double>(), -147.744035433803, 1e-8);
  EXPECT_NE(outcome.out.find("1200 determinants, 50688 nonzeros"), std::string::npos)
      << outcome.out;
}

TEST_F(Application, ElectronsMayComeFromTheCommandLine) {
  const std::string text = contents(data + "nh3_sto3g.fcidump");
  const auto key = text.find("NELEC");
  const auto comma = text.find(',', key);
  write("n.fcidump", text.substr(0, key) + "NELEC=0" + text.substr(comma));
  EXPECT_EQ(run("info n.fcidump").status, 1);
  const Outcome outcome =
      run("eigen n.fcidump --electrons 10 --space cisd --backend cpu --json r.json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NEAR(json("r.json")["states"][0]["energy"].get<double>(), -55.517613462102, 1e-8);
}

TEST_F(Application, LanczosFindsEveryStateOfADegenerateLevel) {
  const Outcome outcome = run("eigen " + data +
                              "be_ccpvdz.fcidump --method lanczos --states 4 --backend cpu "
                              "--json r.json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto states = json("r.json")["states"];
  ASSERT_EQ(states.size(), 4u);
  EXPECT_NEAR(states[0]["energy"].get<double>(), -14.6174091633, 1e-8);
  for (int i = 1; i < 4; ++i) {
    EXPECT_NEAR(states[i]["energy"].get<double>(), -14.5163224870, 1e-8) << i;
  }
}

TEST_F(Application, ABoundaryThatTheChosenFormatDoesNotHaveIsNoted) {
  write_pair();
  const Outcome outcome =
      run("eigen pair.mtx --backend cpu --set spmv.boundary.by=count --set spmv.boundary.value=1 "
          "--json r.json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  expect_says(outcome, "spmv.format is auto: it is used only where that comes to hybrid");
  EXPECT_EQ(json("r.json")["notes"].size(), 1u);
}

TEST_F(Application, HelpShowsDefaultsAndNothingOfRunFiles) {
  const Outcome outcome = run("eigen --help");
  // Lines may break between the words.
  EXPECT_TRUE(std::regex_search(outcome.out, std::regex("default\\s+davidson")));
  EXPECT_TRUE(std::regex_search(outcome.out, std::regex("default\\s+1e-06")));
  EXPECT_EQ(outcome.out.find("run file"), std::string::npos) << outcome.out;
}

}  // namespace
}  // namespace cisolve
