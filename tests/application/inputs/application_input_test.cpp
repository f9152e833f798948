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

TEST_F(Application, PackedFilesOfNothingAreRefusedSoonAndInLittleMemory) {
  const std::string mtx = "%%MatrixMarket matrix coordinate real general\n",
                    fcidump = "&FCI NORB=2,NELEC=2 &END\n";
  const std::string fill = "head -c 68000000 /dev/zero | tr '\\0' ";
  for (const auto& [head, byte, file, words] :
       {std::tuple{mtx, "' '", "a.mtx.gz", "a.mtx.gz:2: found a line of more than 16.8 MB"},
        {fcidump, "'\\n'", "b.fcidump.gz", "b.fcidump.gz: unpacked it has more than 67.1 MB"}}) {
    write("head", head);
    ASSERT_EQ(shell("{ cat head; " + fill + byte + "; } | gzip -1 > " + file).status, 0);
    const Outcome outcome = run("info " + std::string(file));
    EXPECT_EQ(outcome.status, 1);
    expect_says(outcome, words);
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

TEST_F(Application, ANumberOfOrbitalsIsFrozenByEnergy) {
  // The 1s orbitals, 1 and 6, stand apart because the file's order is Ag, B1g …
  const auto energy = [&](const std::string& options) {
    EXPECT_EQ(
        run("eigen " + data + "n2_sto3g.fcidump --backend cpu --json r.json " + options).status, 0);
    return json("r.json")["states"][0]["energy"].get<double>();
  };
  const double by_number = energy("--freeze 2");
  const auto notes = json("r.json")["notes"];
  std::string list;
  for (const auto& note : notes) {
    const std::string text = note;
    if (text.starts_with("frozen: orbitals ")) list = text;
  }
  EXPECT_NE(list.find("(-15."), std::string::npos) << notes;
  std::smatch found;
  ASSERT_TRUE(std::regex_search(list, found, std::regex(R"(orbitals (\d+) \(.*\), (\d+) \()")));
  EXPECT_EQ(by_number, energy("--frozen " + found.str(1) + "," + found.str(2)));
  EXPECT_GT(by_number, energy(""));
  expect_says(run("eigen " + data + "n2_sto3g.fcidump --freeze 2 --frozen 1"),
              "--freeze and --frozen both say which orbitals are frozen");
  expect_says(run("eigen " + data + "n2_sto3g.fcidump --freeze 11"), "--freeze: 11 of 10 orbitals");
  expect_says(run("eigen " + data + "n2_sto3g.fcidump --freeze 10"), "leave");
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

TEST_F(Application, LabelsOfPyscfCountFromZeroAndHaveNamesByThePointGroup) {
  std::string text = contents(data + "lih_ccpvdz.fcidump");
  const auto begin = text.find("ORBSYM="), end = text.find('\n', begin);
  const std::string labels = "ORBSYM=0,0,0,0,0,0,0,0,0,0,1,2,2,2,2,3,3,3,3,";
  write("lih.fcidump", text.replace(begin, end - begin, labels));
  for (const auto& [irrep, energy] : {std::pair{"B1", -7.8630483831}, {"A2", -7.6142341261}}) {
    const Outcome outcome = run(std::string("eigen lih.fcidump --point-group c2v --irrep ") +
                                irrep + " --backend cpu --json r.json");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_NEAR(json("r.json")["states"][0]["energy"].get<double>(), energy, 1e-8) << irrep;
    EXPECT_EQ(json("r.json")["states"][0]["irrep_name"], irrep);
  }
  EXPECT_EQ(run("eigen lih.fcidump --irrep 2 --backend cpu --json r.json").status, 0);
  EXPECT_NEAR(json("r.json")["states"][0]["energy"].get<double>(), -7.8630483831, 1e-8);
  for (const auto& [arguments, words] :
       {std::pair{"--irrep B1", "give the group by --point-group"},
        {"--point-group Cs", "Cs has 2 irreps, and an orbital is of irrep 3"},
        {"--point-group C3v", "found 'C3v', expected one of D2h, C2v, C2h, D2, Cs, C2, Ci, C1"}}) {
    const Outcome outcome = run(std::string("eigen lih.fcidump ") + arguments);
    EXPECT_EQ(outcome.status, 1) << arguments;
    expect_says(outcome, words);
  }
}

TEST_F(Application, FromWhereTheLabelsOfOrbsymCountCanBeSaid) {
  const std::string lines =
      "0.25 1 2 3 4\n-1 1 1 0 0\n-1 2 2 0 0\n-1 3 3 0 0\n-1 4 4 0 0\n0 0 0 0 0\n";
  const std::string header = "&FCI NORB=4,NELEC=1,MS2=1,ORBSYM=";
  // PySCF's, of D2h: B1g, B2g, Au, B3u, whose product is Ag. None is 0, so they are read as
  // Molpro's, with which the first integral does not agree.
  write("pyscf.fcidump", header + "1,2,4,7 &END\n" + lines);
  Outcome outcome = run("info pyscf.fcidump --json r.json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  expect_says(outcome, "do, --orbsym pyscf says so");
  EXPECT_TRUE(json("r.json")["fcidump"]["orbital_irreps"].empty());
  outcome = run("info pyscf.fcidump --orbsym pyscf --point-group D2h --json r.json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(json("r.json")["fcidump"]["orbital_irreps"], nlohmann::json({1, 2, 4, 7}));
  EXPECT_EQ(json("r.json")["fcidump"]["orbitals_of_irrep"],
            nlohmann::json({{"B1g", 1}, {"B2g", 1}, {"Au", 1}, {"B3u", 1}}));
  EXPECT_EQ(json("r.json")["notes"].dump().find("ORBSYM"), std::string::npos);

  // Labels outside the numbering are refused.
  outcome = run("info pyscf.fcidump --orbsym moplro");
  EXPECT_EQ(outcome.status, 1);
  write("zero.fcidump", header + "0,1,2,3 &END\n" + lines);
  outcome = run("info zero.fcidump --orbsym molpro");
  EXPECT_EQ(outcome.status, 1);
  expect_says(outcome, "ORBSYM: found label 0, expected 1 to 8, as --orbsym says");
  write("eight.fcidump", header + "8,1,2,3 &END\n" + lines);
  outcome = run("info eight.fcidump --orbsym pyscf");
  EXPECT_EQ(outcome.status, 1);
  expect_says(outcome, "ORBSYM: found label 8, expected 0 to 7, as --orbsym says");
  write_pair();
  outcome = run("info pair.mtx --orbsym pyscf");
  EXPECT_EQ(outcome.status, 1);
  expect_says(outcome, "--orbsym chooses determinants, and pair.mtx is a matrix");
}

TEST_F(Application, MoreThan64ActiveOrbitalsAreSolvedWithAMatrix) {
  std::string text = "&FCI NORB=70,NELEC=2,MS2=0 &END\n0.6 1 1 1 1\n";
  for (int p = 1; p <= 70; ++p) {
    text += std::to_string(0.01 * p - 1.0) + " " + std::to_string(p) + " " + std::to_string(p) +
            " 0 0\n";
  }
  write("long.fcidump", text + "0.5 0 0 0 0\n");
  const Outcome direct = run("eigen long.fcidump --operator direct --backend cpu");
  EXPECT_EQ(direct.status, 1);
  expect_says(direct, "there are more than 64 orbitals");
  const Outcome all = run("eigen long.fcidump --backend cpu --json all.json");
  ASSERT_EQ(all.status, 0) << all.err;
  // |1 2⟩: −0.99 − 0.98 + 0.5.
  EXPECT_NEAR(json("all.json")["states"][0]["energy"].get<double>(), -1.47, 1e-9);
  const Outcome outcome = run("eigen long.fcidump --active 1,70 --backend cpu --json r.json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  // |1 1⟩: −2·0.99 + 0.6 + 0.5; |1 70⟩: −0.99 − 0.3 + 0.5.
  EXPECT_NEAR(json("r.json")["states"][0]["energy"].get<double>(), -0.88, 1e-9);
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
  expect_says(outcome, "--format is auto: it is used only where that comes to hybrid");
  EXPECT_EQ(json("r.json")["notes"].size(), 1u);
}

TEST_F(Application, HelpShowsDefaultsAndNothingOfRunFiles) {
  const Outcome outcome = run("eigen --help");
  // Lines may break between the words.
  EXPECT_TRUE(std::regex_search(outcome.out, std::regex("default\\s+davidson")));
  EXPECT_TRUE(std::regex_search(outcome.out, std::regex("default\\s+3000")));
  EXPECT_EQ(outcome.out.find("run file"), std::string::npos) << outcome.out;
}

}  // namespace
}  // namespace cisolve
