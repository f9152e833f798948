#include "app/input/same_on_ranks.hpp"

#include <cstdint>
#include <vector>

#include "core/error.hpp"
#include "core/hash.hpp"

namespace cisolve {
namespace {

std::uint64_t hash_of(const AnySpace& space) {
  Hash hash;
  space.for_each([&](std::int64_t, const OrbitalString& a, const OrbitalString& b) {
    for (int k = 0; k < OrbitalString::words_of(OrbitalString::most_orbitals); ++k) {
      const std::uint64_t words[] = {a.word(k), b.word(k)};
      hash.add(words, 2);
    }
  });
  return hash.value();
}

}  // namespace

std::uint64_t hash_of(const Integrals& integrals) {
  Hash hash;
  hash.add(&integrals.core_energy, 1);
  const int electrons[] = {integrals.electrons, integrals.ms2};
  hash.add(electrons, 2);
  for (const std::vector<int>& irreps : integrals.orbital_irreps) {
    hash.add(irreps.data(), irreps.size());
  }
  for (const auto& h : integrals.one_electron) {
    for (int p = 0; p < h->orbitals(); ++p) {
      for (int q = 0; q <= p; ++q) {
        const double element = (*h)(p, q);
        hash.add(&element, 1);
      }
    }
  }
  for (const auto& v : {integrals.alpha_alpha, integrals.alpha_beta, integrals.beta_beta}) {
    for (int pq = 0; pq < v->pairs(); ++pq) {
      hash.add(v->row(pq), static_cast<std::size_t>(v->pairs()));
    }
  }
  return hash.value();
}

void require_on_all_ranks(bool same, Communicator& ranks, const std::string& name,
                          const std::string& what) {
  if (ranks.all(same)) return;
  throw InputError(name + ": the ranks do not read the same " + what);
}

void require_same_integrals(const Determinants& determinants, Communicator& ranks) {
  if (ranks.alone()) return;
  const auto require_same = [&](std::uint64_t mine, const char* what) {
    require_on_all_ranks(ranks.of_first(mine) == mine, ranks, determinants.name(), what);
  };
  require_same(hash_of(determinants.active_integrals()), "integrals");
  if (determinants.listed()) require_same(hash_of(determinants.space()), "list of determinants");
}

}  // namespace cisolve
