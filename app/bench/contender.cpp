#include "app/bench/contender.hpp"

#include <Eigen/SparseCore>
#include <utility>

#include "app/bench/vendor_columns.hpp"
#include "app/ways/direct/listed_held.hpp"
#include "app/ways/direct/why_not_direct.hpp"
#include "core/error.hpp"
#include "core/timer.hpp"
#include "formats/reference.hpp"
#include "hamiltonian/basis/function_basis.hpp"
#include "hamiltonian/direct/direct_product.hpp"
#include "hamiltonian/listed/listed_product.hpp"
#include "spmv/tune.hpp"

namespace cisolve {
namespace {

/// A storage format's operator.
class FormatContender final : public Contender {
 public:
  FormatContender(const std::string& format, std::shared_ptr<const CsrMatrix> a, Backend& backend,
                  const FormatOptions& options)
      : backend_(backend),
        options_(options),
        operator_(make_operator(format, std::move(a), backend, options)) {}

  void load(const HostMatrix& x) override {
    x_ = {};  // released before others are taken
    y_ = {};
    x_ = MultiVector(backend_, operator_->columns(), static_cast<int>(x.cols()));
    y_ = MultiVector(backend_, operator_->rows(), static_cast<int>(x.cols()));
    backend_.upload(x, x_.view());
    if (!options_.tune) return;
    const Tuning tuned = tune(*operator_, backend_, x_.columns(), options_.kernel);
    if (tuned.tried > 0) tuned_ = describe(tuned.effective, backend_.kind());
  }
  void multiply() override { operator_->apply(1.0, x_.view(), 0.0, y_.view()); }
  HostMatrix result() override { return backend_.download(y_.view()); }

  /// Sixteen roundings to single precision if elements are stored in it.
  double tolerance() const override {
    return operator_->rounding_error() > 0.0 ? 0x1p-20 : Contender::tolerance();
  }
  std::size_t bytes() const override { return operator_->info().bytes; }
  double conversion_seconds() const override { return operator_->info().build_seconds; }
  std::string layout() const override {
    const std::string layout = operator_->info().layout;
    return layout + (layout.empty() || tuned_.empty() ? "" : ", ") + tuned_;
  }

 private:
  Backend& backend_;
  FormatOptions options_;
  std::unique_ptr<LinearOperator> operator_;
  std::string tuned_;  ///< the kernel in use, if it was tuned
  MultiVector x_, y_;
};

/// Common base of contenders that multiply the host matrix with blocks on the host.
class HostContender : public Contender {
 public:
  explicit HostContender(std::shared_ptr<const CsrMatrix> a) : a_(std::move(a)) {}
  void load(const HostMatrix& x) override {
    x_ = x;
    y_.resize(a_->rows, x.cols());
  }
  HostMatrix result() override { return y_; }
  std::size_t bytes() const override { return CsrMatrix::bytes(a_->rows, a_->nonzeros()); }
  double conversion_seconds() const override { return 0.0; }

 protected:
  std::shared_ptr<const CsrMatrix> a_;
  HostMatrix x_, y_;
};

/// The reference product.
class SerialContender final : public HostContender {
 public:
  using HostContender::HostContender;
  void multiply() override { reference_product(*a_, x_, y_); }
};

/// Eigen's sparse matrix over the arrays of the host matrix, except its own 32-bit offsets.
class EigenContender final : public HostContender {
 public:
  explicit EigenContender(std::shared_ptr<const CsrMatrix> a)
      : HostContender(std::move(a)),
        offsets_(narrow_offsets(*a_)),
        matrix_(a_->rows, a_->columns, a_->nonzeros(), offsets_.data(), a_->column_indices.data(),
                a_->values.data()),
        conversion_seconds_(timer_.seconds()) {}

  void multiply() override {
    if (x_.cols() == 1) {
      Eigen::Map<HostVector>(y_.data(), y_.rows()).noalias() =
          matrix_ * Eigen::Map<const HostVector>(x_.data(), x_.rows());
    } else {
      y_.noalias() = matrix_ * x_;
    }
  }
  std::size_t bytes() const override { return 12 * matrix_.nonZeros() + 4 * offsets_.size(); }
  double conversion_seconds() const override { return conversion_seconds_; }
  std::string layout() const override { return "on the arrays of csr"; }

 private:
  static std::vector<Index> narrow_offsets(const CsrMatrix& a) {
    if (a.nonzeros() > 0x7fffffff) {
      throw ResourceError("eigen: found " + std::to_string(a.nonzeros()) +
                          " nonzeros, expected at most 2147483647: its indices have 32 bits");
    }
    return {a.row_offsets.begin(), a.row_offsets.end()};
  }

