#pragma once

#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/config/config.hpp"
#include "app/input/product_source.hpp"
#include "backends/backend.hpp"
#include "core/log.hpp"
#include "formats/matrix/csr_matrix.hpp"
#include "formats/matrix/row_source.hpp"
#include "hamiltonian/integrals/integrals.hpp"
#include "hamiltonian/matrix/ci_matrix.hpp"
#include "hamiltonian/space/ci_space.hpp"
#include "hamiltonian/space/determinant_label.hpp"
#include "io/hdf5/packed_file.hpp"

namespace cisolve {

/// Where the host matrix comes from: an FCIDUMP or TREXIO file and a CI space, a matrix file, which
/// may hold it packed, or a generator
/// (`generate:ci,rows=1000`; a Hubbard model stands for an FCIDUMP file). The kind follows from the
/// extension for matrices and from the first words for FCIDUMP.
class HamiltonianSource {
 public:
  /// Reads the integrals or the matrix, which is held as `storage` says from here on. Throws
  /// InputError when the file is neither, when keys that choose determinants are set for a matrix,
  /// and when the upper triangle is asked for of a matrix that is not symmetric.
  explicit HamiltonianSource(const InputConfig& config, Storage storage = Storage::full,
                             Log log = {});
  /// Integrals that the caller has; `config` chooses determinants and its file is how messages name
  /// them.
  HamiltonianSource(Integrals integrals, const InputConfig& config, Storage storage, Log log);
  /// A matrix that the caller has and keeps, held whole; `storage` as above.
  HamiltonianSource(std::shared_ptr<const CsrMatrix> matrix, const InputConfig& config,
                    Storage storage, Log log);
  /// A matrix of which the caller has the products.
  HamiltonianSource(std::shared_ptr<const CallersProduct> product, const InputConfig& config,
                    Log log);

  /// How messages name it: the file.
  std::string name() const { return config_.file.string(); }
  /// The same integrals, which are shared, for the determinants of that irrep alone; not for a
  /// matrix.
  std::unique_ptr<HamiltonianSource> of_irrep(int irrep, Storage storage, Log log = {}) const;

  /// "FCIDUMP", also of what is made as such a file would be, "TREXIO" or "matrix".
  std::string kind() const {
    return !of_determinants() ? "matrix" : trexio_ ? "TREXIO" : "FCIDUMP";
  }
  bool of_determinants() const { return integrals_ != nullptr; }
  /// Of its elements, never `automatic`: as configured, else Hartree of integrals that were given.
  Units units() const;
  /// The integrals as the file has them; null for a matrix file.
  const Integrals* integrals() const { return integrals_.get(); }
  /// Those over the active orbitals; null for a matrix file and before `rows`.
  const Integrals* active_integrals() const { return active_integrals_.get(); }
  /// The same, made where they are not; of FCIDUMP alone.
  const Integrals& restrict();
  /// The restricted active space asked for, over the active orbitals; of FCIDUMP alone. Throws
  /// InputError where it cannot be.
  std::optional<RestrictedActiveSpace> ras();
  /// That of the determinants by its number, where the configuration has one.
  std::optional<int> irrep() const;
  /// The determinants; null for a matrix file and before `rows`.
  const CiSpace* space() const { return space_.get(); }
  /// How the determinants are written over the file's orbitals; not for a matrix file.
  DeterminantLabels labels() const;
  /// Orbitals of the file, from 0: those doubly occupied, and those that the space is over.
  std::pair<std::vector<int>, std::vector<int>> frozen_and_active() const;
  /// What the user should know, one sentence each.
  const std::vector<std::string>& notes() const { return notes_; }

  /// Rows of the matrix, soon known: for FCIDUMP the strings of the space are made and no more.
  Index rows();
  /// Rows, columns and row offsets of the matrix; for FCIDUMP the rest is still empty, so nothing
  /// large has been allocated but the tables of excitations.
  const CsrMatrix& outline();
  /// From here on `outline` throws ResourceError as soon as it is sure that the matrix takes more
  /// than these bytes of host memory; of FCIDUMP alone.
  void limit_matrix(std::size_t bytes) { most_bytes_ = bytes; }
  /// From here on the matrix is its upper triangle, of FCIDUMP alone, before it is taken: nothing
  /// of it is built yet.
  void hold_upper_triangle();
  /// "316 determinants", "2 rows, 3 nonzeros": what is known by now.
  std::string size_text() const;
  /// The matrix as the file holds it, packed; null for others, and once it is taken.
  const PackedFile* packed_file() const { return packed_.get(); }
  /// The caller's product; null for others. It has no outline and cannot be taken.
  const std::shared_ptr<const CallersProduct>& product() const { return product_; }
  /// Bytes of host memory that the matrix takes by now; 0 of FCIDUMP.
  std::size_t loaded_bytes() const;
  /// The matrix, of a packed one what it is decoded to, which the log then says. It can be taken
  /// once; the tables of excitations go then. Throws ResourceError where the host has no room for
  /// the decoded matrix.
  CsrMatrix take();
  /// Row offsets of rows first … last − 1 of a matrix of determinants (last − first + 1), and those
  /// rows, given their offsets, with all columns; the tables of excitations go then.
  Array<Offset> count_rows(Index first, Index last);
  CsrMatrix take_rows(Index first, Array<Offset> row_offsets);
  /// The same, shared with the caller whose matrix it is.
  std::shared_ptr<const CsrMatrix> take_shared();
  /// The packed matrix as it is, in the place of `take`.
  std::unique_ptr<PackedFile> take_packed() { return std::move(packed_); }
  /// Its rows made on a CUDA device block by block, of FCIDUMP, for `storage` full: the whole is
  /// then in no memory. The outline follows from them. Of several ranks of the backend each has its
  /// own rows (make_ci_rows_cuda), and nobody an outline. Must not outlive this source.
  std::unique_ptr<RowSource> rows_on_device(Backend& backend);
  /// The same when the host has room for it, announced before it is built; else ResourceError.
  CsrMatrix take_announced();

 private:
  HamiltonianSource() = default;
  void hold(Integrals integrals);
  /// Says which orbitals are frozen where their number was given. Throws InputError where they
  /// cannot be.
  void freeze();
  void generate(const InputConfig& config);
  void read_matrix_file();
  CsrMatrix decode();
  /// Row offsets of the matrix to come; the log hears of a count that takes its time.
  Array<Offset> count_rows() const;
  /// The matrix, as far as it is there.
  const CsrMatrix& held() const;
  /// Warns where integrals of a file are to have no unit; throws InputError where they are to have
  /// another one than Hartree.
  void require_hartree();
  void note(const std::vector<std::string>& sentences);
  void require_determinants() const;

  InputConfig config_;
  Storage storage_ = Storage::full;
  Log log_;
  std::shared_ptr<const Integrals> integrals_;
  std::unique_ptr<const Integrals> active_integrals_;
  std::unique_ptr<const CiSpace> space_;
  std::unique_ptr<const CiMatrixBuilder> builder_;
  std::vector<std::string> notes_;
  std::size_t most_bytes_ = std::numeric_limits<std::size_t>::max();
  bool trexio_ = false;  ///< the integrals are of such a file
  CsrMatrix matrix_;     ///< rows and columns alone where there is packed_, which has the outline
  std::unique_ptr<PackedFile> packed_;
  std::shared_ptr<const CallersProduct> product_;
  std::shared_ptr<const CsrMatrix> shared_;  ///< the caller's, in the place of matrix_
};

}  // namespace cisolve
