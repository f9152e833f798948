#include <gtest/gtest.h>

#include <omp.h>

#include <algorithm>

#include "core/threads/parallel.hpp"

int main(int argc, char** argv) {
  // Tests' problems are small. Some threads share them all the same, so that races show; dozens of
  // them, on a machine that others use, would spend minutes on waiting for each other, and so would
  // two over vectors of some ten rows, in a million of loops.
  cisolve::least_shared_work = 2048.0;
  omp_set_num_threads(std::min(omp_get_max_threads(), 4));
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
