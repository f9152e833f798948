// The file of what formats have taken: read back, and never in the way.
#include "app/choice/format_cache.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "backends/cpu/instruction_set.hpp"
#include "formats/matrix/generate.hpp"

namespace cisolve {
namespace {

namespace fs = std::filesystem;
using Object = nlohmann::json;

class Cache : public ::testing::Test {
 protected:
  Cache()
      : folder_(fs::temp_directory_path() / ("cisolve_cache_" + std::to_string(getpid()))),
        file_(folder_ / "deep/formats.json") {
    fs::create_directories(folder_);
  }
  ~Cache() override {
    fs::permissions(folder_, fs::perms::owner_all);
    fs::remove_all(folder_);
  }

  FormatCache cache() {
    return {file_.string(), [this](const std::string& warning) { warnings_.push_back(warning); }};
  }
  void write(const std::string& text) {
    fs::create_directories(file_.parent_path());
    std::ofstream(file_) << text;
  }
  std::string text() const {
    std::ifstream stream(file_);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  const Object key_{{"rows", 3}, {"block", 1}}, other_{{"rows", 3}, {"block", 4}};
  fs::path folder_, file_;
  std::vector<std::string> warnings_;
};

TEST_F(Cache, GivesBackWhatItWasGiven) {
  EXPECT_TRUE(cache().find(key_).empty());
  cache().store(key_, {{"csr", 0.25, 0.0}, {"sell", 0.125, 2.5}});
  cache().store(other_, {{"csr", 0.5, 0.0}});
  cache().store(key_, {{"csr", 0.3, 0.0}, {"dia", 0.1, 3.0}});
  const auto found = cache().find(key_);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].format, "csr");
  EXPECT_EQ(found[0].seconds, 0.3);
  EXPECT_EQ(found[1].format, "dia");
  EXPECT_EQ(found[2].format, "sell");
  EXPECT_EQ(found[2].seconds, 0.125);
  EXPECT_EQ(found[2].conversion_seconds, 2.5);
  EXPECT_EQ(cache().find(other_).size(), 1u);
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(Cache, ABrokenFileIsAWarningAndLeftAlone) {
  for (const char* text : {"", "{", "[]", "{\"format_cache\": 2, \"entries\": []}", "{\"a\": 1}"}) {
    write(text);
    warnings_.clear();
    FormatCache broken = cache();
    EXPECT_TRUE(broken.find(key_).empty());
    broken.store(key_, {{"csr", 1.0, 0.0}});
    ASSERT_EQ(warnings_.size(), 1u) << text;
    EXPECT_NE(warnings_[0].find("is no cache of this version"), std::string::npos) << warnings_[0];
    EXPECT_EQ(this->text(), text);
  }
}

TEST_F(Cache, ABrokenEntryIsReplaced) {
  for (const char* entry :
       {"3", "{}", "{\"key\": {\"rows\": 3, \"block\": 1}}",
        "{\"key\": {\"rows\": 3, \"block\": 1}, \"formats\": {\"sell\": {\"seconds\": 1}}}",
        "{\"key\": {\"rows\": 3, \"block\": 1}, \"formats\": {\"csr\": {\"seconds\": 0, "
        "\"conversion_seconds\": 1}}}"}) {
    write("{\"format_cache\": 1, \"entries\": [" + std::string(entry) + "]}");
    EXPECT_TRUE(cache().find(key_).empty()) << entry;
    cache().store(key_, {{"csr", 1.0, 0.0}});
    EXPECT_EQ(cache().find(key_).size(), 1u) << entry;
  }
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(Cache, WhatCannotBeWrittenIsAWarning) {
  std::ofstream(folder_ / "deep") << "a file in the place of the folder";
  cache().store(key_, {{"csr", 1.0, 0.0}});
  ASSERT_EQ(warnings_.size(), 1u);
  EXPECT_NE(warnings_[0].find("cannot be written"), std::string::npos) << warnings_[0];
}

TEST_F(Cache, NoneIsNeverWritten) {
  FormatCache none("none", [this](const std::string& warning) { warnings_.push_back(warning); });
  none.store(key_, {{"csr", 1.0, 0.0}});
  EXPECT_TRUE(none.find(key_).empty());
  EXPECT_FALSE(fs::exists("none"));
}

TEST_F(Cache, TheOldestEntriesGo) {
  Object entries = Object::array();
  for (int i = 0; i < 1000; ++i) {
    entries.push_back(
        {{"key", i}, {"formats", {{"csr", {{"seconds", 1.0}, {"conversion_seconds", 0.0}}}}}});
  }
  write(Object{{"format_cache", 1}, {"entries", entries}}.dump());
  cache().store(key_, {{"csr", 1.0, 0.0}});
  EXPECT_TRUE(cache().find(0).empty());
  EXPECT_EQ(cache().find(1).size(), 1u);
  EXPECT_EQ(cache().find(key_).size(), 1u);
}

TEST_F(Cache, RunsAtTheSameTimeLeaveAWholeFile) {
  std::vector<std::thread> runs;
  for (int run = 0; run < 4; ++run) {
    runs.emplace_back([this, run] {
      FormatCache own(file_.string(), [](const std::string&) { ADD_FAILURE(); });
      for (int i = 0; i < 10; ++i) own.store({{"run", run}, {"i", i}}, {{"csr", 1.0, 0.0}});
    });
  }
  for (std::thread& run : runs) run.join();
  // A run may write what it had read before another stored something, which then is lost: how many
  // entries are left depends on chance, but for the last one written.
  const Object json = Object::parse(text());
  ASSERT_GE(json["entries"].size(), 1u);
  EXPECT_LE(json["entries"].size(), 40u);
  for (const auto& entry : json["entries"]) EXPECT_TRUE(entry["key"].contains("run")) << entry;
}

TEST_F(Cache, KeysTellMatricesAndCircumstancesApart) {
  const auto backend = make_cpu_backend();
  const CsrMatrix a = generate_random(100, 5, 1, false), b = generate_random(100, 5, 2, false);
  RunConfig config;
  const Object key = format_cache_key(a, *backend, 4, 7, config);
  EXPECT_EQ(format_cache_key(a, *backend, 4, 7, config), key);
  EXPECT_EQ(key["instruction_set"], cpu_instruction_set());
  EXPECT_NE(format_cache_key(b, *backend, 4, 7, config), key);
  EXPECT_NE(format_cache_key(a, *backend, 1, 7, config), key);
  EXPECT_NE(format_cache_key(a, *backend, 4, 8, config), key);
  config.spmv.slice_height = 8;
  EXPECT_NE(format_cache_key(a, *backend, 4, 7, config), key);
  config = {};
  config.spmv.expected_products = 7;
  EXPECT_EQ(format_cache_key(a, *backend, 4, 7, config), key);
  // Values do not matter.
  CsrMatrix other = a;
  for (double& value : other.values) value = 1.0;
  EXPECT_EQ(format_cache_key(other, *backend, 4, 7, config), key);
}

}  // namespace
}  // namespace cisolve
