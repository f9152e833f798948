#pragma once

#include <ostream>
#include <string>

#include "app/bench/bar_chart.hpp"
#include "app/bench/bench.hpp"
#include "app/config/config.hpp"

namespace cisolve {

// Findings of the bench as text, JSON, CSV and chart.

/// Prints the heading of a pass's table.
void print(std::ostream& out, const BenchPass& pass);
/// Prints one line of it, a product that was measured.
void print(std::ostream& out, const BenchRow& row);
/// Prints the contenders that were not measured, with reasons.
void print(std::ostream& out, const std::vector<Refusal>& refusals);
/// Prints the table of the best formats; nothing if there is none.
void print_best(std::ostream& out, const std::vector<BestFormat>& best);

Json bench_json(const Bench& bench);
/// Head line of the CSV table.
inline constexpr char bench_csv_header[] =
    "format,backend,threads,block,seconds,gflops,speedup,bytes,bandwidth,copy_bandwidth,"
    "relative_error,conversion_seconds,lower_quartile,upper_quartile,layout,reason\n";
/// CSV table: the head line and one line for each row.
std::string bench_csv(const std::vector<BenchRow>& rows);
/// GFLOPS of every row: a panel for each pass, a group of bars for each contender, a colour for
/// each width of block.
BarChart bench_chart(const std::string& title, const Bench& bench);

}  // namespace cisolve
