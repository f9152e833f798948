#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace cisolve {

/// Determinants up to a rank of excitation, the number of electrons in other orbitals than in the
/// reference determinant. Space::cisd has rank 2; Space{6} has all up to sextuple excitations.
/// Without a rank: full CI, all determinants.
struct Space {
  std::optional<int> rank;  ///< none: no limit

  static const Space fci;     ///< all determinants
  static const Space cis;     ///< rank 1
  static const Space cisd;    ///< rank 2
  static const Space cisdt;   ///< rank 3
  static const Space cisdtq;  ///< rank 4
  /// Equality of the ranks.
  friend bool operator==(const Space&, const Space&) = default;
};
inline constexpr Space Space::fci{}, Space::cis{1}, Space::cisd{2}, Space::cisdt{3},
    Space::cisdtq{4};

/// States of full CI with M_s = 0 by their sign when all spins are inverted: even for spins 0, 2,
/// 4 …, odd for 1, 3 …
enum class SpinInversion {
  all,   ///< both
  even,  ///< spins 0, 2, 4 …
  odd    ///< spins 1, 3 …
};

/// Parity of states of nucleons.
enum class NuclearParity {
  automatic,  ///< the only one that there is
  positive,   ///< an even sum of l
  negative    ///< an odd one
};

/// Determinants that the caller lists, in any order, by the occupied orbitals of their alpha and
/// beta strings. A string has `words` words, lowest orbitals first: bit p % 64 of word p / 64 is
/// orbital p, from 0, of the Hamiltonian, frozen ones included.
struct DeterminantArrays {
  /// Strings × words. Determinant i has alpha string i and beta string i; no determinant occurs
  /// twice.
  std::vector<std::uint64_t> alpha;
  std::vector<std::uint64_t> beta;  ///< likewise
  int words = 1;                    ///< of a string
  bool product = false;             ///< every alpha string goes with every beta string
};

/// Choice of the determinants over integrals.
struct DeterminantSettings {
  std::optional<int> electrons;            ///< in the place of what a file says
  std::optional<int> ms2;                  ///< 2 M_s, alpha minus beta electrons; the same
  std::optional<std::string> irrep;        ///< number from 0 in ORBSYM's order, or name; none: all
  std::optional<std::string> point_group;  ///< D2h, C2v …, for names; none: as a file says
  Space space = Space::fci;                ///< all, or up to a rank of excitation
  /// File of determinants that replaces `space`; alternatives are `strings` and `listed`. Rows
  /// ascend by alpha, then beta string as binary numbers (determinant_masks). For an irrep of a
  /// product of strings they ascend by the irrep of the alpha string first.
  std::filesystem::path determinants;
  /// Files of alpha and beta strings, "ALPHA,BETA", or one for both, whose pairs are the
  /// determinants.
  std::string strings;
  std::shared_ptr<const DeterminantArrays> listed;  ///< arrays
  /// Restricted active space that replaces `space`: at most `ras_holes` holes in the orbitals
  /// `ras1` and at most `ras_particles` electrons in `ras3`, both spins together. Orbitals are
  /// active and count from 1. A list and its number go together.
  std::vector<int> ras1;
  std::vector<int> ras3;                              ///< see `ras1`
  std::optional<int> ras_holes;                       ///< in `ras1`
  std::optional<int> ras_particles;                   ///< in `ras3`
  SpinInversion spin_inversion = SpinInversion::all;  ///< of full CI with M_s = 0
  std::vector<int> frozen;                            ///< orbitals from 1 that stay occupied
  std::vector<int> active;      ///< orbitals from 1; empty: all but the frozen
  int freeze = 0;               ///< in the place of `frozen`: so many orbitals of lowest energy
  std::optional<int> protons;   ///< in the shells of an interaction file
  std::optional<int> neutrons;  ///< likewise
  std::optional<int> twice_m;   ///< 2M of nucleons; none: 0, or 1 of an odd number
  NuclearParity parity = NuclearParity::automatic;  ///< of nucleons
  /// Acceptance of a file in which an orbital has no diagonal one-electron integral.
  bool allow_missing_diagonal = false;

  /// Equality of all members.
  friend bool operator==(const DeterminantSettings&, const DeterminantSettings&) = default;
};

/// Integrals over n real orthonormal spatial orbitals, in Hartree.
struct IntegralArrays {
  int orbitals = 0;            ///< n
  std::span<const double> h1;  ///< h_pq at p n + q: n², symmetric
  /// (pq|rs), chemists' notation, at ((p n + q) n + r) n + s: n⁴, or packed: (pq) from p ≥ q at
  /// p(p + 1)/2 + q, then pairs × pairs, or of these the lower triangle.
  std::span<const double> eri;
  int electrons = 0;         ///< in all orbitals
  int ms2 = 0;               ///< 2 M_s
  double core_energy = 0.0;  ///< nuclear repulsion and frozen electrons
  /// Irrep of each orbital, from 0. Products are XOR; names of a point group are in PySCF's order.
  /// Empty: none.
  std::vector<int> irreps = {};
};

