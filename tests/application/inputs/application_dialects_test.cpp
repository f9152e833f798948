// The program over FCIDUMP files of every dialect: their energies, or why not.
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "hamiltonian/integrals/fcidump/fcidump.hpp"
#include "tests/support/application.hpp"

namespace cisolve {
namespace {

const std::string dialects = data + "dialects/";

class Dialects : public Application {
 protected:
  std::vector<double> energies(const std::string& arguments) const {
    const Outcome outcome = run("eigen " + arguments + " --backend cpu --json r.json");
    EXPECT_EQ(outcome.status, 0) << arguments << "\n" << outcome.err;
    std::vector<double> found;
    if (outcome.status != 0) return found;
    const auto report = json("r.json");
    for (const auto& state : report["states"]) found.push_back(state["energy"]);
    return found;
  }
  void expect_energies(const std::string& arguments, const std::vector<double>& expected) const {
    SCOPED_TRACE(arguments);
    const std::vector<double> found = energies(arguments);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 2e-8);
  }
  void expect_refused(const std::string& arguments, const std::string& why) const {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 1) << arguments;
    EXPECT_NE(outcome.err.find(why), std::string::npos) << arguments << "\n" << outcome.err;
  }
};

/// g'_pqrs of orbitals turned by that angle in the plane of two of them.
void turn(Integrals& integrals, int i, int j, double angle) {
  const int n = integrals.orbitals;
  const double c = std::cos(angle), s = std::sin(angle);
  const auto coefficient = [&](int p, int x) {
    if (p == i) return x == i ? c : x == j ? s : 0.0;
    if (p == j) return x == i ? -s : x == j ? c : 0.0;
    return p == x ? 1.0 : 0.0;
  };
  const auto terms = [&](int p, const auto& f) {
    for (const int x : p == i || p == j ? std::vector<int>{i, j} : std::vector<int>{p}) {
      f(x, coefficient(p, x));
    }
  };
  const OneElectron& h = *integrals.one_electron[alpha];
  const TwoElectron& g = *integrals.alpha_alpha;
  auto h_turned = std::make_shared<OneElectron>(n);
  auto g_turned = std::make_shared<TwoElectron>(n);
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q <= p; ++q) {
      double of_pair = 0.0;
      terms(p, [&](int x, double a) {
        terms(q, [&](int y, double b) { of_pair += a * b * h(x, y); });
      });
      h_turned->set(p, q, of_pair);
      for (int r = 0; r < n; ++r) {
        for (int t = 0; t <= r; ++t) {
          double sum = 0.0;
          terms(p, [&](int x, double a) {
            terms(q, [&](int y, double b) {
              terms(r, [&](int z, double d) {
                terms(t, [&](int w, double e) { sum += a * b * d * e * g(x, y, z, w); });
              });
            });
          });
          g_turned->row(pair_index(p, q))[pair_index(r, t)] = sum;
        }
      }
    }
  }
  integrals.one_electron[alpha] = h_turned;
  integrals.alpha_alpha = g_turned;
}

std::string fcidump_of(const Integrals& integrals, const std::string& keys) {
  const int n = integrals.orbitals;
  std::ostringstream text;
  text.precision(17);
  text << "&FCI NORB=" << n << ",NELEC=" << integrals.electrons << "," << keys << " &END\n";
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q <= p; ++q) {
      for (int r = 0; r <= p; ++r) {
        for (int s = 0; s <= (r == p ? q : r); ++s) {
          text << (*integrals.alpha_alpha)(p, q, r, s) << ' ' << p + 1 << ' ' << q + 1 << ' '
               << r + 1 << ' ' << s + 1 << '\n';
        }
      }
      text << (*integrals.one_electron[alpha])(p, q) << ' ' << p + 1 << ' ' << q + 1 << " 0 0\n";
    }
  }
  text << integrals.core_energy << " 0 0 0 0\n";
  return text.str();
}

TEST_F(Dialects, HaveTheirEnergies) {
  expect_energies(dialects + "o_dooh_highlabels.fcidump --states 3",
                  {-37.6796528017, -37.6796528017, -37.6796528017});
  expect_energies(dialects + "oh_trexio_style.fcidump --states 3",
                  {-74.38718474, -74.38718474, -74.16361243});
  expect_energies(dialects + "h2_trailing.fcidump", {-1.1372704221});
  expect_energies(dialects + "comment_first.fcidump", {-1.2473 + 0.7137});
}

