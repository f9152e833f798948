#include "app/bench/measurement.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "backends/stopwatch.hpp"

namespace cisolve {

Measurement::Measurement(Backend& backend, int repeats)
    : backend_(backend), repeats_(repeats), flush_(backend, 32'000'000, 1) {}

double Measurement::seconds(const std::function<void()>& work) {
  std::vector<double> times;
  for (int r = -2; r < repeats_; ++r) {
    // Not waited for on a device: the work is launched while this runs, so that the device does not
    // idle between the first event and the work.
    backend_.fill(r, flush_.view());
    const double time = timed_milliseconds(backend_, work) * 1e-3;
    if (r >= 0) times.push_back(time);
  }
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::ranges::nth_element(times, middle);
  return *middle;
}

double Measurement::copy_bandwidth() {
  const Index count = backend_.kind() == BackendKind::cuda ? 125'000'000 : 32'000'000;
  MultiVector x(backend_, count, 1), y(backend_, count, 1);
  backend_.fill(1.0, x.view());
  return 16.0 * count / seconds([&] { backend_.copy(x.view(), y.view()); });
}

}  // namespace cisolve
