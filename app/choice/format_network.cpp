#include "app/choice/format_network.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "core/error.hpp"
#include "core/mixed.hpp"
#include "core/text/text.hpp"
#include "formats/format.hpp"

namespace cisolve {
namespace {

using Parsed = nlohmann::json;

constexpr int network_version = 1;
const std::string bytes_prefix = "bytes:";
constexpr double most_relative_bytes = 64.0;

#include "builtin_networks.inc"

/// The inputs that every network has; those of bytes follow.
std::vector<std::string> input_names(BackendKind backend) {
  std::vector<std::string> names(feature_names.begin(), feature_names.end());
  names.emplace_back("block");
  if (backend == BackendKind::cpu) names.emplace_back("threads");
  return names;
}

/// Takes the parts of a network out of its file; every error names file and part.
class NetworkReader {
 public:
  NetworkReader(const std::string& text, std::string name) : name_(std::move(name)) {
    try {
      root_ = Parsed::parse(text);
    } catch (const Parsed::exception& error) {
      fail(std::string("expected JSON: ") + error.what());
    }
    if (!root_.is_object()) fail("expected a JSON object");
  }

  [[noreturn]] void fail(const std::string& what) const { throw InputError(name_ + ": " + what); }

  const Parsed& at(const char* key) const { return member(root_, key, key); }
  const Parsed& member(const Parsed& object, const char* key, const std::string& where) const {
    const auto found = object.is_object() ? object.find(key) : object.end();
    if (!object.is_object() || found == object.end()) fail(where + ": missing");
    return *found;
  }

  void require_equal(const char* key, const Parsed& expected) const {
    if (at(key) != expected) {
      fail(std::string(key) + ": found " + at(key).dump() + ", expected " + expected.dump());
    }
  }

  /// The formats of the inputs of bytes.
  std::vector<std::string> sized_formats(BackendKind backend) const {
    const Parsed& list = at("inputs");
    const std::vector<std::string> first = input_names(backend);
    const bool begins_so = list.is_array() && list.size() >= first.size() &&
                           Parsed(first) == Parsed(list.begin(), list.begin() + first.size());
    if (!begins_so) {
      fail("inputs: found " + list.dump() + ", expected " + Parsed(first).dump() +
           " and, if any, bytes:FORMAT");
    }
    std::vector<std::string> names;
    for (std::size_t i = first.size(); i < list.size(); ++i) {
      const std::string input = list[i].is_string() ? list[i].get<std::string>() : list[i].dump();
      if (!input.starts_with(bytes_prefix)) {
        fail("inputs: found " + list[i].dump() + ", expected bytes:FORMAT");
      }
      names.push_back(input.substr(bytes_prefix.size()));
      require_format(names.back(), "inputs");
    }
    return names;
  }

  HostVector vector(const Parsed& list, const std::string& where, std::size_t size) const {
    if (!list.is_array() || list.size() != size) {
      fail(where + ": found " + (list.is_array() ? std::to_string(list.size()) : list.type_name()) +
           ", expected " + std::to_string(size) + " numbers");
    }
    HostVector values(static_cast<Eigen::Index>(size));
    for (std::size_t i = 0; i < size; ++i) {
      if (!list[i].is_number() || !std::isfinite(list[i].get<double>())) {
        fail(where + ": found " + list[i].dump() + ", expected a finite number");
      }
      values[static_cast<Eigen::Index>(i)] = list[i].get<double>();
    }
    return values;
  }

  std::vector<std::string> format_names() const {
    const Parsed& list = at("formats");
    if (!list.is_array() || list.empty()) fail("formats: expected a list of names");
    std::vector<std::string> names;
    for (const Parsed& item : list) {
      const std::string format = item.is_string() ? item.get<std::string>() : item.dump();
      require_format(format, "formats");
      if (std::ranges::count(names, format) > 0) fail("formats: " + format + " is named twice");
      names.push_back(format);
    }
    if (std::ranges::count(names, "csr") == 0) fail("formats: csr is missing");
    return names;
  }

 private:
  void require_format(const std::string& name, const std::string& where) const {
    const auto known = std::ranges::find(formats(), name, &Format::name);
    if (known == formats().end()) fail(where + ": there is no format " + name);
  }

