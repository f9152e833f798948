#include "app/run/states_file.hpp"

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/dense.hpp"
#include "io/npz_archive.hpp"

namespace cisolve {
namespace {

NpzArray scalar(const char* name, const std::int64_t& value) {
  return {name, {"<i8", {}}, &value, sizeof value};
}

NpzArray scalar(const char* name, const double& value) {
  return {name, {"<f8", {}}, &value, sizeof value};
}

/// Of every state, one behind the other.
struct OneParticle {
  std::vector<double> densities;    ///< states × 2 spins × orbitals × orbitals
  std::vector<double> occupations;  ///< states × orbitals, descending
  std::vector<double> orbitals;  ///< states × orbitals × natural orbitals: columns, as occupations
};

/// Empty where the analysis did not come to densities.
OneParticle one_particle(const EigenAnalysis& analysis) {
  OneParticle all;
  for (const StateAnalysis& state : analysis.states) {
    if (state.natural_occupations.empty()) return {};
    for (const HostMatrix& density : state.densities) {
      all.densities.insert(all.densities.end(), density.data(), density.data() + density.size());
    }
    const SymmetricEigen natural = symmetric_eigen(spin_summed(state.densities));
    const HostMatrix descending = natural.vectors.rowwise().reverse();
    const HostVector occupations = natural.values.reverse();
    all.occupations.insert(all.occupations.end(), occupations.begin(), occupations.end());
    all.orbitals.insert(all.orbitals.end(), descending.data(),
                        descending.data() + descending.size());
  }
  return all;
}

NpzArray shaped(const char* name, std::vector<std::int64_t> shape,
                const std::vector<double>& values) {
  NpzArray array = npz_array(name, "<f8", values);
  array.header.shape = std::move(shape);
  return array;
}

}  // namespace

void write_states(const EigenOutcome& outcome, const HostMatrix& x,
                  const std::filesystem::path& path, const std::string& name) {
  const EigenResult& result = outcome.result;
  const HostMatrix states = x.transpose();  // k × n: a state's coefficients lie side by side
  NpzArray ci{"ci",
              {"<f8", {states.rows(), states.cols()}},
              states.data(),
              static_cast<std::size_t>(states.size()) * sizeof(double)};
  std::vector<NpzArray> arrays;
  // Places of numbers that the archive reads when it is written.
  std::array<std::int64_t, 2> electrons{};
  std::int64_t orbitals = 0, irrep = 0;
  const auto& determinants = outcome.determinants;
  if (determinants && determinants->strings) {
    ci.header.shape = {states.rows(), determinants->strings->first, determinants->strings->second};
  }
  arrays.push_back(ci);
  arrays.push_back(npz_array("energies", "<f8", result.energies));
  arrays.push_back(npz_array("residual_norms", "<f8", result.residual_norms));
  const std::string status = to_string(result.status);
  arrays.push_back(npz_text("status", status));
  if (determinants) {
    electrons = {determinants->alpha_electrons, determinants->beta_electrons};
    orbitals = determinants->orbitals;
    arrays.push_back(npz_array("alpha", "<u8", determinants->alpha));
    arrays.push_back(npz_array("beta", "<u8", determinants->beta));
    arrays.push_back(scalar("norb", orbitals));
    arrays.push_back(npz_array("nelec", "<i8", electrons));
    arrays.push_back(npz_array("frozen", "<i8", determinants->frozen));
    arrays.push_back(npz_array("active", "<i8", determinants->active));
    arrays.push_back(scalar("ecore", determinants->core_energy));
    if (determinants->irrep) {
      irrep = *determinants->irrep;
      arrays.push_back(scalar("irrep", irrep));
    }
  }
  const OneParticle one = one_particle(outcome.analysis);
  if (!one.occupations.empty()) {
    const auto k = static_cast<std::int64_t>(outcome.analysis.states.size());
    const std::int64_t m = static_cast<std::int64_t>(one.occupations.size()) / k;
    arrays.push_back(shaped("rdm1", {k, 2, m, m}, one.densities));
    arrays.push_back(shaped("natural_occupations", {k, m}, one.occupations));
    arrays.push_back(shaped("natural_orbitals", {k, m, m}, one.orbitals));
  }
  const std::string version = CISOLVE_VERSION;
  arrays.push_back(npz_text("version", version));
  write_npz_arrays(arrays, path, name);
}

}  // namespace cisolve
