// Every backend's vector operations against Eigen's on the host.

#include <cmath>
#include <vector>

#include "backends/correction.hpp"
#include "core/dense/host_matrix.hpp"
#include "core/error.hpp"
#include "core/random.hpp"
#include "tests/support/support.hpp"

namespace cisolve {
namespace {

using namespace cisolve::testing;

class BackendOperations : public ::testing::TestWithParam<std::string> {};

constexpr double tight = 1e-13;

TEST_P(BackendOperations, moves_blocks_there_and_back) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  for (const Index n : {1, 33, 1000}) {
    const HostMatrix x = random_block(n, 5, 1);
    const auto device = on(backend, x);
    EXPECT_EQ(backend.download(device.view()), x);
    EXPECT_EQ(backend.download(device.view().slice(1, 3)), x.middleCols(1, 3));
  }
}

TEST_P(BackendOperations, moves_slices_of_many_rows) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  const HostMatrix x = random_block(1200000, 3, 1), y = random_block(1200000, 2, 2);
  auto device = on(backend, x);
  EXPECT_EQ(backend.download(device.slice(1, 1)), x.col(1));
  backend.upload(y, device.slice(0, 2));
  HostMatrix expected = x;
  expected.leftCols(2) = y;
  EXPECT_EQ(backend.download(device.view()), expected);
}

TEST_P(BackendOperations, copies_fills_adds_and_scales_slices) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  const HostMatrix x = random_block(517, 4, 1), y = random_block(517, 6, 2);
  const auto device_x = on(backend, x);
  auto device_y = on(backend, y);
  HostMatrix expected = y;
  backend.copy(device_x.view().slice(0, 2), device_y.slice(3, 2));
  expected.middleCols(3, 2) = x.leftCols(2);
  backend.fill(2.5, device_y.slice(5, 1));
  expected.col(5).setConstant(2.5);
  backend.axpby(-0.5, device_x.view().slice(2, 2), 2.0, device_y.slice(0, 2));
  expected.leftCols(2) = -0.5 * x.rightCols(2) + 2.0 * expected.leftCols(2).eval();
  const double factors[] = {3.0, -1.0};
  backend.scale_columns(factors, device_y.slice(1, 2));
  expected.col(1) *= 3.0;
  expected.col(2) *= -1.0;
  EXPECT_LE((backend.download(device_y.view()) - expected).cwiseAbs().maxCoeff(), tight);
  backend.waxpby(2.0, device_x.view().slice(0, 2), -3.0, device_x.view().slice(2, 2),
                 device_y.slice(4, 2));
  expected.rightCols(2) = 2.0 * x.leftCols(2) - 3.0 * x.rightCols(2);
  EXPECT_LE((backend.download(device_y.view()) - expected).cwiseAbs().maxCoeff(), tight);
}

TEST_P(BackendOperations, add_two_blocks_column_by_column) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  for (const int k : {1, 2, 5, 9, 40}) {
    const HostMatrix v = random_block(300, k, 1), w = random_block(300, k, 2),
                     y = random_block(300, k, 3);
    const std::vector<double> same(k, -0.5);
    std::vector<double> other(k);
    for (int j = 0; j < k; ++j) other[j] = 1.0 + j;
    auto device_y = on(backend, y);
    const auto device_v = on(backend, v), device_w = on(backend, w);
    backend.add_columns(same, device_v.view(), other, device_w.view(), device_y.view());
    HostMatrix expected = y - 0.5 * v;
    for (int j = 0; j < k; ++j) expected.col(j) += other[j] * w.col(j);
    EXPECT_LE((backend.download(device_y.view()) - expected).cwiseAbs().maxCoeff(), tight);
    std::vector<double> dots(k);
    backend.add_columns(same, device_v.view(), other, device_w.view(), device_y.view(), dots);
    for (int j = 0; j < k; ++j) {
      expected.col(j) += other[j] * w.col(j) - 0.5 * v.col(j);
      EXPECT_NEAR(dots[j], v.col(j).dot(expected.col(j)), 1e-10 * (1 + j));
    }
    EXPECT_LE((backend.download(device_y.view()) - expected).cwiseAbs().maxCoeff(), 1e-13 * k);
    const View in_place = device_y.view();
    backend.add_columns(same, in_place, other, device_w.view(), in_place, dots);
    for (int j = 0; j < k; ++j) {
      expected.col(j) += other[j] * w.col(j) - 0.5 * expected.col(j);
      EXPECT_NEAR(dots[j], expected.col(j).squaredNorm(), 1e-10 * (1 + j) * (1 + j));
    }
    EXPECT_LE((backend.download(device_y.view()) - expected).cwiseAbs().maxCoeff(), 1e-13 * k);
  }
}

