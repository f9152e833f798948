#include <algorithm>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

#include "backends/cuda/check.hpp"
#include "backends/ranks/row_partition.hpp"
#include "core/error.hpp"
#include "hamiltonian/matrix/ci_matrix.hpp"
#include "hamiltonian/matrix/ci_row_walk.cuh"
#include "hamiltonian/matrix/ci_rows_cuda.hpp"
#include "hamiltonian/matrix/ci_tables.hpp"

// The source: tables in device memory, and blocks of rows made from them by a launch each.

namespace cisolve {
namespace {

using namespace ci_row_walk;

template <class... T>
std::size_t bytes_of(const Buffer<T>&... buffers) {
  return (... + (buffers.size() * sizeof(T)));
}

/// The arrays of an ExcitationTable.
struct ExcitationBuffers {
  Buffer<double> energies;
  Buffer<Offset> singles_begin, neighbours_begin;
  Buffer<SingleExcitation> singles;
  Buffer<Neighbour> neighbours;

  ExcitationBuffers(const ExcitationTable& table, Backend& backend)
      : energies(Buffer<double>::from_host(backend, table.energies())),
        singles_begin(Buffer<Offset>::from_host(backend, table.singles_begin())),
        neighbours_begin(Buffer<Offset>::from_host(backend, table.neighbours_begin())),
        singles(Buffer<SingleExcitation>::from_host(backend, table.all_singles())),
        neighbours(Buffer<Neighbour>::from_host(backend, table.all_neighbours())) {}
  std::size_t bytes() const {
    return bytes_of(energies, singles_begin, neighbours_begin, singles, neighbours);
  }
  DeviceExcitations view() const {
    return {energies.data(), singles_begin.data(), singles.data(), neighbours_begin.data(),
            neighbours.data()};
  }
};

std::vector<OrbitalString64> short_strings(const StringSpace& space) {
  return {space.strings.begin(), space.strings.end()};
}

/// Of a space of single ranges.
std::vector<AlphaString> alpha_strings(const CiSpace& space) {
  std::vector<AlphaString> result;
  for (Index a = 0; a < space.alpha.size(); ++a) {
    const RangeDeterminants all = space.determinants_of(a);
    const auto [b, row] = *all.begin();
    result.push_back({static_cast<Index>(row - b), b, b + all.size(), space.alpha.group_of[a]});
  }
  return result;
}

std::span<const double> all_values(const TwoElectron& integrals) {
  return {integrals.row(0), std::size_t(integrals.pairs()) * integrals.pairs()};
}

class CiRowsCuda final : public RowSource {
 public:
  CiRowsCuda(const Integrals& integrals, const CiSpace& space, Backend& backend,
             Offset block_entries)
      : builder_(integrals, space), backend_(backend), block_entries_(block_entries) {
    upload_tables();
    count_rows();
  }

  Index columns() const override { return static_cast<Index>(builder_.tables().space.size()); }
  Index first_row() const override { return first_row_; }
  const Array<Offset>& row_offsets() const override { return row_offsets_; }

  std::size_t device_bytes() const override {
    std::size_t tables =
        bytes_of(alpha_strings_, beta_strings_, targets_, ranges_, mixed_, blocks_);
    for (const ExcitationBuffers& excitations : excitations_) tables += excitations.bytes();
    return tables;
  }

  void for_each_block(Index window, const std::function<void(const DeviceRows&)>& f) override {
    const std::vector<Index> ends = block_ends(window);
    Index most_rows = 0;
    Offset most_entries = 0;
    for (Index first = 0; const Index end : ends) {
      most_rows = std::max(most_rows, end - first);
      most_entries = std::max(most_entries, row_offsets_[end] - row_offsets_[first]);
      first = end;
    }
    Buffer<Offset> offsets(backend_, static_cast<std::size_t>(most_rows) + 1);
    Buffer<Index> column_indices(backend_, static_cast<std::size_t>(most_entries));
    Buffer<double> values(backend_, static_cast<std::size_t>(most_entries));
    for (Index first = 0; const Index end : ends) {
      backend_.upload_bytes(row_offsets_.data() + first, offsets.data(),
                            (static_cast<std::size_t>(end - first) + 1) * sizeof(Offset));
      launch(first_row_ + first, first_row_ + end,
             EntrySink{offsets.data(), first_row_ + first, column_indices.data(), values.data()});
      f({first, end - first, offsets.data(), column_indices.data(), values.data()});
      first = end;
    }
    backend_.synchronize();  // what f launched may still read the arrays
  }

  CsrMatrix some_rows(std::span<const Index> wanted) const override {
    std::vector<Index> rows(wanted.begin(), wanted.end());
    for (Index& row : rows) row += first_row_;
    return builder_.some_rows(rows);
  }
  std::vector<double> diagonal() const override {
    return builder_.diagonal(first_row_, first_row_ + rows());
  }

