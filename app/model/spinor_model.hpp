#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/input/determinants/determinants.hpp"
#include "app/input/elements/built_matrix.hpp"
#include "app/model/kramers_model.hpp"
#include "app/model/model.hpp"
#include "hamiltonian/spinor/spinor_integrals.hpp"

namespace cisolve {

/// A Hamiltonian over determinants of spinors, with complex integrals: its matrix is complex. If
/// the spinors are Kramers pairs and the electrons odd in number, the integrals are averaged over
/// time reversal (time_average), and the eigenstates are sought over Kramers pairs, unless
/// input.kramers is off. Determinants are told by those of the real integrals that have the same
/// energies (diagonal_integrals).
class SpinorModel final : public Model {
 public:
  /// Throws InputError where the configuration asks for what spinors have not.
  SpinorModel(SpinorIntegrals integrals, const InputConfig& config, Units units, Storage storage,
              const Log& log);

  std::string name() const override { return determinants_.name(); }
  std::string nature() const override { return "is over spinors"; }
  std::string kind() const override { return "FCIDUMP"; }
  Units units() const override { return units_; }
  Index rows() override { return determinants_.rows(); }
  int components() override { return 2; }
  std::string row_name(std::int64_t row) const override;
  std::vector<std::string> notes() const override { return determinants_.notes(); }
  std::vector<Way> ways() override;
  const Determinants* occupations() const override { return &determinants_; }
  std::pair<const SpinorIntegrals*, int> spinors() const override {
    return {&integrals_, file_spinors_};
  }
  std::unique_ptr<KramersModel> over_kramers_pairs(const RunConfig& config) override;
  std::unique_ptr<StateReader> reader(Backend& backend, const RowOrder*) const override {
    return make_spinor_reader(backend, determinants_.space().alpha());
  }
  Elements* elements() override { return &matrix_; }

 private:
  /// The pairs, or why there are none.
  std::optional<KramersPairs> kramers_pairs(const RunConfig& config, std::string& why_not) const;

  Units units_;
  Log log_;
  std::vector<int> frozen_, active_;  ///< of the file's spinors, from 0; no active ones: all others
  int file_spinors_;
  SpinorIntegrals integrals_;  ///< over the active ones
  double kramers_deviation_;   ///< of these, as they were given
  Determinants determinants_;
  BuiltMatrix matrix_;
};

}  // namespace cisolve
