// The library as its users have it: through its public headers alone.
#include <gtest/gtest.h>
#include <omp.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <future>
#include <numeric>
#include <stdexcept>

#include "cisolve/cisolve.hpp"
#include "tests/support/paths.hpp"

namespace cisolve {
namespace {

/// The Laplacian of a chain of n points, times one half, plus a slope: tridiagonal.
struct Chain {
  explicit Chain(int n) {
    offsets.push_back(0);
    for (int i = 0; i < n; ++i) {
      for (const int j : {i - 1, i, i + 1}) {
        if (j < 0 || j >= n) continue;
        columns.push_back(j);
        values.push_back(i == j ? 1.0 + 0.01 * i : -0.5);
      }
      offsets.push_back(static_cast<std::int64_t>(columns.size()));
      diagonal.push_back(1.0 + 0.01 * i);
    }
  }
  CsrArrays arrays() const {
    const auto n = static_cast<std::int64_t>(diagonal.size());
    return {n, n, offsets, columns, values};
  }
  void multiply(const double* x, double* y, int k) const {
    for (std::size_t i = 0; i < diagonal.size(); ++i) {
      for (int c = 0; c < k; ++c) {
        double sum = 0.0;
        for (auto e = offsets[i]; e < offsets[i + 1]; ++e) {
          sum += values[e] * x[std::int64_t{columns[e]} * k + c];
        }
        y[i * k + c] = sum;
      }
    }
  }

