// TREXIO files, read and written by the program; what writes and reads here is their own library.
#include "tests/support/application.hpp"

#ifdef CISOLVE_TREXIO

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string>
#include <vector>

#include "hamiltonian/integrals/fcidump/fcidump.hpp"
#include "hamiltonian/space/matrix_element.hpp"
#include "io/determinants/determinant_file.hpp"
#include "tests/support/archive.hpp"
#include "tests/support/integrals/data_integrals.hpp"
#include "tests/support/trexio_file.hpp"

namespace cisolve {
namespace {

class Trexio : public Application {
 protected:
  void make(const std::string& name, const std::string& of, const TrexioParts& parts = {},
            back_end_t back_end = TREXIO_HDF5) const {
    const TrexioFile file(folder_ / name, 'w', back_end);
    write_integrals(file, load(of), parts);
  }
  std::vector<double> energies(const std::string& arguments) const {
    const Outcome outcome = run("eigen " + arguments + " --backend cpu --json r.json");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    std::vector<double> list;
    if (outcome.status != 0) return list;
    for (const auto& state : json("r.json")["states"]) list.push_back(state["energy"]);
    return list;
  }
  void expect_same(const std::string& one, const std::string& other) const {
    const std::vector<double> a = energies(one), b = energies(other);
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-9) << one;
  }
  /// Solves triplets of ammonia whose third and fifth orbitals are frozen, between active ones.
  void solve_with_frozen_orbitals(const std::string& arguments) const {
    ASSERT_EQ(run("eigen " + data + "nh3_sto3g.fcidump --frozen 3,5 --ms2 2 --tolerance 1e-8 " +
                  "--backend cpu " + arguments)
                  .status,
              0);
  }
  void expect_refused(const std::string& arguments, const std::string& words) const {
    const Outcome outcome = run("eigen " + arguments);
    EXPECT_EQ(outcome.status, 1) << arguments;
    expect_says(outcome, words);
  }
};

TEST_F(Trexio, OfEitherBackEndGivesTheEnergiesOfTheFcidumpFile) {
  make("n2.trexio", "n2_sto3g");
  make("text.trexio", "n2_sto3g", {}, TREXIO_TEXT);
  ASSERT_TRUE(fs::is_directory(folder_ / "text.trexio"));
  fs::copy(folder_ / "n2.trexio", folder_ / "n2.h5");
  const std::string states = " --states 3 --freeze 2";
  for (const std::string name : {"n2.trexio", "text.trexio", "n2.h5"}) {
    expect_same(name + states, data + "n2_sto3g.fcidump" + states);
  }
}

TEST_F(Trexio, HasAnElectronWithoutPairAndEveryPermutationOfAnIntegral) {
  Integrals cation = load("nh3_sto3g");
  cation.electrons = 9;
  cation.ms2 = 1;
  {
    const TrexioFile file(folder_ / "one.trexio"), all(folder_ / "all.trexio");
    write_integrals(file, cation);
    write_integrals(all, cation, {.every_permutation = true});
  }
  const std::string fcidump = data + "nh3_sto3g.fcidump --electrons 9 --ms2 1";
  expect_same("one.trexio", fcidump);
  expect_same("all.trexio", fcidump);
  expect_same("one.trexio --electrons 10 --ms2 2", data + "nh3_sto3g.fcidump --ms2 2");
}

TEST_F(Trexio, NamesIrrepsByTheirPointGroup) {
  const Integrals n2 = load("n2_sto3g");
  const std::vector<std::string> names{"Ag", "B3u", "B2u", "B1g", "B1u", "B2g", "B3g", "Au"};
  std::vector<std::string> labels;
  for (const int irrep : n2.orbital_irreps[alpha]) labels.push_back(names[irrep]);
  {
    const TrexioFile file(folder_ / "n2.trexio"), nameless(folder_ / "nameless.trexio"),
        wrong(folder_ / "wrong.trexio"), foreign(folder_ / "foreign.trexio");
    for (trexio_t* one : std::initializer_list<trexio_t*>{file, nameless, wrong, foreign})
      write_integrals(one, n2);
    write_symmetry(file, labels, "D2h");
    write_symmetry(nameless, labels, "");
    std::vector<std::string> other = labels;
    std::rotate(other.begin(), other.begin() + 1, other.end());
    write_symmetry(wrong, other, "D2h");
    other = labels;
    other.back() = "A1g";
    write_symmetry(foreign, other, "D2h");
  }
  const std::string fcidump = data + "n2_sto3g.fcidump --point-group D2h --irrep B1g --states 2";
  expect_same("n2.trexio --irrep B1g --states 2", fcidump);
  expect_same("nameless.trexio --point-group d2h --irrep b1g --states 2", fcidump);
  expect_refused("nameless.trexio --irrep B1g", "nucleus_point_group");
  expect_refused("wrong.trexio --irrep B1g", "does not agree with the integrals");
  expect_refused("foreign.trexio --irrep B1g", "irrep 'A1g': D2h has Ag");
}

TEST_F(Trexio, IsShownByInfo) {
  make("n2.trexio", "n2_sto3g");
  ASSERT_EQ(run("info n2.trexio --json r.json").status, 0);
  const nlohmann::json report = json("r.json");
  EXPECT_EQ(report["kind"], "TREXIO");
  EXPECT_EQ(report["fcidump"]["orbitals"], 10);
  EXPECT_EQ(report["fcidump"]["electrons"], 14);
}

TEST_F(Trexio, SaysWhatIsMissing) {
  make("one.trexio", "h2_sto3g", {.one_electron = false});
  expect_refused("one.trexio", "mo_1e_int_core_hamiltonian");
  make("two.trexio", "h2_sto3g", {.two_electron = false});
  expect_refused("two.trexio", "mo_2e_int_eri");
  make("electrons.trexio", "h2_sto3g", {.electrons = false});
  expect_refused("electrons.trexio", "--electrons");
  expect_same("electrons.trexio --electrons 2", data + "h2_sto3g.fcidump");
  make("repulsion.trexio", "h2_sto3g", {.repulsion = false});
  expect_says(run("eigen repulsion.trexio --backend cpu"), "no nucleus_repulsion");
  { const TrexioFile empty(folder_ / "empty.trexio"); }
  expect_refused("empty.trexio", "mo_num");
  expect_refused("none.trexio", "none.trexio: no such file");
  fs::create_directory(folder_ / "folder.trexio");
  expect_refused("folder.trexio", "folder.trexio: ");
}

TEST_F(Trexio, RefusesWhatItCannotBeginWith) {
  const Integrals h2 = load("h2_sto3g");
  const std::vector<std::int32_t> spins{0, 1};
  const std::vector<double> zeros(4, 0.0);
  {
    const TrexioFile spin(folder_ / "spin.trexio"), complex(folder_ / "complex.trexio"),
        nan(folder_ / "nan.trexio"), twice(folder_ / "twice.trexio");
    for (trexio_t* one : std::initializer_list<trexio_t*>{spin, complex}) write_integrals(one, h2);
    TrexioFile::require(trexio_write_mo_spin(spin, spins.data()));
    TrexioFile::require(trexio_write_mo_1e_int_core_hamiltonian_im(complex, zeros.data()));
    for (trexio_t* one : std::initializer_list<trexio_t*>{nan, twice})
      write_integrals(one, h2, {.two_electron = false});
    const std::vector<std::int32_t> same{0, 0, 1, 1, 1, 1, 0, 0};
    const std::vector<double> differ{0.1, 0.2}, no_number{0.1, NAN};
    TrexioFile::require(trexio_write_mo_2e_int_eri(twice, 0, 2, same.data(), differ.data()));
    TrexioFile::require(trexio_write_mo_2e_int_eri(nan, 0, 2, same.data(), no_number.data()));
  }
  expect_refused("spin.trexio", "mo_spin");
  expect_refused("complex.trexio", "complex");
  expect_refused("twice.trexio", "found 0.2 of <1 1|0 0>");
  expect_refused("nan.trexio", "finite");
}

TEST_F(Trexio, DamagedIsBadInput) {
  make("n2.trexio", "n2_sto3g");
  const std::string whole = contents(folder_ / "n2.trexio");
  for (const double share : {0.05, 0.3, 0.7, 0.98}) {
    write("cut.trexio",
          whole.substr(0, static_cast<std::size_t>(share * static_cast<double>(whole.size()))));
    EXPECT_EQ(run("eigen cut.trexio").status, 1) << share;
  }
  make("folder.trexio", "h2_sto3g", {}, TREXIO_TEXT);
  for (const char* size : {"5T", "9000000", "-1", "4000000000000000000 9000000000000000000"}) {
    write("folder.trexio/mo_2e_int_eri.txt.size", size);
    expect_refused("folder.trexio", "folder.trexio: mo_2e_int_eri.txt.size ");
  }
  write("text.trexio", "no TREXIO at all");
  expect_refused("text.trexio", "text.trexio: ");
}

/// Determinants over all orbitals have the frozen ones between the active.
TEST_F(Trexio, HoldsStatesOverAllOrbitals) {
  const Integrals nh3 = load("nh3_sto3g");
  solve_with_frozen_orbitals("--active 1,2,4,7,8 --states 2 --vectors x.trexio");
  const TrexioFile file(folder_ / "x.trexio", 'r');
  std::int32_t orbitals = 0, up = 0, down = 0, states = 0;
  std::int64_t count = 0;
  TrexioFile::require(trexio_read_mo_num(file, &orbitals));
  TrexioFile::require(trexio_read_electron_up_num(file, &up));
  TrexioFile::require(trexio_read_electron_dn_num(file, &down));
  TrexioFile::require(trexio_read_state_num(file, &states));
  TrexioFile::require(trexio_read_determinant_num_64(file, &count));
  EXPECT_EQ(orbitals, 8);
  EXPECT_EQ(up, 6);
  EXPECT_EQ(down, 4);
  ASSERT_EQ(states, 2);
  ASSERT_EQ(count, 5 * 10);
  const auto n = static_cast<std::size_t>(count);
  std::vector<std::int64_t> list(2 * n);
  TrexioFile::require(trexio_read_determinant_list(file, 0, &count, list.data()));
  std::vector<Determinant> determinants;
  for (std::size_t i = 0; i < n; ++i) {
    determinants.push_back({OrbitalString(static_cast<std::uint64_t>(list[2 * i])),
                            OrbitalString(static_cast<std::uint64_t>(list[2 * i + 1]))});
  }
  const Hdf5Numbers energies = hdf5_numbers(folder_ / "x.trexio", "energies");
  for (int state = 0; state < states; ++state) {
    std::vector<double> c(n);
    TrexioFile::require(trexio_set_state(file, state));
    TrexioFile::require(trexio_read_determinant_coefficient(file, 0, &count, c.data()));
    double energy = 0.0, norm = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      norm += c[i] * c[i];
      for (std::size_t j = 0; j < n; ++j) {
        energy += c[i] * c[j] * matrix_element(nh3, determinants[i], determinants[j]);
      }
    }
    EXPECT_NEAR(norm, 1.0, 1e-10);
    EXPECT_NEAR(energy, energies.values[static_cast<std::size_t>(state)], 1e-9) << state;
  }
}

