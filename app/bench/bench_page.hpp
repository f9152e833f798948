#pragma once

#include <string>

#include "app/bench/bar_chart.hpp"
#include "app/config/json.hpp"

namespace cisolve {

/// What the bench found as one HTML document that needs no other file: the chart, the best formats
/// and every row of bench_json. `title`: of the matrix, for people.
std::string bench_page(const std::string& title, const Json& report, const BarChart& chart);

}  // namespace cisolve
