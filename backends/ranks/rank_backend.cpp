#include "backends/ranks/rank_backend.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "backends/ranks/row_partition.hpp"
#include "core/dense/host_matrix.hpp"
#include "core/infinity.hpp"

namespace cisolve {
namespace {

class RankBackend final : public Backend {
 public:
  RankBackend(std::unique_ptr<Backend> own, Communicator& ranks,
              std::unique_ptr<DeviceExchange> exchange,
              std::function<void(const std::string&)> warn)
      : own_(std::move(own)),
        ranks_(ranks),
        exchange_(std::move(exchange)),
        warn_(std::move(warn)),
        ready_(exchange_ == nullptr) {}

  BackendKind kind() const override { return own_->kind(); }
  std::string description() const override { return own_->description(); }
  Communicator& communicator() const override { return ranks_; }
  bool in_host_memory() const override { return own_->in_host_memory(); }
  /// Free memory of the rank with the least, so that all ranks decide alike. An exchange that is
  /// still starting will take some of it: NCCL's buffers are some hundred megabytes.
  std::size_t free_memory() const override {
    constexpr std::size_t most = std::size_t{1} << 30;
    const std::size_t free = std::ranges::min(ranks_.gather(own_->free_memory()));
    return ready_ ? free : free - std::min(most, free / 8);
  }
  void* allocate(std::size_t bytes, Residence residence) override {
    return own_->allocate(bytes, residence);
  }
  void release(void* memory) noexcept override { own_->release(memory); }
  void upload_bytes(const void* host, void* device, std::size_t bytes) override {
    own_->upload_bytes(host, device, bytes);
  }
  void download_bytes(const void* device, void* host, std::size_t bytes) override {
    own_->download_bytes(device, host, bytes);
  }
  void synchronize() override { own_->synchronize(); }
  /// Waits for the exchange, whether it can be used or not.
  void finish_getting_ready() {
    if (exchange_) exchange_->failure();
  }
  void upload(const HostMatrix& host, View y) override {
    if (y.rows > 0) own_->upload(host, y);
  }
  HostMatrix download(ConstView x) override {
    return x.rows > 0 ? own_->download(x) : HostMatrix(0, x.columns);
  }

  // Within the rank.

  void copy(ConstView x, View y) override {
    if (y.rows > 0) own_->copy(x, y);
  }
  void fill(double value, View y) override {
    if (y.rows > 0) own_->fill(value, y);
  }
  void axpby(double alpha, ConstView x, double beta, View y) override {
    if (y.rows > 0) own_->axpby(alpha, x, beta, y);
  }
  void waxpby(double alpha, ConstView x, double beta, ConstView y, View w) override {
    if (w.rows > 0) own_->waxpby(alpha, x, beta, y, w);
  }
  void add_columns(std::span<const double> a, ConstView v, std::span<const double> b, ConstView w,
                   View y) override {
    if (y.rows > 0) own_->add_columns(a, v, b, w, y);
  }
  void step_along(std::span<const double> a, std::span<const double> b, ConstView r, ConstView d,
                  View p, View x) override {
    if (x.rows > 0) own_->step_along(a, b, r, d, p, x);
  }
  void scale_columns(std::span<const double> s, View y) override {
    if (y.rows > 0) own_->scale_columns(s, y);
  }
  void combine(double alpha, ConstView x, const ConstHostRef& c, double beta, View y) override {
    if (y.rows > 0) own_->combine(alpha, x, c, beta, y);
  }
  void combine(std::span<const VectorSum> sums) override {
    if (!sums.empty() && sums[0].y.rows > 0) own_->combine(sums);
  }
  void combine(ConstView x, ConstView c, View y) override {
    if (y.rows > 0) own_->combine(x, c, y);
  }
  using Backend::recombine;
  void recombine(ConstView x, const ConstHostRef& c, View y, const ConstHostRef& b) override {
    if (y.rows > 0) own_->recombine(x, c, y, b);
  }
  void multiply_blocks(double alpha, ConstView blocks, ConstView x, double beta, View y) override {
    if (y.rows > 0) own_->multiply_blocks(alpha, blocks, x, beta, y);
  }
  void gather_rows(const Buffer<Index>& rows, ConstView x, View y) override {
    if (y.rows > 0) own_->gather_rows(rows, x, y);
  }
  void scatter_rows(const Buffer<Index>& rows, ConstView x, View y) override {
    if (x.rows > 0) own_->scatter_rows(rows, x, y);
  }
  void diagonal_correction(ConstView r, std::span<const double> theta, ConstView d,
                           Denominator kind, double guard, View t) override {
    if (t.rows > 0) own_->diagonal_correction(r, theta, d, kind, guard, t);
  }
  void jacobi_update(double omega, ConstView r, ConstView d, double beta, View x) override {
    if (x.rows > 0) own_->jacobi_update(omega, r, d, beta, x);
  }
  void shifted_power(double alpha, ConstView x, double shift, double least, Power p,
                     View y) override {
    if (y.rows > 0) own_->shifted_power(alpha, x, shift, least, p, y);
  }

