#include "hamiltonian/states/pair_excitations.hpp"

#include "core/threads/parallel.hpp"
#include "hamiltonian/space/slater_condon.hpp"

namespace cisolve {
namespace {

std::vector<StringExcitation> excitations(const StringSpace& space, int p, int q) {
  std::vector<StringExcitation> list;
  for (Index i = 0; i < space.size(); ++i) {
    const OrbitalString& s = space.strings[i];
    if (!s.has(p) || s.has(q)) continue;
    const Index to = space.find(s.without(p).with(q));
    if (to >= 0) list.push_back({i, to, excitation_sign(s, q, p)});
  }
  return list;
}

}  // namespace

PairExcitations::PairExcitations(const StringSpace& space) : lists_(pair_index(space.orbitals, 0)) {
  FirstException exception;
#pragma omp parallel for if (worth_threads(Offset{space.size()} * space.orbitals)) schedule(dynamic)
  for (int q = 0; q < space.orbitals; ++q) {
    exception.guard([&] {
      for (int p = 0; p < q; ++p) lists_[pair_index(p, q)] = excitations(space, p, q);
    });
  }
  exception.rethrow();
}

SpinPairExcitations make_pair_excitations(const StringSpace& of_alpha, const StringSpace& of_beta) {
  const auto alphas = std::make_shared<const PairExcitations>(of_alpha);
  const bool shared = of_alpha.strings == of_beta.strings;
  return {alphas, shared ? alphas : std::make_shared<const PairExcitations>(of_beta)};
}

}  // namespace cisolve
