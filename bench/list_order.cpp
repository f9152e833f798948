// Lines of X that a warp of the packed format reads at once, by the order of a list's determinants:
//
//     list_order FCIDUMP LIST
//
// prints, for the order of strings and that of configurations, the number of lines of 128 bytes
// that hold 32 entries, one of each row of a slice. Rows are sorted by length in windows of 1,024,
// as in packed, and every 61st slice is counted.
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <set>
#include <vector>

#include "core/error.hpp"
#include "hamiltonian/integrals/fcidump/fcidump.hpp"
#include "hamiltonian/matrix/cuda/rows_cuda.hpp"
#include "hamiltonian/matrix/matrix_builder.hpp"
#include "io/determinants/determinant_file.hpp"

namespace cisolve {
namespace {

double lines_of(const CsrMatrix& a, std::vector<Index> order) {
  constexpr Index window = 1024, rows = 32, per_line = 16, every = 61;
  std::vector<Index> places(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) places[order[k]] = static_cast<Index>(k);
  for (Index first = 0; first < a.rows; first += window) {
    std::stable_sort(order.begin() + first, order.begin() + std::min(a.rows, first + window),
                     [&](Index x, Index y) { return a.row_length(x) > a.row_length(y); });
  }
  double lines = 0.0, entries = 0.0;
  for (Index first = 0; first < a.rows; first += rows * every) {
    std::vector<std::set<Index>> steps;
    for (Index r = first; r < std::min(a.rows, first + rows); ++r) {
      std::vector<Index> columns;
      for (Offset e = a.row_offsets[order[r]]; e < a.row_offsets[order[r] + 1]; ++e) {
        columns.push_back(places[a.column_indices[e]]);
      }
      std::ranges::sort(columns);
      if (steps.size() < columns.size()) steps.resize(columns.size());
      for (std::size_t t = 0; t < columns.size(); ++t) steps[t].insert(columns[t] / per_line);
      entries += static_cast<double>(columns.size());
    }
    for (const auto& step : steps) lines += static_cast<double>(step.size());
  }
  return rows * lines / entries;
}

int run(const char* fcidump, const char* list) {
  const Integrals integrals = read_fcidump(fcidump);
  const AnySpace space =
      make_listed_space(integrals, read_determinants(list, {integrals.orbitals}).list, {});
  const auto builder = make_matrix_builder(integrals, space, Storage::full);
  const CsrMatrix a = builder->fill(builder->count());
  std::vector<Index> strings(static_cast<std::size_t>(a.rows));
  std::iota(strings.begin(), strings.end(), 0);
  const std::vector<Index> near = near_rows(space);
  std::printf("%d determinants, %.0f nonzeros a row: by strings %.1f lines", a.rows,
              static_cast<double>(a.nonzeros()) / a.rows, lines_of(a, strings));
  if (!near.empty()) std::printf(", by configuration %.1f", lines_of(a, near));
  std::printf("\n");
  return 0;
}

}  // namespace
}  // namespace cisolve

int main(int count, char** arguments) {
  if (count != 3) {
    std::fprintf(stderr, "list_order FCIDUMP LIST\n");
    return 1;
  }
  try {
    return cisolve::run(arguments[1], arguments[2]);
  } catch (const cisolve::InputError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
