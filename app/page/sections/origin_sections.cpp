#include "app/page/citation.hpp"
#include "app/page/document.hpp"
#include "app/page/markup.hpp"
#include "app/page/sections/sections.hpp"

namespace cisolve {

std::string origin_section(const Json& report) {
  const std::string device = text_at(report, "device");
  std::string program =
      "cisolve " + text_at(report, "version") + ", " + text_at(report, "instruction_set");
  if (!device.empty()) program += ", " + text_at(report, "backend") + ": " + device;
  return element("pre", xml_escaped(text_at(report, "command"))) + "\n" +
         term_list({{"date", text_at(report, "date")},
                    {"host", text_at(report, "host")},
                    {"program", program}});
}

std::string citation_section() {
  const Citation& cited = citation();
  std::string items = element("li", xml_escaped(cited.program)) + "\n";
  for (const std::string& one : cited.references) items += element("li", xml_escaped(one)) + "\n";
  return element("p", xml_escaped(cited.message)) + "\n" + element("ul", "\n" + items) + "\n";
}

}  // namespace cisolve