  // Functions that number rows over all ranks.

  void fill_random(std::uint64_t seed, std::int64_t first, View y) override {
    const std::int64_t before = ranks_.sum_before(y.rows);
    if (y.rows > 0) own_->fill_random(seed, first + before, y);
  }
  void fill_normal(std::uint64_t seed, std::int64_t first, View y) override {
    const std::int64_t before = ranks_.sum_before(y.rows);
    if (y.rows > 0) own_->fill_normal(seed, first + before, y);
  }
  void gather(ConstView x, const RowPartition& parts, View whole) override;

  // Over all ranks.

  using Backend::gram;
  void gram(ConstView x, ConstView y, HostRef c) override {
    c.setZero();
    if (y.rows > 0) own_->gram(x, y, c);
    sum({c});
  }
  void gram(ConstView x, ConstView y, View c) override {
    HostMatrix product = HostMatrix::Zero(c.rows, c.columns);
    gram(x, y, HostRef(product));
    if (c.rows > 0) own_->upload(product, c);
  }
  void add_columns(std::span<const double> a, ConstView v, std::span<const double> b, ConstView w,
                   View y, std::span<double> dots) override {
    std::ranges::fill(dots, 0.0);
    if (y.rows > 0) own_->add_columns(a, v, b, w, y, dots);
    ranks_.sum(dots);
  }
  void step_residual(std::span<const double> a, ConstView v, ConstView d, View r,
                     std::span<double> squares) override {
    std::ranges::fill(squares, 0.0);
    if (r.rows > 0) own_->step_residual(a, v, d, r, squares);
    ranks_.sum(squares);
  }
  void grams(ConstView x, ConstView y, HostRef c, HostRef g) override {
    c.setZero();
    g.setZero();
    if (y.rows > 0) own_->grams(x, y, c, g);
    sum({c, g});
  }
  void residuals(ConstView w, ConstView v, const ConstHostRef& s, std::span<const double> theta,
                 View r, std::span<double> norms) override {
    std::ranges::fill(norms, 0.0);
    if (r.rows > 0) own_->residuals(w, v, s, theta, r, norms);
    join_norms(norms);
  }
  void column_dots(ConstView x, ConstView y, std::span<double> dots) override {
    std::ranges::fill(dots, 0.0);
    if (x.rows > 0) own_->column_dots(x, y, dots);
    ranks_.sum(dots);
  }
  void column_norms(ConstView x, std::span<double> norms) override {
    std::ranges::fill(norms, 0.0);
    if (x.rows > 0) own_->column_norms(x, norms);
    join_norms(norms);
  }
  void largest_elements(ConstView x, double equal, std::span<double> elements) override;
  std::pair<double, double> extremes(ConstView x) override {
    std::pair<double, double> range{infinity, -infinity};
    if (x.rows > 0) range = own_->extremes(x);
    for (const double low : ranks_.gather(range.first)) range.first = std::min(range.first, low);
    for (const double high : ranks_.gather(range.second)) {
      range.second = std::max(range.second, high);
    }
    return range;
  }

 private:
  /// Matrices := their sums over the ranks, in one exchange.
  void sum(std::initializer_list<HostRef> matrices) {
    sums_.clear();
    for (const HostRef& m : matrices) {
      for (Eigen::Index i = 0; i < m.rows(); ++i) {
        for (Eigen::Index j = 0; j < m.cols(); ++j) sums_.push_back(m(i, j));
      }
    }
    ranks_.sum(sums_);
    const double* from = sums_.data();
    for (HostRef m : matrices) {
      for (Eigen::Index i = 0; i < m.rows(); ++i) {
        for (Eigen::Index j = 0; j < m.cols(); ++j) m(i, j) = *from++;
      }
    }
  }

