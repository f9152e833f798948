#include "hamiltonian/space/nonzeros.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "core/binomial.hpp"
#include "hamiltonian/space/slater_condon.hpp"
#include "hamiltonian/space/space_shape.hpp"

namespace cisolve {
namespace {

/// Orbitals that no count tells apart: of one irrep, and both or neither in RAS1 and in RAS3.
struct OrbitalClass {
  int irrep = 0;
  bool ras1 = false, ras3 = false;
  auto operator<=>(const OrbitalClass&) const = default;
};

/// Classes by number, ascending.
using Classes = std::vector<int>;

/// Classes that one spin's electrons leave, and those that they enter.
struct Move {
  Classes from, to;
};

/// Strings by irrep, holes in RAS1 and electrons in RAS3.
class StringCounts {
 public:
  StringCounts(int irreps, int holes, int particles)
      : holes_(holes + 1),
        particles_(particles + 1),
        counts_(static_cast<std::size_t>(irreps) * holes_ * particles_) {}
  double& at(int irrep, int holes, int particles) {
    return counts_[(static_cast<std::size_t>(irrep) * holes_ + holes) * particles_ + particles];
  }
  double at(int irrep, int holes, int particles) const {
    return counts_[(static_cast<std::size_t>(irrep) * holes_ + holes) * particles_ + particles];
  }

 private:
  int holes_, particles_;
  std::vector<double> counts_;
};

/// Counts the determinants of a space that an excitation connects.
class Counter {
 public:
  explicit Counter(const SpaceShape& shape);

  int irreps() const { return irreps_; }
  int classes() const { return static_cast<int>(classes_.size()); }
  int class_of(Spin spin, int orbital) const { return class_of_[spin][orbital]; }
  /// Numbers by irrep; empty for an excitation between irreps.
  std::vector<double> determinants(const Move& of_alpha, const Move& of_beta);

 private:
  const StringCounts& strings(Spin spin, const Move& move);

