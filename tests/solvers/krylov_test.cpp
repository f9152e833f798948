// Krylov spaces of random vectors: what they bring, and what they may say of states that they did
// not bring.

#include "solvers/eigen/steps/krylov.hpp"

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "core/dense/dense.hpp"
#include "solvers/eigen/lower/lanczos_bound.hpp"
#include "solvers/eigen/lower/sturm_bound.hpp"
#include "spmv/forwarding_operator.hpp"
#include "tests/support/eigenpairs.hpp"

namespace cisolve {
namespace {

using namespace cisolve::testing;

/// α and β of `steps` Lanczos steps of a diagonal matrix, fully orthogonalised, from a vector with
/// these weights.
struct Steps {
  std::vector<double> alpha, beta;
  LanczosMatrix matrix() const { return {alpha, beta}; }
};
Steps lanczos(const std::vector<double>& values, HostVector v, int steps) {
  const Eigen::Index n = std::ssize(values);
  const HostVector d = Eigen::Map<const HostVector>(values.data(), n);
  Steps t;
  std::vector<HostVector> all{v.normalized()};
  for (int j = 0; j < steps; ++j) {
    HostVector w = d.cwiseProduct(all.back());
    t.alpha.push_back(all.back().dot(w));
    for (int pass = 0; pass < 2; ++pass) {
      for (const HostVector& u : all) w -= u.dot(w) * u;
    }
    t.beta.push_back(w.norm());
    all.push_back(w.normalized());
  }
  return t;
}

std::vector<double> spread(int count, double from, double to) {
  std::vector<double> values(count);
  for (int i = 0; i < count; ++i) values[i] = from + (to - from) * i / (count - 1);
  return values;
}

HostVector normal_vector(std::size_t n, unsigned seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<double> normal;
  return HostVector::NullaryExpr(static_cast<Eigen::Index>(n), [&] { return normal(engine); });
}

class SturmBound : public ::testing::Test {
 protected:
  SturmBound() {
    values_ = {-3.0, -2.5, -2.2};
    for (const double value : spread(297, -1.0, 5.0)) values_.push_back(value);
  }
  bool excludes(const Steps& t, const std::vector<double>& known, double end) const {
    return excludes_others(t.matrix(), known, 1e-6, end, needed_);
  }
  std::vector<double> values_;
  const double needed_ = LanczosBound::needed(300, 1e-6);
};

TEST_F(SturmBound, ExcludesWhatIsNotThere) {
  const Steps t = lanczos(values_, normal_vector(300, 1), 80);
  EXPECT_TRUE(excludes(t, {-3.0, -2.5, -2.2}, -2.0));
  EXPECT_TRUE(excludes(t, {-3.0, -2.5}, -2.2 - 1e-4));
  EXPECT_TRUE(excludes(t, {}, -3.1));
}

TEST_F(SturmBound, ExcludesNothingThatTheRitzValuesShow) {
  const Steps t = lanczos(values_, normal_vector(300, 1), 80);
  EXPECT_FALSE(excludes(t, {-3.0, -2.2}, -2.0)) << "−2.5 is not known";
  EXPECT_FALSE(excludes(t, {-3.0, -2.5}, -2.0)) << "−2.2 is not known";
  EXPECT_FALSE(excludes(t, {-3.0, -2.7, -2.5, -2.2}, -2.0)) << "−2.7 is not there";
  EXPECT_FALSE(excludes(t, {-3.0, -2.5, -2.2}, -0.9)) << "others are there";
}

/// A state of which the start vector has too little for so many steps to show it.
TEST_F(SturmBound, ExcludesNoStateThatTheVectorHasTooLittleOf) {
  HostVector v = normal_vector(300, 1);
  v[1] = 1e-9 * v.norm();
  int seen = 0, excluded = 0;
  for (int steps = 10; steps <= 80; steps += 2) {
    const Steps t = lanczos(values_, v, steps);
    const bool shows = symmetric_eigen([&] {
                         HostMatrix h = HostMatrix::Zero(steps, steps);
                         for (int j = 0; j < steps; ++j) {
                           h(j, j) = t.alpha[j];
                           if (j + 1 < steps) h(j, j + 1) = h(j + 1, j) = t.beta[j];
                         }
                         return h;
                       }())
                           .values[1] < -2.4;
    seen += shows ? 1 : 0;
    // 1e-9 is far less than what a random vector has: the bound may be wrong only before.
    excluded += !shows && excludes(t, {-3.0}, -2.3) ? 1 : 0;
  }
  EXPECT_GT(seen, 0);
  // The exclusion comes in the few steps between a growth of 1/δ and one of 10⁹.
  EXPECT_LT(excluded, 12);
}

/// Q diag(values) Qᵀ with a random orthogonal Q: its diagonal tells nothing.
CsrMatrix hidden(const std::vector<double>& values, int seed) {
  const auto n = static_cast<int>(values.size());
  const HostMatrix q = Eigen::HouseholderQR<HostMatrix>(random_block(n, n, seed)).householderQ();
  const HostVector d = Eigen::Map<const HostVector>(values.data(), n);
  HostMatrix a = q * d.asDiagonal() * q.transpose();
  a = HostMatrix(0.5 * (a + a.transpose()));
  return from_dense(a);
}

/// Says that its products read few elements: Krylov spaces are worth it.
class Cheap final : public ForwardingOperator {
 public:
  explicit Cheap(LinearOperator& a) : a_(a) {}
  OperatorInfo info() const override {
    OperatorInfo info = a_.info();
    info.nonzeros = rows();
    return info;
  }

