#include "hamiltonian/select/selection.hpp"

#include <cub/device/device_radix_sort.cuh>

#include <algorithm>
#include <utility>

#include "backends/cuda/check.hpp"
#include "hamiltonian/select/cuda/candidate_table.cuh"
#include "hamiltonian/select/cuda/excitation_walk.cuh"
#include "hamiltonian/select/target_strings.hpp"

namespace cisolve {
namespace {

using namespace candidate_table;
using excitation_walk::Tables;

constexpr int select_threads = 128;
constexpr int select_warps = select_threads / warp;

/// Enters a list's determinants.
template <int Words>
__global__ void enter_list(DeviceList<Words> rows, Index count, Table<Words> table) {
  const Index row = blockIdx.x * block_threads + threadIdx.x;
  if (row < count) table.list({rows.string(alpha, row), rows.string(beta, row)});
}

/// Adds excitations of `count` determinants from `first` on, a warp each. `flips`: one stands for
/// both that differ by exchange of all spins, that whose alpha string is not the larger.
template <int Words>
__global__ void __launch_bounds__(select_threads)
    add_excitations(Tables tables, DeviceList<Words> rows, const double* largest, bool flips,
                    Index first, Index count, Table<Words> table) {
  using String = BasicOrbitalString<Words>;
  __shared__ std::uint8_t lists[select_warps][2][String::most_orbitals];
  const Index k = blockIdx.x * select_warps + threadIdx.x / warp;
  if (k >= count || __any_sync(full_warp, table.is_full())) return;
  const Index row = first + k;
  const String strings[2] = {rows.string(alpha, row), rows.string(beta, row)};
  const std::uint8_t* orbitals[2];
  for (int spin = 0; spin < 2; ++spin) {
    std::uint8_t* const list = lists[threadIdx.x / warp][spin];
    excitation_walk::list_orbitals(strings[spin], tables.integrals.orbitals, list);
    orbitals[spin] = list;
  }
  __syncwarp();
  auto found = [&](const String& a, const String& b, double importance) {
    if (flips && is_below(b, a)) {
      table.add({b, a}, importance);
    } else {
      table.add({a, b}, importance);
    }
  };
  excitation_walk::Walk<Words, decltype(found)>{tables, strings, orbitals, largest[row], found}();
}

/// Visits what is to be added to the list: found(place in the table, alpha string, beta string).
template <int Words, class Found>
__device__ void visit_unlisted(const Table<Words>& table, std::uint64_t place, bool flips,
                               Found found) {
  if (place >= table.places || table.importances[place] == 0) return;
  const DeterminantKey<Words> key = table.keys[place];
  if (table.states[place] != listed) found(key);
  if (!flips || key.of_alpha == key.of_beta) return;
  const DeterminantKey<Words> flipped{key.of_beta, key.of_alpha};
  if (!table.is_listed(flipped)) found(flipped);
}

/// Counts candidates of at least `least`, and puts their keys and importances, where these are not
/// null, there.
template <int Words>
__global__ void take_candidates(Table<Words> table, bool flips, double least,
                                unsigned long long* count, DeterminantKey<Words>* keys,
                                double* importances) {
  const std::uint64_t place = std::uint64_t{blockIdx.x} * block_threads + threadIdx.x;
  visit_unlisted(table, place, flips, [&](const DeterminantKey<Words>& key) {
    const double importance =
        __longlong_as_double(static_cast<long long>(table.importances[place]));
    if (importance < least) return;
    const unsigned long long number = atomicAdd(count, 1ULL);
    if (keys != nullptr) keys[number] = key;
    if (importances != nullptr) importances[number] = importance;
  });
}

/// HeatBath in device memory.
class TargetsOnDevice {
 public:
  TargetsOnDevice(const HeatBath::Lists& lists, Backend& backend)
      : begin_(Buffer<std::uint64_t>::from_host(backend, lists.begin)),
        targets_(backend, std::max<std::size_t>(1, lists.targets.size())) {
    backend.upload_bytes(lists.targets.data(), targets_.data(),
                         lists.targets.size() * sizeof(HeatBath::Target));
  }
  excitation_walk::Targets view() const { return {begin_.data(), targets_.data()}; }

 private:
  Buffer<std::uint64_t> begin_;
  Buffer<HeatBath::Target> targets_;
};

/// One search.
template <int Words>
class CandidateSearchCuda {
 public:
  CandidateSearchCuda(const Expansion& expansion, const CandidateBounds& bounds, Backend& backend)
      : expansion_(expansion),
        bounds_(bounds),
        backend_(backend),
        on_device_(expansion, backend),
        heat_bath_(expansion.integrals, bounds.epsilon),
        alphas_(heat_bath_.same(alpha), backend),
        betas_(heat_bath_.same(beta), backend),
        mixed_(heat_bath_.mixed(), backend),
        flips_(expansion.has_flips()),
        places_(1024 + static_cast<std::size_t>(
                           1.6 * (static_cast<double>(std::min(bounds.most, reachable())) +
                                  static_cast<double>(expansion.space.size())))),
        states_(backend, places_),
        keys_(backend, places_),
        importances_(backend, places_),
        counts_(backend, 2),
        table_{places_,        states_.data(), keys_.data(), importances_.data(),
               counts_.data(), bounds.most} {
    clear(states_);
    clear(importances_);
    clear(counts_);
  }

