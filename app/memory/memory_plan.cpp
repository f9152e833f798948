#include "app/memory/memory_plan.hpp"

#include <algorithm>

namespace cisolve {
namespace {

/// Memory of the basis, and whether the guard vectors are in it.
struct Place {
  bool in_host_memory = false;
  bool guard = true;
};

const SolverVectors& vectors_of(const MemoryNeed& need, Place place) {
  return place.guard ? need.vectors : *need.without_guard;
}

/// The numbers of a basis of so many vectors in that place.
MemoryPlan plan_of(const MemoryNeed& need, const MemoryAvailable& available, int basis_vectors,
                   Place place) {
  MemoryPlan plan{
      need,       available, MemoryDecision::as_configured, basis_vectors, place.in_host_memory,
      place.guard};
  const std::size_t dense_on_host =
      p_space_copies.on_host * need.p_space + block_copies.on_host * need.blocks;
  const std::size_t backend = need.scratch + p_space_copies.on_backend * need.p_space +
                              block_copies.on_backend * need.blocks + plan.vectors().others +
                              (place.in_host_memory ? 0 : plan.basis_bytes());
  const std::size_t kept = need.host_matrix_stays ? need.host_matrix : 0;
  // Pinned memory cannot be given up under pressure, and the driver has tables of its pages: a
  // process that came within a fortieth of the host's memory was killed.
  const std::size_t pinned = plan.basis_bytes() + plan.basis_bytes() / 8;
  if (available.device) {
    plan.device = need.operator_matrix + std::max(backend, need.device_conversion);
    plan.host = dense_on_host + std::max(need.host_matrix + need.conversion,
                                         kept + (place.in_host_memory ? pinned : 0));
  } else {
    plan.host = dense_on_host + need.operator_matrix + std::max(need.host_matrix, kept + backend);
  }
  return plan;
}

bool fits(const MemoryPlan& plan) {
  return plan.host_fits() && (!plan.available.device || plan.device_fits());
}

/// The plan with the most basis vectors that fit there, no more than configured; none where those
/// are too few.
std::optional<MemoryPlan> largest_basis(const MemoryNeed& need, const MemoryAvailable& available,
                                        Place place) {
  int most = vectors_of(need, place).basis, fewest = vectors_of(need, place).smallest_basis;
  if (!fits(plan_of(need, available, fewest, place))) return std::nullopt;
  while (fewest < most) {
    const int middle = fewest + (most - fewest + 1) / 2;
    if (fits(plan_of(need, available, middle, place))) {
      fewest = middle;
    } else {
      most = middle - 1;
    }
  }
  return plan_of(need, available, fewest, place);
}

MemoryPlan decided(MemoryPlan plan, MemoryDecision decision) {
  plan.decision = decision;
  return plan;
}

}  // namespace

std::size_t MemoryPlan::basis_bytes() const {
  return static_cast<std::size_t>(basis_vectors) * need.basis_vector;
}

std::size_t MemoryPlan::backend_left() const {
  const auto left = [](std::size_t there, std::size_t needed) {
    return there - std::min(there, needed);
  };
  return available.device ? left(*available.device, device) : left(available.host, host);
}

std::size_t MemoryPlan::bus_bytes() const {
  if (!basis_in_host_memory) return 0;
  return static_cast<std::size_t>(need.basis_reads * static_cast<double>(basis_bytes()));
}

MemoryPlan plan_memory(const MemoryNeed& need, const MemoryAvailable& available) {
  const MemoryPlan configured = plan_of(need, available, need.vectors.basis, {});
  if (fits(configured)) return configured;
  const bool device = available.device.has_value() && need.vectors.basis > 0;
  const bool lean = device && need.without_guard.has_value();
  const struct {
    bool possible;
    Place place;
    MemoryDecision decision;
  } ways[] = {
      {true, {}, MemoryDecision::smaller_basis},
      {lean, {.guard = false}, MemoryDecision::no_guard},
      {device, {.in_host_memory = true}, MemoryDecision::basis_in_host_memory},
      {lean, {.in_host_memory = true, .guard = false}, MemoryDecision::basis_in_host_memory}};
  for (const auto& [possible, place, decision] : ways) {
    if (!possible) continue;
    if (const auto plan = largest_basis(need, available, place)) return decided(*plan, decision);
  }
  const Place least{device, !lean};
  return decided(plan_of(need, available, vectors_of(need, least).smallest_basis, least),
                 MemoryDecision::nothing_fits);
}

std::vector<std::string> memory_advice(const MemoryPlan& plan, const MemoryAvailable& unlimited) {
  std::vector<std::string> advice;
  const auto offer = [&](const char* words, const MemoryNeed& need,
                         const MemoryAvailable& available) {
    if (plan_memory(need, available).decision != MemoryDecision::nothing_fits) {
      advice.emplace_back(words);
    }
  };
  offer("a higher backend.memory_limit", plan.need, unlimited);
  if (plan.need.halvable) {
    MemoryNeed half = plan.need;
    const bool made_on_device = half.csr > 0;  // there it is cut, and packed
    half.host_matrix /= 2;
    half.conversion /= 2;
    half.operator_matrix = plan.available.device ? half.operator_matrix / 2 : 0;
    half.host_matrix_stays = !plan.available.device;  // as the operator
    offer(made_on_device ? "spmv.format packed_symmetric, about half the matrix"
                         : "spmv.format csr_symmetric, about half the matrix",
          half, plan.available);
  }
  if (plan.available.device) {
    MemoryNeed on_cpu = plan.need;
    on_cpu.operator_matrix = 0;  // as csr, which is the host matrix
    if (on_cpu.csr > 0) on_cpu.host_matrix = on_cpu.csr;
    on_cpu.host_matrix_stays = true;
    offer("backend.name cpu", on_cpu, {unlimited.host, std::nullopt});
  }
  if (plan.need.vectors_of_one_state > 0) {
    MemoryNeed one = plan.need;
    one.vectors = {0, 0, one.vectors_of_one_state};
    one.without_guard.reset();
    offer("fewer solver.states, or a smaller solver.guard", one, plan.available);
  }
  if (plan.need.parities) {
    MemoryNeed half = plan.need;
    half.basis_vector /= 2;
    half.for_all_vectors([](SolverVectors& v) { v.others /= 2; });
    offer("input.spin_inversion even or odd, half of every vector", half, plan.available);
  }
  if (plan.need.p_space > 0) {
    MemoryNeed without = plan.need;
    without.p_space = 0;
    offer("a smaller solver.p_space", without, plan.available);
  }
  if (plan.need.blocks > 0) {
    MemoryNeed without = plan.need;
    without.blocks = 0;
    offer("a smaller linear.block_size", without, plan.available);
  }
  if (plan.need.determinants) {
    advice.emplace_back(
        "fewer determinants (input.space, input.irrep, input.frozen, input.active; of nucleons "
        "input.twice_m)");
  }
  return advice;
}

}  // namespace cisolve
