// `spmv.format: auto` as a user sees it.
#include "tests/choice/network_text.hpp"
#include "tests/support/application.hpp"

namespace cisolve {
namespace {

using testing::network_json;

class ChoiceApplication : public Application {
 protected:
  ChoiceApplication() {
    write("n.json",
          network_json("cpu", {{"sell", 0.1, 0.01}, {"csr_symmetric", 0.2, 0.01}}).dump());
    write("never.json", network_json("cpu", {{"sell", 1.0, 0.01}}).dump());
  }

  /// The report of a solve that tries what the network predicts.
  nlohmann::json choice(const std::string& options, const std::string& network = "n.json") {
    const Outcome outcome =
        run("eigen generate:ci,rows=6000,symmetric=true --backend cpu --threads 1 "
            "--tolerance 1e-3 --set solver.p_space=20 --set output.analysis=false "
            "--set spmv.expected_products=100000 --json r.json --set spmv.network=" +
            network + " " + options);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    out_ = outcome.out;
    err_ = outcome.err;
    return json("r.json")["format_choice"];
  }
  fs::path cache_file() const { return cache_ / "cisolve/formats.json"; }

  std::string out_, err_;
};

TEST_F(ChoiceApplication, WhatWasTriedIsReportedAndServesLaterRuns) {
  const nlohmann::json first = choice("");
  EXPECT_EQ(json("r.json")["matrix"]["format"], first["format"]);
  EXPECT_NE(out_.find("\nformat      " + first["format"].get<std::string>() + ": " +
                      first["reason"].get<std::string>() + "\n"),
            std::string::npos)
      << out_;
  EXPECT_EQ(first["from_cache"], false);
  EXPECT_GT(first["features_seconds"], 0.0);
  EXPECT_GT(first["csr_seconds"], 0.0);
  EXPECT_EQ(first["expected_products"], 100000);
  for (const nlohmann::json& candidate : first["candidates"]) {
    EXPECT_NE(candidate["outcome"], "");
    if (candidate["format"] != "sell") continue;
    EXPECT_GT(candidate["seconds"], 0.0);
    EXPECT_GT(candidate["bytes"], 1'000'000);
    EXPECT_NEAR(candidate["predicted_ratio"], 0.1, 1e-12);
  }
  ASSERT_TRUE(fs::exists(cache_file()));

  const nlohmann::json second = choice("", "n.json");
  EXPECT_EQ(second["features_seconds"], 0.0);

  // A cache that says sell was the fastest by far.
  nlohmann::json cache = nlohmann::json::parse(contents(cache_file()));
  cache["entries"][0]["formats"] = {{"csr", {{"seconds", 1.0}, {"conversion_seconds", 0.0}}},
                                    {"sell", {{"seconds", 0.5}, {"conversion_seconds", 1.0}}}};
  std::ofstream(cache_file()) << cache;
  const nlohmann::json third = choice("");
  EXPECT_EQ(third["format"], "sell");
  EXPECT_EQ(third["from_cache"], true);
  EXPECT_EQ(json("r.json")["matrix"]["format"], "sell");
  EXPECT_EQ(nlohmann::json::parse(contents(cache_file())), cache);  // nothing new is known
}

TEST_F(ChoiceApplication, TheCacheMayBeElsewhereBrokenOrNone) {
  choice("--set spmv.cache=own.json");
  EXPECT_TRUE(fs::exists(folder_ / "own.json"));
  choice("--set spmv.cache=none");
  EXPECT_FALSE(fs::exists(cache_));
  write("own.json", "no cache");
  choice("--set spmv.cache=own.json");
  EXPECT_NE(err_.find("own.json is no cache of this version"), std::string::npos) << err_;
  EXPECT_EQ(contents(folder_ / "own.json"), "no cache");
  EXPECT_EQ(json("r.json")["notes"].size(), 1u);
}

TEST_F(ChoiceApplication, CsrStaysAndTheReportSaysWhy) {
  EXPECT_EQ(choice("", "never.json")["reason"], "no other format is predicted to be faster");
  const nlohmann::json deterministic = choice("--set spmv.deterministic=true");
  EXPECT_EQ(deterministic["format"], "csr");
  EXPECT_TRUE(deterministic["reason"].get<std::string>().starts_with("spmv.deterministic"));
  const nlohmann::json single = choice("--set spmv.off_diagonal=float32");
  EXPECT_EQ(single["format"], "csr");
  EXPECT_TRUE(single["candidates"].empty());
  EXPECT_TRUE(choice("--format csr").is_null());

  write_pair();
  ASSERT_EQ(run("eigen pair.mtx --backend cpu --json r.json").status, 0);
  EXPECT_EQ(json("r.json")["format_choice"]["reason"],
            "the matrix has fewer than 1000000 nonzeros");
  EXPECT_EQ(run("linear pair.mtx --backend cpu --json r.json --method cg").status, 0);
  EXPECT_EQ(json("r.json")["format_choice"]["format"], "csr");
}

TEST_F(ChoiceApplication, ABadNetworkIsRefusedBeforeAnyWork) {
  write_pair();
  const Outcome early = run("eigen broken.mtx --backend cpu --set spmv.network=absent.json");
  EXPECT_NE(early.err.find("absent.json: cannot be read"), std::string::npos) << early.err;
  write("bad.json", "{\"format_network\": 7}");
  for (const char* command : {"eigen", "linear", "info"}) {
    const Outcome outcome =
        run(std::string(command) + " pair.mtx --backend cpu --set spmv.network=bad.json");
    EXPECT_EQ(outcome.status, 1) << command;
    expect_says(outcome, "bad.json: format_network: found 7, expected 1");
  }
  EXPECT_EQ(run("eigen pair.mtx --backend cpu --set spmv.network=absent.json").status, 1);
}

/// A pipe can be read once only.
TEST_F(ChoiceApplication, HalfStorageIsTakenOfAPipeToo) {
  const auto solve = [&](const std::string& arguments) {
    return shell("cat '" + data +
                 "n2_sto3g.fcidump' | \"$CISOLVE\" eigen /dev/stdin --operator stored --backend "
                 "cpu --threads 2 "
                 "--json r.json " +
                 arguments);
  };
  ASSERT_EQ(solve("").status, 0);
  const nlohmann::json whole = json("r.json");
  const auto limit = whole["memory"]["host_needed"].get<std::int64_t>() -
                     whole["matrix"]["bytes"].get<std::int64_t>() / 3;
  const Outcome outcome = solve("--set backend.memory_limit=" + std::to_string(limit));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const nlohmann::json half = json("r.json");
  EXPECT_EQ(half["matrix"]["format"], "csr_symmetric");
  EXPECT_NEAR(half["states"][0]["energy"], whole["states"][0]["energy"], 1e-9);
}

TEST_F(ChoiceApplication, HalfStorageIsTakenWhereCsrDoesNotFit) {
  // Half storage sums a vector for every thread.
  const std::string solve =
      "eigen generate:molecule,orbitals=7,electrons=8 --operator stored --backend cpu --threads 2 "
      "--json r.json ";
  ASSERT_EQ(run(solve).status, 0);
  const nlohmann::json whole = json("r.json");
  const auto bytes = whole["matrix"]["bytes"].get<std::int64_t>();
  const auto limit = whole["memory"]["host_needed"].get<std::int64_t>() - bytes / 3;
  const std::string limited = "--set backend.memory_limit=" + std::to_string(limit);
  Outcome outcome = run(solve + limited);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const nlohmann::json half = json("r.json");
  EXPECT_EQ(half["matrix"]["format"], "csr_symmetric");
  EXPECT_EQ(half["format_choice"]["reason"], "csr does not fit, half storage does");
  EXPECT_NEAR(half["states"][0]["energy"], whole["states"][0]["energy"], 1e-9);
  // Asked for by name, csr is refused.
  outcome = run(solve + limited + " --format csr");
  EXPECT_EQ(outcome.status, 3);
  expect_says(outcome, "csr_symmetric");
}

TEST_F(ChoiceApplication, InfoRanksTheFormats) {
  write_pair();
  const Outcome outcome =
      run("info pair.mtx --backend cpu --threads 1 --set spmv.network=n.json --json r.json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const nlohmann::json ranking = json("r.json")["format_ranking"];
  EXPECT_EQ(ranking["backend"], "cpu");
  EXPECT_EQ(ranking["threads"], 1);
  EXPECT_EQ(ranking["trained_on"], "made up");
  ASSERT_EQ(ranking["formats"].size(), 2u);
  EXPECT_EQ(ranking["formats"][0]["format"], "sell");
  EXPECT_NEAR(ranking["formats"][0]["ratio"], 0.1, 1e-12);
  EXPECT_NEAR(ranking["formats"][0]["conversion"], 0.01, 1e-12);
  EXPECT_EQ(ranking["formats"][1]["format"], "csr_symmetric");
  EXPECT_NE(outcome.out.find("\nsell                 0.100        0.01"), std::string::npos)
      << outcome.out;
  ASSERT_EQ(run("info pair.mtx --backend cpu --format csr --json r.json").status, 0);
  EXPECT_FALSE(json("r.json").contains("format_ranking"));
}

}  // namespace
}  // namespace cisolve
