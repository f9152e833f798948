#include "hamiltonian/select/correction.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "core/host_matrix.hpp"
#include "core/parallel.hpp"
#include "core/random.hpp"
#include "hamiltonian/select/external_sums.hpp"
#include "hamiltonian/select/target_strings.hpp"
#include "hamiltonian/space/slater_condon.hpp"

namespace cisolve {
namespace {

/// Σ over the ways to a target of H² c², the beta strings' part of H by its mean square.
class Weights {
 public:
  explicit Weights(const Expansion& expansion)
      : of_alpha_{*expansion.integrals.one_electron[alpha], *expansion.integrals.alpha_alpha},
        by_source_(static_cast<std::size_t>(expansion.space.alpha.size())) {
    const auto& [integrals, space, c, energies] = expansion;
    for (Index a = 0; a < space.alpha.size(); ++a) {
      for (const auto& [b, row] : space.determinants_of(a)) {
        by_source_[a] += c.row(row).squaredNorm();
      }
    }
    const int m = integrals.orbitals;
    const double n = space.beta.electrons, u = m - n;
    // A way's part of Σ_{qs} (pr|qs)² that a beta string allows.
    const auto mean = [&](const TwoElectron& g, int pr) {
      double sum = 0.0;
      for (int q = 0; q < m; ++q) {
        for (int s = 0; s < q; ++s) sum += std::pow(g.row(pr)[pair_index(q, s)], 2);
      }
      return m < 2 ? 0.0 : sum * n * u / (0.5 * m * (m - 1));
    };
    const TwoElectron& mixed = *integrals.alpha_beta;
    by_pair_.resize(static_cast<std::size_t>(mixed.pairs()));
    for (int p = 0; p < m; ++p) {
      for (int r = 0; r <= p; ++r) {
        const int pr = pair_index(p, r);
        by_pair_[pr] = mean(mixed, pr);
        if (p != r) same_ += mean(*integrals.beta_beta, pr);
      }
    }
    same_ *= m < 2 ? 0.0 : 0.5 * std::max(0.0, n - 1.0) * (u - 1.0) / (0.5 * m * (m - 1));
  }

  double operator()(std::span<const TargetLink> links) const {
    double sum = 0.0;
    for (const TargetLink& link : links) {
      double h2 = same_;
      if (link.electrons == 1) h2 = by_pair_[pair_index(link.from[0], link.to[0])];
      if (link.electrons == 2) {
        h2 = std::pow(double_value(of_alpha_, link.to[0], link.to[1], link.from[0], link.from[1]),
                      2);
      }
      sum += h2 * by_source_[link.source];
    }
    return sum;
  }

 private:
  SpinIntegrals of_alpha_;
  std::vector<double> by_source_;  ///< Σ c² of each alpha string of the list
  std::vector<double> by_pair_;    ///< of a single excitation p → r
  double same_ = 0.0;              ///< where the alpha string stays
};

/// A target: its weight, the number from 0 to 1 that decides when it is taken, and e, once it is.
struct Target {
  double weight, drawn;
  bool taken = false;
};

struct Estimate {
  double energy, deviation;
  double sampled;  ///< targets taken that might not have been
  bool whole;      ///< there are none that might not be taken
};

/// As second_order_correction has it, of one state.
Estimate estimate(std::span<const Target> targets, std::span<const double> probabilities,
                  const HostMatrix& e, int j) {
  double certain = 0.0, left = 0.0, e_taken = 0.0, w_taken = 0.0, taken = 0.0;
  bool whole = true;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const double p = probabilities[i];
    if (p >= 1.0) {
      certain += e(i, j);
      continue;
    }
    whole = false;
    left += targets[i].weight;
    if (!targets[i].taken) continue;
    e_taken += e(i, j) / p;
    w_taken += targets[i].weight / p;
    ++taken;
  }
  const double r = w_taken > 0.0 ? e_taken / w_taken : 0.0;
  double rest = 0.0, variance = 0.0;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const double p = probabilities[i];
    if (p >= 1.0 || !targets[i].taken) continue;
    const double beside = e(i, j) - r * targets[i].weight;
    rest += beside / p;
    variance += (1.0 - p) * std::pow(beside / p, 2);
  }
  if (taken > 1.0) variance *= taken / (taken - 1.0);
  return {certain + r * left + rest, std::sqrt(variance), taken, whole};
}

