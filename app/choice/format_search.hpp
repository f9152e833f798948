#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/view.hpp"
#include "spmv/linear_operator.hpp"

namespace cisolve {

/// A format beside csr: what was expected of it, what was measured, what became of it.
struct FormatCandidate {
  std::string format;
  double predicted_ratio = 1.0;       ///< seconds of a product over csr's
  double predicted_conversion = 0.0;  ///< in products of csr
  /// Bytes of the matrix, if ranking found them; for some formats that costs as much as the
  /// conversion.
  std::optional<std::size_t> matrix_bytes;
  std::optional<std::size_t> bytes;  ///< with its scratch; none: it was not asked for
  int columns = 0;                   ///< vectors of the products timed
  std::optional<double> seconds;     ///< of such a product
  std::optional<double> conversion_seconds;
  std::string outcome;  ///< in words; empty while it may still be tried
};

/// Seconds of a product and of the conversion from the host matrix.
struct FormatTiming {
  std::string format;
  double seconds = 0.0;
  double conversion_seconds = 0.0;
};

/// Choice of a matrix's format, and its cost.
struct FormatChoice {
  std::string format = "csr";
  std::string reason;         ///< a sentence without its full stop
  int columns = 0;            ///< vectors of the products compared; 0: none were
  std::int64_t products = 0;  ///< with blocks of any width
  bool settled = false;       ///< no other format will be tried
  bool remembered = false;    ///< chosen by what an earlier run measured
  double csr_seconds = 0.0;   ///< of a product with such a block; 0: not measured
  double csr_conversion_seconds = 0.0;
  double features_seconds = 0.0;  ///< features and network
  double cost_seconds = 0.0;      ///< features, conversions, and what products on trial were slower
  std::vector<FormatCandidate> candidates;

  /// Measurements for blocks of `columns` vectors, csr first; empty if csr was not measured.
  std::vector<FormatTiming> timings() const;
};

/// Tools that a search takes from outside; tests put a clock and operators of their own here.
struct FormatTools {
  /// Seconds of work on the backend.
  std::function<double(const std::function<void()>&)> seconds;
  /// Expected seconds of `rank`.
  double rank_seconds = 0.0;
  /// The formats there are but csr, with predictions for blocks of so many vectors; those that
  /// cannot be taken have an outcome.
  std::function<std::vector<FormatCandidate>(int columns)> rank;
  /// Bytes of a format on the backend, scratch included.
  std::function<std::size_t(const FormatCandidate&, int columns)> bytes;
  /// Throws InputError or ResourceError.
  std::function<std::unique_ptr<LinearOperator>(const std::string& format)> make;
};

struct SearchOptions {
  int expected_products = 50;
  int columns = 1;                    ///< of the blocks that are expected, and of `known`
  std::size_t free_bytes = SIZE_MAX;  ///< of the backend's memory, for another operator
  double csr_conversion_seconds = 0.0;
  double conversion_error = 1.0;  ///< what predictions of conversions are multiplied by at first
  /// Measured on this matrix before, csr among them, or empty: predictions then are these.
  std::vector<FormatTiming> known = {};
};

/// Finds the format of the fastest products while these are made, beginning with csr.
///
/// One rule bounds what it costs: features, conversions and what products on trial were slower than
/// those in use never take more than 5 % of the seconds of csr, which are its conversion and its
/// products, as many as are expected or have been made, whichever is more. The time of a step is
/// only predicted: one conversion, and one product on trial, may exceed the rule by their error. A
/// conversion that took longer than predicted makes the predictions of those after it longer.
///
/// Blocks of half to twice the width expected are looked at. The first products of each such width
/// are timed, useful work as they are; the shortest of three counts. Once the features take at
/// most a quarter of what the rule leaves, the formats are ranked by the seconds predicted for
/// conversion and further products. The first of them that is predicted to be more than 2 % faster
/// than what is in use, and to pay its conversion back, is converted as the rule leaves room for
/// that and for one product more. It then makes products of widths that have been timed, three
/// unless the room is used up before. If they show it to be more than 2 % faster it stays, else it
/// goes. At most three formats are tried.
class FormatSearch {
 public:
  FormatSearch(std::unique_ptr<LinearOperator> csr, FormatTools tools, SearchOptions options);
  /// A choice that has been made.
  FormatSearch(std::unique_ptr<LinearOperator> a, FormatChoice settled);

  /// Y := αAX + βY, by the format in use or on trial.
  void multiply(double alpha, ConstView x, double beta, View y);
  LinearOperator& in_use() const { return *in_use_; }
  FormatChoice choice() const;

 private:
  /// Products with blocks of one width.
  struct Times {
    int count = 0;
    double shortest = 0.0;
    bool enough() const { return count >= 3; }
    void add(double seconds);
  };

  bool counts(int columns) const;
  bool affordable(const FormatCandidate& candidate, int columns) const;
  void multiply_timed(LinearOperator& a, Times& times, double alpha, ConstView x, double beta,
                      View y);
  void multiply_on_trial(double alpha, ConstView x, double beta, View y);
  double csr_seconds(int columns) const;
  double further_seconds(int columns) const;
  double allowance(int columns) const;
  double conversion_seconds(const FormatCandidate& candidate, int columns) const;
  void rank(int columns);
  FormatCandidate* most_promising(int columns);
  void consider(int columns);
  std::unique_ptr<LinearOperator> make(FormatCandidate& candidate, int columns) const;
  bool begin_trial(FormatCandidate& candidate, int columns);
  void end_trial(int columns);
  void drop_trial(const std::string& outcome);
  void settle();
  std::string reason() const;

  FormatTools tools_;
  SearchOptions options_;
  FormatChoice choice_;
  bool ranked_ = false;
  int tried_ = 0;
  double ratio_in_use_ = 1.0;             ///< measured seconds of a product over csr's
  double conversion_error_;               ///< the largest of seconds taken over those predicted
  std::map<int, double> csr_seconds_;     ///< of a product, by width
  double csr_seconds_of_products_ = 0.0;  ///< what csr would have taken for those made
  std::unique_ptr<LinearOperator> in_use_, trial_;
  std::map<int, Times> times_, trial_times_;  ///< by width, of in_use_ and trial_
  FormatCandidate* on_trial_ = nullptr;
};

}  // namespace cisolve
