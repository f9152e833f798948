#include "cisolve/product.hpp"

#include <cstdint>
#include <functional>

#include "app/library/session.hpp"
#include "app/prepare/preparation.hpp"
#include "core/dense/host_matrix.hpp"
#include "core/error.hpp"
#include "io/matrix_file.hpp"

namespace cisolve {
namespace {

/// Matrices need not be symmetric, and then count as those of linear systems.
Task task_of(const Hamiltonian& hamiltonian) {
  const Hamiltonian::Data& data = hamiltonian.data();
  if (data.integrals || data.spinors || data.product) return Task::eigen;
  if (data.matrix || is_matrix_file(data.input.file)) return Task::linear;
  return data.open(Storage::full, {})->occupations() != nullptr ? Task::eigen : Task::linear;
}

/// A caller's blocks of vectors as what products are wanted for; nothing else is beside them.
class CallersVectors final : public Purpose {
 public:
  CallersVectors(Model& model, int columns) : model_(model), columns_(columns) {}

  int columns(bool) const override { return columns_; }
  MemoryNeed memory(bool) const override {
    Elements* const elements = model_.elements();
    const Index rows = model_.rows(), columns = elements != nullptr ? elements->columns() : rows;
    MemoryNeed need;
    need.vectors.others = (static_cast<std::size_t>(rows) + columns) *
                          static_cast<std::size_t>(model_.components() * columns_) * sizeof(double);
    return need;
  }
  bool requires_symmetric() const override { return false; }
  /// A matrix without elements at hand is symmetric by its nature.
  void ask(HeldMatrix& matrix) override {
    const auto csr = matrix.own_csr();
    symmetric_ = csr == nullptr || (csr->rows == csr->columns && cisolve::is_symmetric(*csr, 0.0));
  }
  bool is_symmetric() const override { return symmetric_; }

 private:
  Model& model_;
  int columns_;
  bool symmetric_ = false;
};

}  // namespace

class Product::Data {
 public:
  Data(const Hamiltonian& hamiltonian, const Machine& machine, int columns,
       const Listener& listener)
      : session_((require_one_process(machine, "products by themselves are"), hamiltonian),
                 library_config(task_of(hamiltonian)), machine, listener, true),
        preparation_(session_.context(), facts_) {
    if (columns < 1) {
      throw InputError("columns: found " + std::to_string(columns) + ", expected at least 1");
    }
    if (session_.config().spmv.off_diagonal != Precision::float64) {
      throw InputError("spmv.off_diagonal: a product by itself never changes over to double");
    }
    if (session_.config().solver.chooses_multiplicity()) {
      throw InputError("solver.multiplicity: a product by itself is with vectors of any spin");
    }
    const Entry entry(session_);
    model_ = preparation_.open(session_.open());
    CallersVectors purpose(*model_, columns);
    prepared_ = preparation_.prepare(*model_, purpose);
    order_ = prepared_.basis->callers();
  }
  Data(const Data&) = delete;
  Data& operator=(const Data&) = delete;
  ~Data() {
    try {
      const Entry entry(session_);
      prepared_.a.reset();
      prepared_.held.reset();
    } catch (...) {  // the device is lost, and with it what was on it
    }
  }

  void apply(std::span<const double> x, std::span<double> y, int k) const {
    require_block("x", x.size(), columns(), k);
    require_block("y", y.size(), rows(), k);
    const Entry entry(session_);
    Backend& backend = session_.backend();
    if (order_ != nullptr) return apply_in_order(x, y, k);
    if (backend.in_host_memory() && !overlap(x, y)) {
      prepared_.a->apply(1.0, {x.data(), columns(), k, k}, 0.0, {y.data(), rows(), k, k});
      return;
    }
    MultiVector in(backend, prepared_.a->columns(), k), out(backend, prepared_.a->rows(), k);
    backend.upload(Eigen::Map<const HostMatrix>(x.data(), prepared_.a->columns(), k), in.view());
    prepared_.a->apply(1.0, in.view(), 0.0, out.view());
    Eigen::Map<HostMatrix>(y.data(), prepared_.a->rows(), k) = backend.download(out.view());
  }