/// Those of a number expected to be taken, with which every one is.
std::vector<double> probabilities_of(std::span<const Target> targets, double expected,
                                     double weights) {
  std::vector<double> made(targets.size());
  for (std::size_t i = 0; i < made.size(); ++i) {
    // A weight of zero says nothing of e.
    const double w = targets[i].weight;
    made[i] = w > 0.0 ? std::min(1.0, expected * w / weights) : 1.0;
  }
  return made;
}

}  // namespace

Correction second_order_correction(const Expansion& expansion, const CorrectionOptions& options) {
  constexpr std::int64_t portion = 4096;  // targets between two questions whether to go on
  constexpr double fewest_sampled = 200.0;
  const int k = expansion.states();
  const auto sums = make_external_sums_cpu(expansion, options.bytes / 2);
  const TargetStrings links(expansion.integrals, expansion.space.alpha, {});
  const Weights weigh(expansion);

  std::vector<Target> targets(static_cast<std::size_t>(links.size()));
  for (std::int64_t i = 0; i < links.size(); ++i) {
    const auto stream = static_cast<std::uint64_t>(std::hash<OrbitalString>()(links.target(i)));
    targets[i] = {weigh(links.links(i)), Random(options.seed, stream).uniform()};
  }
  const double weights = std::accumulate(targets.begin(), targets.end(), 0.0,
                                         [](double w, const Target& t) { return w + t.weight; });
  double lightest = weights;
  for (const Target& t : targets) {
    if (t.weight > 0.0) lightest = std::min(lightest, t.weight);
  }

  Correction made;
  made.energies.assign(k, 0.0);
  made.deviations.assign(k, 0.0);
  made.coefficients.assign(k, 0.0);
  made.targets = links.size();
  HostMatrix e = HostMatrix::Zero(links.size(), k);
  const double all = 2.0 * weights / lightest;
  double expected = options.target > 0.0 ? 500.0 : all;
  while (true) {
    const std::vector<double> p = probabilities_of(targets, expected, weights);
    std::vector<std::int64_t> next;
    for (std::size_t i = 0; i < targets.size(); ++i) {
      if (targets[i].taken || targets[i].drawn >= p[i]) continue;
      targets[i].taken = true;
      next.push_back(static_cast<std::int64_t>(i));
    }
    std::ranges::stable_sort(next, std::greater(), [&](auto i) { return targets[i].weight; });
    for (std::int64_t first = 0; first < std::ssize(next); first += portion) {
      if (options.goes_on && !options.goes_on()) {
        made.cancelled = true;
        return made;
      }
      const auto some =
          std::span(next).subspan(first, std::min<std::size_t>(portion, next.size() - first));
      const HostMatrix of_some = sums->sums(links, some);
      for (std::size_t i = 0; i < some.size(); ++i) e.row(some[i]) = of_some.row(i).head(k);
      for (int j = 0; j < k; ++j) {
        made.coefficients[j] = std::max(made.coefficients[j], of_some.col(k + j).maxCoeff());
      }
    }
    made.summed += std::ssize(next);
    double largest = 0.0;
    bool enough = true;  // for a deviation that means something
    for (int j = 0; j < k; ++j) {
      const Estimate of_state = estimate(targets, p, e, j);
      enough = enough && (of_state.sampled >= fewest_sampled || of_state.whole);
      made.energies[j] = of_state.energy;
      made.deviations[j] = of_state.deviation;
      largest = std::max(largest, of_state.deviation);
    }
    if ((enough && largest <= options.target) || expected >= all) return made;
    const double needed = std::pow(largest / options.target, 2);
    expected = std::min(all, expected * std::clamp(1.1 * needed, 1.5, 8.0));
  }
}

}  // namespace cisolve
