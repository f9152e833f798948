#include "hamiltonian/spinor_product/pair_operator.hpp"

#include "core/forest.hpp"
#include "core/threads/parallel.hpp"

namespace cisolve {
namespace {

using Pair = PairOperator::Pair;

Complex element(const SpinorIntegrals& in, int electrons, const Pair& to, const Pair& from) {
  const auto [p, q] = to;
  const auto [r, s] = from;
  Complex one;
  if (q == s) one += in.h(p, r);
  if (q == r) one -= in.h(p, s);
  if (p == s) one -= in.h(q, r);
  if (p == r) one += in.h(q, s);
  return in.g(p, r, q, s) - in.g(p, s, q, r) + one / static_cast<double>(electrons - 1);
}

std::vector<std::vector<Pair>> blocks_of(const SpinorIntegrals& in, int electrons) {
  std::vector<Pair> pairs;
  for (int q = 1; q < in.spinors; ++q) {
    for (int p = 0; p < q; ++p) pairs.emplace_back(p, q);
  }
  const auto count = static_cast<Index>(pairs.size());
  Forest forest(count);
#pragma omp parallel for if (worth_threads(4.0 * count * count)) schedule(dynamic, 16)
  for (Index i = 0; i < count; ++i) {
    for (Index j = 0; j < i; ++j) {
      if (element(in, electrons, pairs[i], pairs[j]) != Complex()) forest.unite(i, j);
    }
  }
  std::vector<std::vector<Pair>> of_root(pairs.size());
  for (Index i = 0; i < count; ++i) of_root[forest.find(i)].push_back(pairs[i]);
  std::erase_if(of_root, [](const auto& block) { return block.empty(); });
  return of_root;
}

}  // namespace

PairOperator::PairOperator(const SpinorIntegrals& integrals, int electrons)
    : core_energy_(integrals.core_energy) {
  std::size_t elements = 0;
  for (std::vector<Pair>& pairs : blocks_of(integrals, electrons)) {
    const std::size_t n = pairs.size();
    blocks_.push_back({std::move(pairs), elements});
    elements += n * n;
  }
  elements_ = Array<double>(2 * elements);
  for (const Block& block : blocks_) {
    const std::size_t n = block.pairs.size();
#pragma omp parallel for if (worth_threads(8.0 * n * n)) schedule(static)
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        const Complex value = element(integrals, electrons, block.pairs[i], block.pairs[j]);
        const std::size_t at = 2 * (block.first + i * n + j);
        elements_[at] = value.real();
        elements_[at + 1] = value.imag();
      }
    }
  }
}

}  // namespace cisolve
