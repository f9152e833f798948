#include "hamiltonian/matrix/cuda/list_rows_cuda.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <vector>

#include "backends/cuda/check.hpp"
#include "hamiltonian/matrix/cuda/list_row_walk.cuh"
#include "hamiltonian/matrix/cuda/made_rows_cuda.hpp"
#include "hamiltonian/matrix/cuda/row_sort.cuh"
#include "hamiltonian/space/slater_condon.hpp"

namespace cisolve {
namespace {

using namespace list_groups;

constexpr int list_threads = 256;

/// Rows `numbers` of the matrix, or where it is null those from `first` on; a warp each.
template <class Sink>
__global__ void __launch_bounds__(list_threads)
    walk_list_rows(Tables t, const Index* numbers, Index first, Index count, Sink sink) {
  const Index k = blockIdx.x * (list_threads / warp) + threadIdx.x / warp;
  if (k >= count) return;
  const Index row = numbers != nullptr ? numbers[k] : first + k;
  const Index a = t.string_of[0][row], b = t.string_of[1][row];
  const Row<Sink> walk{t, row, a, b, sink};
  sink.begin_row(k);
  walk.two_spins();
  for (int spin = 0; spin < 2; ++spin) {
    walk.singles(spin);
    walk.two_of(spin);
  }
  const bool first_lane = row_lanes::lane_id() == 0;
  sink.add(first_lane, {row, first_lane ? diagonal_element(t, a, b) : 0.0});
  sink.end_row(k);
}

__global__ void list_diagonal(Tables t, Index first, Index count, double* diagonal) {
  const Index k = blockIdx.x * list_threads + threadIdx.x;
  if (k >= count) return;
  diagonal[k] = diagonal_element(t, t.string_of[0][first + k], t.string_of[1][first + k]);
}

/// Strings of one spin in device memory.
struct StringBuffers {
  StringBuffers(const StringSpace& space, const SpinIntegrals& integrals, Backend& backend)
      : one(space, 1), two(space, 2) {
    std::vector<std::uint8_t> orbitals;
    std::vector<double> of_strings;
    for (const OrbitalString& s : space.strings) {
      for (const int p : s) orbitals.push_back(static_cast<std::uint8_t>(p));
      of_strings.push_back(string_energy(integrals, s));
    }
    std::vector<double> one_electron(static_cast<std::size_t>(integrals.g.pairs()));
    for (int p = 0; p < integrals.h.orbitals(); ++p) {
      for (int q = 0; q < integrals.h.orbitals(); ++q) {
        one_electron[integrals.g.pair(p, q)] = integrals.h(p, q);
      }
    }
    const auto upload = [&](const auto& host, auto& buffer) {
      buffer = std::remove_reference_t<decltype(buffer)>::from_host(backend, host);
    };
    upload(orbitals, occupied);
    upload(of_strings, energies);
    upload(one_electron, h);
    upload(one.all(), one_remainders);
    upload(one.all_taken(), one_taken);
    upload(two.all(), two_remainders);
    upload(two.all_taken(), two_taken);
  }

  std::size_t bytes() const {
    return occupied.size() + (energies.size() + h.size()) * sizeof(double) +
           (one_remainders.size() + two_remainders.size()) * sizeof(Index) +
           (one_taken.size() + two_taken.size()) * sizeof(Taken);
  }

