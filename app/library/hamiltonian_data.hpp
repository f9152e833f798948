#pragma once

#include <memory>

#include "app/config/config.hpp"
#include "app/input/callers_product.hpp"
#include "app/model/model.hpp"
#include "cisolve/hamiltonian.hpp"
#include "core/log.hpp"
#include "formats/matrix/csr_matrix.hpp"
#include "hamiltonian/integrals/integrals.hpp"
#include "hamiltonian/spinor/spinor_integrals.hpp"

namespace cisolve {

/// The input behind a Hamiltonian of the library: a file, or one of the other four.
class Hamiltonian::Data {
 public:
  InputConfig input;  ///< its file is how messages name what is no file
  std::shared_ptr<const Integrals> integrals = {};
  std::shared_ptr<const SpinorIntegrals> spinors = {};
  std::shared_ptr<const CsrMatrix> matrix = {};
  std::shared_ptr<const CallersProduct> product = {};

  bool is_file() const { return !integrals && !spinors && !matrix && !product; }
  std::unique_ptr<Model> open(Storage storage, const Log& log) const;
};

}  // namespace cisolve
