#include "hamiltonian/select/correction.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "core/dense/host_matrix.hpp"
#include "core/random.hpp"
#include "core/threads/parallel.hpp"
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

/// A target: its weight, the number from 0 to 1 that decides when it is taken, and where it is.
struct Target {
  double weight, drawn;
  std::uint64_t part;
  std::int64_t number;  ///< there
  bool taken = false;
};

struct Estimate {
  double energy, deviation;
  double sampled;  ///< targets taken that might not have been
  bool whole;      ///< there are none that might not be taken
};

/// The targets of a list in parts that have room, one of which is there at a time.
class PartedTargets {
 public:
  PartedTargets(const Expansion& expansion, std::size_t bytes)
      : expansion_(expansion),
        parts_(1 + static_cast<std::uint64_t>(bytes_a_link *
                                              TargetStrings::most_links(expansion.space.alpha) /
                                              static_cast<double>(bytes))) {}

  std::uint64_t parts() const { return parts_; }
  /// The strings of a part; valid until the next call.
  const TargetStrings& part(std::uint64_t number) {
    if (!strings_ || number != number_) {
      strings_.reset();
      strings_.emplace(expansion_.integrals, expansion_.space.alpha, TargetPart{number, parts_});
      number_ = number;
    }
    return *strings_;
  }

 private:
  static constexpr double bytes_a_link = 64.0;

  const Expansion& expansion_;
  std::uint64_t parts_, number_ = 0;
  std::optional<TargetStrings> strings_;
};

/// The targets that are taken, more and more of them, and what they say of the sum.
class SampledTargets {
 public:
  SampledTargets(const Expansion& expansion, const CorrectionOptions& options,
                 const Workplace& place)
      : options_(options),
        states_(expansion.states()),
        strings_(expansion, place.host_bytes / 2),
        sums_(make_external_sums(expansion,
                                 {place.backend, place.host_bytes / 2, place.device_bytes})) {
    const Weights weigh(expansion);
    for (std::uint64_t part = 0; part < strings_.parts(); ++part) {
      const TargetStrings& links = strings_.part(part);
      const std::size_t before = targets_.size();
      targets_.resize(before + static_cast<std::size_t>(links.size()));
      for_each_index(links.size(), worth_threads(100.0 * static_cast<double>(links.size())),
                     [&](std::int64_t i) {
                       const auto stream =
                           static_cast<std::uint64_t>(std::hash<OrbitalString>()(links.target(i)));
                       targets_[before + static_cast<std::size_t>(i)] = {
                           weigh(links.links(i)), Random(options.seed, stream).uniform(), part, i};
                     });
    }
    for (const Target& target : targets_) weights_ += target.weight;
    e_ = HostMatrix::Zero(std::ssize(targets_), states_);
    coefficients_.assign(static_cast<std::size_t>(states_), 0.0);
  }

  std::int64_t size() const { return std::ssize(targets_); }
  std::int64_t taken() const { return taken_; }
  const std::vector<double>& coefficients() const { return coefficients_; }
  /// The number expected to be taken with which every one is.
  double all() const {
    double lightest = weights_;
    for (const Target& t : targets_) {
      if (t.weight > 0.0) lightest = std::min(lightest, t.weight);
    }
    return lightest > 0.0 ? 2.0 * weights_ / lightest : 1.0;
  }

