#include "hamiltonian/spinor_product/spinor_density.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cstdint>

#include "core/threads/parallel.hpp"
#include "hamiltonian/spinor_product/fewer_electrons.hpp"

namespace cisolve {

SpinorDensity spinor_density(const StringSpace& space, std::span<const double> bra,
                             std::span<const double> ket) {
  constexpr std::int64_t parts = 64, columns = 256;
  const FewerElectrons fewer(space, 1);
  const std::int64_t of_a_part = (fewer.count() + parts - 1) / parts;
  const bool one = bra.data() == ket.data();
  std::vector<SpinorDensity> sums(parts, SpinorDensity::Zero(space.orbitals, space.orbitals));
  FirstException exception;
#pragma omp parallel for if (worth_threads(1.0 * ket.size() * space.electrons)) schedule(dynamic, 1)
  for (std::int64_t part = 0; part < parts; ++part) {
    exception.guard([&] {
      const std::int64_t end = std::min(fewer.count(), (part + 1) * of_a_part);
      SpinorDensity right, left;
      for (std::int64_t first = part * of_a_part; first < end; first += columns) {
        const std::int64_t count = std::min(columns, end - first);
        right.resize(space.orbitals, count);
        fewer.take(first, ket, right);
        if (!one) {
          left.resize(space.orbitals, count);
          fewer.take(first, bra, left);
        }
        sums[part].noalias() += right * (one ? right : left).adjoint();
      }
    });
  }
  exception.rethrow();
  for (std::int64_t part = 1; part < parts; ++part) sums[0] += sums[part];
  return sums[0];
}

NaturalSpinors natural_spinors(const SpinorDensity& density) {
  const Eigen::SelfAdjointEigenSolver<SpinorDensity> solved(-density);
  const Eigen::VectorXd occupations = -solved.eigenvalues();
  return {{occupations.begin(), occupations.end()}, solved.eigenvectors()};
}

}  // namespace cisolve
