// How the program refuses: exit status, message, nothing half-written.
#include "tests/application.hpp"

#include <sstream>

#include "app/memory.hpp"
#include "backends/backend.hpp"
#include "core/error.hpp"

namespace cisolve {
namespace {

TEST_F(Application, MisuseIsStatus1) {
  write_pair();
  for (const char* arguments : {"",
                                "egen pair.mtx",
                                "eigen",
                                "eigen pair.mtx --nonsense",
                                "eigen pair.mtx --states x",
                                "eigen pair.mtx --states 0",
                                "eigen pair.mtx --tolerance -1",
                                "eigen absent.mtx",
                                "eigen .",
                                "eigen pair.mtx --space cisdtqp",
                                "eigen pair.mtx --format foo",
                                "eigen pair.mtx --irrep 0",
                                "run",
                                "run absent.yaml",
                                "run --set a",
                                "convert pair.mtx out.fcidump",
                                "convert pair.mtx out.txt",
                                "convert pair.mtx",
                                "linear pair.mtx --rhs absent.npy",
                                "linear pair.mtx --omega 2",
                                "info absent.mtx"}) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 1) << arguments;
    EXPECT_FALSE(outcome.err.empty()) << arguments;
  }
  for (const char* arguments : {"--help", "--version", "eigen --help", "run --keys"}) {
    EXPECT_EQ(run(arguments).status, 0) << arguments;
  }
}

TEST_F(Application, UnknownFormatListsThoseThereAre) {
  write_pair();
  expect_says(run("eigen pair.mtx --format foo"), "csr, ell, hybrid");
}

TEST_F(Application, UnknownKeyInARunFileIsNamedWithLineAndAllowedKeys) {
  write("bad.yaml", "input:\n  file: pair.mtx\nsolver:\n  stats: 2\n");
  const Outcome outcome = run("run bad.yaml");
  EXPECT_EQ(outcome.status, 1);
  expect_says(outcome,
              "bad.yaml:4: unknown key solver.stats; the keys of solver are method, states");
}

TEST_F(Application, InputFileIsRequired) {
  write("empty.yaml", "solver: {states: 1}\n");
  const Outcome outcome = run("run empty.yaml");
  EXPECT_EQ(outcome.status, 1);
  expect_says(outcome, "input.file is required");
}

TEST_F(Application, CudaWhereThereIsNoneIsStatus3AndSaysWhy) {
  if (cuda_unavailable_reason().empty()) GTEST_SKIP() << "a CUDA device is here";
  write_pair();
  const Outcome outcome = run("eigen pair.mtx --backend cuda");
  EXPECT_EQ(outcome.status, 3);
  expect_says(outcome, cuda_unavailable_reason());
}

TEST_F(Application, UnwritableOutputIsFoundBeforeComputing) {
  write_pair();
  for (const char* flags : {"--json absent/r.json", "--set output.vectors=absent/v.npy"}) {
    const Outcome outcome = run(std::string("eigen pair.mtx --backend cpu ") + flags);
    EXPECT_EQ(outcome.status, 1);
    EXPECT_EQ(outcome.out, "");
    EXPECT_FALSE(fs::exists(folder_ / "absent"));
  }
}

TEST_F(Application, FailureLeavesNoHalfWrittenReport) {
  EXPECT_EQ(run("eigen absent.mtx --json r.json").status, 1);
  int files = 0;
  for (const auto& entry : fs::directory_iterator(folder_)) {
    files += entry.path().filename() != "stderr.txt";
  }
  EXPECT_EQ(files, 0);
}

TEST(MemoryCheck, RefusesWhatDoesNotFitWithTheNumbers) {
  std::ostringstream out;
  const auto backend = make_cpu_backend();
  EXPECT_NO_THROW(announce_and_check({10, 20, 320, 0, 800}, *backend, out));
  EXPECT_NE(out.str().find("10 rows, 20 nonzeros; to allocate: host matrix 320 B, vectors 800 B"),
            std::string::npos)
      << out.str();
  try {
    announce_and_check({10, 20, 0, std::size_t{1} << 60, 800}, *backend, out);
    FAIL() << "an exabyte fits";
  } catch (const ResourceError& error) {
    EXPECT_NE(std::string(error.what()).find("operator about 1.15e+03 PB, vectors 800 B"),
              std::string::npos)
        << error.what();
  }
}

TEST_F(Application, NonSymmetricMatrixIsRefusedByEigenNamingThePair) {
  write("skew.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 2\n1 2 1\n2 2 2\n");
  const Outcome outcome = run("eigen skew.mtx --backend cpu");
  EXPECT_EQ(outcome.status, 1);
  expect_says(outcome, "row 1, column 2");
}

TEST_F(Application, RectangularMatrixIsRefused) {
  write("wide.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1 2\n");
  EXPECT_EQ(run("eigen wide.mtx --backend cpu").status, 1);
  EXPECT_EQ(run("linear wide.mtx --backend cpu").status, 1);
}

TEST_F(Application, MissingIntegralsAreRefusedUnlessAllowed) {
  const std::string file = data + "h2o_631g_missing_row.bad.fcidump";
  const Outcome outcome = run("info " + file);
  EXPECT_EQ(outcome.status, 1);
  expect_says(outcome, "orbital 12");
  const Outcome allowed =
      run("eigen " + file + " --space cisd --backend cpu --allow-missing-diagonal --json r.json");
  EXPECT_EQ(allowed.status, 0) << allowed.err;
  expect_says(allowed, "orbital 12");
  EXPECT_NE(json("r.json")["notes"].dump().find("orbital 12"), std::string::npos);
}

TEST_F(Application, MoreStatesThanDeterminantsIsRefused) {
  write_pair();
  const Outcome outcome = run("eigen pair.mtx --states 3 --backend cpu");
  EXPECT_EQ(outcome.status, 1);
  expect_says(outcome, "more states than determinants");
}

TEST_F(Application, MalformedRightHandSidesAreRefused) {
  write_pair();
  const std::string head = "%%MatrixMarket matrix array real general\n";
  for (const std::string text : {"3 1\n1\n2\n3\n", "2 2\n1\n2\n3\n4\n", "2 1\n1\n", "2 1\n1\nx\n",
                                 "2 1\n1\n2\n3\n", "2 1\n1\nnan\n", ""}) {
    write("b.mtx", head + text);
    EXPECT_EQ(run("linear pair.mtx --rhs b.mtx --backend cpu").status, 1) << text;
  }
  write("b.npy", "\x93NUMPY");
  EXPECT_EQ(run("linear pair.mtx --rhs b.npy --backend cpu").status, 1);
  write("b.mtx", head + "2 1\n1\nx\n");
  expect_says(run("linear pair.mtx --rhs b.mtx --backend cpu"), "b.mtx:4: found 'x'");
}

}  // namespace
}  // namespace cisolve
