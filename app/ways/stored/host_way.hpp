#pragma once

#include <memory>

#include "app/input/elements/elements.hpp"
#include "app/ways/way.hpp"

namespace cisolve {

/// The matrix in CSR in host memory, as a file has it, decoded, or built of determinants when it is
/// first needed, on its way to a format; where `auto` has no room for csr, half of it.
class HostMatrixHeld : public HeldMatrix {
 public:
  /// Counts the nonzeros of determinants: throws ResourceError as soon as it is sure that the host
  /// has no room for them, with the spaces of which it would have.
  HostMatrixHeld(const WayRequest& request, Elements& elements, const Determinants* determinants);

  std::shared_ptr<const Basis> basis() override { return basis_; }
  std::optional<Offset> nonzeros() override { return outline().nonzeros(); }
  int components() override { return components_; }
  std::string size_text() override { return elements_.size_text(); }
  MemoryNeed memory(const MemoryNeed& solver, int columns) override;
  MemoryAvailable bytes_in_place() const override { return {.host = elements_.loaded_bytes()}; }
  void build() override { matrix(); }
  Array<double> diagonal() override;
  HostMatrix principal_submatrix(const std::vector<Index>& rows) override;
  Sectors sectors(const CsrMatrix* s_squared) override;
  bool symmetric() override;
  Fingerprint fingerprint() override { return cisolve::fingerprint(matrix()); }
  std::shared_ptr<const CsrMatrix> own_csr() override;
  MadeOperator make(int columns, bool symmetric) override;
  std::unique_ptr<StateReader> reader() override;

  /// Goes over to half storage where that has room: of determinants, whose matrix is symmetric and
  /// not built yet.
  void take_half(const WayRequest& request);

 protected:
  /// The elements as they are held; they are spent.
  const CsrMatrix& matrix();
  /// Releases the matrix; it is the caller's alone if nobody else has asked.
  std::shared_ptr<const CsrMatrix> release();
  /// In its format, released.
  std::unique_ptr<LinearOperator> made_operator();

  Backend& backend_;
  const SpmvConfig& options_;

 private:
  const CsrMatrix& outline() { return matrix_ ? *matrix_ : elements_.outline(); }

  Elements& elements_;
  const Determinants* determinants_;  ///< null: rows are those of a matrix
  int components_;
  bool requires_symmetric_;
  const Format* format_;
  std::shared_ptr<const Basis> basis_;
  std::shared_ptr<const CsrMatrix> matrix_;
};

/// `determinants`: what the rows are, null for those of a matrix. Throws InputError where the
/// matrix is not symmetric and has to be.
Way host_way(Elements& elements, const Determinants* determinants);

/// `solver` with what a matrix of so many bytes as CSR, and so many of scratch, takes in host
/// memory on its way to a format, and there.
MemoryNeed memory_as_csr(const MemoryNeed& solver, const Format& format, const Backend& backend,
                         const FormatOptions& options, std::size_t csr, std::size_t scratch,
                         int components = 1);

}  // namespace cisolve
