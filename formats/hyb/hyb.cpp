#include "formats/hyb/hyb.hpp"

#include <algorithm>
#include <vector>

#include "core/threads/parallel.hpp"
#include "formats/array_sink.hpp"
#include "formats/shared/stored_operator.hpp"

namespace cisolve {
namespace {

std::size_t hyb_bytes(const CsrMatrix& a, const FormatOptions& options) {
  const Index width = hyb_width(a, options.hyb_width);
  Offset rest = 0;
#pragma omp parallel for if (worth_threads(a.rows)) schedule(static) reduction(+ : rest)
  for (Index i = 0; i < a.rows; ++i) rest += std::max<Offset>(a.row_length(i) - width, 0);
  return static_cast<std::size_t>(a.rows) * width * (sizeof(double) + sizeof(Index)) +
         CooMatrix::bytes(rest);
}

void dump_hyb(const CsrMatrix& a, const FormatOptions& options, ArraySink& sink) {
  const HybMatrix hyb = to_hyb(a, EllMatrix::Order::by_row, options.hyb_width);
  sink.scalar("width", hyb.ell.width);
  sink.array("ell_column_indices", hyb.ell.column_indices, {hyb.ell.rows, hyb.ell.width});
  sink.array("ell_values", hyb.ell.values, {hyb.ell.rows, hyb.ell.width});
  sink.array("coo_row_indices", hyb.coo.row_indices);
  sink.array("coo_column_indices", hyb.coo.column_indices);
  sink.array("coo_values", hyb.coo.values);
}

}  // namespace

Index hyb_width(const CsrMatrix& a, FormatOptions::HybWidth rule) {
  const Offset longest = row_statistics(a).maximum;
  std::vector<Offset> rows_of_length(static_cast<std::size_t>(longest) + 1, 0);
  for (Index i = 0; i < a.rows; ++i) ++rows_of_length[a.row_length(i)];

  // The w-th column of ELLPACK takes 12 · rows bytes and saves 16 in coordinates for each row that
  // fills it. Fewer rows fill later columns, so the last column that pays gives the best width.
  const auto worth = [&](Offset filling) {
    return rule == FormatOptions::HybWidth::one_third ? 3 * filling >= a.rows
                                                      : 16 * filling > Offset{12} * a.rows;
  };
  Offset filling = 0;
  for (Offset width = longest; width > 0; --width) {
    filling += rows_of_length[width];
    if (worth(filling)) return static_cast<Index>(width);
  }
  return 0;
}

HybMatrix to_hyb(const CsrMatrix& a, EllMatrix::Order order, FormatOptions::HybWidth rule) {
  const Index width = hyb_width(a, rule);
  return {to_ell(a, order, width), to_coo(a, width)};
}

Format hyb_format() {
  return {.name = "hyb",
          .description = "ELLPACK of the width most rows fill, coordinates past it",
          .bytes = hyb_bytes,
          .cpu = make_hyb_cpu,
          .cuda = make_hyb_cuda,
          .dump = dump_hyb,
          .scratch = contiguous_scratch};
}

}  // namespace cisolve
