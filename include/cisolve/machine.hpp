#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cisolve {

/// The kind of device to compute on.
enum class Device {
  automatic,  ///< a CUDA device where one can be used, else the CPU
  cpu,        ///< the CPU's cores
  cuda        ///< the CUDA device `Machine::device`
};

/// A key of the configuration that run files have (docs/configuration.md), and its value as text.
struct Setting {
  std::string origin;  ///< as messages name it; may be empty
  std::string key;     ///< "spmv.tune"
  std::string value;   ///< "true"
};

/// Kind of products with a full CI Hamiltonian.
enum class OperatorKind {
  automatic,  ///< as is expected to take less time, or has room
  stored,     ///< of a stored matrix
  direct      ///< of the integrals
};

/// The device to compute on, and with what.
struct Machine {
  Device backend = Device::automatic;  ///< where to compute
  int device = 0;                      ///< number of the CUDA device
  int threads = 0;                     ///< of OpenMP; 0: what OpenMP offers the calling thread
  std::uint64_t memory_limit = 0;      ///< most bytes that are taken of the device's memory, on the
                                       ///< CPU of the host's; 0: what there is
  OperatorKind operator_kind = OperatorKind::automatic;  ///< products of full CI
  std::string format = "auto";  ///< of stored matrices: "csr", "packed" …
  /// MPI communicator for eigenproblems and linear systems, as the handle of the Fortran bindings
  /// (MPI_Comm_c2f, mpi4py's py2f). All its ranks make the same call and share the rows; each gets
  /// the whole result, and takes a CUDA device of its host from `device` on. If one rank alone
  /// throws, the others wait for it; the caller has to call MPI_Abort.
  std::optional<int> communicator = {};
  std::vector<Setting> more = {};  ///< any other keys, applied last
};

/// Why no CUDA device can be used here; empty where one can.
std::string cuda_unavailable_reason();

/// Messages of a call while it works; all may be empty. They are called in the calling thread.
struct Listener {
  /// A sentence on what may not be as expected; it is among the result's notes as well.
  std::function<void(const std::string&)> warning = {};
  /// Lines for people on what comes next and what it takes.
  std::function<void(const std::string&)> progress = {};
};

/// A block of k vectors in host memory, row by row: element (i, j) at i k + j.
struct VectorBlock {
  std::span<const double> values = {};  ///< n k
  int columns = 1;                      ///< k
};

/// Arguments of a call that solves, beside its settings; all may be left out.
template <class Observer>
struct Call {
  Machine machine = {};    ///< where to compute
  Observer observer = {};  ///< called once an iteration; may end the solve
  Listener listener = {};  ///< warnings and progress
  VectorBlock start = {};  ///< vectors to begin from; no values: none
};

}  // namespace cisolve
