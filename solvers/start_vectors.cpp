#include "solvers/start_vectors.hpp"

#include <algorithm>
#include <random>

#include "core/dense.hpp"

namespace cisolve {

void p_space_vectors(Backend& backend, const PSpace& p_space, std::uint64_t seed, View y) {
  const int found = std::min<int>(y.columns, static_cast<int>(p_space.rows.size()));
  if (found < y.columns) random_vectors(backend, seed, y.slice(found, y.columns - found));
  if (found == 0) return;
  const View lowest = y.slice(0, found);
  backend.fill(0.0, lowest);
  backend.set_rows(p_space.rows, symmetric_eigen(p_space.matrix, found).vectors, lowest);
}

void random_vectors(Backend& backend, std::uint64_t seed, View y) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  HostMatrix host(y.rows, y.columns);
  for (Eigen::Index i = 0; i < host.size(); ++i) host.data()[i] = uniform(engine);
  backend.upload(host, y);
}

}  // namespace cisolve
