#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/input/elements/built_matrix.hpp"
#include "app/model/model.hpp"
#include "hamiltonian/spinor/kramers/kramers_pairs.hpp"
#include "hamiltonian/spinor/spinor_integrals.hpp"

namespace cisolve {

/// A Hamiltonian over spinors that commutes with time reversal, of an odd number of electrons, as a
/// matrix of quaternions: a row is a pair of determinants, a state stands for a Kramers pair of
/// states (KramersPairs).
class KramersModel final : public Model {
 public:
  /// `whole`, the same Hamiltonian over determinants, and what it is made of have to outlive this.
  KramersModel(const Model& whole, const Determinants& determinants,
               const SpinorIntegrals& integrals, KramersPairs pairs, const Log& log);

  const KramersPairs& pairs() const { return pairs_; }

  std::string name() const override { return whole_.name(); }
  std::string nature() const override { return whole_.nature(); }
  std::string kind() const override { return whole_.kind(); }
  Units units() const override { return whole_.units(); }
  Index rows() override { return matrix_.rows(); }
  int components() override { return 4; }
  std::vector<std::string> notes() const override;
  std::vector<Way> ways() override;
  Elements* elements() override { return &matrix_; }

 private:
  const Model& whole_;
  const Determinants& determinants_;
  const SpinorIntegrals& integrals_;
  KramersPairs pairs_;
  BuiltMatrix matrix_;
};

}  // namespace cisolve