/// E = E_core + Σ γ_ij ⟨j|h|i⟩ + ½ Σ Γ_ijkl ⟨kl|ij⟩.
TEST_F(Trexio, HoldsDensitiesOverAllOrbitals) {
  const Integrals nh3 = load("nh3_sto3g");
  solve_with_frozen_orbitals("--rdm1 one.trexio --rdm2 two.trexio");
  const TrexioFile file(folder_ / "two.trexio", 'r'), single(folder_ / "one.trexio", 'r');
  std::vector<double> one(64), of_single(64), up(64), down(64);
  TrexioFile::require(trexio_read_rdm_1e(file, one.data()));
  TrexioFile::require(trexio_read_rdm_1e(single, of_single.data()));
  TrexioFile::require(trexio_read_rdm_1e_up(file, up.data()));
  TrexioFile::require(trexio_read_rdm_1e_dn(file, down.data()));
  EXPECT_EQ(one, of_single);
  double energy = nh3.core_energy, ups = 0.0, downs = 0.0;
  for (int i = 0; i < 8; ++i) {
    ups += up[9 * i];
    downs += down[9 * i];
    for (int j = 0; j < 8; ++j) {
      energy += one[8 * i + j] * (*nh3.one_electron[alpha])(j, i);
      EXPECT_NEAR(one[8 * i + j], up[8 * i + j] + down[8 * i + j], 1e-14);
    }
  }
  EXPECT_NEAR(ups, 6.0, 1e-10);
  EXPECT_NEAR(downs, 4.0, 1e-10);

  const auto sum = [&](auto size, auto read, auto weight) {
    std::int64_t count = 0;
    TrexioFile::require(size(file, &count));
    std::vector<std::int32_t> at(4 * static_cast<std::size_t>(count));
    std::vector<double> values(static_cast<std::size_t>(count));
    TrexioFile::require(read(file, 0, &count, at.data(), values.data()));
    double total = 0.0;
    for (std::size_t e = 0; e < values.size(); ++e) {
      total += weight(at[4 * e], at[4 * e + 1], at[4 * e + 2], at[4 * e + 3]) * values[e];
    }
    return total;
  };
  energy += 0.5 * sum(trexio_read_rdm_2e_size, trexio_read_rdm_2e,
                      [&](int i, int j, int k, int l) { return (*nh3.alpha_alpha)(k, i, l, j); });
  EXPECT_NEAR(energy, hdf5_numbers(folder_ / "two.trexio", "energies").values.at(0), 1e-9);
  const auto pairs = [](int i, int j, int k, int l) { return i == k && j == l ? 1.0 : 0.0; };
  EXPECT_NEAR(sum(trexio_read_rdm_2e_upup_size, trexio_read_rdm_2e_upup, pairs), 30.0, 1e-9);
  EXPECT_NEAR(sum(trexio_read_rdm_2e_dndn_size, trexio_read_rdm_2e_dndn, pairs), 12.0, 1e-9);
}

