#include "app/bench/vendor_columns.hpp"
#include "core/dense/host_matrix.hpp"
#include "core/timer.hpp"
#include "formats/shared/cusparse_csr.hpp"

namespace cisolve {
namespace {

class VendorColumns final : public Contender {
 public:
  VendorColumns(const CsrMatrix& a, Backend& backend)
      : backend_(backend),
        rows_(a.rows),
        bytes_(cusparse_csr_bytes(a, {})),
        matrix_(a, backend, handle_.get(), CUSPARSE_ORDER_COL),
        conversion_seconds_(timer_.seconds()) {}

  void load(const HostMatrix& x) override {
    k_ = static_cast<int>(x.cols());
    x_ = {};  // released before others are taken
    y_ = {};
    x_ = Buffer<double>::from_host(backend_, Eigen::MatrixXd(x));
    y_ = Buffer<double>(backend_, static_cast<std::size_t>(rows_) * k_);
  }
  void multiply() override { matrix_.multiply(1.0, x_.data(), 0.0, y_.data(), k_); }
  HostMatrix result() override {
    Eigen::MatrixXd y(rows_, k_);
    backend_.download_bytes(y_.data(), y.data(), y_.size() * sizeof(double));
    return y;
  }

  std::size_t bytes() const override { return bytes_; }
  double conversion_seconds() const override { return conversion_seconds_; }
  std::string layout() const override {
    return "column-major X and Y, " + matrix_.algorithm(k_) + ", " + matrix_.layout();
  }

 private:
  Timer timer_;
  Backend& backend_;
  CusparseHandle handle_ = make_cusparse_handle();
  Index rows_;
  std::size_t bytes_;
  CusparseCsr matrix_;
  double conversion_seconds_;
  Buffer<double> x_, y_;  ///< column-major
  int k_ = 0;
};

}  // namespace

std::unique_ptr<Contender> CISOLVE_IN_MODULE(make_vendor_columns)(const CsrMatrix& a,
                                                                  Backend& backend) {
  return std::make_unique<VendorColumns>(a, backend);
}

}  // namespace cisolve
