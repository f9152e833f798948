#include "hamiltonian/select/external_sums.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "backends/cuda/check.hpp"
#include "hamiltonian/select/cuda/target_walk.cuh"

namespace cisolve {
namespace {

using target_sums::SumTable;
using target_sums::TargetTables;
using target_sums::TargetWalk;

constexpr int sum_threads = 256;
constexpr int states_at_once = 4;
constexpr int fewest_bits = 12;  ///< of a table's places

/// Σ e of a state, as an integer and what it leaves, and the largest |c| (its bits).
struct StateSums {
  unsigned long long high, low, largest;
};
/// Units of these integers, of the largest element: low ones are added up to 2^17 times.
constexpr double high_unit = 0x1p-40, low_unit = 0x1p-85;

template <int Words>
struct SumLaunch {
  TargetTables<Words> tables;
  const double* energies;  ///< of the states, without the core energy
  double unit;             ///< the largest element, Hartree
  std::int64_t targets;
  const BasicOrbitalString<Words>* strings;  ///< of the targets
  const std::int64_t* begin;                 ///< of their links
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
        const double below = launch.energies[first + i] - energy;
        const double least = least_denominator * fabs(energy);
        const double coefficient = sum / (fabs(below) < least ? -least : below);
        const double e = fmin(fmax(sum * coefficient / launch.unit, -1e5), 1e5);
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
      atomicAdd(&results[first + i].high, own[i].high);
      atomicAdd(&results[first + i].low, own[i].low);
      atomicMax(&results[first + i].largest, own[i].largest);
    }
  }
}

/// Blocks draw targets. The beta strings of one are met in as many classes as its table needs; a
/// table that is too small is made larger, or has more classes, and its target begins anew.
template <int Words>
__global__ void __launch_bounds__(sum_threads) sum_targets(SumLaunch<Words> launch) {
  using String = BasicOrbitalString<Words>;
  extern __shared__ double field[];
  __shared__ target_sums::Fill fill;
  __shared__ std::int64_t drawn;
  __shared__ int item;
  const TargetTables<Words>& t = launch.tables;
  const std::int64_t places = std::int64_t{1} << launch.most_bits;
  SumTable<Words> table{launch.keys + blockIdx.x * places * Words,
                        launch.sums + blockIdx.x * places * t.k,
                        t.k,
                        fewest_bits,
                        0,
                        1,
                        &fill};
  while (true) {
    __syncthreads();
    if (threadIdx.x == 0) drawn = static_cast<std::int64_t>(atomicAdd(launch.next, 1ULL));
    __syncthreads();
    const std::int64_t target = drawn;
    if (target >= launch.targets) return;
    const String& string = launch.strings[target];
    for (int pair = threadIdx.x; pair < t.integrals.pairs; pair += sum_threads) {
      double sum = 0.0;
      for (const int j : string) sum += t.integrals.mixed_row(pair_index(j, j))[pair];
      field[pair] = sum;
    }
    const std::int64_t begin = launch.begin[target], end = launch.begin[target + 1];
    StateSums* const results = launch.results + target * t.k;
    const TargetWalk<Words> walk{t, string, field, table};
    Index own_begin = 0, own_end = 0;
    for (std::int64_t i = begin; i < end; ++i) {
      if (launch.links[i].electrons != 0) continue;
      own_begin = t.begin[launch.links[i].source];
      own_end = t.begin[launch.links[i].source + 1];
      break;
    }
    table.classes = 1;
    table.number = 0;
    while (table.number < table.classes) {
      table.clear();
      if (threadIdx.x == 0) item = 0;
      __syncthreads();
      const auto items = static_cast<int>(own_end - own_begin + (end - begin));
      while (true) {
        int mine = 0;
        if (row_lanes::lane_id() == 0) mine = atomicAdd(&item, 1);
        mine = __shfl_sync(full_warp, mine, 0);
        if (mine >= items) break;
        if (mine < own_end - own_begin) {
          walk.meet_own(own_begin + mine);
        } else {
          const TargetLink link = launch.links[begin + mine - (own_end - own_begin)];
          if (link.electrons > 0) walk.meet(link);
        }
        __syncwarp();
      }
      __syncthreads();
      const bool overflow = fill.overflow != 0;
      const int used = fill.used;
      __syncthreads();
      if (overflow) {  // what is taken of other classes is void
        if (table.bits < launch.most_bits) {
          table.bits = min(table.bits + 2, launch.most_bits);
        } else {
          table.classes *= 4;
        }
        table.number = 0;
        for (int j = threadIdx.x; j < t.k; j += sum_threads) results[j] = {};
        continue;
      }
      for (Index row = own_begin + static_cast<Index>(threadIdx.x); row < own_end;
           row += sum_threads) {
        table.erase(t.rows.string(beta, row));
      }
      __syncthreads();
      take_sums(launch, walk, launch.core_energy + walk.alpha_energy(), results);
      ++table.number;
      // The next target's table: about as full as this one's.
      if (table.classes == 1 && used < static_cast<int>(table.places() / 8)) {
        table.bits = max(fewest_bits, table.bits - 1);
      }
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
    blocks_ = 4 * processors;
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
    std::vector<std::int64_t> begin{0};
    std::vector<TargetLink> all;
    for (const std::int64_t i : targets) {
      strings.emplace_back(links.target(i));
      const auto some = links.links(i);
      all.insert(all.end(), some.begin(), some.end());
      begin.push_back(std::ssize(all));
    }
    const auto on_strings = Buffer<String>::from_host(backend_, strings);
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
        const StateSums& of = found[i * static_cast<std::size_t>(k) + static_cast<std::size_t>(j)];
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
