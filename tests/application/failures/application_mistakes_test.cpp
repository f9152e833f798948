// Words of other programs, misspelt ones, and files given for others.
#include <array>
#include <string>
#include <vector>

#include "tests/support/application.hpp"

namespace cisolve {
namespace {

class Mistakes : public Application {
 protected:
  void expect_refused(const std::string& arguments, const std::string& words) const {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 1) << arguments;
    expect_says(outcome, words);
  }
  const std::string h2 = "eigen " + data + "h2_sto3g.fcidump --backend cpu ";
};

TEST_F(Mistakes, WordsOfOtherProgramsThatMeanTheSameAreTaken) {
  const Outcome outcome =
      run(h2 + "--nroots 2 --time-limit 100 --memory-limit '2 GB' --json r.json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const nlohmann::json r = json("r.json");
  EXPECT_EQ(r["states"].size(), 2u);
  EXPECT_EQ(r["config"]["solver"]["time_limit"], 100.0);
  EXPECT_EQ(r["config"]["backend"]["memory_limit"], 2'000'000'000);
  EXPECT_EQ(
      run("linear " + data + "h2_sto3g.fcidump --shift-from-ground -1 --time-limit 100").status, 0);
}

TEST_F(Mistakes, OtherWordsOfOtherProgramsNameTheRightOption) {
  const std::vector<std::array<std::string, 2>> cases{
      {"--spin 2",
       "unknown option --spin; here it is --ms2 for alpha minus beta electrons, or --multiplicity "
       "for 2S + 1"},
      {"--memory 4",
       "unknown option --memory; here it is --memory-limit, with its unit, as in 4GB"},
      {"--nstates=3", "unknown option --nstates; here it is --states"},
      {"--wfnsym A1", "unknown option --wfnsym; here it is --irrep"},
      {"--conv-tol 1e-9", "here it is --tolerance, of the residual's norm, not of the energy"},
      {"--gpu", "here it is --backend cuda"},
      {"--max-cycle 4", "here it is --max-iterations"},
      {"-k 4", "here it is --states"}};
  for (const auto& [typed, words] : cases) expect_refused(h2 + typed, words);
  expect_refused(
      "select " + data + "h2_sto3g.fcidump --multiplicity 1",
      "unknown option --multiplicity; here it is --ms2, 2 M_s: spins are not told apart");
  // Hints name only options that the command has.
  const Outcome outcome = run("info pair.mtx --nstates 3");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.err.find("here it is"), std::string::npos) << outcome.err;
}

TEST_F(Mistakes, ValuesThatAreMisspeltAreNamed) {
  const std::vector<std::array<std::string, 2>> cases{
      {"--method lanzcos", "(davidson, lobpcg, lanczos); did you mean lanczos?"},
      {"--backend gpu", "(auto, cpu, cuda); did you mean cuda?"},
      {"--format scr", "there is no format 'scr'; did you mean csr? there are: auto, "},
      {"--space csid", "did you mean cisd?"},
      {"--spin-inversion evn", "did you mean even?"},
      {"--units hartre", "did you mean hartree?"},
      {"--operator dirct", "did you mean direct?"},
      {"--verify throrough", "did you mean thorough?"},
      {"--set solver.stop_by=resid", "did you mean residual?"},
      {"--set spmv.deterministic=ture", "did you mean true?"}};
  for (const auto& [typed, words] : cases) expect_refused(h2 + typed, words);
  expect_refused("eigen generate:hubard,sites=4",
                 "there is no kind \"hubard\"; did you mean hubbard? there are: ci, ");
  expect_refused(h2 + "--checkpoint ck.npz", "found ck.npz, the name of start vectors");
  const Outcome far = run(h2 + "--method arpack");
  EXPECT_EQ(far.err.find("did you mean"), std::string::npos) << far.err;
}

TEST_F(Mistakes, FilesThatAreNoHamiltonianAreNamed) {
  ASSERT_EQ(
      run(h2 + "--states 2 --vectors s.npz --rdm1 d.npz --checkpoint ck.h5 --json r.npz").status,
      0);
  ASSERT_EQ(run(h2 + "--states 2 --vectors s.h5").status, 0);
  ASSERT_EQ(run(h2 + "--states 2 --vectors v.npy").status, 0);
  const std::string molden = "[Molden Format]\n[Atoms] AU\nH 1 1 0 0 0\n";
  write("m.molden", molden);
  write("m.npz", molden);
  fs::copy_file(data + "h2_sto3g.fcidump", folder_ / "f.mtx");
  fs::copy_file(folder_ / "v.npy", folder_ / "v.npz");
  fs::copy_file(folder_ / "v.npy", folder_ / "v.dat");
  const std::vector<std::array<std::string, 2>> cases{
      {"s.npz", "s.npz: is a file of eigenstates, expected an FCIDUMP file"},
      {"s.npz", "`cisolve eigen INPUT --restart s.npz` begins with them"},
      {"s.h5", "s.h5: is a file of eigenstates, expected an FCIDUMP file"},
      {"d.npz", "d.npz: is a file of densities, expected"},
      {"ck.h5", "ck.h5: is a checkpoint, expected"},
      {"ck.h5", "`cisolve eigen INPUT --restart ck.h5` goes on from it"},
      {"r.npz", "r.npz: is a report of cisolve, expected"},
      {"m.molden", "m.molden: is a Molden file, expected"},
      {"m.npz", "it has orbitals, and no integrals: `--orbitals m.npz` takes it"},
      {"f.mtx", "f.mtx: is an FCIDUMP file, expected a matrix, by its name; it is read by any"},
      {"v.npz", "v.npz: is a NumPy array, expected"},
      {"v.dat", "of a matrix its name should end in .npy"},
      {"v.npy", "v.npy: the matrix is 4 x 2, expected a square one; vectors are what --restart "}};
  for (const auto& [file, words] : cases) expect_refused("eigen " + file, words);
}

TEST_F(Mistakes, FilesThatAreNoStartAreNamed) {
  ASSERT_EQ(run(h2 + "--determinants-out d.npz --checkpoint ck.h5 --vectors s.npz").status, 0);
  const std::string select = "select " + data + "h2_sto3g.fcidump ";
  const std::string takes = "; `cisolve eigen INPUT --determinants d.npz` takes it";
  expect_refused(h2 + "--restart d.npz",
                 "d.npz: is a list of determinants, expected a checkpoint (--checkpoint), or "
                 "vectors in .npy or .npz" +
                     takes);
  expect_refused(h2 + "--follow d.npz", "expected vectors in .npy or .npz" + takes);
  expect_refused(select + "--restart d.npz",
                 "d.npz: is a list of determinants, expected a selection");
  expect_refused(select + "--restart ck.h5",
                 "ck.h5: is a checkpoint, expected a selection, which --checkpoint of select is; "
                 "`cisolve eigen INPUT --restart ck.h5` goes on from it");
  expect_refused(h2 + "--follow ck.h5", "ck.h5: is a checkpoint, expected vectors");
  EXPECT_EQ(run(h2 + "--restart s.npz --follow s.npz").status, 0);
}

TEST_F(Mistakes, ASpaceOfTooManyDeterminantsNamesSmallerOnes) {
  const std::string ring = "eigen generate:hubbard,sites=18 --backend cpu ";
  const Outcome outcome = run(ring);
  EXPECT_EQ(outcome.status, 1);
  expect_says(outcome, "the space has 2363904400 determinants; expected at most 2147483647");
  expect_says(outcome, "would fit");
  expect_says(outcome, "\n  --space cisdtq ");
  // A direct product has more than 2³¹ determinants, too.
  EXPECT_EQ(outcome.err.find("--operator direct "), std::string::npos) << outcome.err;
  // Half of the determinants, and of those that are their own images: (2363904400 + 48620) / 2.
  const bool room = outcome.err.find("--spin-inversion even ") != std::string::npos;
  EXPECT_TRUE(!room || outcome.err.find(" 1,181,976,510 ") != std::string::npos) << outcome.err;
}

TEST_F(Mistakes, EvenFunctionsAreAmongTheSpacesThatWouldFit) {
  // 4,008,004 determinants: vectors of 1.06 GB, and half of that.
  const Outcome outcome =
      run("eigen generate:molecule,orbitals=14,electrons=10 --backend cpu "
          "--operator direct --set backend.memory_limit=700MB "
          "--set solver.states=9");
  EXPECT_EQ(outcome.status, 3);
  expect_says(outcome,
              "\n  --spin-inversion even       2,005,003            -          -     529 MB");
  const Outcome odd =
      run("eigen generate:molecule,orbitals=14,electrons=9 --backend cpu "
          "--operator direct --set backend.memory_limit=300MB "
          "--set solver.states=9");
  EXPECT_EQ(odd.err.find("--spin-inversion"), std::string::npos) << odd.err;
}

TEST_F(Mistakes, ThePageHasTheBytesOfTheText) {
  const Outcome outcome = run(h2 + "--json r.json --html p.html");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE((outcome.out + outcome.err).find("p-space 640 B"), std::string::npos) << outcome.out;
  EXPECT_EQ(json("r.json")["memory"]["p_space"], 640);
  EXPECT_NE(contents(folder_ / "p.html").find("640 B"), std::string::npos);
}

}  // namespace
}  // namespace cisolve