  std::vector<std::int64_t> offsets;
  std::vector<std::int32_t> columns;
  std::vector<double> values, diagonal;
};

Machine on_cpu() {
  Machine machine;
  machine.backend = Device::cpu;
  return machine;
}

std::string file(const char* name) {
  return (test_data() / name).string();
}

/// What reads h2_sto3g's integrals: arrays as a program that computes them has them.
struct Hydrogen {
  // Two orbitals of H2 in STO-3G at 0.7414 Angstrom, in full precision as given here.
  std::vector<double> h1{-1.25, 0.0, 0.0, -0.47};
  double aa = 0.67, ab = 0.66, bb = 0.70, k = 0.18;
  std::vector<double> eri() const {
    std::vector<double> g(16, 0.0);
    const auto at = [&](int p, int q, int r, int s) -> double& {
      return g[((p * 2 + q) * 2 + r) * 2 + s];
    };
    at(0, 0, 0, 0) = aa;
    at(1, 1, 1, 1) = bb;
    at(0, 0, 1, 1) = at(1, 1, 0, 0) = ab;
    at(0, 1, 0, 1) = at(1, 0, 0, 1) = at(0, 1, 1, 0) = at(1, 0, 1, 0) = k;
    return g;
  }
  /// By hand: the singlet of |11̅⟩ and |22̅⟩, coupled by (12|12).
  double ground() const {
    const double low = 2 * h1[0] + aa, high = 2 * h1[3] + bb;
    return 0.5 * (low + high) - std::sqrt(0.25 * (high - low) * (high - low) + k * k);
  }
};

TEST(Library, SaysItsVersion) {
  EXPECT_EQ(version(), CISOLVE_VERSION);
}

TEST(Library, EnergiesOfAFileWithWhatTheStatesAre) {
  EigenSettings settings;
  settings.states = 2;
  const auto hamiltonian = Hamiltonian::read(file("n2_sto3g.fcidump"));
  EXPECT_EQ(hamiltonian.rows(), 14400);
  const Eigenstates found = lowest_eigenstates(hamiltonian, settings);
  ASSERT_EQ(found.status, SolveStatus::converged);
  EXPECT_NEAR(found.states[0].energy, -107.6541224478, 1e-9);  // tests/data/references.yaml
  EXPECT_EQ(found.states[0].multiplicity, 1);
  EXPECT_FALSE(found.states[0].leading.empty());
  EXPECT_EQ(found.vectors.size(), std::size_t(2 * found.rows));
  double norm = 0.0, overlap = 0.0;
  for (std::int64_t i = 0; i < found.rows; ++i) {
    norm += found.vectors[2 * i] * found.vectors[2 * i];
    overlap += found.vectors[2 * i] * found.vectors[2 * i + 1];
  }
  EXPECT_NEAR(norm, 1.0, 1e-12);
  EXPECT_NEAR(overlap, 0.0, 1e-12);
  EXPECT_NE(found.report.text().find("\"verified\""), std::string::npos);
}

TEST(Library, ReadsAFolderOfTrexio) {
#ifdef CISOLVE_TREXIO
  const auto found = lowest_eigenstates(Hamiltonian::read(file("h2_text.trexio")), {}, {on_cpu()});
  // The lower eigenvalue of (2h_11 + g_1111, g_1212; g_1212, 2h_22 + g_2222), 0.5 above it.
  const double lower = 2 * -1.25 + 0.67, upper = 2 * -0.47 + 0.70, exchange = 0.18;
  EXPECT_NEAR(found.states.at(0).energy,
              0.5 + (lower + upper) / 2 - std::hypot((upper - lower) / 2, exchange), 1e-9);
#else
  GTEST_SKIP() << "built without libtrexio";
#endif
}

TEST(Library, StatesOfOneParityAreOverAllDeterminants) {
  DeterminantSettings odd;
  odd.spin_inversion = SpinInversion::odd;
  const auto hamiltonian = Hamiltonian::read(file("nh3_sto3g.fcidump"), odd);
  const Eigenstates found = lowest_eigenstates(hamiltonian, {});
  ASSERT_EQ(found.status, SolveStatus::converged);
  EXPECT_EQ(found.states[0].multiplicity, 3);
  EXPECT_EQ(found.rows, 3136);
  EXPECT_EQ(found.vectors.size(), 3136u);
  double norm = 0.0;
  for (const double c : found.vectors) norm += c * c;
  EXPECT_NEAR(norm, 1.0, 1e-10);
  EXPECT_THROW(solve_system(hamiltonian, {std::vector<double>(3136, 1.0)}), InputError);
}

TEST(Library, IntegralsInMemoryInAllThreeOrders) {
  const Hydrogen h2;
  const std::vector<double> full = h2.eri();
  const std::vector<double> pairs{h2.aa, 0, h2.ab, 0, h2.k, 0, h2.ab, 0, h2.bb};
  const std::vector<double> triangle{h2.aa, 0, h2.k, h2.ab, 0, h2.bb};
  for (const auto& eri : {full, pairs, triangle}) {
    IntegralArrays arrays;
    arrays.orbitals = 2;
    arrays.h1 = h2.h1;
    arrays.eri = eri;
    arrays.electrons = 2;
    arrays.core_energy = 0.7;
    const auto found = lowest_eigenstates(Hamiltonian::from_integrals(arrays), {}, {on_cpu()});
    EXPECT_NEAR(found.states[0].energy, h2.ground() + 0.7, 1e-10);
    EXPECT_EQ(found.rows, 4);
  }
}

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

TEST(Library, StatesOfTheSubspaceOfAProjectorAlone) {
  DeterminantSettings odd;
  odd.spin_inversion = SpinInversion::odd;
  EigenSettings settings;
  settings.states = 3;
  const std::string h6 = file("h8_chain_sto3g.fcidump");
  const auto expected = lowest_eigenstates(Hamiltonian::read(h6, odd), settings, {on_cpu()});
  const auto hamiltonian = Hamiltonian::read(h6);
  const auto strings = determinant_masks(hamiltonian).strings.first;
  settings.project = [strings](double* x, std::int64_t rows, int k) {
    ASSERT_EQ(rows, strings * strings);
    for (std::int64_t a = 0; a < strings; ++a) {
      for (std::int64_t b = 0; b <= a; ++b) {
        for (int j = 0; j < k; ++j) {
          double &ab = x[(a * strings + b) * k + j], &ba = x[(b * strings + a) * k + j];
          const double half = 0.5 * (ab - ba);
          ab = half;
          ba = -half;
        }
      }
    }
  };
  for (const char* kind : {"direct", "stored"}) {
    Machine machine = on_cpu();
    machine.more = {{"", "operator", kind}};
    const auto found = lowest_eigenstates(hamiltonian, settings, {machine});
    EXPECT_EQ(found.status, SolveStatus::converged);
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(found.states[i].energy, expected.states[i].energy, 1e-9);
    }
  }
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

TEST(Library, StringsOfMoreThan64OrbitalsHaveTwoWords) {
  const Hamiltonian ring = Hamiltonian::read("generate:hubbard,sites=66,electrons=2");
  const DeterminantMasks masks = determinant_masks(ring);
  ASSERT_EQ(masks.words, 2);
  ASSERT_EQ(masks.alpha.size(), 2u * 66 * 66);
  const std::size_t row = 65 * 66 + 2;  // alpha in the last orbital, beta in the third
  EXPECT_EQ(masks.alpha[2 * row], 0u);
  EXPECT_EQ(masks.alpha[2 * row + 1], 2u);
  EXPECT_EQ(masks.beta[2 * row], 4u);
  EXPECT_EQ(masks.beta[2 * row + 1], 0u);
  std::vector<double> state(66 * 66, 0.0);
  state[row] = 1.0;
  const DensityMatrices densities = density_matrices(ring, {state}, false, on_cpu());
  for (int p = 0; p < 66; ++p) {
    EXPECT_EQ(densities.one[p * 66 + p], p == 65 ? 1.0 : 0.0);
    EXPECT_EQ(densities.one[66 * 66 + p * 66 + p], p == 2 ? 1.0 : 0.0);
  }
}

TEST(Library, DensitiesOfVectorsAndTheirDeterminants) {
  const Hamiltonian water = Hamiltonian::read(file("nh3_sto3g.fcidump"));
  EigenSettings settings;
  settings.states = 2;
  const Eigenstates found = lowest_eigenstates(water, settings, {on_cpu()});
  const DensityMatrices densities = density_matrices(water, {found.vectors, 2}, true, on_cpu());
  const int m = densities.orbitals;
  ASSERT_EQ(m, 8);
  ASSERT_EQ(densities.one.size(), 2u * 2 * 2 * m * m);
  ASSERT_EQ(densities.two.size(), 2u * 3 * m * m * m * m);
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      double trace = 0.0;
      for (int p = 0; p < m; ++p) trace += densities.one[(4 * i + 2 * j) * m * m + p * (m + 1)];
      EXPECT_NEAR(trace, i == j ? 5.0 : 0.0, 1e-10);
    }
  }
  // The pairs of an alpha and a beta electron, of the second state.
  double pairs = 0.0;
  for (int p = 0; p < m * m; p += m + 1) {
    for (int r = 0; r < m * m; r += m + 1)
      pairs += densities.two[(3 + 1) * m * m * m * m + p * m * m + r];
  }
  EXPECT_NEAR(pairs, 25.0, 1e-9);

