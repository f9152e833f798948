#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "backends/backend.hpp"
#include "backends/cuda_module.hpp"
#include "core/dense/host_matrix.hpp"
#include "hamiltonian/direct/rows/direct_layout.hpp"

namespace cisolve {

/// A coefficient and its place in its vector.
struct PlacedCoefficient {
  std::int64_t place;
  double value;
};

/// Coefficients above `least` in magnitude, ascending by place, of a vector in host memory.
/// Parallel.
std::vector<PlacedCoefficient> larger_than(std::span<const double> c, double least);

/// Survey of the determinants of full CI vectors. They have layout.size() elements in the order of
/// the layout, in the backend's memory; results lie in host memory, the same bits on every run,
/// with any number of threads. A question is a pass over the vector, or two.
class DeterminantSurvey {
 public:
  virtual ~DeterminantSurvey() = default;

  /// Weight Σ c_ab² of every alpha string a over its beta strings b of class k, at [a, k].
  /// `classes` has
  /// one of 0 … count − 1 for each beta string of the layout; a GPU takes up to 48 of them.
  virtual HostMatrix class_weights(const double* c, const std::vector<std::int8_t>& classes,
                                   int count) const = 0;
  virtual std::vector<PlacedCoefficient> larger_than(const double* c, double least) const = 0;
};

std::unique_ptr<DeterminantSurvey> make_determinant_survey_cpu(const DirectLayout& layout);
CISOLVE_CUDA_FUNCTION(make_determinant_survey_cuda,
                      std::unique_ptr<DeterminantSurvey>(const DirectLayout& layout,
                                                         Backend& backend));

/// On the backend's kind; layout and backend must outlive it.
inline std::unique_ptr<DeterminantSurvey> make_determinant_survey(const DirectLayout& layout,
                                                                  Backend& backend) {
  if (backend.kind() == BackendKind::cpu) return make_determinant_survey_cpu(layout);
  return make_determinant_survey_cuda(layout, backend);
}

}  // namespace cisolve
