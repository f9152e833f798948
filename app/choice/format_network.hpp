#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "backends/backend.hpp"
#include "core/dense/host_matrix.hpp"
#include "formats/matrix/features.hpp"

namespace cisolve {

/// Expected cost of a product in a format.
struct FormatPrediction {
  std::string format;
  double ratio = 1.0;       ///< seconds of a product over those of csr's
  double conversion = 0.0;  ///< from the host matrix, transfer included, in products of csr
};

/// Input of a network: a matrix and the products wanted.
struct NetworkInputs {
  FeatureVector features;
  int columns = 1;  ///< of the block
  int threads = 1;  ///< not read for a GPU
  /// Bytes of a format over those of csr; called for the formats that the network names.
  std::function<double(const std::string& format)> relative_bytes;
};

/// A multilayer perceptron that predicts the cost of every format on one backend from the features
/// of a matrix, the width of the block, on the CPU the number of threads, and the bytes of some
/// formats, in which their padding shows:
///   h_0 = (z − offset) ∘ scale,  h_l = max(0, W_l h_{l−1} + b_l),  the last layer without max,
/// where z are the logarithms of the features (formats/matrix/features.hpp), log2 k, log2 threads
/// and log2 of the bytes over csr's, at most 6. Its outputs are ln(t_f / t_csr) of every format f,
/// then ln(conversion_f / t_csr). docs/file-formats.md describes the file.
class FormatNetwork {
 public:
  /// Throws InputError, opening with `name`, unless the text is a network for that backend: JSON of
  /// this version whose sizes agree, of known inputs and formats and finite numbers.
  static FormatNetwork parse(const std::string& text, const std::string& name, BackendKind backend);
  /// The one compiled into the program (app/choice/networks), read once.
  static const FormatNetwork& builtin(BackendKind backend);

  /// In the order of the file.
  std::vector<FormatPrediction> predict(const NetworkInputs& inputs) const;
  /// A hash of the text, which tells networks apart.
  std::uint64_t identity() const { return identity_; }
  /// Training data as the file describes it, for people: "640 matrices, 14 kinds".
  const std::string& trained_on() const { return trained_on_; }

 private:
  struct Layer {
    HostMatrix weights;  ///< out x in
    HostVector bias;
  };
  HostVector inputs(const NetworkInputs& from) const;
  HostVector outputs(HostVector values) const;

  BackendKind backend_ = BackendKind::cpu;
  std::uint64_t identity_ = 0;
  HostVector offset_, scale_;
  std::vector<std::string> sized_;  ///< formats whose bytes are inputs
  std::vector<std::string> formats_;
  std::vector<Layer> layers_;
  std::string trained_on_;
};

}  // namespace cisolve
