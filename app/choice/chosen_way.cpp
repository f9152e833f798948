#include "app/choice/chosen_way.hpp"

#include <omp.h>

#include <algorithm>
#include <utility>

#include "app/choice/adaptive_operator.hpp"
#include "app/choice/format_chooser.hpp"

namespace cisolve {
namespace {

FormatReport report_of(const FormatChoice& choice, int expected_products) {
  FormatReport report = settled_on(choice.format, choice.reason, expected_products);
  for (const FormatCandidate& c : choice.candidates) {
    report.json["candidates"].push_back({{"format", c.format},
                                         {"predicted_ratio", c.predicted_ratio},
                                         {"predicted_conversion", c.predicted_conversion},
                                         {"bytes", or_null(c.bytes)},
                                         {"block", c.seconds ? Json(c.columns) : Json(nullptr)},
                                         {"seconds", or_null(c.seconds)},
                                         {"conversion_seconds", or_null(c.conversion_seconds)},
                                         {"outcome", c.outcome}});
  }
  report.json.update({{"from_cache", choice.remembered},
                      {"block", choice.columns},
                      {"products", choice.products},
                      {"csr_seconds", choice.csr_seconds},
                      {"csr_conversion_seconds", choice.csr_conversion_seconds},
                      {"features_seconds", choice.features_seconds},
                      {"cost_seconds", choice.cost_seconds}});
  return report;
}

/// The host matrix stays beside a GPU's, so that other formats can be made from it, unless the
/// solver's basis would then have to be smaller or elsewhere. On the CPU csr is the host matrix.
class ChosenHeld final : public HostMatrixHeld {
 public:
  ChosenHeld(WayRequest& request, Elements& elements, const Determinants* determinants)
      : HostMatrixHeld(request, elements, determinants),
        chooser_(request.config, request.backend,
                 [this, log = request.log](const std::string& problem) {
                   log.warn(problem);
                   notes.push_back(problem);
                 }) {
    const bool may_change = request.on_gpu() && why_csr_stays(request.config.spmv).empty();
    if (may_change && !keeps_host_matrix(request)) {
      chooser_.keep_csr("host memory does not hold the matrix beside the solver's basis");
    }
  }

  MadeOperator make(int columns, bool symmetric) override {
    const std::shared_ptr<AdaptiveOperator> made =
        chooser_.make(release(), columns, symmetric, plan.backend_left());
    adaptive_ = made;
    return {made, &made->in_use()};  // tuning is no part of the search for a format
  }
  std::optional<FormatReport> format_report() const override {
    const std::shared_ptr<AdaptiveOperator> adaptive = adaptive_.lock();
    if (!adaptive) return std::nullopt;
    return report_of(chooser_.finish(*adaptive), options_.expected_products);
  }

 private:
  bool keeps_host_matrix(const WayRequest& request) {
    MemoryNeed need = memory(request.purpose.memory(true), request.purpose.most_columns(true));
    need.host_matrix_stays = true;
    const MemoryPlan with_it = request.plan(need, bytes_in_place());
    if (with_it.decision != plan.decision || with_it.basis_vectors != plan.basis_vectors) {
      return false;
    }
    plan = with_it;
    return true;
  }

  mutable FormatChooser chooser_;
  std::weak_ptr<AdaptiveOperator> adaptive_;
};

}  // namespace

Way chosen_way(Elements& elements, const Determinants* determinants) {
  return {true, [&elements, determinants](WayRequest& request) -> std::unique_ptr<HeldMatrix> {
            if (!request.automatic() || !request.ranks().alone()) return nullptr;
            auto held = std::make_unique<ChosenHeld>(request, elements, determinants);
            if (!fits(held->plan)) return nullptr;
            return held;
          }};
}

void check_choice(const RunConfig& config, BackendKind backend) {
  if (config.spmv.format == "auto") configured_network(config.spmv, backend);
}

Json format_ranking(const RunConfig& config, const CsrMatrix& a, bool symmetric,
                    BackendKind backend) {
  if (config.spmv.format != "auto" || a.nonzeros() == 0 || a.components != 1) return nullptr;
  const FormatNetwork network = configured_network(config.spmv, backend);
  auto candidates = rank_formats(network, a, config.spmv, 1, backend, symmetric);
  std::ranges::stable_sort(candidates, {}, [](const FormatCandidate& c) {
    return std::pair(!c.outcome.empty(), c.predicted_ratio);
  });
  Json list = Json::array();
  for (const FormatCandidate& c : candidates) {
    list.push_back({{"format", c.format},
                    {"ratio", c.predicted_ratio},
                    {"conversion", c.predicted_conversion}});
    if (!c.outcome.empty()) list.back()["reason"] = c.outcome;
  }
  return {{"backend", backend_name(backend)},
          {"threads", backend == BackendKind::cpu ? omp_get_max_threads() : 0},
          {"block", 1},
          {"trained_on", network.trained_on()},
          {"formats", list}};
}

}  // namespace cisolve
