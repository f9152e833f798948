#include "app/states/state_densities.hpp"

#include <functional>

#include "core/error.hpp"
#include "core/memory.hpp"
#include "hamiltonian/density/direct_densities.hpp"
#include "hamiltonian/density/space_densities.hpp"

namespace cisolve {
namespace {

void require_room(int orbitals, Eigen::Index states) {
  const double pairs = static_cast<double>(orbitals) * orbitals;
  const double bytes = 3.0 * sizeof(double) * pairs * pairs * static_cast<double>(states);
  const auto available = static_cast<double>(available_host_memory());
  if (bytes > available) {
    throw ResourceError("two-particle densities take " + format_bytes(bytes) + ", " +
                        format_bytes(available) + " are available");
  }
}

/// of_two(i, j): γ of a transition; of_state(i): all of a state.
StateDensities gather(Eigen::Index states, bool two,
                      const std::function<OneDensities(Eigen::Index, Eigen::Index)>& of_two,
                      const std::function<Densities(Eigen::Index)>& of_state) {
  StateDensities made;
  for (Eigen::Index i = 0; two && i < states; ++i) made.two.push_back(of_state(i));
  for (Eigen::Index i = 0; i < states; ++i) {
    for (Eigen::Index j = 0; j < states; ++j) {
      made.one.push_back(two && i == j ? made.two[i].one : of_two(i, j));
    }
  }
  return made;
}

StateDensities of_direct(const HostMatrix& x, const CiSpace& space, const DirectLayout& layout,
                         Backend& backend, bool two) {
  const DirectDensities densities(layout, backend);
  Buffer<double> bra(backend, layout.size()), ket(backend, layout.size());
  const auto load = [&](Eigen::Index state, Buffer<double>& to) {
    const HostVector row = to_layout(layout, space, x.col(state));
    backend.upload_bytes(row.data(), to.data(),
                         static_cast<std::size_t>(row.size()) * sizeof(double));
    return to.data();
  };
  Eigen::Index loaded = -1;  // as bra
  return gather(
      x.cols(), two,
      [&](Eigen::Index i, Eigen::Index j) {
        if (loaded != i) load(i, bra);
        loaded = i;
        return densities.one(bra.data(), load(j, ket));
      },
      [&](Eigen::Index i) { return densities.of(load(i, ket)); });
}

}  // namespace

StateDensities state_densities(const HostMatrix& x, const HamiltonianSource& source,
                               const DirectLayout* layout, Backend& backend, bool two) {
  const CiSpace& space = *source.space();
  if (two) require_room(space.alpha.orbitals, x.cols());
  const auto finish = [&](StateDensities made) {
    made.restricted = !source.active_integrals()->unrestricted;
    return made;
  };
  if (layout != nullptr) return finish(of_direct(x, space, *layout, backend, two));
  const SpinPairExcitations excitations = make_pair_excitations(space);
  return finish(gather(
      x.cols(), two,
      [&](Eigen::Index i, Eigen::Index j) {
        return space_one_densities(space, excitations, x.col(i), x.col(j));
      },
      [&](Eigen::Index i) { return space_densities(space, excitations, x.col(i)); }));
}

}  // namespace cisolve
