#include "formats/mixed_precision_operator.hpp"

#include <utility>

#include "core/timer.hpp"
#include "formats/shared/single_values.hpp"

namespace cisolve {

MixedPrecisionOperator::MixedPrecisionOperator(const Format& format,
                                               std::shared_ptr<const CsrMatrix> a, Backend& backend,
                                               const FormatOptions& options)
    : format_(format), backend_(backend), options_(options), a_(std::move(a)) {
  make_single();
}

void MixedPrecisionOperator::make_single() {
  const Timer timer;
  SingleValues rounded = round_off_diagonals(*a_);
  require_room(format_, *a_, backend_, options_);
  const Format::MakeSingle make =
      backend_.kind() == BackendKind::cpu ? format_.cpu_single : format_.cuda_single;
  inner_ = make(a_, std::move(rounded.values), backend_, options_);
  inner_->use(options_.kernel);
  rounding_error_ = rounded.rounding_error;
  build_seconds_ = timer.seconds();
}

OperatorInfo MixedPrecisionOperator::info() const {
  OperatorInfo info = inner_->info();
  if (!is_single()) return info;
  info.build_seconds = build_seconds_;
  info.layout += std::string(info.layout.empty() ? "" : ", ") + "off-diagonals float32";
  return info;
}

bool MixedPrecisionOperator::to_double_precision() {
  if (!is_single()) return false;
  FormatOptions in_double = options_;
  in_double.off_diagonal = Precision::float64;
  inner_.reset();  // its memory is needed
  try {
    inner_ = make_operator(format_.name, a_, backend_, in_double);
  } catch (...) {
    make_single();
    throw;
  }
  options_ = in_double;
  rounding_error_ = 0.0;
  a_.reset();
  return true;
}

void MixedPrecisionOperator::use(const KernelSettings& kernel) {
  options_.kernel = kernel;
  inner_->use(kernel);
}

}  // namespace cisolve