  Remainders one, two;
  Buffer<std::uint8_t> occupied;
  Buffer<double> energies, h;  ///< h by pair of orbitals
  Buffer<Index> one_remainders, two_remainders;
  Buffer<Taken> one_taken, two_taken;
};

class ListRowsCuda final : public MadeRows {
 public:
  ListRowsCuda(const Integrals& integrals, const ListedSpace& space, Backend& backend,
               Offset block_entries, std::span<const Index> order)
      : MadeRows(static_cast<Index>(space.size()), backend, block_entries) {
    upload_rows(space, order);
    upload_integrals(integrals);
    for (const Spin spin : {alpha, beta}) {
      const StringSpace& strings = spin == alpha ? space.alpha : space.beta;
      const SpinIntegrals of_spin{*integrals.one_electron[spin],
                                  spin == alpha ? *integrals.alpha_alpha : *integrals.beta_beta};
      strings_.emplace_back(strings, of_spin, backend);
      tables_.electrons[spin] = strings.electrons;
      tables_.string_of[spin] = string_of_[spin].data();
      tables_.occupied[spin] = strings_[spin].occupied.data();
      tables_.energies[spin] = strings_[spin].energies.data();
      tables_.of_spin[spin].h = strings_[spin].h.data();
    }
    const auto side = [&](Spin spin, int removed) -> Side {
      const StringBuffers& s = strings_[spin];
      const Index* const rows = string_of_[spin].data();
      if (removed == 0) {
        return {rows, nullptr, nullptr, 1, (spin == alpha ? space.alpha : space.beta).size()};
      }
      if (removed == 1) {
        return {rows, s.one_remainders.data(), s.one_taken.data(), s.one.each(), s.one.size()};
      }
      return {rows, s.two_remainders.data(), s.two_taken.data(), s.two.each(), s.two.size()};
    };
    tables_.two_spins = grouped({side(alpha, 1), side(beta, 1)});
    if (space.beta.electrons == 0) {
      tables_.single[alpha] = grouped({side(alpha, 1), side(beta, 0)});
    }
    if (space.alpha.electrons == 0) {
      tables_.single[beta] = grouped({side(alpha, 0), side(beta, 1)});
    }
    tables_.two_of[alpha] = grouped({side(alpha, 2), side(beta, 0)});
    tables_.two_of[beta] = grouped({side(alpha, 0), side(beta, 2)});
    count_rows();
  }

  std::size_t device_bytes() const override {
    std::size_t bytes = 2 * string_of_[0].size() * sizeof(Index);
    for (const Buffer<double>& g : integrals_) bytes += g.size() * sizeof(double);
    for (const Groups& groups : groups_) bytes += groups.bytes();
    for (const StringBuffers& strings : strings_) bytes += strings.bytes();
    return bytes;
  }

  CsrMatrix some_rows(std::span<const Index> wanted) const override {
    std::vector<Index> rows(wanted.begin(), wanted.end());
    for (Index& row : rows) row += first_row();
    CsrMatrix made;
    made.rows = static_cast<Index>(rows.size());
    made.columns = columns();
    made.row_offsets = Array<Offset>(rows.size() + 1);
    made.row_offsets[0] = 0;
    if (rows.empty()) return made;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const Array<Offset>& offsets = row_offsets();
      made.row_offsets[k + 1] = made.row_offsets[k] + offsets[wanted[k] + 1] - offsets[wanted[k]];
    }
    const auto count = static_cast<std::size_t>(made.nonzeros());
    const auto numbers = Buffer<Index>::from_host(backend(), rows);
    const auto offsets = Buffer<Offset>::from_host(backend(), made.row_offsets);
    Buffer<Index> columns(backend(), count);
    Buffer<double> values(backend(), count);
    write(numbers.data(), 0, made.rows, offsets.data(), columns.data(), values.data());
    made.column_indices = Array<Index>(count);
    made.values = Array<double>(count);
    backend().download_bytes(columns.data(), made.column_indices.data(), count * sizeof(Index));
    backend().download_bytes(values.data(), made.values.data(), count * sizeof(double));
    return made;
  }

  std::vector<double> diagonal() const override {
    std::vector<double> result(static_cast<std::size_t>(rows()));
    if (result.empty()) return result;
    Buffer<double> on_device(backend(), result.size());
    list_diagonal<<<(rows() + list_threads - 1) / list_threads, list_threads>>>(
        tables_, first_row(), rows(), on_device.data());
    check_launch("diagonal of the matrix of a list");
    backend().download_bytes(on_device.data(), result.data(), result.size() * sizeof(double));
    return result;
  }

