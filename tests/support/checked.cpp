#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <stdexcept>
#include <utility>

#include "core/dense/host_matrix.hpp"
#include "spmv/forwarding_operator.hpp"
#include "tests/support/checked.hpp"

namespace cisolve {
namespace {

/// A bit that is set in every address handed out. On x86-64 and AArch64 (which ignores the top
/// byte, not this bit) programs get no address with it, so following one on the host faults, as
/// with a device address.
constexpr std::uintptr_t device_bit = std::uintptr_t{1} << 55;

void require(bool condition, const char* what) {
  if (!condition) throw std::logic_error(std::string("checked backend: ") + what);
}

template <class T>
T* untag(T* address) {
  return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(address) & ~device_bit);
}

class CheckedBackend final : public Backend {
 public:
  BackendKind kind() const override { return BackendKind::cpu; }
  std::string description() const override { return "checked memory on the host"; }
  std::size_t free_memory() const override { return host_->free_memory(); }

  void* allocate(std::size_t bytes, Residence residence) override {
    void* memory = host_->allocate(bytes, residence);
    auto* words = static_cast<double*>(memory);
    for (std::size_t i = 0; i < bytes / sizeof(double); ++i) {
      words[i] = std::numeric_limits<double>::signaling_NaN();
    }
    void* address = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(memory) | device_bit);
    allocations()[reinterpret_cast<std::uintptr_t>(address)] = bytes;
    return address;
  }
  void release(void* memory) noexcept override {
    allocations().erase(reinterpret_cast<std::uintptr_t>(memory));
    host_->release(untag(memory));
  }
  void upload_bytes(const void* host, void* device, std::size_t bytes) override {
    require_host(host);
    host_->upload_bytes(host, checked_address(device, bytes), bytes);
  }
  void download_bytes(const void* device, void* host, std::size_t bytes) override {
    require_host(host);
    host_->download_bytes(checked_address(const_cast<void*>(device), bytes), host, bytes);
  }
  void synchronize() override {}

  void upload(const HostMatrix& host, View y) override {
    require(host.rows() == y.rows && host.cols() == y.columns, "upload: shapes differ");
    host_->upload(host, checked_view(y));
  }
  HostMatrix download(ConstView x) override { return host_->download(checked_view(x)); }

