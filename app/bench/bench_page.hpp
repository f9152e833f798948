#pragma once

#include <string>
#include <vector>

#include "app/bench/bar_chart.hpp"
#include "app/bench/bench.hpp"
#include "app/config/json.hpp"

namespace cisolve {

/// The bench's findings as one HTML document that needs no other file: the chart, the best formats,
/// every row of bench_json and what was not measured. `title`: of the matrix, for people.
std::string bench_page(const std::string& title, const Json& report,
                       const std::vector<Refusal>& refusals, const BarChart& chart);

}  // namespace cisolve
