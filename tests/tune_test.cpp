// Kernel parameters: every one gives the same product, and tuning leaves one of them in use.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "formats/csr_matrix.hpp"
#include "formats/generate.hpp"
#include "spmv/format.hpp"
#include "spmv/tune.hpp"
#include "tests/support.hpp"

namespace cisolve {
namespace {

std::vector<std::unique_ptr<Backend>> backends() {
  std::vector<std::unique_ptr<Backend>> list;
  list.push_back(make_cpu_backend());
  if (cuda_unavailable_reason().empty()) list.push_back(make_cuda_backend());
  return list;
}

HostMatrix product(const LinearOperator& a, Backend& backend, int columns) {
  MultiVector x(backend, a.columns(), columns), y(backend, a.rows(), columns);
  backend.upload(HostMatrix::NullaryExpr(a.columns(), columns,
                                         [](Eigen::Index i, Eigen::Index j) {
                                           return 1.0 / static_cast<double>(1 + i + 3 * j);
                                         }),
                 x.view());
  a.apply(1.0, x.view(), 0.0, y.view());
  return backend.download(y.view());
}

TEST(Kernel, EveryOneOfAFormatGivesTheSameProduct) {
  const auto a = std::make_shared<const CsrMatrix>(generate_random(2000, 40, 3, true));
  for (const auto& backend : backends()) {
    for (const Format& format : formats()) {
      if (!unavailable_reason(format, backend->kind()).empty()) continue;
      const auto made = make_operator(format.name, a, *backend);
      for (const int columns : {1, 4, 8}) {
        const HostMatrix expected = product(*made, *backend, columns);
        for (const Kernel& kernel : made->kernels()) {
          made->use(kernel);
          EXPECT_LE((product(*made, *backend, columns) - expected).norm(), 1e-14 * expected.norm())
              << format.name << " with " << columns << " vectors";
        }
        made->use({});
      }
    }
  }
}

TEST(Kernel, TuningKeepsTheFastestOfThoseItTried) {
  const auto a = std::make_shared<const CsrMatrix>(generate_random(500, 20, 3, false));
  for (const auto& backend : backends()) {
    const auto made = make_operator("csr", a, *backend);
    const Kernel before{Kernel::Schedule::dynamic, 1};
    const Tuning tuned = tune(*made, *backend, 4, before);
    EXPECT_EQ(tuned.tried, static_cast<int>(made->kernels().size()) + 1);
    EXPECT_GT(tuned.seconds, 0.0);
    EXPECT_LE(tuned.seconds, tuned.default_seconds);
    const auto list = made->kernels();
    EXPECT_TRUE(tuned.kernel == before || std::ranges::find(list, tuned.kernel) != list.end());
  }
}

TEST(Kernel, AFormatWithoutChoiceSaysSo) {
  const auto backend = make_cpu_backend();
  const auto a = std::make_shared<const CsrMatrix>(generate_random(50, 5, 3, false));
  const auto made = make_operator("csb", a, *backend);
  const Tuning tuned = tune(*made, *backend, 1, {});
  EXPECT_EQ(tuned.tried, 0);
  EXPECT_EQ(describe(tuned, "csb", BackendKind::cpu), "tuning csb: its kernel has no choices here");
}

}  // namespace
}  // namespace cisolve
