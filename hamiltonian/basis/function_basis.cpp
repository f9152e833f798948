#include "hamiltonian/basis/function_basis.hpp"

#include <cstdint>
#include <type_traits>
#include <utility>

#include "hamiltonian/states/spin_matrix.hpp"

namespace cisolve {
namespace {

class OverDeterminants final : public RowOrder {
 public:
  explicit OverDeterminants(const DirectTables& tables) : tables_(tables) {}

  std::int64_t size() const override { return tables_.layout.size(); }
  void from_rows(const double* x, std::int64_t stride, double* ordered,
                 std::int64_t ordered_stride) const override {
    tables_.rows.to_space(x, stride, ordered, ordered_stride);
  }
  void to_rows(const double* ordered, std::int64_t ordered_stride, double* x,
               std::int64_t stride) const override {
    tables_.rows.from_space(ordered, ordered_stride, x, stride);
  }

 private:
  const DirectTables& tables_;
};

/// Every stride-th number as a vector.
template <class Double>
auto column(Double* x, std::int64_t size, std::int64_t stride) {
  using Vector = std::conditional_t<std::is_const_v<Double>, const HostVector, HostVector>;
  return Eigen::Map<Vector, 0, Eigen::InnerStride<>>(x, size, Eigen::InnerStride<>(stride));
}

/// The rows as they would be numbered in one part.
class InOnePart final : public RowOrder {
 public:
  explicit InOnePart(const DirectRows& rows) : rows_(rows) {}

  std::int64_t size() const override { return rows_.size(); }
  void from_rows(const double* x, std::int64_t stride, double* ordered,
                 std::int64_t ordered_stride) const override {
    column(ordered, size(), ordered_stride) = rows_.to_one_part(column(x, size(), stride));
  }
  void to_rows(const double* ordered, std::int64_t ordered_stride, double* x,
               std::int64_t stride) const override {
    column(x, size(), stride) = rows_.from_one_part(column(ordered, size(), ordered_stride));
  }

 private:
  const DirectRows& rows_;
};

std::vector<std::int8_t> irreps_in_space(const DirectStrings& strings) {
  std::vector<std::int8_t> irreps(strings.strings.size());
  for (std::size_t s = 0; s < irreps.size(); ++s) irreps[strings.number[s]] = strings.irrep_of[s];
  return irreps;
}

}  // namespace

FunctionBasis::FunctionBasis(std::shared_ptr<const DirectTables> tables, Kept kept)
    : Basis(tables->rows.partition()),
      tables_(std::move(tables)),
      kept_(kept),
      over_determinants_(std::make_unique<OverDeterminants>(*tables_)),
      in_one_part_(std::make_unique<InOnePart>(tables_->rows)) {}

FunctionBasis::~FunctionBasis() = default;

const RowOrder* FunctionBasis::checkpoints() const {
  if (kept_ == Kept::determinants) return over_determinants_.get();
  return tables_->rows.parts() == 1 ? nullptr : in_one_part_.get();
}

/// Spins 0, 2, 4 … are even, 1, 3 … odd, where rows are of a parity.
std::vector<Index> FunctionBasis::states_of_multiplicity(const Sectors&, int multiplicity) const {
  const auto alpha = irreps_in_space(tables_->layout.alpha_strings);
  const auto beta = irreps_in_space(tables_->layout.beta_strings);
  const auto states = cisolve::states_of_multiplicity(
      tables_->space, multiplicity, most_irreps,
      [&](Index a, Index b) { return irrep_product(alpha[a], beta[b]); });
  const Parity parity = multiplicity % 4 == 1 ? Parity::even : Parity::odd;
  std::vector<Index> in_sectors;
  for (const DirectRows::Sector& sector : tables_->rows.sectors()) {
    const bool has_them = sector.parity == Parity::none || sector.parity == parity;
    in_sectors.push_back(has_them ? static_cast<Index>(states[sector.irrep]) : 0);
  }
  return in_sectors;
}

}  // namespace cisolve
