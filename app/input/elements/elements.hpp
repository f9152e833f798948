#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "core/log.hpp"
#include "formats/matrix/csr_matrix.hpp"
#include "io/hdf5/packed_file.hpp"

namespace cisolve {

/// The elements of a matrix, which can be had in CSR on the host: there already, packed, or still
/// to be built of determinants.
class Elements {
 public:
  Elements() = default;
  Elements(const Elements&) = delete;
  Elements& operator=(const Elements&) = delete;
  virtual ~Elements() = default;

  /// Name in messages: the file.
  virtual std::string name() const = 0;
  virtual Index rows() = 0;
  virtual Index columns() { return rows(); }
  /// Real numbers of an element.
  virtual int components() { return 1; }
  /// Rows, columns and row offsets of the matrix. Determinants are counted for that, and nothing
  /// large is allocated but the tables of excitations.
  virtual const CsrMatrix& outline() = 0;
  /// "316 determinants", "2 rows, 3 nonzeros": what is known by now.
  virtual std::string size_text() const = 0;
  /// Bytes of host memory that they take by now.
  virtual std::size_t loaded_bytes() const = 0;
  /// Nonzeros that there are at least, soon known.
  virtual double fewest_nonzeros() { return static_cast<double>(rows()); }
  /// Nonzeros that there are about, soon known: rather too many.
  virtual double expected_nonzeros() { return fewest_nonzeros(); }
  /// Memory that there is: from here on `outline` throws ResourceError as soon as it is sure that
  /// the matrix takes more than these bytes of host memory.
  virtual void limit(std::size_t /*bytes*/) {}
  /// Elements are those of the upper triangle from here on; false where it is too late for that.
  virtual bool hold_upper_triangle() { return false; }

  /// The matrix, shared with the caller whose it is. It can be taken once. Throws ResourceError
  /// where the host has no room for it.
  virtual std::shared_ptr<const CsrMatrix> take() = 0;
  /// The matrix, announced before it is built. Throws ResourceError where there is no room.
  virtual std::shared_ptr<const CsrMatrix> take_announced(const Log& /*log*/) { return take(); }
  /// The matrix as a packed file has it, the elements then being spent; null for others.
  virtual std::unique_ptr<PackedFile> take_packed() { return nullptr; }
  virtual const PackedFile* packed() const { return nullptr; }

  /// True if the matrix is a Hamiltonian over determinants, and symmetric by that.
  virtual bool of_determinants() const { return false; }
};

}  // namespace cisolve