 private:
  void upload_tables() {
    const auto& tables = builder_.tables();
    excitations_.emplace_back(*tables.excitations[alpha], backend_);
    if (tables.excitations[beta] != tables.excitations[alpha]) {
      excitations_.emplace_back(*tables.excitations[beta], backend_);
    }
    const auto upload = [&](const auto& host, auto& buffer) {
      buffer = std::remove_reference_t<decltype(buffer)>::from_host(backend_, host);
    };
    upload(short_strings(tables.space.alpha), alpha_strings_);
    upload(short_strings(tables.space.beta), beta_strings_);
    upload(alpha_strings(tables.space), targets_);
    upload(tables.beta_singles.entries(), ranges_);
    upload(all_values(tables.mixed), mixed_);
    upload(tables.blocks, blocks_);
  }

  void count_rows() {
    Communicator& ranks = backend_.communicator();
    RowPartition parts = even_partition(columns(), ranks.size());
    std::vector<Index> all = lengths(parts.first(ranks.rank()), parts.begin[ranks.rank() + 1]);
    if (!ranks.alone()) {
      all = ranks.gather(std::span<const Index>(all));
      parts = balanced_partition(all, ranks.size());
    }
    first_row_ = parts.first(ranks.rank());
    const auto own = all.begin() + first_row_;
    row_offsets_ = Array<Offset>(static_cast<std::size_t>(parts.count(ranks.rank())) + 1);
    row_offsets_[0] = 0;
    std::inclusive_scan(own, own + parts.count(ranks.rank()), row_offsets_.begin() + 1,
                        std::plus<>(), Offset{0});
  }

  /// Nonzeros of those rows of the matrix.
  std::vector<Index> lengths(Index first, Index end) {
    std::vector<Index> result(static_cast<std::size_t>(end - first));
    Buffer<Index> on_device(backend_, result.size());
    launch(first, end, LengthSink{on_device.data(), first});
    backend_.download_bytes(on_device.data(), result.data(), result.size() * sizeof(Index));
    return result;
  }

  /// Where the blocks of a pass end: as many whole windows as block_entries_ allows, one at least.
  std::vector<Index> block_ends(Index window) const {
    std::vector<Index> ends;
    for (Index first = 0; first < rows();) {
      const auto from = row_offsets_.begin() + first;
      const auto fitting = static_cast<Index>(
          std::upper_bound(from, row_offsets_.end(), *from + block_entries_) - from - 1);
      const std::int64_t taken = std::max<std::int64_t>(fitting / window, 1) * window;
      // All rows that are left may be no whole number of windows.
      first = fitting == rows() - first
                  ? rows()
                  : static_cast<Index>(std::min<std::int64_t>(rows(), std::int64_t{first} + taken));
      ends.push_back(first);
    }
    return ends;
  }

  /// For those rows of the matrix.
  template <class Sink>
  void launch(Index first_row, Index end_row, const Sink& sink) {
    const auto& tables = builder_.tables();
    const auto blocks_from = [&](Index row) {  // the first block that begins at the row or later
      const auto found = std::partition_point(tables.blocks.begin(), tables.blocks.end(),
                                              [&](const RowBlock& k) { return k.first < row; });
      return static_cast<int>(found - tables.blocks.begin());
    };
    const int from = blocks_from(first_row + 1) - 1, to = blocks_from(end_row);
    const DeviceTables view{tables.core_energy,
                            tables.mixed.pairs(),
                            tables.space.alpha.groups(),
                            excitations_.front().view(),
                            excitations_.back().view(),
                            alpha_strings_.data(),
                            beta_strings_.data(),
                            targets_.data(),
                            ranges_.data(),
                            mixed_.data(),
                            blocks_.data() + from};
    walk_rows<<<to - from, threads, tables.mixed.pairs() * sizeof(double)>>>(view, first_row,
                                                                             end_row, sink);
    check_launch("rows of the CI matrix");
  }

  CiMatrixBuilder builder_;
  Backend& backend_;
  Offset block_entries_;
  std::vector<ExcitationBuffers> excitations_;  ///< alpha first, beta last; one where it is both
  Buffer<OrbitalString64> alpha_strings_, beta_strings_;
  Buffer<AlphaString> targets_;
  Buffer<RangeLists::Entries> ranges_;
  Buffer<double> mixed_;
  Buffer<RowBlock> blocks_;
  Index first_row_ = 0;  ///< of this rank
  Array<Offset> row_offsets_;
};

}  // namespace

std::unique_ptr<RowSource> CISOLVE_IN_MODULE(make_ci_rows_cuda)(const Integrals& integrals,
                                                                const CiSpace& space,
                                                                Backend& backend,
                                                                Offset block_entries) {
  if (!can_make_ci_rows_cuda(space)) {
    throw InputError("GPUs make rows of one range of beta strings for an alpha string, over " +
                     std::to_string(OrbitalString64::most_orbitals) +
                     " orbitals at most; expected the host to make these");
  }
  return std::make_unique<CiRowsCuda>(integrals, space, backend, block_entries);
}

}  // namespace cisolve
