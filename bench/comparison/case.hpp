#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "formats/matrix/csr_matrix.hpp"

namespace cisolve::comparison {

/// A matrix whose lowest eigenvalues are known.
struct KnownCase {
  std::string title;   ///< file and space
  std::string source;  ///< where `energies` come from
  std::vector<int> states;
  std::vector<double> energies;  ///< the lowest, ascending, with multiplicity
  std::shared_ptr<const CsrMatrix> matrix;
};

/// Calls `use` for every case of references.yaml in `folder` of which all lowest energies are known
/// and that has at most `largest` rows, with those of `states` that its energies suffice for; and
/// for water in CISDTQ, four states. One matrix is held at a time.
void for_each_case(const std::string& folder, const std::string& only,
                   const std::vector<int>& states, std::int64_t largest,
                   const std::function<void(const KnownCase&)>& use);

}  // namespace cisolve::comparison
