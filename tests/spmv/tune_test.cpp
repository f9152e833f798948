// Kernel parameters: every one gives the same product, and tuning leaves one of them in use.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "core/dense/host_matrix.hpp"
#include "core/threads/thread_count.hpp"
#include "formats/format.hpp"
#include "formats/matrix/csr_matrix.hpp"
#include "formats/matrix/generate.hpp"
#include "spmv/tune.hpp"
#include "tests/support/support.hpp"

namespace cisolve {
namespace {

using namespace cisolve::testing;

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

TEST(KernelSettings, EveryOneOfAFormatGivesTheSameProduct) {
  const auto a = std::make_shared<const CsrMatrix>(generate_random(2000, 40, 3, true));
  for (const auto& backend : backends()) {
    for (const Format& format : formats()) {
      if (!unavailable_reason(format, backend->kind()).empty()) continue;
      const auto made = make_operator(format.name, a, *backend);
      for (const int columns : {1, 4, 8}) {
        const HostMatrix expected = product(*made, *backend, columns);
        std::vector<KernelSettings> kernels(made->kernels().begin(), made->kernels().end());
        for (const Index chunk : {1, 1999, 5000, std::numeric_limits<Index>::max()}) {
          kernels.push_back({.chunk = chunk});
        }
        for (const KernelSettings& kernel : kernels) {
          made->use(kernel);
          EXPECT_LE((product(*made, *backend, columns) - expected).norm(), 1e-14 * expected.norm())
              << format.name << " with " << columns << " vectors";
        }
        made->use({});
      }
    }
  }
}

/// An operator without a matrix whose products take time according to the kernel in use. Chunks
/// below 64 rows come to 64.
class Sleeper final : public LinearOperator {
 public:
  explicit Sleeper(const KernelSettings& fast) : fast_(fast) {}
  Index rows() const override { return 4; }
  Index columns() const override { return 4; }
  void apply(double, ConstView, double, View) const override {
    std::this_thread::sleep_for(std::chrono::milliseconds(in_use == fast_ ? 1 : 5));
  }
  void diagonal(View) const override {}
  OperatorInfo info() const override { return {}; }
  void use(const KernelSettings& kernel) override {
    in_use = kernel;
    used.push_back(kernel);
  }
  std::span<const KernelSettings> kernels() const override { return all; }
  KernelSettings effective_kernel(const KernelSettings& wanted, int) const override {
    return {wanted.schedule, std::max<Index>(wanted.chunk, 64)};
  }

  static constexpr KernelSettings all[] = {{KernelSettings::Schedule::dynamic, 16},
                                           {KernelSettings::Schedule::dynamic, 32},
                                           {KernelSettings::Schedule::guided, 256},
                                           {KernelSettings::Schedule::dynamic, 128},
                                           {KernelSettings::Schedule::fixed, 1024}};
  KernelSettings in_use;
  std::vector<KernelSettings> used;

