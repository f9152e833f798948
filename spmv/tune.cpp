#include "spmv/tune.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

#include "backends/stopwatch.hpp"
#include "spmv/block_width.hpp"

namespace cisolve {
namespace {

/// Part of a product's time below which two medians of five are the same.
constexpr double noise = 0.02;

/// The kernel in use, and those that A names and that differ from it and from one another in a
/// piece of such blocks.
std::vector<KernelSettings> distinct_kernels(const LinearOperator& a, int columns,
                                             const KernelSettings& in_use) {
  std::vector<KernelSettings> distinct;
  std::vector<std::vector<KernelSettings>> seen;
  const auto add = [&](const KernelSettings& kernel) {
    std::vector<KernelSettings> pieces;
    // On the CPU the kernel that a setting comes to does not depend on the width.
    for_each_device_piece(columns, [&](auto width, int) {
      pieces.push_back(a.effective_kernel(kernel, width.value));
    });
    if (std::ranges::find(seen, pieces) != seen.end()) return;
    seen.push_back(std::move(pieces));
    distinct.push_back(kernel);
  };
  add(in_use);
  for (const KernelSettings& kernel : a.kernels()) add(kernel);
  return distinct;
}

double median_seconds(const LinearOperator& a, Backend& backend, ConstView x, View y) {
  const auto seconds = [&] {
    return timed_milliseconds(backend, [&] { a.apply(1.0, x, 0.0, y); }) * 1e-3;
  };
  const double first = seconds();
  if (first > 1.0) return first;  // its warm-up costs nothing beside it
  std::vector<double> times(5);
  std::ranges::generate(times, seconds);
  std::ranges::nth_element(times, times.begin() + 2);
  return times[2];
}

}  // namespace

Tuning tune(LinearOperator& a, Backend& backend, int columns, const KernelSettings& in_use) {
  Tuning result{in_use, a.effective_kernel(in_use, columns)};
  const std::vector<KernelSettings> kernels = distinct_kernels(a, columns, in_use);
  if (kernels.size() < 2 || a.rows() == 0) return result;
  result.tried = static_cast<int>(kernels.size());
  MultiVector x(backend, a.columns(), columns), y(backend, a.rows(), columns);
  backend.fill(1.0, x.view());
  const auto seconds = [&](const KernelSettings& kernel) {
    a.use(kernel);
    return median_seconds(a, backend, x.view(), y.view());
  };
  std::vector<double> times;
  for (const KernelSettings& kernel : kernels) times.push_back(seconds(kernel));
  const KernelSettings& fastest = kernels[std::ranges::min_element(times) - times.begin()];
  result.seconds = result.default_seconds = times.front();
  if (!(fastest == in_use)) {
    const double again = seconds(in_use), candidate = seconds(fastest);
    result.seconds = result.default_seconds = again;
    if (candidate < (1.0 - noise) * again) {
      result.kernel = fastest;
      result.effective = a.effective_kernel(fastest, columns);
      result.seconds = candidate;
    }
  }
  a.use(result.kernel);
  return result;
}

std::string describe(const KernelSettings& kernel, BackendKind backend) {
  if (backend == BackendKind::cuda) {
    const std::string lanes = kernel.threads_per_row > 0
                                  ? std::to_string(kernel.threads_per_row) + " threads a row, "
                                  : "";
    return lanes + "blocks of " + std::to_string(kernel.block_threads);
  }
  const char* names[] = {"static", "dynamic", "guided"};
  return std::string(names[static_cast<int>(kernel.schedule)]) + " chunks of " +
         std::to_string(kernel.chunk) + " rows";
}

std::string describe(const Tuning& tuning, const std::string& format, BackendKind backend) {
  if (tuning.tried == 0) return "tuning " + format + ": its kernel has no choices here";
  const std::string kernel = "tuned " + format + ": " + describe(tuning.effective, backend);
  const std::string tried = " (" + std::to_string(tuning.tried) + " tried)";
  if (!tuning.gained()) return kernel + " as before, none is faster" + tried;
  char gain[64];
  std::snprintf(gain, sizeof gain, ", %.2f x as fast as before",
                tuning.default_seconds / tuning.seconds);
  return kernel + gain + tried;
}

}  // namespace cisolve
