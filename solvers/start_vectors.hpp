#pragma once

#include <cstdint>

#include "backends/backend.hpp"
#include "solvers/p_space.hpp"

namespace cisolve {

/// Fills Y (n × k) with the k lowest eigenvectors of A_PP, zero outside P; where P has fewer than k
/// rows the columns left are random.
void p_space_vectors(Backend& backend, const PSpace& p_space, std::uint64_t seed, View y);

/// Fills Y with random numbers, uniform in (−1, 1): the same for the same seed.
void random_vectors(Backend& backend, std::uint64_t seed, View y);

}  // namespace cisolve
