// Decisions of the memory plan, at its exact boundaries.
#include "app/memory/memory_plan.hpp"

#include <gtest/gtest.h>

namespace cisolve {
namespace {

using Advice = std::vector<std::string>;

/// Needs on a device: operator 1000, others 300, p-space 10 (four times that on the host), 24 basis
/// vectors of 10 with 11 at least.
MemoryNeed example() {
  MemoryNeed need;
  need.host_matrix = 900;
  need.operator_matrix = 1000;
  need.scratch = 50;
  need.p_space = 10;
  need.basis_vector = 10;
  need.vectors.basis = 24;
  need.vectors.smallest_basis = 11;
  need.vectors.others = 240;
  need.basis_reads = 3.5;
  return need;
}
constexpr std::size_t device_fixed = 1000 + 50 + 10 + 240;
constexpr std::size_t much = 1000000;

MemoryPlan on_device(std::size_t device, std::size_t host = much) {
  return plan_memory(example(), {host, device});
}

void expect(const MemoryPlan& plan, MemoryDecision decision, int basis_vectors, bool on_host) {
  EXPECT_EQ(plan.decision, decision);
  EXPECT_EQ(plan.basis_vectors, basis_vectors);
  EXPECT_EQ(plan.basis_in_host_memory, on_host);
}

TEST(MemoryPlan, IsAsConfiguredToTheLastByte) {
  const MemoryPlan plan = on_device(device_fixed + 240, 940);
  expect(plan, MemoryDecision::as_configured, 24, false);
  EXPECT_EQ(plan.device, device_fixed + 240);
  EXPECT_EQ(plan.host, 900u + 4 * 10u);
  EXPECT_EQ(plan.basis_bytes(), 240u);
  EXPECT_EQ(plan.bus_bytes(), 0u);
  expect(on_device(device_fixed + 239), MemoryDecision::smaller_basis, 23, false);
}

TEST(MemoryPlan, TakesTheLargestBasisThatFits) {
  expect(on_device(device_fixed + 230), MemoryDecision::smaller_basis, 23, false);
  expect(on_device(device_fixed + 229), MemoryDecision::smaller_basis, 22, false);
  expect(on_device(device_fixed + 110), MemoryDecision::smaller_basis, 11, false);
}

TEST(MemoryPlan, PutsTheBasisIntoHostMemoryBelowTheSmallest) {
  const MemoryPlan plan = on_device(device_fixed + 109);
  expect(plan, MemoryDecision::basis_in_host_memory, 24, true);
  EXPECT_EQ(plan.device, device_fixed);
  EXPECT_EQ(plan.host, 900u + 4 * 10u);  // the host matrix is gone when the basis comes
  EXPECT_EQ(plan.bus_bytes(), 7 * 240u / 2);
  expect(on_device(device_fixed), MemoryDecision::basis_in_host_memory, 24, true);
}

TEST(MemoryPlan, GivesUpGuardVectorsBeforeTheBasisLeavesTheDevice) {
  MemoryNeed need = example();
  need.without_guard = SolverVectors{20, 7, 180};
  const auto with_device = [&](std::size_t device) { return plan_memory(need, {much, device}); };
  constexpr std::size_t lean = device_fixed - 240 + 180;
  expect(with_device(device_fixed + 110), MemoryDecision::smaller_basis, 11, false);
  const MemoryPlan plan = with_device(device_fixed + 109);
  expect(plan, MemoryDecision::no_guard, 16, false);
  EXPECT_FALSE(plan.guard);
  EXPECT_EQ(plan.device, lean + 160);
  expect(with_device(lean + 70), MemoryDecision::no_guard, 7, false);
  expect(with_device(lean + 69), MemoryDecision::basis_in_host_memory, 24, true);
  expect(with_device(device_fixed), MemoryDecision::basis_in_host_memory, 24, true);
  // Both only where neither is enough.
  const MemoryPlan both = with_device(device_fixed - 1);
  expect(both, MemoryDecision::basis_in_host_memory, 20, true);
  EXPECT_FALSE(both.guard);
  EXPECT_EQ(with_device(lean).decision, MemoryDecision::basis_in_host_memory);
  EXPECT_EQ(with_device(lean - 1).decision, MemoryDecision::nothing_fits);
  // The host has no slower place for the basis.
  EXPECT_EQ(plan_memory(need, {1349, std::nullopt}).decision, MemoryDecision::nothing_fits);
}

TEST(MemoryPlan, ABasisInHostMemoryIsAsLargeAsTheHostAllows) {
  MemoryNeed need = example();
  need.host_matrix = 0;
  const auto with_host = [&](std::size_t host) { return plan_memory(need, {host, device_fixed}); };
  // Pinned memory counts an eighth more.
  expect(with_host(40 + 270), MemoryDecision::basis_in_host_memory, 24, true);
  expect(with_host(40 + 269), MemoryDecision::basis_in_host_memory, 23, true);
  expect(with_host(40 + 123), MemoryDecision::basis_in_host_memory, 11, true);
  const MemoryPlan plan = with_host(40 + 122);
  expect(plan, MemoryDecision::nothing_fits, 11, true);
  EXPECT_FALSE(plan.host_fits());
  EXPECT_TRUE(plan.device_fits());
}

TEST(MemoryPlan, NothingFitsWithoutRoomForTheRest) {
  const MemoryPlan plan = on_device(device_fixed - 1);
  EXPECT_EQ(plan.decision, MemoryDecision::nothing_fits);
  EXPECT_FALSE(plan.device_fits());
  EXPECT_EQ(plan.device, device_fixed);
  EXPECT_EQ(on_device(much, 939).decision, MemoryDecision::nothing_fits);
  EXPECT_EQ(on_device(much, 940).decision, MemoryDecision::as_configured);
}

TEST(MemoryPlan, OnTheCpuTheHostMatrixGoesBeforeTheVectorsCome) {
  MemoryNeed need = example();
  const auto with_host = [&](std::size_t host) { return plan_memory(need, {host, std::nullopt}); };
  // Matrix and operator at once: 1900; operator, scratch, p-space and vectors: 1540.
  expect(with_host(1940), MemoryDecision::as_configured, 24, false);
  EXPECT_EQ(with_host(1940).device, 0u);
  EXPECT_EQ(with_host(1939).decision, MemoryDecision::nothing_fits);
  need.operator_matrix = 0;  // it is the host matrix
  need.host_matrix_stays = true;
  EXPECT_EQ(with_host(1480).host, 40u + 900 + 50 + 10 + 240 + 240);
  expect(with_host(1480), MemoryDecision::as_configured, 24, false);
  expect(with_host(1479), MemoryDecision::smaller_basis, 23, false);
  expect(with_host(1350), MemoryDecision::smaller_basis, 11, false);
  // There is no other place for the basis.
  expect(with_host(1349), MemoryDecision::nothing_fits, 11, false);
}

TEST(MemoryPlan, CountsWhatAConversionTakesAndAHostMatrixThatStays) {
  MemoryNeed need = example();
  const auto host = [&](std::optional<std::size_t> device) {
    return plan_memory(need, {much, device}).host;
  };
  need.conversion = 500;
  EXPECT_EQ(host(much), 40u + 900 + 500);
  need.host_matrix_stays = true;
  EXPECT_EQ(host(device_fixed), 40u + 1400);  // the basis, 270 beside the matrix, comes later
  need.conversion = 100;
  EXPECT_EQ(host(device_fixed), 40u + 900 + 270);
  need.conversion = 0;
  EXPECT_EQ(host(std::nullopt), 40u + 1000 + 900 + 50 + 10 + 240 + 240);
}

TEST(MemoryPlan, WhatTheDeviceHoldsOnTheWayGoesBeforeTheVectorsCome) {
  MemoryNeed need = example();
  const auto with_device = [&](std::size_t device) { return plan_memory(need, {much, device}); };
  need.device_conversion = 50 + 10 + 240 + 240;  // as much as comes then
  expect(with_device(device_fixed + 240), MemoryDecision::as_configured, 24, false);
  need.device_conversion += 1;
  EXPECT_EQ(with_device(device_fixed + 241).device, device_fixed + 241);
  expect(with_device(device_fixed + 241), MemoryDecision::as_configured, 24, false);
  // No smaller basis helps against tables and blocks of rows.
  EXPECT_EQ(with_device(device_fixed + 240).decision, MemoryDecision::nothing_fits);
}

TEST(MemoryPlan, WithoutABasisThereIsNothingToShrink) {
  MemoryNeed need;
  need.host_matrix = 100;
  EXPECT_EQ(plan_memory(need, {100, std::nullopt}).decision, MemoryDecision::as_configured);
  EXPECT_EQ(plan_memory(need, {99, std::nullopt}).decision, MemoryDecision::nothing_fits);
}

TEST(MemoryAdvice, IsWhatWouldFitByItself) {
  MemoryNeed need = example();
  need.halvable = true;
  const auto advice = [&](std::size_t host, std::size_t device, std::size_t unlimited) {
    const MemoryPlan plan = plan_memory(need, {host, device});
    EXPECT_EQ(plan.decision, MemoryDecision::nothing_fits);
    return memory_advice(plan, {host, unlimited});
  };
  const std::string half = "spmv.format csr_symmetric, about half the matrix";
  const std::string cpu = "backend.name cpu", limit = "a higher backend.memory_limit";
  EXPECT_EQ(advice(much, 800, 800), (Advice{half, cpu}));
  EXPECT_EQ(advice(much, 799, 799), (Advice{cpu}));
  EXPECT_EQ(advice(much, 799, device_fixed), (Advice{limit, cpu}));
  EXPECT_EQ(advice(1000, 799, 799), (Advice{}));
  need.halvable = false;
  EXPECT_EQ(advice(1000, 800, 800), (Advice{}));
  need.determinants = true;
  EXPECT_EQ(advice(1000, 800, 800).size(), 1u);
}

TEST(MemoryAdvice, OffersVectorsOfHalfTheLengthWhereThereAreParities) {
  MemoryNeed need;
  need.basis_vector = 100;
  need.vectors.basis = need.vectors.smallest_basis = 2;
  need.vectors.others = 300;
  const auto advice = [&] {
    return memory_advice(plan_memory(need, {250, std::nullopt}), {250, std::nullopt});
  };
  EXPECT_EQ(advice(), Advice{});
  need.parities = true;
  EXPECT_EQ(advice(), Advice{"input.spin_inversion even or odd, half of every vector"});
  need.vectors.others = 302;
  EXPECT_EQ(advice(), Advice{});
}

TEST(MemoryAdvice, NamesVectorsAndPSpaceOnlyWhereTheyAreTheMatter) {
  MemoryNeed need = example();
  need.operator_matrix = 0;
  need.host_matrix_stays = true;
  need.vectors_of_one_state = 100;
  const auto advice = [&](std::size_t host) {
    const MemoryPlan plan = plan_memory(need, {host, std::nullopt});
    return memory_advice(plan, {host, std::nullopt});
  };
  const std::string states = "fewer solver.states, or a smaller solver.guard";
  const std::string p_space = "a smaller solver.p_space";
  EXPECT_EQ(advice(1349), (Advice{states, p_space}));
  EXPECT_EQ(advice(1300), (Advice{states, p_space}));
  EXPECT_EQ(advice(1299), (Advice{states}));
  EXPECT_EQ(advice(1100), (Advice{states}));
  EXPECT_EQ(advice(1099), (Advice{}));
}

}  // namespace
}  // namespace cisolve
