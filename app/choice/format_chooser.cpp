#include "app/choice/format_chooser.hpp"

#include <algorithm>
#include <utility>

#include "app/ways/way.hpp"
#include "core/text/text_file.hpp"

namespace cisolve {
FormatNetwork configured_network(const SpmvConfig& config, BackendKind backend) {
  if (config.network.empty()) return FormatNetwork::builtin(backend);
  constexpr double longest = 1e8;  // thousands of times the built-in one's
  const TextFile file(config.network, [&](std::string_view) { return longest; });
  return FormatNetwork::parse(std::string(file.text()), config.network.string(), backend);
}

FormatChooser::FormatChooser(const RunConfig& config, Backend& backend, FormatCache::Warn warn)
    : config_(config),
      backend_(backend),
      network_(configured_network(config.spmv, backend.kind())),
      cache_(config.spmv.cache, std::move(warn)),
      csr_stays_(why_csr_stays(config.spmv)) {}

std::unique_ptr<AdaptiveOperator> FormatChooser::make(std::shared_ptr<const CsrMatrix> a,
                                                      int columns, bool symmetric,
                                                      std::size_t free_bytes) {
  if (!csr_stays_.empty()) {
    FormatChoice stays;
    stays.reason = csr_stays_;
    return std::make_unique<AdaptiveOperator>(
        FormatSearch(make_operator("csr", std::move(a), backend_, config_.spmv), std::move(stays)));
  }
  SearchOptions search;
  search.expected_products = config_.spmv.expected_products;
  search.columns = columns;
  search.free_bytes = free_bytes;
  if (a->nonzeros() >= fewest_nonzeros_to_choose) {
    key_ = format_cache_key(*a, backend_, columns, network_.identity(), config_);
    search.known = cache_.find(key_);
  }
  return make_adaptive_operator({std::move(a), backend_, config_.spmv, network_, symmetric},
                                std::move(search));
}

FormatChoice FormatChooser::finish(const AdaptiveOperator& a) {
  FormatChoice choice = a.choice();
  if (!key_.is_null() && !choice.remembered) {
    // Timings of blocks about as wide as the key says. Csr alone is not stored: the reason why no
    // other format was tried may not hold next time.
    const auto timings = choice.timings();
    if (choice.settled && timings.size() > 1) cache_.store(key_, timings);
  }
  return choice;
}

}  // namespace cisolve
