#include "hamiltonian/select/external_sums.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "backends/cuda/check.hpp"
#include "core/threads/parallel.hpp"
#include "hamiltonian/select/cuda/target_kernel.cuh"

namespace cisolve {
namespace {

using namespace target_kernel;

template <int Words>
class ExternalSumsCuda final : public ExternalSums {
 public:
  using String = BasicOrbitalString<Words>;

  ExternalSumsCuda(const Expansion& expansion, std::size_t bytes, Backend& backend)
      : expansion_(expansion), backend_(backend), on_device_(expansion, backend) {
    const ListedSpace& space = expansion.space;
    std::vector<Index> begin{0};
    for (Index a = 0; a < space.alpha.size(); ++a) {
      begin.push_back(begin.back() + static_cast<Index>(space.determinants_of(a).size()));
    }
    begin_ = Buffer<Index>::from_host(backend, begin);
    const auto k = static_cast<std::size_t>(expansion.states());
    coefficients_ = Buffer<double>::from_host(
        backend,
        std::span(expansion.coefficients.data(), static_cast<std::size_t>(space.size()) * k));
    energies_ = Buffer<double>::from_host(backend, expansion.energies);
    next_ = Buffer<unsigned long long>(backend, 1);
    // |Σ H c| ≤ (Σ H²)^½ (Σ c²)^½ over all ways to a determinant.
    const double m = space.alpha.orbitals, a = space.alpha.electrons, b = space.beta.electrons;
    const double singles = a * (m - a) + b * (m - b), ways = 1.0 + singles + singles * singles;
    unit_ = largest_integral(expansion.integrals) * (1.0 + 2.0 * (a + b));  // of any element
    const double norm = expansion.coefficients.colwise().norm().maxCoeff();
    const double bound = unit_ * std::sqrt(ways) * std::max(norm, 1e-300);
    scale_ = bound > 0.0 ? std::exp2(std::floor(61.0 - std::log2(bound))) : 1.0;
    int device = 0, processors = 0;
    check_cuda(cudaGetDevice(&device), "device");
    check_cuda(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device),
               "device");
    blocks_ = 2048 / sum_threads * processors;
    const double a_place = 8.0 * (Words + static_cast<double>(k)) * blocks_;
    const double strings = number_of_strings(space.beta);
    const double wanted = 2.0 * std::min(strings, ways * static_cast<double>(space.size()));
    most_bits_ = std::clamp(
        static_cast<int>(std::log2(std::min(static_cast<double>(bytes) / a_place, wanted) + 1.0)),
        fewest_bits, 20);
    const std::size_t places = static_cast<std::size_t>(blocks_) << most_bits_;
    keys_ = Buffer<unsigned long long>(backend, places * Words);
    sums_ = Buffer<unsigned long long>(backend, places * k);
    field_bytes_ = static_cast<std::size_t>(on_device_.integrals.pairs) * sizeof(double);
    check_cuda(cudaFuncSetAttribute(sum_targets<Words>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(field_bytes_)),
               "memory of a block");
  }

  HostMatrix sums(const TargetStrings& links,
                  std::span<const std::int64_t> targets) const override {
    const int k = expansion_.states();
    HostMatrix made = HostMatrix::Zero(std::ssize(targets), 2 * k);
    if (targets.empty()) return made;
    std::vector<String> strings;
    std::vector<Index> own(targets.size(), -1);
    std::vector<std::int64_t> begin{0};
    const auto is_own = [](const TargetLink& link) { return link.electrons == 0; };
    for (std::size_t i = 0; i < targets.size(); ++i) {
      const auto of_target = links.links(targets[i]);
      strings.emplace_back(links.target(targets[i]));
      const auto same = std::ranges::find_if(of_target, is_own);
      if (same != of_target.end()) own[i] = same->source;
      begin.push_back(begin.back() + std::ssize(of_target) - (own[i] < 0 ? 0 : 1));
    }
    std::vector<TargetLink> all(static_cast<std::size_t>(begin.back()));
    for_each_index(targets.size(), worth_threads(all.size()), [&](std::size_t i) {
      std::ranges::remove_copy_if(links.links(targets[i]), all.begin() + begin[i], is_own);
    });
    const auto on_strings = Buffer<String>::from_host(backend_, strings);
    const auto on_own = Buffer<Index>::from_host(backend_, own);
    const auto on_begin = Buffer<std::int64_t>::from_host(backend_, begin);
    const auto on_links = Buffer<TargetLink>::from_host(backend_, all);
    std::vector<StateSums> found(targets.size() * static_cast<std::size_t>(k), StateSums{});
    auto results = Buffer<StateSums>::from_host(backend_, found);
    const unsigned long long none = 0;
    backend_.upload_bytes(&none, next_.data(), sizeof none);
    const SumLaunch<Words> launch{
        {on_device_.integrals, on_device_.rows, begin_.data(), coefficients_.data(), k,
         expansion_.space.beta.electrons, scale_},
        energies_.data(),
        unit_,
        std::ssize(targets),
        on_strings.data(),
        on_own.data(),
        on_begin.data(),
        on_links.data(),
        next_.data(),
        keys_.data(),
        sums_.data(),
        most_bits_,
        expansion_.integrals.core_energy,
        results.data()};
    const auto blocks = static_cast<unsigned>(std::min<std::int64_t>(blocks_, std::ssize(targets)));
    sum_targets<<<blocks, sum_threads, field_bytes_>>>(launch);
    check_launch("sums over determinants outside a list");
    backend_.download_bytes(results.data(), found.data(), found.size() * sizeof(StateSums));
    for (std::size_t i = 0; i < targets.size(); ++i) {
      for (int j = 0; j < k; ++j) {
        StateSums& of = found[i * static_cast<std::size_t>(k) + static_cast<std::size_t>(j)];
        carry(of);
        made(static_cast<Eigen::Index>(i), j) =
            unit_ * (static_cast<double>(static_cast<long long>(of.high)) * high_unit +
                     static_cast<double>(static_cast<long long>(of.low)) * low_unit);
        made(static_cast<Eigen::Index>(i), k + j) = std::bit_cast<double>(of.largest);
      }
    }
    return made;
  }

 private:
  const Expansion& expansion_;
  Backend& backend_;
  ExpansionOnDevice<Words> on_device_;
  Buffer<Index> begin_;
  Buffer<double> coefficients_, energies_;
  mutable Buffer<unsigned long long> next_, keys_, sums_;
  double unit_, scale_;
  int blocks_, most_bits_;
  std::size_t field_bytes_;
};

}  // namespace

std::unique_ptr<ExternalSums> CISOLVE_IN_MODULE(make_external_sums_cuda)(const Expansion& expansion,
                                                                         std::size_t bytes,
                                                                         Backend& backend) {
  if (expansion.integrals.orbitals <= OrbitalString64::most_orbitals) {
    return std::make_unique<ExternalSumsCuda<1>>(expansion, bytes, backend);
  }
  return std::make_unique<ExternalSumsCuda<2>>(expansion, bytes, backend);
}

}  // namespace cisolve
