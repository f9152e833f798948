#include "hamiltonian/states/pair_excitations.hpp"

#include "core/parallel.hpp"
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

SpinPairExcitations make_pair_excitations(const CiSpace& space) {
  const auto of_alpha = std::make_shared<const PairExcitations>(space.alpha);
  const bool shared = space.alpha.strings == space.beta.strings;
  return {of_alpha, shared ? of_alpha : std::make_shared<const PairExcitations>(space.beta)};
}

}  // namespace cisolve
