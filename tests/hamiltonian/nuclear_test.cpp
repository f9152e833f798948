// Protons and neutrons in shells: the coupling of angular momenta, the matrix over determinants
// against pair operators in Fock space, J of its eigenvectors, rows made on a GPU.

#include "hamiltonian/nuclear/angular_momentum.hpp"
#include "hamiltonian/nuclear/clebsch_gordan.hpp"
#include "hamiltonian/nuclear/snt_file.hpp"
#include "hamiltonian/space/spaces.hpp"

#include <Eigen/Eigenvalues>

#include <bit>
#include <cstdlib>
#include <map>
#include <random>
#include <sstream>
#include <vector>

#include "hamiltonian/matrix/cuda/list_rows_cuda.hpp"
#include "hamiltonian/matrix/list_matrix.hpp"
#include "tests/support/determinants/row_sources.hpp"
#include "tests/support/support.hpp"

namespace cisolve {
namespace {

TEST(ClebschGordan, TakesTabulatedValues) {
  EXPECT_DOUBLE_EQ(clebsch_gordan(1, 1, 1, -1, 0, 0), std::sqrt(0.5));
  EXPECT_DOUBLE_EQ(clebsch_gordan(1, -1, 1, 1, 0, 0), -std::sqrt(0.5));
  EXPECT_DOUBLE_EQ(clebsch_gordan(2, 0, 1, 1, 3, 1), std::sqrt(2.0 / 3.0));
  EXPECT_DOUBLE_EQ(clebsch_gordan(2, 2, 1, -1, 1, 1), std::sqrt(2.0 / 3.0));
  EXPECT_DOUBLE_EQ(clebsch_gordan(4, 0, 4, 0, 4, 0), -std::sqrt(2.0 / 7.0));
  EXPECT_EQ(clebsch_gordan(2, 0, 2, 0, 2, 0), 0.0);
  EXPECT_EQ(clebsch_gordan(1, 1, 1, 1, 0, 2), 0.0);
}

TEST(ClebschGordan, IsOrthogonal) {
  for (const auto& [j1, j2] : {std::pair{1, 3}, {5, 7}, {4, 9}, {13, 13}, {60, 59}}) {
    const int m = (j1 + j2) % 2;
    for (int j = std::abs(j1 - j2); j <= j1 + j2; j += 2) {
      for (const int other : {j, j + 2}) {
        double sum = 0.0;
        for (int m1 = -j1; m1 <= j1; m1 += 2) {
          sum += clebsch_gordan(j1, m1, j2, m - m1, j, m) *
                 clebsch_gordan(j1, m1, j2, m - m1, other, m);
        }
        EXPECT_NEAR(sum, j == other ? 1.0 : 0.0, 1e-11) << j1 << ' ' << j2 << ' ' << j;
      }
    }
  }
}

/// A random interaction, as terms between pairs of orbits a ≤ b, protons and neutrons in any order,
/// and as a file's text, where of every other term the orbits of a pair, or the pairs, are
/// exchanged.
struct RandomInteraction {
  explicit RandomInteraction(unsigned seed);
  std::vector<ShellOneBody> one_body;
  std::vector<ShellTwoBody> two_body;
  std::string text;
};

RandomInteraction::RandomInteraction(unsigned seed) {
  const std::vector<ShellOrbit> orbits{{proton, 0, 1, 1},
                                       {neutron, 0, 2, 3},
                                       {proton, 1, 1, 1},
                                       {proton, 0, 0, 1},
                                       {neutron, 0, 1, 1}};
  std::mt19937 engine(seed);
  std::normal_distribution<double> normal;
  std::ostringstream file, terms;
  file.precision(17);
  terms.precision(17);
  const int n = static_cast<int>(orbits.size());
  file << "3 2 2 2\n";
  for (int a = 0; a < n; ++a) {
    file << a + 1 << ' ' << orbits[a].n << ' ' << orbits[a].l << ' ' << orbits[a].twice_j << ' '
         << (orbits[a].kind == proton ? -1 : 1) << " ! orbit\n";
    one_body.push_back({a, a, normal(engine)});
  }
  one_body.push_back({0, 2, normal(engine)});
  file << one_body.size() << " 0\n";
  for (const auto& [a, b, value] : one_body) file << b + 1 << ' ' << a + 1 << ' ' << value << '\n';
  const auto add = [&](std::array<int, 4> at, int j) {
    double value = normal(engine);
    two_body.push_back({at, j, value});
    auto& [a, b, c, d] = at;
    if (engine() % 2 != 0 && a != b) {
      if (((orbits[a].twice_j + orbits[b].twice_j) / 2 - j) % 2 == 0) value = -value;
      std::swap(a, b);
    }
    if (engine() % 2 != 0) {
      std::swap(a, c);
      std::swap(b, d);
    }
    for (const int orbit : at) terms << orbit + 1 << ' ';
    terms << j << ' ' << value << '\n';
  };
  for (int a = 0; a < n; ++a) {
    for (int b = a; b < n; ++b) {
      for (int c = a; c < n; ++c) {
        for (int d = c == a ? b : c; d < n; ++d) {
          const auto neutrons = [&](int x, int y) { return orbits[x].kind + orbits[y].kind; };
          const int l = orbits[a].l + orbits[b].l + orbits[c].l + orbits[d].l;
          if (neutrons(a, b) != neutrons(c, d) || l % 2 != 0) continue;
          const auto j_of = [&](int k) { return orbits[k].twice_j; };
          const int least = std::max(std::abs(j_of(a) - j_of(b)), std::abs(j_of(c) - j_of(d)));
          const int most = std::min(j_of(a) + j_of(b), j_of(c) + j_of(d));
          for (int j = least / 2; 2 * j <= most; ++j) {
            if (j % 2 == 0 || (a != b && c != d)) add({a, b, c, d}, j);
          }
        }
      }
    }
  }
  file << two_body.size() << " 1 6 -0.3\n" << terms.str();
  text = file.str();
}

/// Fock space of the interaction's states, protons first: the Hamiltonian by pair operators
/// A†_JM(ab) = (1 + δ_ab)^(−1/2) Σ ⟨j_a m_a j_b m_b|JM⟩ a†_a a†_b.
class FockSpace {
 public:
  /// Orbits, states and scaling are those of the interaction that was read, terms those drawn.
  FockSpace(const ShellInteraction& interaction, const RandomInteraction& terms)
      : interaction_(interaction), terms_(terms) {
    for (const Nucleon kind : {proton, neutron}) {
      for (const ShellState& state : shell_states(interaction, kind)) states_.push_back(state);
    }
  }
  using Vector = std::map<unsigned, double>;

