// Matrices and products of callers: their states, linear systems, products and sums.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "cisolve/cisolve.hpp"
#include "tests/support/library_inputs.hpp"

namespace cisolve {
namespace {

using namespace cisolve::testing;

TEST(Library, MatrixAndProductHaveTheSameEigenpairs) {
  const Chain chain(500);
  EigenSettings settings;
  settings.states = 3;
  settings.tolerance = 1e-8;
  const auto of_matrix =
      lowest_eigenstates(Hamiltonian::from_csr(chain.arrays()), settings, {on_cpu()});
  int calls = 0;
  const auto product =
      Hamiltonian::from_product(chain.diagonal, [&](const double* x, double* y, int k) {
        ++calls;
        chain.multiply(x, y, k);
      });
  for (const Device device : {Device::cpu, Device::cuda}) {
    if (device == Device::cuda && !cuda_unavailable_reason().empty()) continue;
    Machine machine;
    machine.backend = device;
    const auto of_product = lowest_eigenstates(product, settings, {machine});
    EXPECT_EQ(of_product.status, SolveStatus::converged);
    EXPECT_GT(calls, 3);
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(of_product.states[i].energy, of_matrix.states[i].energy, 1e-10);
    }
  }
}

TEST(Library, ArraysWithAnOwnerAreUsedWhereTheyLie) {
  const auto chain = std::make_shared<Chain>(5);
  CsrArrays arrays = chain->arrays();
  arrays.owner = chain;
  const auto row_sums = [](const Product& a) {
    std::vector<double> y(5);
    a.apply(std::vector<double>(5, 1.0), y);
    return y;
  };
  {
    Machine machine = on_cpu();
    machine.format = "csr";
    const Product lent(Hamiltonian::from_csr(arrays), machine);
    arrays.owner.reset();
    const Product copied(Hamiltonian::from_csr(arrays), machine);
    EXPECT_GT(chain.use_count(), 1);
    chain->values[0] = 7.0;  // seen by the first alone, and never to be done
    EXPECT_EQ(row_sums(lent)[0], 6.5);
    EXPECT_EQ(row_sums(copied)[0], 0.5);
  }
  EXPECT_EQ(chain.use_count(), 1);
}

/// Rows of one parity would lose half of a vector.
TEST(Library, AProductByItselfHasNoMultiplicity) {
  Machine machine = on_cpu();
  machine.more = {{"", "solver.multiplicity", "3"}};
  try {
    const Product product(Hamiltonian::read(file("n2_sto3g.fcidump")), machine);
    FAIL();
  } catch (const std::exception& error) {
    EXPECT_EQ(std::string(error.what()),
              "solver.multiplicity: a product by itself is with vectors of any spin");
  }
}

TEST(Library, WhatAProductThrowsComesOut) {
  const auto product = Hamiltonian::from_product(
      std::vector<double>(10, 1.0),
      [](const double*, double*, int) { throw std::out_of_range("the caller's own"); });
  EXPECT_THROW(lowest_eigenstates(product, {}, {on_cpu()}), std::out_of_range);
}

TEST(Library, WithoutItsDiagonalAProductIsSolvedByAnEstimateOfIt) {
  Chain chain(2000);
  for (std::size_t i = 0; i < chain.values.size(); ++i) chain.values[i] *= 1e-18;  // in any unit
  for (double& d : chain.diagonal) d *= 1e-18;
  EigenSettings settings;
  settings.states = 3;
  settings.tolerance = 1e-25;
  settings.verify = Verify::off;
  std::int64_t products = 0;
  const auto multiply = [&](const double* x, double* y, int k) {
    products += k;
    chain.multiply(x, y, k);
  };
  const auto with =
      lowest_eigenstates(Hamiltonian::from_product(chain.diagonal, multiply), settings, {on_cpu()});
  // Two for symmetry, ten for the diagonal, one for the scale.
  EXPECT_EQ(products, with.operator_applications + 2 + 1);
  products = 0;
  const auto without =
      lowest_eigenstates(Hamiltonian::from_product_alone(2000, multiply), settings, {on_cpu()});
  EXPECT_EQ(products, without.operator_applications + 10 + 1);
  EXPECT_EQ(without.status, SolveStatus::converged);
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(without.states[i].energy, with.states[i].energy, 1e-28);
  }
  EXPECT_LT(without.operator_applications, 2 * with.operator_applications);
  ASSERT_FALSE(without.notes.empty());
  EXPECT_NE(without.notes[0].find("diagonal"), std::string::npos);
}

