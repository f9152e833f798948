#include "backends/field/field_backend.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/dense/field.hpp"
#include "core/dense/field_matrix.hpp"
#include "core/dense/host_matrix.hpp"

namespace cisolve {
namespace {

class FieldBackend final : public Backend {
 public:
  FieldBackend(Backend& inner, int components) : inner_(inner), d_(components) {}

  BackendKind kind() const override { return inner_.kind(); }
  std::string description() const override { return inner_.description(); }
  std::size_t free_memory() const override { return inner_.free_memory(); }
  Communicator& communicator() const override { return inner_.communicator(); }
  int components() const override { return d_; }
  Backend& memory() override { return inner_.memory(); }
  bool in_host_memory() const override { return inner_.in_host_memory(); }
  void* allocate(std::size_t bytes, Residence residence) override {
    return inner_.allocate(bytes, residence);
  }
  void release(void* memory) noexcept override { inner_.release(memory); }
  void upload_bytes(const void* host, void* device, std::size_t bytes) override {
    inner_.upload_bytes(host, device, bytes);
  }
  void download_bytes(const void* device, void* host, std::size_t bytes) override {
    inner_.download_bytes(device, host, bytes);
  }
  void synchronize() override { inner_.synchronize(); }
  void upload(const HostMatrix& host, View y) override { inner_.upload(host, y); }
  HostMatrix download(ConstView x) override { return inner_.download(x); }

  // Over K.

  using Backend::gram;
  void gram(ConstView x, ConstView y, HostRef c) override;
  using Backend::combine;
  void combine(double alpha, ConstView x, const ConstHostRef& c, double beta, View y) override;
  void residuals(ConstView w, ConstView v, const ConstHostRef& s, std::span<const double> theta,
                 View r, std::span<double> norms) override;
  using Backend::recombine;
  void recombine(ConstView x, const ConstHostRef& c, View y, const ConstHostRef& b) override;

  // Operations over the real numbers.

  void gram(ConstView x, ConstView y, View c) override { inner_.gram(x, y, c); }
  void combine(ConstView x, ConstView c, View y) override { inner_.combine(x, c, y); }
  void combine(std::span<const VectorSum> sums) override { inner_.combine(sums); }
  void multiply_blocks(double alpha, ConstView blocks, ConstView x, double beta, View y) override {
    inner_.multiply_blocks(alpha, blocks, x, beta, y);
  }
  void copy(ConstView x, View y) override { inner_.copy(x, y); }
  void fill(double value, View y) override { inner_.fill(value, y); }
  void axpby(double alpha, ConstView x, double beta, View y) override {
    inner_.axpby(alpha, x, beta, y);
  }
  void waxpby(double alpha, ConstView x, double beta, ConstView y, View w) override {
    inner_.waxpby(alpha, x, beta, y, w);
  }
  void scale_columns(std::span<const double> s, View y) override { inner_.scale_columns(s, y); }
  void add_columns(std::span<const double> a, ConstView v, std::span<const double> b, ConstView w,
                   View y) override {
    inner_.add_columns(a, v, b, w, y);
  }
  void add_columns(std::span<const double> a, ConstView v, std::span<const double> b, ConstView w,
                   View y, std::span<double> dots) override {
    inner_.add_columns(a, v, b, w, y, dots);
  }
  void step_residual(std::span<const double> a, ConstView v, ConstView d, View r,
                     std::span<double> squares) override {
    inner_.step_residual(a, v, d, r, squares);
  }
  void step_along(std::span<const double> a, std::span<const double> b, ConstView r, ConstView d,
                  View p, View x) override {
    inner_.step_along(a, b, r, d, p, x);
  }
  void column_dots(ConstView x, ConstView y, std::span<double> dots) override {
    inner_.column_dots(x, y, dots);
  }
  void column_norms(ConstView x, std::span<double> norms) override {
    inner_.column_norms(x, norms);
  }
  void gather(ConstView x, const RowPartition& parts, View whole) override {
    inner_.gather(x, parts, whole);
  }
  void gather_rows(const Buffer<Index>& rows, ConstView x, View y) override {
    inner_.gather_rows(rows, x, y);
  }
  void scatter_rows(const Buffer<Index>& rows, ConstView x, View y) override {
    inner_.scatter_rows(rows, x, y);
  }
  void diagonal_correction(ConstView r, std::span<const double> theta, ConstView d,
                           Denominator kind, double guard, View t) override {
    inner_.diagonal_correction(r, theta, d, kind, guard, t);
  }
  void jacobi_update(double omega, ConstView r, ConstView d, double beta, View x) override {
    inner_.jacobi_update(omega, r, d, beta, x);
  }
  void fill_random(std::uint64_t seed, std::int64_t first, View y) override {
    inner_.fill_random(seed, first, y);
  }
  void fill_normal(std::uint64_t seed, std::int64_t first, View y) override {
    inner_.fill_normal(seed, first, y);
  }
  void largest_elements(ConstView x, double equal, std::span<double> elements) override {
    inner_.largest_elements(x, equal, elements);
  }
  std::pair<double, double> extremes(ConstView x) override { return inner_.extremes(x); }
  void shifted_power(double alpha, ConstView x, double shift, double least, Power p,
                     View y) override {
    inner_.shifted_power(alpha, x, shift, least, p, y);
  }

