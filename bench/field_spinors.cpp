#include "field_spinors.hpp"

#include <random>
#include <string>

#include "core/error.hpp"
#include "hamiltonian/space/ci_space.hpp"
#include "hamiltonian/spinor/diagonal_integrals.hpp"
#include "hamiltonian/spinor/spinor_matrix.hpp"

namespace cisolve::bench {
namespace {

/// s_p s_q, and the partner of p: kramers.hpp has the conventions.
double sign(int p, int q) {
  return (p ^ q) % 2 != 0 ? -1.0 : 1.0;
}
int partner(int p) {
  return p ^ 1;
}

/// The mean of an integral and those that turning a pair of its spinors round makes of it.
Complex turned_mean(const SpinorIntegrals& of, int p, int q, int r, int s) {
  const Complex own = of.g(p, q, r, s) + sign(p, q) * of.g(partner(q), partner(p), r, s);
  const Complex other = of.g(p, q, partner(s), partner(r)) +
                        sign(p, q) * of.g(partner(q), partner(p), partner(s), partner(r));
  return 0.25 * (own + sign(r, s) * other);
}

/// Sets all integrals that are this one but for sign and conjugation, to the last bit.
void set_turned(SpinorIntegrals& to, int p, int q, int r, int s, Complex value) {
  to.g.set(p, q, r, s, value);
  to.g.set(partner(q), partner(p), r, s, sign(p, q) * value);
  to.g.set(p, q, partner(s), partner(r), sign(r, s) * value);
  to.g.set(partner(q), partner(p), partner(s), partner(r), sign(p, q) * sign(r, s) * value);
}

SpinorIntegrals random_integrals(int spinors, int electrons) {
  std::mt19937 engine(1);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  const auto random = [&] {
    const double re = uniform(engine);
    return Complex(re, uniform(engine));
  };
  SpinorIntegrals drawn(spinors), result(spinors);
  result.electrons = electrons;
  const auto for_each_quartet = [spinors](auto f) {
    for (int pq = 0; pq < spinors * spinors; ++pq) {
      for (int rs = 0; rs < spinors * spinors; ++rs) {
        f(pq / spinors, pq % spinors, rs / spinors, rs % spinors);
      }
    }
  };
  for_each_quartet([&](int p, int q, int r, int s) { drawn.g.set(p, q, r, s, random()); });
  for_each_quartet([&](int p, int q, int r, int s) {
    set_turned(result, p, q, r, s, turned_mean(drawn, p, q, r, s));
  });
  for (int p = 0; p < spinors; ++p) {
    for (int q = 0; q < p; ++q) {
      const Complex value = p == partner(q) ? 0.0 : random();
      result.h.set(p, q, value);
      result.h.set(partner(q), partner(p), sign(p, q) * value);
    }
    result.h.set(p, p, static_cast<double>(p / 2));
  }
  return result;
}

}  // namespace

CsrMatrix spinor_matrix(int spinors, int electrons) {
  if (spinors % 2 != 0) {
    throw InputError("spinors: found " + std::to_string(spinors) + ", expected an even number");
  }
  const SpinorIntegrals integrals = random_integrals(spinors, electrons);
  const CiSpace space = make_ci_space(diagonal_integrals(integrals), {});
  const SpinorMatrixBuilder builder(integrals, space.alpha);
  return builder.fill(builder.count());
}

}  // namespace cisolve::bench
