#include "app/states/state_densities.hpp"

#include <memory>

#include "backends/ranks/agree.hpp"
#include "core/error.hpp"
#include "core/memory.hpp"
#include "hamiltonian/density/direct_densities.hpp"
#include "hamiltonian/density/vector_sums.hpp"
#include "hamiltonian/direct/rows/orbital_labels.hpp"

namespace cisolve {
namespace {

/// Room for Γ of each spin and for the file's arrays beside them. States have the same and, for
/// restricted orbitals, the sum; pairs the sum alone, or those of each spin.
void require_room(int orbitals, bool restricted, Eigen::Index states, TwoParticle two) {
  if (two == TwoParticle::none) return;
  const auto k = static_cast<double>(states);
  const double pairs = static_cast<double>(orbitals) * orbitals;
  const double transitions = two == TwoParticle::states_and_transitions
                                 ? 3.0 * k * (k - 1.0) / 2.0 + (restricted ? 1.0 : 3.0) * k * k
                                 : 0.0;
  const double of_states = (restricted ? 7.0 : 6.0) * k;
  const double bytes = sizeof(double) * pairs * pairs * (of_states + transitions);
  require_host_memory(bytes, "two-particle densities");
}

/// Densities of full CI vectors, on a backend, which holds two of them at a time.
class OfFullCi {
 public:
  OfFullCi(const ConstHostRef& x, const Determinants& determinants, Backend& backend,
           DensityOrder order)
      : x_(x),
        space_(*determinants.ranges()),
        layout_(orbital_labels(determinants.active_integrals()), space_),
        backend_(backend),
        densities_(layout_, backend, order) {}

  void set_bra(Eigen::Index state) { load(state, bra_); }
  Densities all() { return densities_.of(bra_.data(), bra_.data()); }
  Densities all_with(Eigen::Index ket) {
    load(ket, ket_);
    return densities_.of(bra_.data(), ket_.data());
  }
  OneDensities own() { return densities_.one(bra_.data(), bra_.data()); }
  OneDensities with(Eigen::Index ket) {
    load(ket, ket_);
    return densities_.one(bra_.data(), ket_.data());
  }

 private:
  void load(Eigen::Index state, Buffer<double>& to) {
    require_on_all(backend_.communicator(), [&] {
      if (!to.data()) to = Buffer<double>(backend_, layout_.size());
      const HostVector row = to_layout(layout_, space_, x_.col(state));
      backend_.upload_bytes(row.data(), to.data(),
                            static_cast<std::size_t>(row.size()) * sizeof(double));
    });
  }

  ConstHostRef x_;
  const CiSpace& space_;
  DirectLayout layout_;
  Backend& backend_;
  DirectDensities densities_;
  Buffer<double> bra_, ket_;  ///< where they are needed
};

bool is_of_full_ci(const Determinants& determinants) {
  const CiSpace* const space = determinants.ranges();
  return space != nullptr && has_direct_layout(*space);
}

/// Object on all ranks, or on none.
std::unique_ptr<OfFullCi> of_full_ci(const ConstHostRef& x, const Determinants& determinants,
                                     Backend& backend, DensityOrder order) {
  std::unique_ptr<OfFullCi> made;
  require_on_all(backend.communicator(),
                 [&] { made = std::make_unique<OfFullCi>(x, determinants, backend, order); });
  return made;
}

/// Densities over any space, on the host.
class OfSpace {
 public:
  OfSpace(const ConstHostRef& x, const AnySpace& space) : x_(x) {
    require_host_memory(vector_sums_bytes(space), "excitations or remainders of determinants");
    sums_ = make_vector_sums(space);
  }

  void set_bra(Eigen::Index state) { bra_ = x_.col(state); }
  Densities all() { return sums_->densities(bra_, bra_); }
  Densities all_with(Eigen::Index ket) { return sums_->densities(bra_, x_.col(ket)); }
  OneDensities own() { return sums_->one_densities(bra_, bra_); }
  OneDensities with(Eigen::Index ket) { return sums_->one_densities(bra_, x_.col(ket)); }

 private:
  ConstHostRef x_;
  std::unique_ptr<const VectorSums> sums_;
  HostVector bra_;
};

/// ⟨j|…|i⟩ being the transpose of ⟨i|…|j⟩, each pair is gone through once.
template <class Source>
StateDensities gather(Eigen::Index states, TwoParticle two, Source&& source) {
  const bool of_states = two != TwoParticle::none;
  StateDensities made;
  made.one.resize(static_cast<std::size_t>(states * states));
  for (Eigen::Index i = 0; i < states; ++i) {
    source.set_bra(i);
    if (of_states) made.two.push_back(source.all());
    made.one[i * states + i] = of_states ? made.two.back().one : source.own();
    for (Eigen::Index j = i + 1; j < states; ++j) {
      const bool whole = two == TwoParticle::states_and_transitions;
      if (whole) made.transitions.push_back(source.all_with(j));
      const OneDensities& of_pair = made.one[i * states + j] =
          whole ? made.transitions.back().one : source.with(j);
      for (const Spin spin : {alpha, beta}) {
        made.one[j * states + i][spin] = of_pair[spin].transpose();
      }
    }
  }
  return made;
}

/// Throws InputError where a density of each spin would be one of neither.
void require_spins(const Determinants& determinants) {
  const Integrals& integrals = determinants.integrals();
  if (!integrals.general) return;
  throw InputError("densities: " + determinants.name() + " has " + kind_of_orbitals(integrals) +
                   "; densities are of electrons of either spin");
}

}  // namespace

StateDensities state_densities(const ConstHostRef& x, const Determinants& determinants,
                               Backend& backend, TwoParticle two) {
  require_spins(determinants);
  const AnySpace& space = determinants.space();
  const bool restricted = !determinants.integrals().unrestricted;
  require_on_all(backend.communicator(),
                 [&] { require_room(space.alpha().orbitals, restricted, x.cols(), two); });
  const DensityOrder order =
      two == TwoParticle::none ? DensityOrder::one_particle : DensityOrder::two_particle;
  StateDensities made = is_of_full_ci(determinants)
                            ? gather(x.cols(), two, *of_full_ci(x, determinants, backend, order))
                            : gather(x.cols(), two, OfSpace(x, space));
  made.restricted = !determinants.active_integrals().unrestricted;
  return made;
}

Densities transition_densities(const ConstHostRef& x, const Determinants& determinants,
                               Backend& backend) {
  require_spins(determinants);
  const AnySpace& space = determinants.space();
  const bool restricted = !determinants.integrals().unrestricted;
  require_on_all(backend.communicator(),
                 [&] { require_room(space.alpha().orbitals, restricted, 1, TwoParticle::states); });
  const auto of_pair = [](auto&& vectors) {
    vectors.set_bra(0);
    return vectors.all_with(1);
  };
  if (!is_of_full_ci(determinants)) return of_pair(OfSpace(x, space));
  return of_pair(*of_full_ci(x, determinants, backend, DensityOrder::two_particle));
}

}  // namespace cisolve