 private:
  LinearOperator& inner() const override { return a_; }
  LinearOperator& a_;
};

EigenResult solve_cheaply(const std::string& name, Backend& backend, const CsrMatrix& a, int states,
                          Verify verify = Verify::standard) {
  EigenOptions options;
  options.states = states;
  options.verify = verify;
  const auto op = operator_on(name, backend, "csr", a);
  Cheap cheap(*op);
  return lowest_eigenpairs(cheap, backend, p_space_of(a, 12), options);
}

class KrylovSpaces : public ::testing::Test {
 protected:
  EigenResult solve(const CsrMatrix& a, int states, Verify verify = Verify::standard) {
    return solve_cheaply("cpu", backend_, a, states, verify);
  }
  PlainBackend backend_;
};

class KrylovSpacesOn : public ::testing::TestWithParam<std::string> {};

std::vector<double> with_levels(std::vector<double> low) {
  for (const double value : spread(400 - static_cast<int>(low.size()), 0.0, 8.0)) {
    low.push_back(value);
  }
  return low;
}

TEST_P(KrylovSpacesOn, BringStatesThatNeedNoSearch) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  const std::vector<double> values = with_levels({-1.0, -0.8, -0.5, -0.45, -0.3});
  const CsrMatrix a = hidden(values, 5);
  for (const int states : {1, 2, 3}) {
    const EigenResult result = solve_cheaply(GetParam(), backend, a, states);
    EXPECT_TRUE(result.verified) << states;
    EXPECT_EQ(result.probe_applications, 0) << states;
    EXPECT_LE(result.exclusion.gap, 1e-5) << states;
    for (int j = 0; j < states; ++j) EXPECT_NEAR(result.energies[j], values[j], 1e-10) << j;
  }
}

INSTANTIATE_TEST_SUITE_P(All, KrylovSpacesOn, ::testing::ValuesIn(backend_names()),
                         [](const auto& test) { return test.param; });

/// Two vectors show two of three copies: a search has to find the third.
TEST_F(KrylovSpaces, VerifyNoLevelOfSeveralStatesByThemselves) {
  for (const int copies : {2, 3}) {
    std::vector<double> low(copies, -1.0);
    low.insert(low.end(), {-0.8, -0.5});
    const std::vector<double> values = with_levels(low);
    const EigenResult result = solve(hidden(values, 6), copies + 1);
    EXPECT_TRUE(result.verified) << copies;
    EXPECT_GT(result.probe_applications, 0) << copies;
    for (int j = 0; j <= copies; ++j) EXPECT_NEAR(result.energies[j], values[j], 1e-9) << j;
  }
}

TEST_F(KrylovSpaces, VerifyNoLevelsThatAreTooNearToBeTold) {
  for (const double apart : {1e-12, 1e-10, 1e-8, 1e-6, 1e-5}) {
    const std::vector<double> values = with_levels({-1.0, -1.0 + apart, -0.8, -0.5});
    const EigenResult result = solve(hidden(values, 7), 3);
    EXPECT_TRUE(result.verified) << apart;
    for (int j = 0; j < 3; ++j) EXPECT_NEAR(result.energies[j], values[j], 1e-9) << apart;
  }
}

/// Two of three copies are taken; in the third's place is no neighbour.
TEST_F(KrylovSpaces, VerifyNoNeighbourOfAThirdCopy) {
  for (const double apart : {5e-6, 2e-5, 6e-5}) {
    const std::vector<double> values = with_levels({-2.0, -1.0, -1.0, -1.0, -1.0 + apart, -0.5});
    const EigenResult result = solve(hidden(values, 10), 4);
    EXPECT_TRUE(result.verified) << apart;
    for (int j = 0; j < 4; ++j) EXPECT_NEAR(result.energies[j], values[j], 1e-8) << apart;
  }
}

/// Rounding of large diagonal elements brings up what has converged sooner.
TEST_F(KrylovSpaces, EndSoonWhereTheDiagonalIsLarge) {
  std::vector<double> values = with_levels({-1.0, -0.8, -0.8, -0.5});
  for (double& value : values) value += 1e4;
  const EigenResult result = solve(hidden(values, 11), 3);
  EXPECT_TRUE(result.verified);
  EXPECT_LT(result.operator_applications, 300);
  for (int j = 0; j < 3; ++j) EXPECT_NEAR(result.energies[j], values[j], 1e-7) << j;
}

TEST_F(KrylovSpaces, BringBothStatesOfALevelWithoutASearch) {
  const std::vector<double> values = with_levels({-1.0, -1.0, -0.8, -0.8, -0.5});
  const EigenResult result = solve(hidden(values, 8), 4, Verify::off);
  EXPECT_FALSE(result.verified);
  for (int j = 0; j < 4; ++j) EXPECT_NEAR(result.energies[j], values[j], 1e-9) << j;
}

/// A product that brings NaN ends the solve, and not by an error of LAPACK's.
TEST_F(KrylovSpaces, EndWhereAProductBringsNaN) {
  class Breaks final : public ForwardingOperator {
   public:
    explicit Breaks(LinearOperator& a) : a_(a) {}
    void apply(double alpha, ConstView x, double beta, View y) const override {
      ForwardingOperator::apply(alpha, x, beta, y);
      if (++products_ > 30) y.data[0] = std::nan("");
    }
    OperatorInfo info() const override { return Cheap(a_).info(); }

   private:
    LinearOperator& inner() const override { return a_; }
    LinearOperator& a_;
    mutable int products_ = 0;
  };
  const CsrMatrix a = hidden(with_levels({-1.0, -0.8}), 9);
  const auto op = operator_on("cpu", backend_, "csr", a);
  Breaks breaks(*op);
  EigenOptions options;
  options.states = 2;
  const EigenResult result = lowest_eigenpairs(breaks, backend_, p_space_of(a, 12), options);
  EXPECT_EQ(result.status, SolveStatus::breakdown);
  EXPECT_FALSE(result.verified);
}

}  // namespace
}  // namespace cisolve
