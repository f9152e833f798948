// Selected CI through the library's public headers.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <string>

#include "cisolve/cisolve.hpp"
#include "tests/support/one_thread.hpp"
#include "tests/support/paths.hpp"

namespace cisolve {
namespace {

Hamiltonian nitrogen_of(const DeterminantSettings& determinants = {}) {
  return Hamiltonian::read(test_data() / "n2_sto3g.fcidump", determinants);
}

Selection selected(const Hamiltonian& hamiltonian, const SelectionSettings& selection,
                   const SelectionObserver& observer = {}, int states = 1) {
  EigenSettings settings;
  settings.states = states;
  settings.tolerance = 1e-8;
  Call<SelectionObserver> call;
  call.machine.backend = Device::cpu;
  call.observer = observer;
  return select_states(hamiltonian, settings, selection, call);
}

double full_energy(const Hamiltonian& hamiltonian) {
  EigenSettings settings;
  settings.tolerance = 1e-8;
  Call<EigenObserver> call;
  call.machine.backend = Device::cpu;
  return lowest_eigenstates(hamiltonian, settings, call).states[0].energy;
}

/// Between two lists, where determinants are looked for.
TEST(SelectedStates, EndWithTheLastListWhereAGrowthIsCancelled) {
  SelectionSettings selection;
  selection.determinants = 2000;
  bool listed = false;
  SelectionObserver observer;
  observer.list = [&](const SelectedList& list) {
    listed = list.determinants > 150;
    return true;
  };
  observer.goes_on = [&] { return !listed; };
  const Selection found = selected(nitrogen_of(), selection, observer);
  EXPECT_EQ(found.states.status, SolveStatus::cancelled);
  ASSERT_EQ(found.lists.size(), 2u);
  EXPECT_EQ(found.states.rows, found.lists.back().determinants);
  EXPECT_NEAR(found.states.states[0].energy, found.lists.back().energies[0], 1e-12);
}

/// The hundred determinants of lowest energy of C2 have a triplet for their lowest state, and what
/// is selected for it has its irrep.
TEST(SelectedStates, AreTheLowestOfAllIrreps) {
  const std::filesystem::path file = test_data() / "c2_ccpvdz_frozen_core.fcidump";
  SelectionSettings selection;
  selection.determinants = 800;
  DeterminantSettings of_ground_state;
  of_ground_state.irrep = "0";
  const Selection one = selected(Hamiltonian::read(file, of_ground_state), selection);
  const Selection found = selected(Hamiltonian::read(file), selection);
  EXPECT_EQ(found.lists.size(), one.lists.size());
  EXPECT_NEAR(found.states.states[0].energy, one.states.states[0].energy, 1e-10);
  selection.determinants = 300;
  EXPECT_LE(selected(Hamiltonian::read(file), selection, {}, 3).states.rows, 400);
  selection.determinants = 8000;  // eight hundred to begin with
  const Selection two = selected(Hamiltonian::read(file), selection, {}, 2);
  EXPECT_LT(two.states.states[0].energy, one.states.states[0].energy);
  EXPECT_GT(two.states.states[1].energy - two.states.states[0].energy, 0.005);
}

TEST(SelectedStates, HaveAListWhereTheLookAtIrrepsIsCancelled) {
  for (const int last : {1, 5, 25}) {
    SelectionSettings selection;
    selection.determinants = 2000;
    int asked = 0;
    SelectionObserver observer;
    observer.goes_on = [&] { return ++asked < last; };
    const Selection found = selected(nitrogen_of(), selection, observer);
    EXPECT_EQ(found.states.status, SolveStatus::cancelled);
    EXPECT_EQ(static_cast<std::int64_t>(found.determinants.alpha.size()), found.states.rows);
    EXPECT_GE(found.states.rows, 100);
  }
}

TEST(SelectedStates, AreThoseOfTheirListWithItsDeterminants) {
  SelectionSettings selection;
  selection.determinants = 2000;
  const Selection found = selected(nitrogen_of(), selection, {}, 2);
  ASSERT_EQ(found.states.status, SolveStatus::converged);
  const SelectedList& last = found.lists.back();
  ASSERT_GE(last.determinants, 2000);
  ASSERT_EQ(found.states.rows, last.determinants);
  ASSERT_EQ(static_cast<std::int64_t>(found.determinants.alpha.size()), last.determinants);
  ASSERT_EQ(last.energies.size(), 2u);

  // The list as a caller's own has the same states, in the same order of rows.
  DeterminantSettings listed;
  listed.listed = std::make_shared<const DeterminantArrays>(found.determinants);
  const Hamiltonian over = nitrogen_of(listed);
  const DeterminantMasks rows = determinant_masks(over);
  EXPECT_EQ(rows.alpha, found.determinants.alpha);
  EXPECT_EQ(rows.beta, found.determinants.beta);
  EXPECT_NEAR(full_energy(over), last.energies[0], 1e-9);
  EXPECT_NEAR(found.states.states[0].energy, last.energies[0], 1e-12);
  // Densities of its vectors have as many electrons.
  const DensityMatrices densities = density_matrices(over, {found.states.vectors, 2}, false);
  double electrons = 0.0;
  for (int p = 0; p < densities.orbitals; ++p) {
    electrons += densities.one[static_cast<std::size_t>(p * densities.orbitals + p)];
  }
  EXPECT_NEAR(electrons, 7.0, 1e-9);
}

TEST(SelectedStates, ComeNearerToFullCIWithCorrectionAndAllTheWayWhenComplete) {
  const double exact = full_energy(nitrogen_of());
  SelectionSettings selection;
  selection.determinants = 1000;
  selection.deviation = 0.0;
  const SelectedList part = selected(nitrogen_of(), selection).lists.back();
  EXPECT_GT(part.energies[0], exact);
  EXPECT_LT(std::abs(part.energies[0] + part.corrections[0] - exact),
            0.5 * (part.energies[0] - exact));
  EXPECT_EQ(part.deviations[0], 0.0);

  selection.determinants = 14400;
  const Selection all = selected(nitrogen_of(), selection);
  EXPECT_TRUE(all.complete);
  EXPECT_NEAR(all.states.states[0].energy, exact, 1e-9);
  EXPECT_NEAR(all.lists.back().corrections[0], 0.0, 1e-12);
}

TEST(SelectedStates, HaveDeterminantsOverAllOrbitalsWhereSomeAreFrozen) {
  DeterminantSettings frozen;
  frozen.frozen = {1, 3};
  SelectionSettings selection;
  selection.determinants = 300;
  const Selection found = selected(nitrogen_of(frozen), selection);
  for (const std::uint64_t string : found.determinants.alpha) EXPECT_EQ(string & 0b101, 0b101u);
  DeterminantSettings listed = frozen;
  listed.listed = std::make_shared<const DeterminantArrays>(found.determinants);
  EXPECT_NEAR(full_energy(nitrogen_of(listed)), found.lists.back().energies[0], 1e-9);
}

/// Six orbitals of two irreps, whose forbidden integrals are not quite zero.
Hamiltonian noisy(const DeterminantSettings& determinants) {
  const int n = 6;
  IntegralArrays arrays;
  arrays.orbitals = n;
  arrays.electrons = 6;
  arrays.irreps = {0, 1, 0, 1, 0, 1};
  const auto value = [](int large, int small) { return 0.3 / (1.0 + large - 0.5 * small); };
  std::vector<double> h1(n * n), eri;
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q <= p; ++q) {
      h1[p * n + q] = h1[q * n + p] =
          (arrays.irreps[p] == arrays.irreps[q] ? 1.0 : 1e-13) * (p == q ? p - 6.0 : value(p, q));
    }
  }
  std::vector<int> pairs;
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q <= p; ++q) pairs.push_back(arrays.irreps[p] ^ arrays.irreps[q]);
  }
  const int count = static_cast<int>(pairs.size());
  for (int i = 0; i < count; ++i) {
    for (int j = 0; j <= i; ++j) {
      eri.push_back((pairs[i] == pairs[j] ? 1.0 : 1e-13) * value(i, j));
    }
  }
  arrays.h1 = h1;
  arrays.eri = eri;
  return Hamiltonian::from_integrals(arrays, determinants);
}

