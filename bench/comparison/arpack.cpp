#include <arpack/arpack.hpp>

#include "bench/comparison/contender.hpp"
#include "core/dense/host_matrix.hpp"

namespace cisolve::comparison {
namespace {

/// The work arrays of dsaupd, named as in its manual.
struct Work {
  a_int n, nev, ncv;
  std::vector<double> resid, v, workd, workl;
  a_int iparam[11] = {}, ipntr[14] = {};

  Work(const Problem& problem, const Eigen::VectorXd& start)
      : n(problem.h.rows()),
        nev(problem.states),
        ncv(krylov_basis(problem)),
        resid(start.begin(), start.end()),
        v(static_cast<std::size_t>(n) * ncv),
        workd(3 * static_cast<std::size_t>(n)),
        workl(static_cast<std::size_t>(ncv) * (ncv + 8)) {
    iparam[0] = 1;     // exact shifts
    iparam[2] = 1000;  // restarts
    iparam[6] = 1;     // Ax = λx
  }
  a_int lworkl() const { return static_cast<a_int>(workl.size()); }
};

/// dsaupd until it is done; its `info`, or 1 (restarts exhausted) where the products are.
a_int iterate(const Problem& problem, Work& w, double tolerance) {
  a_int ido = 0, info = 1;  // resid holds the start vector
  for (;;) {
    arpack::saupd(ido, arpack::bmat::identity, w.n, arpack::which::smallest_algebraic, w.nev,
                  tolerance, w.resid.data(), w.ncv, w.v.data(), w.n, w.iparam, w.ipntr,
                  w.workd.data(), w.workl.data(), w.lworkl(), info);
    if (ido != 1 && ido != -1) return info;
    if (problem.h.products() >= problem.most_products) return 1;
    problem.h.multiply(&w.workd[w.ipntr[0] - 1], &w.workd[w.ipntr[1] - 1]);
  }
}

void extract(Work& w, double tolerance, Outcome& outcome) {
  std::vector<a_int> select(w.ncv, 1);
  outcome.energies.resize(w.nev);
  outcome.vectors.resize(w.n, w.nev);
  a_int info = 0;
  arpack::seupd(1, arpack::howmny::ritz_vectors, select.data(), outcome.energies.data(),
                outcome.vectors.data(), w.n, 0.0, arpack::bmat::identity, w.n,
                arpack::which::smallest_algebraic, w.nev, tolerance, w.resid.data(), w.ncv,
                w.v.data(), w.n, w.iparam, w.ipntr, w.workd.data(), w.workl.data(), w.lworkl(),
                info);
  if (info == 0) return;
  outcome.says_converged = false;
  outcome.status = "dseupd: info " + std::to_string(info);
  outcome.energies.clear();
}

/// The criterion is bound ≤ tol·|θ|.
Outcome dsaupd(const Problem& problem) {
  const double tolerance = relative_tolerance(problem);
  Work w(problem, random_vector(problem));
  Outcome outcome;
  const a_int info = iterate(problem, w, tolerance);
  outcome.products = problem.h.products();
  outcome.says_converged = info == 0 && w.iparam[4] >= w.nev;
  outcome.status =
      "info " + std::to_string(info) + ", " + std::to_string(w.iparam[4]) + " converged";
  if (outcome.says_converged) extract(w, tolerance, outcome);
  return outcome;
}

}  // namespace

Outcome arpack_lowest(const Problem& problem) {
  return dsaupd(problem);
}

std::vector<Method> arpack_methods() {
  return {{"ARPACK " ARPACK_VERSION, "dsaupd SA", dsaupd}};
}

}  // namespace cisolve::comparison
