#include "formats/csr_symmetric/csr_symmetric.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/memory.hpp"
#include "core/threads/parallel.hpp"
#include "formats/array_sink.hpp"

namespace cisolve {
namespace {

/// Boundaries of `parts` runs of whole windows of rows with about equal numbers of entries.
std::vector<Index> equal_parts(const CsrMatrix& upper, int parts, Index window) {
  std::vector<Index> starts{0};
  const auto begin = upper.row_offsets.begin();
  for (int p = 1; p < parts; ++p) {
    const Offset wanted = upper.nonzeros() * p / parts;
    const auto found = std::lower_bound(begin + starts.back(), begin + upper.rows, wanted);
    const std::int64_t row = found - begin, nearest = (row + window / 2) / window * window;
    starts.push_back(
        static_cast<Index>(std::clamp<std::int64_t>(nearest, starts.back(), upper.rows)));
  }
  starts.push_back(upper.rows);
  if (window > 1) starts.erase(std::unique(starts.begin() + 1, starts.end()), starts.end());
  return starts;
}

std::size_t csr_symmetric_bytes(const CsrMatrix& a, const FormatOptions&) {
  Offset held = 0;
#pragma omp parallel for if (worth_threads(a.nonzeros())) schedule(dynamic, 1024) \
    reduction(+ : held)
  for (Index i = 0; i < a.rows; ++i) {
    const auto columns = a.column_indices.begin();
    const auto end = columns + a.row_offsets[i + 1];
    held += end - std::lower_bound(columns + a.row_offsets[i], end, i);
  }
  return CsrMatrix::bytes(a.rows, held, a.components);
}

void dump_csr_symmetric(const CsrMatrix& a, const FormatOptions&, ArraySink& sink) {
  const CsrMatrix upper = upper_triangle(a, "csr_symmetric");
  sink.array("row_offsets", upper.row_offsets);
  sink.array("column_indices", upper.column_indices);
  with_components(upper.components, [&](auto d) {
    put_elements(sink, "values", std::span(field_elements<d.value>(upper), upper.nonzeros()));
  });
}

/// The buffers of the CPU's threads; on a GPU the integers that deterministic products add, eight
/// a row: vectors of several numbers are as many fewer at once.
std::size_t scratch_bytes(const CsrMatrix& outline, const FormatOptions& options,
                          BackendKind backend, int /*vectors*/) {
  if (backend == BackendKind::cpu) {
    return partition_rows(outline, omp_get_max_threads()).scratch_bytes();
  }
  return options.deterministic ? 8 * sizeof(double) * outline.rows : 0;
}

}  // namespace

std::shared_ptr<const CsrMatrix> upper_part(std::shared_ptr<const CsrMatrix> a,
                                            const std::string& format) {
  if (a->storage == Storage::upper) return a;
  return std::make_shared<const CsrMatrix>(upper_triangle(*a, "format " + format));
}

std::size_t SymmetricPartition::scratch_bytes() const {
  return static_cast<std::size_t>(buffer_offsets.back()) * width * components * sizeof(double);
}

Array<double> SymmetricPartition::make_scratch(const std::string& format) const {
  const std::size_t needed = scratch_bytes(), free = available_host_memory();
  if (needed > free) {
    throw ResourceError("format " + format + " needs buffers of " + format_bytes(needed) +
                        " for its threads, and " + format_bytes(free) + " are free on the host");
  }
  return Array<double>(needed / sizeof(double));
}

SymmetricPartition partition_rows(const CsrMatrix& upper, int threads, Index window) {
  constexpr std::size_t always_allowed = 16'000'000;
  const std::size_t room = std::max(
      CsrMatrix::bytes(upper.rows, upper.nonzeros(), upper.components) / 4, always_allowed);
  for (int parts = threads;; --parts) {
    SymmetricPartition partition{equal_parts(upper, parts, window), {0}};
    partition.components = upper.components;
    for (int p = 0; p < partition.parts(); ++p) {
      partition.buffer_offsets.push_back(partition.buffer_offsets.back() + upper.rows -
                                         partition.starts[p + 1]);
    }
    for (const int width : {8, 4, 2, 1}) {
      partition.width = width;
      if (partition.scratch_bytes() <= room) return partition;
    }
  }
}

double largest_row_sum(const CsrMatrix& upper) {
  std::vector<double> sums(static_cast<std::size_t>(upper.rows), 0.0);
  for (Index i = 0; i < upper.rows; ++i) {
    for (Offset e = upper.row_offsets[i]; e < upper.row_offsets[i + 1]; ++e) {
      const Index j = upper.column_indices[e];
      double magnitude = 0.0;
      for (int c = 0; c < upper.components; ++c) {
        magnitude += std::abs(upper.values[e * upper.components + c]);
      }
      sums[i] += magnitude;
      if (j != i) sums[j] += magnitude;
    }
  }
  return sums.empty() ? 0.0 : *std::ranges::max_element(sums);
}

Format csr_symmetric_format() {
  return {.name = "csr_symmetric",
          .description = "upper triangle of a symmetric matrix in CSR: half the memory",
          .bytes = csr_symmetric_bytes,
          .cpu = make_csr_symmetric_cpu,
          .cuda = make_csr_symmetric_cuda,
          .converts = false,
          .dump = dump_csr_symmetric,
          .symmetric = true,
          .components = 4,
          .cuda_components = 4,
          .scratch = scratch_bytes};
}

}  // namespace cisolve
