#include "solvers/eigen/convergence/precision.hpp"

#include <algorithm>
#include <string>

#include "core/error.hpp"

namespace cisolve {

bool refine_operator(Workspace& work, int iterations, EigenResult& result) {
  try {
    work.a.to_double_precision();
  } catch (const ResourceError& error) {
    result.notes.push_back(std::string("the matrix stays in single precision, and the residuals "
                                       "are those of the rounded one: ") +
                           error.what());
    return false;
  }
  result.single_precision_iterations = iterations;
  return true;
}

bool to_double_precision(Workspace& work, Roots& roots, int iterations, EigenResult& result,
                         NewVectors& to) {
  if (!refine_operator(work, iterations, result)) return false;
  for (int s = 0; s < work.sectors(); ++s) {
    to.added[s] = std::min({roots.wanted(s) + 1, work.search(s).size(), work.block});
    to.whole[s] = to.added[s] > 0;
  }
  to.t = work.new_vectors.narrowed(to.columns());
  work.backend.fill(0.0, to.t);
  for (int s = 0; s < work.sectors(); ++s) {
    work.search(s).vectors(work.part(to.t, s).slice(0, to.added[s]));
    work.search(s).clear();
  }
  roots.begin_anew(result.attainable_residual);
  return true;
}

}  // namespace cisolve