TEST_F(Dialects, OfGeneralSpinOrbitalsHaveAllElectronsOfOneKind) {
  for (const char* how : {" --operator stored", " --operator direct"}) {
    expect_energies(dialects + "ghf_h4.fcidump" + how, {-2.1379705268});
  }
  const auto r = json("r.json");
  EXPECT_TRUE(r["states"][0]["ms2"].is_null());
  EXPECT_TRUE(r["states"][0]["s_squared"].is_null());
  EXPECT_EQ(r["reference"]["occupation"], "11110000");
  EXPECT_EQ(r["states"][0]["leading"][1]["excitation"].get<std::string>().find_first_of("ab"),
            std::string::npos);
  // The file that pairs the same spin orbitals, and freezes the same electrons, has the same
  // levels.
  std::string text = contents(dialects + "ghf_h4.fcidump");
  text.replace(text.find("IGENERAL=1"), 10, "UHF=.TRUE.");
  write("uhf.fcidump", text);
  expect_energies(dialects + "ghf_h4.fcidump --frozen 1,2", energies("uhf.fcidump --frozen 1"));
  expect_energies(dialects + "ghf_h4.fcidump --freeze 2 --space cisd",
                  energies("uhf.fcidump --frozen 1 --space cisd"));
}

TEST_F(Dialects, WithoutAKeyAreSpatialUnlessTheIntegralsAreOfSpinOrbitals) {
  const std::string asks = "give --orbital-kind spin or --orbital-kind spatial";
  std::string text = contents(dialects + "ghf_h4.fcidump");
  text.erase(text.find("IGENERAL=1,"), 11);
  write("plain.fcidump", text);
  expect_refused("eigen plain.fcidump", asks);
  expect_energies("plain.fcidump --orbital-kind spin", {-2.1379705268});
  // Alpha and beta orbitals that are not the same, one half of them each.
  Integrals h4 = read_fcidump(dialects + "ghf_h4.fcidump");
  turn(h4, 1, 3, 0.4);
  turn(h4, 5, 7, -0.7);
  write("parities.fcidump", fcidump_of(h4, "MS2=0"));
  expect_refused("eigen parities.fcidump", asks);
  // Integrals in blocks, alpha orbitals before beta ones.
  Integrals blocks = h4;
  auto g = std::make_shared<TwoElectron>(8);
  auto h = std::make_shared<OneElectron>(8);
  const auto place = [](int p) { return p / 2 + (p % 2) * 4; };
  for (int p = 0; p < 8; ++p) {
    for (int q = 0; q <= p; ++q) {
      h->set(place(p), place(q), (*h4.one_electron[alpha])(p, q));
      for (int r = 0; r < 8; ++r) {
        for (int s = 0; s <= r; ++s) {
          g->row(pair_index(std::max(place(p), place(q)), std::min(place(p), place(q))))[pair_index(
              std::max(place(r), place(s)), std::min(place(r), place(s)))] =
              (*h4.alpha_alpha)(p, q, r, s);
        }
      }
    }
  }
  blocks.alpha_alpha = g;
  blocks.one_electron[alpha] = h;
  write("halves.fcidump", fcidump_of(blocks, "MS2=0"));
  expect_refused("eigen halves.fcidump", asks);
  // Spatial orbitals of two fragments that lie far apart repel each other from afar.
  write("fragments.fcidump",
        "&FCI NORB=4,NELEC=4,MS2=0 &END\n 0.7 1 1 1 1\n 0.6 2 2 2 2\n 0.6 2 2 1 1\n"
        " 0.2 2 1 2 1\n 0.7 3 3 3 3\n 0.6 4 4 4 4\n 0.6 4 4 3 3\n 0.2 4 3 4 3\n"
        " 0.01 3 3 1 1\n 0.01 4 4 2 2\n 0.01 3 3 2 2\n 0.01 4 4 1 1\n"
        " -1.2 1 1 0 0\n -0.5 2 2 0 0\n -1.2 3 3 0 0\n -0.5 4 4 0 0\n");
  EXPECT_EQ(energies("fragments.fcidump").size(), 1u);
  // A model with as much repulsion between two sites as on them has no exchange.
  write("model.fcidump",
        "&FCI NORB=2,NELEC=2,MS2=0 &END\n 4 1 1 1 1\n 4 2 2 2 2\n 4 2 2 1 1\n -1 2 1 0 0\n");
  expect_energies("model.fcidump", {2.0});
}

