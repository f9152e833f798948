#include "app/bench/bench_report.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

#include "app/report/origin.hpp"
#include "core/memory.hpp"
#include "core/text/text.hpp"

namespace cisolve {
namespace {

std::string threads_text(int threads) {
  return threads > 0 ? std::to_string(threads) : "";
}

std::string ratio_text(const std::optional<double>& ratio) {
  return ratio ? fmt::format("{:.2f}", *ratio) : "";
}

/// Who and where, as rows and the best begin.
Json key_json(const BenchRow& row) {
  Json json{{"format", row.format}, {"backend", backend_name(row.backend)}};
  if (row.threads > 0) json["threads"] = row.threads;
  json["block"] = row.block;
  return json;
}

Json to_json(const BenchRow& row) {
  Json json = key_json(row);
  if (!row.reason.empty()) {
    json["reason"] = row.reason;
    return json;
  }
  json["seconds"] = row.seconds;
  json["lower_quartile"] = row.lower_quartile;
  json["upper_quartile"] = row.upper_quartile;
  json["gflops"] = row.gflops;
  if (row.speedup) json["speedup"] = *row.speedup;
  json["bytes"] = row.bytes;
  json["bandwidth"] = row.bandwidth;
  json["copy_bandwidth"] = row.copy_bandwidth;
  json["relative_error"] = row.relative_error;
  json["tolerance"] = row.tolerance;
  json["conversion_seconds"] = row.conversion_seconds;
  json["layout"] = row.layout;
  return json;
}

Json to_json(const BestFormat& best) {
  Json json = key_json(best.row);
  json["seconds"] = best.row.seconds;
  json["gflops"] = best.row.gflops;
  if (best.row.speedup) json["speedup"] = *best.row.speedup;
  if (best.rival) {
    json["rival"] = best.rival->format;
    json["rival_seconds"] = best.rival->seconds;
    json["over_rival"] = best.over_rival();
  }
  return json;
}

std::string csv_field(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

BarPanel panel_of(const BenchPass& pass, const std::vector<BenchRow>& rows,
                  const std::vector<int>& blocks) {
  BarPanel panel{backend_name(pass.backend) + ": " + pass.device, {}};
  for (const BenchRow& row : rows) {
    if (row.backend != pass.backend || row.threads != pass.threads) continue;
    if (panel.groups.empty() || panel.groups.back().label != row.format) {
      panel.groups.push_back({row.format, std::vector<std::optional<double>>(blocks.size())});
    }
    const auto series = std::ranges::find(blocks, row.block) - blocks.begin();
    if (row.reason.empty()) panel.groups.back().values[series] = row.gflops;
  }
  return panel;
}

}  // namespace

void print(std::ostream& out, const BenchPass& pass) {
  out << fmt::format("\n{}: {}, copy {:.1f} GB/s\n", backend_name(pass.backend), pass.device,
                     pass.copy_bandwidth * 1e-9)
      << fmt::format(
             "{:22} {:4} {:>7} {:>3} {:>10} {:>17} {:>8} {:>8} {:>9} {:>8} {:>7} {:>9} {:>9}  {}\n",
             "format", "", "threads", "k", "ms", "quartiles", "GFLOPS", "speedup", "memory", "GB/s",
             "of copy", "error", "convert/s", "layout");
}

void print(std::ostream& out, const BenchRow& row) {
  out << fmt::format("{:22} {:4} {:>7} {:>3} ", row.format, backend_name(row.backend),
                     threads_text(row.threads), row.block)
      << fmt::format(
             "{:10.4f} {:>17} {:8.2f} {:>8} {:>9} {:8.1f} {:7.2f} {:9.1e} {:9.2f}  {}",
             row.seconds * 1e3,
             fmt::format("{:.4f}–{:.4f}", row.lower_quartile * 1e3, row.upper_quartile * 1e3),
             row.gflops, ratio_text(row.speedup), format_bytes(row.bytes), row.bandwidth * 1e-9,
             row.bandwidth / row.copy_bandwidth, row.relative_error, row.conversion_seconds,
             row.layout)
      << std::endl;
}

void print(std::ostream& out, const std::vector<Refusal>& refusals) {
  if (!refusals.empty()) out << "\nnot measured\n";
  for (const Refusal& one : refusals) {
    out << fmt::format("{}: {}: {}\n", backend_name(one.backend), joined(one.formats), one.reason);
  }
}

void print_best(std::ostream& out, const std::vector<BestFormat>& best) {
  if (best.empty()) return;
  out << fmt::format("\n{:22} {:4} {:>7} {:>3} {:>10} {:>8} {:>8} {:>8}  {}\n", "best format", "",
                     "threads", "k", "ms", "GFLOPS", "speedup", "times", "as fast as");
  for (const BestFormat& b : best) {
    out << fmt::format("{:22} {:4} {:>7} {:>3} {:10.4f} {:8.2f} {:>8} {:>8}  {}\n", b.row.format,
                       backend_name(b.row.backend), threads_text(b.row.threads), b.row.block,
                       b.row.seconds * 1e3, b.row.gflops, ratio_text(b.row.speedup),
                       b.rival ? ratio_text(b.over_rival()) : "", b.rival ? b.rival->format : "");
  }
}

Json bench_json(const Bench& bench) {
  Json report;
  Json bandwidths = Json::object();
  for (const BenchPass& pass : bench.passes()) {
    Json& bandwidth = bandwidths[backend_name(pass.backend)];
    bandwidth = std::max(pass.copy_bandwidth, bandwidth.is_null() ? 0.0 : bandwidth.get<double>());
  }
  if (!bandwidths.empty()) report["copy_bandwidth"] = bandwidths.back();
  report["copy_bandwidths"] = bandwidths;
  report["rows"] = Json::array();
  for (const BenchRow& row : bench.rows()) report["rows"].push_back(to_json(row));
  report["best"] = Json::array();
  for (const BestFormat& b : best_formats(bench.rows())) report["best"].push_back(to_json(b));
  add_origin(report);
  return report;
}

std::string bench_csv(const std::vector<BenchRow>& rows) {
  std::string text = bench_csv_header;
  for (const BenchRow& row : rows) {
    text += fmt::format("{},{},{},{},", row.format, backend_name(row.backend),
                        threads_text(row.threads), row.block);
    if (row.reason.empty()) {
      text +=
          fmt::format("{},{},{},{},{},{},{},{},{},{},{},\n", row.seconds, row.gflops,
                      row.speedup ? fmt::format("{}", *row.speedup) : "", row.bytes, row.bandwidth,
                      row.copy_bandwidth, row.relative_error, row.conversion_seconds,
                      row.lower_quartile, row.upper_quartile, csv_field(row.layout));
    } else {
      text += fmt::format(",,,,,,,,,,,{}\n", csv_field(row.reason));
    }
  }
  return text;
}

BarChart bench_chart(const std::string& title, const Bench& bench) {
  std::vector<int> blocks;
  for (const BenchRow& row : bench.rows()) {
    if (!std::ranges::count(blocks, row.block)) blocks.push_back(row.block);
  }
  BarChart chart{title, "GFLOPS", {}, {}};
  for (const int k : blocks) chart.series.push_back("k = " + std::to_string(k));
  for (const BenchPass& pass : bench.passes()) {
    chart.panels.push_back(panel_of(pass, bench.rows(), blocks));
  }
  return chart;
}

}  // namespace cisolve
