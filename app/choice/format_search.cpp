#include "app/choice/format_search.hpp"

#include <algorithm>
#include <cstdio>
#include <new>
#include <utility>

#include "core/error.hpp"
#include "core/memory.hpp"

namespace cisolve {
namespace {

/// Largest cost of the choice, as a part of the seconds that csr takes.
constexpr double allowed_share = 0.05;
/// Part of a product's time below which two formats are the same.
constexpr double noise = 0.02;
constexpr int most_tried = 3;
/// Largest cost of finding the features, as a part of the choice's allowance.
constexpr double rank_share = 0.25;

template <class... Numbers>
std::string text(const char* format, Numbers... numbers) {
  char buffer[128];
  std::snprintf(buffer, sizeof buffer, format, numbers...);
  return buffer;
}

}  // namespace

std::vector<FormatTiming> FormatChoice::timings() const {
  if (csr_seconds <= 0.0) return {};
  std::vector<FormatTiming> list{{"csr", csr_seconds, csr_conversion_seconds}};
  for (const FormatCandidate& c : candidates) {
    if (c.seconds && c.columns == columns) {
      list.push_back({c.format, *c.seconds, *c.conversion_seconds});
    }
  }
  return list;
}

void FormatSearch::Times::add(double seconds) {
  shortest = count == 0 ? seconds : std::min(shortest, seconds);
  ++count;
}

FormatSearch::FormatSearch(std::unique_ptr<LinearOperator> csr, FormatTools tools,
                           SearchOptions options)
    : tools_(std::move(tools)),
      options_(std::move(options)),
      conversion_error_(options_.conversion_error),
      in_use_(std::move(csr)) {
  choice_.csr_conversion_seconds = options_.csr_conversion_seconds;
}

FormatSearch::FormatSearch(std::unique_ptr<LinearOperator> a, FormatChoice settled)
    : choice_(std::move(settled)), conversion_error_(1.0), in_use_(std::move(a)) {
  choice_.settled = true;
}

void FormatSearch::multiply(double alpha, ConstView x, double beta, View y) {
  ++choice_.products;
  if (choice_.settled || !counts(x.columns)) return in_use_->apply(alpha, x, beta, y);
  const int columns = x.columns;
  Times& times = times_[columns];
  if (trial_ && times.enough()) {
    multiply_on_trial(alpha, x, beta, y);
  } else {
    multiply_timed(*in_use_, times, alpha, x, beta, y);
    if (choice_.format == "csr") csr_seconds_[columns] = times.shortest;
  }
  csr_seconds_of_products_ += csr_seconds(columns);
  if (!trial_ && times_[columns].enough()) consider(columns);
}

/// True if blocks of that width are much like those expected: another format may be the fastest
/// for others.
bool FormatSearch::counts(int columns) const {
  return 2 * columns >= options_.columns && columns <= 2 * options_.columns;
}

/// The first products of a width alone are timed: nothing waits for the others.
void FormatSearch::multiply_timed(LinearOperator& a, Times& times, double alpha, ConstView x,
                                  double beta, View y) {
  if (times.enough()) return a.apply(alpha, x, beta, y);
  times.add(tools_.seconds([&] { a.apply(alpha, x, beta, y); }));
}

void FormatSearch::multiply_on_trial(double alpha, ConstView x, double beta, View y) {
  Times& times = trial_times_[x.columns];
  try {
    const double seconds = tools_.seconds([&] { trial_->apply(alpha, x, beta, y); });
    times.add(seconds);
    choice_.cost_seconds += std::max(0.0, seconds - times_[x.columns].shortest);
  } catch (const ResourceError& error) {  // before it wrote Y: its scratch has no room
    drop_trial(error.what());
    return in_use_->apply(alpha, x, beta, y);
  }
  if (times.enough() || allowance(x.columns) < 0.0) end_trial(x.columns);
}

/// Seconds of a csr product with so many columns. If that was never timed, an upper bound: a
/// product takes longer with more vectors, but less than in proportion to their number.
double FormatSearch::csr_seconds(int columns) const {
  const auto above = csr_seconds_.upper_bound(columns);
  if (above != csr_seconds_.begin()) return std::prev(above)->second;
  return above->second * columns / above->first;
}

/// Seconds of csr for the products to come, at least as many as have been made.
double FormatSearch::further_seconds(int columns) const {
  return std::max(options_.expected_products * csr_seconds(columns), csr_seconds_of_products_);
}

/// Seconds that choosing may still take.
double FormatSearch::allowance(int columns) const {
  return allowed_share * (choice_.csr_conversion_seconds + further_seconds(columns)) -
         choice_.cost_seconds;
}

double FormatSearch::conversion_seconds(const FormatCandidate& candidate, int columns) const {
  return conversion_error_ * candidate.predicted_conversion * csr_seconds(columns);
}

void FormatSearch::rank(int columns) {
  ranked_ = true;
  choice_.columns = columns;
  choice_.csr_seconds = csr_seconds(columns);
  if (options_.known.empty()) {
    try {
      choice_.features_seconds = tools_.seconds([&] { choice_.candidates = tools_.rank(columns); });
    } catch (const std::bad_alloc&) {  // the solve goes on with csr
    } catch (const ResourceError&) {
    }
    choice_.cost_seconds += choice_.features_seconds;
    return;
  }
  const auto csr = std::ranges::find(options_.known, "csr", &FormatTiming::format);
  for (const FormatTiming& one : options_.known) {
    if (one.format == "csr") continue;
    FormatCandidate& made = choice_.candidates.emplace_back();
    made.format = one.format;
    made.predicted_ratio = one.seconds / csr->seconds;
    made.predicted_conversion = one.conversion_seconds / csr->seconds;
  }
}

/// True if the rule leaves room for its conversion, which is predicted to pay.
bool FormatSearch::affordable(const FormatCandidate& candidate, int columns) const {
  const double gain = (ratio_in_use_ - candidate.predicted_ratio) * further_seconds(columns);
  const double conversion = conversion_seconds(candidate, columns);
  // The allowance must also cover the time that slower products on trial lose.
  return conversion <= gain && conversion + csr_seconds(columns) <= allowance(columns);
}

/// The candidate with the least predicted total seconds among those predicted to be faster than the
/// format in use; affordable ones come first. Null if there is none.
FormatCandidate* FormatSearch::most_promising(int columns) {
  if (tried_ == most_tried) return nullptr;
  const auto total = [&](const FormatCandidate& c) {
    return std::pair(!affordable(c, columns),
                     conversion_seconds(c, columns) + c.predicted_ratio * further_seconds(columns));
  };
  FormatCandidate* best = nullptr;
  for (FormatCandidate& c : choice_.candidates) {
    if (!c.outcome.empty() || !(c.predicted_ratio < (1.0 - noise) * ratio_in_use_)) continue;
    if (best == nullptr || total(c) < total(*best)) best = &c;
  }
  return best;
}

/// Goes on with the search where the rule leaves room for the next step.
void FormatSearch::consider(int columns) {
  if (!ranked_) {
    // Ranking is of use only if enough is left of the allowance for a conversion.
    if (options_.known.empty() && tools_.rank_seconds > rank_share * allowance(columns)) return;
    rank(columns);
  }
  while (FormatCandidate* next = most_promising(columns)) {
    if (!affordable(*next, columns)) return;
    if (begin_trial(*next, columns)) return;
  }
  settle();
}

/// The operator; null where it cannot be made, as the candidate's outcome then says.
std::unique_ptr<LinearOperator> FormatSearch::make(FormatCandidate& candidate, int columns) const {
  try {
    candidate.bytes = tools_.bytes(candidate, columns);
    if (*candidate.bytes <= options_.free_bytes) return tools_.make(candidate.format);
    candidate.outcome = "needs " + format_bytes(*candidate.bytes) + ", and " +
                        format_bytes(options_.free_bytes) + " are left";
  } catch (const std::bad_alloc&) {
    candidate.outcome = "out of host memory";
  } catch (const ResourceError& error) {
    candidate.outcome = error.what();
  } catch (const InputError& error) {
    candidate.outcome = error.what();
  }
  return nullptr;
}

/// False where the candidate cannot be made.
bool FormatSearch::begin_trial(FormatCandidate& candidate, int columns) {
  const double predicted = conversion_seconds(candidate, columns);
  const double taken = tools_.seconds([&] { trial_ = make(candidate, columns); });
  choice_.cost_seconds += taken;
  if (!trial_) return false;
  ++tried_;
  on_trial_ = &candidate;
  candidate.conversion_seconds = taken;
  if (predicted > 0.0) conversion_error_ *= std::max(1.0, taken / predicted);
  return true;
}

/// The faster of the format in use and the one on trial stays.
void FormatSearch::end_trial(int columns) {
  const double seconds = trial_times_[columns].shortest, before = times_[columns].shortest;
  if (!trial_times_[columns].enough()) {
    return drop_trial(text("a product took %.2f x the seconds of ", seconds / before) +
                      choice_.format + ", which used up what trying may cost");
  }
  on_trial_->columns = columns;
  on_trial_->seconds = seconds;
  if (const auto csr = csr_seconds_.find(columns); csr != csr_seconds_.end()) {
    choice_.columns = columns;
    choice_.csr_seconds = csr->second;
  }
  if (!(seconds < (1.0 - noise) * before)) {
    return drop_trial(text("%.2f x the seconds of ", seconds / before) + choice_.format);
  }
  for (FormatCandidate& c : choice_.candidates) {
    if (c.format == choice_.format) c.outcome += ", then replaced by " + on_trial_->format;
  }
  on_trial_->outcome = text("taken: %.2f x as fast as ", before / seconds) + choice_.format;
  choice_.format = on_trial_->format;
  options_.free_bytes -= std::min(options_.free_bytes, *on_trial_->bytes);
  ratio_in_use_ *= seconds / before;
  in_use_ = std::move(trial_);
  times_ = std::move(trial_times_);
  drop_trial(on_trial_->outcome);
}

void FormatSearch::drop_trial(const std::string& outcome) {
  on_trial_->outcome = outcome;
  on_trial_ = nullptr;
  trial_.reset();
  trial_times_.clear();
}

/// No other format is tried from here on: what only a search needs goes, the host matrix too.
void FormatSearch::settle() {
  choice_.reason = reason();
  choice_.settled = true;
  for (FormatCandidate& c : choice_.candidates) {
    if (c.outcome.empty()) c.outcome = "not tried";
  }
  tools_ = {};
}

FormatChoice FormatSearch::choice() const {
  FormatChoice made = choice_;
  if (!made.settled) made.reason = reason();
  return made;
}

std::string FormatSearch::reason() const {
  if (on_trial_ != nullptr) return on_trial_->format + " was still being tried at the end";
  if (choice_.format != "csr") {
    const auto taken =
        std::ranges::find(choice_.candidates, choice_.format, &FormatCandidate::format);
    const double csr = csr_seconds(taken->columns);
    return text("%.2f x as fast as csr with blocks of %d; its conversion took %.1f products of csr",
                csr / *taken->seconds, taken->columns, *taken->conversion_seconds / csr);
  }
  if (tried_ > 0) return "no format that was tried is faster";
  if (!ranked_) return "to find a faster format would not have paid for so few products";
  const auto is_open = [](const FormatCandidate& c) {
    return c.outcome.empty() && c.predicted_ratio < 1.0 - noise;
  };
  const auto open = std::ranges::find_if(choice_.candidates, is_open);
  if (open == choice_.candidates.end()) {
    const bool refused = std::ranges::any_of(choice_.candidates, [](const FormatCandidate& c) {
      return c.predicted_ratio < 1.0 - noise;
    });
    return refused ? "no format that is predicted to be faster can be taken"
                   : "no other format is predicted to be faster";
  }
  return "for so few products the conversion to a format predicted to be faster would not have "
         "paid";
}

}  // namespace cisolve
