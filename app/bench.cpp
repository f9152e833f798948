#include "app/bench.hpp"

#include <Eigen/SparseCore>
#include <algorithm>
#include <exception>
#include <new>
#include <random>

#include "backends/stopwatch.hpp"
#include "core/timer.hpp"

namespace cisolve {
namespace {

/// Runs with cold caches: 256 MB are overwritten before each.
class Measurement {
 public:
  Measurement(Backend& backend, int repeats)
      : backend_(backend), repeats_(repeats), flush_(backend, 32'000'000, 1) {}

  /// Median seconds, after two runs to warm up.
  double operator()(const std::function<void()>& work) {
    std::vector<double> times;
    for (int r = -2; r < repeats_; ++r) {
      backend_.fill(r, flush_.view());
      backend_.synchronize();
      const double time = timed_milliseconds(backend_, work) * 1e-3;
      if (r >= 0) times.push_back(time);
    }
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::ranges::nth_element(times, middle);
    return *middle;
  }

  /// Bytes per second of Y := X, read and write.
  double copy_bandwidth() {
    const Index count = backend_.kind() == BackendKind::cuda ? 125'000'000 : 32'000'000;
    MultiVector x(backend_, count, 1), y(backend_, count, 1);
    backend_.fill(1.0, x.view());
    return 16.0 * count / (*this)([&] { backend_.copy(x.view(), y.view()); });
  }

 private:
  Backend& backend_;
  int repeats_;
  MultiVector flush_;
};

/// AX row by row in extended precision, rounded once.
HostMatrix extended_product(const CsrMatrix& a, const HostMatrix& x) {
  HostMatrix y(a.rows, x.cols());
#pragma omp parallel for schedule(dynamic, 128)
  for (Index i = 0; i < a.rows; ++i) {
    for (Eigen::Index k = 0; k < x.cols(); ++k) {
      long double sum = 0.0L;
      for (Offset e = a.row_offsets[i]; e < a.row_offsets[i + 1]; ++e) {
        sum += static_cast<long double>(a.values[e]) * x(a.column_indices[e], k);
      }
      y(i, k) = static_cast<double>(sum);
    }
  }
  return y;
}

/// ‖Y − Z‖ / ‖Z‖, absolute where Z is zero.
double relative_error(const HostMatrix& y, const HostMatrix& z) {
  const double norm = z.norm();
  return (y - z).norm() / (norm > 0.0 ? norm : 1.0);
}

/// Eigen's sparse matrix over the arrays of the host matrix.
class EigenProduct {
 public:
  explicit EigenProduct(const CsrMatrix& a)
      : offsets_(a.row_offsets.begin(), a.row_offsets.end()),
        matrix_(a.rows, a.columns, a.nonzeros(), offsets_.data(), a.column_indices.data(),
                a.values.data()) {}
  std::size_t bytes() const { return 12 * matrix_.nonZeros() + 4 * offsets_.size(); }
  void apply(const HostMatrix& x, HostMatrix& y) const {
    if (x.cols() == 1) {
      Eigen::Map<HostVector>(y.data(), y.rows()).noalias() =
          matrix_ * Eigen::Map<const HostVector>(x.data(), x.rows());
    } else {
      y.noalias() = matrix_ * x;
    }
  }

 private:
  std::vector<Index> offsets_;
  Eigen::Map<const Eigen::SparseMatrix<double, Eigen::RowMajor, Index>> matrix_;
};

}  // namespace

Bench::Bench(std::shared_ptr<const CsrMatrix> a, BenchPlan plan)
    : a_(std::move(a)), plan_(std::move(plan)) {
  require_full(*a_, "bench");
  if (plan_.formats.empty()) {
    for (const Format& format : formats()) plan_.formats.push_back(format.name);
    plan_.formats.push_back("eigen");
  }
  for (const std::string& name : plan_.formats) {
    if (name != "eigen") find_format(name);
  }
  for (const int k : plan_.blocks) {
    std::mt19937 engine(1);
    std::normal_distribution<double> normal;
    Block block;
    block.x = HostMatrix::NullaryExpr(a_->columns, k, [&] { return normal(engine); });
    block.product = extended_product(*a_, block.x);
    blocks_.push_back(std::move(block));
  }
}

void Bench::run(Backend& backend, const std::function<void(double)>& show_copy,
                const std::function<void(const BenchRow&)>& show) const {
  Measurement measure(backend, plan_.repeats);
  BenchRow row;
  row.backend = backend.kind();
  row.copy_bandwidth = measure.copy_bandwidth();
  show_copy(row.copy_bandwidth);

  const auto finish = [&](const Block& block, double seconds, const HostMatrix& y) {
    const auto k = static_cast<double>(block.x.cols());
    row.block = static_cast<int>(block.x.cols());
    row.seconds = seconds;
    row.gflops = 2e-9 * static_cast<double>(a_->nonzeros()) * k / seconds;
    row.bandwidth =
        (static_cast<double>(row.bytes) + 8.0 * k * (static_cast<double>(a_->rows) + a_->columns)) /
        seconds;
    row.relative_error = relative_error(y, block.product);
    show(row);
  };
  const auto measure_eigen = [&] {
    if (a_->nonzeros() > 0x7fffffff) throw std::runtime_error("32-bit indices: too many nonzeros");
    const Timer timer;
    const EigenProduct product(*a_);
    row.conversion_seconds = timer.seconds();
    row.bytes = product.bytes();
    row.layout = "on the arrays of csr";
    for (const Block& block : blocks_) {
      HostMatrix y(a_->rows, block.x.cols());
      const double seconds = measure([&] { product.apply(block.x, y); });
      finish(block, seconds, y);
    }
  };
  const auto measure_format = [&] {
    const auto a = make_operator(row.format, a_, backend, plan_.options);
    const OperatorInfo info = a->info();
    row.conversion_seconds = info.build_seconds;
    row.bytes = info.bytes;
    row.layout = info.layout;
    for (const Block& block : blocks_) {
      const int k = row.block = static_cast<int>(block.x.cols());
      MultiVector x(backend, a_->columns, k), y(backend, a_->rows, k);
      backend.upload(block.x, x.view());
      const double seconds = measure([&] { a->apply(1.0, x.view(), 0.0, y.view()); });
      finish(block, seconds, backend.download(y.view()));
    }
  };

  for (const std::string& name : plan_.formats) {
    if (name == "eigen" && backend.kind() != BackendKind::cpu) continue;
    row.format = name;
    row.block = 0;
    row.reason.clear();
    const auto give_up = [&](const std::string& reason) {
      row.reason = reason;
      for (const int k : plan_.blocks) {
        if (k < row.block) continue;
        BenchRow missing = row;
        missing.block = k;
        show(missing);
      }
    };
    try {
      name == "eigen" ? measure_eigen() : measure_format();
    } catch (const std::bad_alloc&) {
      give_up("out of host memory");
    } catch (const std::runtime_error& error) {
      give_up(error.what());
    }
  }
}

}  // namespace cisolve