  void join_norms(std::span<double> norms) {
    for (double& norm : norms) norm *= norm;
    ranks_.sum(norms);
    for (double& norm : norms) norm = std::sqrt(norm);
  }

  /// The exchange between devices that all ranks have, waited for when first wanted; null: none.
  DeviceExchange* ready_exchange() {
    if (std::exchange(ready_, true)) return exchange_.get();
    const std::string failure = exchange_->failure();
    if (!ranks_.all(failure.empty())) {
      exchange_.reset();
      warn_(failure.empty() ? "another rank cannot join" : failure);
    }
    return exchange_.get();
  }

  std::unique_ptr<Backend> own_;
  Communicator& ranks_;
  std::unique_ptr<DeviceExchange> exchange_;
  std::function<void(const std::string&)> warn_;
  bool ready_;
  std::vector<double> sums_;
  MultiVector packed_;  ///< what is sent, where its rows are not one behind another
  std::vector<double> own_host_, all_host_;  ///< on its way from and to a device
};

void RankBackend::gather(ConstView x, const RowPartition& parts, View whole) {
  const auto row = static_cast<std::size_t>(x.columns) * sizeof(double);
  if (x.stride != x.columns && x.rows > 0) {
    if (packed_.columns() < x.columns || packed_.rows() != x.rows) {
      packed_ = MultiVector(*own_, x.rows, x.columns);
    }
    const View packed = packed_.narrowed(x.columns);
    own_->copy(x, packed);
    x = packed;
  }
  const std::vector<std::size_t> bytes = parts.bytes(row);
  if (DeviceExchange* const exchange = ready_exchange()) {
    ranks_.note_exchange(row * static_cast<std::size_t>(whole.rows - x.rows));
    return exchange->all_gather(x.data, whole.data, bytes);
  }
  if (own_->in_host_memory()) return ranks_.all_gather(x.data, whole.data, bytes);
  const auto numbers = [&](Index rows) { return static_cast<std::size_t>(rows) * x.columns; };
  own_host_.resize(std::max(own_host_.size(), numbers(x.rows)));
  all_host_.resize(std::max(all_host_.size(), numbers(whole.rows)));
  if (x.rows > 0) own_->download_bytes(x.data, own_host_.data(), row * x.rows);
  ranks_.all_gather(own_host_.data(), all_host_.data(), bytes);
  own_->upload_bytes(all_host_.data(), whole.data, row * whole.rows);
}

void RankBackend::largest_elements(ConstView x, double equal, std::span<double> elements) {
  std::ranges::fill(elements, 0.0);
  if (x.rows > 0) own_->largest_elements(x, 0.0, elements);
  const std::vector<double> largest =
      ranks_.gather(std::span<const double>(elements.data(), elements.size()));
  const auto k = elements.size();
  for (std::size_t j = 0; j < k; ++j) {
    double limit = 0.0;
    for (std::size_t r = 0; r < largest.size() / k; ++r) {
      limit = std::max(limit, std::abs(largest[r * k + j]));
    }
    limit *= 1.0 - equal;
    // The first rank that has such an element, and its first one.
    const double here = std::abs(elements[j]);
    double found = 0.0;
    if (here > 0.0 && here >= limit) {
      const double part = std::clamp(1.0 - limit / here, 0.0, std::nextafter(1.0, 0.0));
      own_->largest_elements(x.slice(static_cast<int>(j), 1), part, {&found, 1});
    }
    elements[j] = 0.0;
    for (const double element : ranks_.gather(found)) {
      if (elements[j] == 0.0) elements[j] = element;
    }
  }
}

}  // namespace

std::unique_ptr<Backend> make_rank_backend(std::unique_ptr<Backend> own, Communicator& ranks,
                                           std::unique_ptr<DeviceExchange> exchange,
                                           std::function<void(const std::string&)> warn) {
  return std::make_unique<RankBackend>(std::move(own), ranks, std::move(exchange), std::move(warn));
}

void leave_to_the_end(std::unique_ptr<Backend> rank_backend) {
  static std::vector<Backend*> left;  // no leak
  if (auto* const made = dynamic_cast<RankBackend*>(rank_backend.get())) {
    made->finish_getting_ready();
  }
  left.push_back(rank_backend.release());
}

}  // namespace cisolve