TEST(SelectedStates, HaveTheirIrrepWhateverRoundingHasLeft) {
  SelectionSettings selection;
  selection.determinants = 1000;
  for (const char* irrep : {"0", "1"}) {
    DeterminantSettings determinants;
    determinants.irrep = irrep;
    const Hamiltonian hamiltonian = noisy(determinants);
    const Selection found = selected(hamiltonian, selection);
    EXPECT_TRUE(found.complete);
    EXPECT_EQ(found.states.rows, hamiltonian.rows()) << irrep;
    EXPECT_NEAR(found.states.states[0].energy, full_energy(hamiltonian), 1e-9);
  }
}

TEST(SelectedStates, EndWithAnObserver) {
  SelectionSettings selection;
  selection.determinants = 4000;
  int lists = 0;
  SelectionObserver observer;
  observer.list = [&](const SelectedList& list) {
    EXPECT_EQ(list.energies.size(), 1u);
    return ++lists < 2;
  };
  const Selection found = selected(nitrogen_of(), selection, observer);
  EXPECT_EQ(found.states.status, SolveStatus::cancelled);
  ASSERT_EQ(found.lists.size(), 2u);
  EXPECT_EQ(static_cast<std::int64_t>(found.determinants.beta.size()),
            found.lists.back().determinants);
  EXPECT_EQ(found.states.rows, found.lists.back().determinants);

  observer.list = {};
  observer.goes_on = [] { return false; };
  const Selection none = selected(nitrogen_of(), selection, observer);
  EXPECT_EQ(none.states.status, SolveStatus::cancelled);
  EXPECT_TRUE(none.lists.empty());
  EXPECT_EQ(static_cast<std::int64_t>(none.determinants.alpha.size()), none.states.rows);
}

