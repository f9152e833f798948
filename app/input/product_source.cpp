#include "app/input/product_source.hpp"

#include <cmath>
#include <utility>
#include <vector>

#include "app/input/product_probe.hpp"
#include "core/mixed.hpp"

namespace cisolve {
namespace {

/// Elements in a row of the matrix whose products take as long as the caller's are taken to.
constexpr Offset assumed_in_a_row = 100;

class ProductOperator final : public LinearOperator {
 public:
  ProductOperator(std::shared_ptr<const CallersProduct> product,
                  std::shared_ptr<const std::vector<double>> diagonal, Backend& backend)
      : product_(std::move(product)), diagonal_(std::move(diagonal)), backend_(backend) {}

  Index rows() const override { return product_->rows; }
  Index columns() const override { return rows(); }
  void apply(double alpha, ConstView x, double beta, View y) const override {
    const bool as_they_are = backend_.kind() == BackendKind::cpu && x.stride == x.columns &&
                             y.stride == y.columns && alpha == 1.0 && beta == 0.0;
    if (as_they_are) {
      product_->multiply(x.data, y.data, x.columns);
      return;
    }
    const HostMatrix in = backend_.download(x);
    HostMatrix out(y.rows, y.columns);
    product_->multiply(in.data(), out.data(), x.columns);
    if (alpha == 1.0 && beta == 0.0) {
      backend_.upload(out, y);
      return;
    }
    MultiVector image(backend_, y.rows, y.columns);
    backend_.upload(out, image.view());
    backend_.axpby(alpha, image.view(), beta, y);
  }
  void diagonal(View d) const override {
    const HostMatrix column = Eigen::Map<const HostMatrix>(diagonal_->data(), rows(), 1);
    backend_.upload(column, d);
  }
  OperatorInfo info() const override {
    OperatorInfo info;
    info.format = "product";
    info.stored = false;
    info.nonzeros = assumed_in_a_row * rows();
    return info;
  }

 private:
  std::shared_ptr<const CallersProduct> product_;
  std::shared_ptr<const std::vector<double>> diagonal_;
  Backend& backend_;
};

class ProductSource final : public MatrixSource {
 public:
  explicit ProductSource(std::shared_ptr<const CallersProduct> product)
      : product_(std::move(product)),
        diagonal_(std::make_shared<const std::vector<double>>(probed_diagonal(*product_))) {}

  Index rows() const override { return product_->rows; }
  std::optional<Offset> nonzeros() override { return std::nullopt; }
  std::string size_text() const override {
    return std::to_string(rows()) + " rows, products handed in";
  }
  /// What the caller's product takes is the caller's; a strided block is copied.
  MemoryNeed memory(const MemoryNeed& solver, const Format&, const Backend&, const FormatOptions&,
                    int columns) override {
    MemoryNeed need = solver;
    need.scratch = 2 * sizeof(double) * static_cast<std::size_t>(rows()) * columns;
    return need;
  }
  Array<double> diagonal() override { return array_of(*diagonal_); }
  /// No element beside the diagonal is known.
  HostMatrix principal_submatrix(const std::vector<Index>& rows) override {
    const auto n = static_cast<Eigen::Index>(rows.size());
    HostMatrix block = HostMatrix::Zero(n, n);
    for (Eigen::Index i = 0; i < n; ++i) block(i, i) = (*diagonal_)[rows[i]];
    return block;
  }
  Sectors sectors(const CsrMatrix*) override { return {}; }
  /// By one product; of no other kind of matrix.
  Fingerprint fingerprint() override {
    std::vector<double> w(rows()), image(rows());
    for (Index i = 0; i < rows(); ++i) w[i] = mixed_uniform(i);
    product_->multiply(w.data(), image.data(), 1);
    Fingerprint made{rows(), 0, 0, 0.0, 0.0};
    for (Index i = 0; i < rows(); ++i) {
      made.elements += w[i] * image[i];
      made.magnitude += std::abs(w[i] * image[i]);
    }
    return made;
  }
  std::unique_ptr<LinearOperator> make(const Format&, Backend& backend,
                                       const FormatOptions&) override {
    return std::make_unique<ProductOperator>(product_, diagonal_, backend);
  }

 private:
  std::shared_ptr<const CallersProduct> product_;
  std::shared_ptr<const std::vector<double>> diagonal_;
};

}  // namespace

std::unique_ptr<MatrixSource> product_source(std::shared_ptr<const CallersProduct> product) {
  return std::make_unique<ProductSource>(std::move(product));
}

}  // namespace cisolve
