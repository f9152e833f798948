#pragma once

#include <memory>
#include <string>

#include "app/input/callers_product.hpp"
#include "app/model/model.hpp"
#include "hamiltonian/integrals/integrals.hpp"
#include "hamiltonian/spinor/spinor_integrals.hpp"

namespace cisolve {

/// The model of an input: an FCIDUMP or TREXIO file, a matrix file, which may hold it packed, or a
/// generator (`generate:ci,rows=1000`; a Hubbard model stands for an FCIDUMP file). Matrices are
/// known by the extension, FCIDUMP by the first words. A stored matrix is held as `storage` says.
/// Throws InputError where the file is none of these, where keys that choose determinants are set
/// for a matrix, and where the upper triangle is asked for of a matrix that is not symmetric.
std::unique_ptr<Model> open_model(const InputConfig& config, Storage storage = Storage::full,
                                  Log log = {});
/// Throws InputError where the matrix over Kramers pairs is asked for, which is for eigenstates:
/// `user` takes that over determinants.
void refuse_matrix_over_pairs(const InputConfig& config, const std::string& user);
/// The model of integrals that the caller has; `config` chooses determinants, and its file is how
/// messages name them.
std::unique_ptr<Model> open_model(Integrals integrals, const InputConfig& config, Storage storage,
                                  Log log);
/// The model of complex integrals over spinors that the caller has.
std::unique_ptr<Model> open_model(SpinorIntegrals integrals, const InputConfig& config,
                                  Storage storage, Log log);
/// The model of a matrix that the caller has and keeps, held whole.
std::unique_ptr<Model> open_model(std::shared_ptr<const CsrMatrix> matrix,
                                  const InputConfig& config, Storage storage);
/// The model of a matrix of which the caller has the products.
std::unique_ptr<Model> open_model(std::shared_ptr<const CallersProduct> product,
                                  const InputConfig& config);

}  // namespace cisolve
