#include "bench/hard_problems.hpp"

#include "hamiltonian/matrix/ci_matrix.hpp"
#include "io/matrix_file.hpp"
#include "io/vector_file.hpp"
#include "tests/support/integrals/fcidump_writer.hpp"

namespace cisolve::hard {

CsrMatrix matrix_of(const Problem& problem) {
  if (const auto* matrix = std::get_if<CsrMatrix>(&problem.hamiltonian)) return *matrix;
  const auto& integrals = std::get<Integrals>(problem.hamiltonian);
  const CiSpace space = make_ci_space(integrals, problem.space);
  const CiMatrixBuilder builder(integrals, space);
  return builder.fill(builder.count());
}

Files write_files(const Problem& problem, const std::filesystem::path& folder) {
  const std::string name = problem.family + "-" + std::to_string(problem.seed);
  Files files;
  if (const auto* matrix = std::get_if<CsrMatrix>(&problem.hamiltonian)) {
    files.hamiltonian = folder / (name + ".npz");
    if (matrix->components < 4) write_matrix(*matrix, files.hamiltonian);
  } else {
    files.hamiltonian = folder / (name + ".fcidump");
    testing::write_fcidump(std::get<Integrals>(problem.hamiltonian), files.hamiltonian);
  }
  if (problem.start.cols() > 0) {
    files.start = folder / (name + ".npy");
    write_npy(problem.start, files.start);
  }
  return files;
}

/// Quaternions have no files: their matrix is handed over.
Hamiltonian hamiltonian_of(const Problem& problem, const Files& files) {
  const auto* const matrix = std::get_if<CsrMatrix>(&problem.hamiltonian);
  if (matrix == nullptr || matrix->components < 4) {
    return Hamiltonian::read(files.hamiltonian, determinants_of(problem));
  }
  CsrArrays arrays;
  arrays.rows = matrix->rows;
  arrays.columns = matrix->columns;
  arrays.row_offsets = matrix->row_offsets;
  arrays.column_indices = matrix->column_indices;
  arrays.values = matrix->values;
  arrays.components = matrix->components;
  return Hamiltonian::from_csr(arrays);
}

DeterminantSettings determinants_of(const Problem& problem) {
  DeterminantSettings made;
  if (problem.space.irrep) made.irrep = std::to_string(*problem.space.irrep);
  if (problem.space.ras) {
    const auto list = [](const OrbitalString& of) {
      std::vector<int> orbitals;
      for (const int p : of) orbitals.push_back(p + 1);
      return orbitals;
    };
    made.ras1 = list(problem.space.ras->ras1);
    made.ras3 = list(problem.space.ras->ras3);
    made.ras_holes = problem.space.ras->holes;
    made.ras_particles = problem.space.ras->particles;
  }
  return made;
}

}  // namespace cisolve::hard
