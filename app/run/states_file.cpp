#include "app/run/states_file.hpp"

#include <algorithm>
#include <complex>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "app/files/file_kind.hpp"
#include "app/run/trexio_states.hpp"
#include "app/solve/outcome/file_strings.hpp"
#include "hamiltonian/states/natural_occupations.hpp"
#include "io/array_archive.hpp"
#include "io/determinants/determinant_file.hpp"
#include "io/trexio/trexio_output.hpp"

namespace cisolve {
namespace {

using Arrays = std::vector<NamedArray>;
using Shape = std::vector<std::int64_t>;

void append(const HostMatrix& from, std::vector<double>& to) {
  to.insert(to.end(), from.data(), from.data() + from.size());
}

Eigen::Index orbitals(const OneDensities& densities) {
  return densities[0].rows();
}

NamedArray one_densities(const char* name, const std::vector<OneDensities>& all, Shape shape) {
  std::vector<double> values;
  for (const OneDensities& of : all) {
    for (const HostMatrix& spin : of) append(spin, values);
  }
  const Eigen::Index m = orbitals(all.front());
  shape.insert(shape.end(), {2, m, m});
  return kept_array(name, std::move(values), std::move(shape));
}

/// Occupations, descending, and the orbitals that have them as columns.
void add_natural_orbitals(const std::vector<OneDensities>& states, Arrays& arrays) {
  std::vector<double> occupations, coefficients;
  const auto k = static_cast<std::int64_t>(states.size());
  const Eigen::Index m = orbitals(states.front());
  for (const OneDensities& state : states) {
    const NaturalOrbitals natural = natural_orbitals(spin_summed(state));
    occupations.insert(occupations.end(), natural.occupations.begin(), natural.occupations.end());
    append(natural.orbitals, coefficients);
  }
  arrays.push_back(kept_array("natural_occupations", std::move(occupations), {k, m}));
  arrays.push_back(kept_array("natural_orbitals", std::move(coefficients), {k, m, m}));
}

void append(const SpinorDensity& from, std::vector<std::complex<double>>& to) {
  const auto rows = from.reshaped<Eigen::RowMajor>();
  to.insert(to.end(), rows.begin(), rows.end());
}

NamedArray spinor_densities(const char* name, const std::vector<SpinorDensity>& all, Shape shape) {
  std::vector<std::complex<double>> values;
  for (const SpinorDensity& of : all) append(of, values);
  const Eigen::Index n = all.front().rows();
  shape.insert(shape.end(), {n, n});
  return kept_array(name, std::move(values), std::move(shape));
}

/// The densities of states over spinors, and their eigenvalues and eigenvectors.
void add_spinor_densities(const std::vector<SpinorDensity>& states, Arrays& arrays) {
  std::vector<double> occupations;
  std::vector<std::complex<double>> spinors;
  for (const SpinorDensity& state : states) {
    const NaturalSpinors natural = natural_spinors(state);
    append(natural.spinors, spinors);
    occupations.insert(occupations.end(), natural.occupations.begin(), natural.occupations.end());
  }
  const auto k = std::ssize(states), n = std::ssize(occupations) / k;
  arrays.push_back(spinor_densities("rdm1", states, {k}));
  arrays.push_back(kept_array("natural_occupations", std::move(occupations), {k, n}));
  arrays.push_back(kept_array("natural_orbitals", std::move(spinors), {k, n, n}));
}

/// Densities of the states themselves.
std::vector<SpinorDensity> of_states(const SpinorStateDensities& densities, std::size_t states) {
  if (densities.one.size() == states) return densities.one;
  std::vector<SpinorDensity> all;
  for (std::size_t i = 0; i < states; ++i) all.push_back(densities.one[i * states + i]);
  return all;
}

void add_determinants(const RowDeterminants& list, bool rows, Arrays& arrays) {
  if (rows) {
    for (NamedArray strings :
         {named_array("alpha", "<u8", list.alpha), named_array("beta", "<u8", list.beta)}) {
      if (list.words > 1) strings.header.shape = {strings.header.shape[0] / list.words, list.words};
      arrays.push_back(std::move(strings));
    }
  }
  arrays.push_back(kept_array("norb", std::vector<std::int64_t>{list.orbitals}, {}));
  arrays.push_back(
      kept_array("nelec", std::vector{list.alpha_electrons, list.beta_electrons}, {2}));
  arrays.push_back(named_array("frozen", "<i8", list.frozen));
  arrays.push_back(named_array("active", "<i8", list.active));
  arrays.push_back(kept_array("ecore", std::vector{list.core_energy}, {}));
  if (list.irrep) {
    arrays.push_back(kept_array("irrep", std::vector<std::int64_t>{*list.irrep}, {}));
  }
}

void add_rotation(const EigenOutcome& outcome, Arrays& arrays) {
  if (!outcome.rotation) return;
  std::vector<double> values;
  append(*outcome.rotation, values);
  const std::int64_t m = outcome.rotation->rows();
  arrays.push_back(kept_array("rotation", std::move(values), {m, m}));
}

void add_energies(const EigenOutcome& outcome, Arrays& arrays) {
  arrays.push_back(named_array("energies", "<f8", outcome.result.energies));
  arrays.push_back(named_array("residual_norms", "<f8", outcome.result.residual_norms));
  arrays.push_back(kept_text("status", to_string(outcome.result.status)));
}

void write(Arrays arrays, const char* format, const std::filesystem::path& path,
           const std::string& name) {
  arrays.push_back(kept_text("version", CISOLVE_VERSION));
  write_arrays(arrays, format, path, name);
}

/// True if it is a file of TREXIO, which then has what goes beside its groups, made before them.
bool begins_trexio(const EigenOutcome& outcome, const char* format,
                   const std::filesystem::path& path, const std::string& name) {
  if (!is_trexio_name(name)) return false;
  Arrays arrays;
  add_energies(outcome, arrays);
  arrays.push_back(kept_text("version", CISOLVE_VERSION));
  write_hdf5_arrays(arrays, format, path, name);
  return true;
}

/// Densities of the states themselves.
std::vector<OneDensities> of_states(const StateDensities& densities, std::size_t states) {
  std::vector<OneDensities> all;
  for (std::size_t i = 0; i < states; ++i) all.push_back(densities.one[i * states + i]);
  return all;
}

/// First and last arrays of both files with densities.
Arrays densities_arrays(const EigenOutcome& outcome) {
  const std::size_t k = outcome.result.energies.size();
  if (outcome.spinor_densities) {
    Arrays arrays;
    add_spinor_densities(of_states(*outcome.spinor_densities, k), arrays);
    add_energies(outcome, arrays);
    return arrays;
  }
  const std::vector<OneDensities> states = of_states(*outcome.densities, k);
  Arrays arrays{one_densities("rdm1", states, {static_cast<std::int64_t>(k)})};
  add_energies(outcome, arrays);
  add_determinants(*outcome.determinants, false, arrays);
  add_rotation(outcome, arrays);
  if (outcome.densities->restricted) add_natural_orbitals(states, arrays);
  return arrays;
}

/// Element p q r s t u of the result is Γ_prt,qsu (three_particle_density).
HostMatrix by_excitation(const HostMatrix& density, std::int64_t m) {
  HostMatrix ordered(density.rows(), density.cols());
  double* to = ordered.data();
  for (std::int64_t pqr = 0; pqr < m * m * m; ++pqr) {
    const std::int64_t p = pqr / (m * m), q = pqr / m % m, r = pqr % m;
    for (std::int64_t s = 0; s < m; ++s) {
      for (std::int64_t t = 0; t < m; ++t) {
        const double* from = density.data() + ((p * m + r) * m + t) * m * m * m + (q * m + s) * m;
        to = std::copy_n(from, m, to);
      }
    }
  }
  return ordered;
}

}  // namespace

void write_states(const EigenOutcome& outcome, const HostMatrix& x,
                  const std::filesystem::path& path, const std::string& name) {
  if (begins_trexio(outcome, states_format, path, name)) {
    return add_trexio_states(outcome, x, path, name);
  }
  // k × n: a state's coefficients lie side by side, complex ones as (re, im).
  const HostMatrix states = x.transpose();
  const int components = outcome.components;
  NamedArray ci{"ci",
                {components == 2 ? "<c16" : "<f8", {states.rows(), states.cols() / components}},
                states.data(),
                static_cast<std::size_t>(states.size()) * sizeof(double)};
  if (components > 2) ci.header.shape.push_back(components);
  const auto& determinants = outcome.determinants;
  if (determinants && determinants->strings) {
    ci.header.shape = {states.rows(), determinants->strings->first, determinants->strings->second};
  }
  Arrays arrays{ci};
  add_energies(outcome, arrays);
  if (determinants) add_determinants(*determinants, true, arrays);
  add_rotation(outcome, arrays);
  std::vector<OneDensities> densities;
  std::vector<SpinorDensity> of_spinors;
  for (const StateAnalysis& state : outcome.analysis.states) {
    if (state.densities[alpha].size() > 0) densities.push_back(state.densities);
    if (state.spinor_density.size() > 0) of_spinors.push_back(state.spinor_density);
  }
  const std::size_t k = outcome.result.energies.size();
  if (!of_spinors.empty() && of_spinors.size() == k) add_spinor_densities(of_spinors, arrays);
  if (!densities.empty() && densities.size() == k) {
    arrays.push_back(one_densities("rdm1", densities, {states.rows()}));
    add_natural_orbitals(densities, arrays);
  }
  write(std::move(arrays), states_format, path, name);
}

void write_row_determinants(const EigenOutcome& outcome, const HostMatrix& x,
                            const std::filesystem::path& path, const std::string& name) {
  const FileStrings strings(*outcome.determinants);
  std::vector<double> coefficients(strings.size());
  for (std::size_t row = 0; row < strings.size(); ++row) {
    const double c = x(static_cast<Eigen::Index>(row), 0);
    coefficients[row] = strings.is_negative(row) ? -c : c;
  }
  write_determinants(path, name, file_determinants(strings), coefficients,
                     outcome.determinants->file_orbitals, outcome.rotation.value_or(HostMatrix()));
}

void write_one_densities(const EigenOutcome& outcome, const std::filesystem::path& path,
                         const std::string& name) {
  if (begins_trexio(outcome, densities_format, path, name)) {
    return add_trexio_densities(outcome, false, path, name);
  }
  Arrays arrays = densities_arrays(outcome);
  const auto k = static_cast<std::int64_t>(outcome.result.energies.size());
  arrays.push_back(outcome.spinor_densities
                       ? spinor_densities("transition_rdm1", outcome.spinor_densities->one, {k, k})
                       : one_densities("transition_rdm1", outcome.densities->one, {k, k}));
  write(std::move(arrays), densities_format, path, name);
}

void write_two_densities(const EigenOutcome& outcome, const std::filesystem::path& path,
                         const std::string& name) {
  if (begins_trexio(outcome, densities_format, path, name)) {
    return add_trexio_densities(outcome, true, path, name);
  }
  Arrays arrays = densities_arrays(outcome);
  if (outcome.spinor_densities) {
    const auto k = std::ssize(outcome.spinor_densities->two);
    const std::int64_t n = outcome.spinor_densities->one.front().rows();
    arrays.push_back(
        kept_array("rdm2", outcome.spinor_densities->two_over_all_spinors(), {k, n, n, n, n}));
    return write(std::move(arrays), densities_format, path, name);
  }
  const StateDensities& densities = *outcome.densities;
  const std::int64_t m = orbitals(densities.one.front());
  const auto k = static_cast<std::int64_t>(densities.two.size());
  const auto add = [&](const char* part, const std::function<HostMatrix(const Densities&)>& of) {
    std::vector<double> values;
    for (const Densities& state : densities.two) append(of(state), values);
    arrays.push_back(kept_array(part, std::move(values), {k, m, m, m, m}));
  };
  // Transitions are many, so they have only the sum over spins if there is one.
  const auto add_transitions = [&](const char* part,
                                   const std::function<HostMatrix(const Densities&)>& of) {
    std::vector<double> values(static_cast<std::size_t>(k * k * m * m * m * m));
    const auto put = [&](std::int64_t i, std::int64_t j, const HostMatrix& two) {
      std::copy_n(two.data(), two.size(), values.begin() + (i * k + j) * two.size());
    };
    auto transition = densities.transitions.begin();
    for (std::int64_t i = 0; i < k; ++i) {
      put(i, i, of(densities.two[static_cast<std::size_t>(i)]));
      for (std::int64_t j = i + 1; j < k; ++j) {
        const HostMatrix two = of(*transition++);
        put(i, j, two);
        put(j, i, reversed_two(two));
      }
    }
    arrays.push_back(kept_array(part, std::move(values), {k, k, m, m, m, m}));
  };
  const bool transitions = k == 1 || !densities.transitions.empty();
  if (densities.restricted) add("rdm2", spin_summed_two);
  if (!transitions) {
    // for which there was no memory
  } else if (densities.restricted) {
    add_transitions("transition_rdm2", spin_summed_two);
  } else {
    add_transitions("transition_rdm2_aa", [](const Densities& d) { return d.alpha_alpha; });
    add_transitions("transition_rdm2_ab", [](const Densities& d) { return d.alpha_beta; });
    add_transitions("transition_rdm2_bb", [](const Densities& d) { return d.beta_beta; });
  }
  add("rdm2_aa", [](const Densities& d) { return d.alpha_alpha; });
  add("rdm2_ab", [](const Densities& d) { return d.alpha_beta; });
  add("rdm2_bb", [](const Densities& d) { return d.beta_beta; });
  write(std::move(arrays), densities_format, path, name);
}

void write_three_densities(const EigenOutcome& outcome, const std::filesystem::path& path,
                           const std::string& name) {
  Arrays arrays = densities_arrays(outcome);
  const auto k = static_cast<std::int64_t>(outcome.three_particle.size());
  const std::int64_t m = orbitals(outcome.densities->one.front());
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(k * outcome.three_particle.front().size()));
  for (const HostMatrix& state : outcome.three_particle) append(by_excitation(state, m), values);
  arrays.push_back(kept_array("rdm3", std::move(values), {k, m, m, m, m, m, m}));
  write(std::move(arrays), densities_format, path, name);
}

}  // namespace cisolve