  Vector apply(unsigned determinant, int nucleons) const {
    Vector result;
    for (const auto& [a, b, value] : terms_.one_body) {
      for (std::size_t p = 0; p < states_.size(); ++p) {
        for (std::size_t q = 0; q < states_.size(); ++q) {
          const bool joined = (states_[p].orbit == a && states_[q].orbit == b) ||
                              (states_[p].orbit == b && states_[q].orbit == a);
          if (!joined || states_[p].twice_m != states_[q].twice_m) continue;
          add(ladder(p, true, ladder(q, false, {{determinant, value}})), result);
        }
      }
    }
    for (const ShellTwoBody& term : terms_.two_body) {
      const auto& [a, b, c, d] = term.orbits;
      for (int m = -term.j; m <= term.j; ++m) {
        const double value = interaction_.factor(nucleons) * term.value;
        add(pair(a, b, term.j, m, true, pair(c, d, term.j, m, false, {{determinant, value}})),
            result);
        if (std::pair(a, b) == std::pair(c, d)) continue;
        add(pair(c, d, term.j, m, true, pair(a, b, term.j, m, false, {{determinant, value}})),
            result);
      }
    }
    return result;
  }

 private:
  static void add(const Vector& x, Vector& y) {
    for (const auto& [determinant, value] : x) y[determinant] += value;
  }
  static Vector ladder(std::size_t p, bool create, const Vector& x) {
    Vector y;
    for (const auto& [determinant, value] : x) {
      if (((determinant >> p & 1) != 0) == create) continue;
      const bool odd = std::popcount(determinant & ((1U << p) - 1)) % 2 != 0;
      y[determinant ^ (1U << p)] += odd ? -value : value;
    }
    return y;
  }
  /// A†x, or Ax, the adjoint: the operators in the opposite order.
  Vector pair(int a, int b, int j, int m, bool create, const Vector& x) const {
    Vector y;
    for (std::size_t p = 0; p < states_.size(); ++p) {
      for (std::size_t q = 0; q < states_.size(); ++q) {
        if (states_[p].orbit != a || states_[q].orbit != b) continue;
        const double c =
            clebsch_gordan(interaction_.orbits[a].twice_j, states_[p].twice_m,
                           interaction_.orbits[b].twice_j, states_[q].twice_m, 2 * j, 2 * m) /
            std::sqrt(a == b ? 2.0 : 1.0);
        if (c == 0.0) continue;
        Vector made =
            create ? ladder(p, true, ladder(q, true, x)) : ladder(q, false, ladder(p, false, x));
        for (auto& [determinant, value] : made) y[determinant] += c * value;
      }
    }
    return y;
  }

