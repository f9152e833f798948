// Threads that wait sleep soon, in any program that is linked with the library, and small loops
// stay on one thread.

#include "core/threads/waiting.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <omp.h>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <thread>
#include <utility>
#include <vector>

#include "core/threads/parallel.hpp"

namespace cisolve {
namespace {

/// A function of OpenBLAS, which came with the library: this program does not name it itself, for
/// then it would be initialised as the program's own, before the library had a say.
template <class Function>
Function* of_openblas(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}
using SetThreads = void(int);
using Gemm = void(const char* trans_a, const char* trans_b, const int* m, const int* n,
                  const int* k, const double* alpha, const double* a, const int* lda,
                  const double* b, const int* ldb, const double* beta, double* c, const int* ldc);

/// Processor time of all threads of this process, seconds.
double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Processor seconds of the other threads in the 10 ms after a call of work(), on average.
template <class Work>
double seconds_after(Work work) {
  constexpr int repetitions = 20;
  double sum = 0.0;
  for (int i = 0; i < repetitions; ++i) {
    work();
    const double before = processor_seconds();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    sum += processor_seconds() - before;
  }
  return sum / repetitions;
}

// The libraries' own settings give 3 to 10 ms and more, for each of the other threads.
constexpr double soon = 1e-3;

TEST(Waiting, ThreadsOfOpenMpSleepSoonAfterALoop) {
  const int before = omp_get_max_threads();
  omp_set_num_threads(2);
  int threads = 0;
  const double seconds = seconds_after([&] {
#pragma omp parallel reduction(+ : threads)
    ++threads;
  });
  omp_set_num_threads(before);
  EXPECT_EQ(threads, 40);
  EXPECT_LT(seconds, soon);
}

TEST(Waiting, ThreadsOfOpenBlasSleepSoonAfterAProduct) {
  const int n = 256;
  const double one = 1.0, zero = 0.0;
  const std::vector<double> a(n * n, 1.0);
  std::vector<double> c(n * n);
  const auto set_threads = of_openblas<SetThreads>("openblas_set_num_threads");
  const auto gemm = of_openblas<Gemm>("dgemm_");
  ASSERT_TRUE(set_threads != nullptr && gemm != nullptr);
  set_threads(2);
  const double seconds = seconds_after(
      [&] { gemm("N", "N", &n, &n, &n, &one, a.data(), &n, a.data(), &n, &zero, c.data(), &n); });
  set_threads(1);
  EXPECT_EQ(c.back(), n);
  EXPECT_LT(seconds, soon);
}

/// The program's value, before the tests' main sets it to 0.
const double ordinary_least_shared_work = least_shared_work;

/// Threads that a loop of so much work is shared out among, where that is decided as in the
/// program.
int threads_of(double work) {
  const double before = std::exchange(least_shared_work, ordinary_least_shared_work);
  int threads = 0;
#pragma omp parallel if (worth_threads(work))
#pragma omp single
  threads = omp_get_num_threads();
  least_shared_work = before;
  return threads;
}

TEST(Waiting, TheLibrariesHaveHeardHowLongToSpin) {
  EXPECT_EQ(take_spinning_note(), "");
}

TEST(Waiting, TheProgramHasItsOwnEnvironment) {
  setenv("CISOLVE_TEST_OF_THE_ENVIRONMENT", "1", 1);
  for (const char* name : {"KMP_BLOCKTIME", "OMP_THREAD_LIMIT"}) {
    EXPECT_EQ(std::getenv(name), nullptr) << name;
  }
}

TEST(Waiting, SmallLoopsStayOnOneThread) {
  EXPECT_EQ(threads_of(1e4), 1);
  EXPECT_EQ(threads_of(1e6), omp_get_max_threads());
}

}  // namespace
}  // namespace cisolve