  const DeterminantMasks masks = determinant_masks(water);
  EXPECT_EQ(masks.strings, (std::pair<std::int64_t, std::int64_t>{56, 56}));
  EXPECT_EQ(masks.electrons, (std::pair{5, 5}));
  EXPECT_EQ(masks.words, 1);
  ASSERT_EQ(masks.alpha.size(), 3136u);
  EXPECT_EQ(masks.alpha[57], 0b101111u);
  EXPECT_EQ(masks.beta[57], 0b101111u);
  EXPECT_THROW(density_matrices(water, {found.vectors, 1}, false, on_cpu()), InputError);
  EXPECT_THROW(determinant_masks(Hamiltonian::from_csr(Chain(5).arrays())), InputError);
}

/// Of positions that are the same everywhere, x = 2, 3 and 5: −10 electrons · x of a state, 0
/// between two.
TEST(Library, GivesDipoleMomentsOfItsVectors) {
  const Hamiltonian ammonia = Hamiltonian::read(file("nh3_sto3g.fcidump"));
  EigenSettings settings;
  settings.states = 2;
  const Eigenstates found = lowest_eigenstates(ammonia, settings, {on_cpu()});
  PositionIntegrals integrals{std::vector<double>(3 * 8 * 8), {1.0, 2.0, 4.0}};
  const std::array<double, 3> place{2.0, 3.0, 5.0};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (std::size_t p = 0; p < 8; ++p) integrals.values[axis * 64 + 9 * p] = place[axis];
  }
  const auto dipoles = dipole_moments(ammonia, {found.vectors, 2}, integrals, on_cpu());
  ASSERT_EQ(dipoles.size(), 2u * 2 * 3);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    EXPECT_NEAR(dipoles[axis], integrals.nuclear[axis] - 10.0 * place[axis], 1e-9);
    EXPECT_NEAR(dipoles[3 + axis], 0.0, 1e-9);
    EXPECT_NEAR(dipoles[9 + axis], dipoles[axis], 1e-9);
  }
  integrals.values.pop_back();
  EXPECT_THROW(dipole_moments(ammonia, {found.vectors, 2}, integrals, on_cpu()), InputError);
}

