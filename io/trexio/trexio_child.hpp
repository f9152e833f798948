#pragma once

#include <cstdint>
#include <filesystem>

#include "io/hdf5/child_process.hpp"

namespace cisolve {

// Messages of the process that reads a TREXIO file, in this order, all plain data:
//   TrexioHead; then the core Hamiltonian, orbital energies where there are any, labels where there
//   are any; then pieces of the repulsion: their number of elements, 0 behind the last, indices
//   (four each) and values.
// Before the head, and in the place of a piece, a number of bytes below 0 stands for a message of
// so many.

struct TrexioHead {
  std::int32_t orbitals = 0;
  std::int32_t electrons = -1, up = -1, down = -1;  ///< −1: the file does not say
  bool has_repulsion = false, has_energies = false, has_symmetry = false;
  double repulsion = 0.0;
  char point_group[32] = {};
};

struct TrexioLabel {
  char text[32] = {};
};

/// Messages with determinants: TrexioList; then pieces, each its number of determinants, 0
/// behind the last, and their words. A message may come in the place of either, as above.
struct TrexioList {
  std::int32_t orbitals = 0, words = 0;  ///< words of a string
  std::int64_t determinants = 0;
};

/// Elements, and determinants, of a piece, at most.
inline constexpr std::int64_t trexio_piece = 1 << 20, trexio_list_piece = 1 << 16;

/// The child's side: it alone calls libtrexio on a file not made by this process.
void serve_trexio(const std::filesystem::path& path, int most_orbitals, const Channel& parent);
void serve_trexio_determinants(const std::filesystem::path& path, const Channel& parent);

}  // namespace cisolve
