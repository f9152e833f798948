#include "io/atomic_file.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "core/error.hpp"
#include "io/array_archive.hpp"

namespace cisolve {
namespace {

namespace fs = std::filesystem;

class AtomicFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() /
              ("cisolve_atomic_" + std::string(test->name()) + std::to_string(::getpid()));
    fs::create_directory(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator{}));
  }

  fs::path folder_;
};

void write(const fs::path& path, const std::string& text) {
  std::ofstream(path) << text;
}

std::string read(const fs::path& path) {
  std::ifstream stream(path);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST_F(AtomicFileTest, TheTargetAppearsOnCommitAndTheTemporaryGoes) {
  AtomicFile file(folder_ / "a");
  write(file.temporary(), "text");
  EXPECT_FALSE(fs::exists(folder_ / "a"));
  file.commit();
  EXPECT_EQ(read(folder_ / "a"), "text");
  EXPECT_EQ(files(), 1u);
}

TEST_F(AtomicFileTest, WithoutCommitTheOldFileStaysAndNothingIsLeft) {
  write(folder_ / "a", "old");
  {
    AtomicFile file(folder_ / "a");
    write(file.temporary(), "new");
  }
  EXPECT_EQ(read(folder_ / "a"), "old");
  EXPECT_EQ(files(), 1u);
}

TEST_F(AtomicFileTest, CommitReplacesTheOldFile) {
  write(folder_ / "a", "old and longer");
  AtomicFile file(folder_ / "a");
  write(file.temporary(), "new");
  file.commit();
  EXPECT_EQ(read(folder_ / "a"), "new");
}

TEST_F(AtomicFileTest, TwoWritersOfOneTargetDoNotShareATemporary) {
  AtomicFile first(folder_ / "a"), second(folder_ / "a");
  EXPECT_NE(first.temporary(), second.temporary());
}

TEST_F(AtomicFileTest, NothingIsMadeBeforeItIsAskedFor) {
  AtomicFile file(folder_ / "a");
  EXPECT_EQ(files(), 0u);
  file.temporary();
  EXPECT_EQ(files(), 1u);
}

TEST_F(AtomicFileTest, TheTargetsNameMayBeAsLongAsNamesAreButNotLonger) {
  const std::string longest(255, 'a');
  AtomicFile file(folder_ / longest);
  write(file.temporary(), "text");
  file.commit();
  EXPECT_EQ(read(folder_ / longest), "text");
  EXPECT_THROW(AtomicFile(folder_ / (longest + "a")), InputError);
}

TEST_F(AtomicFileTest, ASignalHandlerCanRemoveWhatIsNotCommitted) {
  AtomicFile first(folder_ / "a"), second(folder_ / "b");
  write(first.temporary(), "text");
  first.commit();
  second.temporary();
  remove_temporaries();
  EXPECT_EQ(files(), 1u);
  EXPECT_TRUE(fs::exists(folder_ / "a"));
}

TEST_F(AtomicFileTest, HoweverManyThereAre) {
  std::vector<std::unique_ptr<AtomicFile>> many;
  for (int i = 0; i < 40; ++i) {
    many.push_back(std::make_unique<AtomicFile>(folder_ / std::to_string(i)));
    many.back()->temporary();
  }
  EXPECT_TRUE(has_temporaries());
  EXPECT_EQ(files(), 40u);
  remove_temporaries();
  EXPECT_EQ(files(), 0u);
  many.clear();
  EXPECT_FALSE(has_temporaries());
}

TEST_F(AtomicFileTest, AnArchiveIsWrittenToTheTemporaryFileItself) {
  const std::vector<double> values(8 << 20, 1.0);
  AtomicFile file(folder_ / "a.npz");
  std::size_t most = 0;
  std::atomic<bool> written = false;
  const fs::path temporary = file.temporary();
  std::jthread watch([&] {
    while (!written) most = std::max(most, files());
  });
  write_npz_arrays({named_array("a", "<f8", values)}, temporary, "a.npz");
  written = true;
  watch.join();
  EXPECT_EQ(most, 1u);
  file.commit();
  EXPECT_EQ(read_npz_values(folder_ / "a.npz", "a").values.size(), values.size());
}

TEST_F(AtomicFileTest, WhatADeadProcessLeftOfTheSameTargetGoesAndNothingElse) {
  for (const char* name : {"a", "b"}) {
    const pid_t child = ::fork();
    if (child == 0) {
      AtomicFile(folder_ / name).temporary();  // removed again: only a file that stays is left
      auto* left = new AtomicFile(folder_ / name);
      left->temporary();
      ::_exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
  }
  AtomicFile living(folder_ / "a");
  living.temporary();
  EXPECT_EQ(files(), 2u);  // of the dead: b's
  AtomicFile second(folder_ / "a");
  second.temporary();
  EXPECT_EQ(files(), 3u);
}

TEST_F(AtomicFileTest, AFailedWriteNamesTheTargetAndLeavesNothing) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit less = before;
  less.rlim_cur = 1000;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &less), 0);
  AtomicFile file(folder_ / "a");
  std::string words;
  try {
    file.write(std::string(5000, 'x'));
  } catch (const ResourceError& error) {
    words = error.what();
  }
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(words, (folder_ / "a").string() + ": cannot be written: File too large");
  EXPECT_EQ(files(), 0u);
}

TEST_F(AtomicFileTest, ASymbolicLinkIsFollowedAndStays) {
  write(folder_ / "a", "old");
  fs::create_symlink("a", folder_ / "link");
  AtomicFile file(folder_ / "link");
  write(file.temporary(), "new");
  file.commit();
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(read(folder_ / "a"), "new");
}

TEST_F(AtomicFileTest, ALinkToWhatIsNotThereYetIsFollowedAndStays) {
  fs::create_directory(folder_ / "sub");
  fs::create_symlink("sub/a", folder_ / "link");
  AtomicFile file(folder_ / "link");
  write(file.temporary(), "new");
  file.commit();
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(read(folder_ / "sub" / "a"), "new");
  fs::create_symlink("ring", folder_ / "ring");
  EXPECT_THROW(AtomicFile(folder_ / "ring"), InputError);
}

TEST_F(AtomicFileTest, AMissingFolderIsAnErrorAtOnce) {
  EXPECT_THROW(AtomicFile(folder_ / "none" / "a"), InputError);
}

TEST_F(AtomicFileTest, AnUnwritableFolderIsAnErrorAtOnce) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  fs::permissions(folder_, fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_THROW(AtomicFile(folder_ / "a"), InputError);
  fs::permissions(folder_, fs::perms::owner_all);
}

TEST_F(AtomicFileTest, FoldersAndDevicesAreNeverReplaced) {
  EXPECT_THROW(AtomicFile{folder_}, InputError);
  EXPECT_THROW(AtomicFile("/dev/null"), InputError);
  fs::create_symlink("/dev/null", folder_ / "link");
  EXPECT_THROW(AtomicFile(folder_ / "link"), InputError);
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(AtomicFileTest, ATemporaryThatVanishedIsAResourceError) {
  AtomicFile file(folder_ / "a");
  fs::remove(file.temporary());
  EXPECT_THROW(file.commit(), ResourceError);
}

}  // namespace
}  // namespace cisolve