 private:
  void upload_rows(const ListedSpace& space, std::span<const Index> order) {
    std::array<std::vector<Index>, 2> strings;
    for (auto& of_spin : strings) of_spin.reserve(static_cast<std::size_t>(space.size()));
    for (Index a = 0; a < space.alpha.size(); ++a) {
      for (const auto& member : space.determinants_of(a)) {
        strings[alpha].push_back(a);
        strings[beta].push_back(member.beta);
      }
    }
    for (const Spin spin : {alpha, beta}) {
      std::vector<Index> of_rows(order.size());
      std::ranges::transform(order, of_rows.begin(), [&](Index row) { return strings[spin][row]; });
      string_of_[spin] =
          Buffer<Index>::from_host(backend(), order.empty() ? strings[spin] : of_rows);
    }
  }

  void upload_integrals(const Integrals& integrals) {
    const auto upload = [&](const TwoElectron& g) {
      integrals_.push_back(Buffer<double>::from_host(
          backend(), std::span(g.row(0), std::size_t(g.pairs()) * g.pairs())));
      return static_cast<const double*>(integrals_.back().data());
    };
    integrals_.reserve(3);
    tables_.core_energy = integrals.core_energy;
    tables_.pairs = integrals.alpha_beta->pairs();
    tables_.pair = integrals.alpha_beta->numbers();
    const double* const mixed = upload(*integrals.alpha_beta);
    tables_.mixed = tables_.of_spin[alpha].g = tables_.of_spin[beta].g = mixed;
    if (integrals.alpha_alpha != integrals.alpha_beta) {
      tables_.of_spin[alpha].g = upload(*integrals.alpha_alpha);
    }
    if (integrals.beta_beta != integrals.alpha_beta) {
      tables_.of_spin[beta].g = upload(*integrals.beta_beta);
    }
  }

  Kind grouped(const Sides& sides) {
    groups_.push_back(make_groups(sides, columns(), backend()));
    const Groups& made = groups_.back();
    return {sides, made.group_of.data(), made.begin.data(), made.members.data()};
  }

  void make_lengths(Index first, Index end, Index* lengths) override {
    launch(nullptr, first, end - first, row_lanes::LengthSink{lengths, 0});
  }
  void make_entries(Index first, Index end, const Offset* row_offsets, Index* columns,
                    double* values) override {
    write(nullptr, first, end - first, row_offsets, columns, values);
  }

  void write(const Index* numbers, Index first, Index count, const Offset* row_offsets,
             Index* columns, double* values) const {
    launch(numbers, first, count, row_lanes::EntrySink{row_offsets, 0, columns, values});
    if (count == 0) return;
    row_sort::sort_kernel<<<count, row_sort::threads>>>(row_offsets, columns, values);
    check_launch("columns of a list's rows");
  }

  template <class Sink>
  void launch(const Index* numbers, Index first, Index count, const Sink& sink) const {
    constexpr int warps = list_threads / warp;
    if (count == 0) return;
    walk_list_rows<<<(count + warps - 1) / warps, list_threads>>>(tables_, numbers, first, count,
                                                                  sink);
    check_launch("rows of the matrix of a list");
  }

  Tables tables_{};
  std::array<Buffer<Index>, 2> string_of_;
  std::vector<StringBuffers> strings_;
  std::vector<Buffer<double>> integrals_;
  std::vector<Groups> groups_;
};

}  // namespace

std::unique_ptr<RowSource> CISOLVE_IN_MODULE(make_list_rows_cuda)(const Integrals& integrals,
                                                                  const ListedSpace& space,
                                                                  Backend& backend,
                                                                  Offset block_entries,
                                                                  std::span<const Index> order) {
  return std::make_unique<ListRowsCuda>(integrals, space, backend, block_entries, order);
}

}  // namespace cisolve
