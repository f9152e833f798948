#include "hamiltonian/direct/rows/orbital_labels.hpp"

#include <algorithm>
#include <bit>
#include <bitset>
#include <string>

#include "core/error.hpp"
#include "hamiltonian/space/strings/orbital_string.hpp"

namespace cisolve {
namespace {

/// Spin orbitals, alpha ones first; of restricted integrals those of both spins are one.
constexpr int most_places = 2 * OrbitalString64::most_orbitals;
using Places = std::bitset<most_places>;

/// A basis over GF(2) in which every vector has a leading place that no other one has.
class Basis {
 public:
  /// The remainder of a vector after reduction by the basis.
  Places reduced(Places v) const {
    for (int p = 0; p < most_places; ++p) {
      if (v[p] && of_[p].any()) v ^= of_[p];
    }
    return v;
  }
  /// False where it depends on those here.
  bool add(const Places& vector) {
    const Places v = reduced(vector);
    if (v.none()) return false;
    int leading = 0;
    while (!v[leading]) ++leading;
    for (Places& other : of_) {
      if (other[leading]) other ^= v;
    }
    of_[leading] = v;
    return true;
  }
  /// The vectors orthogonal to all here, of so many places: one for each place that leads none.
  std::vector<Places> orthogonal(int places) const {
    std::vector<Places> result;
    for (int free = 0; free < places; ++free) {
      if (of_[free].any()) continue;
      Places v;
      v[free] = true;
      for (int p = 0; p < places; ++p) v[p] = v[p] || of_[p][free];
      result.push_back(v);
    }
    return result;
  }

 private:
  std::array<Places, most_places> of_;
};

struct Constraints {
  explicit Constraints(const Integrals& integrals)
      : n(integrals.orbitals), places(integrals.unrestricted ? 2 * n : n) {
    for (const Spin spin : {alpha, beta}) add_one_electron(*integrals.one_electron[spin], spin);
    add_two_electron(*integrals.alpha_alpha, alpha, alpha);
    if (!integrals.unrestricted) return;
    add_two_electron(*integrals.alpha_beta, alpha, beta);
    add_two_electron(*integrals.beta_beta, beta, beta);
  }

  int place(Spin spin, int p) const { return places > n && spin == beta ? n + p : p; }
  Places pair(Spin spin, int p, int q) const {
    Places v;
    v.flip(place(spin, p));
    v.flip(place(spin, q));
    return v;
  }
  void add_one_electron(const OneElectron& h, Spin spin) {
    for (int p = 0; p < n; ++p) {
      for (int q = 0; q < p; ++q) {
        if (h(p, q) != 0.0) basis.add(pair(spin, p, q));
      }
    }
  }
  void add_two_electron(const TwoElectron& g, Spin first, Spin second) {
    for (int p = 0; p < n; ++p) {
      for (int q = 0; q <= p; ++q) {
        const double* row = g.row(pair_index(p, q));
        for (int r = 0; r < n; ++r) {
          for (int s = 0; s <= r; ++s) {
            if (row[pair_index(r, s)] != 0.0) basis.add(pair(first, p, q) ^ pair(second, r, s));
          }
        }
      }
    }
  }

  int n, places;
  Basis basis;
};

}  // namespace

OrbitalLabels orbital_labels(const Integrals& integrals) {
  constexpr int most = OrbitalString64::most_orbitals;
  if (integrals.orbitals > most) {
    throw InputError("products without a matrix: " + std::to_string(integrals.orbitals) +
                     " orbitals, expected at most " + std::to_string(most));
  }
  const Constraints constraints(integrals);
  const auto& irreps = integrals.orbital_irreps;
  const bool has_irreps = !irreps[alpha].empty() && !irreps[beta].empty();
  const auto label_of_file = [&](Spin spin, int p) { return has_irreps ? irreps[spin][p] : 0; };

  Basis known;  // what is no news: numbers of electrons, irreps
  std::vector<Places> ones(2);
  int highest = 0;
  for (const Spin spin : {alpha, beta}) {
    for (int p = 0; p < constraints.n; ++p) {
      ones[spin][constraints.place(spin, p)] = true;
      highest = std::max(highest, label_of_file(spin, p));
    }
  }
  for (const Places& v : ones) known.add(v);
  const int file_bits = std::bit_width(static_cast<unsigned>(highest));
  for (int k = 0; k < file_bits; ++k) {
    Places v;
    for (const Spin spin : {alpha, beta}) {
      for (int p = 0; p < constraints.n; ++p) {
        v[constraints.place(spin, p)] = (label_of_file(spin, p) >> k & 1) != 0;
      }
    }
    known.add(v);
  }

  OrbitalLabels labels;
  std::vector<Places> further;
  for (const Places& v : constraints.basis.orthogonal(constraints.places)) {
    if (file_bits + static_cast<int>(further.size()) < 3 && known.add(v)) further.push_back(v);
  }
  labels.further_bits = static_cast<int>(further.size());
  for (const Spin spin : {alpha, beta}) {
    for (int p = 0; p < constraints.n; ++p) {
      int label = label_of_file(spin, p);
      for (const Places& v : further) label = label << 1 | int{v[constraints.place(spin, p)]};
      labels.of[spin].push_back(label);
    }
  }
  return labels;
}

}  // namespace cisolve