TEST_F(Trexio, IsWrittenOfWhatItHasAPlaceForAndOverNothingElse) {
  write_pair();
  expect_refused("pair.mtx --vectors x.trexio", "pair.mtx is a matrix; TREXIO files");
  expect_refused(data + "o2_sto3g_uhf.fcidump --vectors x.trexio", "orbitals of two spins");
  expect_refused(data + "h2_sto3g.fcidump --states 2 --rdm1 x.trexio", "densities of one state");
  EXPECT_FALSE(fs::exists(folder_ / "x.trexio"));
  make("h2.trexio", "h2_sto3g");
  const std::string states = "eigen " + data + "h2_sto3g.fcidump --backend cpu --vectors ";
  expect_says(run(states + "h2.trexio"), "h2.trexio is there and is a TREXIO file");
  EXPECT_EQ(run(states + "x.trexio").status, 0);
  EXPECT_EQ(run(states + "x.trexio").status, 0);
  expect_refused("x.trexio", "a file of eigenstates");
  EXPECT_EQ(run("linear h2.trexio --vectors y.trexio").status, 1);
}

/// Lists of determinants over 66 orbitals: two words a string.
TEST_F(Trexio, HasDeterminantsInTheirOrder) {
  const std::vector<std::int64_t> words{-1, 0, 1, 2, 6, 1, -1, 0};
  for (const back_end_t back_end : {TREXIO_HDF5, TREXIO_TEXT}) {
    const fs::path path = folder_ / (back_end == TREXIO_HDF5 ? "list.trexio" : "text.trexio");
    {
      const TrexioFile file(path, 'w', back_end);
      TrexioFile::require(trexio_write_mo_num(file, 66));
      TrexioFile::require(trexio_write_determinant_list(file, 0, 2, words.data()));
    }
    const DeterminantList list = read_determinants(path, {66}).list;
    EXPECT_EQ(list.alpha,
              (std::vector<OrbitalString>{OrbitalString::lowest(64), OrbitalString::of(1, 2, 64)}));
    EXPECT_EQ(list.beta,
              (std::vector<OrbitalString>{OrbitalString::of(0, 65), OrbitalString::lowest(64)}));
    EXPECT_THROW(read_determinants(path, {65}), InputError);
  }
  fs::copy(folder_ / "list.trexio", folder_ / "list.of_another_name");
  EXPECT_EQ(read_determinants(folder_ / "list.of_another_name", {66}).list.alpha.size(), 2u);
}