  void copy(ConstView x, View y) override {
    require_same_shape(x, y);
    host_->copy(checked_view(x), checked_view(y));
  }
  void fill(double value, View y) override { host_->fill(value, checked_view(y)); }
  void fill_random(std::uint64_t seed, std::int64_t first, View y) override {
    host_->fill_random(seed, first, checked_view(y));
  }
  void fill_normal(std::uint64_t seed, std::int64_t first, View y) override {
    host_->fill_normal(seed, first, checked_view(y));
  }
  void axpby(double alpha, ConstView x, double beta, View y) override {
    require_same_shape(x, y);
    host_->axpby(alpha, checked_view(x), beta, checked_view(y));
  }
  void waxpby(double alpha, ConstView x, double beta, ConstView y, View w) override {
    require_same_shape(x, w);
    require_same_shape(y, w);
    require_disjoint(x, w);
    require_disjoint(y, w);
    host_->waxpby(alpha, checked_view(x), beta, checked_view(y), checked_view(w));
  }
  void add_columns(std::span<const double> a, ConstView v, std::span<const double> b, ConstView w,
                   View y) override {
    require_columns_to_add(a, v, b, w, y);
    host_->add_columns(a, checked_view(v), b, checked_view(w), checked_view(y));
  }
  void add_columns(std::span<const double> a, ConstView v, std::span<const double> b, ConstView w,
                   View y, std::span<double> dots) override {
    require(std::cmp_equal(dots.size(), y.columns), "add_columns: one dot product a column");
    const bool in_place = v.data == y.data && v.stride == y.stride;
    require_columns_to_add(a, in_place ? w : v, b, w, y);
    host_->add_columns(a, checked_view(v), b, checked_view(w), checked_view(y), dots);
  }
  void step_residual(std::span<const double> a, ConstView v, ConstView d, View r,
                     std::span<double> squares) override {
    require(std::cmp_equal(squares.size(), r.columns), "step_residual: one square a column");
    require(d.rows == r.rows && d.columns == 1, "step_residual: d is n x 1");
    require_columns_to_add(a, v, a, v, r);
    host_->step_residual(a, checked_view(v), checked_view(d), checked_view(r), squares);
  }
  void step_along(std::span<const double> a, std::span<const double> b, ConstView r, ConstView d,
                  View p, View x) override {
    require(d.rows == r.rows && d.columns == 1, "step_along: d is n x 1");
    require_columns_to_add(a, p, b, r, x);
    require_columns_to_add(a, r, b, r, p);
    host_->step_along(a, b, checked_view(r), checked_view(d), checked_view(p), checked_view(x));
  }
  void scale_columns(std::span<const double> s, View y) override {
    require(std::cmp_equal(s.size(), y.columns), "scale_columns: one factor a column");
    host_->scale_columns(s, checked_view(y));
  }
  using Backend::gram;
  void gram(ConstView x, ConstView y, HostRef c) override {
    require(x.rows == y.rows && c.rows() == x.columns && c.cols() == y.columns,
            "gram: C(m x k) needs X(n x m) and Y(n x k)");
    host_->gram(checked_view(x), checked_view(y), c);
  }
  void gram(ConstView x, ConstView y, View c) override {
    require(x.rows == y.rows && c.rows == x.columns && c.columns == y.columns,
            "gram: C(m x k) needs X(n x m) and Y(n x k)");
    host_->gram(checked_view(x), checked_view(y), checked_view(c));
  }
  void grams(ConstView x, ConstView y, HostRef c, HostRef g) override {
    require(x.rows == y.rows && c.rows() == x.columns && c.cols() == y.columns &&
                g.rows() == y.columns && g.cols() == y.columns,
            "grams: C(m x k) and G(k x k) need X(n x m) and Y(n x k)");
    host_->grams(checked_view(x), checked_view(y), c, g);
  }
  void combine(double alpha, ConstView x, const ConstHostRef& c, double beta, View y) override {
    require(x.rows == y.rows && c.rows() == x.columns && c.cols() == y.columns,
            "combine: Y(n x k) needs X(n x m) and C(m x k)");
    require_disjoint(x, y);
    host_->combine(alpha, checked_view(x), c, beta, checked_view(y));
  }
  void combine(ConstView x, ConstView c, View y) override {
    require(x.rows == y.rows && c.rows == x.columns && c.columns == y.columns,
            "combine: Y(n x k) needs X(n x m) and C(m x k)");
    require_disjoint(x, y);
    host_->combine(checked_view(x), checked_view(c), checked_view(y));
  }
  void multiply_blocks(double alpha, ConstView blocks, ConstView x, double beta, View y) override {
    require_same_shape(x, y);
    require(blocks.rows == x.rows && blocks.columns > 0, "multiply_blocks: B is m x N, X m x k");
    require_disjoint(x, y);
    host_->multiply_blocks(alpha, checked_view(blocks), checked_view(x), beta, checked_view(y));
  }
  void residuals(ConstView w, ConstView v, const ConstHostRef& s, std::span<const double> theta,
                 View r, std::span<double> norms) override {
    require_same_shape(w, v);
    require(w.rows == r.rows && s.rows() == w.columns && s.cols() == r.columns,
            "residuals: R(n x k) needs W(n x m) and S(m x k)");
    require(std::cmp_equal(theta.size(), r.columns) && std::cmp_equal(norms.size(), r.columns),
            "residuals: one value and one norm a column");
    require_disjoint(w, r);
    require_disjoint(v, r);
    host_->residuals(checked_view(w), checked_view(v), s, theta, checked_view(r), norms);
  }
  void column_dots(ConstView x, ConstView y, std::span<double> dots) override {
    require(x.rows == y.rows && x.columns == y.columns, "column_dots: X and Y are n x k");
    require(std::cmp_equal(dots.size(), x.columns), "column_dots: one number a column");
    host_->column_dots(checked_view(x), checked_view(y), dots);
  }
  void column_norms(ConstView x, std::span<double> norms) override {
    require(std::cmp_equal(norms.size(), x.columns), "column_norms: one norm a column");
    host_->column_norms(checked_view(x), norms);
  }
  void gather_rows(const Buffer<Index>& rows, ConstView x, View y) override {
    require(std::cmp_equal(rows.size(), y.rows) && x.columns == y.columns,
            "gather_rows: one row of X a row of Y");
    const ConstView from = checked_view(x);
    const View to = checked_view(y);
    Index r = 0;
    for (const Index row : checked_rows(rows, x.rows)) {
      std::copy_n(from.row_range(row, 1).data, from.columns, to.row_range(r++, 1).data);
    }
  }
  void scatter_rows(const Buffer<Index>& rows, ConstView x, View y) override {
    require(std::cmp_equal(rows.size(), x.rows) && x.columns == y.columns,
            "scatter_rows: one row of Y a row of X");
    const ConstView from = checked_view(x);
    const View to = checked_view(y);
    Index r = 0;
    for (const Index row : checked_rows(rows, y.rows)) {
      std::copy_n(from.row_range(r++, 1).data, from.columns, to.row_range(row, 1).data);
    }
  }
  using Backend::recombine;
  void recombine(ConstView x, const ConstHostRef& c, View y, const ConstHostRef& b) override {
    require(x.rows == y.rows && c.rows() == x.columns && b.rows() == y.columns &&
                c.cols() == b.cols() && b.cols() <= b.rows(),
            "recombine: Y(n x k) needs X(n x m), C(m x l) and B(k x l <= k)");
    require_disjoint(x, y);
    host_->recombine(checked_view(x), c, checked_view(y), b);
  }
  void largest_elements(ConstView x, double equal, std::span<double> elements) override {
    require(std::cmp_equal(elements.size(), x.columns), "largest_elements: one a column");
    require(0.0 <= equal && equal < 1.0, "largest_elements: a part of the largest");
    host_->largest_elements(checked_view(x), equal, elements);
  }
  std::pair<double, double> extremes(ConstView x) override {
    require(x.rows > 0 && x.columns > 0, "extremes: of no element");
    return host_->extremes(checked_view(x));
  }
  void shifted_power(double alpha, ConstView x, double shift, double least, Power p,
                     View y) override {
    require_same_shape(x, y);
    require(least > 0.0, "shifted_power: of a number that may be zero");
    host_->shifted_power(alpha, checked_view(x), shift, least, p, checked_view(y));
  }
  void diagonal_correction(ConstView r, std::span<const double> theta, ConstView d,
                           Denominator kind, double guard, View t) override {
    require_same_shape(r, t);
    require(d.rows == r.rows && d.columns == 1, "diagonal_correction: d is n x 1");
    require(std::cmp_equal(theta.size(), r.columns), "diagonal_correction: one shift a column");
    host_->diagonal_correction(checked_view(r), theta, checked_view(d), kind, guard,
                               checked_view(t));
  }
  void jacobi_update(double omega, ConstView r, ConstView d, double beta, View x) override {
    require_same_shape(r, x);
    require(d.rows == r.rows && d.columns == 1, "jacobi_update: d is n x 1");
    host_->jacobi_update(omega, checked_view(r), checked_view(d), beta, checked_view(x));
  }