  /// Takes more, until so many are expected to be; false: cancelled.
  bool take(double expected) {
    expected_ = expected;
    std::vector<std::vector<std::size_t>> next(strings_.parts());
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      Target& target = targets_[i];
      if (target.taken || target.drawn >= probability(target)) continue;
      target.taken = true;
      next[target.part].push_back(i);
    }
    for (std::uint64_t part = 0; part < strings_.parts(); ++part) {
      if (!next[part].empty() && !sum(part, next[part])) return false;
    }
    return true;
  }

  /// Estimate of one state, as second_order_correction describes it.
  Estimate estimate(int j) const {
    double certain = 0.0, left = 0.0, e_taken = 0.0, w_taken = 0.0, sampled = 0.0;
    bool whole = true;
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      const double p = probability(targets_[i]), w = targets_[i].weight;
      if (p >= 1.0) {
        certain += e_(i, j);
        continue;
      }
      whole = false;
      left += w;
      if (!targets_[i].taken) continue;
      e_taken += e_(i, j) / p;
      w_taken += w / p;
      ++sampled;
    }
    const double r = w_taken > 0.0 ? e_taken / w_taken : 0.0;
    double rest = 0.0, variance = 0.0;
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      const double p = probability(targets_[i]);
      if (p >= 1.0 || !targets_[i].taken) continue;
      const double beside = e_(i, j) - r * targets_[i].weight;
      rest += beside / p;
      variance += (1.0 - p) * std::pow(beside / p, 2);
    }
    if (sampled > 1.0) variance *= sampled / (sampled - 1.0);
    return {certain + r * left + rest, std::sqrt(variance), sampled, whole};
  }

 private:
  /// Probability that a target is taken. It is 1 for a weight of zero, which says nothing of e.
  double probability(const Target& target) const {
    return target.weight > 0.0 ? std::min(1.0, expected_ * target.weight / weights_) : 1.0;
  }

  /// e of some targets of a part, the heaviest first.
  bool sum(std::uint64_t part, std::vector<std::size_t>& next) {
    constexpr std::size_t portion = 4096;  // between two questions whether to go on
    std::ranges::stable_sort(next, std::greater(), [&](auto i) { return targets_[i].weight; });
    for (std::size_t first = 0; first < next.size(); first += portion) {
      if (options_.goes_on && !options_.goes_on()) return false;
      const auto some = std::span(next).subspan(first, std::min(portion, next.size() - first));
      std::vector<std::int64_t> numbers;
      for (const std::size_t i : some) numbers.push_back(targets_[i].number);
      const HostMatrix found = sums_->sums(strings_.part(part), numbers);
      for (std::size_t i = 0; i < some.size(); ++i) e_.row(some[i]) = found.row(i).head(states_);
      for (int j = 0; j < states_; ++j) {
        coefficients_[j] = std::max(coefficients_[j], found.col(states_ + j).maxCoeff());
      }
    }
    taken_ += std::ssize(next);
    return true;
  }

  const CorrectionOptions& options_;
  int states_;
  PartedTargets strings_;
  std::unique_ptr<ExternalSums> sums_;
  std::vector<Target> targets_;
  double weights_ = 0.0;  ///< of all targets
  HostMatrix e_;          ///< targets × states, of those taken
  std::vector<double> coefficients_;
  double expected_ = 0.0;
  std::int64_t taken_ = 0;
};

}  // namespace

Correction second_order_correction(const Expansion& expansion, const CorrectionOptions& options,
                                   const Workplace& place) {
  constexpr double first = 500.0, fewest_sampled = 200.0;
  SampledTargets targets(expansion, options, place);
  Correction made;
  made.targets = targets.size();
  const double all = targets.all();
  double expected = options.target > 0.0 ? std::min(first, all) : all;
  while (true) {
    if (!targets.take(expected)) {
      made.cancelled = true;
      return made;
    }
    made.energies.clear();
    made.deviations.clear();
    bool enough = true;  // for a deviation that means something
    for (int j = 0; j < expansion.states(); ++j) {
      const Estimate of_state = targets.estimate(j);
      enough = enough && (of_state.sampled >= fewest_sampled || of_state.whole);
      made.energies.push_back(of_state.energy);
      made.deviations.push_back(of_state.deviation);
    }
    made.coefficients = targets.coefficients();
    made.summed = targets.taken();
    const double largest = std::ranges::max(made.deviations);
    if ((enough && largest <= options.target) || expected >= all) return made;
    const double needed = std::pow(largest / options.target, 2);
    expected = std::min(all, expected * std::clamp(1.1 * needed, 1.5, 8.0));
  }
}

}  // namespace cisolve
