// Damaged files are bad input, exit 1, whatever is wrong with them: none takes the program down,
// keeps it busy, or looks like a lack of memory.

#include "tests/support/application.hpp"

namespace cisolve {
namespace {

class Damaged : public Application {
 protected:
  void expect_refused(const std::string& arguments, const std::string& words) const {
    SCOPED_TRACE(arguments);
    const Outcome outcome = shell("ulimit -t 60; \"$CISOLVE\" " + arguments);
    EXPECT_EQ(outcome.status, 1);
    expect_says(outcome, words);
  }
  const std::string corpus = data + "../fuzz/corpus/";
};

TEST_F(Damaged, RunFileThatNoDocumentEndsIsRefused) {
  expect_refused("run " + corpus + "yaml/hangs.yaml",
                 "hangs.yaml:4: found a second YAML document, or text outside the first");
}

TEST_F(Damaged, Hdf5FilesAreRefused) {
  expect_refused("eigen " + corpus + "hdf5_packed/hangs_packed.h5",
                 "hangs_packed.h5: damaged: dataset 'plain_slice_offsets' of 9568259 elements of "
                 "64 bits has 28 bytes in the file");
  // HDF5 reads past its buffers: what is named first depends on what it finds there.
  expect_refused("eigen " + corpus + "hdf5_packed/overrun_packed.h5", "overrun_packed.h5: ");
}

/// A file whose `version` alone is damaged: HDF5 reads it past the end of a buffer, where it may
/// find any number, the right one too. The rest is then read as it was written.
TEST_F(Damaged, AttributePastItsBufferIsRefusedOrHarmless) {
  const Outcome outcome =
      shell("ulimit -t 60; \"$CISOLVE\" eigen " + corpus + "hdf5_csr/overrun_csr.h5");
  if (outcome.status == 0) {
    EXPECT_NE(outcome.out.find("-0.3046311911"), std::string::npos) << outcome.out;
  } else {
    EXPECT_EQ(outcome.status, 1);
    expect_says(outcome, "overrun_csr.h5: version ");
  }
}

TEST_F(Damaged, CheckpointIsNoLackOfMemory) {
  expect_refused("eigen " + corpus + "fcidump/h4.fcidump --states 2 --restart " + corpus +
                     "checkpoint/sectors_checkpoint.h5",
                 "sectors_checkpoint.h5: damaged: dataset 'sectors' of 1062128232431630 elements");
}

/// 256 MiB of one character in gzip, to be refused where it has no room unpacked.
TEST_F(Damaged, GzipFilesOfOneCharacterAreNoLackOfMemory) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "address sanitizers take more address space than any limit leaves";
#endif
  const std::string banner = "%%MatrixMarket matrix coordinate real symmetric\\n";
  for (const auto& [head, character] : {std::pair{banner, " "},
                                        {banner, "\\n"},
                                        {banner, "\\0"},
                                        {banner + "%", "x"},
                                        {banner + "2 2 1\\n1 1 ", "1"},
                                        {"", " "}}) {
    SCOPED_TRACE("'" + head + "' and then '" + character + "'");
    const Outcome outcome =
        shell("head -c 4194304 /dev/zero | tr '\\0' '" + std::string(character) +
              "' | gzip > piece; { printf '" + head +
              "' | gzip; for i in $(seq 64); do cat piece; done; } > bomb.mtx.gz; "
              "ulimit -t 20; ulimit -v 400000; \"$CISOLVE\" info bomb.mtx.gz");
    EXPECT_EQ(outcome.status, 1);
    expect_says(outcome, "bomb.mtx.gz");
  }
}

TEST_F(Damaged, SizesWithoutContentAreNoLackOfMemory) {
  expect_refused("info " + corpus + "npz/size_beyond_any_archive.npz",
                 "indptr.npy: damaged: 1152921504606847104 bytes are too many for this archive");
  expect_refused("info " + corpus + "matrix_market/rows_without_end.mtx",
                 "rows_without_end.mtx:2: 2147483647 rows, but 1 entries");
  write_pair();
  write("dense.mtx", "%%MatrixMarket matrix coordinate real general\n9000000 1000 1\n1 1 1.5\n");
  expect_refused("linear pair.mtx --set linear.rhs=dense.mtx",
                 "dense.mtx: found 9000000000 elements, but 1 entries");
}

}  // namespace
}  // namespace cisolve
