#include "app/config/yaml_text.hpp"

#include <yaml-cpp/eventhandler.h>

#include <sstream>

namespace cisolve {
namespace {

/// Takes no notice of anything but the beginnings of documents.
class OneDocument : public YAML::EventHandler {
 public:
  bool found() const { return found_; }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (found_) {
      throw YAML::ParserException(
          mark, "found a second YAML document, or text outside the first; expected one");
    }
    found_ = true;
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t,
                const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}

 private:
  bool found_ = false;
};

void emit(YAML::Emitter& out, const Json& json) {
  if (json.is_object()) {
    out << YAML::BeginMap;
    for (const auto& [key, value] : json.items()) {
      out << YAML::Key << key << YAML::Value;
      emit(out, value);
    }
    out << YAML::EndMap;
  } else if (json.is_array()) {
    out << YAML::Flow << YAML::BeginSeq;
    for (const Json& value : json) emit(out, value);
    out << YAML::EndSeq;
  } else if (json.is_string()) {
    out << json.get_ref<const std::string&>();  // quoted where it has to be
  } else if (json.is_null()) {
    out << YAML::Null;
  } else {
    out << json.dump();
  }
}

}  // namespace

YAML::Node load_yaml(const std::string& text) {
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  OneDocument document;
  while (parser.HandleNextDocument(document)) {
  }
  if (!document.found()) {
    throw YAML::ParserException(YAML::Mark::null_mark(), "found no YAML document, expected one");
  }
  return YAML::Load(text);
}

std::string to_yaml(const Json& json) {
  YAML::Emitter out;
  emit(out, json);
  return std::string(out.c_str()) + "\n";
}

}  // namespace cisolve
