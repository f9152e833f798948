#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/choice/format_search.hpp"
#include "app/config/config.hpp"
#include "app/config/format_cache_file.hpp"
#include "formats/matrix/csr_matrix.hpp"

namespace cisolve {

/// Key of a measurement of formats: the matrix's pattern (as far as rows,
/// columns and the numbers of nonzeros of the rows tell), backend, device, the host's instruction
/// set and threads, vectors of the solver's block, the program's version, the network
/// (FormatNetwork::identity), and the settings that products depend on. O(rows).
nlohmann::json format_cache_key(const CsrMatrix& a, const Backend& backend, int columns,
                                std::uint64_t network, const RunConfig& config);

/// The seconds that products in several formats took in earlier runs, in a JSON file. It is read
/// and replaced as a whole: of runs that end at the same time one entry may be lost, never the
/// file. Nothing here throws; what is wrong with the file is said by `warn`, once.
class FormatCache {
 public:
  using Warn = std::function<void(const std::string&)>;

  /// `setting` as of spmv.cache.
  FormatCache(const std::string& setting, Warn warn);

  /// Timings of that key, csr first, then by name; empty if there are none.
  std::vector<FormatTiming> find(const nlohmann::json& key);
  /// Puts them in the place of those there were, the other formats' kept. A file that is no cache
  /// is left alone. Beyond 1000 entries the oldest go.
  void store(const nlohmann::json& key, const std::vector<FormatTiming>& timings);

 private:
  /// The file's entries, oldest first; none where there is no file, or no cache in it.
  nlohmann::json entries();

  std::filesystem::path file_;  ///< empty: none
  Warn warn_;
  bool usable_ = true;
};

}  // namespace cisolve
