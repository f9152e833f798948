#include "bench/hard_problems.hpp"

#include <yaml-cpp/yaml.h>

#include <cmath>
#include <random>
#include <stdexcept>
#include <utility>

#include "bench/dense_states.hpp"
#include "bench/hard_fields.hpp"
#include "core/dense/dense.hpp"
#include "hamiltonian/integrals/fcidump/fcidump.hpp"
#include "hamiltonian/integrals/hubbard.hpp"
#include "hamiltonian/matrix/ci_matrix.hpp"
#include "hamiltonian/states/spin_matrix.hpp"
#include "solvers/slepc/slepc.hpp"
#include "tests/support/integrals/atomic_shells.hpp"
#include "tests/support/matrices/hard_spectra.hpp"

namespace cisolve::hard {
namespace {

namespace make = testing::hard;
namespace atoms = testing::atoms;

Problem of_matrix(const HostMatrix& dense, int most_states = 12) {
  Problem made;
  made.hamiltonian = testing::from_dense(dense);
  made.most_states = most_states;
  made.lowest = dense_lowest(std::get<CsrMatrix>(made.hamiltonian), most_states).energies;
  return made;
}

/// Problem of all states, or of one multiplicity; with fewer than `most_states` if there are not as
/// many.
Problem of_integrals(const Integrals& integrals, int most_states = 12,
                     const CiSpaceOptions& space = {}, std::optional<int> multiplicity = {}) {
  Problem made;
  made.hamiltonian = integrals;
  made.space = space;
  made.full_ci = !space.ras;
  made.multiplicity = multiplicity;
  const CsrMatrix h = matrix_of(made);
  if (multiplicity) {
    made.s_squared = s_squared_matrix(make_ci_space(integrals, space));
    made.lowest = dense_lowest_of_spin(h, made.s_squared, *multiplicity, most_states);
  } else {
    made.lowest = dense_lowest(h, most_states).energies;
  }
  made.most_states = static_cast<int>(made.lowest.size());
  return made;
}

/// Multiplicity of a space that a number chooses.
int multiplicity_of(const Integrals& integrals, const CiSpaceOptions& options, unsigned number) {
  const CiSpace space = make_ci_space(integrals, options);
  const std::vector<std::int64_t> shells = open_shell_counts(space);
  std::vector<int> there;
  for (int m = std::abs(twice_ms(space)) + 1; m <= integrals.electrons + 1; m += 2) {
    if (states_of_multiplicity(shells, twice_ms(space), m) > 0) there.push_back(m);
  }
  return there[number % there.size()];
}

// Families.

HostMatrix graph(unsigned seed) {
  return seed % 2 == 1 ? make::torus(5 + seed % 13, 7 + seed % 17)
                       : make::hypercube(6 + static_cast<int>(seed % 4));
}
HostMatrix small_blocks(unsigned seed) {
  return make::small_blocks(60 + static_cast<int>(seed % 5) * 40, seed);
}
HostMatrix far_pairs(unsigned seed) {
  return make::far_pairs(300 + static_cast<Index>(seed % 4) * 200, 1 + static_cast<int>(seed % 4),
                         std::pow(10.0, -9.0 - seed % 4), seed);
}
HostMatrix mixed_copies(unsigned seed) {
  return make::mixed_copies(120 + static_cast<Index>(seed % 3) * 40, 2 + static_cast<int>(seed % 4),
                            seed % 2 == 0 ? 0.0 : std::pow(10.0, -12.0 + seed % 5), seed);
}
/// Any of the above in turn.
HostMatrix any_matrix(unsigned seed) {
  constexpr HostMatrix (*kinds[])(unsigned) = {graph, small_blocks, far_pairs, mixed_copies};
  return kinds[seed % 4](seed / 4 + 1);
}

Integrals rotated_ring(unsigned seed) {
  const double u = seed % 3 == 0 ? 0.0 : 0.5 * (seed % 5);
  return make::rotated(hubbard_integrals({.sites = 6, .u = u}), seed);
}

/// Open d and f shells, and p, d and s, d together, of at most 1225 determinants.
Integrals shells(unsigned seed) {
  static const std::vector<std::vector<int>> lists{{2}, {3}, {2}, {0, 2}, {2}, {1, 2}};
  const std::vector<int>& list = lists[seed % 6];
  const unsigned number = seed / 6;
  const int electrons = list.size() == 1 ? 2 + static_cast<int>(number % (4 * list[0] - 1))
                                         : 3 + static_cast<int>(number % 2);
  return atoms::shells(list, electrons, seed % 5 == 0 ? 10.0 : 0.5, seed);
}

/// Atomic shells in a weak field or none, their orbitals mixed at random: levels of 10 to 50 states
/// that are apart by next to nothing.
Integrals rotated_shells(unsigned seed) {
  const double field = seed % 4 == 0 ? 0.0 : std::pow(10.0, -2.0 - seed / 4 % 6);
  return make::rotated(atoms::in_field(shells(seed), field, seed), seed);
}

Problem shell_multiplicity(unsigned seed) {
  Integrals shell = rotated_shells(seed);
  shell.ms2 += 2 * static_cast<int>(seed / 2 % 2);
  return of_integrals(shell, 30, {}, multiplicity_of(shell, {}, seed / 3));
}

Problem hubbard_multiplicity(unsigned seed) {
  constexpr double u[] = {4.0, 0.0, -50.0, 1.0, 50.0, -4.0};
  Integrals ring = hubbard_integrals({.sites = 4 + static_cast<int>(seed % 3), .u = u[seed % 6]});
  if (seed % 4 < 2) ring = make::rotated(ring, seed);
  return of_integrals(ring, 12, {}, multiplicity_of(ring, {}, seed / 2));
}

/// Shells over real harmonics, which have irreps of D2h: all irreps, or one of those that the space
/// has; copies of a level are in several.
Problem irreps(unsigned seed) {
  const Integrals shell = shells(seed);
  CiSpaceOptions space;
  if (seed % 3 != 0) {
    const std::vector<long double> sizes = count_determinants(shell, space);
    std::vector<int> there;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      if (sizes[i] > 0) there.push_back(static_cast<int>(i));
    }
    space.irrep = there[seed / 3 % there.size()];
  }
  std::optional<int> multiplicity;
  if (seed % 2 == 0) multiplicity = multiplicity_of(shell, space, seed / 2);
  return of_integrals(shell, 24, space, multiplicity);
}

/// Solves that begin from exact states, the lowest of which are not among them.
Problem restart(unsigned seed) {
  Problem made = seed % 3 == 0 ? of_integrals(rotated_ring(seed)) : of_matrix(any_matrix(seed));
  const int lacking = 1 + static_cast<int>(seed % 5), vectors = 1 + static_cast<int>(seed / 2 % 6);
  made.start =
      dense_lowest(matrix_of(made), lacking + vectors).vectors.middleCols(lacking, vectors);
  return made;
}

Problem scaled(unsigned seed) {
  const double factor = seed % 2 == 0 ? 1e12 : 1e-12;
  Problem made = of_matrix(factor * any_matrix(seed / 2 + 1));
  made.unit = factor;
  return made;
}

/// Orthogonal, in blocks of those sizes.
HostMatrix rotation_of_blocks(const std::vector<int>& sizes, unsigned seed) {
  std::mt19937 engine(seed);
  int n = 0;
  for (const int size : sizes) n += size;
  HostMatrix q = HostMatrix::Zero(n, n);
  n = 0;
  for (const int size : sizes) {
    q.block(n, n, size, size) = make::random_rotation(size, engine);
    n += size;
  }
  return q;
}

/// Restricted active spaces of which each part is closed under the symmetry, in orbitals that are
/// mixed within the parts: shells p and d of an atom, or the ring's waves.
Problem restricted_active_space(unsigned seed) {
  const auto bits = [](int first, int last) {
    return OrbitalString::lowest(last) & ~OrbitalString::lowest(first);
  };
  Integrals integrals;
  RestrictedActiveSpace ras;
  ras.holes = 1 + static_cast<int>(seed % 2);
  ras.particles = 1 + static_cast<int>(seed / 2 % 2);
  if (seed % 2 == 0) {
    const HostMatrix q = rotation_of_blocks({3, 5}, seed);
    integrals = make::transformed(
        atoms::shells({1, 2}, 4 + static_cast<int>(seed / 4 % 3), 0.5, seed), {q, q});
    ras.ras1 = bits(0, 3);
    ras.ras3 = bits(3, 8);
    ras.particles += integrals.electrons > 5 ? integrals.electrons - 6 : 0;
    ras.holes += integrals.electrons < 6 ? 6 - integrals.electrons : 0;
  } else {
    const Integrals ring = hubbard_integrals({.sites = 6, .u = 0.5 * (seed % 9)});
    HostMatrix h(6, 6);
    for (int p = 0; p < 6; ++p) {
      for (int q = 0; q < 6; ++q) h(p, q) = (*ring.one_electron[alpha])(p, q);
    }
    const HostMatrix q = symmetric_eigen(h).vectors * rotation_of_blocks({1, 2, 2, 1}, seed);
    integrals = make::transformed(ring, {q, q});
    ras.ras1 = bits(0, seed % 4 == 1 ? 1 : 3);
    ras.ras3 = bits(seed % 3 == 0 ? 5 : 3, 6);
  }
  CiSpaceOptions space;
  space.ras = ras;
  std::optional<int> multiplicity;
  if (seed % 3 == 0) multiplicity = multiplicity_of(integrals, space, seed / 3);
  return of_integrals(integrals, 12, space, multiplicity);
}

/// Alpha and beta orbitals mixed by different rotations: neither spin nor symmetry shows itself.
/// Energies are those of the restricted orbitals.
Problem unrestricted(unsigned seed) {
  const Integrals restricted =
      seed % 2 == 0 ? hubbard_integrals({.sites = 6, .u = 0.5 * (seed % 9)}) : shells(seed / 2 + 1);
  std::mt19937 engine(seed);
  const HostMatrix of_alpha = make::random_rotation(restricted.orbitals, engine);
  const HostMatrix of_beta = make::random_rotation(restricted.orbitals, engine);
  Problem made = of_integrals(restricted, 24);
  made.hamiltonian = make::transformed(restricted, {of_alpha, of_beta});
  return made;
}

/// Matrices and integrals, with one more key of the configuration.
Problem with_setting(unsigned seed, const std::string& key, const std::string& value) {
  Problem made = seed % 3 == 0   ? of_integrals(rotated_ring(seed))
                 : seed % 3 == 1 ? of_matrix(any_matrix(seed / 3 + 1))
                                 : of_integrals(make::rotated(shells(seed / 3), seed), 24);
  made.more.push_back({"", key, value});
  made.full_ci = false;
  return made;
}

/// A matrix over K of the real one's eigenvalues, with phases or rotated.
Problem over_field(unsigned seed, int d) {
  const HostMatrix real = any_matrix(seed);
  Problem made = of_matrix(real);
  // A rotation makes rows dense.
  made.over_field = true;
  const bool rotates = seed % 2 == 0 && real.rows() <= 400;
  made.hamiltonian = rotates ? rotated_over(real, d, seed) : with_phases(real, d, seed);
  return made;
}

/// A matrix of quaternions as the complex one that it stands for: every level is there twice.
Problem kramers_pairs(unsigned seed) {
  const HostMatrix real = any_matrix(seed);
  Problem made = of_matrix(real, 6);
  made.over_field = true;
  made.hamiltonian = in_pairs(with_phases(real, 4, seed));
  std::vector<double> twice;
  for (const double energy : made.lowest) twice.insert(twice.end(), 2, energy);
  made.lowest = std::move(twice);
  made.most_states = static_cast<int>(made.lowest.size());
  return made;
}

/// Energies do not change when orbitals are rotated: they are known. The H8 chain, whose solves
/// take seconds, is one in 24.
Problem molecules(unsigned seed, const std::filesystem::path& data) {
  const std::string file = seed % 24 == 23 ? "H8chain_3.0_rand.fcidump"
                           : seed % 2 == 0 ? "H2H2_far_degrot.fcidump"
                                           : "O_631g_cas_rand.fcidump";
  Problem made;
  made.full_ci = true;
  made.hamiltonian = make::rotated(read_fcidump(data / file), seed);
  made.lowest = YAML::LoadFile(data / "energies.yaml")[file].as<std::vector<double>>();
  return made;
}

struct Family {
  const char* name;
  Problem (*make)(unsigned seed, const std::filesystem::path& data);
};

template <HostMatrix (*matrix)(unsigned)>
Problem matrices(unsigned seed, const std::filesystem::path&) {
  return of_matrix(matrix(seed));
}
template <Problem (*problem)(unsigned)>
Problem problems(unsigned seed, const std::filesystem::path&) {
  return problem(seed);
}

const Family all_families[] = {
    {"graph", matrices<graph>},
    {"small-blocks", matrices<small_blocks>},
    {"far-pairs", matrices<far_pairs>},
    {"mixed-copies", matrices<mixed_copies>},
    {"ring-rotated",
     [](unsigned seed, const std::filesystem::path&) { return of_integrals(rotated_ring(seed)); }},
    {"ring-sites",
     [](unsigned seed, const std::filesystem::path&) {
       return of_integrals(hubbard_integrals({.sites = 6, .u = static_cast<double>(seed % 9)}));
     }},
    {"molecules-rotated", molecules},
    {"shell-clusters",
     [](unsigned seed, const std::filesystem::path&) {
       return of_integrals(rotated_shells(seed), 48);
     }},
    {"shell-multiplicity", problems<shell_multiplicity>},
    {"ring-multiplicity", problems<hubbard_multiplicity>},
    {"irreps", problems<irreps>},
    {"restart", problems<restart>},
    {"scaled", problems<scaled>},
    {"ras", problems<restricted_active_space>},
    {"unrestricted", problems<unrestricted>},
    {"float32",
     [](unsigned seed, const std::filesystem::path&) {
       return with_setting(seed, "spmv.off_diagonal", "float32");
     }},
    {"complex", [](unsigned seed, const std::filesystem::path&) { return over_field(seed, 2); }},
    {"quaternion", [](unsigned seed, const std::filesystem::path&) { return over_field(seed, 4); }},
    {"kramers", problems<kramers_pairs>},
    {"slepc",
     [](unsigned seed, const std::filesystem::path&) {
       return with_setting(seed, "solver.engine", "slepc");
     }},
};

}  // namespace

std::vector<std::string> families() {
  std::vector<std::string> names;
  for (const Family& family : all_families) names.emplace_back(family.name);
  return names;
}

std::string missing_for(const std::string& family) {
  return family == "slepc" ? slepc_failure() : "";
}

Problem make_problem(const std::string& family, unsigned seed, const std::filesystem::path& data) {
  for (const Family& known : all_families) {
    if (family != known.name) continue;
    Problem made = known.make(seed, data);
    made.family = family;
    made.seed = seed;
    return made;
  }
  throw std::invalid_argument("no family of problems is called " + family);
}

}  // namespace cisolve::hard