  static ConstView host_view(ConstView v) {
    if (v.rows == 0 || v.columns == 0) return v;
    require(v.rows > 0 && v.columns > 0 && v.stride >= v.columns, "a view of impossible shape");
    const auto span = static_cast<std::size_t>(v.rows - 1) * v.stride + v.columns;
    auto* address = checked_address(const_cast<double*>(v.data), span * sizeof(double));
    return {static_cast<const double*>(address), v.rows, v.columns, v.stride};
  }

 private:
  using Allocations = std::map<std::uintptr_t, std::size_t>;
  static Allocations& allocations() {
    static thread_local Allocations live;  // ranks of a test are threads, and share no memory
    return live;
  }

  static void require_columns_to_add(std::span<const double> a, ConstView v,
                                     std::span<const double> b, ConstView w, ConstView y) {
    require(std::cmp_equal(a.size(), y.columns) && std::cmp_equal(b.size(), y.columns),
            "add_columns: one factor a column");
    require_same_shape(v, y);
    require_same_shape(w, y);
    require_disjoint(v, y);
    require_disjoint(w, y);
  }
  static void* checked_address(void* address, std::size_t bytes) {
    const auto value = reinterpret_cast<std::uintptr_t>(address);
    require((value & device_bit) != 0 || bytes == 0, "a host address where a device one belongs");
    auto after = allocations().upper_bound(value);
    require(after != allocations().begin(), "an address of no allocation");
    const auto& [begin, size] = *std::prev(after);
    require(value + bytes <= begin + size, "a view that leaves its allocation");
    return untag(address);
  }
  static std::span<const Index> checked_rows(const Buffer<Index>& rows, Index limit) {
    const std::size_t bytes = rows.size() * sizeof(Index);
    const auto* first =
        static_cast<const Index*>(checked_address(const_cast<Index*>(rows.data()), bytes));
    const std::span<const Index> numbers(first, rows.size());
    for (const Index row : numbers) require(row >= 0 && row < limit, "a row out of range");
    return numbers;
  }
  static void require_host(const void* address) {
    require((reinterpret_cast<std::uintptr_t>(address) & device_bit) == 0,
            "a device address where a host one belongs");
  }
  static ConstView checked_view(ConstView v) { return host_view(v); }
  static View checked_view(View v) {
    const ConstView checked = host_view(v);
    return {const_cast<double*>(checked.data), v.rows, v.columns, v.stride};
  }
  static void require_same_shape(ConstView x, ConstView y) {
    require(x.rows == y.rows && x.columns == y.columns, "shapes differ");
  }
  static void require_disjoint(ConstView x, ConstView y) {
    // The last row ends with its columns: a view of every other row need not end with its stride.
    const auto end = [](ConstView v) { return v.data + (v.rows - 1) * v.stride + v.columns; };
    const bool none = x.rows == 0 || y.rows == 0;
    const bool apart = none || end(x) <= y.data || end(y) <= x.data;
    const auto gap = y.data - x.data;
    const bool other_columns =
        !apart && x.stride == y.stride && (gap >= x.columns || -gap >= y.columns);
    require(apart || other_columns, "X and Y overlap");
  }

