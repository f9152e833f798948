#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

#include "backends/cuda/check.hpp"
#include "core/error.hpp"
#include "hamiltonian/matrix/ci_matrix.hpp"
#include "hamiltonian/matrix/ci_tables.hpp"
#include "hamiltonian/matrix/cuda/ci_row_walk.cuh"
#include "hamiltonian/matrix/cuda/ci_rows_cuda.hpp"
#include "hamiltonian/matrix/cuda/made_rows_cuda.hpp"

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

/// Alpha strings of a space of single ranges.
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

class CiRowsCuda final : public MadeRows {
 public:
  CiRowsCuda(const Integrals& integrals, const CiSpace& space, Backend& backend,
             Offset block_entries)
      : MadeRows(static_cast<Index>(space.size()), backend, block_entries),
        builder_(integrals, space) {
    upload_tables();
    count_rows();
  }

  std::size_t device_bytes() const override {
    std::size_t tables =
        bytes_of(alpha_strings_, beta_strings_, targets_, ranges_, mixed_, blocks_);
    for (const ExcitationBuffers& excitations : excitations_) tables += excitations.bytes();
    return tables;
  }

  CsrMatrix some_rows(std::span<const Index> wanted) const override {
    std::vector<Index> rows(wanted.begin(), wanted.end());
    for (Index& row : rows) row += first_row();
    return builder_.some_rows(rows);
  }
  std::vector<double> diagonal() const override {
    return builder_.diagonal(first_row(), first_row() + rows());
  }

 private:
  void make_lengths(Index first, Index end, Index* lengths) override {
    launch(first, end, LengthSink{lengths, first});
  }
  void make_entries(Index first, Index end, const Offset* row_offsets, Index* columns,
                    double* values) override {
    launch(first, end, EntrySink{row_offsets, first, columns, values});
  }
  void upload_tables() {
    const auto& tables = builder_.tables();
    excitations_.emplace_back(*tables.excitations[alpha], backend());
    if (tables.excitations[beta] != tables.excitations[alpha]) {
      excitations_.emplace_back(*tables.excitations[beta], backend());
    }
    const auto upload = [&](const auto& host, auto& buffer) {
      buffer = std::remove_reference_t<decltype(buffer)>::from_host(backend(), host);
    };
    upload(short_strings(tables.space.alpha), alpha_strings_);
    upload(short_strings(tables.space.beta), beta_strings_);
    upload(alpha_strings(tables.space), targets_);
    upload(tables.beta_singles.entries(), ranges_);
    upload(all_values(tables.mixed), mixed_);
    upload(tables.blocks, blocks_);
  }

  /// Launches the walk over those rows of the matrix.
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
  std::vector<ExcitationBuffers> excitations_;  ///< alpha first, beta last; one where it is both
  Buffer<OrbitalString64> alpha_strings_, beta_strings_;
  Buffer<AlphaString> targets_;
  Buffer<RangeLists::Entries> ranges_;
  Buffer<double> mixed_;
  Buffer<RowBlock> blocks_;
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
