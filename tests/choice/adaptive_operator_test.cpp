// An operator that changes its format while it is used: the products are those of csr.
#include "app/choice/adaptive_operator.hpp"

#include <omp.h>

#include "core/dense/host_matrix.hpp"
#include "core/error.hpp"
#include "formats/matrix/generate.hpp"
#include "formats/reference.hpp"
#include "tests/choice/network_text.hpp"
#include "tests/support/support.hpp"

namespace cisolve {
namespace {

using namespace cisolve::testing;

SearchOptions generous() {
  SearchOptions options;
  options.expected_products = 1'000'000;
  return options;
}

/// Large enough for a choice on either backend.
std::shared_ptr<const CsrMatrix> large_matrix() {
  static const auto a =
      std::make_shared<const CsrMatrix>(generate_random(70'000, 15, 3, /*symmetric=*/false));
  return a;
}

FormatNetwork network(BackendKind backend, const std::vector<Predicted>& predicted) {
  const auto json = network_json(backend == BackendKind::cpu ? "cpu" : "cuda", predicted);
  return FormatNetwork::parse(json.dump(), "test", backend);
}

TEST(AdaptiveOperator, ProductsStayTheSameWhileFormatsAreTried) {
  for (const char* name : {"cpu", "cuda"}) {
    const auto backend = make_backend(name);
    if (!backend) continue;
    const auto a = large_matrix();
    const FormatNetwork n =
        network(backend->kind(), {{"sell", 0.1, 0.01}, {"hybrid", 0.2, 0.01}, {"csr5", 0.3, 0.01}});
    const auto made = make_adaptive_operator({a, *backend, {}, n, false}, generous());
    EXPECT_EQ(made->info().format, "csr");
    for (int p = 0; p < 24; ++p) {
      const int k = p % 4 == 3 ? 3 : 1;
      const HostMatrix x = random_block(a->columns, k, p), y0 = random_block(a->rows, k, p + 50);
      const auto device_x = on(*backend, x);
      auto y = on(*backend, y0);
      const double beta = p % 2;
      made->apply(2.0, device_x.view(), beta, y.view());
      const HostMatrix expected = 2.0 * reference_product(*a, x) + beta * y0;
      ASSERT_LE((backend->download(y.view()) - expected).norm(), 1e-14 * expected.norm()) << p;
    }
    const FormatChoice choice = made->choice();
    EXPECT_TRUE(choice.settled);
    ASSERT_EQ(choice.candidates.size(), 3u);
    EXPECT_EQ(choice.products, 24);
    EXPECT_EQ(made->info().format, choice.format);
    // A candidate on a busy machine may come out so fast that the last is not worth a trial.
    int tried = 0;
    for (const FormatCandidate& c : choice.candidates) {
      if (!c.seconds) continue;
      ++tried;
      EXPECT_GT(*c.seconds, 0.0) << c.format << ": " << c.outcome;
      EXPECT_GT(c.bytes.value_or(0), 0u) << c.format;
    }
    EXPECT_GE(tried, 1);
    HostMatrix expected(a->rows, 1);
    std::ranges::copy(diagonal(*a), expected.data());
    MultiVector d(*backend, a->rows, 1);
    made->diagonal(d.view());
    EXPECT_EQ(backend->download(d.view()), expected);
  }
}

TEST(AdaptiveOperator, FormatsThatCannotBeTakenSayWhy) {
  const auto backend = make_cpu_backend();
  const FormatNetwork n =
      network(BackendKind::cpu,
              {{"csr_symmetric", 0.1, 0.01}, {"dia", 0.2, 0.01}, {"cusparse_sell", 0.3, 0.01}});
  const auto made = make_adaptive_operator({large_matrix(), *backend, {}, n, false}, generous());
  MultiVector x(*backend, 70'000, 1), y(*backend, 70'000, 1);
  backend->fill(1.0, x.view());
  for (int p = 0; p < 10; ++p) made->apply(1.0, x.view(), 0.0, y.view());
  const FormatChoice choice = made->choice();
  ASSERT_EQ(choice.candidates.size(), 3u);
  EXPECT_EQ(choice.candidates[0].outcome, "the matrix is not known to be symmetric");
  EXPECT_NE(choice.candidates[1].outcome, "not tried");  // its padding is refused, or it is slower
  EXPECT_EQ(choice.candidates[2].outcome, "only on CUDA: the vendor library");
}

TEST(AdaptiveOperator, ASmallMatrixStaysInCsr) {
  const auto backend = make_cpu_backend();
  const FormatNetwork n = network(BackendKind::cpu, {{"sell", 0.1, 0.01}});
  const auto a = std::make_shared<const CsrMatrix>(generate_random(500, 10, 3, false));
  const auto made = make_adaptive_operator({a, *backend, {}, n, false}, generous());
  MultiVector x(*backend, 500, 1), y(*backend, 500, 1);
  backend->fill(1.0, x.view());
  for (int p = 0; p < 10; ++p) made->apply(1.0, x.view(), 0.0, y.view());
  EXPECT_EQ(made->choice().reason, "the matrix has fewer than 1000000 nonzeros");
  EXPECT_TRUE(made->choice().candidates.empty());
}

TEST(AdaptiveOperator, WhatEarlierRunsMeasuredIsMadeAtOnce) {
  const auto backend = make_cpu_backend();
  const FormatNetwork n = network(BackendKind::cpu, {{"ell", 0.1, 0.01}});
  SearchOptions options;
  options.known = {{"csr", 1.0, 0.0}, {"sell", 0.5, 20.0}, {"jad", 0.45, 23.0}};
  options.expected_products = 50;  // 50 s, 45 s, 45.5 s
  const auto made = make_adaptive_operator({large_matrix(), *backend, {}, n, false}, options);
  EXPECT_EQ(made->info().format, "sell");
  FormatChoice choice = made->choice();
  EXPECT_TRUE(choice.remembered);
  EXPECT_EQ(choice.reason, "measured by an earlier run to be the fastest for 50 products");
  options.expected_products = 30;
  EXPECT_EQ(
      make_adaptive_operator({large_matrix(), *backend, {}, n, false}, options)->info().format,
      "csr");
  options.expected_products = 1000;
  const auto jad = make_adaptive_operator({large_matrix(), *backend, {}, n, false}, options);
  EXPECT_EQ(jad->info().format, "jad");
  // No room for it: csr, and it is not taken for measured.
  options.free_bytes = 1000;
  EXPECT_EQ(
      make_adaptive_operator({large_matrix(), *backend, {}, n, false}, options)->info().format,
      "csr");
}

TEST(AdaptiveOperator, KernelsAreThoseOfTheFormatInUse) {
  const auto backend = make_cpu_backend();
  const FormatNetwork n = network(BackendKind::cpu, {});
  const auto made = make_adaptive_operator({large_matrix(), *backend, {}, n, false}, {});
  const auto csr = make_operator("csr", large_matrix(), *backend);
  EXPECT_EQ(made->kernels().data(), csr->kernels().data());
  const KernelSettings kernel{KernelSettings::Schedule::guided, 7};
  EXPECT_EQ(made->effective_kernel(kernel, 1), csr->effective_kernel(kernel, 1));
  EXPECT_FALSE(made->to_double_precision());
  EXPECT_EQ(made->rounding_error(), 0.0);
}

TEST(AdaptiveOperator, FormatsOfRealMatricesAreNoCandidatesForComplexOnes) {
  const FormatNetwork n =
      network(BackendKind::cpu, {{"sell", 0.1, 0.01}, {"csr5", 0.2, 0.01}, {"dia", 0.3, 0.01}});
  const CsrMatrix a{2, 2, {0, 1, 2}, {0, 1}, {1, 0, 2, 0}, Storage::full, 2};
  const auto ranked = rank_formats(n, a, {}, 1, BackendKind::cpu, true);
  ASSERT_EQ(ranked.size(), 3u);
  for (const FormatCandidate& c : ranked) {
    EXPECT_EQ(c.outcome, c.format == "sell" ? "" : "it holds real matrices") << c.format;
  }
}

}  // namespace
}  // namespace cisolve
