#pragma once

#include <cstdint>

#include "backends/backend.hpp"
#include "solvers/p_space.hpp"

namespace cisolve {

/// Fills Y (n × k) with the k lowest eigenvectors of A_PP, zero outside P, each with a random part
/// of length 10⁻³ added: without it a block of the matrix that P misses would never be reached.
/// Where P is the whole space nothing is added; where it has fewer than k rows the columns left
/// are random. `scratch` is n × k.
void start_vectors(Backend& backend, const PSpace& p_space, std::uint64_t seed, View y,
                   View scratch);

/// Fills Y with random numbers, uniform in (−1, 1): the same for the same seed.
void random_vectors(Backend& backend, std::uint64_t seed, View y);

}  // namespace cisolve
