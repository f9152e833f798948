#pragma once

#include <array>
#include <memory>
#include <utility>

#include "backends/backend.hpp"
#include "cisolve/eigen.hpp"
#include "solvers/eigen/searches/sector_search.hpp"

namespace cisolve {

/// Memory of one sector for a search of it.
struct SectorMemory {
  Index dimension;     ///< of the part of the sector that states are sought in
  View basis, images;  ///< images: none where the method keeps none
  View residuals;
  View olsen;  ///< two vectors, or none
};

/// Traits of an eigensolver beside its SectorSearch. A new one is a search, an EigenMethod and a
/// line of `eigen_methods`.
struct MethodTraits {
  EigenMethod method;
  const char* name;     ///< in run files, flags and reports
  const char* summary;  ///< for the documentation
  /// Methods with the same word build the same basis and go on from each other's checkpoints.
  const char* basis;
  bool corrects;         ///< makes preconditioned corrections, which guard vectors and Olsen's term
                         ///< belong to; else the next block follows from the last
  bool keeps_images;     ///< AV, as large as V
  bool chooses_basis;    ///< takes any largest basis; else always the smallest
  int blocks_at_least;   ///< of its smallest basis
  int blocks_by_choice;  ///< of its largest basis, where nothing is said, in fours
  double rounding;       ///< the residual that a state can have, in units of ε max |A_ii|
  double basis_reads;    ///< times that an iteration reads the whole basis
  std::unique_ptr<SectorSearch> (*make)(Backend&, Preconditioner, const SectorMemory&);
};

std::unique_ptr<SectorSearch> make_davidson(Backend&, Preconditioner, const SectorMemory&);
std::unique_ptr<SectorSearch> make_lobpcg(Backend&, Preconditioner, const SectorMemory&);
std::unique_ptr<SectorSearch> make_lanczos(Backend&, Preconditioner, const SectorMemory&);

// Reads of vectors: one for the projected matrix, one for the residuals, four to make the new
// vectors orthogonal (two passes); of images: one for the residuals. Of Lanczos: the four.
inline constexpr std::array eigen_methods{
    MethodTraits{EigenMethod::davidson, "davidson", "block Davidson, the fewest products",
                 "davidson", true, true, true, 2, 1, 32.0, 7.0 / 2.0, make_davidson},
    // Its images carry their rounding through every iteration, which recombines them.
    MethodTraits{EigenMethod::lobpcg, "lobpcg",
                 "the same with a smaller basis, see solver.max_basis", "davidson", true, true,
                 false, 3, 1, 1024.0, 7.0 / 2.0, make_lobpcg},
    MethodTraits{EigenMethod::lanczos, "lanczos",
                 "thick-restart block Lanczos, which does not precondition and keeps no images of "
                 "its basis, for many more products",
                 "lanczos", false, false, true, 2, 2, 32.0, 4.0, make_lanczos},
};

constexpr const MethodTraits& traits_of(EigenMethod method) {
  for (const MethodTraits& traits : eigen_methods) {
    if (traits.method == method) return traits;
  }
  return eigen_methods[0];
}

/// Methods and their names, as tables of names are.
inline constexpr auto eigen_method_names = [] {
  std::array<std::pair<EigenMethod, const char*>, eigen_methods.size()> names{};
  for (std::size_t i = 0; i < names.size(); ++i) {
    names[i] = {eigen_methods[i].method, eigen_methods[i].name};
  }
  return names;
}();

}  // namespace cisolve
