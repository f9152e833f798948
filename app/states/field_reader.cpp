#include <cmath>
#include <span>
#include <stdexcept>

#include "app/states/state_reader.hpp"
#include "backends/ranks/whole_vectors.hpp"
#include "core/dense/host_matrix.hpp"

namespace cisolve {
namespace {

/// Over the rows of a matrix over K, on the host: coefficients are known by their moduli.
class ReaderOverField final : public StateReader {
 public:
  /// `strings`: what the rows are; null: those of a matrix.
  ReaderOverField(Backend& backend, int components, const StringSpace* strings = nullptr)
      : backend_(backend), d_(components), strings_(strings) {}

  void apply_s_squared(ConstView, View) override {
    throw std::logic_error("a state over K has no spin");
  }
  bool read(ConstView x) override {
    x_ = download_whole(backend_, x);
    return x_.allFinite();
  }
  Composition composition(int count) override {
    const HostVector moduli =
        Eigen::Map<const HostMatrix>(x_.data(), x_.rows() / d_, d_).rowwise().norm();
    Composition made{leading_rows(moduli, count), {}, {}, {}};
    for (LeadingRow& row : made.leading) {
      const double* const element = x_.data() + d_ * row.row;
      row.components.assign(element, element + d_);
    }
    if (strings_ != nullptr) {
      const std::span<const double> x(x_.data(), static_cast<std::size_t>(x_.size()));
      made.spinors = spinor_density(*strings_, x, x);
    }
    return made;
  }
  OneDensities densities() override { throw std::logic_error("a state over K has no spin"); }

 private:
  Backend& backend_;
  int d_;
  const StringSpace* strings_;
  HostMatrix x_;
};

}  // namespace

std::unique_ptr<StateReader> make_field_reader(Backend& backend, int components) {
  return std::make_unique<ReaderOverField>(backend, components);
}

std::unique_ptr<StateReader> make_spinor_reader(Backend& backend, const StringSpace& strings) {
  return std::make_unique<ReaderOverField>(backend, 2, &strings);
}

}  // namespace cisolve
