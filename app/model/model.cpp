#include "app/model/model.hpp"

#include "app/model/kramers_model.hpp"
#include "core/error.hpp"

namespace cisolve {

Model::Model() = default;
Model::~Model() = default;

std::unique_ptr<KramersModel> Model::over_kramers_pairs(const RunConfig&) {
  return nullptr;
}

const Determinants& require_determinants(const Model& model, const std::string& what) {
  if (const Determinants* determinants = model.determinants()) return *determinants;
  throw InputError(what + " is of determinants, and " + model.name() + " " + model.nature() +
                   "; it needs integrals of real orbitals (FCIDUMP, TREXIO)");
}

Elements& require_elements(Model& model) {
  if (Elements* elements = model.elements()) return *elements;
  throw InputError(model.name() + ": the matrix is needed, and its elements are not there");
}

}  // namespace cisolve