  std::unique_ptr<Backend> host_ = make_cpu_backend();
};

/// A CPU operator whose vectors live in checked memory.
class CheckedOperator final : public ForwardingOperator {
 public:
  explicit CheckedOperator(std::unique_ptr<LinearOperator> inner) : inner_(std::move(inner)) {}
  void apply(double alpha, ConstView x, double beta, View y) const override {
    require(x.rows == columns() && y.rows == rows() && x.columns == y.columns && x.columns > 0,
            "apply: X is columns x k, Y is rows x k");
    inner_->apply(alpha, CheckedBackend::host_view(x), beta, writable(y));
  }
  void diagonal(View d) const override {
    require(d.rows == rows() && d.columns == 1, "diagonal: d is rows x 1");
    inner_->diagonal(writable(d));
  }

 private:
  LinearOperator& inner() const override { return *inner_; }
  static View writable(View v) {
    const ConstView checked = CheckedBackend::host_view(v);
    return {const_cast<double*>(checked.data), v.rows, v.columns, v.stride};
  }
  std::unique_ptr<LinearOperator> inner_;
};

}  // namespace

std::unique_ptr<Backend> make_checked_backend() {
  return std::make_unique<CheckedBackend>();
}

std::unique_ptr<LinearOperator> checked_operator(std::unique_ptr<LinearOperator> cpu_operator) {
  return std::make_unique<CheckedOperator>(std::move(cpu_operator));
}

}  // namespace cisolve