/// Complex integrals over n orthonormal spinors, in Hartree; numbers are pairs (re, im). One kind
/// of electron, at most one in each spinor.
struct SpinorArrays {
  int spinors = 0;             ///< n, 1 to 128
  std::span<const double> h1;  ///< h_pq at 2(p n + q): 2 n², Hermitian
  /// (pq|rs) = ∫ p*(1) q(1) r*(2) s(2) / r₁₂, chemists' notation, at 2(((p n + q) n + r) n + s):
  /// 2 n⁴, with (pq|rs) = (rs|pq) = (qp|sr)* = (sr|qp)*.
  std::span<const double> eri;
  int electrons = 0;         ///< at most one in each spinor
  double core_energy = 0.0;  ///< nuclear repulsion and frozen electrons
};

/// A sparse matrix in compressed sparse rows: row i has entries row_offsets[i] …
/// row_offsets[i + 1] − 1, columns ascending strictly.
struct CsrArrays {
  std::int64_t rows = 0;                         ///< of the matrix
  std::int64_t columns = 0;                      ///< likewise
  std::span<const std::int64_t> row_offsets;     ///< rows + 1
  std::span<const std::int32_t> column_indices;  ///< of each entry, from 0
  std::span<const double> values;                ///< entries × components
  /// Owner of the arrays; if given they are not copied and must not change while it is held.
  std::shared_ptr<const void> owner = {};
  /// Real numbers of an element: 1, of a complex matrix 2 (re, im), of quaternions 4 (1, i, j, k).
  /// "Symmetric" is then a_ij = conj(a_ji).
  int components = 1;
};

/// Y := AX in host memory; X and Y are rows × k, row by row: element (i, j) at i k + j. Complex
/// matrices and quaternions have real blocks of components · rows: component c of element i in row
/// components · i + c.
using Multiply = std::function<void(const double* x, double* y, int k)>;

/// The problem: determinants over integrals, of orbitals or spinors; a matrix; or a matrix of
/// which the caller has the products. It is a value that can be copied, and used from several
/// threads at once; its arrays are shared. Wrong input throws when the object is made. Files are
/// read, and throw, in each call that needs them.
class Hamiltonian {
 public:
  /// An FCIDUMP or TREXIO file, a matrix file (.mtx, .mtx.gz, .h5, .npz, .npy), or one to be made:
  /// "generate:KIND,key=value,…". Throws InputError where there is no such file.
  static Hamiltonian read(const std::filesystem::path& file, const DeterminantSettings& = {});
  /// Copies the arrays. Throws InputError where they contradict each other.
  static Hamiltonian from_integrals(const IntegralArrays& arrays, const DeterminantSettings& = {});
  /// Copies the arrays. The matrix is complex. Throws InputError if two integrals that are equal by
  /// symmetry differ by more than 1e-8 of the largest integral, and names them; and for settings
  /// that spinors do not have: `ms2`, `irrep`, `spin_inversion`, `freeze`, `strings`.
  static Hamiltonian from_spinors(const SpinorArrays& arrays, const DeterminantSettings& = {});
  /// Copies the arrays unless they have an owner; eigensolvers need them symmetric. Throws
  /// InputError naming the first offence.
  static Hamiltonian from_csr(const CsrArrays& arrays);
  /// A symmetric matrix of which only products and a_ii are known. The function is called in the
  /// thread that solves, several times, with blocks of k ≥ 1 vectors. Its exceptions leave the call
  /// that solves. Every such call first multiplies two random vectors and throws InputError if the
  /// products are not those of a symmetric matrix.
  static Hamiltonian from_product(std::vector<double> diagonal, Multiply multiply,
                                  int components = 1);
  /// A symmetric matrix of which only products are known. Every call estimates a_ii by ten
  /// products.
  static Hamiltonian from_product_alone(std::int64_t rows, Multiply multiply, int components = 1);

  /// Σ c_i H_i + σ over the same rows. For full CI over the same orbitals, none frozen by energy,
  /// integrals are summed. Otherwise matrix elements are summed and the sum has no determinants. If
  /// a term is a product, so is the sum. Files are read here. Throws InputError if rows or
  /// determinants differ.
  static Hamiltonian sum(const std::vector<std::pair<double, Hamiltonian>>& terms,
                         double shift = 0.0);

  /// Number of rows, the determinants of the space. Reads a file and builds strings, but no matrix.
  std::int64_t rows() const;
  /// Real numbers in an element of the matrix and its vectors: 1, complex 2, quaternions 4.
  int components() const;

  class Data;  ///< the library's own
  const Data& data() const { return *data_; }

 private:
  explicit Hamiltonian(std::shared_ptr<const Data> data) : data_(std::move(data)) {}
  std::shared_ptr<const Data> data_;
};

/// a + b (Hamiltonian::sum).
inline Hamiltonian operator+(const Hamiltonian& a, const Hamiltonian& b) {
  return Hamiltonian::sum({{1.0, a}, {1.0, b}});
}
/// A multiple.
inline Hamiltonian operator*(double factor, const Hamiltonian& a) {
  return Hamiltonian::sum({{factor, a}});
}
/// a + σ.
inline Hamiltonian operator+(const Hamiltonian& a, double shift) {
  return Hamiltonian::sum({{1.0, a}}, shift);
}

}  // namespace cisolve
