// Densities and dipole moments of vectors.
#include <nanobind/stl/complex.h>

#include <complex>
#include <cstddef>
#include <utility>
#include <vector>

#include "binding.hpp"
#include "parts.hpp"

namespace nb = nanobind;
using namespace binding;

namespace {

using cisolve::Hamiltonian;

template <class F>
auto without_gil(F f) {
  const nb::gil_scoped_release released;
  return f();
}

auto densities(const Hamiltonian& hamiltonian, const In<double, 2>& vectors, bool two,
               const Keys& keys) {
  cisolve::DensityMatrices found = without_gil([&] {
    return cisolve::density_matrices(hamiltonian, block_of(vectors), two, machine_of(keys));
  });
  const auto k = static_cast<std::size_t>(found.states);
  const auto n = static_cast<std::size_t>(found.orbitals);
  return std::pair(array_of(std::move(found.one), {k, k, 2, n, n}),
                   two ? array_of(std::move(found.two), {k, 3, n, n, n, n}) : nb::none());
}

auto transition_densities(const Hamiltonian& hamiltonian, const In<double, 1>& bra,
                          const In<double, 1>& ket, const Keys& keys) {
  cisolve::DensityMatrices found = without_gil([&] {
    return cisolve::transition_density_matrices(hamiltonian, span_of(bra), span_of(ket),
                                                machine_of(keys));
  });
  const auto n = static_cast<std::size_t>(found.orbitals);
  return std::pair(array_of(std::move(found.one), {2, n, n}),
                   array_of(std::move(found.two), {3, n, n, n, n}));
}

auto as_arrays(cisolve::SpinorDensityMatrices found, bool two) {
  const auto n = static_cast<std::size_t>(found.spinors),
             k = static_cast<std::size_t>(found.states);
  return std::pair(array_of(std::move(found.one), {k, k, n, n}),
                   two ? array_of(std::move(found.two), {k, n, n, n, n}) : nb::none());
}

/// States one behind another.
auto spinor_densities(const Hamiltonian& hamiltonian, const In<double, 2>& states, bool two,
                      const Keys& keys) {
  return as_arrays(without_gil([&] {
                     return cisolve::spinor_density_matrices(
                         hamiltonian, {states.data(), states.size()},
                         static_cast<int>(states.shape(0)), two, machine_of(keys));
                   }),
                   two);
}

auto spinor_string_densities(int spinors, int electrons, const In<double, 1>& vector, bool two,
                             const Keys& keys) {
  return as_arrays(without_gil([&] {
                     return cisolve::spinor_density_matrices(spinors, electrons, span_of(vector),
                                                             two, machine_of(keys));
                   }),
                   two);
}

/// n⁴ numbers in one dimension.
nb::object spinor_transition_density(const Hamiltonian& hamiltonian, const In<double, 1>& bra,
                                     const In<double, 1>& ket, const Keys& keys) {
  auto found = without_gil([&] {
    return cisolve::spinor_transition_density(hamiltonian, span_of(bra), span_of(ket),
                                              machine_of(keys));
  });
  const std::size_t n = found.size();
  return array_of(std::move(found), {n});
}

/// m⁶ numbers in one dimension.
nb::object three_particle_density(const Hamiltonian& hamiltonian, const In<double, 1>& vector,
                                  const Keys& keys) {
  std::vector<double> found = without_gil([&] {
    return cisolve::three_particle_density(hamiltonian, span_of(vector), machine_of(keys));
  });
  const std::size_t n = found.size();
  return array_of(std::move(found), {n});
}

/// m⁶ numbers in one dimension.
nb::object contracted_four_particle_density(const Hamiltonian& hamiltonian,
                                            const In<double, 1>& vector,
                                            const In<double, 1>& integrals, const Keys& keys) {
  std::vector<double> found = without_gil([&] {
    return cisolve::contracted_four_particle_density(hamiltonian, span_of(vector),
                                                     span_of(integrals), machine_of(keys));
  });
  const std::size_t n = found.size();
  return array_of(std::move(found), {n});
}

nb::object dipoles(const Hamiltonian& hamiltonian, const In<double, 2>& vectors,
                   const In<double, 3>& position, const In<double, 1>& nuclear, const Keys& keys) {
  const std::size_t k = vectors.shape(1);
  std::vector<double> moments = without_gil([&] {
    const auto r = span_of(position);
    return cisolve::dipole_moments(hamiltonian, block_of(vectors),
                                   {{r.begin(), r.end()}, {nuclear(0), nuclear(1), nuclear(2)}},
                                   machine_of(keys));
  });
  return array_of(std::move(moments), {k, k, 3});
}

}  // namespace

void add_densities(nb::module_& m) {
  m.def("densities", &densities);
  m.def("transition_densities", &transition_densities);
  m.def("spinor_densities", &spinor_densities);
  m.def("spinor_string_densities", &spinor_string_densities);
  m.def("spinor_transition_density", &spinor_transition_density);
  m.def("three_particle_density", &three_particle_density);
  m.def("contracted_four_particle_density", &contracted_four_particle_density);
  m.def("dipoles", &dipoles);
}