TEST_P(BackendOperations, step_as_conjugate_gradients_do) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  for (const int k : {1, 2, 5, 9, 40}) {
    for (const int gap : {0, 1}) {  // columns beside the block
      HostMatrix r = random_block(300, k + gap, 1), x = random_block(300, k + gap, 2),
                 p = random_block(300, k + gap, 3);
      const HostMatrix v = random_block(300, k + gap, 4);
      const HostMatrix d = random_block(300, 1, 5).array() + 10.0;
      std::vector<double> a(k), b(k), squares(k);
      for (int j = 0; j < k; ++j) {
        a[j] = 0.5 - 0.1 * j;
        b[j] = 0.2 + 0.05 * j;
      }
      auto on_r = on(backend, r), on_x = on(backend, x), on_p = on(backend, p);
      const auto on_v = on(backend, v), on_d = on(backend, d);
      backend.step_residual(a, on_v.slice(gap, k), on_d.view(), on_r.slice(gap, k), squares);
      backend.step_along(a, b, on_r.slice(gap, k), on_d.view(), on_p.slice(gap, k),
                         on_x.slice(gap, k));
      for (int j = 0; j < k; ++j) {
        const int c = gap + j;
        r.col(c) += a[j] * v.col(c);
        EXPECT_NEAR(squares[j], (r.col(c).array().square() / d.col(0).array()).sum(), 1e-10);
        x.col(c) += a[j] * p.col(c);
        p.col(c) = r.col(c).array() / d.col(0).array() + b[j] * p.col(c).array();
      }
      EXPECT_LE((backend.download(on_r.view()) - r).cwiseAbs().maxCoeff(), 1e-13);
      EXPECT_LE((backend.download(on_x.view()) - x).cwiseAbs().maxCoeff(), 1e-13);
      EXPECT_LE((backend.download(on_p.view()) - p).cwiseAbs().maxCoeff(), 1e-13);
    }
  }
}

TEST_P(BackendOperations, ignore_nan_where_beta_is_zero) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  const HostMatrix x = random_block(300, 2, 1);
  const HostMatrix nan = HostMatrix::Constant(300, 2, std::nan(""));
  const auto device_x = on(backend, x);
  auto y = on(backend, nan);
  backend.axpby(2.0, device_x.view(), 0.0, y.view());
  EXPECT_EQ(backend.download(y.view()), (2.0 * x).eval());
  y = on(backend, nan);
  backend.combine(1.0, device_x.view(), HostMatrix::Identity(2, 2), 0.0, y.view());
  EXPECT_EQ(backend.download(y.view()), x);
}

TEST_P(BackendOperations, gather_and_scatter_rows) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  const std::vector<Index> rows{7, 0, 499, 250};
  const auto device_rows = Buffer<Index>::from_host(backend, rows);
  const HostMatrix x = random_block(500, 3, 1), few = random_block(4, 2, 2);
  auto device_x = on(backend, x);
  MultiVector y(backend, 4, 3);
  backend.gather_rows(device_rows, device_x.view(), y.view());
  EXPECT_EQ(backend.download(y.view()), x(rows, Eigen::all));
  backend.scatter_rows(device_rows, on(backend, few).view(), device_x.slice(1, 2));
  HostMatrix expected = x;
  for (int r = 0; r < 4; ++r) expected.row(rows[r]).tail(2) = few.row(r);
  EXPECT_EQ(backend.download(device_x.view()), expected);
}

TEST_P(BackendOperations, largest_elements_keep_their_sign_and_the_first_of_equals) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  HostMatrix x = 0.1 * HostMatrix::Ones(1000, 3);
  x(900, 0) = -2.0;
  x(901, 0) = 1.5;
  x(3, 1) = -3.0;
  x(700, 1) = 3.0;
  x(10, 2) = 4.0;
  x(5, 2) = -0.5;
  double found[2];
  backend.largest_elements(on(backend, x).slice(0, 2), 0.0, found);
  EXPECT_EQ(found[0], -2.0);
  EXPECT_EQ(found[1], -3.0);
}

