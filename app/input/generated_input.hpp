#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "formats/matrix/csr_matrix.hpp"
#include "hamiltonian/integrals/integrals.hpp"

namespace cisolve {

/// An input made on the spot: a matrix, or the integrals of a model.
struct GeneratedInput {
  CsrMatrix matrix;
  std::optional<Integrals> integrals;
};

/// True for names of the form "generate:KIND,key=value,...".
bool is_generated(const std::filesystem::path& name);

/// Makes what the name says:
///   ci       rows, reference_fraction, reference_density, expansion_density, seed, symmetric
///   banded   rows, bandwidth, seed, symmetric
///   random   rows, per_row, seed, symmetric
///   hubbard  sites, t, U, electrons
/// Keys left out have the defaults of formats/matrix/generate.hpp and
/// hamiltonian/integrals/hubbard.hpp. Throws InputError on an unknown kind or key, a repeated key,
/// and a value of the wrong type or out of range.
GeneratedInput make_generated_input(const std::string& name);

}  // namespace cisolve
