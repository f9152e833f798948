#include "app/choice/adaptive_operator.hpp"

#include <omp.h>

#include <algorithm>
#include <map>
#include <new>

#include "backends/stopwatch.hpp"
#include "core/error.hpp"
#include "formats/dia/dia.hpp"
#include "formats/matrix/csr_matrix.hpp"

namespace cisolve {
namespace {

/// Seconds for the features and the network's bytes, an upper estimate. On one core a nonzero takes
/// up to 3 ns and a row, whose window is sorted by length, up to 50 ns. Threads share the memory of
/// the diagonals and gain little beyond four (`features_bench`).
double expected_rank_seconds(const CsrMatrix& a) {
  const double alone = 3e-9 * static_cast<double>(a.nonzeros()) + 50e-9 * a.rows;
  return 2e-4 + alone / std::min(omp_get_max_threads(), 4);
}

/// Factor on a network's predictions of conversions: they may be too low by that.
constexpr double caution = 2.0;

std::size_t scratch_bytes(const Format& format, const AdaptiveMatrix& m, int columns) {
  return format.scratch ? format.scratch(*m.a, m.options, m.backend.kind(), columns) : 0;
}

FormatTools tools_for(const AdaptiveMatrix& m) {
  FormatTools tools;
  tools.seconds = [&backend = m.backend](const std::function<void()>& work) {
    return timed_milliseconds(backend, work) * 1e-3;
  };
  tools.rank_seconds = expected_rank_seconds(*m.a);
  tools.rank = [m](int columns) {
    return rank_formats(m.network, *m.a, m.options, columns, m.backend.kind(), m.symmetric);
  };
  tools.bytes = [m](const FormatCandidate& candidate, int columns) {
    const Format& format = find_format(candidate.format);
    const std::size_t matrix =
        candidate.matrix_bytes ? *candidate.matrix_bytes : format.bytes(*m.a, m.options);
    return matrix + scratch_bytes(format, m, columns);
  };
  tools.make = [m](const std::string& name) {
    return make_operator(name, m.a, m.backend, m.options);
  };
  return tools;
}

/// The format with the least seconds for conversion and so many products; csr where nothing is
/// known.
std::string fastest(const std::vector<FormatTiming>& known, int products) {
  const auto total = [&](const FormatTiming& one) {
    return one.conversion_seconds + products * one.seconds;
  };
  const auto found = std::ranges::min_element(known, {}, total);
  return found == known.end() ? "csr" : found->format;
}

FormatChoice choice_of_earlier_runs(const SearchOptions& search) {
  FormatChoice choice;
  choice.format = fastest(search.known, search.expected_products);
  choice.reason = "measured by an earlier run to be the fastest for " +
                  std::to_string(search.expected_products) + " products";
  choice.columns = search.columns;
  choice.remembered = true;
  for (const FormatTiming& one : search.known) {
    if (one.format == "csr") {
      choice.csr_seconds = one.seconds;
      choice.csr_conversion_seconds = one.conversion_seconds;
      continue;
    }
    FormatCandidate& made = choice.candidates.emplace_back();
    made.format = one.format;
    made.columns = search.columns;
    made.seconds = one.seconds;
    made.conversion_seconds = one.conversion_seconds;
    made.outcome = one.format == choice.format ? "taken" : "not faster";
  }
  return choice;
}

/// Operator in the format that earlier runs found to be the fastest; null if that is csr, or not
/// available this time.
std::unique_ptr<AdaptiveOperator> from_earlier_runs(const AdaptiveMatrix& m,
                                                    const SearchOptions& search) {
  FormatChoice choice = choice_of_earlier_runs(search);
  if (choice.format == "csr") return nullptr;
  try {
    const Format& format = find_format(choice.format);
    const std::size_t scratch = scratch_bytes(format, m, search.columns);
    if (scratch > search.free_bytes || !format.fits(search.free_bytes - scratch, *m.a, m.options)) {
      return nullptr;
    }
    auto made = make_operator(choice.format, m.a, m.backend, m.options);
    return std::make_unique<AdaptiveOperator>(FormatSearch(std::move(made), std::move(choice)));
  } catch (const std::bad_alloc&) {
    return nullptr;
  } catch (const ResourceError&) {
    return nullptr;
  } catch (const InputError&) {
    return nullptr;
  }
}

}  // namespace

std::vector<FormatCandidate> rank_formats(const FormatNetwork& network, const CsrMatrix& a,
                                          const FormatOptions& options, int columns,
                                          BackendKind backend, bool symmetric) {
  const auto csr = static_cast<double>(CsrMatrix::bytes(a.rows, a.nonzeros()));
  const MatrixFeatures of_a = features(a);
  std::map<std::string, std::size_t> asked_for;
  const auto relative_bytes = [&](const std::string& name) {
    // Another pass over the matrix would count its diagonals again.
    const std::size_t bytes =
        name == "dia" ? DiaMatrix::bytes(a.rows, static_cast<std::size_t>(of_a.diagonals))
                      : find_format(name).bytes(a, options);
    asked_for[name] = bytes;
    return static_cast<double>(bytes) / csr;
  };
  std::vector<FormatCandidate> candidates;
  for (const FormatPrediction& p :
       network.predict({to_vector(of_a), columns, omp_get_max_threads(), relative_bytes})) {
    if (p.format == "csr") continue;
    const Format& format = find_format(p.format);
    FormatCandidate& made = candidates.emplace_back();
    made.format = p.format;
    made.predicted_ratio = p.ratio;
    made.predicted_conversion = p.conversion;
    if (const auto found = asked_for.find(p.format); found != asked_for.end()) {
      made.matrix_bytes = found->second;
    }
    made.outcome = unavailable_reason(format, backend);
    if (made.outcome.empty() && a.components > format.components_on(backend)) {
      made.outcome = "it holds real matrices";
    }
    if (made.outcome.empty() && format.symmetric && !symmetric) {
      made.outcome = "the matrix is not known to be symmetric";
    }
  }
  return candidates;
}

std::unique_ptr<AdaptiveOperator> make_adaptive_operator(const AdaptiveMatrix& m,
                                                         SearchOptions search) {
  std::erase_if(search.known, [&](const FormatTiming& one) {
    return find_format(one.format).symmetric && !m.symmetric;
  });
  if (auto remembered = from_earlier_runs(m, search)) return remembered;
  auto csr = make_operator("csr", m.a, m.backend, m.options);
  if (m.a->nonzeros() < fewest_nonzeros_to_choose) {
    FormatChoice stays;
    stays.reason =
        "the matrix has fewer than " + std::to_string(fewest_nonzeros_to_choose) + " nonzeros";
    return std::make_unique<AdaptiveOperator>(FormatSearch(std::move(csr), std::move(stays)));
  }
  search.csr_conversion_seconds = csr->info().build_seconds;
  if (search.known.empty()) search.conversion_error = caution;
  return std::make_unique<AdaptiveOperator>(
      FormatSearch(std::move(csr), tools_for(m), std::move(search)));
}

}  // namespace cisolve