TEST_P(BackendOperations, largest_elements_take_the_first_that_is_nearly_as_large) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  HostMatrix x = 0.1 * random_block(200000, 3, 1);
  x.row(199999) = HostMatrix{{-5.0, 5.0, 5.0}};
  x.row(70000) = HostMatrix{{5.0 - 1e-9, -5.0 + 1e-9, 5.0 - 1e-3}};
  x.row(100) = HostMatrix{{5.0 - 1e-4, 5.0 - 2e-9, -5.0 + 2e-3}};
  double found[3];
  backend.largest_elements(on(backend, x).view(), 1e-6, found);
  EXPECT_EQ(found[0], 5.0 - 1e-9);
  EXPECT_EQ(found[1], 5.0 - 2e-9);
  EXPECT_EQ(found[2], 5.0);
  backend.largest_elements(on(backend, HostMatrix::Zero(300, 3)).view(), 1e-6, found);
  EXPECT_EQ(found[1], 0.0);
}

TEST_P(BackendOperations, extremes_are_the_lowest_and_the_highest_element) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  for (const Index n : {1, 2, 257, 150000}) {
    const HostMatrix x = random_block(n, 3, 1).array() + 10.0;
    const auto device = on(backend, x);
    const auto [lowest, highest] = backend.extremes(device.slice(1, 2));
    EXPECT_EQ(lowest, x.rightCols(2).minCoeff());
    EXPECT_EQ(highest, x.rightCols(2).maxCoeff());
    EXPECT_EQ(backend.extremes(device.slice(0, 1)).first, x.col(0).minCoeff());
  }
}

TEST_P(BackendOperations, shifted_powers_are_held_above_the_least) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  const HostMatrix x{{5.0, 1.0}, {1.75, -3.0}, {2.0, 10.0}};
  auto device = on(backend, x);
  MultiVector y(backend, 3, 2);
  backend.shifted_power(-1.0, device.view(), 1.0, 0.5, Power::one, y.view());
  EXPECT_EQ(backend.download(y.view()), (HostMatrix{{-4.0, -0.5}, {-0.75, -0.5}, {-1.0, -9.0}}));
  backend.shifted_power(2.0, device.view(), 1.0, 0.25, Power::inverse_root, device.view());
  EXPECT_LE((backend.download(device.view()) -
             HostMatrix{{1.0, 4.0}, {2.0 / std::sqrt(0.75), 4.0}, {2.0, 2.0 / 3.0}})
                .cwiseAbs()
                .maxCoeff(),
            tight);
}

TEST_P(BackendOperations, normal_numbers_are_those_of_the_elements_streams) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  const HostMatrix x = random_block(100000, 3, 1);
  auto device = on(backend, x);
  backend.fill_normal(7, 0, device.slice(1, 2));
  const HostMatrix found = backend.download(device.view());
  EXPECT_EQ(found.col(0), x.col(0));
  for (const Index i : {0, 1, 99999}) {
    EXPECT_NEAR(found(i, 2), Random(7, 2 * static_cast<std::uint64_t>(i) + 1).normal(), 1e-13);
  }
  const auto drawn = found.rightCols(2).array();
  EXPECT_NEAR(drawn.mean(), 0.0, 0.01);
  EXPECT_NEAR(drawn.square().mean(), 1.0, 0.02);
  EXPECT_NEAR(drawn.pow(4).mean(), 3.0, 0.15);
  EXPECT_NEAR((drawn.col(0) * drawn.col(1)).mean(), 0.0, 0.02);
}

TEST_P(BackendOperations, the_diagonal_correction_is_guarded) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  const HostMatrix r = HostMatrix::Ones(4, 2);
  const HostMatrix d{{1.0}, {0.995}, {1.001}, {3.0}};
  const auto device_r = on(backend, r), device_d = on(backend, d);
  MultiVector t(backend, 4, 2);
  const double theta[] = {1.0, 5.0};
  backend.diagonal_correction(device_r.view(), theta, device_d.view(), Denominator::difference,
                              0.01, t.view());
  const HostMatrix expected{
      {1 / 0.01, 1 / 4.0}, {1 / 0.01, 1 / 4.005}, {-1 / 0.01, 1 / 3.999}, {-0.5, 0.5}};
  EXPECT_LE((backend.download(t.view()) - expected).cwiseAbs().maxCoeff(), 1e-10);
  backend.diagonal_correction(device_r.view(), theta, device_d.view(), Denominator::definite, 0.01,
                              t.view());
  EXPECT_LE((backend.download(t.view()) + expected.cwiseAbs()).cwiseAbs().maxCoeff(), 1e-10);
}

