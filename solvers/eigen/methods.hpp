#pragma once

#include <memory>

#include "backends/backend.hpp"
#include "cisolve/eigen.hpp"
#include "solvers/eigen/sector_search.hpp"

namespace cisolve {

/// Memory of one sector for a search of it.
struct SectorMemory {
  Index dimension;     ///< of the part of the sector that states are sought in
  View basis, images;  ///< images: none where the method keeps none
  View residuals;
  View olsen;  ///< two vectors, or none
};

/// Traits of an eigensolver beside its SectorSearch. A new one is an EigenMethod and a file
/// searches/NAME.cpp with the search and a function NAME_eigen_method() that returns these.
struct EigenMethodTraits {
  EigenMethod method;
  const char* summary;  ///< for the documentation
  /// Methods with the same word build the same basis and go on from each other's checkpoints.
  const char* basis;
  bool corrects = false;      ///< makes preconditioned corrections, which guard vectors and Olsen's
                              ///< term belong to; else the next block follows from the last
  bool keeps_images = false;  ///< AV, as large as V
  bool chooses_basis = false;  ///< takes any largest basis; else always the smallest
  int blocks_at_least;         ///< of its smallest basis
  int blocks_by_choice;        ///< of its largest basis, where nothing is said, in fours
  double rounding;             ///< the residual that a state can have, in units of ε max |A_ii|
  double basis_reads;          ///< times that an iteration reads the whole basis
  std::unique_ptr<SectorSearch> (*make)(Backend&, Preconditioner, const SectorMemory&);
};

const EigenMethodTraits& traits_of(EigenMethod method);

}  // namespace cisolve
