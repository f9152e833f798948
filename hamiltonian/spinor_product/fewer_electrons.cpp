#include "hamiltonian/spinor_product/fewer_electrons.hpp"

#include <complex>
#include <limits>
#include <string>

#include "core/binomial.hpp"
#include "core/error.hpp"

namespace cisolve {

FewerElectrons::FewerElectrons(const StringSpace& space, int removed)
    : space_(space), removed_(removed) {
  if (space.electrons < removed) return;
  if (!space.full || space.groups() > 1) {
    listed_ = std::make_unique<const Remainders>(space, removed);
    count_ = listed_->size();
    return;
  }
  const double count = binomial(space.orbitals, space.electrons - removed);
  if (count > std::numeric_limits<std::uint32_t>::max()) {
    throw ResourceError("densities of " + std::to_string(space.electrons) + " electrons in " +
                        std::to_string(space.orbitals) +
                        " spinors: there are more than 2^32 strings of " + std::to_string(removed) +
                        " electrons fewer");
  }
  binomials_ = binomials_below(space.orbitals, space.electrons + 1);
  count_ = static_cast<std::int64_t>(count);
}

void FewerElectrons::take(std::int64_t first, std::span<const double> x,
                          Eigen::Ref<Eigen::MatrixXcd> d) const {
  d.setZero();
  for (Eigen::Index column = 0; column < d.cols(); ++column) {
    for_each(first + column, [&](int added, std::size_t string, bool odd) {
      const std::complex<double> value(x[2 * string], x[2 * string + 1]);
      d(added, column) = odd ? -value : value;
    });
  }
}

}  // namespace cisolve
