// The bench with contenders that fail in every way, and the best of made-up rows.
#include "app/bench/bench.hpp"

#include "core/dense/host_matrix.hpp"
#include "core/error.hpp"
#include "formats/reference.hpp"
#include "tests/support/support.hpp"

namespace cisolve {
namespace {

using namespace cisolve::testing;

/// Multiplies rightly, but for what `spoil` does when a block is loaded.
class Spoilt final : public Contender {
 public:
  Spoilt(const CsrMatrix& a, std::function<void(HostMatrix&)> spoil)
      : a_(a), spoil_(std::move(spoil)) {}
  void load(const HostMatrix& x) override {
    x_ = x;
    spoil_(x_);
  }
  void multiply() override { y_ = reference_product(a_, x_); }
  HostMatrix result() override { return y_; }
  std::size_t bytes() const override { return 1; }
  double conversion_seconds() const override { return 0.0; }

 private:
  const CsrMatrix& a_;
  std::function<void(HostMatrix&)> spoil_;
  HostMatrix x_, y_;
};

TEST(Bench, GoesOnAfterEveryFailureAndSaysWhy) {
  const auto a = std::make_shared<const CsrMatrix>(ci_like_matrix(30, 4, 1));
  const auto spoilt = [&](const std::string& name, std::function<void(HostMatrix&)> spoil) {
    return Candidate{name, [&a, spoil](Backend&) { return std::make_unique<Spoilt>(*a, spoil); }};
  };
  const auto unmade = [](const std::string& name, std::function<void()> fail) {
    return Candidate{name, [fail](Backend&) -> std::unique_ptr<Contender> {
                       fail();
                       return nullptr;
                     }};
  };
  const std::vector<Candidate> list{
      unmade("host", [] { throw std::bad_alloc(); }),
      unmade("device", [] { throw ResourceError("out of memory on it"); }),
      unmade("refuses", [] { throw InputError("not this matrix"); }),
      unmade("library", [] { Array<double> too_long(~std::size_t{0}); }),
      spoilt("narrow",
             [](HostMatrix& x) {
               if (x.cols() > 1) throw std::bad_alloc();
             }),
      spoilt("wrong", [](HostMatrix& x) { x(0, 0) += 1.0; }),
      spoilt("once",
             [](HostMatrix& x) {
               if (x.cols() == 1) x(0, 0) += 1.0;
             }),
      spoilt("right", [](HostMatrix&) {})};

  Bench bench(a, {2, 1, 2}, 1);
  std::vector<std::string> shown;
  bench.run(*make_cpu_backend(), list,
            {[](const BenchPass& pass) { EXPECT_GT(pass.copy_bandwidth, 0.0); },
             [&](const BenchRow& row) {
               shown.push_back(row.format + std::to_string(row.block) + ": " + row.reason);
             }});
  const std::string too_long = shown.size() > 6 ? shown[6].substr(10) : "";
  EXPECT_FALSE(too_long.empty());
  EXPECT_EQ(shown,
            (std::vector<std::string>{
                "host1: out of host memory", "host2: out of host memory",
                "device1: out of memory on it", "device2: out of memory on it",
                "refuses1: not this matrix", "refuses2: not this matrix", "library1: " + too_long,
                "library2: " + too_long, "narrow1: ", "narrow2: out of host memory",
                "wrong1: the product is wrong", "wrong2: the product is wrong",
                "once1: the product is wrong", "once2: ", "right1: ", "right2: "}));
  ASSERT_EQ(bench.rows().size(), shown.size());
  EXPECT_FALSE(bench.rows().back().speedup) << "serial was not measured";
}

BenchRow row(const std::string& format, BackendKind backend, int threads, int block,
             double seconds) {
  BenchRow made;
  made.format = format;
  made.backend = backend;
  made.threads = threads;
  made.block = block;
  made.seconds = seconds;
  return made;
}

TEST(Bench, QuartilesAreBetweenTheValuesInOrder) {
  const Quartiles five = quartiles({5, 1, 4, 2, 3});
  EXPECT_EQ(five.lower, 2.0);
  EXPECT_EQ(five.median, 3.0);
  EXPECT_EQ(five.upper, 4.0);
  const Quartiles two = quartiles({3, 1});
  EXPECT_EQ(two.lower, 1.5);
  EXPECT_EQ(two.median, 2.0);
  EXPECT_EQ(two.upper, 2.5);
  EXPECT_EQ(quartiles({7}).upper, 7.0);
}

TEST(Bench, WhatIsRefusedForOneReasonIsOneRefusal) {
  constexpr auto cpu = BackendKind::cpu, cuda = BackendKind::cuda;
  std::vector<BenchRow> rows{row("ell", cpu, 1, 1, 0),  row("ell", cpu, 1, 4, 0),
                             row("jad", cpu, 1, 1, 0),  row("jad", cpu, 1, 4, 0),
                             row("ell", cpu, 2, 1, 0),  row("ell", cpu, 2, 4, 0),
                             row("ell", cuda, 0, 1, 0), row("csr", cuda, 0, 1, 1.0)};
  for (BenchRow& one : rows) one.reason = one.format == "csr" ? "" : "too wide";
  rows[2].reason = "";
  const std::vector<Refusal> list = refusals(rows);
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].formats, (std::vector<std::string>{"ell", "jad with k = 4"}));
  EXPECT_EQ(list[0].reason, "too wide");
  EXPECT_EQ(list[1].backend, cuda);
  EXPECT_EQ(list[1].formats, std::vector<std::string>{"ell"});
}

