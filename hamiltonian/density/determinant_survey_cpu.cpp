#include <omp.h>

#include <cmath>
#include <iterator>
#include <utility>

#include "core/threads/parallel.hpp"
#include "hamiltonian/density/determinant_survey.hpp"

namespace cisolve {
namespace {

class SurveyCpu final : public DeterminantSurvey {
 public:
  explicit SurveyCpu(const DirectLayout& layout) : layout_(layout) {}

  HostMatrix class_weights(const double* c, const std::vector<std::int8_t>& classes,
                           int count) const override {
    const Index alphas = layout_.alpha_strings.size();
    HostMatrix weights = HostMatrix::Zero(alphas, count);
#pragma omp parallel for if (worth_threads(layout_.size())) schedule(dynamic, 16)
    for (Index a = 0; a < alphas; ++a) {
      const StringRange betas = layout_.betas(layout_.alpha_strings.irrep_of[a]);
      const double* const row = c + layout_.row_begin[a] - betas.first;
      for (Index b = betas.first; b < betas.last; ++b) weights(a, classes[b]) += row[b] * row[b];
    }
    return weights;
  }

  std::vector<PlacedCoefficient> larger_than(const double* c, double least) const override {
    return cisolve::larger_than({c, static_cast<std::size_t>(layout_.size())}, least);
  }

 private:
  const DirectLayout& layout_;
};

}  // namespace

/// Every thread's share of the places gives its own.
std::vector<PlacedCoefficient> larger_than(std::span<const double> c, double least) {
  const auto size = static_cast<std::int64_t>(c.size());
  const int shares = worth_threads(size) ? omp_get_max_threads() : 1;
  std::vector<std::vector<PlacedCoefficient>> found(shares);
  FirstException exception;
#pragma omp parallel for if (shares > 1) schedule(static, 1)
  for (int s = 0; s < shares; ++s) {
    exception.guard([&] {
      for (auto i = size * s / shares; i < size * (s + 1) / shares; ++i) {
        if (std::abs(c[i]) > least) found[s].push_back({i, c[i]});
      }
    });
  }
  exception.rethrow();
  std::vector<PlacedCoefficient> all = std::move(found.front());
  for (int s = 1; s < shares; ++s) std::ranges::move(found[s], std::back_inserter(all));
  return all;
}

std::unique_ptr<DeterminantSurvey> make_determinant_survey_cpu(const DirectLayout& layout) {
  return std::make_unique<SurveyCpu>(layout);
}

}  // namespace cisolve
