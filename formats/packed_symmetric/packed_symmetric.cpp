#include "formats/packed_symmetric/packed_symmetric.hpp"

#include <omp.h>

#include "formats/csr_symmetric/csr_symmetric.hpp"
#include "formats/packed/plan.hpp"

namespace cisolve {
namespace {

std::size_t most_bytes_of_triangle(const CsrMatrix& a) {
  const Offset held = a.storage == Storage::upper ? a.nonzeros() : (a.nonzeros() + a.rows) / 2;
  return CsrMatrix::bytes(a.rows, held);
}

/// A bound for a matrix that is not symmetric, which the format refuses.
std::size_t bytes_of_triangle(const CsrMatrix& a, const FormatOptions&) {
  if (a.storage == Storage::upper) return plan_packed(a).bytes();
  if (!is_symmetric(a)) return most_bytes_of_triangle(a);
  return plan_packed(upper_triangle(a, "packed_symmetric")).bytes();
}

/// The buffers of the CPU's threads; on a GPU contiguous X, as packed takes it.
std::size_t scratch_of_triangle(const CsrMatrix& outline, const FormatOptions& options,
                                BackendKind backend, int vectors) {
  if (backend == BackendKind::cpu) {
    return partition_rows(outline, omp_get_max_threads(), packed_window).scratch_bytes();
  }
  return find_format("packed").scratch(outline, options, backend, vectors);
}

void dump_triangle(const CsrMatrix& a, const FormatOptions& options, ArraySink& sink) {
  find_format("packed").dump(upper_triangle(a, "packed_symmetric"), options, sink);
}

}  // namespace

Format packed_symmetric_format() {
  return {.name = "packed_symmetric",
          .description = "upper triangle of a symmetric matrix, packed: half the memory of packed",
          .bytes = bytes_of_triangle,
          .most_bytes = most_bytes_of_triangle,
          .cpu = make_packed_symmetric_cpu,
          .cuda = make_packed_symmetric_cuda,
          .cuda_from_rows = make_packed_symmetric_from_rows,
          .expected_bytes = expected_packed_symmetric_bytes,
          .dump = dump_triangle,
          .symmetric = true,
          .deterministic = false,
          .scratch = scratch_of_triangle};
}

}  // namespace cisolve
