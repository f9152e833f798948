#pragma once

#include <ostream>
#include <string>

#include "app/bench/bar_chart.hpp"
#include "app/bench/bench.hpp"
#include "app/config/config.hpp"

namespace cisolve {

// What the bench found, in the forms in which it leaves the program.

/// The heading of a pass's table.
void print(std::ostream& out, const BenchPass& pass);
/// One line of it, of a product that was measured.
void print(std::ostream& out, const BenchRow& row);
/// Contenders that were not measured, and why.
void print(std::ostream& out, const std::vector<Refusal>& refusals);
/// The table of the best formats; nothing where there is none.
void print_best(std::ostream& out, const std::vector<BestFormat>& best);

Json bench_json(const Bench& bench);
/// What a table as CSV opens with.
inline constexpr char bench_csv_header[] =
    "format,backend,threads,block,seconds,gflops,speedup,bytes,bandwidth,copy_bandwidth,"
    "relative_error,conversion_seconds,lower_quartile,upper_quartile,layout,reason\n";
/// One line a row, under a line of headings.
std::string bench_csv(const std::vector<BenchRow>& rows);
/// GFLOPS of every row: a panel for each pass, a group of bars for each contender, a colour for
/// each width of block.
BarChart bench_chart(const std::string& title, const Bench& bench);

}  // namespace cisolve
