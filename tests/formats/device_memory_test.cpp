// A device whose memory is taken: on a GPU alone, the host's is not a test's to fill. Runs while no
// other test does.

#include <numeric>

#include "core/dense/host_matrix.hpp"
#include "core/error.hpp"
#include "tests/support/support.hpp"

namespace cisolve {
namespace {

using namespace cisolve::testing;

TEST(Refinement, without_room_for_double_leaves_products_as_they_were) {
  CISOLVE_BACKEND_OR_SKIP(backend, "cuda");
  std::vector<Index> row(200);
  std::iota(row.begin(), row.end(), 0);
  const CsrMatrix m = matrix_of_rows(25000, 25000, [&](Index) { return row; });
  const HostMatrix x = random_block(m.columns, 1, 7);
  FormatOptions single;
  single.off_diagonal = Precision::float32;
  for (const Format& format : formats()) {
    if (format.cuda_single == nullptr) continue;
    SCOPED_TRACE(format.name);
    const auto a = operator_on("cuda", backend, format.name, m, single);
    const HostMatrix before = product(backend, *a, x);
    {
      const Buffer<char> rest(backend, backend.free_memory() - 10'000'000);
      EXPECT_THROW(a->to_double_precision(), ResourceError);
      EXPECT_GT(a->rounding_error(), 0.0);
    }
    EXPECT_EQ(product(backend, *a, x), before);
    EXPECT_TRUE(a->to_double_precision());
    EXPECT_NE(product(backend, *a, x), before);
  }
}

}  // namespace
}  // namespace cisolve
