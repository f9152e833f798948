// Eigenvectors that a solve begins from, in the shapes that files have them.
#include <string>
#include <vector>

#include "core/dense/host_matrix.hpp"
#include "io/npy.hpp"
#include "io/vector_file.hpp"
#include "tests/support/application.hpp"

namespace cisolve {
namespace {

/// Two states of NH₃, 56 alpha × 56 beta strings, from the program itself.
class StartVectors : public Application {
 protected:
  StartVectors() {
    EXPECT_EQ(run(solve + "--vectors v.npy --json first.json").status, 0);
    x_ = read_vectors(folder_ / "v.npy");
    iterations_ = json("first.json")["iterations"].get<int>();
  }

  template <class T>
  void write(const std::string& name, const std::string& type, std::vector<std::int64_t> shape,
             const std::vector<T>& values, bool column_major = false) const {
    write_npy({type, std::move(shape), column_major}, std::as_bytes(std::span(values)),
              folder_ / name);
  }
  /// Converged at once, to the same energies.
  void expect_start(const std::string& file) const {
    const Outcome outcome = run(solve + "--restart " + file + " --json r.json");
    ASSERT_EQ(outcome.status, 0) << file << outcome.err;
    const auto report = json("r.json"), first = json("first.json");
    EXPECT_LE(report["iterations"].get<int>(), 1) << file;
    for (int i = 0; i < 2; ++i) {
      EXPECT_NEAR(report["states"][i]["energy"].get<double>(),
                  first["states"][i]["energy"].get<double>(), 1e-9)
          << file;
    }
  }
  std::vector<double> values(const HostMatrix& x) const {
    return std::vector<double>(x.data(), x.data() + x.size());
  }

  const std::string solve =
      "eigen " + data + "nh3_sto3g.fcidump --states 2 --backend cpu --tolerance 1e-7 ";
  HostMatrix x_;
  int iterations_ = 0;
};

TEST_F(StartVectors, AreTakenInEveryShape) {
  EXPECT_GT(iterations_, 4);
  expect_start("v.npy");
  const HostMatrix states = x_.transpose();  // states first
  write("states.npy", "<f8", {2, 56, 56}, values(states));
  expect_start("states.npy");
  write("fortran.npy", "<f8", {3136, 2}, values(states), true);
  expect_start("fortran.npy");
  ASSERT_EQ(run(solve + "--vectors v.npz --force").status, 0);
  expect_start("v.npz");
}

TEST_F(StartVectors, OfOneStateAndSinglePrecisionHelp) {
  std::vector<float> first(3136);
  for (int i = 0; i < 3136; ++i) first[i] = static_cast<float>(x_(i, 0));
  write("one.npy", "<f4", {56, 56}, first);
  ASSERT_EQ(run("eigen " + data + "nh3_sto3g.fcidump --backend cpu --restart one.npy --json r.json")
                .status,
            0);
  EXPECT_LE(json("r.json")["iterations"].get<int>(), 1);
}

TEST_F(StartVectors, OfAnotherSizeAreRefusedByTheirShape) {
  write("other.npy", "<f8", {5, 7}, std::vector<double>(35, 1.0));
  const Outcome outcome = run(solve + "--restart other.npy");
  EXPECT_EQ(outcome.status, 1);
  expect_says(outcome, "other.npy: vectors of another matrix: found an array of shape (5, 7)");
  write("infinite.npy", "<f8", {56, 56}, std::vector<double>(3136, 1.0 / 0.0));
  expect_says(run(solve + "--restart infinite.npy"), "element 1 is not finite");
}

TEST_F(StartVectors, InHdf5AreRefusedWithWhatWouldBeTaken) {
  ASSERT_EQ(run(solve + "--vectors states.h5").status, 0);
  const Outcome outcome = run(solve + "--restart states.h5");
  EXPECT_EQ(outcome.status, 1);
  expect_says(outcome, "states.h5: holds eigenstates and is no checkpoint; start vectors are .npz");
}

TEST_F(StartVectors, OfOtherDeterminantsAreRefusedThoughAsMany) {
  // Two irreps of LiH have equally many determinants.
  const std::string lih = "eigen " + data + "lih_ccpvdz.fcidump --backend cpu --tolerance 1e-7 ";
  ASSERT_EQ(run(lih + "--irrep 1 --vectors v.npz").status, 0);
  const Outcome outcome = run(lih + "--irrep 2 --restart v.npz");
  EXPECT_EQ(outcome.status, 1);
  expect_says(outcome,
              "v.npz: vectors over other determinants: the first that differs is of row 1");
  ASSERT_EQ(run(lih + "--irrep 1 --restart v.npz --json r.json").status, 0);
  EXPECT_LE(json("r.json")["iterations"].get<int>(), 1);

  // Equal strings, over other orbitals of the file.
  ASSERT_EQ(run(lih + "--active 1-6 --vectors v.npz --force").status, 0);
  expect_says(run(lih + "--active 1-5,7 --restart v.npz"),
              "its active orbitals are not those of this space");
}

}  // namespace
}  // namespace cisolve