TEST(Bench, BestFormatIsTheFastestOfItsGroupBesideTheFastestRival) {
  constexpr auto cpu = BackendKind::cpu, cuda = BackendKind::cuda;
  std::vector<BenchRow> rows{row("serial", cpu, 1, 1, 0.5),
                             row("csr", cpu, 2, 1, 3.0),
                             row("hybrid", cpu, 2, 1, 2.0),
                             row("eigen", cpu, 2, 1, 8.0),
                             row("csr", cpu, 4, 1, 1.0),
                             row("ell", cuda, 0, 4, 0.5),
                             row("cusparse_sell", cuda, 0, 4, 0.3),
                             row("cusparse_spmm_colmajor", cuda, 0, 4, 0.25),
                             row("cusparse_sell", cuda, 0, 8, 0.1),
                             row("dia", cpu, 2, 1, 0.0)};
  rows.back().reason = "refused";
  const std::vector<BestFormat> best = best_formats(rows);
  ASSERT_EQ(best.size(), 3u);
  EXPECT_EQ(best[0].row.format, "hybrid");
  EXPECT_EQ(best[0].rival->format, "eigen");
  EXPECT_DOUBLE_EQ(best[0].over_rival(), 4.0);
  EXPECT_EQ(best[1].row.threads, 4);
  EXPECT_FALSE(best[1].rival);
  EXPECT_EQ(best[2].row.format, "ell");
  EXPECT_EQ(best[2].rival->format, "cusparse_spmm_colmajor");
  EXPECT_DOUBLE_EQ(best[2].over_rival(), 0.5) << "slower than the rival, and it says so";
}

/// Every contender on every backend, beside the formats that product_test has.
class Others : public ::testing::TestWithParam<std::string> {};

TEST_P(Others, MultiplyAsTheReferenceDoes) {
  const bool on_cpu = GetParam() != vendor_columns_name;
  CISOLVE_BACKEND_OR_SKIP(backend, on_cpu ? "cpu" : "cuda");
  // The matrix is not square, so that the two leading dimensions of column-major blocks differ.
  const auto a = std::make_shared<const CsrMatrix>(matrix_of_rows(70, 50, [](Index i) {
    return std::vector<Index>{i % 50, (7 * i + 3) % 50};
  }));
  const auto list = candidates({GetParam()}, backend.kind(), a, {});
  ASSERT_EQ(list.size(), 1u);
  const auto contender = list.front().make(backend);
  for (const int k : {1, 2, 3, 4, 8, 2}) {
    const HostMatrix x = random_block(50, k, 5);
    contender->load(x);
    contender->multiply();
    const HostMatrix y = contender->result(), expected = reference_product(*a, x);
    ASSERT_EQ(y.rows(), 70);
    ASSERT_EQ(y.cols(), k);
    EXPECT_LE((y - expected).norm(), 1e-14 * expected.norm()) << "k = " << k;
    EXPECT_GT(contender->bytes(), 12u * 140);
    const bool names_algorithm = contender->layout().find("SpMM algorithm") != std::string::npos;
    EXPECT_EQ(names_algorithm, !on_cpu);
  }
}

INSTANTIATE_TEST_SUITE_P(Bench, Others,
                         ::testing::Values(serial_name, eigen_name, vendor_columns_name),
                         [](const auto& test) { return test_name(test.param); });

}  // namespace
}  // namespace cisolve