class InterruptedSelection : public ::testing::TestWithParam<bool> {
 protected:
  /// Selection whose observer answers its n-th question by `ask(n)`.
  Selection asked(const std::function<bool(int)>& ask, const std::string& restart = "") {
    SelectionSettings selection;
    if (GetParam()) {
      selection.determinants = 600;
      selection.natural = true;
    } else {
      selection.epsilon = 2e-3;  // whose last list is solved once more
    }
    EigenSettings settings;
    settings.tolerance = 1e-8;
    settings.verify = Verify::off;
    settings.restart = restart;
    Call<SelectionObserver> call;
    call.machine.backend = Device::cpu;
    asked_ = 0;
    call.observer.goes_on = [&] { return ask(++asked_); };
    return select_states(nitrogen_, settings, selection, call);
  }
  /// States, determinants and the last list are of one another.
  static void expect_whole(const Selection& found, const std::string& when) {
    EXPECT_EQ(static_cast<std::int64_t>(found.determinants.alpha.size()), found.states.rows);
    ASSERT_FALSE(found.states.states.empty()) << when;
    if (found.lists.empty()) return;
    const SelectedList& last = found.lists.back();
    EXPECT_EQ(found.states.rows, last.determinants) << when;
    EXPECT_EQ(found.natural.has_value(), last.natural) << when;
    ASSERT_EQ(last.corrections.size(), 1u) << when;
    ASSERT_EQ(last.limits.size(), 1u) << when;
    EXPECT_NEAR(found.states.states[0].energy, last.energies[0], 1e-8) << when;
  }

  static Hamiltonian of_ground_state() {
    DeterminantSettings determinants;
    determinants.irrep = "0";  // of eight, which would be looked at before
    return nitrogen_of(determinants);
  }

  /// Hundreds of selections, of which each has a thousand small loops: threads that share these
  /// would wait for each other beside another test.
  const testing::OneThread one_thread_;
  const Hamiltonian nitrogen_ = of_ground_state();
  int asked_ = 0;
};

