#include "app/memory/memory.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <vector>

#include "backends/ranks/communicator.hpp"
#include "core/error.hpp"
#include "core/memory.hpp"

namespace cisolve {
namespace {

/// Contents of host and backend memory, as lists for people.
struct Parts {
  std::vector<std::string> host, device;
};

Parts parts_of(const MemoryPlan& plan) {
  const MemoryNeed& need = plan.need;
  Parts parts;
  const auto add = [](std::vector<std::string>& to, const std::string& what, std::size_t bytes) {
    if (bytes > 0) to.push_back(what + " " + format_bytes(bytes));
  };
  const bool device = plan.available.device.has_value();
  auto& backend = device ? parts.device : parts.host;
  add(parts.host, "matrix", need.host_matrix);
  add(parts.host, "its layout", need.conversion);
  add(backend, "operator about", need.operator_matrix);
  if (device) add(backend, "conversion", need.device_conversion);
  add(backend, "scratch", need.scratch);
  const auto add_dense = [&](const char* what, DenseCopies copies, std::size_t bytes) {
    const std::size_t here = copies.on_backend * bytes;
    add(parts.host, what, copies.on_host * bytes + (device ? 0 : here));
    if (device) add(backend, what, here);
  };
  add_dense("p-space", p_space_copies, need.p_space);
  add_dense("diagonal blocks", block_copies, need.blocks);
  add(plan.basis_in_host_memory ? parts.host : backend,
      std::to_string(plan.basis_vectors) + " basis vectors", plan.basis_bytes());
  const SolverVectors& vectors = plan.vectors();
  add(backend, vectors.basis > 0 ? "other vectors" : "vectors", vectors.others);
  return parts;
}

std::string line(std::size_t needed, std::size_t available, const std::vector<std::string>& parts) {
  return fmt::format("{} of {} available: {}", format_bytes(needed), format_bytes(available),
                     parts.empty() ? "nothing large" : fmt::format("{}", fmt::join(parts, ", ")));
}

/// Bytes that the basis as configured would take.
std::size_t configured_basis(const MemoryPlan& plan) {
  return static_cast<std::size_t>(plan.need.vectors.basis) * plan.need.basis_vector;
}

std::string limited(std::size_t bytes, const char* where) {
  return "not enough " + std::string(where) + " memory, " + format_bytes(bytes) + " needed: ";
}

MemoryPlan plan_on_host(std::size_t bytes, const Backend& host) {
  MemoryNeed need;
  need.host_matrix = bytes;
  return plan_memory(need, available_memory(host));
}

}  // namespace

MemoryAvailable available_memory(const Backend& backend, std::size_t limit,
                                 const MemoryAvailable& in_place) {
  // cuBLAS's workspace, kernels loaded when first called, small blocks of the vector operations.
  constexpr std::size_t left_for_libraries = std::size_t{256} << 20;
  const auto capped = [limit](std::size_t bytes) {
    return limit > 0 ? std::min(bytes, limit) : bytes;
  };
  // Ranks of one host share what it has; all plan by what the one has that has least.
  Communicator& ranks = backend.communicator();
  const std::size_t host =
      std::ranges::min(ranks.gather(available_host_memory() / ranks.local_size())) + in_place.host;
  if (backend.kind() == BackendKind::cpu) return {capped(host), std::nullopt};
  const std::size_t device = backend.free_memory() + in_place.device.value_or(0);
  return {host, capped(device - std::min(device, left_for_libraries))};
}

std::string describe(const MemoryPlan& plan) {
  const MemoryNeed& need = plan.need;
  switch (plan.decision) {
    case MemoryDecision::as_configured:
      return "everything fits";
    case MemoryDecision::smaller_basis:
      return fmt::format(
          "{} basis vectors instead of {}, which would take {}; the solve restarts more often",
          plan.basis_vectors, need.vectors.basis, format_bytes(configured_basis(plan)));
    case MemoryDecision::no_guard:
      return fmt::format(
          "{} basis vectors and no guard vectors, as not even {} fit with them; the solve restarts "
          "more often",
          plan.basis_vectors, need.vectors.smallest_basis);
    case MemoryDecision::basis_in_host_memory:
      return fmt::format(
          "{} basis vectors{} in host memory{}, as not even {} fit on the device; an iteration "
          "with all of them takes about {} over the bus",
          plan.basis_vectors,
          plan.basis_vectors < need.vectors.basis
              ? fmt::format(" instead of {}", need.vectors.basis)
              : "",
          plan.guard ? "" : " and no guard vectors", plan.vectors().smallest_basis,
          format_bytes(plan.bus_bytes()));
    case MemoryDecision::nothing_fits:
      break;
  }
  return "too little memory";
}

void require_fit(const MemoryPlan& plan, const std::string& size, const Backend& backend) {
  if (plan.decision != MemoryDecision::nothing_fits) return;
  const Parts parts = parts_of(plan);
  std::string message =
      plan.host_fits() ? limited(plan.device, "device") : limited(plan.host, "host");
  message += size + "\n  host " + line(plan.host, plan.available.host, parts.host);
  if (plan.available.device) {
    message += "\n  device " + line(plan.device, *plan.available.device, parts.device);
  }
  const auto advice = memory_advice(plan, available_memory(backend));
  if (!advice.empty()) message += fmt::format("\n  what would help: {}", fmt::join(advice, "; "));
  throw ResourceError(message);
}

void announce(const MemoryPlan& plan, const std::string& size, const Backend& backend,
              const Log& log) {
  require_fit(plan, size, backend);
  const Parts parts = parts_of(plan);
  std::string text = fmt::format("memory      {}\n  host      {}\n", size,
                                 line(plan.host, plan.available.host, parts.host));
  if (plan.available.device) {
    text +=
        fmt::format("  device    {}\n", line(plan.device, *plan.available.device, parts.device));
  }
  log.proceed(text + "  plan      " + describe(plan));
}

void announce_host(std::size_t bytes, const std::string& size, const Log& log) {
  const auto host = make_cpu_backend();
  announce(plan_on_host(bytes, *host), size, *host, log);
}

void require_host(std::size_t bytes, const std::string& size) {
  const auto host = make_cpu_backend();
  require_fit(plan_on_host(bytes, *host), size, *host);
}

Json memory_json(const MemoryPlan& plan) {
  const auto all = [](DenseCopies copies) { return copies.on_host + copies.on_backend; };
  const char* const names[] = {"as_configured", "smaller_basis", "no_guard", "basis_in_host_memory",
                               "nothing_fits"};
  const MemoryNeed& need = plan.need;
  const bool device = plan.available.device.has_value();
  Json json{{"plan", names[static_cast<int>(plan.decision)]},
            {"host_needed", plan.host},
            {"host_available", plan.available.host},
            {"device_needed", device ? Json(plan.device) : Json()},
            {"device_available", device ? Json(*plan.available.device) : Json()},
            {"host_matrix", need.host_matrix},
            {"operator", need.operator_matrix},
            {"scratch", need.scratch},
            {"p_space", all(p_space_copies) * need.p_space},
            {"blocks", all(block_copies) * need.blocks},
            {"other_vectors", plan.vectors().others}};
  if (need.vectors.basis > 0) {
    json["basis_vectors"] = plan.basis_vectors;
    json["basis_vectors_configured"] = need.vectors.basis;
    json["basis_bytes"] = plan.basis_bytes();
    json["basis_in_host_memory"] = plan.basis_in_host_memory;
    json["bus_bytes_per_iteration"] = plan.bus_bytes();
  }
  json["notes"] = Json::array();
  if (plan.decision != MemoryDecision::as_configured) json["notes"].push_back(describe(plan));
  return json;
}

}  // namespace cisolve
