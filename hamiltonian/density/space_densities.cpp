#include "hamiltonian/density/space_densities.hpp"

#include <algorithm>
#include <tuple>
#include <vector>

#include "core/threads/parallel.hpp"
#include "hamiltonian/density/pair_removals.hpp"

namespace cisolve {
namespace {

/// Σ_b x_ib y_jb over the beta strings that go with both alpha strings.
double dot(const CiSpace& space, Index i, const HostVector& x, Index j, const HostVector& y) {
  double sum = 0.0;
  for_each_common(space.determinants_of(i), space.determinants_of(j),
                  [&](std::int64_t of_x, std::int64_t of_y, Index n) {
                    sum += x.segment(of_x, n).dot(y.segment(of_y, n));
                  });
  return sum;
}

/// a†_q a_p, p ≤ q, of every string of a space that leads to another, or to itself.
std::vector<StringExcitation> excitations_of(const StringSpace& strings,
                                             const PairExcitations& excitations, int p, int q) {
  if (p != q) return {excitations.of(p, q).begin(), excitations.of(p, q).end()};
  std::vector<StringExcitation> list;
  for (Index s = 0; s < strings.size(); ++s) {
    if (strings.strings[s].has(p)) list.push_back({s, s, 1});
  }
  return list;
}

/// ⟨x| a†_q a_p |y⟩ of alpha electrons.
double alpha_element(const CiSpace& space, const std::vector<StringExcitation>& list,
                     const HostVector& x, const HostVector& y) {
  double sum = 0;
  for (const StringExcitation& e : list) sum += e.sign * dot(space, e.to, x, e.from, y);
  return sum;
}

/// ⟨x| a†_q a_p |y⟩ of beta electrons, alpha string by alpha string.
double beta_element(const CiSpace& space, const std::vector<StringExcitation>& list,
                    const HostVector& x, const HostVector& y) {
  double sum = 0;
  for (Index a = 0; a < space.alpha.size(); ++a) {
    const auto all = space.determinants_of(a);
    all.select(list, &StringExcitation::from, [&](const StringExcitation& e, std::int64_t from) {
      if (const std::int64_t to = all.find(e.to); to >= 0) sum += e.sign * x[to] * y[from];
    });
  }
  return sum;
}

/// All single excitations a†_r a_s of each string, r = s too.
class StringLinks {
 public:
  struct Link {
    Index to;
    std::int32_t pair;  ///< r m + s
    double sign;
  };
  StringLinks(const StringSpace& strings, const PairExcitations& excitations)
      : of_(strings.size()) {
    const int m = strings.orbitals;
    for (int p = 0; p < m; ++p) {
      for (int q = p; q < m; ++q) {
        for (const auto& [from, to, sign] : excitations_of(strings, excitations, p, q)) {
          of_[from].push_back({to, q * m + p, double(sign)});
          if (p != q) of_[to].push_back({from, p * m + q, double(sign)});
        }
      }
    }
  }
  const std::vector<Link>& of(Index string) const { return of_[string]; }

