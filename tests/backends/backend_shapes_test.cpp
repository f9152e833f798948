// The dense kernels of every backend, of blocks of all shapes, against Eigen's on the host.

#include <cmath>
#include <string>
#include <vector>

#include "core/dense/host_matrix.hpp"
#include "tests/support/support.hpp"

namespace cisolve {
namespace {

using namespace cisolve::testing;

constexpr double rounding = 1e-13;

class BackendShapes : public ::testing::TestWithParam<std::string> {};

/// A block of pseudo-random numbers in (−1, 1), cheaper than random ones.
HostMatrix scattered(Index rows, int columns, int seed) {
  return HostMatrix::NullaryExpr(rows, columns, [=](Eigen::Index i, Eigen::Index j) {
    return static_cast<double>((i * 7919 + j * 104729 + seed * 1299709) % 2003) / 1001.5 - 1.0;
  });
}

/// A block on a backend whose rows lie further apart than its columns need, NaN between them.
class Padded {
 public:
  Padded(Backend& backend, const HostMatrix& host)
      : columns_(static_cast<int>(host.cols())),
        memory_(on(backend, surrounded_by_nan(host))),
        backend_(backend) {}
  View view() { return memory_.slice(1, columns_); }
  HostMatrix values() { return backend_.download(view()); }
  bool surroundings_untouched() {
    const HostMatrix all = backend_.download(memory_.view());
    return all.leftCols(1).array().isNaN().all() && all.rightCols(2).array().isNaN().all();
  }

 private:
  static HostMatrix surrounded_by_nan(const HostMatrix& host) {
    HostMatrix all = HostMatrix::Constant(host.rows(), host.cols() + 3, std::nan(""));
    all.middleCols(1, host.cols()) = host;
    return all;
  }
  int columns_;
  MultiVector memory_;
  Backend& backend_;
};

void expect_near(const HostMatrix& found, const HostMatrix& expected, double tolerance,
                 const std::string& shape) {
  ASSERT_EQ(found.rows(), expected.rows()) << shape;
  ASSERT_EQ(found.cols(), expected.cols()) << shape;
  if (found.size() == 0) return;
  EXPECT_LE((found - expected).cwiseAbs().maxCoeff(), tolerance) << shape;
}

struct Shape {
  Index n;
  int m, k;
  std::string name() const {
    return std::to_string(n) + " x " + std::to_string(m) + ", " + std::to_string(k);
  }
};

/// Shapes at which the kernels change: tiles of 8 and 64 columns, chunks of 64, 128 and 256 rows,
/// more numbers than a kernel's arguments hold, and the sizes from which a library takes over.
std::vector<Shape> shapes() {
  std::vector<Shape> list{{0, 3, 2},    {1, 1, 1},     {1, 64, 9},      {1000003, 6, 3},
                          {300, 70, 5}, {300, 65, 33}, {1500, 1500, 4}, {129, 40, 17}};
  for (int k = 1; k <= 9; ++k) {
    for (const int m : {1, 2, 3, 4, 6, 7, 8, 10, 14, 23, 24, 29, 63, 64}) {
      list.push_back({777, m, k});
    }
  }
  return list;
}

TEST_P(BackendShapes, grams_of_all_shapes_are_right_and_reproducible) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  for (const Shape& s : shapes()) {
    const HostMatrix x = scattered(s.n, s.m, 1), y = scattered(s.n, s.k, 2);
    Padded device_x(backend, x), device_y(backend, y);
    const HostMatrix xy = x.transpose() * y, yy = y.transpose() * y;
    const double tolerance = rounding * std::max<double>(s.n, 1.0);
    HostMatrix c, both(s.m + s.k, s.k), again(s.m + s.k, s.k);
    backend.gram(device_x.view(), device_y.view(), c);
    expect_near(c, xy, tolerance, s.name());
    backend.grams(device_x.view(), device_y.view(), both.topRows(s.m), both.bottomRows(s.k));
    expect_near(both.topRows(s.m), xy, tolerance, s.name());
    expect_near(both.bottomRows(s.k), yy, tolerance, s.name());
    backend.grams(device_x.view(), device_y.view(), again.topRows(s.m), again.bottomRows(s.k));
    EXPECT_EQ(both, again) << s.name();
    Padded device_c(backend, HostMatrix::Zero(s.m, s.k));
    backend.gram(device_x.view(), device_y.view(), device_c.view());
    expect_near(device_c.values(), xy, tolerance, s.name());
    EXPECT_TRUE(device_c.surroundings_untouched()) << s.name();
  }
}

TEST_P(BackendShapes, combinations_of_all_shapes_are_right) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  for (const Shape& s : shapes()) {
    const HostMatrix x = scattered(s.n, s.m, 1), y = scattered(s.n, s.k, 2);
    const HostMatrix all = scattered(s.m, s.k + 2, 3);
    const auto c = all.middleCols(1, s.k);
    Padded device_x(backend, x), device_y(backend, y), device_c(backend, c);
    const HostMatrix xc = x * c;
    const double tolerance = rounding * s.m;
    backend.combine(-2.0, device_x.view(), c, 0.5, device_y.view());
    expect_near(device_y.values(), -2.0 * xc + 0.5 * y, tolerance, s.name());
    backend.combine(device_x.view(), device_c.view(), device_y.view());
    expect_near(device_y.values(), xc, tolerance, s.name());
    EXPECT_TRUE(device_y.surroundings_untouched()) << s.name();
  }
}

TEST_P(BackendShapes, recombine_with_another_block_in_place) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  for (const Shape& s : shapes()) {
    if (s.m > 100) continue;
    for (const int l : {1, (s.k + 1) / 2, s.k}) {
      if (s.n > 1000 && l < s.k) continue;
      const HostMatrix x = scattered(s.n, s.m, 1), y = scattered(s.n, s.k, 2);
      const HostMatrix c = scattered(s.m, l, 3), b = scattered(s.k, l, 4);
      Padded device_x(backend, x), device_y(backend, y);
      backend.recombine(device_x.view(), c, device_y.view(), b);
      HostMatrix expected = y;
      expected.leftCols(l) = x * c + y * b;
      expect_near(device_y.values(), expected, rounding * (s.m + s.k), s.name());
      EXPECT_TRUE(device_y.surroundings_untouched()) << s.name();
    }
  }
}

TEST_P(BackendShapes, residuals_come_with_their_norms) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  for (const Shape& s : shapes()) {
    if (s.m > 100) continue;
    const HostMatrix w = scattered(s.n, s.m, 1), v = scattered(s.n, s.m, 2);
    const HostMatrix c = scattered(s.m, s.k, 3), theta = scattered(s.k, 1, 4);
    Padded device_w(backend, w), device_v(backend, v);
    Padded device_r(backend, HostMatrix::Constant(s.n, s.k, std::nan("")));
    std::vector<double> norms(s.k);
    backend.residuals(device_w.view(), device_v.view(), c, {theta.data(), norms.size()},
                      device_r.view(), norms);
    const HostMatrix expected = w * c - v * c * theta.col(0).asDiagonal();
    expect_near(device_r.values(), expected, 2 * rounding * s.m, s.name());
    for (int j = 0; j < s.k; ++j) {
      const double norm = expected.col(j).norm();
      EXPECT_NEAR(norms[j], norm, 1e-12 * (norm + 1.0)) << s.name();
    }
    EXPECT_TRUE(device_r.surroundings_untouched()) << s.name();
  }
}
INSTANTIATE_TEST_SUITE_P(All, BackendShapes, ::testing::ValuesIn(all_backend_names()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace cisolve