  int irreps_, holes_, particles_;
  std::vector<OrbitalClass> classes_;
  std::array<std::vector<int>, 2> class_of_;
  std::array<std::vector<int>, 2> orbitals_;  ///< of each class
  std::array<int, 2> electrons_;
  std::array<std::map<std::pair<int, Classes>, StringCounts>, 2> known_;
};

Counter::Counter(const SpaceShape& shape)
    : irreps_(shape.alpha.irreps), electrons_{shape.alpha.electrons, shape.beta.electrons} {
  const std::array<const StringSpace*, 2> spaces{&shape.alpha, &shape.beta};
  std::array<std::vector<OrbitalClass>, 2> found;
  int ras1 = 0, ras3 = 0;
  for (const Spin spin : {alpha, beta}) {
    const StringSpace& space = *spaces[spin];
    ras1 += space.ras1.count();
    ras3 += space.ras3.count();
    for (int p = 0; p < space.orbitals; ++p) {
      found[spin].push_back(
          {space.irrep(OrbitalString::of(p)), space.ras1.has(p), space.ras3.has(p)});
    }
    classes_.insert(classes_.end(), found[spin].begin(), found[spin].end());
  }
  holes_ = std::min(shape.holes, ras1);
  particles_ = std::min(shape.particles, ras3);
  std::ranges::sort(classes_);
  classes_.erase(std::ranges::unique(classes_).begin(), classes_.end());
  for (const Spin spin : {alpha, beta}) {
    orbitals_[spin].assign(classes_.size(), 0);
    for (const OrbitalClass& c : found[spin]) {
      const auto number =
          static_cast<int>(std::ranges::lower_bound(classes_, c) - classes_.begin());
      class_of_[spin].push_back(number);
      ++orbitals_[spin][number];
    }
  }
}

/// Strings of the electrons that stay, over the orbitals that the others neither leave nor go to.
const StringCounts& Counter::strings(Spin spin, const Move& move) {
  Classes taken = move.from;
  taken.insert(taken.end(), move.to.begin(), move.to.end());
  std::ranges::sort(taken);
  const int electrons = electrons_[spin] - static_cast<int>(move.from.size());
  auto& known = known_[spin];
  if (const auto at = known.find({electrons, taken}); at != known.end()) return at->second;
  std::vector<StringCounts> by_electrons(std::max(electrons, 0) + 1,
                                         StringCounts(irreps_, holes_, particles_));
  by_electrons[0].at(0, 0, 0) = electrons < 0 ? 0.0 : 1.0;
  for (int c = 0; c < classes(); ++c) {
    const OrbitalClass& of = classes_[c];
    const int n = orbitals_[spin][c] - static_cast<int>(std::ranges::count(taken, c));
    std::vector<StringCounts> next(by_electrons.size(), StringCounts(irreps_, holes_, particles_));
    for (int e = 0; e <= electrons; ++e) {
      for (int k = 0; k <= std::min(n, electrons - e); ++k) {
        const double ways = binomial(n, k);
        const int more_holes = of.ras1 ? n - k : 0, more_particles = of.ras3 ? k : 0;
        for (int g = 0; g < irreps_; ++g) {
          const int product = k % 2 == 1 ? irrep_product(g, of.irrep) : g;
          for (int h = 0; h + more_holes <= holes_; ++h) {
            for (int p = 0; p + more_particles <= particles_; ++p) {
              next[e + k].at(product, h + more_holes, p + more_particles) +=
                  ways * by_electrons[e].at(g, h, p);
            }
          }
        }
      }
    }
    by_electrons = std::move(next);
  }
  const auto counts = by_electrons[std::max(electrons, 0)];
  return known.emplace(std::pair{electrons, std::move(taken)}, counts).first->second;
}

std::vector<double> Counter::determinants(const Move& of_alpha, const Move& of_beta) {
  int irrep = 0, other_irrep = 0;
  int holes = 0, other_holes = 0, particles = 0, other_particles = 0;  // of what moves
  for (const Move* move : {&of_alpha, &of_beta}) {
    for (const int c : move->from) {
      irrep = irrep_product(irrep, classes_[c].irrep);
      other_holes += classes_[c].ras1 ? 1 : 0;
      particles += classes_[c].ras3 ? 1 : 0;
    }
    for (const int c : move->to) {
      other_irrep = irrep_product(other_irrep, classes_[c].irrep);
      holes += classes_[c].ras1 ? 1 : 0;
      other_particles += classes_[c].ras3 ? 1 : 0;
    }
  }
  std::vector<double> result(irreps_, 0.0);
  const int holes_left = holes_ - std::max(holes, other_holes);
  const int particles_left = particles_ - std::max(particles, other_particles);
  if (irrep != other_irrep || holes_left < 0 || particles_left < 0) return result;
  const StringCounts &a = strings(alpha, of_alpha), &b = strings(beta, of_beta);
  for (int ga = 0; ga < irreps_; ++ga) {
    for (int gb = 0; gb < irreps_; ++gb) {
      double& sum = result[irrep_product(ga, gb, irrep)];
      for (int ha = 0; ha <= holes_left; ++ha) {
        for (int pa = 0; pa <= particles_left; ++pa) {
          const double of_a = a.at(ga, ha, pa);
          if (of_a == 0.0) continue;
          for (int hb = 0; ha + hb <= holes_left; ++hb) {
            for (int pb = 0; pa + pb <= particles_left; ++pb) sum += of_a * b.at(gb, hb, pb);
          }
        }
      }
    }
  }
  return result;
}

/// Numbers of excitations by the classes of up to four orbitals.
class ByClasses {
 public:
  explicit ByClasses(int classes) : classes_(classes), counts_(power(4)) {}
  double& at(int a, int b, int c, int d) {
    return counts_[((static_cast<std::size_t>(a) * classes_ + b) * classes_ + c) * classes_ + d];
  }
  /// Calls visit(a, b, c, d, count) where there are some.
  template <class Visit>
  void for_each(Visit visit) const {
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      if (counts_[i] == 0.0) continue;
      const auto digit = [&](int k) { return static_cast<int>(i / power(k) % classes_); };
      visit(digit(3), digit(2), digit(1), digit(0), counts_[i]);
    }
  }

 private:
  std::size_t power(int k) const {
    std::size_t result = 1;
    for (; k > 0; --k) result *= classes_;
    return result;
  }

  int classes_;
  std::vector<double> counts_;
};

/// Answer whether a single excitation between two orbitals, in either direction, has a nonzero
/// element.
enum class SingleIs { never, perhaps, always };

SingleIs single_of(const SpinIntegrals& same, const TwoElectron& mixed, Spin spin, int p, int q,
                   int orbitals) {
  bool field = false;
  for (int i = 0; i < orbitals && !field; ++i) {
    const double other = spin == alpha ? mixed(p, q, i, i) : mixed(i, i, p, q);
    const bool stays = i != p && i != q;
    field = other != 0.0 || (stays && same.coulomb(p, q, i, i) - same.coulomb(p, i, i, q) != 0.0);
  }
  if (field) return SingleIs::perhaps;
  return same.h(p, q) != 0.0 ? SingleIs::always : SingleIs::never;
}

class Bounds {
 public:
  Bounds(const Integrals& integrals, const SpaceShape& shape)
      : integrals_(integrals), counter_(shape), bounds_(counter_.irreps()) {}