  const ShellInteraction& interaction_;
  const RandomInteraction& terms_;
  std::vector<ShellState> states_;
};

struct Sectored {
  Sectored(const ShellInteraction& of, const ShellSector& which)
      : interaction(of),
        sector(which),
        integrals(shell_integrals(of, which.protons, which.neutrons)),
        list(shell_determinants(of, which)),
        space(make_listed_space(integrals, list.alpha, list.beta)),
        builder(integrals, *space.of_list()),
        matrix(builder.fill(builder.count())) {}

  const ShellInteraction& interaction;
  ShellSector sector;
  Integrals integrals;
  DeterminantList list;
  AnySpace space;
  ListMatrixBuilder builder;
  CsrMatrix matrix;
};

const std::vector<ShellSector>& sectors() {
  static const std::vector<ShellSector> all{{2, 2, 0, 1},   {2, 2, 0, -1}, {3, 2, 1, 1},
                                            {1, 3, -2, -1}, {0, 3, 1, 1},  {4, 0, 0, -1}};
  return all;
}

TEST(Nucleons, TheMatrixIsThatOfPairOperators) {
  const RandomInteraction drawn(1);
  const ShellInteraction interaction = read_snt("random", drawn.text);
  const FockSpace fock(interaction, drawn);
  const auto protons = shell_states(interaction, proton).size();
  for (const ShellSector& sector : sectors()) {
    const Sectored made(interaction, sector);
    std::vector<unsigned> determinants;
    made.space.for_each([&](std::int64_t, const OrbitalString& p, const OrbitalString& n) {
      determinants.push_back(static_cast<unsigned>(p.word(0) | n.word(0) << protons));
    });
    const HostMatrix found = testing::to_dense(made.matrix);
    ASSERT_GT(found.rows(), 1);
    double worst = 0.0;
    for (Index j = 0; j < found.cols(); ++j) {
      const auto column = fock.apply(determinants[j], sector.protons + sector.neutrons);
      std::size_t inside = 0;
      for (Index i = 0; i < found.rows(); ++i) {
        const auto at = column.find(determinants[i]);
        inside += at != column.end() ? 1 : 0;
        worst = std::max(worst, std::abs(found(i, j) - (at == column.end() ? 0.0 : at->second)));
      }
      EXPECT_EQ(inside, column.size()) << "a sector is closed";
    }
    EXPECT_LT(worst, 1e-13) << sector.protons << ' ' << sector.neutrons;
  }
}

/// 2J of the eigenvectors of a random interaction, without degeneracy, are those that the numbers
/// of determinants by M say.
TEST(Nucleons, EigenvectorsHaveAnAngularMomentum) {
  const ShellInteraction interaction = read_snt("random", RandomInteraction(2).text);
  for (const ShellSector& sector : sectors()) {
    const Sectored made(interaction, sector);
    const AngularMomentum momentum(interaction, made.integrals, sector, *made.space.of_list());
    const Eigen::SelfAdjointEigenSolver<HostMatrix> solved(testing::to_dense(made.matrix));
    std::map<int, std::int64_t> levels;
    for (Index k = 0; k < made.matrix.rows; ++k) {
      const double j_squared = momentum.j_squared(solved.eigenvectors().col(k));
      const int twice_j = static_cast<int>(std::lround(std::sqrt(1.0 + 4.0 * j_squared))) - 1;
      EXPECT_NEAR(j_squared, 0.25 * twice_j * (twice_j + 2), 1e-9);
      ++levels[twice_j];
    }
    for (const auto& [twice_j, count] : levels) {
      ShellSector of_j = sector, above = sector;
      of_j.twice_m = twice_j;
      above.twice_m = twice_j + 2;
      EXPECT_EQ(static_cast<double>(count), count_shell_determinants(interaction, of_j) -
                                                count_shell_determinants(interaction, above));
    }
  }
}

TEST(Nucleons, SectorsHaveAllDeterminantsOnce) {
  const ShellInteraction interaction = read_snt("random", RandomInteraction(1).text);
  std::int64_t all = 0;
  for (const int parity : {1, -1}) {
    for (int twice_m = -40; twice_m <= 40; ++twice_m) {
      const ShellSector sector{3, 2, twice_m, parity};
      const double count = count_shell_determinants(interaction, sector);
      EXPECT_EQ(static_cast<double>(shell_determinants(interaction, sector).size()), count);
      all += static_cast<std::int64_t>(count);
    }
  }
  EXPECT_EQ(all, 20 * 15);  // 3 of 6 protons, 2 of 6 neutrons
}

TEST(Nucleons, RowsMadeOnTheDeviceAreThoseOfTheMatrix) {
  CISOLVE_BACKEND_OR_SKIP(backend, "cuda");
  const ShellInteraction interaction = read_snt("random", RandomInteraction(3).text);
  for (const ShellSector& sector : sectors()) {
    const Sectored made(interaction, sector);
    const auto source = make_list_rows_cuda(made.integrals, *made.space.of_list(), backend,
                                            made.matrix.nonzeros() / 3 + 1, {});
    ASSERT_EQ(source->row_offsets(), made.matrix.row_offsets);
    std::vector<Index> rows(static_cast<std::size_t>(made.matrix.rows));
    for (Index i = 0; i < made.matrix.rows; ++i) rows[i] = i;
    testing::expect_rows(source->some_rows(rows), made.matrix, rows);
    EXPECT_EQ(source->diagonal(), diagonal(made.matrix));
  }
}

/// Message of the error that a text raises.
std::string complaint(const std::string& text) {
  try {
    read_snt("x.snt", text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

TEST(InteractionFile, SaysWhatIsWrongAndWhere) {
  const std::string head = "1 1 2 2\n1 0 1 3 -1\n2 0 1 3 1\n", one = "2 0\n1 1 1.0\n2 2 1.0\n";
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "x.snt: the file ends; expected numbers of proton orbits"},
      {"1 1 2\n", "x.snt:1: found 3 words, expected 4"},
      {"1 1 2 -2\n", "x.snt:1: found -2, expected 0 to 1000"},
      {"1 1 2 2\n1 0 1 3 -1\n", "x.snt: the file ends; expected number, n, l"},
      {"1 1 2 2\n1 0 1 3 -1\n3 0 1 3 1\n", "x.snt:3: orbits count from 1; expected orbit 2"},
      {"1 1 2 2\n1 0 1 5 -1\n", "x.snt:2: n 0, l 1, 2j 5: 2j is 2l - 1 or 2l + 1"},
      {"1 1 2 2\n1 0 1 3 0\n", "2t_z is -1 of protons and 1 of neutrons"},
      {"1 1 2 2\n1 0 1 3 -1\n2 0 1 1 -1\n", "2 orbits of protons, where the first line has 1"},
      {"1 1 2 2\n1 0 30 61 -1\n", "x.snt:2: 2j 61, expected at most 59"},
      {"2 0 2 2\n1 0 1 3 -1\n2 0 1 3 -1\n", "x.snt:3: orbit 2 is orbit 1 again"},
      {head + "1 0 1 2\n", "x.snt:4: found 4 words, expected 3"},
      {head + "1 10 20.0\n", "x.snt:4: one-body terms of kind 10; expected 0"},
      {head + "1 0\n1 2 1.0\n", "x.snt:5: the term is of orbits of different kind"},
      {head + "1 0\n1 3 1.0\n", "x.snt:5: orbit 3, expected 1 to 2"},
      {head + "1 0\n1 1 x\n", "x.snt:5: found \"x\", expected a number"},
      {head + one + "1 2 18 -0.3\n", "x.snt:7: two-body terms of kind 2"},
      {head + one + "1 1 18\n", "x.snt:7: found 3 words, expected 4"},
      {head + one + "1 1 0 -0.3\n", "x.snt:7: found A0 0, expected above 0"},
      {head + one + "1 0\n1 1 1 1 4 1.0\n", "x.snt:8: orbits 1 and 1 do not couple to J = 4"},
      {head + one + "1 0\n1 1 1 1 1 1.0\n", "two protons in orbit 1 have no state with J = 1"},
      {head + one + "1 0\n1 1 2 2 0 1.0\n", "changes the numbers of protons and neutrons"},
      {head + one + "2 0\n1 1 1 1 0 1.0\n", "the file ends; expected four orbits"},
      {head + one + "2 0\n1 2 1 2 0 1.0\n2 1 1 2 0 2.0\n", "line 8 gives the same term as 1"},
      {head + one + "1 0\n1 1 1 1 0 1.0\n1 1 1 1 2 1.0\n", "more lines than the file announces"},
      {head + one + "1 0\n1 1 1 1 0 nan\n", "x.snt:8: found \"nan\", expected a number"},
      {"2 0 2 2\n1 0 1 3 -1\n2 0 0 1 -1\n0 0\n1 0\n1 1 1 2 2 1.0\n", "the term changes parity"}};
  for (const auto& [text, expected] : cases) {
    EXPECT_NE(complaint(text).find(expected), std::string::npos)
        << "found: " << complaint(text) << "\nexpected: " << expected;
  }
}

TEST(InteractionFile, TakesRepeatedTermsOnce) {
  const std::string head =
      "1 1 2 2 # model space\n1 0 1 3 -1\n2 0 1 3 1\n\n2 0\n1 1 1.0\n2 2 1.0\n";
  // (-1)^(3/2 + 3/2 - J + 1): 1 for even J.
  const auto read =
      read_snt("x.snt", head + "3 0 99\n1 2 1 2 0 1.5\n2 1 1 2 0 1.5\n1 2 2 1 1 0.5D0\n");
  ASSERT_EQ(read.two_body.size(), 2U);
  EXPECT_EQ(read.two_body[0].value, 1.5);
  EXPECT_EQ(read.two_body[1].value, -0.5);
  EXPECT_EQ(read.core, (std::array{2, 2}));
  EXPECT_FALSE(read.scaling);
}

}  // namespace
}  // namespace cisolve
