#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/input/determinants/determinants.hpp"
#include "app/input/elements/built_matrix.hpp"
#include "app/model/model.hpp"
#include "hamiltonian/nuclear/shell_interaction.hpp"
#include "hamiltonian/nuclear/shell_space.hpp"

namespace cisolve {

/// Protons and neutrons in the shells of an interaction file (.snt): a matrix over all determinants
/// of a sector (m-scheme), protons in the place of alpha electrons. States have a J and occupations
/// of the orbits.
class NuclearModel final : public Model {
 public:
  /// Throws InputError where the configuration names no nucleus of these shells, or chooses among
  /// its determinants otherwise; ResourceError where there are too many.
  NuclearModel(ShellInteraction interaction, const InputConfig& config, Units units,
               Storage storage, const Log& log);

  std::string name() const override { return determinants_.name(); }
  std::string nature() const override { return "is of nucleons"; }
  std::string kind() const override { return "shell model"; }
  Units units() const override { return units_; }
  Index rows() override { return determinants_.rows(); }
  std::string row_name(std::int64_t row) const override;
  std::vector<std::string> notes() const override;
  std::vector<Way> ways() override;
  const Determinants* occupations() const override { return &determinants_; }
  std::unique_ptr<StateReader> reader(Backend& backend, const RowOrder* order) const override;
  Elements* elements() override { return &matrix_; }

 private:
  /// A, the sector, the shells and how two-body terms are scaled.
  std::string nucleus() const;

  ShellInteraction interaction_;
  ShellSector sector_;
  Units units_;
  Determinants determinants_;
  BuiltMatrix matrix_;
};

}  // namespace cisolve