TEST(Library, SolvesBeginFromGivenVectors) {
  const Hamiltonian water = Hamiltonian::read(file("nh3_sto3g.fcidump"));
  EigenSettings settings;
  settings.states = 2;
  const Eigenstates first = lowest_eigenstates(water, settings, {on_cpu()});
  for (const char* kind : {"stored", "direct"}) {
    Machine machine = on_cpu();
    machine.more = {{"", "operator", kind}};
    const Eigenstates again =
        lowest_eigenstates(water, settings, {machine, {}, {}, {first.vectors, 2}});
    EXPECT_GT(first.iterations, 4);
    EXPECT_LE(again.iterations, 1) << kind;
    EXPECT_NEAR(again.states[1].energy, first.states[1].energy, 1e-9);
  }
  EXPECT_THROW(lowest_eigenstates(water, settings, {on_cpu(), {}, {}, {first.vectors, 3}}),
               InputError);
}

TEST(Library, ObserverCancels) {
  const auto found =
      lowest_eigenstates(Hamiltonian::read(file("n2_sto3g.fcidump")), {},
                         {on_cpu(), [](const EigenIteration& i) { return i.iteration < 2; }});
  EXPECT_EQ(found.status, SolveStatus::cancelled);
  EXPECT_FALSE(found.verified);
  EXPECT_EQ(found.states.size(), 1u);
}

TEST(Library, PrintsNothingAndTellsTheListener) {
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  std::string progress;
  Listener listener;
  listener.progress = [&](const std::string& lines) { progress += lines; };
  lowest_eigenstates(Hamiltonian::read(file("h8_chain_sto3g.fcidump")), {},
                     {on_cpu(), {}, listener});
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_NE(progress.find("4900 determinants"), std::string::npos) << progress;
}

TEST(Library, NumberOfThreadsStaysTheCallers) {
  const int before = omp_get_max_threads();
  omp_sched_t kind, kind_after;
  int chunk, chunk_after;
  omp_set_schedule(omp_sched_guided, 77);
  omp_get_schedule(&kind, &chunk);
  Machine machine = on_cpu();
  machine.threads = before + 1;
  lowest_eigenstates(Hamiltonian::read(file("n2_sto3g.fcidump")), {}, {machine});
  EXPECT_EQ(omp_get_max_threads(), before);
  omp_get_schedule(&kind_after, &chunk_after);
  EXPECT_EQ(kind_after, kind);
  EXPECT_EQ(chunk_after, chunk);
}

TEST(Library, TwoSolvesInTwoThreads) {
  const auto water = Hamiltonian::read(file("h8_chain_sto3g.fcidump"));
  const auto nitrogen = Hamiltonian::read(file("n2_sto3g.fcidump"));
  EigenSettings settings;
  settings.states = 2;
  const auto solve = [&](const Hamiltonian& hamiltonian) {
    return lowest_eigenstates(hamiltonian, settings);
  };
  const double alone[] = {solve(water).states[1].energy, solve(nitrogen).states[1].energy};
  for (int round = 0; round < 3; ++round) {
    auto other = std::async(std::launch::async, solve, std::cref(nitrogen));
    auto same = std::async(std::launch::async, solve, std::cref(water));
    const auto here = solve(water);
    EXPECT_NEAR(here.states[1].energy, alone[0], 1e-9);
    EXPECT_NEAR(same.get().states[1].energy, alone[0], 1e-9);
    EXPECT_NEAR(other.get().states[1].energy, alone[1], 1e-9);
  }
}

TEST(Library, SettingsOutOfRangeAreSaid) {
  const Chain chain(20);
  const auto hamiltonian = Hamiltonian::from_csr(chain.arrays());
  const auto refuses = [&](auto change) {
    EigenSettings settings;
    Machine machine = on_cpu();
    change(settings, machine);
    EXPECT_THROW(lowest_eigenstates(hamiltonian, settings, {machine}), InputError);
  };
  refuses([](EigenSettings& s, Machine&) { s.states = -1; });
  refuses([](EigenSettings& s, Machine&) { s.states = 21; });
  refuses([](EigenSettings& s, Machine&) { s.tolerance = -1.0; });
  refuses([](EigenSettings& s, Machine&) { s.tolerance = std::nan(""); });
  refuses([](EigenSettings& s, Machine&) { s.max_iterations = 0; });
  refuses([](EigenSettings& s, Machine&) { s.p_space = -5; });
  refuses([](EigenSettings& s, Machine&) { s.method = static_cast<EigenMethod>(99); });
  refuses([](EigenSettings& s, Machine&) { s.time_limit = -1.0; });
  refuses([](EigenSettings& s, Machine&) { s.restart = "no such file"; });
  refuses([](EigenSettings&, Machine& m) { m.threads = -3; });
  refuses([](EigenSettings&, Machine& m) { m.device = -1; });
  refuses([](EigenSettings&, Machine& m) { m.format = "nonsense"; });
  refuses([](EigenSettings&, Machine& m) { m.more = {{"", "spmv.tune", "perhaps"}}; });
  refuses([](EigenSettings&, Machine& m) { m.more = {{"", "output.json", "-"}}; });
  refuses([](EigenSettings&, Machine& m) { m.more = {{"", "output.rdm1", "x.npz"}}; });
  LinearSettings linear;
  linear.shift = std::nan("");
  const std::vector<double> b(20, 1.0);
  EXPECT_THROW(solve_system(hamiltonian, {b}, linear, {on_cpu()}), InputError);
  std::vector<double> bad = b;
  bad[3] = std::nan("");
  EXPECT_THROW(solve_system(hamiltonian, {bad}, {}, {on_cpu()}), InputError);
  EXPECT_THROW(solve_system(hamiltonian, {}, {}, {on_cpu()}), InputError);
}

