#pragma once

#include <string>
#include <vector>

#include "app/bench/bar_chart.hpp"
#include "app/bench/bench.hpp"
#include "app/config/json.hpp"

namespace cisolve {

/// Findings of the bench as one HTML document that needs no other file: the chart, the best
/// formats, every row of bench_json, and contenders not measured. `title`: the matrix, for people.
std::string bench_page(const std::string& title, const Json& report,
                       const std::vector<Refusal>& refusals, const BarChart& chart);

}  // namespace cisolve
