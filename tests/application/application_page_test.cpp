// `--html` as its users meet it: in a browser, beside what was there before, and run again.
#include <png.h>

#include <array>
#include <chrono>
#include <cmath>
#include <ctime>

#include "tests/support/application.hpp"
#include "tests/support/markup.hpp"

namespace cisolve {
namespace {

using Clock = std::chrono::system_clock;

const std::string hydrogen = data + "h2_sto3g.fcidump";
const std::string usual = " --backend cpu --threads 1 --set spmv.cache=none ";

/// The text between two others, markup undone.
std::string between(const std::string& text, const std::string& before, const std::string& after) {
  const auto begin = text.find(before) + before.size();
  std::string found = text.substr(begin, text.find(after, begin) - begin);
  constexpr std::array<std::array<const char*, 2>, 4> entities{
      {{"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&amp;", "&"}}};
  for (const auto& [entity, character] : entities) {
    for (auto at = found.find(entity); at != found.npos; at = found.find(entity, at + 1)) {
      found.replace(at, std::string(entity).size(), character);
    }
  }
  return found;
}

class ResultPage : public Application {
 protected:
  std::string page(const std::string& name) const { return contents(folder_ / name); }
};

TEST_F(ResultPage, HoldsTheReportsNumbersAndIsTakenForAPage) {
  const std::string line = "eigen " + hydrogen + " --states 2 --json r.json --html p.html" + usual;
  ASSERT_EQ(run(line).status, 0);
  const auto report = json("r.json");
  EXPECT_EQ(markup_problem(page("p.html")), "");
  for (const auto& state : report["states"]) {
    char energy[64];
    std::snprintf(energy, sizeof energy, ">%.10f<", state["energy"].get<double>());
    EXPECT_NE(page("p.html").find(energy), std::string::npos) << energy;
  }
  const std::string summary = report["summary"];
  EXPECT_NE(page("p.html").find(summary), std::string::npos) << summary;
  EXPECT_NE(report["verification"]["summary"], "");

  EXPECT_EQ(run(line).status, 0) << "an earlier page is replaced";
  write("other.html", "<!DOCTYPE html>\n<html><body>mine</body></html>\n");
  const Outcome refused = run("eigen " + hydrogen + " --html other.html" + usual);
  EXPECT_EQ(refused.status, 1);
  expect_says(refused, "expected a new file or a page of cisolve");
}

TEST_F(ResultPage, ItsConfigurationGivesTheSameResultAgain) {
  fs::copy_file(hydrogen, folder_ / "a & 'b' <c>.fcidump");
  ASSERT_EQ(run("eigen \"a & 'b' <c>.fcidump\" --states 3 --tolerance 1e-8 --json r.json"
                " --html p.html" +
                usual)
                .status,
            0);
  EXPECT_EQ(markup_problem(page("p.html")), "");
  const auto first = json("r.json");
  write("again.yaml", between(page("p.html"), ".</p>\n<pre>", "</pre>"));
  ASSERT_EQ(run("run again.yaml").status, 0);
  const auto second = json("r.json");
  EXPECT_EQ(first["config"], second["config"]);
  ASSERT_EQ(second["states"].size(), 3u);
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(first["states"][i]["energy"], second["states"][i]["energy"], 1e-12);
  }
}

TEST_F(ResultPage, SaysWhenWhereAndByWhichCommand) {
  fs::copy_file(hydrogen, folder_ / "it's <h2>.fcidump");
  const auto now = [] { return std::chrono::floor<std::chrono::seconds>(Clock::now()); };
  const auto before = now();
  ASSERT_EQ(run("eigen \"it's <h2>.fcidump\" --json r.json --html p.html" + usual).status, 0);
  const auto report = json("r.json");

  std::tm date{};
  const std::string text = report["date"];
  ASSERT_NE(strptime(text.c_str(), "%Y-%m-%dT%H:%M:%SZ", &date), nullptr) << text;
  const auto then = Clock::from_time_t(timegm(&date));
  EXPECT_LE(before, then);
  EXPECT_LE(then, now());
  EXPECT_EQ(report["host"].get<std::string>() + "\n", shell("uname -n").out);

  const std::string command = report["command"];
  EXPECT_EQ(between(page("p.html"), "<h2>This run</h2>\n<pre>", "</pre>"), command);
  fs::remove(folder_ / "r.json");
  ASSERT_EQ(shell(command).status, 0) << command;
  EXPECT_EQ(json("r.json")["command"], command);
}

TEST_F(ResultPage, HistoryLeadsToTheResult) {
  ASSERT_EQ(run("eigen " + data + "nh3_sto3g.fcidump --states 2 --json r.json" + usual).status, 0);
  const auto report = json("r.json");
  const auto& history = report["history"];
  ASSERT_GE(history.size(), 3u);
  int before = -1;
  for (const auto& entry : history) {
    EXPECT_GT(entry["iteration"], before);
    before = entry["iteration"];
    EXPECT_EQ(entry["energies"].size(), entry["residual_norms"].size());
  }
  EXPECT_EQ(before, report["iterations"]);
  EXPECT_NEAR(history.back()["energies"][0], report["states"][0]["energy"], 1e-8);
}

TEST_F(ResultPage, OfASolveThatDidNotConvergeSaysSo) {
  const Outcome outcome =
      run("eigen " + data + "nh3_sto3g.fcidump --max-iterations 2 --html p.html" + usual);
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(page("p.html").find("✗ NOT converged: max_iterations"), std::string::npos);
}

TEST_F(ResultPage, OfALinearSystem) {
  write_pair();
  ASSERT_EQ(run("linear pair.mtx --method cg --html p.html" + usual).status, 0);
  EXPECT_EQ(markup_problem(page("p.html")), "");
  EXPECT_NE(page("p.html").find("✓ converged"), std::string::npos);
  EXPECT_NE(page("p.html").find("relative residual"), std::string::npos);
}

/// Red, green, blue of every pixel.
std::vector<unsigned char> pixels_of(const fs::path& file) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_file(&image, file.c_str()) == 0) return {};
  image.format = PNG_FORMAT_RGB;
  std::vector<unsigned char> pixels(PNG_IMAGE_SIZE(image));
  png_image_finish_read(&image, nullptr, pixels.data(), 0, nullptr);
  return pixels;
}

TEST_F(ResultPage, IsSeenInABrowser) {
  if (shell("command -v chromium").status != 0) GTEST_SKIP() << "Chromium is not installed";
  ASSERT_EQ(run("eigen " + hydrogen + " --states 3 --html p.html" + usual).status, 0);
  const std::string shot =
      "HOME=\"$PWD\" chromium --headless --no-sandbox --disable-gpu --hide-scrollbars "
      "--window-size=1000,1800 ";
  for (const bool dark : {false, true}) {
    shell(shot + (dark ? "--blink-settings=preferredColorScheme=0 " : "") +
          "--screenshot=p.png \"file://$PWD/p.html\"");
    const auto pixels = pixels_of(folder_ / "p.png");
    ASSERT_EQ(pixels.size(), 3u * 1000 * 1800);
    std::size_t ground = 0;
    for (std::size_t i = 0; i < pixels.size(); i += 3) {
      ground += std::equal(pixels.begin(), pixels.begin() + 3, pixels.begin() + i);
    }
    EXPECT_LT(ground, 0.98 * 1000 * 1800) << "there is something on the page";
    EXPECT_GT(ground, 0.5 * 1000 * 1800) << "and its ground is one";
    EXPECT_EQ(pixels[0] < 128, dark);
  }
}

}  // namespace
}  // namespace cisolve