  void apply_on_device(const double* x, double* y, int k) const {
    if (device() < 0) {
      throw InputError("the matrix is on the CPU, and vectors on a GPU cannot be multiplied by it");
    }
    if (order_ != nullptr) {
      throw InputError("products made of integrals take vectors in host memory");
    }
    if (x == nullptr || y == nullptr || k < 1) {
      throw InputError("x, y: found no vectors, expected at least one");
    }
    const Entry entry(session_);
    Backend& backend = session_.backend();
    backend.synchronize();
    MultiVector in, out;
    ConstView from{x, prepared_.a->columns(), k, k};
    View to{y, prepared_.a->rows(), k, k};
    if (!is_aligned(x)) {
      in = MultiVector(backend, from.rows, k);
      backend.upload_bytes(x, in.view().data, bytes_of(from));
      from = in.view();
    }
    if (!is_aligned(y)) {
      out = MultiVector(backend, to.rows, k);
      to = out.view();
    }
    prepared_.a->apply(1.0, from, 0.0, to);
    if (to.data != y) backend.download_bytes(to.data, y, bytes_of(to));
    backend.synchronize();
  }

  int device() const {
    const bool cuda = session_.backend().kind() == BackendKind::cuda;
    return cuda ? session_.config().backend.device : -1;
  }
  Index rows() const { return order_ != nullptr ? callers_rows() : prepared_.a->rows(); }
  OperatorInfo info() const { return prepared_.a->info(); }
  const std::vector<std::string>& notes() const { return facts_.notes; }

 private:
  static bool overlap(std::span<const double> x, std::span<const double> y) {
    const std::less<const double*> before;
    return before(x.data(), y.data() + y.size()) && before(y.data(), x.data() + x.size());
  }
  Index columns() const { return order_ != nullptr ? callers_rows() : prepared_.a->columns(); }
  Index callers_rows() const { return static_cast<Index>(order_->size()); }
  /// Vectors are in the caller's order, whatever the operator's rows are. On the host a vector is
  /// moved as few times as can be, which on a GPU takes longer than its product.
  void apply_in_order(std::span<const double> x, std::span<double> y, int k) const {
    Backend& backend = session_.backend();
    const bool here = backend.in_host_memory();
    MultiVector in(backend, prepared_.a->columns(), 1), out(backend, prepared_.a->rows(), 1);
    HostVector rows(here ? 0 : prepared_.a->rows());
    double* const from = here ? in.view().data : rows.data();
    double* const to = here ? out.view().data : rows.data();
    for (int j = 0; j < k; ++j) {
      order_->to_rows(x.data() + j, k, from, 1);
      if (!here) backend.upload_bytes(from, in.view().data, bytes_of(in.view()));
      prepared_.a->apply(1.0, in.view(), 0.0, out.view());
      if (!here) backend.download_bytes(out.view().data, to, bytes_of(out.view()));
      order_->from_rows(to, 1, y.data() + j, k);
    }
  }
  /// Alignment that kernels expect of vectors (Backend::allocate).
  static bool is_aligned(const double* p) { return reinterpret_cast<std::uintptr_t>(p) % 64 == 0; }
  static std::size_t bytes_of(ConstView x) {
    return static_cast<std::size_t>(x.rows) * static_cast<std::size_t>(x.columns) * sizeof(double);
  }
  static void require_block(const char* name, std::size_t found, Index rows, int k) {
    const auto expected = static_cast<std::size_t>(rows) * static_cast<std::size_t>(k);
    if (k > 0 && found == expected) return;
    throw InputError(std::string(name) + ": found " + std::to_string(found) +
                     " numbers, expected " + std::to_string(rows) + " rows x " + std::to_string(k) +
                     " columns");
  }

  Session session_;
  RunFacts facts_;
  Preparation preparation_;
  std::unique_ptr<Model> model_;  ///< which the operator may not outlive
  Prepared prepared_;
  const RowOrder* order_ = nullptr;  ///< the caller's; null: that of the operator's rows
};

Product::Product(const Hamiltonian& hamiltonian, const Machine& machine, int columns,
                 const Listener& listener)
    : data_(std::make_unique<Data>(hamiltonian, machine, columns, listener)) {}
Product::Product(Product&&) noexcept = default;
Product& Product::operator=(Product&&) noexcept = default;
Product::~Product() = default;

std::int64_t Product::rows() const {
  return data_->rows();
}

std::int64_t Product::nonzeros() const {
  const OperatorInfo info = data_->info();
  return info.stored ? info.nonzeros : 0;
}

std::string Product::format() const {
  return data_->info().format;
}

std::int64_t Product::bytes() const {
  return static_cast<std::int64_t>(data_->info().bytes);
}

const std::vector<std::string>& Product::notes() const {
  return data_->notes();
}

int Product::device() const {
  return data_->device();
}

void Product::apply_on_device(const double* x, double* y, int k) const {
  data_->apply_on_device(x, y, k);
}

void Product::apply(std::span<const double> x, std::span<double> y, int k) const {
  data_->apply(x, y, k);
}

}  // namespace cisolve
