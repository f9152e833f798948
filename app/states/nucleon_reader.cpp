#include "app/states/nucleon_reader.hpp"

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "backends/ranks/whole_vectors.hpp"
#include "core/memory.hpp"
#include "hamiltonian/nuclear/angular_momentum.hpp"
#include "hamiltonian/states/spin.hpp"

namespace cisolve {
namespace {

class NucleonReader final : public StateReader {
 public:
  NucleonReader(Backend& backend, const ShellInteraction& interaction,
                const Determinants& determinants, const ShellSector& sector, const RowOrder* order)
      : backend_(backend),
        interaction_(interaction),
        space_(*determinants.space().of_list()),
        parity_(sector.parity),
        twice_m_(sector.twice_m),
        order_(order) {
    require_host_memory(2.0 * static_cast<double>(space_.size()) * sizeof(double),
                        "vectors of nucleons");
    momentum_.emplace(interaction, determinants.active_integrals(), sector, space_);
  }

  void apply_s_squared(ConstView, View) override {
    throw std::logic_error("a state of nucleons has no spin of electrons");
  }
  bool read(ConstView x) override {
    x_ = from_rows(order_, download_whole(backend_, x)).col(0);
    return x_.allFinite();
  }
  Composition composition(int count) override {
    Composition made{leading_rows(x_, count), {}, {}, {}};
    NucleonState& state = made.nucleons.emplace();
    state.j_squared = momentum_->j_squared(x_);
    if (const auto levels = multiplicity(state.j_squared, twice_m_)) state.twice_j = *levels - 1;
    state.parity = parity_;
    state.orbit_occupations = named_occupations();
    return made;
  }
  OneDensities densities() override {
    throw std::logic_error("a state of nucleons has no densities of electrons");
  }

 private:
  std::vector<std::pair<std::string, double>> named_occupations() const {
    const std::vector<double> numbers = occupations();
    std::vector<std::pair<std::string, double>> named;
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      const ShellOrbit& orbit = interaction_.orbits[k];
      named.emplace_back((orbit.kind == proton ? "p " : "n ") + orbit_name(orbit), numbers[k]);
    }
    return named;
  }
  /// Σ_i x_i² n_k(i) of every orbit k.
  std::vector<double> occupations() const {
    std::vector<double> of_orbits(interaction_.orbits.size(), 0.0);
    std::vector<double> of_alpha(space_.alpha.strings.size(), 0.0);
    std::vector<double> of_beta(space_.beta.strings.size(), 0.0);
    for (Index a = 0; a < space_.alpha.size(); ++a) {
      for (const auto& [b, row] : space_.determinants_of(a)) {
        of_alpha[a] += x_[row] * x_[row];
        of_beta[b] += x_[row] * x_[row];
      }
    }
    add(of_alpha, space_.alpha, proton, of_orbits);
    add(of_beta, space_.beta, neutron, of_orbits);
    return of_orbits;
  }
  void add(const std::vector<double>& weights, const StringSpace& strings, Nucleon kind,
           std::vector<double>& of_orbits) const {
    const auto states = shell_states(interaction_, kind);
    for (std::size_t s = 0; s < weights.size(); ++s) {
      for (const int p : strings.strings[s]) of_orbits[states[p].orbit] += weights[s];
    }
  }

  Backend& backend_;
  const ShellInteraction& interaction_;
  const ListedSpace& space_;
  int parity_, twice_m_;
  const RowOrder* order_;
  std::optional<AngularMomentum> momentum_;
  HostVector x_;
};

}  // namespace

std::unique_ptr<StateReader> make_nucleon_reader(Backend& backend,
                                                 const ShellInteraction& interaction,
                                                 const Determinants& determinants,
                                                 const ShellSector& sector, const RowOrder* order) {
  return std::make_unique<NucleonReader>(backend, interaction, determinants, sector, order);
}

}  // namespace cisolve
