// Refusals of the program: exit status, message, nothing half-written.
#include <array>
#include <sstream>
#include <vector>

#include "app/memory/memory.hpp"
#include "backends/backend.hpp"
#include "core/error.hpp"
#include "tests/support/application.hpp"

namespace cisolve {
namespace {

TEST_F(Application, MisuseIsStatus1) {
  write_pair();
  const std::string nh3 = data + "nh3_sto3g.fcidump";
  const std::vector<std::array<std::string, 2>> misuses{
      {"", "A subcommand is required"},
      {"egen pair.mtx", "there is no command 'egen'; did you mean eigen? there are: run, eigen"},
      {"eigen", "INPUT is required"},
      {"eigen pair.mtx --nonsense", "unknown option --nonsense"},
      {"eigen pair.mtx --states x", "error: --states: found 'x', expected integer"},
      {"eigen pair.mtx --states 0", "found '0', expected integer (1 to 10000)"},
      {"eigen pair.mtx --tolerance -1", "found '-1', expected number (above 0)"},
      {"eigen pair.mtx --threads 100000", "found '100000', expected integer (0 to 1024)"},
      {"eigen pair.mtx --set solver.p_space=100000", "expected integer (0 to 20000)"},
      {"eigen pair.mtx --set solver.guard=2147483647", "expected integer (-1 to 10000)"},
      {"eigen pair.mtx --set solver.max_basis=2147483647", "expected integer (0 to 20000)"},
      {"eigen absent.mtx", "absent.mtx: no such file"},
      {"eigen .", ".: is a folder, expected a file"},
      {"eigen pair.mtx --space cisdtqp",
       "expected name or integer (fci, cis, cisd, cisdt, cisdtq, or a rank"},
      {"eigen pair.mtx --format foo",
       "there is no format 'foo'; did you mean coo? there are: auto, coo, csb, csr"},
      {"eigen pair.mtx --irrep 0", "--irrep chooses determinants"},
      {"eigen pair.mtx --set spmv.boundary.value=1", "spmv.boundary.value: found 1 without"},
      {"eigen pair.mtx --format csr --set spmv.boundary.by=count", "belongs to the format hybrid"},
      {"eigen pair.mtx --backend cpu --deterministic --set spmv.tune=true",
       "--deterministic: found spmv.tune beside it"},
      {"bench pair.mtx --backend cpu --deterministic --set spmv.tune=true",
       "--deterministic: found spmv.tune beside it"},
      {"eigen pair.mtx --backend cpu --set spmv.off_diagonal=float16",
       "spmv.off_diagonal: found 'float16'"},
      {"eigen pair.mtx --backend cpu --method lanczos --set solver.olsen=true",
       "solver.olsen: lanczos makes no corrections"},
      {"eigen pair.mtx --backend cpu --method lanczos --set solver.guard=1",
       "solver.guard: lanczos has no guard vectors"},
      {"eigen pair.mtx --backend cpu --method lobpcg --set solver.max_basis=30",
       "solver.max_basis: lobpcg has a basis of three blocks"},
      {"linear pair.mtx --backend cpu --method cg --omega 1.2", "--omega: cg takes none"},
      {"linear pair.mtx --backend cpu --omega 1.2 --set linear.block_size=2 --method srj",
       "--omega: srj takes none"},
      {"linear pair.mtx --backend cpu --set spmv.off_diagonal=float32",
       "a linear solver does not change over to double"},
      {"eigen pair.mtx --backend cpu --format dia --set spmv.off_diagonal=float32",
       "with the format dia, which is stored in double only"},
      {"info pair.mtx --dump d --set spmv.off_diagonal=float32", "handed out in double"},
      {"info pair.mtx --deterministic", "unknown option --deterministic"},
      {"info pair.mtx --set spmv.boundary.by=column --set spmv.boundary.value=3",
       "spmv.boundary.value: found 3, expected at most 2"},
      {"eigen pair.mtx --backend cpu --format hybrid --set spmv.boundary.by=column "
       "--set spmv.boundary.value=3",
       "spmv.boundary.value: found 3, expected at most 2"},
      {"info " + nh3 + " --ms2 1", "MS2 must be even for 10 electrons; --ms2 changes it"},
      {"info " + nh3 + " --electrons 9 --ms2 2", "MS2 must be odd for 9 electrons"},
      {"run", "expected a run file"},
      {"run absent.yaml", "absent.yaml: no such file"},
      {"run .", ".: is a folder"},
      {"run --set a", "expected a run file"},
      {"convert pair.mtx out.fcidump", "FCIDUMP files cannot be written"},
      {"convert pair.mtx out.txt", "expected a name that ends in .mtx"},
      {"convert pair.mtx", "OUTPUT is required"},
      {"convert absent.mtx absent/out.mtx", "absent/out.mtx: cannot be written in its folder"},
      {"linear pair.mtx --rhs absent.npy", "absent.npy: cannot be read"},
      {"linear pair.mtx --rhs unit:3", "unit:ROW with a row from 1 to 2"},
      {"linear pair.mtx --rhs unit:x", "expected unit:ROW with a row from 1"},
      {"linear pair.mtx --x0 absent.npy", "absent.npy: cannot be read"},
      {"linear pair.mtx --shift 1 --shift-from-ground -1", "one of them"},
      {"linear pair.mtx --method chebyshev_jacobi --set linear.spectrum_steps=0",
       "at least one step"},
      {"linear pair.mtx --backend cpu --method cg --set linear.block_size=2",
       "linear.block_size: cg has no blocks"},
      {"linear pair.mtx --method block_jacobi --set linear.block_size=1",
       "expected integer (0, or from 2 to 1024)"},
      {"linear pair.mtx --backend cpu --method block_jacobi --shift 1",
       "the diagonal block of 2 rows whose first is row 1 is singular after the shift by 1"},
      {"linear pair.mtx --omega 2", "expected number (from 0 to below 2)"},
      {"info absent.mtx", "absent.mtx: no such file"}};
  for (const auto& [arguments, fragment] : misuses) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 1) << arguments;
    EXPECT_NE((outcome.err + outcome.out).find(fragment), std::string::npos) << arguments << "\n"
                                                                             << outcome.err;
  }
  for (const char* arguments : {"--help", "--version", "eigen --help", "run --keys"}) {
    EXPECT_EQ(run(arguments).status, 0) << arguments;
  }
}

