#include "app/config/multiplicities.hpp"
#include "app/page/document.hpp"
#include "app/page/markup.hpp"
#include "app/page/sections/sections.hpp"

namespace cisolve {

std::string exchange_section(const Json& report) {
  const Json& exchange = at(report, "exchange_coupling");
  if (exchange.is_null()) return "";
  const std::string unit = unit_of(report);
  Table table{"", {{"S − 1"}, {"S"}, {in_unit("J", unit)}}, {}};
  if (!unit.empty()) table.columns.push_back({"J / cm⁻¹"});
  for (const Json& pair : at(exchange, "pairs")) {
    const Json& multiplicities = at(pair, "multiplicities");
    table.rows.push_back({spin_text(multiplicities[0]), spin_text(multiplicities[1]),
                          formatted("{:.8e}", number_at(pair, "j"))});
    if (!unit.empty()) table.rows.back().push_back(formatted("{:.3f}", number_at(pair, "j_cm1")));
  }
  return to_markup(table) +
         element(
             "p", {{"class", "quiet"}},
             "Ĥ = −2 J <b>S</b>₁·<b>S</b>₂, so that E(S) = −J S(S + 1) + const and J = (E(S − 1) "
             "− E(S)) / (2 S), of the lowest state of each spin. J &lt; 0: antiferromagnetic.") +
         "\n";
}

}  // namespace cisolve