 private:
  std::vector<std::vector<Link>> of_;
};

/// row_rs := ⟨bra| E^α E^β_rs |ket⟩, E^α given by its excitations.
void fill_mixed(const CiSpace& space, const std::vector<StringExcitation>& list,
                const StringLinks& beta_links, const HostVector& bra, const HostVector& ket,
                Eigen::RowVectorXd& row) {
  row.setZero();
  for (const StringExcitation& e : list) {
    const auto to = space.determinants_of(e.to);
    for (const auto& [b, from] : space.determinants_of(e.from)) {
      const double value = e.sign * ket[from];
      for (const StringLinks::Link& link : beta_links.of(b)) {
        const std::int64_t target = to.find(link.to);
        if (target >= 0) row[link.pair] += link.sign * value * bra[target];
      }
    }
  }
}

HostMatrix mixed(const CiSpace& space, const SpinPairExcitations& excitations,
                 const HostVector& bra, const HostVector& ket) {
  const int m = space.alpha.orbitals;
  const StringLinks beta_links(space.beta, *excitations[beta]);
  HostMatrix two(m * m, m * m);
  FirstException exception;
#pragma omp parallel for if (worth_threads(100.0 * ket.size())) collapse(2) schedule(dynamic)
  for (int q = 0; q < m; ++q) {
    for (int p = 0; p < m; ++p) {
      if (p > q) continue;
      exception.guard([&] {
        Eigen::RowVectorXd row(m * m);
        const auto list = excitations_of(space.alpha, *excitations[alpha], p, q);
        fill_mixed(space, list, beta_links, bra, ket, row);
        two.row(q * m + p) = row;
        if (p == q) return;
        // ⟨bra|A|ket⟩ is that of the adjoint between ket and bra.
        if (&bra != &ket) fill_mixed(space, list, beta_links, ket, bra, row);
        for (int r = 0; r < m; ++r) {
          for (int s = 0; s < m; ++s) two(p * m + q, s * m + r) = row[r * m + s];
        }
      });
    }
  }
  exception.rethrow();
  return two;
}

/// G(pr, qs) = ⟨a_p a_r bra|a_q a_s ket⟩ of all pairs, pair by pair in parallel. add(i, last, g)
/// adds to row g of pair i the contributions of pairs up to `last`, which is i for a symmetric G.
template <class Add>
HostMatrix pair_gram(const PairRemovals& removals, bool symmetric, double work, Add add) {
  const auto n = static_cast<Eigen::Index>(removals.pairs().size());
  HostMatrix g = HostMatrix::Zero(n, n);
#pragma omp parallel for if (worth_threads(work)) schedule(dynamic)
  for (Eigen::Index i = n - 1; i >= 0; --i) {
    add(static_cast<int>(i), static_cast<int>(symmetric ? i : n - 1), g.row(i));
    if (symmetric) g.col(i).head(i) = g.row(i).head(i).transpose();
  }
  return g;
}

HostMatrix alpha_gram(const CiSpace& space, const PairRemovals& removals, const HostVector& bra,
                      const HostVector& ket) {
  return pair_gram(removals, &bra == &ket, 100.0 * ket.size(), [&](int i, int last, auto g) {
    for (const auto& [fewer, string, sign] : removals.of_pair(i)) {
      for (const auto& other : removals.to(fewer)) {
        if (other.pair > last) break;
        g[other.pair] += sign * other.sign * dot(space, string, bra, other.string, ket);
      }
    }
  });
}

HostMatrix beta_gram(const CiSpace& space, const PairRemovals& removals, const HostVector& bra,
                     const HostVector& ket) {
  return pair_gram(removals, &bra == &ket, 100.0 * ket.size(), [&](int i, int last, auto g) {
    const auto list = removals.of_pair(i);
    for (Index a = 0; a < space.alpha.size(); ++a) {
      const auto all = space.determinants_of(a);
      all.select(list, &PairRemovals::Removal::string,
                 [&](const PairRemovals::Removal& e, std::int64_t row) {
                   const double value = e.sign * bra[row];
                   for (const auto& other : removals.to(e.fewer)) {
                     if (other.pair > last) break;
                     const std::int64_t from = all.find(other.string);
                     if (from >= 0) g[other.pair] += value * other.sign * ket[from];
                   }
                 });
    }
  });
}

}  // namespace

OneDensities space_one_densities(const CiSpace& space, const SpinPairExcitations& excitations,
                                 const HostVector& bra, const HostVector& ket) {
  const int m = space.alpha.orbitals;
  const bool of_state = &bra == &ket;  // symmetric
  OneDensities one{HostMatrix(m, m), HostMatrix(m, m)};
  FirstException exception;
#pragma omp parallel for if (worth_threads(bra.size() * m)) collapse(2) schedule(dynamic)
  for (int q = 0; q < m; ++q) {
    for (int p = 0; p < m; ++p) {
      if (p > q) continue;
      exception.guard([&] {
        const auto of_alpha = excitations_of(space.alpha, *excitations[alpha], p, q);
        const auto of_beta = excitations_of(space.beta, *excitations[beta], p, q);
        one[alpha](p, q) = alpha_element(space, of_alpha, bra, ket);
        one[beta](p, q) = beta_element(space, of_beta, bra, ket);
        if (p == q) return;
        one[alpha](q, p) = of_state ? one[alpha](p, q) : alpha_element(space, of_alpha, ket, bra);
        one[beta](q, p) = of_state ? one[beta](p, q) : beta_element(space, of_beta, ket, bra);
      });
    }
  }
  exception.rethrow();
  return one;
}

Densities space_densities(const CiSpace& space, const SpinPairExcitations& excitations,
                          const HostVector& bra, const HostVector& ket) {
  const int m = space.alpha.orbitals;
  const HostMatrix zero = HostMatrix::Zero(m * m, m * m);
  Densities d{space_one_densities(space, excitations, bra, ket), zero,
              mixed(space, excitations, bra, ket), zero};
  const PairRemovals alphas(space.alpha), betas(space.beta);
  add_same_spin(alphas.pairs(), alpha_gram(space, alphas, bra, ket), m, d.alpha_alpha);
  add_same_spin(betas.pairs(), beta_gram(space, betas, bra, ket), m, d.beta_beta);
  return d;
}

}  // namespace cisolve