TEST_F(Application, UnknownKeyInARunFileIsNamedWithLineAndAllowedKeys) {
  write("bad.yaml", "input:\n  file: pair.mtx\nsolver:\n  stats: 2\n");
  const Outcome outcome = run("run bad.yaml");
  EXPECT_EQ(outcome.status, 1);
  expect_says(
      outcome,
      "bad.yaml:4: unknown key solver.stats; did you mean solver.states? the keys of solver are "
      "method, states");
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
  EXPECT_EQ(files(), 0);
}

TEST(MemoryCheck, SaysWhatIsNeededAndRefusesWhatDoesNotFit) {
  const auto backend = make_cpu_backend();
  MemoryNeed need;
  need.host_matrix = 320;
  need.host_matrix_stays = true;
  need.basis_vector = 100;
  need.vectors.basis = need.vectors.smallest_basis = 7;
  need.p_space = 64;
  std::string said;
  Log out;
  out.progress = [&](const std::string& lines) { said += lines; };
  announce(plan_memory(need, {2000, std::nullopt}), "10 rows", *backend, out);
  EXPECT_EQ(said,
            "memory      10 rows\n"
            "  host      1.34 kB of 2 kB available: matrix 320 B, p-space 320 B, 7 basis vectors "
            "700 B\n"
            "  plan      everything fits");
  const std::size_t exabyte = std::size_t{1} << 60;
  for (std::size_t MemoryNeed::*part : {&MemoryNeed::host_matrix, &MemoryNeed::operator_matrix,
                                        &MemoryNeed::scratch, &MemoryNeed::basis_vector}) {
    MemoryNeed large = need;
    large.vectors.basis = large.vectors.smallest_basis = 1;
    large.*part = exabyte;
    try {
      announce(plan_memory(large, available_memory(*backend)), "all", *backend, out);
      FAIL() << "an exabyte fits";
    } catch (const ResourceError& error) {
      EXPECT_NE(std::string(error.what()).find("1.15e+03 PB needed: all"), std::string::npos)
          << error.what();
    }
  }
}

class MemoryLimit : public Application {
 protected:
  /// Solves within so many bytes, format csr.
  Outcome within(const std::string& limit, const std::string& more = "") const {
    return run("eigen " + data + "nh3_sto3g.fcidump --states 3 --backend cpu --json r.json " +
               "--operator stored --set solver.p_space=50 --set backend.memory_limit=" + limit +
               " " + more);
  }
};

TEST_F(MemoryLimit, ShrinksTheBasisAndSaysSo) {
  ASSERT_EQ(within("0").status, 0);
  const auto whole = json("r.json");
  EXPECT_EQ(whole["memory"]["plan"], "as_configured");
  EXPECT_EQ(whole["memory"]["basis_vectors"], 24);
  EXPECT_EQ(whole["memory"]["notes"].size(), 0u);
  const auto needed = whole["memory"]["host_needed"].get<std::int64_t>();
  const auto vector = whole["memory"]["basis_bytes"].get<std::int64_t>() / 24;

  EXPECT_EQ(within(std::to_string(needed)).status, 0);
  EXPECT_EQ(json("r.json")["memory"]["plan"], "as_configured");

  const Outcome outcome = within(std::to_string(needed - 14 * vector));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto small = json("r.json");
  EXPECT_EQ(small["memory"]["plan"], "smaller_basis");
  EXPECT_EQ(small["memory"]["basis_vectors"], 10);
  EXPECT_EQ(small["memory"]["basis_vectors_configured"], 24);
  EXPECT_NE(outcome.out.find("plan      10 basis vectors instead of 24"), std::string::npos)
      << outcome.out;
  EXPECT_NE(small["notes"].dump().find("10 basis vectors instead of 24"), std::string::npos);
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(small["states"][i]["energy"].get<double>(),
                whole["states"][i]["energy"].get<double>(), 1e-9);
  }
  EXPECT_GT(small["iterations"].get<int>(), 0);

  const Outcome refused = within(std::to_string(needed - 15 * vector), "--format csr");
  EXPECT_EQ(refused.status, 3);
  expect_says(refused, "not enough host memory");
  expect_says(refused, "what would help: a higher backend.memory_limit; --format csr_symmetric");
}

