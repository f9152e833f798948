// Products with vectors that are on a GPU already.
#include <gtest/gtest.h>

#include <vector>

#include "cisolve/cisolve.hpp"
#include "tests/support/support.hpp"

namespace cisolve {
namespace {

/// Tridiagonal, n × n, with 2 + i on the diagonal and −1 beside it.
Hamiltonian chain(int n) {
  std::vector<std::int64_t> offsets = {0};
  std::vector<std::int32_t> columns;
  std::vector<double> values;
  for (int i = 0; i < n; ++i) {
    for (const int j : {i - 1, i, i + 1}) {
      if (j < 0 || j >= n) continue;
      columns.push_back(j);
      values.push_back(i == j ? 2.0 + i : -1.0);
    }
    offsets.push_back(static_cast<std::int64_t>(columns.size()));
  }
  return Hamiltonian::from_csr({n, n, offsets, columns, values});
}

TEST(DeviceProduct, OfAMatrixOnTheCpuIsRefused) {
  Machine machine;
  machine.backend = Device::cpu;
  const Product product(chain(5), machine);
  EXPECT_EQ(product.device(), -1);
  double x[5] = {}, y[5] = {};
  EXPECT_THROW(product.apply_on_device(x, y), InputError);
}

TEST(DeviceProduct, IsThatOfHostMemoryWhereverVectorsBegin) {
  CISOLVE_BACKEND_OR_SKIP(backend, "cuda");
  const int n = 1000, k = 3;
  Machine machine;
  machine.backend = Device::cuda;
  std::vector<double> x(n * k), expected(n * k), y(n * k);
  for (int i = 0; i < n * k; ++i) x[i] = 0.25 * (i % 17) - 1.0;
  const Product product(chain(n), machine, k);
  EXPECT_EQ(product.device(), 0);
  product.apply(x, expected, k);
  Buffer<double> in(backend, n * k + 1), out(backend, n * k + 1);
  for (const int begin : {0, 1}) {  // 1: not aligned
    backend.upload_bytes(x.data(), in.data() + begin, x.size() * sizeof(double));
    product.apply_on_device(in.data() + begin, out.data() + begin, k);
    backend.download_bytes(out.data() + begin, y.data(), y.size() * sizeof(double));
    EXPECT_EQ(y, expected) << begin;
  }
}

}  // namespace
}  // namespace cisolve
