#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/input/determinants/determinants.hpp"
#include "backends/backend.hpp"
#include "core/dense/host_matrix.hpp"
#include "formats/format.hpp"
#include "formats/matrix/csr_matrix.hpp"

namespace cisolve {

/// One way to compute Y = AX on a backend, for the bench to measure: load a block, multiply as
/// often as wanted, take the result. Each step throws what its memory or library throws.
class Contender {
 public:
  Contender() = default;
  Contender(const Contender&) = delete;
  Contender& operator=(const Contender&) = delete;
  virtual ~Contender() = default;

  /// Takes X (columns × k, host) to where and in the layout in which it is multiplied. Not timed.
  virtual void load(const HostMatrix& x) = 0;
  /// Y := AX of the block loaded last: what is timed.
  virtual void multiply() = 0;
  /// Y (rows × k). Not timed.
  virtual HostMatrix result() = 0;

  /// ‖Y − AX‖ / ‖AX‖ above which its product is wrong: far above the rounding of any sum, far below
  /// a wrong one.
  virtual double tolerance() const { return 1e-10; }

  virtual std::size_t bytes() const = 0;             ///< of the matrix's arrays
  virtual double conversion_seconds() const = 0;     ///< from the host matrix, transfer included
  virtual std::string layout() const { return {}; }  ///< in its own words, after a product
};

/// A contender by name, made when its turn comes; `make` throws where it cannot be.
struct Candidate {
  std::string name;
  std::function<std::unique_ptr<Contender>(Backend&)> make;
};

/// Contenders beside the storage formats, which lend theirs:
inline const std::string serial_name = "serial";  ///< the plainest CSR loop, one thread, on the CPU
inline const std::string eigen_name = "eigen";    ///< Eigen's own product, on the CPU
/// The vendor library's SpMM with column-major blocks, on a GPU; not timed: laying them out so.
inline const std::string vendor_columns_name = "cusparse_spmm_colmajor";
/// Products made of the integrals, of full CI and of pairs of listed strings; not among
/// `contender_names`.
inline const std::string direct_name = "direct";

/// All names: the formats in alphabetical order, then the others.
std::vector<std::string> contender_names();

/// Those of `names` that can be asked for on that kind of backend, in this order. `source`: of `a`,
/// for `direct`, which fails with the reason where it is none of these; may be null, and must
/// outlive what is made. Throws InputError on a name that is neither a format's nor another
/// contender's.
std::vector<Candidate> candidates(const std::vector<std::string>& names, BackendKind backend,
                                  std::shared_ptr<const CsrMatrix> a, const FormatOptions& options,
                                  const Determinants* determinants = nullptr);

}  // namespace cisolve
