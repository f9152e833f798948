// A call of the library inside its caller's process: observers, threads, files, errors.
#include <gtest/gtest.h>
#include <omp.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <future>
#include <string>
#include <vector>

#include "cisolve/cisolve.hpp"
#include "tests/support/library_inputs.hpp"

namespace cisolve {
namespace {

using namespace cisolve::testing;

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

}  // namespace
}  // namespace cisolve
