#include "solvers/start_vectors.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/dense.hpp"
#include "core/mixed.hpp"

namespace cisolve {
namespace {

constexpr double random_part = 1e-3;

}  // namespace

void start_vectors(Backend& backend, const PSpace& p_space, std::uint64_t seed, View y,
                   View scratch) {
  const int found = std::min<int>(y.columns, static_cast<int>(p_space.rows.size()));
  if (found < y.columns) random_vectors(backend, seed, y.slice(found, y.columns - found));
  if (found == 0) return;
  const View lowest = y.slice(0, found);
  backend.fill(0.0, lowest);
  backend.set_rows(p_space.rows, symmetric_eigen(p_space.matrix, found).vectors, lowest);
  if (p_space.rows.size() == static_cast<std::size_t>(y.rows)) return;
  // Uniform in (−1, 1): a vector of n has the length √(n/3).
  random_vectors(backend, seed + 1, scratch.slice(0, found));
  backend.axpby(random_part * std::sqrt(3.0 / y.rows), scratch.slice(0, found), 1.0, lowest);
}

void random_vectors(Backend& backend, std::uint64_t seed, View y) {
  HostMatrix host(y.rows, y.columns);
  const std::uint64_t stream = mixed(seed);
#pragma omp parallel for schedule(static)
  for (Eigen::Index e = 0; e < host.size(); ++e) {
    host.data()[e] = mixed_uniform(stream + static_cast<std::uint64_t>(e));
  }
  backend.upload(host, y);
}

}  // namespace cisolve
