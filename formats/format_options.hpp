#pragma once

#include "core/condition.hpp"
#include "core/types.hpp"
#include "spmv/kernel_settings.hpp"

namespace cisolve {

/// Place where the hybrid format divides a row: BOUNDARY of Algorithm 6 (Computation 2018, 6, 45).
struct Boundary {
  enum class By {
    automatic,  ///< by count, the width chosen from the row lengths
    count,      ///< the first `value` nonzeros of a row go to the ELLPACK part
    column      ///< the nonzeros in columns below `value` do
  };
  By by = By::automatic;
  Index value = 0;

  static void describe(const auto& row) {
    row("spmv.boundary.by", &Boundary::by,
        "Where the hybrid format parts a row: chosen from the row lengths, after a count of "
        "nonzeros, or at a column.");
    row("spmv.boundary.value", &Boundary::value, "That count or column.", at_least(0));
  }
};

/// Precision of the stored elements; sums are always in double.
enum class Precision { float64, float32 };

/// The parameters of all formats; each reads its own.
struct FormatOptions {
  Boundary boundary;
  Index slice_height = 32;
  Index sort_window = 256;
  Index block_size = 0;
  Index tile_height = 0;
  enum class HybWidth { one_third, histogram };
  HybWidth hyb_width = HybWidth::one_third;
  KernelSettings kernel = {};  ///< how its products are shared out
  Precision off_diagonal =
      Precision::float64;      ///< of a_ij, i ≠ j, until LinearOperator::to_double_precision
  bool tune = false;           ///< the kernel measured before it is used
  bool deterministic = false;  ///< the same bits on every run on a GPU as well

  static void describe(const auto& row) {
    Boundary::describe(row.within(&FormatOptions::boundary));
    row("spmv.slice_height", &FormatOptions::slice_height,
        "Rows of a slice (C) of sell, sellr and sell_c_sigma.", between(1, 1024));
    row("spmv.sort_window", &FormatOptions::sort_window,
        "Rows that sell_c_sigma sorts by length among themselves (sigma).", at_least(1));
    row("spmv.block_size", &FormatOptions::block_size,
        "Rows and columns of a block (beta) of csb; 0: chosen.", between(0, 65536));
    row("spmv.tile_height", &FormatOptions::tile_height,
        "Entries a lane holds of a tile (sigma) of csr5; 0: chosen.", between(0, 64));
    row("spmv.hyb_width", &FormatOptions::hyb_width,
        "Rule for the width of the ELLPACK part of hyb.");
    KernelSettings::describe(row.within(&FormatOptions::kernel));
    row("spmv.off_diagonal", &FormatOptions::off_diagonal,
        "Precision in which elements off the diagonal are stored until the solver asks for "
        "double; the diagonal and all sums are in double. float32: 8 instead of 12 bytes a "
        "nonzero, in csr, hybrid, ellr, sell, sellr and sell_c_sigma. Changing over to double "
        "takes about as long as making the operator did. Of eigensolvers and `bench`.");
    row("spmv.tune", &FormatOptions::tune,
        "Measure a few choices of spmv.schedule, chunk, threads_per_row and block_threads on the "
        "matrix and keep the fastest, if a second measurement shows a gain of 2 % too.");
    row("spmv.deterministic", &FormatOptions::deterministic,
        "Products with the same bits on every run on a GPU: csr_symmetric then sums in 64-bit "
        "fixed point; the other formats but packed_symmetric and cusparse_* give them anyway, and "
        "so does the CPU for one number of threads. Not with packed_symmetric, cusparse_* or "
        "spmv.tune.");
  }
};

}  // namespace cisolve
