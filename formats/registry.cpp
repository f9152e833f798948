#include <algorithm>
#include <limits>

#include "backends/backend.hpp"
#include "core/error.hpp"
#include "core/memory.hpp"
#include "core/text/text.hpp"
#include "formats/array_sink.hpp"
#include "formats/format.hpp"
#include "formats/matrix/csr_matrix.hpp"
#include "formats/mixed_precision_operator.hpp"

namespace cisolve {
namespace {

bool stores(const Format& format, Precision off_diagonal) {
  return off_diagonal == Precision::float64 || format.cpu_single != nullptr;
}

bool holds(const Format& format, const CsrMatrix& a, BackendKind backend) {
  return a.components <= format.components_on(backend);
}

/// Throws InputError where the format does not hold such elements there, or not so many of them.
void require_elements(const Format& format, const CsrMatrix& a, BackendKind backend,
                      const FormatOptions& options) {
  if (a.components == 1) return;
  const std::string kind = a.components == 2 ? "complex numbers" : "quaternions";
  if (!holds(format, a, backend)) {
    std::string names;
    for (const Format& other : formats()) {
      if (holds(other, a, backend)) names += (names.empty() ? "" : ", ") + other.name;
    }
    const std::string where = backend == BackendKind::cuda ? " on CUDA" : "";
    const std::string held = format.components_on(backend) == 1 ? "real" : "real and complex";
    throw InputError("format " + format.name + ": holds " + held + " matrices" + where + "; of " +
                     kind + ": " + names);
  }
  if (options.off_diagonal == Precision::float32) {
    throw InputError("spmv.off_diagonal: found float32 and a matrix of " + kind +
                     ", expected float64");
  }
  constexpr Index most = std::numeric_limits<Index>::max();
  if (std::max(a.rows, a.columns) > most / a.components) {
    throw InputError("format " + format.name + ": found " + std::to_string(a.rows) + " rows and " +
                     std::to_string(a.columns) + " columns of " + kind + ", expected at most " +
                     std::to_string(most / a.components));
  }
}

/// "csr (1.2 GB), jad (1.3 GB)": the formats of the backend that can hold the matrix and take at
/// most `free` bytes.
std::string formats_within(std::size_t free, const CsrMatrix& a, BackendKind backend,
                           const FormatOptions& options) {
  std::string list;
  for (const Format& format : formats()) {
    if (!unavailable_reason(format, backend).empty()) continue;
    if (!stores(format, options.off_diagonal) || !holds(format, a, backend)) continue;
    if (!(format.symmetric ? is_symmetric(a) : a.storage == Storage::full)) continue;
    const std::size_t bytes = format.bytes(a, options);
    if (bytes > free) continue;
    list += (list.empty() ? "" : ", ") + format.name + " (" + format_bytes(bytes) + ")";
  }
  return list;
}

void require_free(std::size_t free, const std::string& where, const Format& format,
                  const CsrMatrix& a, BackendKind backend, const FormatOptions& options) {
  if (format.fits(free, a, options)) return;
  const std::size_t needed = format.bytes(a, options);
  const std::string others = formats_within(free, a, backend, options);
  throw ResourceError("format " + format.name + " needs " + format_bytes(needed) +
                      " for this matrix, and " + format_bytes(free) + " are free on " + where +
                      (others.empty() ? "; no format fits" : "; these would fit: " + others));
}

/// True if the format lays the matrix out beside the host matrix.
bool copies(const Format& format, const CsrMatrix& a) {
  return format.converts || (format.symmetric && a.storage == Storage::full);
}

}  // namespace

#include "format_list.inc"

const std::vector<Format>& formats() {
  static const std::vector<Format> all = [] {
    std::vector<Format> list = format_list();
    std::ranges::sort(list, {}, &Format::name);
    return list;
  }();
  return all;
}

const Format& half_storage_format() {
  return *std::ranges::find(formats(), true, &Format::symmetric);
}

const Format& format_of_device_rows() {
  return *std::ranges::find_if(formats(),
                               [](const Format& f) { return f.cuda_from_rows && !f.symmetric; });
}

const Format& half_format_of_device_rows() {
  return *std::ranges::find_if(formats(),
                               [](const Format& f) { return f.cuda_from_rows && f.symmetric; });
}

const Format& find_format(const std::string& name) {
  const auto& all = formats();
  const auto found = std::ranges::find(all, name, &Format::name);
  if (found != all.end()) return *found;
  throw InputError("there is no format '" + name + "'; there are: auto, " +
                   joined(all, ", ", &Format::name));
}

std::string unavailable_reason(const Format& format, BackendKind backend) {
  if (backend == BackendKind::cpu)
    return format.cpu != nullptr ? "" : "only on CUDA: the vendor library";
  std::string reason = cuda_unavailable_reason();
  if (!reason.empty()) return reason;
  return format.cuda != nullptr ? "" : "no CUDA kernel";
}

void require_deterministic(const Format& format, const FormatOptions& options) {
  if (!options.deterministic) return;
  if (options.tune) {
    throw InputError(
        "spmv.deterministic: found spmv.tune beside it, expected one of them: another run may find "
        "another kernel the fastest");
  }
  if (!format.deterministic) {
    throw InputError("spmv.deterministic: found the format " + format.name +
                     ", expected another one: its products on a GPU may differ from run to run");
  }
}

void require_precision(const Format& format, const FormatOptions& options) {
  if (stores(format, options.off_diagonal)) return;
  std::string names;
  for (const Format& other : formats()) {
    if (other.cpu_single != nullptr) names += (names.empty() ? "" : ", ") + other.name;
  }
  throw InputError("spmv.off_diagonal: found float32 with the format " + format.name +
                   ", which is stored in double only; expected one of: " + names);
}

void require_room(const Format& format, const CsrMatrix& a, Backend& backend,
                  const FormatOptions& options) {
  const BackendKind kind = backend.kind();
  const bool in_blocks = kind == BackendKind::cuda && format.cuda_from_rows != nullptr &&
                         a.components == 1 && !(format.symmetric && a.storage == Storage::full);
  if (copies(format, a) && !in_blocks) {
    require_free(available_host_memory(), "the host", format, a, kind, options);
  }
  if (kind == BackendKind::cuda) {
    require_free(backend.free_memory(), backend.description(), format, a, kind, options);
  }
}

std::string first_format(const std::string& name) {
  return name == "auto" ? "csr" : find_format(name).name;
}

std::unique_ptr<LinearOperator> make_operator(const std::string& name,
                                              std::shared_ptr<const CsrMatrix> a, Backend& backend,
                                              const FormatOptions& options) {
  const Format& format = find_format(first_format(name));
  std::string reason = unavailable_reason(format, backend.kind());
  if (!reason.empty()) throw ResourceError("format " + format.name + ": " + reason);

  require_deterministic(format, options);
  require_precision(format, options);
  require_elements(format, *a, backend.kind(), options);
  if (!format.symmetric) require_full(*a, "format " + format.name);
  if (options.off_diagonal == Precision::float32) {
    return std::make_unique<MixedPrecisionOperator>(format, std::move(a), backend, options);
  }
  require_room(format, *a, backend, options);
  const Format::Make make = backend.kind() == BackendKind::cpu ? format.cpu : format.cuda;
  auto made = make(std::move(a), backend, options);
  made->use(options.kernel);
  return made;
}

std::unique_ptr<LinearOperator> make_operator(const Format& format, RowSource& rows,
                                              Backend& backend, const FormatOptions& options) {
  auto made = format.cuda_from_rows(rows, backend);
  made->use(options.kernel);
  return made;
}

void dump_arrays(const Format& format, const CsrMatrix& a, const FormatOptions& options,
                 ArraySink& sink) {
  if (options.off_diagonal != Precision::float64) {
    throw InputError(
        "spmv.off_diagonal: found float32, expected float64: arrays are handed out in "
        "double");
  }
  require_elements(format, a, BackendKind::cpu, options);
  if (!format.symmetric) require_full(a, "format " + format.name);
  if (copies(format, a)) {
    require_free(available_host_memory(), "the host", format, a, BackendKind::cpu, options);
  }
  format.dump(a, options, sink);
}

}  // namespace cisolve
