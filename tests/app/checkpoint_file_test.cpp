// Checkpoints as files: what the solver reads is of one of them.

#include "app/checkpoint/checkpoint_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "core/dense/host_matrix.hpp"
#include "core/error.hpp"

namespace cisolve {
namespace {

namespace fs = std::filesystem;

class CheckpointFile : public ::testing::Test {
 protected:
  ~CheckpointFile() override { fs::remove(file_); }

  /// Writes three vectors with the element `value`.
  void write(double value) const {
    SolverState state;
    state.method = "davidson";
    state.states = 1;
    state.vectors = 3;
    state.sectors = {{matrix_.rows, 3, 1}};
    state.read = [&](int, HostMatrix& x, HostMatrix& ax) {
      x = ax = HostMatrix::Constant(matrix_.rows, 1, value);
    };
    write_checkpoint(state, matrix_, {}, file_);
  }

  const Fingerprint matrix_{10, 30, 1, 1.0, 1.0};
  const fs::path file_ =
      fs::temp_directory_path() / ("cisolve_checkpoint_" + std::to_string(::getpid()) + ".h5");
  HostMatrix x_, ax_;
};

TEST_F(CheckpointFile, IsReadVectorByVector) {
  write(0.5);
  const SolverState state = RestartFile(file_, {}).state(matrix_);
  ASSERT_EQ(state.vectors, 3);
  for (const int j : {0, 1, 2, 1, 0}) {
    state.read(j, x_, ax_);
    EXPECT_EQ(x_, HostMatrix::Constant(10, 1, 0.5));
  }
}

TEST_F(CheckpointFile, ReplacedByAnotherGivesNoVectorsOfThatOne) {
  write(0.5);
  const SolverState state = RestartFile(file_, {}).state(matrix_);
  write(0.25);
  try {
    state.read(2, x_, ax_);
    FAIL() << "read from another file";
  } catch (const InputError& error) {
    EXPECT_EQ(error.what(), file_.string() + ": was replaced meanwhile");
  }
}

TEST_F(CheckpointFile, ReplacedWhileItIsReadStaysTheOneBefore) {
  write(0.5);
  const SolverState state = RestartFile(file_, {}).state(matrix_);
  state.read(2, x_, ax_);
  state.read(1, x_, ax_);
  write(0.25);
  state.read(0, x_, ax_);
  EXPECT_EQ(x_, HostMatrix::Constant(10, 1, 0.5));
}

}  // namespace
}  // namespace cisolve