TEST(Library, CheckpointsAreWrittenAndGoneOnFrom) {
  const auto folder = std::filesystem::path(::testing::TempDir());
  const auto checkpoint = folder / ("library_test_" + std::to_string(::getpid()) + ".h5");
  const auto hamiltonian = Hamiltonian::read(file("n2_sto3g.fcidump"));
  Machine machine = on_cpu();
  machine.more = {{"", "checkpoint.file", checkpoint.string()}};
  const auto stopped = lowest_eigenstates(
      hamiltonian, {}, {machine, [](const EigenIteration& i) { return i.iteration < 3; }});
  EXPECT_EQ(stopped.status, SolveStatus::cancelled);
  EigenSettings settings;
  settings.restart = checkpoint;
  const auto found = lowest_eigenstates(hamiltonian, settings, {on_cpu()});
  EXPECT_EQ(found.status, SolveStatus::converged);
  EXPECT_GT(found.iterations, stopped.iterations);
  EXPECT_NEAR(found.states[0].energy, -107.6541224478, 1e-9);
  std::filesystem::remove(checkpoint);
}

TEST(Library, WrongInputIsSaid) {
  EXPECT_THROW(Hamiltonian::read("no such file"), InputError);
  const Hydrogen h2;
  const std::vector<double> eri = h2.eri();
  IntegralArrays arrays;
  arrays.orbitals = 2;
  arrays.h1 = h2.h1;
  arrays.eri = std::span(eri).first(15);
  arrays.electrons = 2;
  EXPECT_THROW(Hamiltonian::from_integrals(arrays), InputError);
  arrays.eri = eri;
  arrays.electrons = 5;
  EXPECT_THROW(Hamiltonian::from_integrals(arrays), InputError);
  arrays.electrons = 2;
  arrays.irreps = {0, 1};
  EXPECT_NO_THROW(Hamiltonian::from_integrals(arrays));
  std::vector<double> mixed = h2.h1;
  mixed[1] = mixed[2] = 0.4;
  arrays.h1 = mixed;
  EXPECT_THROW(Hamiltonian::from_integrals(arrays), InputError);
  arrays.h1 = h2.h1;
  arrays.irreps = {};
  std::vector<double> skewed = eri;
  skewed[1] = 0.1;  // (00|01) alone
  arrays.eri = skewed;
  EXPECT_THROW(Hamiltonian::from_integrals(arrays), InputError);

  Chain chain(5);
  chain.columns[1] = 7;
  EXPECT_THROW(Hamiltonian::from_csr(chain.arrays()), InputError);
  chain.columns[1] = 1;
  chain.values[1] = 0.25;
  const auto skew = Hamiltonian::from_csr(chain.arrays());
  EXPECT_THROW(lowest_eigenstates(skew, {}, {on_cpu()}), InputError);
  EXPECT_NO_THROW(Product(skew, on_cpu()));

  Machine machine = on_cpu();
  machine.more = {{"", "spmv.no_such_key", "1"}};
  EXPECT_THROW(lowest_eigenstates(Hamiltonian::read(file("h2_sto3g.fcidump")), {}, {machine}),
               InputError);
  machine.more = {};
  EigenSettings settings;
  settings.states = 0;
  const Chain even(5);
  EXPECT_THROW(lowest_eigenstates(Hamiltonian::from_csr(even.arrays()), settings, {machine}),
               InputError);
  EXPECT_THROW(Hamiltonian::from_product({}, [](const double*, double*, int) {}), InputError);
  EXPECT_THROW(Hamiltonian::from_product({1.0}, {}), InputError);
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
