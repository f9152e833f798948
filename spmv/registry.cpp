#include <algorithm>

#include "backends/backend.hpp"
#include "core/error.hpp"
#include "core/memory.hpp"
#include "formats/csr_matrix.hpp"
#include "spmv/format.hpp"

namespace cisolve {
namespace {

void require_room(const std::string& format, std::size_t needed, std::size_t free,
                  const std::string& where) {
  if (needed <= free) return;
  throw ResourceError("format " + format + " needs " + format_bytes(static_cast<double>(needed)) +
                      " for this matrix, and " + format_bytes(static_cast<double>(free)) +
                      " are free on " + where);
}

}  // namespace

#define CISOLVE_FORMAT(name) Format name##_format();
#include "format_list.inc"
#undef CISOLVE_FORMAT

const std::vector<Format>& formats() {
  static const std::vector<Format> all = [] {
    std::vector<Format> list{
#define CISOLVE_FORMAT(name) name##_format(),
#include "format_list.inc"
#undef CISOLVE_FORMAT
    };
    std::ranges::sort(list, {}, &Format::name);
    return list;
  }();
  return all;
}

const Format& find_format(const std::string& name) {
  const auto& all = formats();
  const auto found = std::ranges::find(all, name, &Format::name);
  if (found != all.end()) return *found;
  std::string names;
  for (const Format& format : all) names += (names.empty() ? "" : ", ") + format.name;
  throw InputError("there is no format '" + name + "'; there are: auto, " + names);
}

std::string unavailable_reason(const Format& format, BackendKind backend) {
  if (backend == BackendKind::cpu)
    return format.cpu != nullptr ? "" : "only on CUDA: the vendor library";
  std::string reason = cuda_unavailable_reason();
  if (!reason.empty()) return reason;
  return format.cuda != nullptr ? "" : "no CUDA kernel";
}

std::string choose_format(const std::string& name, BackendKind backend) {
  if (name != "auto") return find_format(name).name;
  return backend == BackendKind::cuda ? "hybrid" : "csr";
}

std::unique_ptr<LinearOperator> make_operator(const std::string& name,
                                              std::shared_ptr<const CsrMatrix> a, Backend& backend,
                                              const FormatOptions& options) {
  const Format& format = find_format(choose_format(name, backend.kind()));
  std::string reason = unavailable_reason(format, backend.kind());
  if (!reason.empty()) throw ResourceError("format " + format.name + ": " + reason);

  const bool on_cpu = backend.kind() == BackendKind::cpu;
  const std::size_t bytes = format.bytes(*a, options);
  if (format.converts) require_room(format.name, bytes, available_host_memory(), "the host");
  if (!on_cpu) require_room(format.name, bytes, backend.free_memory(), backend.description());
  return (on_cpu ? format.cpu : format.cuda)(std::move(a), backend, options);
}

}  // namespace cisolve
