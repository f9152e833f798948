// Eigenproblems of determinants whose matrix is made on a GPU, from the command to the report.
#include <set>
#include <string>
#include <utility>

#include "backends/backend.hpp"
#include "core/memory.hpp"
#include "formats/matrix/csr_matrix.hpp"
#include "formats/matrix/row_source.hpp"
#include "io/vector_file.hpp"
#include "tests/support/application.hpp"

namespace cisolve {
namespace {

const std::string n2 = data + "n2_sto3g.fcidump";    // 1,305,984 nonzeros in eight blocks
const std::string nh3 = data + "nh3_sto3g.fcidump";  // 633,552 nonzeros in one block
const std::string lih = data + "lih_ccpvdz.fcidump";
// A p-space of so few rows that the operator decides; and the two ways to one matrix.
const std::string small_p_space = " --set solver.p_space=20";
const std::string made_on_gpu = " --backend cuda --format packed";
const std::string made_on_cpu = " --backend cpu --threads 2 --format csr";

class BuiltOnDevice : public Application {
 protected:
  void SetUp() override {
    if (!cuda_unavailable_reason().empty()) GTEST_SKIP() << cuda_unavailable_reason();
  }

  nlohmann::json eigen(const std::string& arguments) const {
    const Outcome outcome = run("eigen " + arguments + " --json r.json");
    EXPECT_EQ(outcome.status, 0) << arguments << ": " << outcome.err;
    return json("r.json");
  }
  /// Expects a GPU's matrix and solve to give the states of a CPU's csr. Returns the GPU's report.
  nlohmann::json expect_as_on_the_cpu(const std::string& arguments) const;
  void expect_another_matrix(const std::string& arguments) const {
    const Outcome outcome = run("eigen " + arguments + " --restart ck.h5");
    EXPECT_EQ(outcome.status, 1) << arguments;
    expect_says(outcome, "ck.h5: checkpoint of another matrix; fingerprint: the elements differ");
  }
  /// Status 3, those words, and no file.
  void expect_no_room(const std::string& arguments, const std::string& words) const {
    const Outcome outcome =
        run("eigen " + arguments + " --json r.json --checkpoint ck.h5 --set output.vectors=v.npy");
    EXPECT_EQ(outcome.status, 3) << outcome.err;
    expect_says(outcome, words);
    EXPECT_EQ(files(), 0);
  }
};

bool built_on_device(const nlohmann::json& report) {
  return report["matrix"]["built_on_device"];
}

std::multiset<std::string> irreps(const nlohmann::json& report) {
  std::multiset<std::string> all;  // states of one energy come in any order
  for (const nlohmann::json& state : report["states"]) all.insert(state["irrep"].dump());
  return all;
}

void expect_same_states(const nlohmann::json& found, const nlohmann::json& expected) {
  ASSERT_EQ(found["states"].size(), expected["states"].size());
  for (std::size_t i = 0; i < expected["states"].size(); ++i) {
    EXPECT_NEAR(found["states"][i]["energy"].get<double>(),
                expected["states"][i]["energy"].get<double>(), 1e-9)
        << "state " << i;
  }
  EXPECT_EQ(irreps(found), irreps(expected));
  EXPECT_EQ(found["sectors"], expected["sectors"]);
  EXPECT_EQ(found["verified"], true);
}

nlohmann::json BuiltOnDevice::expect_as_on_the_cpu(const std::string& arguments) const {
  SCOPED_TRACE(arguments);
  const nlohmann::json found = eigen(arguments + made_on_gpu),
                       expected = eigen(arguments + made_on_cpu);
  EXPECT_TRUE(built_on_device(found));
  EXPECT_FALSE(built_on_device(expected));
  EXPECT_EQ(found["matrix"]["format"], "packed");
  EXPECT_EQ(found["matrix"]["nonzeros"], expected["matrix"]["nonzeros"]);
  expect_same_states(found, expected);
  return found;
}

TEST_F(BuiltOnDevice, IsThePackedMatrixOfTheCpu) {
  const nlohmann::json found = expect_as_on_the_cpu(n2 + " --states 4");
  EXPECT_EQ(found["memory"]["host_matrix"], 0);
  const nlohmann::json packed = eigen(n2 + " --states 4 --format packed --backend cpu --threads 2");
  EXPECT_FALSE(built_on_device(packed));
  for (const char* key : {"rows", "nonzeros", "bytes", "padding", "layout"}) {
    EXPECT_EQ(found["matrix"][key], packed["matrix"][key]) << key;
  }
}

TEST_F(BuiltOnDevice, OtherFormatsAreOfAHostMatrix) {
  const nlohmann::json r = eigen(nh3 + " --states 2 --format csr --backend cuda");
  EXPECT_FALSE(built_on_device(r));
  EXPECT_EQ(r["matrix"]["format"], "csr");
  expect_same_states(r, eigen(nh3 + " --states 2" + made_on_cpu));
}

TEST_F(BuiltOnDevice, HasTheStatesOfAMultiplicity) {
  for (const char* multiplicity : {"1", "3"}) {
    const std::string wanted = std::string(" --set solver.multiplicity=") + multiplicity;
    expect_as_on_the_cpu(n2 + " --states 3 --set solver.p_space=200" + wanted);
  }
  expect_as_on_the_cpu(
      "generate:molecule,orbitals=6,electrons=5,irreps=2 --ms2 1 --states 2 "
      "--set solver.multiplicity=4" +
      small_p_space);
}

TEST_F(BuiltOnDevice, HasTheSectorsThatTheSquareOfTheSpinUnites) {
  // Sites without hopping: every determinant is an eigenvector, and few of them have a spin.
  const std::string sites =
      "generate:hubbard,sites=4,t=0,U=1,electrons=4 --states 2 --set solver.p_space=10";
  const nlohmann::json all = expect_as_on_the_cpu(sites);
  const nlohmann::json triplets = expect_as_on_the_cpu(sites + " --set solver.multiplicity=3");
  EXPECT_LT(triplets["sectors"].size(), all["sectors"].size());
}

TEST_F(BuiltOnDevice, MayBeOfATruncatedSpaceOrAnIrrep) {
  expect_as_on_the_cpu(nh3 + " --space cis --states 4 --set solver.p_space=10");
  expect_as_on_the_cpu(nh3 + " --space cisd --states 4" + small_p_space);
  expect_as_on_the_cpu(lih + " --space cisd --irrep 1 --states 3" + small_p_space);
}

TEST_F(BuiltOnDevice, MayBeOfUnrestrictedIntegrals) {
  expect_as_on_the_cpu(data + "o2_sto3g_uhf.fcidump --states 3" + small_p_space);
}

TEST_F(BuiltOnDevice, MayBeOfOneElectronOfEitherSpin) {
  for (const char* spin : {" --ms2 1", " --ms2 -1"}) {
    expect_as_on_the_cpu(lih + " --set input.electrons=1 --states 3 --set solver.p_space=4" + spin);
  }
}

TEST_F(BuiltOnDevice, GoesOnFromACheckpointOfAHostMatrixAndTheOtherWayRound) {
  const std::string solve = nh3 + " --states 2 --set solver.p_space=100";
  const nlohmann::json whole = eigen(solve + made_on_cpu);
  for (const auto& [first, next] :
       {std::pair(made_on_gpu, made_on_cpu), std::pair(made_on_cpu, made_on_gpu)}) {
    SCOPED_TRACE(first + ", then" + next);
    EXPECT_EQ(run("eigen " + solve + first + " --max-iterations 3 --checkpoint ck.h5").status, 2);
    const nlohmann::json rest = eigen(solve + next + " --restart ck.h5");
    expect_same_states(rest, whole);
    EXPECT_EQ(rest["restart"]["iterations"], 3);
    EXPECT_EQ(built_on_device(rest), next == made_on_gpu);
  }
}

TEST_F(BuiltOnDevice, RefusesTheCheckpointOfAnotherMatrix) {
  // Seeds change elements, not where they are.
  const auto seed = [](const std::string& number) {
    return "generate:molecule,orbitals=6,electrons=6,seed=" + number + small_p_space;
  };
  EXPECT_TRUE(built_on_device(eigen(seed("1") + made_on_gpu + " --checkpoint ck.h5")));
  expect_another_matrix(seed("2") + made_on_cpu);
  expect_another_matrix(seed("2") + made_on_gpu);
  eigen(seed("1") + made_on_cpu + " --checkpoint ck.h5");
  expect_another_matrix(seed("2") + made_on_gpu);
}

TEST_F(BuiltOnDevice, AutoTakesItFromAMillionNonzerosOn) {
  const nlohmann::json large = eigen(n2 + " --states 4 --operator stored --backend cuda");
  EXPECT_TRUE(built_on_device(large));
  EXPECT_EQ(large["matrix"]["format"], "packed");
  EXPECT_EQ(large["format_choice"]["format"], "packed");
  EXPECT_EQ(large["format_choice"]["reason"],
            "made on the GPU from integrals, of which its elements are");
  expect_same_states(large, eigen(n2 + " --states 4" + made_on_cpu));

  const nlohmann::json small = eigen(nh3 + " --states 2 --operator stored --backend cuda");
  EXPECT_FALSE(built_on_device(small));
  EXPECT_EQ(small["matrix"]["format"], "csr");
  EXPECT_EQ(small["format_choice"]["reason"], "the matrix has fewer than 1000000 nonzeros");
  expect_same_states(small, eigen(nh3 + " --states 2" + made_on_cpu));
}

TEST_F(BuiltOnDevice, SolvesLinearSystemsToo) {
  for (const std::string method : {"cg", "block_jacobi"}) {
    const std::string job = "linear " + n2 +
                            " --shift-from-ground -0.5 --operator stored --force " +
                            "--tolerance 1e-12 --method " + method + " --backend ";
    ASSERT_EQ(run(job + "cuda --json gpu.json --vectors gpu.npy").status, 0);
    ASSERT_EQ(run(job + "cpu --vectors cpu.npy").status, 0);
    EXPECT_TRUE(built_on_device(json("gpu.json")));
    EXPECT_EQ(json("gpu.json")["matrix"]["format"], "packed");
    const HostMatrix x = read_vectors(folder_ / "cpu.npy"), y = read_vectors(folder_ / "gpu.npy");
    ASSERT_EQ(x.rows(), y.rows());
    EXPECT_LE((x - y).norm(), 1e-9 * x.norm());
  }
}

TEST_F(BuiltOnDevice, AutoStaysOnCsrWhereTheSettingsAskForIt) {
  for (const std::string& input : {nh3, n2}) {
    SCOPED_TRACE(input);
    const nlohmann::json same_bits =
        eigen(input + " --operator stored --backend cuda --set spmv.deterministic=true");
    EXPECT_FALSE(built_on_device(same_bits));
    EXPECT_EQ(same_bits["matrix"]["format"], "csr");
    EXPECT_TRUE(
        same_bits["format_choice"]["reason"].get<std::string>().starts_with("spmv.deterministic"));
  }
  const nlohmann::json single = eigen(n2 + " --backend cuda --set spmv.off_diagonal=float32");
  EXPECT_FALSE(built_on_device(single));
  EXPECT_EQ(single["matrix"]["format"], "csr");
}

TEST_F(BuiltOnDevice, TooLittleMemoryIsSaidInBytes) {
  const std::string solve = n2 + small_p_space + made_on_gpu;
  const nlohmann::json roomy = eigen(solve);
  const auto needed = roomy["memory"]["device_needed"].get<std::size_t>();
  // Beside the blocks of rows there are the tables that they are made of.
  EXPECT_GT(needed, roomy["memory"]["operator"].get<std::size_t>() + row_block_bytes(1305984));
  const auto limited = [](std::size_t bytes) {
    return " --set backend.memory_limit=" + std::to_string(bytes);
  };
  // The blocks of rows take more than the solver does later, so that a smaller basis is no help.
  const nlohmann::json enough = eigen(solve + limited(needed));
  EXPECT_EQ(enough["memory"]["device_needed"], needed);
  EXPECT_EQ(enough["memory"]["plan"], "as_configured");
  fs::remove(folder_ / "r.json");
  const auto text = [](std::size_t bytes) { return format_bytes(static_cast<double>(bytes)); };
  expect_no_room(solve + limited(needed - 1), "not enough device memory, " + text(needed));
  expect_no_room(solve + limited(needed / 2),
                 "not enough device memory, " + text(needed) +
                     " needed: 14400 determinants, 1305984 nonzeros\n  host ");
  expect_no_room(solve + limited(needed / 2),
                 "\n  device " + text(needed) + " of " + text(needed / 2) + " available: ");
  // Refused before anything is counted.
  expect_no_room(solve + limited(1000), "nonzeros not counted yet");
}

TEST_F(BuiltOnDevice, AutoPacksATriangleWhereTheWholeDoesNotFit) {
  // So large that what is saved is more than the blocks of rows that are cut.
  const std::string solve = "generate:molecule,orbitals=12,electrons=10" + small_p_space +
                            " --operator stored --backend cuda";
  const nlohmann::json roomy = eigen(solve);
  const auto limit = roomy["memory"]["device_needed"].get<std::int64_t>() -
                     roomy["matrix"]["bytes"].get<std::int64_t>() / 5;
  const nlohmann::json half = eigen(solve + " --set backend.memory_limit=" + std::to_string(limit));
  EXPECT_TRUE(built_on_device(half));
  EXPECT_EQ(half["matrix"]["format"], "packed_symmetric");
  EXPECT_EQ(half["format_choice"]["reason"], "packed does not fit, half storage does");
  EXPECT_EQ(half["matrix"]["nonzeros"], roomy["matrix"]["nonzeros"]);
  EXPECT_LT(half["matrix"]["bytes"].get<double>(), 0.6 * roomy["matrix"]["bytes"].get<double>());
  expect_same_states(half, roomy);
}

TEST_F(BuiltOnDevice, AutoBuildsOnTheHostWhereThatTakesLessOfTheDevice) {
  const std::string solve = n2 + small_p_space + " --operator stored --backend cuda";
  const nlohmann::json roomy = eigen(solve);
  ASSERT_TRUE(built_on_device(roomy));
  const auto bytes = [&](const char* key) { return roomy["memory"][key].get<std::size_t>(); };
  // Csr of the host needs no room on the device for blocks of rows; the basis may be elsewhere.
  const std::size_t csr =
      CsrMatrix::bytes(14400, 1305984) + bytes("p_space") / 5 + bytes("other_vectors");
  const std::size_t built = bytes("device_needed");
  ASSERT_LT(csr, built);
  const std::string limit = std::to_string((csr + built) / 2);
  const nlohmann::json r = eigen(solve + " --set backend.memory_limit=" + limit);
  EXPECT_FALSE(built_on_device(r));
  expect_same_states(r, roomy);
}

}  // namespace
}  // namespace cisolve