  std::vector<NonzeroBounds> take() {
    add(1.0, {}, {}, true);
    for (const Spin spin : {alpha, beta}) {
      add_singles(spin);
      add_doubles(spin);
    }
    add_mixed();
    return std::move(bounds_);
  }

 private:
  void add(double count, const Move& of_alpha, const Move& of_beta, bool surely) {
    const std::vector<double> determinants = counter_.determinants(of_alpha, of_beta);
    for (std::size_t g = 0; g < bounds_.size(); ++g) {
      bounds_[g].most += count * determinants[g];
      if (surely) bounds_[g].fewest += count * determinants[g];
    }
  }
  void add_of(Spin spin, double count, const Move& move, bool surely) {
    spin == alpha ? add(count, move, {}, surely) : add(count, {}, move, surely);
  }
  SpinIntegrals of_spin(Spin spin) const {
    const auto& two = spin == alpha ? integrals_.alpha_alpha : integrals_.beta_beta;
    return {*integrals_.one_electron[spin], *two};
  }
  void add_singles(Spin spin);
  void add_doubles(Spin spin);
  void add_mixed();

  const Integrals& integrals_;
  Counter counter_;
  std::vector<NonzeroBounds> bounds_;
};

void Bounds::add_singles(Spin spin) {
  std::map<std::array<int, 2>, std::array<double, 2>> found;  // perhaps, always
  const SpinIntegrals same = of_spin(spin);
  for (int p = 0; p < integrals_.orbitals; ++p) {
    for (int q = 0; q < p; ++q) {
      const SingleIs is = single_of(same, *integrals_.alpha_beta, spin, p, q, integrals_.orbitals);
      if (is == SingleIs::never) continue;
      auto& counts = found[{counter_.class_of(spin, p), counter_.class_of(spin, q)}];
      counts[is == SingleIs::always] += 2.0;
    }
  }
  for (const auto& [classes, counts] : found) {
    const Move move{{classes[0]}, {classes[1]}};
    add_of(spin, counts[0], move, false);
    add_of(spin, counts[1], move, true);
  }
}

void Bounds::add_doubles(Spin spin) {
  ByClasses found(counter_.classes());
  const SpinIntegrals same = of_spin(spin);
  const auto class_of = [&](int p) { return counter_.class_of(spin, p); };
  const auto find = [&](int p, int q, int r, int s) {
    if (double_value(same, p, q, r, s) == 0.0) return;
    found.at(class_of(p), class_of(q), class_of(r), class_of(s)) += 2.0;
  };
  for (int d = 0; d < integrals_.orbitals; ++d) {
    for (int c = 0; c < d; ++c) {
      for (int b = 0; b < c; ++b) {
        for (int a = 0; a < b; ++a) {
          find(a, b, c, d);
          find(a, c, b, d);
          find(a, d, b, c);
        }
      }
    }
  }
  found.for_each([&](int p, int q, int r, int s, double count) {
    add_of(spin, count, {{p, q}, {r, s}}, true);
  });
}

void Bounds::add_mixed() {
  ByClasses found(counter_.classes());
  for (int p = 0; p < integrals_.orbitals; ++p) {
    for (int q = 0; q < p; ++q) {
      const double* row = integrals_.alpha_beta->row(pair_index(p, q));
      for (int r = 0; r < integrals_.orbitals; ++r) {
        for (int s = 0; s < r; ++s) {
          if (row[pair_index(r, s)] == 0.0) continue;
          found.at(counter_.class_of(alpha, p), counter_.class_of(alpha, q),
                   counter_.class_of(beta, r), counter_.class_of(beta, s)) += 2.0;
        }
      }
    }
  }
  found.for_each([&](int p, int q, int r, int s, double count) {
    add(count, {{p}, {q}}, {{r}, {s}}, true);
    add(count, {{p}, {q}}, {{s}, {r}}, true);
  });
}

}  // namespace

std::vector<NonzeroBounds> bound_nonzeros(const Integrals& integrals,
                                          const CiSpaceOptions& options) {
  return Bounds(integrals, shape_of_all_irreps(integrals, options)).take();
}

}  // namespace cisolve
