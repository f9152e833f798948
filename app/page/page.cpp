#include "app/page/page.hpp"

#include "app/page/document.hpp"
#include "app/page/markup.hpp"
#include "app/page/sections/sections.hpp"

namespace cisolve {
namespace {

/// The last part of a file's name.
std::string short_name(const std::string& input) {
  return input.substr(input.rfind('/') + 1);  // npos + 1 = 0: all
}

/// The status, with a mark that says it without colour.
std::string status_of(const Json& report) {
  if (text_at(report, "status") != "converged") {
    return "✗ NOT converged: " + text_at(report, "summary");
  }
  return (at(report, "verified") == false ? "○ " : "✓ ") + text_at(report, "summary");
}

std::string header_of(const Json& report, const std::string& input) {
  const bool converged = text_at(report, "status") == "converged";
  return element("header",
                 "\n" + element("h1", xml_escaped(short_name(input))) + "\n" +
                     element("p", element("span", {{"class", converged ? "status" : "status not"}},
                                          xml_escaped(status_of(report)))) +
                     "\n" + overview(report)) +
         "\n";
}

/// A section of the report, or one of each of its parts where there are several.
std::string sections_of(const Json& report, const std::string& heading,
                        std::string (*made)(const Json&)) {
  std::string sections = section(heading, made(report));
  for (const char* parts : {"irreps", "multiplicities", "parts"}) {
    for (const Json& one : at(report, parts)) {
      sections += section(heading + ", " + text_at(one, "name"), made(one));
    }
  }
  return sections;
}

}  // namespace

std::string result_page(const Json& report) {
  const std::string input = text_at(at(at(report, "config"), "input"), "file");
  const std::string main =
      section(at(report, "states").is_null() ? "Columns" : "States", states_section(report)) +
      section("Selection", selection_section(report)) + section("Levels", levels_section(report)) +
      section("Exchange coupling", exchange_section(report)) +
      sections_of(report, "Convergence", convergence_section) +
      section("What the states are", composition_section(report)) +
      sections_of(report, "Dipole moments", dipole_section) +
      section("Seconds and memory", resources_section(report)) +
      section("Notes", notes_section(report)) + section("This run", origin_section(report)) +
      section("To run it again", again_section(report)) +
      section("How to cite", citation_section());
  return document(short_name(input) + ": " + text_at(report, "summary"),
                  header_of(report, input) + element("main", "\n" + main) + "\n");
}

}  // namespace cisolve