TEST_F(Dialects, OfGeneralSpinOrbitalsMayMixTheSpins) {
  Integrals h4 = read_fcidump(dialects + "ghf_h4.fcidump");
  turn(h4, 0, 3, 0.4);
  turn(h4, 1, 2, -0.7);
  turn(h4, 2, 5, 1.1);
  turn(h4, 4, 7, 0.3);
  turn(h4, 6, 1, 0.9);
  write("mixed.fcidump", fcidump_of(h4, "MS2=0,IGENERAL=1"));
  expect_refused("eigen mixed.fcidump", "give --orbital-kind spin or --orbital-kind spatial");
  expect_energies("mixed.fcidump --orbital-kind spin", {-2.1379705268});
}

TEST_F(Dialects, OfGeneralSpinOrbitalsHaveNoSpins) {
  const std::string h4 = "eigen " + dialects + "ghf_h4.fcidump ";
  expect_refused(h4 + "--multiplicity 1", "mix alpha and beta, have none");
  expect_refused(h4 + "--ms2 0", "there is no M_s to choose");
  expect_refused(h4 + "--spin-inversion even", "found general spin orbitals");
  expect_refused(h4 + "--electrons 9 --orbital-kind spin",
                 "9 electrons in 8 general spin orbitals: expected at most one in each");
  expect_refused(h4 + "--rdm1 d.npz", "has general spin orbitals; densities");
  expect_refused(h4 + "--molden m --orbitals o.molden", "has general spin orbitals; natural");
  expect_refused(h4 + "--vectors v.trexio", "has general spin orbitals; TREXIO");
  const Outcome info = run("info " + dialects + "ghf_h4.fcidump");
  EXPECT_EQ(info.status, 0) << info.err;
  EXPECT_NE(info.out.find("general         true"), std::string::npos) << info.out;
  EXPECT_EQ(info.out.find("irreps beta"), std::string::npos) << info.out;
}

/// Energies by PySCF 2.14: of BH over real orbitals, which lz_bh.fcidump was turned back to; of
/// three cells of H2 as one supercell, for which its pbc module makes real integrals.
TEST_F(Dialects, OfOrbitalsWithMomentaHaveTheEnergiesOfRealOnes) {
  std::vector<double> bh(7, -24.7713707313);
  bh[0] = -24.8099399836;
  expect_energies(dialects + "lz_bh.fcidump --states 7", bh);
  const std::vector<double> h2{-2.5462819858, -2.0595448379, -2.0595448379, -2.0595448379,
                               -2.0003276223};
  expect_energies(dialects + "h2_three_k_points.fcidump --states 5", h2);
  expect_energies(dialects + "h2_three_k_points.fcidump --states 5 --operator stored", h2);
  EXPECT_NE(run("info " + dialects + "lz_bh.fcidump").err.find("two spinors, 2p - 1"),
            std::string::npos);
}

/// BH with 1s doubly occupied, by PySCF as well.
TEST_F(Dialects, OrbitalsWithMomentaAreFrozenAsSuch) {
  const std::string bh = dialects + "lz_bh.fcidump ";
  constexpr double energy = -24.8096285795;
  expect_energies(bh + "--frozen 1", {energy});
  expect_energies(bh + "--ras1 1 --ras-holes 0", {energy});
  expect_energies(bh + "--frozen 1 --ras1 2,3 --ras-holes 4", {energy});
  expect_refused("eigen " + bh + "--frozen 7", "--frozen: found orbital 7, expected 1 to 6");
  expect_refused("eigen " + bh + "--frozen 1 --ras1 1 --ras-holes 1",
                 "--ras1: spinor 1 is not active");
  expect_refused("eigen " + bh + "--units ev", "FCIDUMP files are in Hartree");
}

TEST_F(Dialects, ThatCannotBeSolvedAreRefusedByName) {
  expect_refused("eigen " + dialects + "iuhf_true.fcidump", "expected IUHF=1");
}

TEST_F(Dialects, AreChosenOfFcidumpFilesAlone) {
  expect_refused("eigen generate:hubbard,sites=4 --orbital-kind spin",
                 "--orbital-kind is of FCIDUMP files");
  write("pair.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 1\n2 2 3\n");
  expect_refused("eigen pair.mtx --orbital-kind spin", "--orbital-kind chooses determinants");
}

}  // namespace
}  // namespace cisolve
