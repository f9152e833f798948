// A text in blocks is the text, however often it is asked for.
#include "core/text/text_blocks.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "core/error.hpp"
#include "tests/support/gzip.hpp"
#include "tests/support/temporary_folder.hpp"

namespace cisolve {
namespace {

constexpr std::size_t long_text_bytes = 70'000'000;

/// Lines of 1 to 200 bytes.
std::string numbered_lines(std::size_t bytes) {
  std::string text;
  text.reserve(bytes + 300);
  for (unsigned i = 0; text.size() < bytes; ++i) {
    text += std::to_string(i) + std::string(i * 2654435761u % 190, ' ') + "\n";
  }
  return text;
}

/// The blocks one behind another.
std::string all_of(TextBlocks& blocks) {
  std::string all(blocks.first());
  blocks.rewind();
  for (std::string_view block; blocks.next(block);) all += block;
  return all;
}

class TextBlocksTest : public ::testing::Test {
 protected:
  std::string error_of(const std::filesystem::path& path, const TextBound& bound = {}) const {
    try {
      TextBlocks blocks(path, bound);
      for (std::string_view block; blocks.next(block);) {
      }
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  }

  TemporaryFolder folder_;
};

TEST_F(TextBlocksTest, AreTheTextInEveryPass) {
  const std::string text = numbered_lines(long_text_bytes);
  TextBlocks blocks(write_gzip(folder_ / "long.gz", text));
  EXPECT_FALSE(blocks.is_whole());
  int count = 0;
  for (std::string_view block; blocks.next(block); ++count) {
    EXPECT_EQ(block.front(), '\n');
    EXPECT_LT(block.size(), text.size() / 2);
  }
  EXPECT_GE(count, 2);
  EXPECT_TRUE(blocks.at_end());
  EXPECT_TRUE(all_of(blocks) == text);
  // A pass that is given up in its midst does not disturb the next one.
  blocks.rewind();
  std::string_view block;
  ASSERT_TRUE(blocks.next(block));
  EXPECT_FALSE(blocks.at_end());
  EXPECT_TRUE(all_of(blocks) == text);
}

TEST_F(TextBlocksTest, OfShortAndPlainFilesAndPipesAreOne) {
  const std::string text = numbered_lines(40'000'000);
  const auto plain = folder_ / "plain", pipe = folder_ / "pipe";
  std::ofstream(plain) << text;
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(pipe) << text; });
  for (const auto& path : {plain, pipe}) {
    TextBlocks blocks(path);
    EXPECT_TRUE(blocks.is_whole());
    EXPECT_TRUE(all_of(blocks) == text);
  }
  writer.join();
  for (const std::string few : {"", "one", "one\n", "\n", "one\n\n"}) {
    TextBlocks blocks(write_gzip(folder_ / "few.gz", few));
    EXPECT_TRUE(blocks.is_whole());
    EXPECT_EQ(all_of(blocks), few);
  }
}

TEST_F(TextBlocksTest, OfADamagedFileAreRefusedWhereTheyEnd) {
  const std::string text = numbered_lines(long_text_bytes);
  const auto path = write_gzip(folder_ / "cut.gz", text);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 20);
  EXPECT_NE(error_of(path).find("gzip file cut short after"), std::string::npos) << error_of(path);
}

TEST_F(TextBlocksTest, AreHeldToTheBound) {
  const auto path =
      write_gzip(folder_ / "bomb.gz", std::string(90'000'000, '\n') + std::string(50'000'000, ' '));
  const TextBound eighty = [](std::string_view) { return 80e6; };
  const TextBound more = [](std::string_view) { return 1e9; };
  EXPECT_NE(error_of(path, eighty).find("more than 80 MB"), std::string::npos);
  EXPECT_NE(error_of(path, more).find("bomb.gz:90000001: found a line of more than 16.8 MB"),
            std::string::npos)
      << error_of(path, more);
  const auto second = write_gzip(folder_ / "second.gz", "one\n" + std::string(50'000'000, ' '));
  EXPECT_NE(error_of(second).find("second.gz:2: found a line"), std::string::npos);
}

}  // namespace
}  // namespace cisolve
