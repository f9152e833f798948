#include "app/bench/bench.hpp"
#include "formats/reference.hpp"

#include <omp.h>

#include <algorithm>
#include <exception>
#include <new>
#include <random>
#include <set>
#include <tuple>

#include "core/text/text.hpp"

namespace cisolve {
namespace {

/// ‖Y − Z‖ / ‖Z‖, absolute where Z is zero.
double relative_error(const HostMatrix& y, const HostMatrix& z) {
  const double norm = z.norm();
  return (y - z).norm() / (norm > 0.0 ? norm : 1.0);
}

/// Why `work` could not be done; empty where it was.
std::string failure_of(const std::function<void()>& work) {
  try {
    work();
    return {};
  } catch (const std::bad_alloc&) {
    return "out of host memory";
  } catch (const std::exception& error) {
    return error.what();
  }
}

/// The reason without the format's name before it, which the row has.
std::string without_name(const std::string& reason, const std::string& name) {
  const std::string prefix = "format " + name + ": ";
  return reason.starts_with(prefix) ? reason.substr(prefix.size()) : reason;
}

/// The format's name, and the blocks that it did not run for that reason where others ran.
std::string name_with_blocks(const BenchRow& row, const std::vector<BenchRow>& rows) {
  std::set<int> refused, all;
  for (const BenchRow& one : rows) {
    if (one.backend != row.backend || one.format != row.format) continue;
    all.insert(one.block);
    if (one.reason == row.reason) refused.insert(one.block);
  }
  if (refused == all) return row.format;
  return row.format + " with k = " + joined(refused, ", ", [](int k) { return std::to_string(k); });
}

bool is_rival(const std::string& name) {
  return name == eigen_name || name.starts_with("cusparse_");
}

}  // namespace

Bench::Bench(BenchReference reference, std::vector<int> blocks, int repeats)
    : reference_(std::move(reference)), repeats_(repeats) {
  const CsrMatrix& a = *reference_.a;
  require_full(a, "bench");
  std::ranges::sort(blocks);
  blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
  for (const int k : blocks) {
    std::mt19937 engine(1);
    std::normal_distribution<double> normal;
    Block block;
    block.x = HostMatrix::NullaryExpr(Eigen::Index{a.components} * a.columns, k,
                                      [&] { return normal(engine); });
    block.product = extended_product(a, block.x);
    blocks_.push_back(std::move(block));
  }
}

void Bench::run(Backend& backend, const std::vector<Candidate>& candidates, const Watch& watch) {
  Measurement measurement(backend, repeats_);
  const bool on_cpu = backend.kind() == BackendKind::cpu;
  const BenchPass& pass = passes_.emplace_back(BenchPass{backend.kind(), backend.description(),
                                                         on_cpu ? omp_get_max_threads() : 0,
                                                         measurement.copy_bandwidth()});
  watch.pass(pass);
  for (const Candidate& candidate : candidates) {
    std::unique_ptr<Contender> contender;
    std::string reason =
        without_name(failure_of([&] { contender = candidate.make(backend); }), candidate.name);
    for (const Block& block : blocks_) {
      BenchRow row;
      row.format = candidate.name;
      row.backend = pass.backend;
      row.threads = pass.threads;
      row.block = static_cast<int>(block.x.cols());
      row.copy_bandwidth = pass.copy_bandwidth;
      // A contender that could not run fails for wider blocks too; one with a wrong product need
      // not.
      if (reason.empty()) {
        reason = failure_of([&] { measure(*contender, block, measurement, row); });
      }
      if (!reason.empty()) row.reason = reason;
      rows_.push_back(row);
      watch.row(row);
    }
  }
}

void Bench::measure(Contender& contender, const Block& block, Measurement& measurement,
                    BenchRow& row) {
  contender.load(block.x);
  const Quartiles seconds = measurement.seconds([&] { contender.multiply(); });
  row.seconds = seconds.median;
  row.lower_quartile = seconds.lower;
  row.upper_quartile = seconds.upper;
  HostMatrix product = contender.result();
  const int d = reference_.a->components;
  if (!reference_.rows.empty()) product = HostMatrix(product(reference_.rows, Eigen::all));
  row.relative_error = relative_error(product, block.product);
  row.tolerance = contender.tolerance();
  if (!(row.relative_error <= row.tolerance)) {
    row.reason = "the product is wrong";
    return;
  }
  row.bytes = contender.bytes();
  row.conversion_seconds = contender.conversion_seconds();
  row.layout = contender.layout();

  row.gflops = 2e-9 * d * d * reference_.nonzeros * row.block / row.seconds;
  const double vectors =
      8.0 * d * row.block * (static_cast<double>(reference_.size()) + reference_.a->columns);
  row.bandwidth = (static_cast<double>(row.bytes) + vectors) / row.seconds;
  if (row.format == serial_name) serial_seconds_[row.block] = row.seconds;
  const auto serial = serial_seconds_.find(row.block);
  if (serial != serial_seconds_.end()) row.speedup = serial->second / row.seconds;
}

std::vector<Refusal> refusals(const std::vector<BenchRow>& rows) {
  std::vector<Refusal> list;
  for (const BenchRow& row : rows) {
    if (row.reason.empty()) continue;
    const auto same = std::ranges::find_if(list, [&](const Refusal& one) {
      return one.backend == row.backend && one.reason == row.reason;
    });
    Refusal& refusal = same != list.end() ? *same : list.emplace_back(row.backend);
    refusal.reason = row.reason;
    const std::string name = name_with_blocks(row, rows);
    if (std::ranges::find(refusal.formats, name) == refusal.formats.end()) {
      refusal.formats.push_back(name);
    }
  }
  return list;
}

std::vector<BestFormat> best_formats(const std::vector<BenchRow>& rows) {
  struct Fastest {
    std::optional<BenchRow> format, rival;
  };
  std::map<std::tuple<BackendKind, int, int>, Fastest> groups;
  for (const BenchRow& row : rows) {
    if (!row.reason.empty() || row.format == serial_name) continue;
    Fastest& group = groups[{row.backend, row.threads, row.block}];
    std::optional<BenchRow>& best = is_rival(row.format) ? group.rival : group.format;
    if (!best || row.seconds < best->seconds) best = row;
  }
  std::vector<BestFormat> list;
  for (const auto& [key, group] : groups) {
    if (group.format) list.push_back({*group.format, group.rival});
  }
  return list;
}

}  // namespace cisolve