 private:
  /// One component of all elements.
  template <class AnyView>
  AnyView component(AnyView x, int p) const {
    return {x.data + p * x.stride, x.rows / d_, x.columns, d_ * x.stride};
  }
  /// One component of all elements of a small matrix.
  HostMatrix part(const ConstHostRef& c, int r) const {
    HostMatrix of_unit(c.rows() / d_, c.cols() / d_);
    for (Eigen::Index i = 0; i < of_unit.rows(); ++i) {
      for (Eigen::Index j = 0; j < of_unit.cols(); ++j) of_unit(i, j) = c(d_ * i + r, d_ * j);
    }
    return of_unit;
  }

  Backend& inner_;
  int d_;
  HostMatrix sums_[4], product_;
};

/// The real part is the product of the real blocks; of the others d components each, half of them
/// the transposes of others where Y is X.
void FieldBackend::gram(ConstView x, ConstView y, HostRef c) {
  const bool of_itself = x.data == y.data && x.stride == y.stride && x.columns == y.columns;
  for (int r = 0; r < d_; ++r) sums_[r].setZero(x.columns, y.columns);
  product_.resize(x.columns, y.columns);
  inner_.gram(x, y, HostRef(sums_[0]));
  for (int r = 1; r < d_; ++r) {
    for (int p = 0; p < d_; ++p) {
      const int q = p ^ r;
      if (of_itself && q < p) continue;
      inner_.gram(component(x, p), component(y, q), HostRef(product_));
      sums_[r] += conjugate_sign(p) * unit_sign(p, q) * product_;
      if (of_itself) sums_[r] += conjugate_sign(q) * unit_sign(q, p) * product_.transpose();
    }
  }
  for (int i = 0; i < x.columns; ++i) {
    for (int j = 0; j < y.columns; ++j) {
      std::array<double, 4> element{};
      for (int r = 0; r < d_; ++r) element[r] = sums_[r](i, j);
      put_element(c, i, j, element, d_);
    }
  }
}

void FieldBackend::combine(double alpha, ConstView x, const ConstHostRef& c, double beta, View y) {
  if (c.rows() == x.columns && c.cols() == y.columns) return inner_.combine(alpha, x, c, beta, y);
  inner_.combine(alpha, x, part(c, 0), beta, y);
  for (int r = 1; r < d_; ++r) {
    const HostMatrix c_r = part(c, r);
    for (int p = 0; p < d_; ++p) {
      inner_.combine(alpha * unit_sign(p, r), component(x, p), c_r, 1.0, component(y, p ^ r));
    }
  }
}

void FieldBackend::residuals(ConstView w, ConstView v, const ConstHostRef& s,
                             std::span<const double> theta, View r, std::span<double> norms) {
  HostMatrix s_theta = s;
  for (int j = 0; j < r.columns; ++j) s_theta.middleCols(d_ * j, d_) *= theta[j];
  combine(1.0, w, s, 0.0, r);
  combine(-1.0, v, s_theta, 1.0, r);
  inner_.column_norms(r, norms);
}

/// Rows go in pieces, so that little memory is taken beside Y's.
void FieldBackend::recombine(ConstView x, const ConstHostRef& c, View y, const ConstHostRef& b) {
  constexpr std::size_t most_bytes = std::size_t{32} << 20;
  const int columns = static_cast<int>(b.cols()) / d_;
  if (columns == 0 || y.rows == 0) return;
  const std::size_t element = sizeof(double) * static_cast<std::size_t>(d_ * columns);
  const Index most = d_ * static_cast<Index>(std::max<std::size_t>(1, most_bytes / element));
  MultiVector piece(inner_, std::min(most, y.rows), columns);
  for (Index first = 0; first < y.rows; first += most) {
    const Index rows = std::min(most, y.rows - first);
    const View own = y.row_range(first, rows), combined = piece.view().row_range(0, rows);
    combine(1.0, own, b, 0.0, combined);
    if (x.columns > 0) combine(1.0, x.row_range(first, rows), c, 1.0, combined);
    inner_.copy(combined, own.slice(0, columns));
  }
}

}  // namespace

std::unique_ptr<Backend> make_field_backend(Backend& inner, int components) {
  return std::make_unique<FieldBackend>(inner, components);
}

}  // namespace cisolve
