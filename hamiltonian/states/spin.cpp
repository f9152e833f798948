#include "hamiltonian/states/spin.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/dense/host_matrix.hpp"
#include "core/threads/parallel.hpp"
#include "hamiltonian/space/listed/listed_space.hpp"
#include "hamiltonian/space/slater_condon.hpp"

namespace cisolve {
namespace {

/// y -= what comes to the rows of alpha string a where an alpha and a beta electron change places
/// between orbitals p and q: p → q in one string with q → p in the other.
void add_exchange(const CiSpace& space, Index a, int p, int q,
                  std::span<const StringExcitation> of_beta, const double* x, double* y) {
  const OrbitalString& own = space.alpha.strings[a];
  const bool has_p = own.has(p);
  if (has_p == own.has(q)) return;
  const Index other = space.alpha.find(own ^ OrbitalString::of(p, q));
  if (other < 0) return;
  const int sign_of_alpha = excitation_sign(own, has_p ? q : p, has_p ? p : q);
  const auto here = space.determinants_of(a), there = space.determinants_of(other);
  const auto add = [&](const auto& from, const auto& to, auto use) {
    from.select(of_beta, &StringExcitation::from, [&](const StringExcitation& e, std::int64_t row) {
      if (const std::int64_t target = to.find(e.to); target >= 0) use(e.sign, row, target);
    });
  };
  if (has_p) {
    add(there, here, [&](int sign, std::int64_t from, std::int64_t to) {
      y[to] -= sign_of_alpha * sign * x[from];
    });
  } else {
    add(here, there, [&](int sign, std::int64_t from, std::int64_t to) {
      y[from] -= sign_of_alpha * sign * x[to];
    });
  }
}

/// The strings that an alpha string of a list becomes, looked up once each.
class AlphaExchanges {
 public:
  explicit AlphaExchanges(const ListedSpace& space)
      : space_(space), targets_(space.alpha.orbitals * space.alpha.orbitals, unknown) {
    known_.reserve(targets_.size());
  }

  /// Starts with another string's targets.
  void begin(const OrbitalString& own) {
    for (const int place : known_) targets_[place] = unknown;
    known_.clear();
    own_ = own;
  }

  /// Number of the string with q in the place of p; −1: it is none of the list's.
  Index target(int p, int q) {
    const int place = p * space_.alpha.orbitals + q;
    if (targets_[place] == unknown) {
      targets_[place] = space_.alpha.find(own_.without(p).with(q));
      known_.push_back(place);
    }
    return targets_[place];
  }

 private:
  static constexpr Index unknown = -2;
  const ListedSpace& space_;
  OrbitalString own_;
  std::vector<Index> targets_;
  std::vector<int> known_;
};

/// The rows of alpha string a of S² x.
void add_row_images(const ListedSpace& space, Index a, double ms, AlphaExchanges& exchanges,
                    const HostVector& x, HostVector& y) {
  const OrbitalString& of_alpha = space.alpha.strings[a];
  exchanges.begin(of_alpha);
  for (const auto& [b, row] : space.determinants_of(a)) {
    const OrbitalString& of_beta = space.beta.strings[b];
    const OrbitalString alphas = of_alpha & ~of_beta, betas = of_beta & ~of_alpha;
    y[row] = (ms * (ms + 1) + betas.count()) * x[row];
    for (const int p : alphas) {
      for (const int q : betas) {
        const Index to_alpha = exchanges.target(p, q);
        if (to_alpha < 0) continue;
        const Index to_beta = space.beta.find(of_beta.without(q).with(p));
        const std::int64_t to = to_beta < 0 ? -1 : space.determinants_of(to_alpha).find(to_beta);
        if (to < 0) continue;
        y[row] -= excitation_sign(of_alpha, q, p) * excitation_sign(of_beta, p, q) * x[to];
      }
    }
  }
}

}  // namespace

HostVector apply_s_squared(const CiSpace& space, const SpinPairExcitations& excitations,
                           const HostVector& x) {
  const double ms = 0.5 * (space.alpha.electrons - space.beta.electrons);
  HostVector y(x.size());
  const int n = space.alpha.orbitals;
  // The rows of an alpha string are one thread's, in one loop: threads do not wait for one another.
#pragma omp parallel for if (worth_threads(0.1 * n * n * x.size())) schedule(dynamic, 4)
  for (Index a = 0; a < space.alpha.size(); ++a) {
    for (const auto& [b, row] : space.determinants_of(a)) {
      const int beta_only = (space.beta.strings[b] & ~space.alpha.strings[a]).count();
      y[row] = (ms * (ms + 1) + beta_only) * x[row];
    }
    for (int q = 0; q < n; ++q) {
      for (int p = 0; p < q; ++p) {
        add_exchange(space, a, p, q, excitations[beta]->of(p, q), x.data(), y.data());
      }
    }
  }
  return y;
}

HostVector apply_s_squared(const ListedSpace& space, const HostVector& x) {
  const double ms = 0.5 * (space.alpha.electrons - space.beta.electrons);
  HostVector y(x.size());
  std::vector<AlphaExchanges> of_threads(omp_get_max_threads(), AlphaExchanges(space));
#pragma omp parallel for if (worth_threads(100.0 * x.size())) schedule(dynamic, 4)
  for (Index a = 0; a < space.alpha.size(); ++a) {
    add_row_images(space, a, ms, of_threads[omp_get_thread_num()], x, y);
  }
  return y;
}

std::optional<int> multiplicity(double s_squared, int ms2) {
  constexpr double tolerance = 1e-3;
  if (!(s_squared > -tolerance)) return std::nullopt;  // NaN too
  const double twice_s = std::sqrt(1.0 + 4.0 * std::max(s_squared, 0.0)) - 1.0;
  const auto nearest = static_cast<int>(std::lround(twice_s));
  const double s = 0.5 * nearest;
  const bool possible = nearest >= std::abs(ms2) && (nearest - ms2) % 2 == 0;
  if (!possible || std::abs(s_squared - s * (s + 1)) > tolerance) return std::nullopt;
  return nearest + 1;
}

}  // namespace cisolve
