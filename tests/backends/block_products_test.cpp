// Every backend's products of blocks of vectors, with each other and with small matrices, against
// Eigen's on the host.

#include <cmath>
#include <span>
#include <vector>

#include "core/dense/host_matrix.hpp"
#include "tests/support/support.hpp"

namespace cisolve {
namespace {

using namespace cisolve::testing;

class BlockProducts : public ::testing::TestWithParam<std::string> {};

constexpr double few_units = 1e-13;

TEST_P(BlockProducts, combine_vectors_that_do_not_lie_side_by_side) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  for (const Index n : {1, 513, 70000}) {
    for (const int count : {0, 1, 7, 40}) {
      const int more = count + 2;
      const HostMatrix x = random_block(n, count + more, 1), c = random_block(count, 3, 2);
      const HostMatrix y = random_block(n, 13, 3), other = random_block(more, 9, 4);
      const auto block = on(backend, x);
      auto device = on(backend, y);
      std::vector<ConstView> vectors;
      for (int i = 0; i < x.cols(); ++i) vectors.push_back(block.slice(i, 1));
      const std::span<const ConstView> all = vectors;
      const VectorSum sums[] = {
          {all.first(count), {c.data(), c.data() + c.size()}, device.slice(1, 3)},
          {all.last(more), {other.data(), other.data() + other.size()}, device.slice(4, 9)}};
      backend.combine(sums);
      HostMatrix expected = y;
      expected.middleCols(1, 3) = x.leftCols(count) * c;
      expected.rightCols(9) = x.rightCols(more) * other;
      EXPECT_LE((backend.download(device.view()) - expected).cwiseAbs().maxCoeff(), few_units);
    }
  }
}

TEST_P(BlockProducts, recombine_columns_in_place) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  for (const Index n : {1, 257, 70000}) {
    const HostMatrix x = random_block(n, 5, 1), c = random_block(4, 2, 2);
    auto device = on(backend, x);
    backend.recombine(device.slice(0, 4), c);
    HostMatrix expected = x;
    expected.leftCols(2) = x.leftCols(4) * c;
    EXPECT_LE((backend.download(device.view()) - expected).cwiseAbs().maxCoeff(), few_units);
  }
}

TEST_P(BlockProducts, gram_is_the_product_of_the_transpose) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  for (const Index n : {1, 255, 256, 257, 5000}) {
    const HostMatrix x = random_block(n, 7, 1), y = random_block(n, 4, 2);
    const auto device_x = on(backend, x), device_y = on(backend, y);
    HostMatrix c;
    backend.gram(device_x.view().slice(1, 5), device_y.view().slice(1, 3), c);
    const HostMatrix expected = x.middleCols(1, 5).transpose() * y.middleCols(1, 3);
    EXPECT_LE((c - expected).cwiseAbs().maxCoeff(), few_units * n) << n;
    backend.gram(device_x.view(), device_x.view(), c);
    EXPECT_LE((c - x.transpose() * x).cwiseAbs().maxCoeff(), few_units * n) << n;
  }
}

TEST_P(BlockProducts, combine_is_the_product_with_a_small_matrix) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  for (const Index n : {1, 256, 1025}) {
    const HostMatrix x = random_block(n, 6, 1), y = random_block(n, 5, 2);
    const HostMatrix c = random_block(4, 3, 3);
    const auto device_x = on(backend, x);
    for (const double beta : {0.0, 1.0, -0.5}) {
      auto device_y = on(backend, y);
      backend.combine(-2.0, device_x.view().slice(1, 4), c, beta, device_y.slice(2, 3));
      HostMatrix expected = y;
      expected.middleCols(2, 3) =
          -2.0 * x.middleCols(1, 4) * c + beta * expected.middleCols(2, 3).eval();
      EXPECT_LE((backend.download(device_y.view()) - expected).cwiseAbs().maxCoeff(), few_units);
    }
  }
}

TEST_P(BlockProducts, column_norms_are_two_norms) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  for (const Index n : {1, 100, 70001}) {
    const HostMatrix x = random_block(n, 6, 1);
    const auto device = on(backend, x);
    std::vector<double> norms(5);
    backend.column_norms(device.view().slice(1, 5), norms);
    for (int j = 0; j < 5; ++j) {
      EXPECT_NEAR(norms[j], x.col(j + 1).norm(), 1e-12 * x.col(j + 1).norm());
    }
  }
}

TEST_P(BlockProducts, column_dots_are_the_diagonal_of_the_gram_matrix) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  for (const Index n : {1, 100, 70001}) {
    const HostMatrix x = random_block(n, 8, 1), y = random_block(n, 7, 2);
    const auto device_x = on(backend, x), device_y = on(backend, y);
    const auto one = on(backend, x.col(0)), other = on(backend, y.col(0));  // side by side
    double dot = 0.0;
    backend.column_dots(one.view(), other.view(), {&dot, 1});
    EXPECT_NEAR(dot, x.col(0).dot(y.col(0)), 1e-13 * n);
    for (int k = 1; k <= 7; ++k) {
      std::vector<double> dots(k);
      backend.column_dots(device_x.view().slice(1, k), device_y.view().slice(0, k), dots);
      for (int j = 0; j < k; ++j) EXPECT_NEAR(dots[j], x.col(j + 1).dot(y.col(j)), 1e-13 * n);
    }
  }
}

TEST_P(BlockProducts, multiplies_with_diagonal_blocks) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  for (const Index rows : {1, 63, 1000}) {
    for (const Index size : {1, 2, 5, 32, 200}) {
      for (const int k : {1, 3, 11}) {
        SCOPED_TRACE(std::to_string(rows) + ", " + std::to_string(size) + ", " + std::to_string(k));
        HostMatrix blocks = random_block(rows, static_cast<int>(size), 1);
        const Index last = (rows - 1) / size * size;  // what lies beyond its rows is not looked at
        blocks.bottomRightCorner(rows - last, size - (rows - last)).setConstant(std::nan(""));
        const HostMatrix x = random_block(rows, k, 2), y = random_block(rows, k, 3);
        HostMatrix product(rows, k);
        for (Index first = 0; first < rows; first += size) {
          const Index count = std::min(size, rows - first);
          product.middleRows(first, count) =
              blocks.block(first, 0, count, count) * x.middleRows(first, count);
        }
        const auto device_blocks = on(backend, blocks), device_x = on(backend, x);
        auto device_y = on(backend, y);
        backend.multiply_blocks(0.5, device_blocks.view(), device_x.view(), 2.0, device_y.view());
        const HostMatrix expected = 0.5 * product + 2.0 * y;
        EXPECT_LE((backend.download(device_y.view()) - expected).cwiseAbs().maxCoeff(), 1e-11);
        device_y = on(backend, HostMatrix::Constant(rows, k, std::nan("")));
        backend.multiply_blocks(1.0, device_blocks.view(), device_x.view(), 0.0, device_y.view());
        EXPECT_LE((backend.download(device_y.view()) - product).cwiseAbs().maxCoeff(), 1e-11);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, BlockProducts, ::testing::ValuesIn(all_backend_names()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace cisolve
