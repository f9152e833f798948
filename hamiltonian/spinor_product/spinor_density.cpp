#include "hamiltonian/spinor_product/spinor_density.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <complex>
#include <memory>

#include "core/binomial.hpp"
#include "core/threads/parallel.hpp"
#include "hamiltonian/space/strings/remainders.hpp"
#include "hamiltonian/spinor_product/string_numbers.hpp"

namespace cisolve {
namespace {

/// The strings of one electron fewer, and those that they are made of.
class Fewer {
 public:
  explicit Fewer(const StringSpace& space) : space_(space) {
    if (!space.full || space.groups() > 1) {
      listed_ = std::make_unique<const Remainders>(space, 1);
      count_ = listed_->size();
      return;
    }
    binomials_ = binomials_below(space.orbitals, space.electrons + 1);
    count_ = static_cast<Index>(binomial(space.orbitals, space.electrons - 1));
  }

  Index count() const { return count_; }

  /// Calls visit(p, string, odd) for all electrons in p that make a string of K.
  template <class Visit>
  void for_each(Index k, const Visit& visit) const {
    if (listed_) {
      for (const auto& [string, taken] : listed_->members(k)) {
        visit(taken.first, string, taken.odd != 0);
      }
      return;
    }
    const StringNumbers numbers{binomials_.data(), space_.electrons + 1};
    numbers.for_each_addition(numbers.string(k, space_.electrons - 1, space_.orbitals),
                              space_.orbitals, visit);
  }

 private:
  const StringSpace& space_;
  std::unique_ptr<const Remainders> listed_;  ///< null: all there are, by their numbers
  std::vector<std::uint32_t> binomials_;
  Index count_ = 0;
};

/// Columns of D, D_pK = ± x_K+p.
void take(const Fewer& fewer, Index first, const double* x, SpinorDensity& d) {
  d.setZero();
  for (Eigen::Index column = 0; column < d.cols(); ++column) {
    fewer.for_each(first + static_cast<Index>(column), [&](int p, Index string, bool odd) {
      const std::complex<double> value(x[2 * std::size_t(string)], x[2 * std::size_t(string) + 1]);
      d(p, column) = odd ? -value : value;
    });
  }
}

}  // namespace

SpinorDensity spinor_density(const StringSpace& space, std::span<const double> bra,
                             std::span<const double> ket) {
  constexpr Index parts = 64, columns = 256;
  const Fewer fewer(space);
  const Index of_a_part = (fewer.count() + parts - 1) / parts;
  const bool one = bra.data() == ket.data();
  std::vector<SpinorDensity> sums(parts, SpinorDensity::Zero(space.orbitals, space.orbitals));
  FirstException exception;
#pragma omp parallel for if (worth_threads(1.0 * ket.size() * space.electrons)) schedule(dynamic, 1)
  for (Index part = 0; part < parts; ++part) {
    exception.guard([&] {
      const Index end = std::min(fewer.count(), (part + 1) * of_a_part);
      SpinorDensity right, left;
      for (Index first = part * of_a_part; first < end; first += columns) {
        const Index count = std::min(columns, end - first);
        right.resize(space.orbitals, count);
        take(fewer, first, ket.data(), right);
        if (!one) {
          left.resize(space.orbitals, count);
          take(fewer, first, bra.data(), left);
        }
        sums[part].noalias() += right * (one ? right : left).adjoint();
      }
    });
  }
  exception.rethrow();
  for (Index part = 1; part < parts; ++part) sums[0] += sums[part];
  return sums[0];
}

NaturalSpinors natural_spinors(const SpinorDensity& density) {
  const Eigen::SelfAdjointEigenSolver<SpinorDensity> solved(-density);
  const Eigen::VectorXd occupations = -solved.eigenvalues();
  return {{occupations.begin(), occupations.end()}, solved.eigenvectors()};
}

}  // namespace cisolve
