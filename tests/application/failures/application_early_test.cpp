// Mistakes in files are reported before the Hamiltonian is read, or before its matrix is built.
#include <array>
#include <chrono>
#include <vector>

#include "tests/support/application.hpp"

namespace cisolve {
namespace {

class Early : public Application {
 protected:
  /// Status 1 and these words, and nothing of the Hamiltonian has been said yet.
  void expect_refused(const std::string& arguments, const std::string& words) const {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 1) << arguments;
    EXPECT_EQ(outcome.out, "") << arguments;
    expect_says(outcome, words);
  }
};

TEST_F(Early, OtherFilesAreCheckedBeforeTheHamiltonianIsRead) {
  write("broken.mtx", "no matrix\n");
  write("text.h5", "no HDF5\n");
  write("text.npy", "no array\n");
  write_pair();
  ASSERT_EQ(run("convert pair.mtx m.h5").status, 0);
  ASSERT_EQ(run("eigen pair.mtx --backend cpu --set output.vectors=v.npy").status, 0);
  std::string vectors = contents(folder_ / "v.npy");
  write("cut.npy", vectors.substr(0, vectors.size() - 1));
  vectors.replace(vectors.size() - 8, 8, 8, '\xff');
  write("nan.npy", vectors);
  const std::vector<std::array<std::string, 2>> cases{
      {"eigen broken.mtx --restart absent.h5", "absent.h5: no such file"},
      {"eigen broken.mtx --restart absent.npy", "absent.npy: no such file"},
      {"eigen broken.mtx --restart .", ".: is a folder"},
      {"eigen broken.mtx --restart text.h5", "text.h5: not readable as HDF5"},
      {"eigen broken.mtx --restart text.npy", "text.npy: expected a .npy array"},
      {"eigen broken.mtx --restart cut.npy", "cut.npy: found 15 bytes of data, expected 2"},
      {"eigen broken.mtx --restart nan.npy", "nan.npy: element 2 is not finite"},
      {"eigen broken.mtx --restart m.h5", "m.h5: no checkpoint"},
      {"eigen broken.mtx --json absent/r.json", "absent/r.json: cannot be written in its folder"},
      {"linear broken.mtx --rhs absent.npy", "absent.npy: cannot be read"},
      {"linear broken.mtx --rhs text.npy", "text.npy: expected vectors"},
      {"linear broken.mtx --rhs unit:0", "expected unit:ROW with a row from 1"},
      {"linear broken.mtx --x0 absent.npy", "absent.npy: cannot be read"},
      {"info broken.mtx --picture absent/p.png", "absent/p.png: cannot be written in its folder"},
      {"bench broken.mtx --chart absent/c.svg", "absent/c.svg: cannot be written in its folder"},
      {"convert broken.mtx absent/m.mtx", "absent/m.mtx: cannot be written in its folder"}};
  for (const auto& [arguments, words] : cases) expect_refused(arguments, words);
}

TEST_F(Early, ARestartFileOfAnotherSizeOrSpinIsRefusedBeforeTheMatrixIsBuilt) {
  const std::string other = "eigen " + data + "h8_chain_sto3g.fcidump --backend cpu ";
  run("eigen " + data +
      "nh3_sto3g.fcidump --backend cpu --max-iterations 2 --checkpoint ck.h5 "
      "--set output.vectors=v.npy");
  expect_refused(other + "--restart ck.h5",
                 "ck.h5: checkpoint of another matrix; rows: found 3136, expected 4900");
  expect_refused(other + "--restart v.npy",
                 "v.npy: vectors of another matrix: found an array of shape (3136, 1), expected "
                 "vectors of 4900 rows");
  expect_refused(other + "--restart ck.h5 --multiplicity 3",
                 "ck.h5: checkpoint of states of all multiplicities, expected multiplicity 3");
}

TEST_F(Early, AMatrixThatHasNoRoomIsRefusedBeforeItIsCounted) {
  const auto begun = std::chrono::steady_clock::now();
  const Outcome outcome = run("eigen " + data +
                              "n2_631g_frozen_core.fcidump --operator stored --backend cpu "
                              "--set backend.memory_limit=5GB");
  EXPECT_EQ(outcome.status, 3);
  expect_says(outcome, "nonzeros not counted yet (a lower bound)\n");
  expect_says(outcome, "   determinants  stored, csr     packed     direct\n");
  expect_says(
      outcome,
      "\n  --spin-inversion even                 9,541,896            -          -    2.52 GB");
  expect_says(outcome, "\n  --irrep 0                             2,388,528      16.5 GB");
  // The vectors of all irreps alone take more than the limit; those of one irrep do not.
  EXPECT_EQ(outcome.err.find("\n  --operator direct"), std::string::npos) << outcome.err;
  const Outcome irrep = run("eigen " + data +
                            "n2_631g_frozen_core.fcidump --irrep 0 --operator stored --backend cpu "
                            "--set backend.memory_limit=4GB");
  expect_says(irrep, "\n  --operator direct           2,388,528 ");
  // The default stores half of the matrix already, so csr_symmetric is not proposed.
  EXPECT_EQ(irrep.err.find("csr_symmetric"), std::string::npos) << irrep.err;
  // Counting takes a minute or two.
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(15));
}

TEST_F(Early, WhatATruncatedSpaceNeedsAtLeastIsKnownBeforeItIsCounted) {
  const Outcome outcome = run("eigen " + data +
                              "n2_631g_frozen_core.fcidump --space CISDTQ --backend cpu "
                              "--threads 1 --operator stored --set backend.memory_limit=400MB");
  EXPECT_EQ(outcome.status, 3);
  expect_says(outcome, "555336 determinants, nonzeros not counted yet (a lower bound)\n");
  expect_says(outcome, "\n  --space cis ");
}

TEST_F(Early, CountingEndsOnceTheMatrixHasNoRoom) {
  const auto begun = std::chrono::steady_clock::now();
  // Half of it would have room, and this format has no half.
  const Outcome outcome = run("eigen " + data +
                              "n2_631g_frozen_core.fcidump --space CISDTQ --backend cpu "
                              "--threads 1 --format csr --set backend.memory_limit=1.1GB");
  EXPECT_EQ(outcome.status, 3);
  expect_says(outcome, "555336 determinants, ");
  expect_says(outcome, ": more than 1.1 GB\n");
  expect_says(outcome, "\n  --space cis ");
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(15));
}

TEST_F(Early, ASparseMatrixThatHasRoomIsNotRefused) {
  // Half of this matrix would take 240 MB if it were as dense as a molecule's.
  const Outcome outcome =
      run("eigen generate:hubbard,sites=10 --operator stored --backend cpu "
          "--set backend.memory_limit=200MB --set solver.verify=off");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
}

TEST_F(Early, CountingSaysHowFarItIs) {
  // It takes far longer than the second after which a line is said.
  const Outcome outcome = shell("timeout 5 \"$CISOLVE\" eigen " + data +
                                "n2_631g_frozen_core.fcidump --space 6 --backend cpu --threads 1 "
                                "--operator stored | grep -m 1 counting");
  EXPECT_NE(outcome.out.find(" % of the rows, about "), std::string::npos) << outcome.out;
}

}  // namespace
}  // namespace cisolve
