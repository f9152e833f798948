#include "hamiltonian/spinor/spinor_integrals.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

#include "core/memory.hpp"
#include "core/threads/parallel.hpp"

namespace cisolve {
namespace {

/// Real numbers of so many integrals, once the host is known to have room for them.
std::size_t numbers_for(int spinors) {
  const auto n = static_cast<std::size_t>(spinors);
  const std::size_t numbers = 2 * n * n * n * n;
  require_host_memory(static_cast<double>(numbers * sizeof(double)),
                      "integrals (pq|rs) over " + std::to_string(spinors) + " spinors");
  return numbers;
}

}  // namespace

FourfoldTwoElectron::FourfoldTwoElectron(int spinors)
    : spinors_(static_cast<std::size_t>(spinors)), values_(numbers_for(spinors)) {
  prefer_huge_pages(values_.data(), values_.size() * sizeof(double));
  const auto rows = static_cast<std::ptrdiff_t>(spinors_ * spinors_);
#pragma omp parallel for if (worth_threads(values_.size())) schedule(static)
  for (std::ptrdiff_t i = 0; i < rows; ++i)
    std::fill_n(values_.data() + 2 * rows * i, 2 * rows, 0.0);
}

void FourfoldTwoElectron::set(int p, int q, int r, int s, Complex value) {
  const bool real = (p == q && r == s) || (p == s && q == r);
  if (real) value = value.real();
  put(place(p, q, r, s), value);
  put(place(r, s, p, q), value);
  if (real) return;
  put(place(q, p, s, r), std::conj(value));
  put(place(s, r, q, p), std::conj(value));
}

}  // namespace cisolve
