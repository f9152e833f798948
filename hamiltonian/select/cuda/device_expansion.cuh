#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "backends/backend.hpp"
#include "hamiltonian/integrals/integrals.hpp"
#include "hamiltonian/select/expansion.hpp"
#include "hamiltonian/select/heat_bath.hpp"
#include "hamiltonian/space/strings/orbital_string.hpp"

namespace cisolve {

/// Integrals in device memory, each spin's and mixed ones as Integrals has them.
struct DeviceIntegrals {
  int orbitals, pairs;
  const double *h[2], *g[2], *mixed;  ///< h by pair; g and mixed pairs × pairs

  /// (pq|rs) of one spin, read at the larger pair first.
  __device__ double coulomb(int spin, int p, int q, int r, int s) const {
    const int pq = pair_index(p, q), rs = pair_index(r, s);
    return g[spin][std::size_t(max(pq, rs)) * pairs + min(pq, rs)];
  }
  __device__ const double* mixed_row(int pair) const { return mixed + std::size_t(pair) * pairs; }
};

/// The strings of a list's determinants in device memory.
template <int Words>
struct DeviceList {
  const BasicOrbitalString<Words>* strings[2];
  const Index* string_of[2];  ///< of every row

  __device__ const BasicOrbitalString<Words>& string(int spin, Index row) const {
    return strings[spin][string_of[spin][row]];
  }
};

/// Memory of the above.
template <int Words>
class ExpansionOnDevice {
 public:
  using String = BasicOrbitalString<Words>;

  ExpansionOnDevice(const Expansion& expansion, Backend& backend) : backend_(backend) {
    const auto& [all, space, coefficients, energies] = expansion;
    integrals.orbitals = all.orbitals;
    integrals.pairs = all.alpha_beta->pairs();
    integrals.mixed = upload(*all.alpha_beta);
    for (const Spin spin : {alpha, beta}) {
      const auto& g = spin == alpha ? all.alpha_alpha : all.beta_beta;
      integrals.g[spin] = g == all.alpha_beta ? integrals.mixed : upload(*g);
      std::vector<double> h(static_cast<std::size_t>(integrals.pairs));
      for (int p = 0; p < all.orbitals; ++p) {
        for (int q = 0; q <= p; ++q) h[pair_index(p, q)] = (*all.one_electron[spin])(p, q);
      }
      integrals.h[spin] = keep(numbers_, h);
      const StringSpace& of_spin = spin == alpha ? space.alpha : space.beta;
      std::vector<String> strings;
      strings.reserve(of_spin.strings.size());
      for (const OrbitalString& s : of_spin.strings) strings.emplace_back(s);
      rows.strings[spin] = keep(strings_, strings);
    }
    std::vector<Index> of_alpha(static_cast<std::size_t>(space.size())), of_beta(of_alpha);
#pragma omp parallel for schedule(static)
    for (Index a = 0; a < space.alpha.size(); ++a) {
      for (const auto& [b, row] : space.determinants_of(a)) {
        of_alpha[row] = a;
        of_beta[row] = b;
      }
    }
    rows.string_of[alpha] = keep(indices_, of_alpha);
    rows.string_of[beta] = keep(indices_, of_beta);
  }

  DeviceIntegrals integrals{};
  DeviceList<Words> rows{};

 private:
  template <class T, class Container>
  const T* keep(std::vector<Buffer<T>>& kept, const Container& host) {
    kept.push_back(Buffer<T>::from_host(backend_, host));
    return kept.back().data();
  }
  const double* upload(const TwoElectron& g) {
    return keep(numbers_, std::span(g.row(0), std::size_t(g.pairs()) * g.pairs()));
  }

  Backend& backend_;
  std::vector<Buffer<double>> numbers_;
  std::vector<Buffer<String>> strings_;
  std::vector<Buffer<Index>> indices_;
};

}  // namespace cisolve