 private:
  KernelSettings fast_;
};

TEST(KernelSettings, TuningFindsTheFastestAndLeavesItInUse) {
  const auto backend = make_cpu_backend();
  const KernelSettings before{KernelSettings::Schedule::dynamic, 1}, fast = Sleeper::all[2];
  Sleeper a(fast);
  const Tuning tuned = tune(a, *backend, 2, before);
  EXPECT_EQ(tuned.kernel, fast);
  EXPECT_EQ(a.in_use, fast);
  EXPECT_GT(tuned.default_seconds, 2.0 * tuned.seconds);
  // Chunks of 16 and of 32 rows come to what was in use, and are not tried.
  EXPECT_EQ(tuned.tried, 4);
  EXPECT_EQ(std::ranges::count(a.used, Sleeper::all[0]), 0);
  EXPECT_EQ(std::ranges::count(a.used, Sleeper::all[1]), 0);
  const std::string words = describe(tuned, "x", BackendKind::cpu);
  EXPECT_TRUE(words.starts_with("tuned x: guided chunks of 256 rows, ")) << words;
  EXPECT_TRUE(words.ends_with(" x as fast as before (4 tried)")) << words;
}

TEST(KernelSettings, TuningKeepsWhatWasInUseWhereNothingIsFaster) {
  const auto backend = make_cpu_backend();
  const KernelSettings before{KernelSettings::Schedule::dynamic, 1};
  Sleeper a(before);
  const Tuning tuned = tune(a, *backend, 1, before);
  EXPECT_EQ(tuned.kernel, before);
  EXPECT_EQ(a.in_use, before);
  EXPECT_FALSE(tuned.gained());
  EXPECT_EQ(describe(tuned, "x", BackendKind::cpu),
            "tuned x: dynamic chunks of 64 rows as before, none is faster (4 tried)");
}

TEST(KernelSettings, TuningOfAFormatKeepsOneOfItsKernels) {
  const auto a = std::make_shared<const CsrMatrix>(generate_random(500, 20, 3, false));
  for (const auto& backend : backends()) {
    const auto made = make_operator("csr", a, *backend);
    const KernelSettings before{KernelSettings::Schedule::dynamic, 1, 8, 32};
    const Tuning tuned = tune(*made, *backend, 4, before);
    EXPECT_EQ(tuned.tried, static_cast<int>(made->kernels().size()) + 1);
    EXPECT_GT(tuned.seconds, 0.0);
    EXPECT_LE(tuned.seconds, tuned.default_seconds);
    const auto list = made->kernels();
    EXPECT_TRUE(tuned.kernel == before || std::ranges::find(list, tuned.kernel) != list.end());
  }
}

TEST(KernelSettings, WhatAKernelComesToOnTheCpuIsWholeBands) {
  const auto backend = make_cpu_backend();
  const auto a = std::make_shared<const CsrMatrix>(generate_random(500, 20, 3, false));
  using enum KernelSettings::Schedule;
  const auto comes_to = [&](const char* format, const KernelSettings& kernel) {
    FormatOptions options;
    options.slice_height = 8;
    return make_operator(format, a, *backend, options)->effective_kernel(kernel, 1);
  };
  EXPECT_EQ(comes_to("csr", {guided, 100, 8, 32}), (KernelSettings{guided, 100}));
  EXPECT_EQ(comes_to("jad", {dynamic, 16}), (KernelSettings{dynamic, 256}));
  EXPECT_EQ(comes_to("jad", {fixed, 1000}), (KernelSettings{fixed, 768}));
  EXPECT_EQ(comes_to("sell", {dynamic, 20}), (KernelSettings{dynamic, 16}));
}

TEST(KernelSettings, RowsOfATurnAreChosenByTheirEntriesAndTheThreads) {
  const auto backend = make_cpu_backend();
  const ThreadCount two(2);
  const auto chosen = [&](const CsrMatrix& a, const char* format = "csr") {
    return make_operator(format, std::make_shared<const CsrMatrix>(a), *backend)
        ->effective_kernel({}, 1)
        .chunk;
  };
  EXPECT_EQ(chosen(generate_banded(40000, 1, 1, true)), 40000 / 32);
  EXPECT_EQ(chosen(generate_banded(200000, 1, 1, true)), 8192 / 3);
  EXPECT_EQ(chosen(generate_banded(20000, 300, 1, true)), 128);
  EXPECT_EQ(chosen(generate_banded(1, 0, 1, true)), 128);
  const CsrMatrix a = generate_banded(40000, 1, 1, true);
  for (const char* format : {"ell", "hyb", "hybrid"}) EXPECT_EQ(chosen(a, format), 1250) << format;
  for (const char* format : {"sell", "sellr", "sell_c_sigma"}) {
    EXPECT_EQ(chosen(a, format), 1248) << format;
  }
  EXPECT_EQ(chosen(a, "jad"), 1024);
  EXPECT_EQ(chosen(a, "packed"), 1250);  // of numbers that all differ it packs nothing
  CsrMatrix equal = a;
  std::ranges::fill(equal.values, 1.0);
  EXPECT_EQ(chosen(equal, "packed"), 1248);
}

TEST(KernelSettings, WhatAKernelComesToOnAGpuIsCutAndSaysNothingThatIsNotRead) {
  CISOLVE_BACKEND_OR_SKIP(backend, "cuda");
  const auto a = std::make_shared<const CsrMatrix>(generate_random(500, 40, 3, false));
  const auto comes_to = [&](const char* format, const KernelSettings& kernel, int vectors) {
    return make_operator(format, a, backend)->effective_kernel(kernel, vectors);
  };
  const KernelSettings large{.threads_per_row = 8, .block_threads = 1024};
  EXPECT_EQ(comes_to("csr", large, 1),
            (KernelSettings{.threads_per_row = 8, .block_threads = 512}));
  EXPECT_EQ(comes_to("csr", large, 5), large);
  EXPECT_EQ(comes_to("csr", {}, 1), (KernelSettings{.threads_per_row = 32, .block_threads = 512}));
  EXPECT_EQ(comes_to("csr", {}, 6), (KernelSettings{.threads_per_row = 16, .block_threads = 1024}));
  EXPECT_EQ(comes_to("ell", large, 4), (KernelSettings{.block_threads = 256}));
  EXPECT_EQ(describe(comes_to("ell", large, 4), BackendKind::cuda), "blocks of 256");
}

TEST(KernelSettings, AFormatWithoutChoiceSaysSo) {
  const auto backend = make_cpu_backend();
  const auto a = std::make_shared<const CsrMatrix>(generate_random(50, 5, 3, false));
  const auto made = make_operator("csb", a, *backend);
  const Tuning tuned = tune(*made, *backend, 1, {});
  EXPECT_EQ(tuned.tried, 0);
  EXPECT_EQ(describe(tuned, "csb", BackendKind::cpu), "tuning csb: its kernel has no choices here");
}

}  // namespace
}  // namespace cisolve