  CandidateSearch operator()(const GoesOn& goes_on) {
    constexpr Index portion = 1 << 18;  // between two questions whether to go on
    const Index rows = static_cast<Index>(expansion_.space.size());
    enter_list<<<blocks_of(rows), block_threads>>>(on_device_.rows, rows, table_);
    check_launch("table of listed determinants");
    const Tables tables{on_device_.integrals,
                        {alphas_.view(), betas_.view()},
                        mixed_.view(),
                        {expansion_.space.alpha.electrons, expansion_.space.beta.electrons},
                        bounds_.epsilon};
    const auto largest = Buffer<double>::from_host(backend_, largest_coefficients());
    for (Index first = 0; first < rows; first += portion) {
      if (goes_on && !goes_on()) return {std::nullopt, 0, 0.0, true};
      const Index count = std::min(portion, rows - first);
      add_excitations<<<blocks_of(count, select_warps), select_threads>>>(
          tables, on_device_.rows, largest.data(), flips_, first, count, table_);
      check_launch("excitations of listed determinants");
      if (count_at(0) > bounds_.most) return {};
    }
    return found();
  }

 private:
  template <class T>
  void clear(Buffer<T>& buffer) {
    check_cuda(cudaMemsetAsync(buffer.data(), 0, buffer.size() * sizeof(T)),
               "clearing a table of candidates");
  }
  /// At most so many determinants are met.
  std::size_t reachable() const {
    const auto &of_alpha = expansion_.space.alpha, &of_beta = expansion_.space.beta;
    const auto singles = [](const StringSpace& space) {
      return static_cast<double>(space.electrons) * (space.orbitals - space.electrons);
    };
    const double of_one = number_of_excitations(of_alpha) + number_of_excitations(of_beta) +
                          singles(of_alpha) * singles(of_beta);
    return static_cast<std::size_t>(
        std::min(1e18, of_one * static_cast<double>(expansion_.space.size())));
  }
  std::vector<double> largest_coefficients() const {
    std::vector<double> largest(static_cast<std::size_t>(expansion_.space.size()));
#pragma omp parallel for schedule(static)
    for (std::int64_t row = 0; row < expansion_.space.size(); ++row) {
      largest[row] = expansion_.coefficients.row(row).cwiseAbs().maxCoeff();
    }
    return largest;
  }
  unsigned long long count_at(int which) {
    unsigned long long count = 0;
    backend_.download_bytes(counts_.data() + which, &count, sizeof count);
    return count;
  }

  /// How many are at least so important; their keys and importances where there is memory for them.
  std::size_t take(double least, DeterminantKey<Words>* keys, double* importances) {
    const unsigned long long none = 0;
    backend_.upload_bytes(&none, counts_.data() + 1, sizeof none);
    take_candidates<<<blocks_of(static_cast<std::int64_t>(places_)), block_threads>>>(
        table_, flips_, least, counts_.data() + 1, keys, importances);
    check_launch("candidates");
    return count_at(1);
  }

  CandidateSearch found() {
    CandidateSearch made;
    made.all = take(0.0, nullptr, nullptr);
    made.epsilon = bounds_.epsilon;
    if (made.all > bounds_.most) return {};
    std::size_t count = made.all;
    double least = 0.0;
    if (count > bounds_.wanted) {
      made.epsilon = importance_of_last(count);
      least = as_important_as(made.epsilon);
      count = take(least, nullptr, nullptr);
    }
    made.found.emplace(count);
    if (count == 0) return made;
    Buffer<DeterminantKey<Words>> keys(backend_, count);
    Buffer<double> importances(backend_, count);
    take(least, keys.data(), importances.data());
    std::vector<DeterminantKey<Words>> of_found(count);
    std::vector<double> how_important(count);
    backend_.download_bytes(keys.data(), of_found.data(), count * sizeof(DeterminantKey<Words>));
    backend_.download_bytes(importances.data(), how_important.data(), count * sizeof(double));
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < count; ++i) {
      (*made.found)[i] = {
          Determinant{OrbitalString(of_found[i].of_alpha), OrbitalString(of_found[i].of_beta)},
          how_important[i]};
    }
    return made;
  }

  /// Importance of the last one that is wanted of `count`.
  double importance_of_last(std::size_t count) {
    Buffer<double> given(backend_, count), sorted(backend_, count);
    take(0.0, nullptr, given.data());
    const auto sort = [&](void* memory, std::size_t& bytes) {
      check_cuda(cub::DeviceRadixSort::SortKeysDescending(memory, bytes, given.data(),
                                                          sorted.data(), count),
                 "sorting importances");
    };
    std::size_t bytes = 0;
    sort(nullptr, bytes);
    Buffer<std::uint8_t> memory(backend_, bytes);
    sort(memory.data(), bytes);
    double last = 0.0;
    backend_.download_bytes(sorted.data() + (bounds_.wanted - 1), &last, sizeof last);
    return last;
  }

  const Expansion& expansion_;
  CandidateBounds bounds_;
  Backend& backend_;
  ExpansionOnDevice<Words> on_device_;
  HeatBath heat_bath_;
  TargetsOnDevice alphas_, betas_, mixed_;
  bool flips_;
  std::size_t places_;
  Buffer<std::uint32_t> states_;
  Buffer<DeterminantKey<Words>> keys_;
  Buffer<unsigned long long> importances_;
  Buffer<unsigned long long> counts_;  ///< candidates in the table, and those taken from it
  Table<Words> table_;
};

}  // namespace

CandidateSearch CISOLVE_IN_MODULE(important_candidates_cuda)(const Expansion& expansion,
                                                             const CandidateBounds& bounds,
                                                             Backend& backend,
                                                             const GoesOn& goes_on) {
  if (expansion.integrals.orbitals <= OrbitalString64::most_orbitals) {
    return CandidateSearchCuda<1>(expansion, bounds, backend)(goes_on);
  }
  return CandidateSearchCuda<2>(expansion, bounds, backend)(goes_on);
}

}  // namespace cisolve
