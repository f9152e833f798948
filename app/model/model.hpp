#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/input/determinants/determinants.hpp"
#include "app/input/elements/elements.hpp"
#include "app/ways/way.hpp"

namespace cisolve {

class KramersModel;
struct SpinorIntegrals;

/// The Hamiltonian, or other matrix, that a user has. Answers for what its rows are and how it can
/// be multiplied; a question that does not apply to it has no answer. Each model is a class of its
/// own, and who uses one never asks which.
class Model {
 public:
  Model();
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;
  virtual ~Model();

  /// Name in messages: the file.
  virtual std::string name() const = 0;
  /// Why it has no determinants of alpha and beta electrons, for errors.
  virtual std::string nature() const { return "is a matrix"; }
  /// Name of the kind of input: "FCIDUMP", "TREXIO", "matrix".
  virtual std::string kind() const = 0;
  /// Unit of its elements; never `automatic`.
  virtual Units units() const = 0;
  /// Rows of its vectors, soon known. Throws InputError where they are too many.
  virtual Index rows() = 0;
  /// Real numbers of an element of its matrix and vectors: 1, of complex ones 2, of quaternions 4.
  virtual int components() { return 1; }
  /// Name of a row for people, a determinant's occupation; empty: it is known by its number, or
  /// `determinants` tell.
  virtual std::string row_name(std::int64_t /*row*/) const { return ""; }
  /// Notes for the user, one sentence each.
  virtual std::vector<std::string> notes() const { return {}; }

  /// The ways to multiply with it, in the order in which they are tried.
  virtual std::vector<Way> ways() = 0;
  /// Its rows as determinants; null where they are none, or of spinors.
  virtual const Determinants* determinants() const { return nullptr; }
  /// The occupation of its rows; of determinants of spinors all electrons are alpha ones, of
  /// nucleons protons have the alpha strings. Null where rows have none.
  virtual const Determinants* occupations() const { return determinants(); }
  /// Integrals over the active spinors that its rows are determinants of, and the number of spinors
  /// that there are; null where they are of something else.
  virtual std::pair<const SpinorIntegrals*, int> spinors() const { return {nullptr, 0}; }
  /// This Hamiltonian over Kramers pairs, for eigenstates; it must not outlive this one. Null if it
  /// has none or the configuration forbids it. Throws InputError if it is asked for and there is
  /// none.
  virtual std::unique_ptr<KramersModel> over_kramers_pairs(const RunConfig& config);
  /// Reads states over its rows, where these are no rows of a matrix and no `determinants`; else
  /// null. `order`: how callers have the rows, as Basis::callers.
  virtual std::unique_ptr<StateReader> reader(Backend& /*backend*/,
                                              const RowOrder* /*order*/) const {
    return nullptr;
  }
  /// Its elements; null where they cannot be had.
  virtual Elements* elements() { return nullptr; }
  /// Other determinants over the same integrals; null where rows are none.
  virtual std::unique_ptr<Model> of(const SpaceChoice& /*choice*/, Storage, const Log&) const {
    return nullptr;
  }
  /// A list of determinants over the active orbitals of the same integrals; null where rows are
  /// none.
  virtual std::unique_ptr<Model> over(std::shared_ptr<const AnySpace> /*list*/, Storage,
                                      const Log&) const {
    return nullptr;
  }
  /// The Hamiltonian over the orbitals in the columns of C, orbitals × orbitals; null where rows
  /// are no determinants. Throws InputError where orbitals are not restricted.
  virtual std::unique_ptr<Model> over_orbitals(const HostMatrix& /*c*/, Storage, const Log&) const {
    return nullptr;
  }
  /// For an error, where its space has no room: what would fit in such memory, or nothing.
  virtual std::string smaller(const RunConfig& /*config*/, const MemoryAvailable&) { return ""; }
};

/// The determinants of a model. Throws InputError, which begins with what asks for them, where its
/// rows are none.
const Determinants& require_determinants(const Model& model, const std::string& what);
/// The elements of a model. Throws InputError where they cannot be had.
Elements& require_elements(Model& model);

}  // namespace cisolve
