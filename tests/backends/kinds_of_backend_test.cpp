// Properties that only the CPU's backend or the checked one has.

#include <omp.h>

#include <stdexcept>
#include <utility>
#include <vector>

#include "core/dense/host_matrix.hpp"
#include "tests/support/one_thread.hpp"
#include "tests/support/support.hpp"

namespace cisolve {
namespace {

using namespace cisolve::testing;

TEST(CpuBackend, is_not_misled_by_the_number_of_its_thread_in_a_team_of_the_callers) {
  const OneThread one_thread;
  const HostMatrix x = random_block(300, 7, 1), y = random_block(300, 2, 2);
  constexpr int callers = 24;
  std::vector<HostMatrix> grams(callers), combined(callers);
#pragma omp parallel num_threads(callers)
  {
    const auto backend = make_cpu_backend();
    const auto on_x = on(*backend, x);
    auto on_y = on(*backend, y);
    const int t = omp_get_thread_num();
    backend->gram(on_x.view(), on_y.view(), grams[t]);
    backend->combine(1.0, on_x.view(), grams[t], 1.0, on_y.view());
    combined[t] = backend->download(on_y.view());
  }
  for (int t = 0; t < callers; ++t) {
    EXPECT_LE((grams[t] - x.transpose() * y).cwiseAbs().maxCoeff(), 1e-11);
    EXPECT_LE((combined[t] - y - x * (x.transpose() * y)).cwiseAbs().maxCoeff(), 1e-10);
  }
}

TEST(CheckedBackend, faults_when_the_host_follows_its_addresses) {
  const auto backend = make_checked_backend();
  MultiVector v(*backend, 10, 1);
  backend->fill(1.0, v.view());
  EXPECT_DEATH(
      {
        const volatile double value = *v.view().data;
        static_cast<void>(value);
      },
      "");
}

TEST(CheckedBackend, refuses_host_memory_views_outside_and_wrong_shapes) {
  const auto backend = make_checked_backend();
  MultiVector v(*backend, 10, 2), w(*backend, 9, 2);
  std::vector<double> host(20);
  EXPECT_THROW(backend->fill(0.0, {host.data(), 10, 2, 2}), std::logic_error);
  EXPECT_THROW(backend->fill(0.0, {v.view().data, 11, 2, 2}), std::logic_error);
  EXPECT_THROW(backend->copy(v.view(), w.view()), std::logic_error);
  HostMatrix c = HostMatrix::Zero(3, 2);
  EXPECT_THROW(backend->combine(1.0, v.view(), c, 0.0, w.view()), std::logic_error);
  c = HostMatrix::Identity(2, 2);
  EXPECT_THROW(backend->combine(1.0, v.view(), c, 0.0, v.view()), std::logic_error);
}

TEST(CheckedBackend, hands_out_memory_that_holds_nan) {
  const auto backend = make_checked_backend();
  const MultiVector v(*backend, 10, 2);
  EXPECT_TRUE(backend->download(v.view()).array().isNaN().all());
}

}  // namespace
}  // namespace cisolve