TEST_P(BackendOperations, the_jacobi_update_divides_by_the_diagonal) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  const HostMatrix r = random_block(100, 2, 1), x = random_block(100, 2, 2);
  const HostMatrix d = random_block(100, 1, 3).array() + 10.0;
  const auto device_r = on(backend, r), device_d = on(backend, d);
  auto device_x = on(backend, x);
  const HostMatrix update = 0.7 * (r.array().colwise() / d.col(0).array());
  for (const int first : {0, 1}) {  // both columns, with gaps and without; one
    const View to = device_x.view().slice(first, 2 - first);
    const ConstView from = device_r.view().slice(first, 2 - first);
    backend.jacobi_update(0.7, from, device_d.view(), 0.5, to);
    const HostMatrix half = 0.5 * x.rightCols(2 - first) + update.rightCols(2 - first);
    EXPECT_LE((backend.download(to) - half).cwiseAbs().maxCoeff(), tight);
    backend.upload(HostMatrix::Constant(100, 2 - first, std::nan("")), to);
    backend.jacobi_update(0.7, from, device_d.view(), 0.0, to);
    EXPECT_LE((backend.download(to) - update.rightCols(2 - first)).cwiseAbs().maxCoeff(), tight);
    backend.upload(x, device_x.view());
  }
  const auto flat_r = on(backend, HostMatrix(r.col(0)));
  auto flat_x = on(backend, HostMatrix(x.col(0)));
  backend.jacobi_update(0.7, flat_r.view(), device_d.view(), 0.5, flat_x.view());
  EXPECT_LE(
      (backend.download(flat_x.view()) - (0.5 * x.col(0) + update.col(0))).cwiseAbs().maxCoeff(),
      tight);
  backend.jacobi_update(0.7, flat_r.view(), device_d.view(), 0.0, flat_x.view());
  EXPECT_LE((backend.download(flat_x.view()) - update.col(0)).cwiseAbs().maxCoeff(), tight);
}

TEST_P(BackendOperations, take_host_memory_like_the_devices_own) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  // Rows enough that a copy which did not wait for a kernel would come too early.
  const Index rows = 200000;
  const HostMatrix v = random_block(rows, 8, 1), t = random_block(rows, 3, 2);
  const HostMatrix c = random_block(8, 3, 3), square = random_block(8, 8, 4);
  MultiVector basis(backend, rows, 8, Residence::host);
  backend.upload(v, basis.view());
  auto block = on(backend, t);
  HostMatrix gram;
  backend.gram(basis.slice(0, 8), block.view(), gram);
  EXPECT_LE((gram - v.transpose() * t).cwiseAbs().maxCoeff(), 1e-9);
  backend.combine(1.0, basis.slice(0, 8), c, 0.0, block.view());
  EXPECT_LE((backend.download(block.view()) - v * c).cwiseAbs().maxCoeff(), 1e-12);
  backend.copy(block.view(), basis.slice(5, 3));
  HostMatrix expected = v;
  expected.rightCols(3) = v * c;
  EXPECT_LE((backend.download(basis.view()) - expected).cwiseAbs().maxCoeff(), 1e-12);
  backend.recombine(basis.view(), square);
  EXPECT_LE((backend.download(basis.view()) - expected * square).cwiseAbs().maxCoeff(), 1e-11);
  backend.fill(0.5, basis.slice(2, 2));
  backend.upload(t, basis.slice(5, 3));
  std::vector<double> norms(3);
  backend.column_norms(basis.slice(5, 3), norms);
  for (int j = 0; j < 3; ++j) EXPECT_NEAR(norms[j], t.col(j).norm(), 1e-9);
}

TEST_P(BackendOperations, more_memory_than_there_is_names_both_figures) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  if (GetParam() != "cuda") GTEST_SKIP() << "the host overcommits: nothing is refused";
  try {
    MultiVector(backend, 2'000'000'000, 1000);
    FAIL() << "16 TB were granted";
  } catch (const ResourceError& error) {
    EXPECT_NE(std::string(error.what()).find("needed"), std::string::npos) << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(All, BackendOperations, ::testing::ValuesIn(all_backend_names()),
                         [](const auto& test) { return test.param; });

TEST(GuardedDifference, keeps_its_sign_and_distance_from_zero) {
  EXPECT_EQ(guarded_difference(1.0, 1.0, 0.1), 0.1);
  EXPECT_EQ(guarded_difference(1.0, 1.05, 0.1), -0.1);
  EXPECT_EQ(guarded_difference(1.0, 3.0, 0.1), -2.0);
  EXPECT_EQ(guarded_difference(3.0, 1.0, 0.1), 2.0);
}

}  // namespace
}  // namespace cisolve
