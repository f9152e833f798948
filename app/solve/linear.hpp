#pragma once

#include "app/solve/context.hpp"
#include "app/solve/outcome.hpp"
#include "core/host_matrix.hpp"

namespace cisolve {

/// What linear.rhs and linear.x0 say before there is a matrix: the vectors of files, empty where
/// there is none, and the row of unit:ROW, from 1.
struct GivenVectors {
  HostMatrix rhs, x0;
  Index unit = 0;
};

/// Reads the files. Throws InputError where one cannot be read, or they differ in columns.
GivenVectors given_vectors(const LinearConfig& config);

/// The linear system of the vectors given, which are asked for once the configuration has been
/// found to make sense, with what `open` opens as its matrix. Throws as solve_eigenproblem does.
LinearOutcome solve_linear_system(const RunContext& context, const OpenSource& open,
                                  const std::function<GivenVectors()>& given_by,
                                  const Observers& observers);

}  // namespace cisolve
