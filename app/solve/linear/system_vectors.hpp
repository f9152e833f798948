#pragma once

#include "app/config/config.hpp"
#include "backends/ranks/communicator.hpp"
#include "backends/ranks/row_partition.hpp"
#include "core/dense/host_matrix.hpp"
#include "hamiltonian/basis/basis.hpp"
#include "io/vector_file.hpp"

namespace cisolve {

/// Contents of linear.rhs and linear.x0 before there is a matrix: the vectors of files, empty if
/// there is none, and the row of unit:ROW, from 1. A caller's vectors have no `components` (0):
/// their number tells whether they are real or over the matrix's elements.
struct GivenVectors {
  FieldVectors rhs, x0;
  Index unit = 0;
};

/// Reads the files. Throws InputError where one cannot be read, or they differ in columns.
GivenVectors given_vectors(const LinearConfig& config);

/// Vectors of a linear system, in host memory: b, n × k, and the start, which is empty if it is
/// zero.
struct SystemVectors {
  HostMatrix b, x0;
};

/// Over all rows of the user's matrix, of elements over K all components. Throws InputError where
/// files have others, and on all ranks where they do not have the same vectors.
SystemVectors system_vectors(const RunConfig& config, GivenVectors given, Index rows,
                             int components, Communicator& ranks);

/// The rows of a basis that a rank owns, of vectors in the order of callers.
SystemVectors own_part(SystemVectors whole, const Basis& basis, int rank);

}  // namespace cisolve