  std::string name_;
  Parsed root_;
};

std::string describe_training(const Parsed& trained_on) {
  return joined(trained_on.items(), ", ", [](const auto& item) {
    const Parsed& value = item.value();
    return value.is_string() ? value.template get<std::string>() : value.dump() + " " + item.key();
  });
}

}  // namespace

FormatNetwork FormatNetwork::parse(const std::string& text, const std::string& name,
                                   BackendKind backend) {
  const NetworkReader reader(text, name);
  reader.require_equal("format_network", network_version);
  reader.require_equal("backend", backend_name(backend));
  FormatNetwork network;
  network.sized_ = reader.sized_formats(backend);
  network.backend_ = backend;
  for (const unsigned char c : text) network.identity_ = mixed(network.identity_ ^ c);
  std::size_t width = input_names(backend).size() + network.sized_.size();
  network.offset_ = reader.vector(reader.at("offset"), "offset", width);
  network.scale_ = reader.vector(reader.at("scale"), "scale", width);
  network.formats_ = reader.format_names();
  const Parsed& layers = reader.at("layers");
  if (!layers.is_array() || layers.empty()) reader.fail("layers: expected a list of layers");
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const std::string where = "layers[" + std::to_string(l) + "].";
    const Parsed& weights = reader.member(layers[l], "weights", where + "weights");
    const std::size_t out = weights.is_array() ? weights.size() : 0;
    Layer layer{
        HostMatrix(static_cast<Eigen::Index>(out), static_cast<Eigen::Index>(width)),
        reader.vector(reader.member(layers[l], "bias", where + "bias"), where + "bias", out)};
    for (std::size_t i = 0; i < out; ++i) {
      layer.weights.row(static_cast<Eigen::Index>(i)) =
          reader.vector(weights[i], where + "weights[" + std::to_string(i) + "]", width);
    }
    network.layers_.push_back(std::move(layer));
    width = out;
  }
  if (width != 2 * network.formats_.size()) {
    reader.fail("layers: found " + std::to_string(width) + " outputs, expected two for each of " +
                std::to_string(network.formats_.size()) + " formats");
  }
  network.trained_on_ = describe_training(reader.at("trained_on"));
  return network;
}

const FormatNetwork& FormatNetwork::builtin(BackendKind backend) {
  const auto read = [](const auto& pieces, BackendKind kind) {
    std::string text;
    for (const std::string_view piece : pieces) text += piece;
    return parse(text, std::string("the built-in network for ") + backend_name(kind), kind);
  };
  // Once: reading one takes as long as a small matrix does.
  if (backend == BackendKind::cpu) {
    static const FormatNetwork cpu = read(builtin_cpu_network, BackendKind::cpu);
    return cpu;
  }
  static const FormatNetwork cuda = read(builtin_cuda_network, BackendKind::cuda);
  return cuda;
}

HostVector FormatNetwork::outputs(HostVector values) const {
  values = (values - offset_).cwiseProduct(scale_);
  for (const Layer& layer : layers_) {
    values = layer.weights * values + layer.bias;
    if (&layer != &layers_.back()) values = values.cwiseMax(0.0);
  }
  return values;
}

HostVector FormatNetwork::inputs(const NetworkInputs& from) const {
  const FeatureVector logs = logarithms(from.features);
  std::vector<double> values(logs.begin(), logs.end());
  values.push_back(std::log2(from.columns));
  if (backend_ == BackendKind::cpu) values.push_back(std::log2(from.threads));
  for (const std::string& format : sized_) {
    values.push_back(std::log2(std::min(from.relative_bytes(format), most_relative_bytes)));
  }
  return Eigen::Map<const HostVector>(values.data(), static_cast<Eigen::Index>(values.size()));
}

std::vector<FormatPrediction> FormatNetwork::predict(const NetworkInputs& from) const {
  const HostVector logarithmic = outputs(inputs(from));
  const auto count = static_cast<Eigen::Index>(formats_.size());
  std::vector<FormatPrediction> predictions;
  for (Eigen::Index f = 0; f < count; ++f) {
    predictions.push_back({formats_[static_cast<std::size_t>(f)], std::exp(logarithmic[f]),
                           std::exp(logarithmic[count + f])});
  }
  return predictions;
}

}  // namespace cisolve
