#include "hamiltonian/direct/direct_product.hpp"

#include <algorithm>
#include <stdexcept>

namespace cisolve {
namespace {

class SpinSquared final : public LinearOperator {
 public:
  SpinSquared(const DirectOperator& direct, Backend& backend)
      : direct_(direct), backend_(backend), image_(backend, direct.rows(), 1) {}

  Index rows() const override { return direct_.rows(); }
  Index columns() const override { return direct_.columns(); }
  void apply(double alpha, ConstView x, double beta, View y) const override {
    for (int j = 0; j < x.columns; ++j) {
      direct_.apply_s_squared(x.slice(j, 1), image_.view());
      backend_.axpby(alpha, image_.view(), beta, y.slice(j, 1));
    }
  }
  void diagonal(View) const override {
    throw std::logic_error("the diagonal of S² is not asked for");
  }
  OperatorInfo info() const override { return direct_.info(); }

 private:
  const DirectOperator& direct_;
  Backend& backend_;
  mutable MultiVector image_;
};

}  // namespace

std::unique_ptr<LinearOperator> make_s_squared(const DirectOperator& direct, Backend& backend) {
  return std::make_unique<SpinSquared>(direct, backend);
}

std::int64_t work_on_device(const DirectTables& tables) {
  constexpr std::int64_t most = std::int64_t{1} << 28, columns = 1024, least = 32;
  const DirectLayout& layout = tables.layout;
  std::int64_t work = 0;
  for (const Spin spin : {alpha, beta}) {
    const SameSpin& same_spin = tables.same_spin[spin];
    const std::int64_t all = spin == alpha ? columns : layout.alpha_strings.size() + 2;
    for (int y = 0; y < most_irreps; ++y) {
      // G, and of beta strings c and σ transposed.
      const std::int64_t a_column =
          std::int64_t{same_spin.blocks(y)} * same_spin.most_additions(y) +
          (spin == beta ? std::int64_t{2} * layout.beta_strings.size(y) : 0);
      const std::int64_t wanted = std::min(a_column * std::min(all, columns), most);
      work = std::max({work, wanted, a_column * least});
    }
  }
  return work;
}

Content content_of(const DirectTables& tables, ConstView x, Backend& backend) {
  const auto& sectors = tables.rows.sectors();
  const int rank = backend.communicator().rank();
  std::array<bool, most_irreps> there{}, any{};
  bool even = false, odd = false;
  for (std::size_t s = 0; s < sectors.size(); ++s) {
    const DirectRows::Sector& sector = sectors[s];
    any[sector.irrep] = true;
    double norm = 1.0;
    if (sectors.size() > 1) {
      backend.column_norms(part_of(tables.rows, static_cast<int>(s), rank, x), {&norm, 1});
    }
    if (norm == 0.0) continue;  // a number that is none is there, too
    there[sector.irrep] = true;
    even |= sector.parity == Parity::even;
    odd |= sector.parity == Parity::odd;
  }
  Content content;
  if (even != odd) content.parity = even ? Parity::even : Parity::odd;
  if (there == any) {
    content.parts.push_back({{}, tables.layout.all_betas()});
    return content;
  }
  for (int irrep = 0; irrep < most_irreps; ++irrep) {
    if (there[irrep]) content.parts.push_back({irrep, tables.layout.betas_to(irrep)});
  }
  return content;
}

std::vector<double> kind_factors(const DirectRows& rows, Parity parity) {
  std::vector<double> factors;
  for (const DirectRows::Kind& kind : rows.kinds()) {
    factors.push_back(parity == Parity::none ? 1.0 : kind.parity == parity ? 2.0 : 0.0);
  }
  return factors;
}

}  // namespace cisolve
