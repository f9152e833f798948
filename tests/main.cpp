#include <gtest/gtest.h>

#include "core/parallel.hpp"
#include "core/waiting.hpp"

int main(int argc, char** argv) {
  cisolve::sleep_while_waiting(argv);
  // Tests' problems are small. Many threads share them all the same, so that races show.
  cisolve::least_shared_work = 0.0;
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
