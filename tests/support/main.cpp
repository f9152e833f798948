#include <gtest/gtest.h>

#include <omp.h>

#include <algorithm>

#include "core/threads/parallel.hpp"

int main(int argc, char** argv) {
  // Tests' problems are small. Some threads share them anyway, so that races show. Dozens of
  // threads on a machine that others use would wait for each other for minutes, and so would two
  // over vectors of some ten rows, in a million loops.
  cisolve::least_shared_work = 2048.0;
  omp_set_num_threads(std::min(omp_get_max_threads(), 4));
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
