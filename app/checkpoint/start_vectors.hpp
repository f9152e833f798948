#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/dense/host_matrix.hpp"
#include "hamiltonian/space/any_space.hpp"
#include "solvers/eigen/solver_state.hpp"

namespace cisolve {

/// True if it is a file with start vectors, by its name; else a checkpoint.
bool is_start_vectors(const std::filesystem::path& path);

/// Vectors to start from over `rows` rows: rows × states. The array of an .npy file has the shape
/// (rows,) or (rows, states), or (a, b) or (states, a, b) with a·b = rows, as PySCF has full CI by
/// alpha and beta strings. In an .npz file it is `ci`, states first, as output.vectors writes it.
/// The array may be complex where the matrix is; the parts of an element are in neighbouring rows
/// of the result then, zeros behind those of a real array. Throws InputError if there is no such
/// array, or a value is not finite.
HostMatrix read_start_vectors(const std::filesystem::path& path, std::int64_t rows,
                              int components = 1);

/// The shape of that array. Throws InputError where the file is wrong whatever the rows are.
std::vector<std::int64_t> check_start_vectors(const std::filesystem::path& path);
/// Throws InputError unless an array of that shape holds vectors over so many rows.
void require_vectors(const std::filesystem::path& path, const std::vector<std::int64_t>& shape,
                     std::int64_t rows);

/// Throws InputError where the file is an .npz that says of which determinants its rows are, as
/// output.vectors writes it, and these are others than those of the space, which is over `active`
/// orbitals of the file (from 0).
void require_determinants(const std::filesystem::path& path, const AnySpace& space,
                          const std::vector<int>& active);

/// A note for the user where a selection has left the vectors over natural orbitals, which an array
/// `rotation` of an .npz file tells; else empty.
std::string note_of_rotated_vectors(const std::filesystem::path& path);

/// The state of a solver that begins from these vectors and knows nothing else.
SolverState state_of_vectors(std::shared_ptr<const HostMatrix> x);

}  // namespace cisolve
