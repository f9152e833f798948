#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/input/determinants/determinants.hpp"
#include "app/input/elements/built_matrix.hpp"
#include "app/model/model.hpp"

namespace cisolve {

/// A Hamiltonian over the determinants of integrals: a molecule's, of an FCIDUMP or TREXIO file or
/// a caller, or a model's that are generated.
class MolecularModel final : public Model {
 public:
  /// `kind`: what the integrals came as. `storage`: how a matrix is to be held.
  MolecularModel(Determinants determinants, std::string kind, Units units, Storage storage,
                 const Log& log);

  std::string name() const override { return determinants_.name(); }
  std::string kind() const override { return kind_; }
  Units units() const override { return units_; }
  Index rows() override { return determinants_.rows(); }
  std::vector<std::string> notes() const override { return determinants_.notes(); }
  std::vector<Way> ways() override;
  const Determinants* determinants() const override { return &determinants_; }
  Elements* elements() override { return &matrix_; }
  std::unique_ptr<Model> of(const SpaceChoice& choice, Storage storage,
                            const Log& log) const override;
  std::unique_ptr<Model> over(std::shared_ptr<const AnySpace> list, Storage storage,
                              const Log& log) const override;
  std::unique_ptr<Model> over_orbitals(const HostMatrix& c, Storage storage,
                                       const Log& log) const override;
  std::string smaller(const RunConfig& config, const MemoryAvailable& available) override;

 private:
  std::string kind_;
  Units units_;
  Determinants determinants_;
  BuiltMatrix matrix_;
};

}  // namespace cisolve
