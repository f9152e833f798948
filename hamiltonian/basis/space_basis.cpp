#include "hamiltonian/basis/space_basis.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "core/threads/parallel.hpp"
#include "hamiltonian/states/spin_matrix.hpp"

namespace cisolve {
namespace {

/// Rows as they are numbered in a space.
class AsSpace final : public RowOrder {
 public:
  explicit AsSpace(std::vector<Index> order) : order_(std::move(order)) {}

  std::int64_t size() const override { return std::ssize(order_); }
  void from_rows(const double* x, std::int64_t stride, double* ordered,
                 std::int64_t ordered_stride) const override {
#pragma omp parallel for if (worth_threads(2.0 * order_.size())) schedule(static)
    for (std::size_t k = 0; k < order_.size(); ++k) {
      ordered[order_[k] * ordered_stride] = x[static_cast<std::int64_t>(k) * stride];
    }
  }
  void to_rows(const double* ordered, std::int64_t ordered_stride, double* x,
               std::int64_t stride) const override {
#pragma omp parallel for if (worth_threads(2.0 * order_.size())) schedule(static)
    for (std::size_t k = 0; k < order_.size(); ++k) {
      x[static_cast<std::int64_t>(k) * stride] = ordered[order_[k] * ordered_stride];
    }
  }

 private:
  std::vector<Index> order_;
};

}  // namespace

SpaceBasis::SpaceBasis(const AnySpace& space, RowPartition parts, std::vector<Index> order)
    : Basis(std::move(parts)), space_(space) {
  if (!order.empty()) as_space_ = std::make_unique<const AsSpace>(std::move(order));
}

SpaceBasis::~SpaceBasis() = default;

std::vector<Index> SpaceBasis::states_of_multiplicity(const Sectors& sectors,
                                                      int multiplicity) const {
  const auto states = space_.visit([&](const auto& space) {
    return cisolve::states_of_multiplicity(
        space, multiplicity, std::max<int>(1, std::ssize(sectors.sizes)), [&](Index a, Index b) {
          if (sectors.sizes.empty()) return 0;
          return static_cast<int>(sectors.of(static_cast<Index>(space.determinants_of(a).find(b))));
        });
  });
  return {states.begin(), states.end()};
}

}  // namespace cisolve