  Timer timer_;
  std::vector<Index> offsets_;
  Eigen::Map<const Eigen::SparseMatrix<double, Eigen::RowMajor, Index>> matrix_;
  double conversion_seconds_;
};

/// A direct product; blocks are loaded and read over determinants.
class DirectContender final : public Contender {
 public:
  /// `basis`: the operator's rows. `since`: when its construction began.
  DirectContender(std::shared_ptr<const Basis> basis, std::unique_ptr<LinearOperator> a,
                  Backend& backend, const Timer& since)
      : backend_(backend),
        basis_(std::move(basis)),
        operator_(std::move(a)),
        conversion_seconds_(since.seconds()) {}

  void load(const HostMatrix& x) override {
    const HostMatrix rows = to_rows(basis_->callers(), basis_->rows(), x);
    x_ = MultiVector(backend_, operator_->columns(), static_cast<int>(x.cols()));
    y_ = MultiVector(backend_, operator_->rows(), static_cast<int>(x.cols()));
    backend_.upload(rows, x_.view());
  }
  void multiply() override { operator_->apply(1.0, x_.view(), 0.0, y_.view()); }
  HostMatrix result() override {
    return from_rows(basis_->callers(), backend_.download(y_.view()));
  }
  std::size_t bytes() const override { return operator_->info().bytes; }
  double conversion_seconds() const override { return conversion_seconds_; }
  std::string layout() const override { return "nothing stored, from integrals"; }

 private:
  Backend& backend_;
  std::shared_ptr<const Basis> basis_;
  std::unique_ptr<LinearOperator> operator_;
  double conversion_seconds_;
  MultiVector x_, y_;
};

std::unique_ptr<Contender> make_direct_contender(const Determinants* determinants,
                                                 Backend& backend) {
  const std::string reason = determinants == nullptr
                                 ? "there are no real integrals"
                                 : direct_unavailable_reason(*determinants, backend.kind());
  if (!reason.empty()) throw InputError(reason);
  const Timer since;
  const Integrals& integrals = determinants->active_integrals();
  if (are_listed_pairs(*determinants)) {
    const auto tables = std::make_shared<const ListedTables>(integrals, *determinants->ranges());
    return std::make_unique<DirectContender>(listed_basis(*determinants),
                                             make_listed(tables, backend), backend, since);
  }
  const auto tables = std::make_shared<const DirectTables>(integrals, *determinants->ranges());
  return std::make_unique<DirectContender>(
      std::make_shared<const FunctionBasis>(tables, FunctionBasis::Kept::determinants),
      make_direct(tables, backend), backend, since);
}

/// Maker of a contender; null if the contender does not run on that backend.
std::function<std::unique_ptr<Contender>(Backend&)> maker(const std::string& name,
                                                          BackendKind backend,
                                                          std::shared_ptr<const CsrMatrix> a,
                                                          const FormatOptions& options,
                                                          const Determinants* determinants) {
  const bool on_cpu = backend == BackendKind::cpu;
  if (name == direct_name) {
    return [determinants](Backend& device) { return make_direct_contender(determinants, device); };
  }
  // No format says of these that their elements are real.
  const auto of_real = [a](auto make) -> std::function<std::unique_ptr<Contender>(Backend&)> {
    return [a, make](Backend& device) {
      require_real(*a, "the matrix");
      return make(device);
    };
  };
  if (name == serial_name) {
    if (!on_cpu) return nullptr;
    return of_real([a](Backend&) { return std::make_unique<SerialContender>(a); });
  }
  if (name == eigen_name) {
    if (!on_cpu) return nullptr;
    return of_real([a](Backend&) { return std::make_unique<EigenContender>(a); });
  }
  if (name == vendor_columns_name) {
    if (on_cpu) return nullptr;
    return of_real([a](Backend& device) { return make_vendor_columns(*a, device); });
  }
  find_format(name);
  return
      [=](Backend& device) { return std::make_unique<FormatContender>(name, a, device, options); };
}

}  // namespace

std::vector<std::string> contender_names() {
  std::vector<std::string> names;
  for (const Format& format : formats()) names.push_back(format.name);
  names.insert(names.end(), {serial_name, eigen_name, vendor_columns_name});
  return names;
}

std::vector<Candidate> candidates(const std::vector<std::string>& names, BackendKind backend,
                                  std::shared_ptr<const CsrMatrix> a, const FormatOptions& options,
                                  const Determinants* determinants) {
  std::vector<Candidate> list;
  for (const std::string& name : names) {
    if (auto make = maker(name, backend, a, options, determinants))
      list.push_back({name, std::move(make)});
  }
  return list;
}

}  // namespace cisolve
