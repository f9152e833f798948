#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "app/choice/adaptive_operator.hpp"
#include "app/choice/format_cache.hpp"
#include "app/config/config.hpp"

namespace cisolve {

/// The network that spmv.network names, or the program's own. Throws InputError where the file is
/// none for that backend.
FormatNetwork configured_network(const SpmvConfig& config, BackendKind backend);

/// Makes the operator where spmv.format is auto, and keeps what its search has measured for later
/// runs.
class FormatChooser {
 public:
  /// Throws as configured_network does. `warn` hears what is wrong with the cache.
  FormatChooser(const RunConfig& config, Backend& backend, FormatCache::Warn warn);

  /// From now on csr stays, for that reason.
  void keep_csr(const std::string& reason) { csr_stays_ = reason; }

  /// The operator for blocks of `columns` vectors, mostly; what is converted beside csr takes at
  /// most `free_bytes` of the backend. It must not outlive the chooser. Throws as make_operator
  /// does.
  std::unique_ptr<AdaptiveOperator> make(std::shared_ptr<const CsrMatrix> a, int columns,
                                         bool symmetric, std::size_t free_bytes);

  /// Report on the choice of the format so far, which goes into the cache.
  FormatChoice finish(const AdaptiveOperator& a);

 private:
  const RunConfig& config_;
  Backend& backend_;
  FormatNetwork network_;
  FormatCache cache_;
  std::string csr_stays_;
  nlohmann::json key_;  ///< of the matrix in the cache; null: nothing is to be kept
};

}  // namespace cisolve
