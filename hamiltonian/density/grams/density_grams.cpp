#include "hamiltonian/density/grams/density_grams.hpp"

#include <algorithm>
#include <utility>

#include "backends/ranks/agree.hpp"

namespace cisolve {
namespace {

class DensityGramsOfRanks final : public DensityGrams {
 public:
  DensityGramsOfRanks(std::unique_ptr<DensityGrams> own, Communicator& ranks)
      : own_(std::move(own)), ranks_(ranks) {}

  HostMatrix mixed(int irrep, const double* x, const double* y, int alphas,
                   int betas) const override {
    return sum([&] { return own_->mixed(irrep, x, y, alphas, betas); });
  }
  HostMatrix same_spin(Spin spin, int irrep, const double* x, const double* y) const override {
    return sum([&] { return own_->same_spin(spin, irrep, x, y); });
  }

 private:
  template <class Make>
  HostMatrix sum(Make make) const {
    HostMatrix total;
    require_on_all(ranks_, [&] { total = make(); });
    // Pieces bound the memory of an exchange, which is as long on every rank.
    constexpr Eigen::Index piece = 1 << 20;
    for (Eigen::Index first = 0; first < total.size(); first += piece) {
      const Eigen::Index count = std::min(piece, total.size() - first);
      ranks_.sum({total.data() + first, static_cast<std::size_t>(count)});
    }
    return total;
  }

  std::unique_ptr<DensityGrams> own_;
  Communicator& ranks_;
};

}  // namespace

std::unique_ptr<DensityGrams> make_density_grams(const DensityTables& tables, Backend& backend) {
  Communicator& ranks = backend.communicator();
  const StringShare share{ranks.rank(), ranks.size()};
  std::unique_ptr<DensityGrams> own = backend.kind() == BackendKind::cpu
                                          ? make_density_grams_cpu(tables, share)
                                          : make_density_grams_cuda(tables, share, backend);
  if (ranks.alone()) return own;
  return std::make_unique<DensityGramsOfRanks>(std::move(own), ranks);
}

}  // namespace cisolve
