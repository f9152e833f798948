#include "app/page/citation.hpp"

#include <yaml-cpp/yaml.h>

#include "app/config/yaml_text.hpp"
#include "core/text/text.hpp"

namespace cisolve {
namespace {

const char citation_file[] =
#include "citation.inc"  // CITATION.cff, by cmake/EmbeddedTexts.cmake
    ;

std::string text_of(const YAML::Node& node) {
  return node.as<std::string>();
}

std::string authors_of(const YAML::Node& of) {
  return joined(of["authors"], ", ", [](const YAML::Node& author) {
    return text_of(author["name"] ? author["name"] : author["family-names"]);
  });
}

std::string doi_of(const YAML::Node& of) {
  return of["doi"] ? ", doi:" + text_of(of["doi"]) : "";
}

std::string article(const YAML::Node& of) {
  std::string line = authors_of(of) + ": " + text_of(of["title"]) + ". " + text_of(of["journal"]) +
                     " " + text_of(of["volume"]) + ", " + text_of(of["start"]) + " (" +
                     text_of(of["year"]) + ")";
  return line + doi_of(of);
}

}  // namespace

Citation citation_of(const std::string& cff) {
  const YAML::Node file = load_yaml(cff);
  Citation made{text_of(file["message"]),
                authors_of(file) + ": " + text_of(file["title"]) + ". Version " +
                    text_of(file["version"]) +
                    (file["doi"] ? doi_of(file) : ", which has no DOI yet"),
                {}};
  for (const YAML::Node& one : file["references"]) made.references.push_back(article(one));
  return made;
}

const Citation& citation() {
  static const Citation made = citation_of(citation_file);
  return made;
}

}  // namespace cisolve