TEST_F(Trexio, SaysThatItsDeterminantsAreBeyondTheOrbitalsOrBreakOff) {
  const std::vector<std::int64_t> words{3, 3, 3, 9};
  for (const back_end_t back_end : {TREXIO_HDF5, TREXIO_TEXT}) {
    const TrexioFile file(folder_ / (back_end == TREXIO_HDF5 ? "list.trexio" : "text.trexio"), 'w',
                          back_end);
    TrexioFile::require(trexio_write_mo_num(file, 3));
    TrexioFile::require(trexio_write_determinant_list(file, 0, 2, words.data()));
  }
  const auto expect_error = [&](const char* name, const std::string& expected) {
    try {
      read_determinants(folder_ / name, {3});
      ADD_FAILURE() << name << " was read";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(expected), std::string::npos) << error.what();
    }
  };
  for (const char* name : {"list.trexio", "text.trexio"}) {
    expect_error(name, "the beta string of determinant 2 occupies orbital 4, expected orbitals 1");
  }
  const fs::path text = folder_ / "text.trexio" / "determinant_list.txt";
  ASSERT_TRUE(fs::exists(text));
  fs::resize_file(text, fs::file_size(text) / 2);
  expect_error("text.trexio", "determinant");
  const fs::path numbers = folder_ / "text.trexio" / "determinant.txt";
  ASSERT_TRUE(fs::exists(numbers));
  std::string changed = contents(numbers);
  for (const std::string number : {"2000000000", "9000000000000000000"}) {
    const std::size_t at = changed.find("num ");
    ASSERT_NE(at, changed.npos) << changed;
    changed.replace(at + 4, changed.find('\n', at) - at - 4, number);
    std::ofstream(numbers) << changed;
    expect_error("text.trexio", "determinants");
  }
}

}  // namespace
}  // namespace cisolve

#endif
