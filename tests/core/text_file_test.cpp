#include "core/text/text_file.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "core/error.hpp"

namespace cisolve {
namespace {

namespace fs = std::filesystem;

/// A folder of its own for every test.
class TextFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() /
              ("cisolve_text_" + std::string(test->name()) + std::to_string(::getpid()));
    fs::create_directory(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path write(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return folder_ / name;
  }

  /// `text` as gzip writes it.
  std::string zipped(const std::string& text) const {
    const fs::path path = folder_ / "zipped";
    gzFile file = gzopen(path.c_str(), "wb");
    gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
    gzclose(file);
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  std::string error_of(const fs::path& path) const {
    try {
      TextFile file(path);
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  }

  fs::path folder_;
};

/// 3 MB that do not compress to nothing.
std::string long_text() {
  std::string text;
  for (unsigned i = 0; text.size() < 3'000'000; ++i) text += std::to_string(i * 2654435761u) + "\n";
  return text;
}

TEST_F(TextFileTest, PlainTextComesAsItIs) {
  EXPECT_EQ(TextFile(write("a", "one\r\ntwo\n")).text(), "one\r\ntwo\n");
  EXPECT_EQ(TextFile(write("b", "x")).text(), "x");
  EXPECT_EQ(TextFile(write("c", long_text())).text(), long_text());
}

TEST_F(TextFileTest, AnEmptyFileIsEmptyText) {
  EXPECT_TRUE(TextFile(write("a", "")).text().empty());
  EXPECT_TRUE(TextFile(write("b", zipped(""))).text().empty());
}

TEST_F(TextFileTest, GzipIsKnownByItsBytesNotItsName) {
  EXPECT_EQ(TextFile(write("a.txt", zipped("one\ntwo\n"))).text(), "one\ntwo\n");
  EXPECT_EQ(TextFile(write("b.gz", "plain")).text(), "plain");
  EXPECT_EQ(TextFile(write("c.gz", zipped(long_text()))).text(), long_text());
}

TEST_F(TextFileTest, GzipMembersInARowAreOneText) {
  EXPECT_EQ(TextFile(write("a.gz", zipped("one\n") + zipped("two\n"))).text(), "one\ntwo\n");
}

TEST_F(TextFileTest, TruncatedGzipIsAnErrorWhereverItIsCut) {
  const std::string bytes = zipped(long_text());
  for (const std::size_t size : {std::size_t{2}, std::size_t{5}, std::size_t{30}, bytes.size() / 2,
                                 bytes.size() - 9, bytes.size() - 8, bytes.size() - 1}) {
    EXPECT_NE(error_of(write("a.gz", bytes.substr(0, size))).find("cut short"), std::string::npos)
        << "cut after " << size << " of " << bytes.size();
  }
}

TEST_F(TextFileTest, DamagedGzipIsAnError) {
  std::string bytes = zipped(long_text());
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 0x55);
  EXPECT_NE(error_of(write("a.gz", bytes)).find("damaged"), std::string::npos);
}

TEST_F(TextFileTest, APipeIsReadToItsEnd) {
  const fs::path path = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(path) << long_text(); });
  const TextFile file(path);
  writer.join();
  EXPECT_EQ(file.text(), long_text());
}

/// Files far larger than they look.
class PackedBomb : public TextFileTest {
 protected:
  fs::path bomb(const std::string& text, int megabytes) const {
    const fs::path path = folder_ / "bomb";
    std::string piece;
    while (piece.size() < 1'000'000) piece += text;
    gzFile file = gzopen(path.c_str(), "wb1");
    for (int i = 0; i < megabytes; ++i) gzwrite(file, piece.data(), unsigned(piece.size()));
    gzclose(file);
    return path;
  }
};

TEST_F(PackedBomb, ATextBeyondItsBoundIsRefusedThere) {
  const fs::path path = bomb("1\n", 80);
  std::size_t asked = 0;
  try {
    TextFile(path, [&](std::string_view beginning) {
      asked = beginning.size();
      return 70e6;
    });
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("more than 70 MB"), std::string::npos) << error.what();
  }
  EXPECT_GT(asked, 60'000'000u);
  EXPECT_LT(asked, 72'000'000u);
  EXPECT_EQ(TextFile(path, [](std::string_view) { return 90e6; }).text().size(), 80'000'000u);
}

TEST_F(PackedBomb, HalfOfTheMemoryIsForWhatIsMadeOfAText) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_AS, &before), 0);
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const fs::path path = bomb("1\n", 80);
  rlimit less = before;
  less.rlim_cur = pages * 4096 + 120'000'000;
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &less), 0);
  EXPECT_THROW(TextFile{path}, ResourceError);
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &before), 0);
  EXPECT_EQ(TextFile(path).text().size(), 80'000'000u);
}

TEST_F(TextFileTest, ALineOf16MebibytesIsTheLongest) {
  std::string text = "a\n" + std::string(1u << 24, ' ') + "\nb";
  EXPECT_NO_THROW(require_lines(text, "f"));
  text.insert(2, " ");
  try {
    require_lines(text, "f");
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()), "f:2: found a line of more than 16.8 MB");
  }
}

TEST_F(TextFileTest, AMissingFileAndAFolderAreErrorsThatNameThem) {
  EXPECT_NE(error_of(folder_ / "none").find("none: cannot be read: No such file"),
            std::string::npos);
  EXPECT_NE(error_of(folder_).find("Is a directory"), std::string::npos);
}

TEST_F(TextFileTest, TheFirstBytesAreTakenWithoutTheRest) {
  EXPECT_EQ(first_bytes(write("plain", "0123456789"), 4), "0123");
  EXPECT_EQ(first_bytes(write("plain", "0123456789"), 40), "0123456789");
  EXPECT_EQ(first_bytes(write("empty", ""), 4), "");
  const std::string gzip = zipped("0123456789");
  EXPECT_EQ(first_bytes(write("gzip", gzip), 4), "0123");
  EXPECT_EQ(first_bytes(write("cut", gzip.substr(0, 3)), 4), "");
  EXPECT_THROW(first_bytes(folder_ / "absent", 4), InputError);
  EXPECT_THROW(first_bytes(folder_, 4), InputError);
}

}  // namespace
}  // namespace cisolve
