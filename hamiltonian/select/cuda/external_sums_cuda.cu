#include "hamiltonian/select/external_sums.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "backends/cuda/check.hpp"
#include "core/threads/parallel.hpp"
#include "hamiltonian/select/cuda/target_walk.cuh"

namespace cisolve {
namespace {

using target_sums::SumTable;
using target_sums::TargetTables;
using target_sums::TargetWalk;

constexpr int sum_threads = 1024;  // the heaviest string of a list takes a block long
constexpr int states_at_once = 4;
constexpr int fewest_bits = 12;  ///< of a table's places

/// Σ e of a state, as an integer and what it leaves, and the largest |c| (its bits).
struct StateSums {
  unsigned long long high, low, largest;
};
/// Units of these integers, of the largest element. What high ones leave is below 2^35 low ones, of
/// which 2^28 have room; a thread carries after each table.
constexpr double high_unit = 0x1p-40, low_unit = 0x1p-76;
constexpr int low_bits = 36;

/// Low ones that make high ones are carried over to these: then what is there is the same for one
/// sum, however it was added up.
__host__ __device__ inline void carry(StateSums& sums) {
  const auto low = static_cast<long long>(sums.low);
  sums.high += static_cast<unsigned long long>(low >> low_bits);
  sums.low = static_cast<unsigned long long>(low & ((1LL << low_bits) - 1));
}

template <int Words>
struct SumLaunch {
  TargetTables<Words> tables;
  const double* energies;  ///< of the states
  double unit;             ///< the largest element, Hartree
  std::int64_t targets;
  const BasicOrbitalString<Words>* strings;  ///< of the targets
  const Index* own;           ///< their numbers in the list; −1: they are not there
  const std::int64_t* begin;  ///< of their links to other strings
  const TargetLink* links;
  unsigned long long* next;         ///< target that a block takes
  unsigned long long *keys, *sums;  ///< tables of the blocks
  int most_bits;                    ///< of the places of each
  double core_energy;
  StateSums* results;  ///< targets × k
};

/// Adds what a table has to the sums of the states.
template <int Words>
__device__ void take_sums(const SumLaunch<Words>& launch, const TargetWalk<Words>& walk,
                          double alpha_energy, StateSums* results) {
  const SumTable<Words>& table = walk.sums;
  const int k = table.k;
  for (int first = 0; first < k; first += states_at_once) {
    StateSums own[states_at_once] = {};
    for (std::uint32_t place = threadIdx.x; place < table.places(); place += blockDim.x) {
      if (!table.is_used(place)) continue;
      const double energy = alpha_energy + walk.beta_energy(table.key(place));
      for (int i = 0; i < states_at_once && first + i < k; ++i) {
        const auto whole = static_cast<long long>(table.sums[std::int64_t{place} * k + first + i]);
        if (whole == 0) continue;
        const double sum = static_cast<double>(whole) / launch.tables.scale;
        const double coefficient = first_order_coefficient(sum, launch.energies[first + i], energy);
        // More than the largest element is no correction, and may be anything.
        const double e = fmin(fmax(sum * coefficient / launch.unit, -1.0), 1.0);
        const long long high = __double2ll_rn(e / high_unit);
        own[i].high += static_cast<unsigned long long>(high);
        own[i].low += static_cast<unsigned long long>(
            __double2ll_rn((e - static_cast<double>(high) * high_unit) / low_unit));
        own[i].largest =
            max(own[i].largest,
                static_cast<unsigned long long>(__double_as_longlong(fabs(coefficient))));
      }
    }
    for (int i = 0; i < states_at_once && first + i < k; ++i) {
      if (own[i].largest == 0) continue;
      carry(own[i]);
      atomicAdd(&results[first + i].high, own[i].high);
      atomicAdd(&results[first + i].low, own[i].low);
      atomicMax(&results[first + i].largest, own[i].largest);
    }
  }
}

/// Meets all ways to a target, `own` rows of its string and links from others, an item of work for
/// a warp each; ends early where the table is full. All threads of the block.
template <int Words>
__device__ void meet_all(const TargetWalk<Words>& walk, Index own, Index own_count,
                         const TargetLink* links, int link_count) {
  __shared__ int item;
  walk.sums.clear();
  if (threadIdx.x == 0) item = 0;
  __syncthreads();
  while (!__any_sync(full_warp, walk.sums.is_full())) {
    int mine = 0;
    if (row_lanes::lane_id() == 0) mine = atomicAdd(&item, 1);
    mine = __shfl_sync(full_warp, mine, 0);
    if (mine >= own_count + link_count) break;
    if (mine < own_count) {
      walk.meet_own(own + mine);
    } else {
      walk.meet(links[mine - own_count]);
    }
    __syncwarp();
  }
  __syncthreads();
}

/// Blocks draw targets. The beta strings of one are met in as many classes as its table needs; a
/// table that is too small is made larger, or has more classes, and its target begins anew.
template <int Words>
__global__ void __launch_bounds__(sum_threads) sum_targets(SumLaunch<Words> launch) {
  extern __shared__ double field[];
  __shared__ int used;
  __shared__ std::int64_t drawn;
  const TargetTables<Words>& t = launch.tables;
  const std::int64_t places = std::int64_t{1} << launch.most_bits;
  SumTable<Words> table{launch.keys + blockIdx.x * places * Words,
                        launch.sums + blockIdx.x * places * t.k,
                        t.k,
                        fewest_bits,
                        0,
                        1,
                        &used};
  while (true) {
    __syncthreads();
    if (threadIdx.x == 0) drawn = static_cast<std::int64_t>(atomicAdd(launch.next, 1ULL));
    __syncthreads();
    const std::int64_t target = drawn;
    if (target >= launch.targets) return;
    const BasicOrbitalString<Words>& string = launch.strings[target];
    for (int pair = threadIdx.x; pair < t.integrals.pairs; pair += sum_threads) {
      double sum = 0.0;
      for (const int j : string) sum += t.integrals.mixed_row(pair_index(j, j))[pair];
      field[pair] = sum;
    }
    const TargetWalk<Words> walk{t, string, field, table};
    StateSums* const results = launch.results + target * t.k;
    const std::int64_t begin = launch.begin[target];
    const auto links = static_cast<int>(launch.begin[target + 1] - begin);
    const Index source = launch.own[target], own = source < 0 ? 0 : t.begin[source];
    const Index own_count = source < 0 ? 0 : t.begin[source + 1] - own;
    table.classes = 1;
    table.number = 0;
    while (table.number < table.classes) {
      meet_all(walk, own, own_count, launch.links + begin, links);
      const bool full = table.is_full();
      const int were_used = used;
      __syncthreads();
      if (full) {  // what was taken of other classes is void
        table.enlarge(launch.most_bits);
        for (int j = threadIdx.x; j < t.k; j += sum_threads) results[j] = {};
        continue;
      }
      for (Index i = static_cast<Index>(threadIdx.x); i < own_count; i += sum_threads) {
        table.erase(t.rows.string(beta, own + i));
      }
      __syncthreads();
      take_sums(launch, walk, launch.core_energy + walk.alpha_energy(), results);
      ++table.number;
      table.shrink(were_used, fewest_bits);
      __syncthreads();
    }
  }
}

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
    double strings = 1.0;  // of the beta electrons
    for (int i = 0; i < space.beta.electrons; ++i) strings *= (m - i) / (i + 1.0);
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
