#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "formats/matrix/features.hpp"

namespace cisolve::testing {

/// Predictions that a network gives for a format, whatever the matrix, in products of csr.
struct Predicted {
  std::string format;
  double ratio, conversion;
};

/// A network of one layer without weights, as the files have it; csr comes first.
inline nlohmann::json network_json(const std::string& backend, std::vector<Predicted> predicted) {
  predicted.insert(predicted.begin(), {"csr", 1.0, 0.01});
  std::vector<std::string> inputs(feature_names.begin(), feature_names.end()), formats;
  inputs.emplace_back("block");
  if (backend == "cpu") inputs.emplace_back("threads");
  std::vector<double> bias;
  for (const Predicted& p : predicted) {
    formats.push_back(p.format);
    bias.push_back(std::log(p.ratio));
  }
  for (const Predicted& p : predicted) bias.push_back(std::log(p.conversion));
  const std::vector<double> zeros(inputs.size(), 0.0);
  return {{"format_network", 1},
          {"backend", backend},
          {"inputs", inputs},
          {"offset", zeros},
          {"scale", zeros},
          {"formats", formats},
          {"layers",
           {{{"weights", std::vector<std::vector<double>>(bias.size(), zeros)}, {"bias", bias}}}},
          {"trained_on", {{"note", "made up"}}}};
}

}  // namespace cisolve::testing