TEST_P(InterruptedSelection, EndsWithAWholeListWhereverItIsCancelled) {
  const Selection whole = asked([](int) { return true; });
  const int times = asked_;
  ASSERT_GT(times, 10);
  std::size_t lists = 0;
  for (int last = 1; last < times; ++last) {
    const std::string when = "asked for time " + std::to_string(last);
    const Selection found = asked([&](int n) { return n < last; });
    EXPECT_EQ(found.states.status, SolveStatus::cancelled) << when;
    EXPECT_GE(found.lists.size(), lists) << when;
    lists = found.lists.size();
    expect_whole(found, when);
  }
  EXPECT_GE(lists + 1, whole.lists.size());
}

TEST_P(InterruptedSelection, EndsWithItsLastWholeListWhereverThereIsNoRoom) {
  asked([](int) { return true; });
  const int times = asked_;
  bool kept = false;
  for (const bool ever : {false, true}) {
    for (int first = 1; first <= times; ++first) {
      const std::string when = "no room from time " + std::to_string(first);
      try {
        const Selection found = asked([&](int n) {
          if (ever ? n >= first : n == first) throw ResourceError("no room for it");
          return true;
        });
        kept = true;
        EXPECT_NE(found.ended.find("no room for it"), std::string::npos) << when;
        EXPECT_NE(found.states.report.text().find("no room for it"), std::string::npos) << when;
        ASSERT_FALSE(found.lists.empty()) << when;
        expect_whole(found, when);
      } catch (const ResourceError&) {
        EXPECT_FALSE(kept && !ever) << when << ": lists were finished";
      }
    }
    EXPECT_TRUE(kept);
    kept = false;
  }
}

TEST_P(InterruptedSelection, OfAFileHasItsStatesAtOnce) {
  const std::string file = ::testing::TempDir() + "cisolve_selection_of_" +
                           (GetParam() ? "natural" : "given") + "_orbitals.h5";
  std::filesystem::remove(file);
  SelectionSettings selection;
  selection.determinants = 300;  // the one that goes on wants more
  selection.natural = GetParam();
  EigenSettings settings;
  settings.tolerance = 1e-8;
  Call<SelectionObserver> call;
  call.machine.backend = Device::cpu;
  call.machine.more = {{"", "checkpoint.file", file}};
  const Selection begun = select_states(nitrogen_, settings, selection, call);
  const Selection found = asked([](int) { return false; }, file);
  EXPECT_EQ(found.states.status, SolveStatus::cancelled);
  EXPECT_EQ(found.lists.size(), begun.lists.size());
  expect_whole(found, "at once");
  std::filesystem::remove(file);
}

INSTANTIATE_TEST_SUITE_P(OfNaturalOrbitals, InterruptedSelection, ::testing::Bool());

TEST(SelectedStates, ErrorsSayWhatIsWrong) {
  const auto expect_error = [](const std::function<void()>& call, const std::string& part) {
    try {
      call();
      FAIL() << "no error, expected: " << part;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  SelectionSettings selection;
  selection.determinants = 100;
  selection.epsilon = 1e-3;
  expect_error([&] { selected(nitrogen_of(), selection); }, "both say where to end");
  selection.epsilon.reset();
  selection.deviation = -1.0;
  expect_error([&] { selected(nitrogen_of(), selection); }, "selection.deviation");
  DeterminantSettings cisd;
  cisd.space = Space::cisd;
  expect_error([&] { selected(nitrogen_of(cisd), {}); }, "input.space chooses determinants");
  expect_error([&] { selected(Hamiltonian::read("generate:ci,rows=50"), {}); }, "selection");
  EigenSettings settings;
  settings.project = [](double*, std::int64_t, int) {};
  expect_error([&] { select_states(nitrogen_of(), settings); }, "project");
  Call<SelectionObserver> call;
  const std::vector<double> one(1, 1.0);
  call.start = {one, 1};
  expect_error([&] { select_states(nitrogen_of(), {}, {}, call); }, "start vectors");
}

}  // namespace
}  // namespace cisolve
