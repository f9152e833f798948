#include "app/bench/measurement.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "backends/stopwatch.hpp"

namespace cisolve {

Quartiles quartiles(std::vector<double> values) {
  std::ranges::sort(values);
  const auto at = [&](double share) {
    const double place = share * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, values.size() - 1);
    return std::lerp(values[below], values[above], place - static_cast<double>(below));
  };
  return {at(0.25), at(0.5), at(0.75)};
}

Measurement::Measurement(Backend& backend, int repeats)
    : backend_(backend), repeats_(repeats), flush_(backend, 32'000'000, 1) {}

Quartiles Measurement::seconds(const std::function<void()>& work) {
  std::vector<double> times;
  for (int r = -2; r < repeats_; ++r) {
    // The device need not wait for this: the work is launched meanwhile, so that it does not idle
    // between the first event and the work.
    backend_.fill(r, flush_.view());
    const double time = timed_milliseconds(backend_, work) * 1e-3;
    if (r >= 0) times.push_back(time);
  }
  return quartiles(std::move(times));
}

double Measurement::copy_bandwidth() {
  const Index count = backend_.kind() == BackendKind::cuda ? 125'000'000 : 32'000'000;
  MultiVector x(backend_, count, 1), y(backend_, count, 1);
  backend_.fill(1.0, x.view());
  return 16.0 * count / seconds([&] { backend_.copy(x.view(), y.view()); }).median;
}

}  // namespace cisolve
