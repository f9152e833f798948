#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace cisolve {

/// Memory that a solver needs, in vectors: those of its basis by number, all others by bytes.
struct SolverVectors {
  int basis = 0;           ///< as configured
  int smallest_basis = 0;  ///< the fewest it can do with
  std::size_t others = 0;
};

/// Bytes that a run is about to allocate. The operator, its scratch and the vectors are on the
/// backend: the device, or on the CPU the host.
struct MemoryNeed {
  std::size_t host_matrix = 0;  ///< the matrix in host memory
  /// It does not go once the operator is there: it is the operator, or what that in double is made
  /// of.
  bool host_matrix_stays = false;
  /// The operator, taken as CSR; 0 where it is the host matrix.
  std::size_t operator_matrix = 0;
  std::size_t conversion = 0;  ///< on the host while an operator on a device is made
  /// On the device meanwhile, before the solver's vectors: with the tables that rows are made of.
  std::size_t device_conversion = 0;
  std::size_t scratch = 0;       ///< of products, beside the operator (Format::scratch)
  std::size_t p_space = 0;       ///< a dense block over the p-space, of which there are several
  std::size_t blocks = 0;        ///< dense diagonal blocks, of which there are several
  std::size_t basis_vector = 0;  ///< a vector of the solver's basis, with its image if there is one
  SolverVectors vectors;
  /// With no guard vector; none where nobody left their number to the program.
  std::optional<SolverVectors> without_guard;
  /// Calls visit(vectors) for both.
  template <class Visit>
  void for_all_vectors(Visit visit) {
    visit(vectors);
    if (without_guard) visit(*without_guard);
  }
  double basis_reads = 0.0;  ///< times that an iteration reads the whole basis
  // Other choices there are, for the advice:
  std::size_t csr = 0;        ///< the matrix in CSR, where `host_matrix` is not; else 0
  bool determinants = false;  ///< the matrix is one of determinants
  bool parities = false;  ///< the vectors are of even and odd functions; either could be had alone
  bool halvable = false;  ///< a format that stores one triangle could be taken
  std::size_t vectors_of_one_state = 0;  ///< all vectors of the smallest solve for one state
};

/// Bytes that can be taken.
struct MemoryAvailable {
  std::size_t host = 0;
  std::optional<std::size_t> device = {};  ///< none: the backend is the host
};

enum class MemoryDecision {
  as_configured,
  smaller_basis,
  no_guard,
  basis_in_host_memory,
  nothing_fits
};

/// Copies of MemoryNeed::p_space: A_PP, its copy by sector, and its eigenvectors twice, for LAPACK
/// works on a copy; on the backend the eigenvectors. Copies of MemoryNeed::blocks: as they are, and
/// their inverses.
struct DenseCopies {
  std::size_t on_host, on_backend;
};
inline constexpr DenseCopies p_space_copies{4, 1}, block_copies{1, 1};

/// A plan of allocations. If nothing fits, its numbers are those that need least of the backend.
struct MemoryPlan {
  MemoryNeed need;
  MemoryAvailable available;
  MemoryDecision decision = MemoryDecision::as_configured;
  int basis_vectors = 0;
  bool basis_in_host_memory = false;
  bool guard = true;                 ///< as configured; else there are no guard vectors
  std::size_t host = 0, device = 0;  ///< needed at most at a time

  bool host_fits() const { return host <= available.host; }
  bool device_fits() const { return device <= available.device.value_or(0); }
  const SolverVectors& vectors() const { return guard ? need.vectors : *need.without_guard; }
  std::size_t basis_bytes() const;
  /// Bytes of the backend's memory that nothing is planned for.
  std::size_t backend_left() const;
  /// Bytes over the bus that an iteration with a full basis takes, about; 0 without such a basis.
  std::size_t bus_bytes() const;
};

/// The first of these that fits: the basis as configured; the largest smaller one; on a device,
/// that without guard vectors, then the largest one in host memory up to what is configured, then
/// that without guard vectors. A basis is never smaller than the smallest.
MemoryPlan plan_memory(const MemoryNeed& need, const MemoryAvailable& available);

/// Advice if nothing fits: single changes of the configuration that would make it fit. `unlimited`:
/// memory without backend.memory_limit.
std::vector<std::string> memory_advice(const MemoryPlan& plan, const MemoryAvailable& unlimited);

}  // namespace cisolve