TEST(Library, AProductThatIsNotSymmetricIsRefusedSoon) {
  for (const double scale : {1e-160, 1.0, 1e160}) {
    for (const int wrong : {1, 3000}) {  // one element of 3,000, and a whole triangle
      Chain chain(1001);
      int left = wrong;
      for (std::size_t i = 0; i < chain.diagonal.size(); ++i) {
        for (auto e = chain.offsets[i]; e < chain.offsets[i + 1]; ++e) {
          if (chain.columns[e] > static_cast<int>(i) && left-- > 0) chain.values[e] = -0.4;
          chain.values[e] *= scale;
        }
        chain.diagonal[i] *= scale;
      }
      int products = 0;
      const auto multiply = [&](const double* x, double* y, int k) {
        products += k;
        chain.multiply(x, y, k);
      };
      EXPECT_THROW(
          lowest_eigenstates(Hamiltonian::from_product(chain.diagonal, multiply), {}, {on_cpu()}),
          InputError);
      EXPECT_THROW(
          lowest_eigenstates(Hamiltonian::from_product_alone(1001, multiply), {}, {on_cpu()}),
          InputError);
      EXPECT_LE(products, 10);
    }
  }
  const auto nan = [](const double*, double* y, int) { y[3] = std::nan(""); };
  EXPECT_THROW(lowest_eigenstates(Hamiltonian::from_product_alone(5, nan), {}, {on_cpu()}),
               InputError);
}

TEST(Library, LinearSystemsOfSeveralColumns) {
  const Chain chain(200);
  const int k = 2;
  std::vector<double> expected(200 * k), b(200 * k);
  std::iota(expected.begin(), expected.end(), -100.0);
  chain.multiply(expected.data(), b.data(), k);
  LinearSettings settings;
  settings.method = LinearMethod::automatic;
  const auto hamiltonian = Hamiltonian::from_csr(chain.arrays());
  const LinearSolution found = solve_system(hamiltonian, {b, k}, settings, {on_cpu()});
  ASSERT_EQ(found.status, SolveStatus::converged);
  EXPECT_NE(found.method, LinearMethod::automatic);
  for (std::size_t i = 0; i < b.size(); ++i) EXPECT_NEAR(found.x[i], expected[i], 1e-6);

  const LinearSolution again =
      solve_system(hamiltonian, {b, k}, settings, {on_cpu(), {}, {}, {expected, k}});
  EXPECT_LT(again.iterations, 2);
  EXPECT_THROW(solve_system(hamiltonian, {std::span(b).first(199)}), InputError);
  EXPECT_THROW(solve_system(hamiltonian, {b, 3}), InputError);
}

TEST(Library, ProductsInEveryFormat) {
  const Chain chain(300);
  const auto hamiltonian = Hamiltonian::from_csr(chain.arrays());
  std::vector<double> x(300 * 3), y(300 * 3), expected(300 * 3);
  std::iota(x.begin(), x.end(), 1.0);
  chain.multiply(x.data(), expected.data(), 3);
  for (const char* format : {"auto", "csr", "packed", "sell"}) {
    Machine machine = on_cpu();
    machine.format = format;
    const Product product(hamiltonian, machine, 3);
    product.apply(x, y, 3);
    for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i], expected[i], 1e-9) << format;
    EXPECT_EQ(product.nonzeros(), 898);
    EXPECT_THROW(product.apply(x, y, 2), InputError);
    std::vector<double> in_place = x;
    product.apply(in_place, in_place, 3);
    for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(in_place[i], expected[i], 1e-9);
  }
  EXPECT_EQ(Product(Hamiltonian::read(file("h2_sto3g.fcidump")), on_cpu()).rows(), 4);
}

