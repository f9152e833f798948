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

}  // namespace cisolve
