#include "app/ways/product_way.hpp"

#include <cmath>
#include <utility>
#include <vector>

#include "app/ways/product_probe.hpp"
#include "core/error.hpp"
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

  Index rows() const override { return product_->numbers(); }
  Index columns() const override { return rows(); }
  int components() const override { return product_->components; }
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
    HostMatrix column(rows(), 1);
    for (Index i = 0; i < rows(); ++i) column(i, 0) = (*diagonal_)[i / components()];
    backend_.upload(column, d);
  }
  OperatorInfo info() const override {
    OperatorInfo info;
    info.format = "product";
    info.stored = false;
    info.nonzeros = assumed_in_a_row * product_->rows;
    return info;
  }

 private:
  std::shared_ptr<const CallersProduct> product_;
  std::shared_ptr<const std::vector<double>> diagonal_;
  Backend& backend_;
};

class ProductHeld final : public HeldMatrix {
 public:
  ProductHeld(const WayRequest& request, std::shared_ptr<const CallersProduct> product)
      : backend_(request.backend),
        product_(std::move(product)),
        diagonal_(std::make_shared<const std::vector<double>>(probed_diagonal(*product_))),
        basis_(std::make_shared<const Basis>(RowPartition{{0, product_->rows}})) {
    plan = request.plan_of(*this);
    settled = settled_on("product", "the matrix is a product that was handed in",
                         request.config.spmv.expected_products);
  }

  std::shared_ptr<const Basis> basis() override { return basis_; }
  std::optional<Offset> nonzeros() override { return std::nullopt; }
  int components() override { return product_->components; }
  std::string size_text() override {
    return std::to_string(product_->rows) + " rows, products handed in";
  }
  /// Memory of the caller's product is the caller's; a strided block is copied.
  MemoryNeed memory(const MemoryNeed& solver, int columns) override {
    MemoryNeed need = solver;
    need.scratch = 2 * sizeof(double) * static_cast<std::size_t>(product_->numbers()) * columns;
    return need;
  }
  Array<double> diagonal() override { return array_of(*diagonal_); }
  /// No element beside the diagonal is known.
  HostMatrix principal_submatrix(const std::vector<Index>& rows) override {
    const auto n = static_cast<Eigen::Index>(components() * rows.size());
    HostMatrix block = HostMatrix::Zero(n, n);
    for (Eigen::Index i = 0; i < n; ++i) block(i, i) = (*diagonal_)[rows[i / components()]];
    return block;
  }
  Sectors sectors(const CsrMatrix*) override { return {}; }
  /// Fingerprint from one product; no other kind of matrix has it.
  Fingerprint fingerprint() override {
    const Index n = product_->numbers();
    std::vector<double> w(n), image(n);
    for (Index i = 0; i < n; ++i) w[i] = mixed_uniform(i);
    product_->multiply(w.data(), image.data(), 1);
    Fingerprint made{n, 0, 0, 0.0, 0.0, components()};
    for (Index i = 0; i < n; ++i) {
      made.elements += w[i] * image[i];
      made.magnitude += std::abs(w[i] * image[i]);
    }
    return made;
  }
  MadeOperator make(int, bool) override {
    auto a = std::make_shared<ProductOperator>(product_, diagonal_, backend_);
    return {a, a.get()};
  }
  std::unique_ptr<StateReader> reader() override {
    if (components() > 1) return make_field_reader(backend_, components());
    return make_row_reader(nullptr, backend_);
  }

 private:
  Backend& backend_;
  std::shared_ptr<const CallersProduct> product_;
  std::shared_ptr<const std::vector<double>> diagonal_;
  std::shared_ptr<const Basis> basis_;
};

std::unique_ptr<HeldMatrix> take_product(const std::shared_ptr<const CallersProduct>& product,
                                         WayRequest& request) {
  if (!request.ranks().alone()) {
    throw InputError("a product that is handed in: not over several ranks");
  }
  if (!request.automatic()) {
    throw InputError("spmv.format: found " + request.format.name +
                     ", expected auto: a product that is handed in has no format");
  }
  const SpmvConfig& spmv = request.config.spmv;
  if (spmv.tune || spmv.deterministic || request.in_single()) {
    throw InputError(
        "spmv.tune, spmv.deterministic and spmv.off_diagonal are of stored matrices, and this one "
        "is a product that is handed in");
  }
  if (request.config.task == Task::linear) {
    throw InputError(
        "linear systems need the matrix in CSR, and it is a product that is handed in");
  }
  auto held = std::make_unique<ProductHeld>(request, product);
  if (product->diagonal.empty()) {
    request.notes.push_back(
        "the diagonal of the matrix was not given and is an estimate by ten products; given, it "
        "saves these and some iterations");
  }
  return held;
}

}  // namespace

Way product_way(std::shared_ptr<const CallersProduct> product) {
  return {true, [product = std::move(product)](WayRequest& request) {
            return take_product(product, request);
          }};
}

}  // namespace cisolve