/// Over the same determinants in the same order, whether or not functions of a parity are the rows.
TEST(Library, ProductsOfIntegralsWithoutAMatrix) {
  DeterminantSettings triplet;
  triplet.ms2 = 2;
  for (const auto& settings : {DeterminantSettings(), triplet}) {
    const auto hamiltonian = Hamiltonian::read(file("nh3_sto3g.fcidump"), settings);
    std::vector<std::vector<double>> products;
    for (const char* kind : {"stored", "direct"}) {
      Machine machine = on_cpu();
      machine.more = {{"", "operator", kind}};
      const Product product(hamiltonian, machine, 2);
      EXPECT_EQ(product.format() == "direct", std::string(kind) == "direct");
      std::vector<double> x(static_cast<std::size_t>(product.rows()) * 2), y(x.size());
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<double>(i));
      product.apply(x, y, 2);
      products.push_back(std::move(y));
    }
    ASSERT_EQ(products[0].size(), products[1].size());
    for (std::size_t i = 0; i < products[0].size(); ++i) {
      ASSERT_NEAR(products[0][i], products[1][i], 1e-10) << i;
    }
  }
}

TEST(Sum, OfIntegralsMatricesAndProductsIsTheSum) {
  const auto n2 = Hamiltonian::read(file("n2_sto3g.fcidump"));
  EigenSettings settings;
  settings.states = 3;
  const Eigenstates one = lowest_eigenstates(n2, settings, {on_cpu()});
  // Integrals: 2 (0.25 H + 0.75 H) + 1.5, in the order of the determinants.
  const auto sum = 2.0 * (0.25 * n2 + 0.75 * n2) + 1.5;
  const Eigenstates twice = lowest_eigenstates(sum, settings, {on_cpu()});
  ASSERT_EQ(twice.rows, one.rows);
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(twice.states[i].energy, 2.0 * one.states[i].energy + 1.5, 1e-8);
    EXPECT_EQ(twice.states[i].multiplicity, one.states[i].multiplicity);
  }

  const Chain chain(500);
  const auto matrix = Hamiltonian::from_csr(chain.arrays());
  const auto product = Hamiltonian::from_product(
      chain.diagonal, [&](const double* x, double* y, int k) { chain.multiply(x, y, k); });
  EigenSettings lowest;
  const double energy = lowest_eigenstates(matrix, lowest, {on_cpu()}).states[0].energy;
  for (const Hamiltonian& other : {matrix, product}) {
    const auto mixed = Hamiltonian::sum({{3.0, matrix}, {-1.0, other}}, -0.25);
    const auto found = lowest_eigenstates(mixed, lowest, {on_cpu()});
    EXPECT_NEAR(found.states[0].energy, 2.0 * energy - 0.25, 1e-7);
  }

  // Truncated spaces keep the first term's determinants, whatever the sum's own reference would be.
  DeterminantSettings cisd;
  cisd.space = Space::cisd;
  cisd.freeze = 2;
  const auto truncated = Hamiltonian::read(file("n2_sto3g.fcidump"), cisd);
  const double lower = lowest_eigenstates(truncated, {}, {on_cpu()}).states[0].energy;
  const auto twice_negative = -1.0 * (-1.0 * truncated) + 0.5;
  EXPECT_NEAR(lowest_eigenstates(twice_negative, {}, {on_cpu()}).states[0].energy, lower + 0.5,
              1e-8);
  EXPECT_THROW(n2 + truncated, InputError);

  EXPECT_THROW(Hamiltonian::sum({}), InputError);
  EXPECT_THROW(n2 + matrix, InputError);
  EXPECT_THROW(std::nan("") * n2, InputError);
}

}  // namespace
}  // namespace cisolve
