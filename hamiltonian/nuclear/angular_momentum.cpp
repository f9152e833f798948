#include "hamiltonian/nuclear/angular_momentum.hpp"

#include <cmath>

#include "core/threads/parallel.hpp"
#include "hamiltonian/space/spaces.hpp"

namespace cisolve {

AngularMomentum::AngularMomentum(const ShellInteraction& interaction, const Integrals& integrals,
                                 ShellSector sector, const ListedSpace& space)
    : space_(space), m_(0.5 * sector.twice_m) {
  sector.twice_m += 2;
  const DeterminantList raised = shell_determinants(interaction, sector);
  if (raised.size() == 0) return;
  above_ = make_listed_space(integrals, raised.alpha, raised.beta);
  of_protons_ = origins(interaction, alpha);
  of_neutrons_ = origins(interaction, beta);
}

std::vector<AngularMomentum::Origins> AngularMomentum::origins(const ShellInteraction& interaction,
                                                               Spin kind) const {
  const auto states = shell_states(interaction, static_cast<Nucleon>(kind));
  const StringSpace& from = kind == alpha ? space_.alpha : space_.beta;
  const StringSpace& to = kind == alpha ? above_->alpha() : above_->beta();
  std::vector<Origins> all;
  for (const OrbitalString& s : to.strings) {
    Origins& of = all.emplace_back(Origins{from.find(s), {}});
    for (const int p : s) {  // state p − 1 of the same orbit has m, without a sign between
      const bool has_lower = p > 0 && states[p - 1].orbit == states[p].orbit && !s.has(p - 1);
      if (!has_lower) continue;
      const Index string = from.find(s.without(p).with(p - 1));
      const double j = 0.5 * interaction.orbits[states[p].orbit].twice_j;
      const double m = 0.5 * states[p - 1].twice_m;
      if (string >= 0) of.lowered.push_back({string, std::sqrt(j * (j + 1.0) - m * (m + 1.0))});
    }
  }
  return all;
}

double AngularMomentum::raised(const HostVector& x, const Origins& protons,
                               const Origins& neutrons) const {
  double sum = 0.0;
  const auto add = [&](Index a, Index b, double factor) {
    const std::int64_t row = space_.determinants_of(a).find(b);
    if (row >= 0) sum += factor * x[row];
  };
  if (neutrons.same >= 0) {
    for (const auto& [a, factor] : protons.lowered) add(a, neutrons.same, factor);
  }
  if (protons.same >= 0) {
    for (const auto& [b, factor] : neutrons.lowered) add(protons.same, b, factor);
  }
  return sum;
}

double AngularMomentum::j_squared(const HostVector& x) const {
  double norm = 0.0;
  if (above_) {
    const ListedSpace& above = *above_->of_list();
#pragma omp parallel for if (worth_threads(x.size())) schedule(dynamic) reduction(+ : norm)
    for (Index a = 0; a < above.alpha.size(); ++a) {
      for (const auto& member : above.determinants_of(a)) {
        const double sum = raised(x, of_protons_[a], of_neutrons_[member.beta]);
        norm += sum * sum;
      }
    }
  }
  return norm + m_ * (m_ + 1.0);
}

}  // namespace cisolve
