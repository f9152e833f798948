#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "backends/backend.hpp"
#include "core/array.hpp"
#include "formats/format_options.hpp"
#include "spmv/linear_operator.hpp"

namespace cisolve {

struct CsrMatrix;
class ArraySink;
class RowSource;

/// One storage format: a folder of formats/.
struct Format {
  using Maker = std::unique_ptr<LinearOperator>(std::shared_ptr<const CsrMatrix>, Backend&,
                                                const FormatOptions&);
  using Make = Maker*;
  /// Maker of an operator with these values in the place of the matrix's: its off-diagonal elements
  /// in single precision, 0 on the diagonal, which such an operator adds in double
  /// (`round_off_diagonals`).
  using SingleMaker = std::unique_ptr<LinearOperator>(std::shared_ptr<const CsrMatrix>,
                                                      Array<float>, Backend&, const FormatOptions&);
  using MakeSingle = SingleMaker*;
  using MakerFromRows = std::unique_ptr<LinearOperator>(RowSource&, Backend&);
  using MakeFromRows = MakerFromRows*;
  std::string name;
  std::string description;
  /// Bytes the format takes for this matrix, computed without building it.
  std::size_t (*bytes)(const CsrMatrix&, const FormatOptions&) = nullptr;
  /// A bound of `bytes` known from rows and nonzeros alone, where `bytes` costs about as much as
  /// the conversion; else null.
  std::size_t (*most_bytes)(const CsrMatrix&) = nullptr;
  Make cpu = nullptr;
  Make cuda = nullptr;
  /// From rows that are made on the device; null where it is converted on the host alone, as
  /// matrices that are not real are in any format.
  MakeFromRows cuda_from_rows = nullptr;
  /// Bytes that are to be expected of a matrix with so many rows and nonzeros, for a plan before
  /// there are such rows; null where there is no cuda_from_rows.
  std::size_t (*expected_bytes)(Index rows, Offset nonzeros) = nullptr;
  MakeSingle cpu_single = nullptr;   ///< null where the format is stored in double only
  MakeSingle cuda_single = nullptr;  ///< null there
  /// True if it is first laid out in arrays of its own on the host, beside the host matrix.
  bool converts = true;
  /// Hands out the arrays of its layout on the host; null where it has none of its own.
  void (*dump)(const CsrMatrix&, const FormatOptions&, ArraySink&) = nullptr;
  /// True if it stores the upper triangle of a symmetric matrix: it takes a host matrix that is one
  /// (Storage::upper) as it is, and refuses matrices that are not symmetric. The others need the
  /// whole matrix.
  bool symmetric = false;
  /// Most real numbers of an element that it holds: 1 real matrices alone, 2 complex ones too, 4
  /// also quaternions (CsrMatrix::components); on CUDA `cuda_components`.
  int components = 1;
  int cuda_components = 1;
  /// True if its products can have the same bits on every run on a GPU (FormatOptions).
  bool deterministic = true;
  /// True if it reads FormatOptions::boundary.
  bool parts_rows = false;
  /// Bytes that its products with up to `vectors` vectors take beside the matrix, on the backend
  /// and for the number of OpenMP threads now; null: none, or next to none. `outline`, the host
  /// matrix, needs rows, columns and row offsets only.
  std::size_t (*scratch)(const CsrMatrix& outline, const FormatOptions&, BackendKind,
                         int vectors) = nullptr;

  /// Most real numbers of an element that it holds on that backend.
  int components_on(BackendKind backend) const {
    return backend == BackendKind::cuda ? cuda_components : components;
  }
  /// True if it takes at most `room` bytes for this matrix; asks `bytes` where `most_bytes` are
  /// more.
  bool fits(std::size_t room, const CsrMatrix& a, const FormatOptions& options) const {
    return (most_bytes != nullptr && most_bytes(a) <= room) || bytes(a, options) <= room;
  }
};

/// All formats, in alphabetical order.
const std::vector<Format>& formats();

/// The first format that stores one triangle; the first that is made of rows on a device, of whole
/// ones and of the triangle.
const Format& half_storage_format();
const Format& format_of_device_rows();
const Format& half_format_of_device_rows();

/// Throws InputError listing the names there are.
const Format& find_format(const std::string& name);

/// Empty when `format` can be used on that backend here; else why not.
std::string unavailable_reason(const Format& format, BackendKind backend);

/// Throws InputError where the options ask for deterministic products and the format cannot promise
/// them, or where tuning would choose another kernel on another run.
void require_deterministic(const Format& format, const FormatOptions& options);

/// Throws InputError, naming the formats that can, where the options ask for off-diagonal elements
/// in single precision and the format stores them in double only.
void require_precision(const Format& format, const FormatOptions& options);

/// Throws ResourceError (needed and free bytes, formats that would fit) where the host, if the
/// format lays the matrix out there, or the device has no room for it.
void require_room(const Format& format, const CsrMatrix& a, Backend& backend,
                  const FormatOptions& options);

/// `name` itself, or for "auto" csr, on which AdaptiveOperator begins. Throws InputError for an
/// unknown name.
std::string first_format(const std::string& name);

/// The matrix in that format, resident on the backend. The host matrix is only kept by the operator
/// where the format is the host matrix (on the CPU csr, and csr_symmetric of an upper triangle),
/// and as long as its off-diagonal elements are in single precision; else it dies with the caller's
/// pointer.
/// The operator must not outlive the backend. Throws InputError for an unknown name, an upper
/// triangle given to a format that needs the whole matrix, elements that a format does not hold
/// (Format::components) or that are not real where single precision is asked for, a matrix that is
/// not symmetric given to one that stores the triangle, an off-diagonal element that single
/// precision cannot hold where that is asked for, and as require_deterministic and
/// require_precision do; ResourceError when the format is unavailable or host or device cannot hold
/// it (needed and free bytes).
std::unique_ptr<LinearOperator> make_operator(const std::string& name,
                                              std::shared_ptr<const CsrMatrix> a, Backend& backend,
                                              const FormatOptions& options = {});

/// Makes the operator from rows that come to the CUDA device block by block, in a format that is
/// made of such (Format::cuda_from_rows).
std::unique_ptr<LinearOperator> make_operator(const Format& format, RowSource& rows,
                                              Backend& backend, const FormatOptions& options);

/// Below so many nonzeros `auto` stays with csr: docs/adr/0011 has the measurements.
constexpr Offset fewest_nonzeros_to_choose = 1'000'000;

}  // namespace cisolve