TEST_F(MemoryLimit, TakesUnitsAndRefusesWhatIsNoNumberOfBytes) {
  for (const std::string good : {"'2 GB'", "2gb", "1.5TB", "3e9", "500000kB"}) {
    EXPECT_EQ(within(good).status, 0) << good;
  }
  EXPECT_EQ(json("r.json")["config"]["backend"]["memory_limit"], 500000000);
  for (const std::string bad : {"-1", "2XB", "GB", "''", "2e99TB", "'2 G B'"}) {
    const Outcome outcome = within(bad);
    EXPECT_EQ(outcome.status, 1) << bad;
    expect_says(outcome, "expected bytes (0 or more, as 2000000000 or 2 GB (kB, MB, GB, TB))");
  }
  EXPECT_EQ(within("1kB").status, 3);
}

TEST_F(Application, ABasisTooSmallForTheStatesIsRefusedWithTheSmallest) {
  const std::string nh3 = "eigen " + data + "nh3_sto3g.fcidump --backend cpu --states 4 ";
  const auto expect_refused = [&](const std::string& flags, const std::string& words) {
    const Outcome outcome = run(nh3 + flags);
    EXPECT_EQ(outcome.status, 1) << flags;
    expect_says(outcome, "max_basis: found " + words);
  };
  expect_refused("--set solver.max_basis=3",
                 "3, expected at least 12 for 4 states and 1 guard vectors");
  expect_refused("--set solver.max_basis=11", "11, expected at least 12");
  expect_refused("--method lanczos --set solver.max_basis=9",
                 "9, expected at least 10 for 4 states and 0 guard vectors");
  EXPECT_EQ(run(nh3 + "--set solver.max_basis=12").status, 0);
  EXPECT_EQ(run(nh3 + "--set solver.max_basis=10 --set solver.guard=0").status, 0);
  write_pair();  // of a small matrix, all rows are enough
  EXPECT_EQ(run("eigen pair.mtx --backend cpu --set solver.max_basis=2").status, 0);
  EXPECT_EQ(run("eigen pair.mtx --backend cpu --set solver.max_basis=1").status, 1);
}

TEST_F(Application, SpacesThatCannotFitAreRefusedBeforeTheyAreBuilt) {
  const Outcome outcome =
      run("eigen " + data + "n2_631g_frozen_core.fcidump --states 10000 --backend cpu");
  EXPECT_EQ(outcome.status, 3);
  expect_says(outcome, "TB needed: 19079424 determinants");
  expect_says(outcome, "what would help: fewer --states, or a smaller solver.guard; fewer det");
}

TEST_F(Application, AFullStdoutIsStatus3) {
  write_pair();
  for (const char* arguments :
       {"eigen pair.mtx --backend cpu", "eigen pair.mtx --backend cpu --json -",
        "linear pair.mtx --shift -3 --backend cpu", "info pair.mtx", "convert pair.mtx a.mtx",
        "formats", "formats --json -", "run --keys", "--help"}) {
    const Outcome outcome = run(std::string(arguments) + " > /dev/full");
    EXPECT_EQ(outcome.status, 3) << arguments;
    expect_says(outcome, "stdout cannot be written");
  }
}

TEST_F(Application, TextThatIsNoFcidumpIsShown) {
  write("a.fcidump", "\nmade by hand\n&FCI NORB=1,NELEC=1 &END\n1.0 1 1 0 0\n");
  const Outcome outcome = run("info a.fcidump");
  EXPECT_EQ(outcome.status, 1);
  expect_says(outcome, "a.fcidump: found \"made by hand\", expected an FCIDUMP file");
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
  expect_says(outcome, "more states than rows");
}

TEST_F(Application, MalformedRightHandSidesAreRefused) {
  write_pair();
  const std::string head = "%%MatrixMarket matrix array real general\n";
  for (const std::string text : {"3 1\n1\n2\n3\n", "2 2\n1\n2\n3\n", "2 1\n1\n", "2 1\n1\nx\n",
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
