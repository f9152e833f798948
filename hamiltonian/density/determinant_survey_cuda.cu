#include <cuda_runtime.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "backends/cuda/check.hpp"
#include "hamiltonian/density/determinant_survey.hpp"

namespace cisolve {
namespace {

constexpr int survey_threads = 128;
constexpr int most_classes = 48;  // shared memory of a block: 48 KB

/// A block sums the squares of the row of an alpha string, class by class; `classes` is of the
/// first of its `width` beta strings. Bytes: the vector, once.
__global__ void __launch_bounds__(survey_threads)
    sum_classes(const double* c, const std::int64_t* row_begin, Index first, Index width,
                const std::int8_t* classes, int count, double* weights) {
  extern __shared__ double sums[];  // of each class, of each thread
  for (int k = 0; k < count; ++k) sums[k * survey_threads + threadIdx.x] = 0.0;
  const Index string = first + static_cast<Index>(blockIdx.x);
  const double* const row = c + row_begin[string];
  for (Index b = threadIdx.x; b < width; b += survey_threads) {
    sums[classes[b] * survey_threads + threadIdx.x] += row[b] * row[b];
  }
  for (int half = survey_threads / 2; half > 0; half /= 2) {
    __syncthreads();
    for (int i = threadIdx.x; i < count * half; i += survey_threads) {
      double* const of_class = sums + i / half * survey_threads + i % half;
      of_class[0] += of_class[half];
    }
  }
  __syncthreads();
  for (int k = threadIdx.x; k < count; k += survey_threads) {
    weights[std::int64_t{string} * count + k] = sums[k * survey_threads];
  }
}

/// Counts the elements above `least`, and where `found` is not null puts them there, in no order.
__global__ void __launch_bounds__(survey_threads)
    find_larger(const double* c, std::int64_t size, double least, unsigned long long* count,
                PlacedCoefficient* found) {
  const std::int64_t step = std::int64_t{gridDim.x} * survey_threads;
  for (std::int64_t i = std::int64_t{blockIdx.x} * survey_threads + threadIdx.x; i < size;
       i += step) {
    if (!(fabs(c[i]) > least)) continue;
    const unsigned long long place = atomicAdd(count, 1ULL);
    if (found != nullptr) found[place] = {i, c[i]};
  }
}

class SurveyCuda final : public DeterminantSurvey {
 public:
  SurveyCuda(const DirectLayout& layout, Backend& backend)
      : layout_(layout),
        backend_(backend),
        row_begin_(Buffer<std::int64_t>::from_host(backend, layout.row_begin)) {}

  HostMatrix class_weights(const double* c, const std::vector<std::int8_t>& classes,
                           int count) const override {
    if (count > most_classes) {
      throw ResourceError("determinants of more than " + std::to_string(most_classes) +
                          " classes are not told apart on a GPU");
    }
    const DirectStrings& alphas = layout_.alpha_strings;
    const auto of_betas = Buffer<std::int8_t>::from_host(backend_, classes);
    Buffer<double> weights(backend_, std::size_t(alphas.size()) * count);
    check_cuda(cudaMemsetAsync(weights.data(), 0, weights.size() * sizeof(double)),
               "clearing weights");
    for (int g = 0; g < most_irreps; ++g) {
      const StringRange betas = layout_.betas(g);
      if (alphas.size(g) == 0 || betas.size() == 0) continue;
      sum_classes<<<alphas.size(g), survey_threads, sizeof(double) * count * survey_threads>>>(
          c, row_begin_.data(), alphas.begin[g], betas.size(), of_betas.data() + betas.first, count,
          weights.data());
      check_launch("weights of classes");
    }
    HostMatrix found(alphas.size(), count);
    backend_.download_bytes(weights.data(), found.data(), weights.size() * sizeof(double));
    return found;
  }

  std::vector<PlacedCoefficient> larger_than(const double* c, double least) const override {
    Buffer<unsigned long long> counter(backend_, 1);
    unsigned long long count = 0;
    const auto find = [&](PlacedCoefficient* to) {
      const unsigned long long none = 0;
      backend_.upload_bytes(&none, counter.data(), sizeof none);
      constexpr std::int64_t most_blocks = 8192;
      const auto blocks = static_cast<unsigned>(std::clamp<std::int64_t>(
          (layout_.size() + survey_threads - 1) / survey_threads, 1, most_blocks));
      find_larger<<<blocks, survey_threads>>>(c, layout_.size(), least, counter.data(), to);
      check_launch("large coefficients");
      backend_.download_bytes(counter.data(), &count, sizeof count);
    };
    find(nullptr);
    std::vector<PlacedCoefficient> found(count);
    if (count == 0) return found;
    Buffer<PlacedCoefficient> on_device(backend_, count);
    find(on_device.data());
    backend_.download_bytes(on_device.data(), found.data(), count * sizeof(PlacedCoefficient));
    std::ranges::sort(found, {}, &PlacedCoefficient::place);
    return found;
  }

 private:
  const DirectLayout& layout_;
  Backend& backend_;
  Buffer<std::int64_t> row_begin_;
};

}  // namespace

std::unique_ptr<DeterminantSurvey> CISOLVE_IN_MODULE(make_determinant_survey_cuda)(
    const DirectLayout& layout, Backend& backend) {
  return std::make_unique<SurveyCuda>(layout, backend);
}

}  // namespace cisolve
