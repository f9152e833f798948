#include "hamiltonian/density/vector_sums.hpp"

#include "hamiltonian/density/list_densities.hpp"
#include "hamiltonian/density/space_densities.hpp"
#include "hamiltonian/space/listed/list_pairs.hpp"
#include "hamiltonian/states/pair_excitations.hpp"
#include "hamiltonian/states/spin.hpp"

namespace cisolve {
namespace {

class OfRanges final : public VectorSums {
 public:
  explicit OfRanges(const CiSpace& space)
      : space_(space), excitations_(make_pair_excitations(space)) {}

  HostVector apply_s_squared(const HostVector& x) const override {
    return cisolve::apply_s_squared(space_, excitations_, x);
  }
  OneDensities one_densities(const HostVector& bra, const HostVector& ket) const override {
    return space_one_densities(space_, excitations_, bra, ket);
  }
  Densities densities(const HostVector& bra, const HostVector& ket) const override {
    return space_densities(space_, excitations_, bra, ket);
  }

 private:
  const CiSpace& space_;
  SpinPairExcitations excitations_;
};

class OfList final : public VectorSums {
 public:
  explicit OfList(const ListedSpace& space) : pairs_(space) {}

  HostVector apply_s_squared(const HostVector& x) const override {
    return cisolve::apply_s_squared(pairs_.space(), x);
  }
  OneDensities one_densities(const HostVector& bra, const HostVector& ket) const override {
    return list_one_densities(pairs_, bra, ket);
  }
  Densities densities(const HostVector& bra, const HostVector& ket) const override {
    return list_densities(pairs_, bra, ket);
  }

 private:
  ListPairs pairs_;
};

struct Make {
  std::unique_ptr<const VectorSums> operator()(const CiSpace& space) const {
    return std::make_unique<const OfRanges>(space);
  }
  std::unique_ptr<const VectorSums> operator()(const ListedSpace& space) const {
    return std::make_unique<const OfList>(space);
  }
};

struct Bytes {
  double operator()(const CiSpace& space) const {
    return of_strings(space.alpha, 0.5 * sizeof(StringExcitation)) +
           of_strings(space.beta, 0.5 * sizeof(StringExcitation));
  }
  double operator()(const ListedSpace& space) const { return ListPairs::bytes_for(space); }
  static double of_strings(const StringSpace& s, double each) {
    return each * s.electrons * (s.orbitals - s.electrons) * s.size();
  }
};

}  // namespace

std::unique_ptr<const VectorSums> make_vector_sums(const AnySpace& space) {
  return space.visit(Make{});
}

double vector_sums_bytes(const AnySpace& space) {
  return space.visit(Bytes{});
}

}  // namespace cisolve
