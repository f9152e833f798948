// The network by which formats are ranked: its arithmetic and its file.
#include "app/choice/format_network.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "core/error.hpp"
#include "formats/format.hpp"
#include "tests/choice/network_text.hpp"

namespace cisolve {
namespace {

using Parsed = nlohmann::json;
using testing::network_json;

double no_bytes(const std::string& format) {
  ADD_FAILURE() << "the bytes of " << format << " were asked for";
  return 1.0;
}

FormatNetwork parse(const Parsed& json, BackendKind backend = BackendKind::cpu) {
  return FormatNetwork::parse(json.dump(), "n.json", backend);
}

TEST(FormatNetwork, GivesTheNumbersWorkedByHand) {
  // Two hidden units: h = max(0, (1 + z_m, 2 − z_block)), with z_m = (log10 m − 3) · 2 and z_block
  // = log2 k; outputs h_1 ln 2, h_2, −h_1, h_1 + h_2.
  Parsed json = network_json("cpu", {{"sell", 1.0, 1.0}});
  json["offset"][0] = 3.0;
  json["scale"][0] = 2.0;
  json["scale"][14] = 1.0;
  std::vector<double> first(16, 0.0), second(16, 0.0);
  first[0] = 1.0;
  second[14] = -1.0;
  const double ln2 = std::log(2.0);
  json["layers"] = {{{"weights", {first, second}}, {"bias", {1.0, 2.0}}},
                    {{"weights", {{ln2, 0.0}, {0.0, 1.0}, {-1.0, 0.0}, {1.0, 1.0}}},
                     {"bias", {0.0, 0.0, 0.0, -3.0}}}};
  FeatureVector features{};
  features[0] = 1e4;  // z_m = 2, h_1 = 3
  const auto at = [&](int columns) {
    return parse(json).predict({features, columns, 4, no_bytes});
  };
  const auto narrow = at(2);  // z_block = 1, h_2 = 1
  ASSERT_EQ(narrow.size(), 2u);
  EXPECT_EQ(narrow[0].format, "csr");
  EXPECT_NEAR(narrow[0].ratio, 8.0, 1e-13);
  EXPECT_NEAR(narrow[0].conversion, std::exp(-3.0), 1e-15);
  EXPECT_EQ(narrow[1].format, "sell");
  EXPECT_NEAR(narrow[1].ratio, std::exp(1.0), 1e-14);
  EXPECT_NEAR(narrow[1].conversion, std::exp(1.0), 1e-14);
  const auto wide = at(16);  // z_block = 4: h_2 = max(0, −2)
  EXPECT_NEAR(wide[1].ratio, 1.0, 1e-15);
  EXPECT_NEAR(wide[1].conversion, 1.0, 1e-15);
}

TEST(FormatNetwork, ReadsThreadsOnTheCpuAlone) {
  Parsed json = network_json("cpu", {});
  json["scale"][15] = 1.0;
  json["layers"][0]["weights"][0][15] = 1.0;
  EXPECT_NEAR(parse(json).predict({{}, 1, 8, no_bytes})[0].ratio, std::exp(3.0), 1e-12);
  const Parsed cuda = network_json("cuda", {{"sell", 0.5, 20.0}});
  EXPECT_NEAR(parse(cuda, BackendKind::cuda).predict({{}, 1, 8, no_bytes})[1].ratio, 0.5, 1e-15);
}

TEST(FormatNetwork, ReadsTheBytesOfTheFormatsItNames) {
  Parsed json = network_json("cuda", {});
  json["inputs"].push_back("bytes:sell");
  json["inputs"].push_back("bytes:hyb");
  json["offset"] = std::vector<double>(17, 0.0);
  json["scale"] = std::vector<double>(17, 1.0);
  std::vector<double> weights(17, 0.0);
  weights[15] = 1.0;
  weights[16] = 10.0;
  json["layers"] = {{{"weights", {weights, weights}}, {"bias", {0.0, 0.0}}}};
  const FormatNetwork network = parse(json, BackendKind::cuda);
  const auto ratio = [&](double sell, double hyb) {
    const auto bytes = [=](const std::string& name) { return name == "sell" ? sell : hyb; };
    return network.predict({{}, 1, 1, bytes})[0].ratio;
  };
  EXPECT_NEAR(ratio(4.0, 1.0), std::exp(2.0), 1e-12);
  EXPECT_NEAR(ratio(1.0, 2.0), std::exp(10.0), 1e-8);
  EXPECT_EQ(ratio(64.0, 1.0), ratio(1000.0, 1.0));  // both far beyond use
}

TEST(FormatNetwork, TheBuiltInOnesNameFormatsOfTheirBackend) {
  for (const BackendKind backend : {BackendKind::cpu, BackendKind::cuda}) {
    const auto predictions =
        FormatNetwork::builtin(backend).predict({{}, 1, 1, [](const std::string&) { return 1.0; }});
    EXPECT_GT(predictions.size(), 1u);
    for (const FormatPrediction& p : predictions) {
      EXPECT_TRUE(backend == BackendKind::cuda || find_format(p.format).cpu) << p.format;
    }
  }
}

TEST(FormatNetwork, EveryBadFileHasItsMessage) {
  const std::pair<std::function<void(Parsed&)>, const char*> cases[] = {
      {[](Parsed& j) { j = Parsed::array(); }, "n.json: expected a JSON object"},
      {[](Parsed& j) { j.erase("format_network"); }, "n.json: format_network: missing"},
      {[](Parsed& j) { j["format_network"] = 2; }, "n.json: format_network: found 2, expected 1"},
      {[](Parsed& j) { j["backend"] = "cuda"; }, "backend: found \"cuda\", expected \"cpu\""},
      {[](Parsed& j) { j["inputs"][3] = "x"; }, "inputs: found [\"m\",\"n\",\"nnz\",\"x\""},
      {[](Parsed& j) { j["inputs"].push_back("x"); }, "inputs: found \"x\", expected bytes:FORMAT"},
      {[](Parsed& j) { j["inputs"].push_back("bytes:x"); }, "inputs: there is no format x"},
      {[](Parsed& j) { j["inputs"].push_back("bytes:ell"); }, "offset: found 16, expected 17"},
      {[](Parsed& j) { j["offset"].erase(0); }, "offset: found 15, expected 16 numbers"},
      {[](Parsed& j) { j["scale"] = 1; }, "scale: found number, expected 16 numbers"},
      {[](Parsed& j) { j["scale"][2] = nullptr; }, "scale: found null, expected a finite number"},
      {[](Parsed& j) { j["formats"][1] = "fast"; }, "formats: there is no format fast"},
      {[](Parsed& j) { j["formats"][0] = "ell"; }, "formats: csr is missing"},
      {[](Parsed& j) { j["formats"][1] = "csr"; }, "formats: csr is named twice"},
      {[](Parsed& j) { j["formats"] = "csr"; }, "formats: expected a list of names"},
      {[](Parsed& j) { j["layers"] = Parsed::array(); }, "layers: expected a list of layers"},
      {[](Parsed& j) { j["layers"][0].erase("bias"); }, "layers[0].bias: missing"},
      {[](Parsed& j) { j["layers"][0]["bias"].erase(0); },
       "layers[0].bias: found 3, expected 4 numbers"},
      {[](Parsed& j) { j["layers"][0]["weights"][1].erase(0); },
       "layers[0].weights[1]: found 15, expected 16 numbers"},
      {[](Parsed& j) { j["layers"][0]["weights"][1][4] = "1"; },
       "layers[0].weights[1]: found \"1\", expected a finite number"},
      {[](Parsed& j) { j["formats"].push_back("ell"); },
       "layers: found 4 outputs, expected two for each of 3 formats"},
      {[](Parsed& j) { j.erase("trained_on"); }, "trained_on: missing"},
  };
  for (const auto& [damage, words] : cases) {
    Parsed json = network_json("cpu", {{"sell", 1.0, 1.0}});
    damage(json);
    try {
      parse(json);
      ADD_FAILURE() << words;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
      EXPECT_TRUE(std::string(error.what()).starts_with("n.json: ")) << error.what();
    }
  }
  EXPECT_THROW(FormatNetwork::parse("{", "n.json", BackendKind::cpu), InputError);
  std::string overflow = network_json("cpu", {}).dump();
  overflow.replace(overflow.find("0.0"), 3, "1e999");
  EXPECT_THROW(FormatNetwork::parse(overflow, "n.json", BackendKind::cpu), InputError);
}

}  // namespace
}  // namespace cisolve
