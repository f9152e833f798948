#include "cisolve/product.hpp"

#include <utility>

#include "app/library/session.hpp"
#include "app/solve/operator_stage.hpp"
#include "core/error.hpp"
#include "core/host_matrix.hpp"

namespace cisolve {
namespace {

/// Matrices need not be symmetric, and then count as those of linear systems.
RunConfig config_of(const Hamiltonian& hamiltonian) {
  const Hamiltonian::Data& data = hamiltonian.data();
  const auto source = data.open(Storage::full, {});
  return library_config(source->of_determinants() || source->product() ? Task::eigen
                                                                       : Task::linear);
}

MemoryNeed vectors(Index rows, int columns) {
  MemoryNeed need;
  need.other_vectors =
      2 * sizeof(double) * static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
  return need;
}

}  // namespace

class Product::Data {
 public:
  Data(const Hamiltonian& hamiltonian, const Machine& machine, int columns)
      : session_(hamiltonian, config_of(hamiltonian), machine, {}), stage_(session_.context()) {
    const Entry entry(session_);
    source_ = session_.open()(stage_.storage());
    stage_.check_rows(source_->rows());
    const MemoryNeed need = vectors(source_->rows(), columns);
    HeldMatrix held = stage_.hold(*source_, need, columns);
    const bool symmetric = is_symmetric(*held.source);
    made_ = stage_.make(std::move(held), *source_, need, columns, symmetric);
  }

  void apply(std::span<const double> x, std::span<double> y, int k) const {
    require_block("x", x.size(), made_.a->columns(), k);
    require_block("y", y.size(), made_.a->rows(), k);
    const Entry entry(session_);
    Backend& backend = session_.backend();
    MultiVector in(backend, made_.a->columns(), k), out(backend, made_.a->rows(), k);
    backend.upload(Eigen::Map<const HostMatrix>(x.data(), made_.a->columns(), k), in.view());
    made_.a->apply(1.0, in.view(), 0.0, out.view());
    Eigen::Map<HostMatrix>(y.data(), made_.a->rows(), k) = backend.download(out.view());
  }

  Index rows() const { return made_.a->rows(); }
  OperatorInfo info() const { return made_.a->info(); }

 private:
  /// Exactly; what has no elements at hand is symmetric by its nature.
  static bool is_symmetric(MatrixSource& source) {
    const auto csr = source.csr();
    return csr == nullptr || (csr->rows == csr->columns && cisolve::is_symmetric(*csr, 0.0));
  }
  static void require_block(const char* name, std::size_t found, Index rows, int k) {
    const auto expected = static_cast<std::size_t>(rows) * static_cast<std::size_t>(k);
    if (k > 0 && found == expected) return;
    throw InputError(std::string(name) + ": found " + std::to_string(found) +
                     " numbers, expected " + std::to_string(rows) + " rows x " + std::to_string(k) +
                     " columns");
  }

  Session session_;
  OperatorStage stage_;
  std::unique_ptr<HamiltonianSource> source_;
  MadeOperator made_;
};

Product::Product(const Hamiltonian& hamiltonian, const Machine& machine, int columns)
    : data_(std::make_unique<Data>(hamiltonian, machine, columns)) {}
Product::Product(Product&&) noexcept = default;
Product& Product::operator=(Product&&) noexcept = default;
Product::~Product() = default;

std::int64_t Product::rows() const {
  return data_->rows();
}

std::int64_t Product::nonzeros() const {
  return data_->info().nonzeros;
}

std::string Product::format() const {
  return data_->info().format;
}

std::int64_t Product::bytes() const {
  return static_cast<std::int64_t>(data_->info().bytes);
}

void Product::apply(std::span<const double> x, std::span<double> y, int k) const {
  data_->apply(x, y, k);
}

}  // namespace cisolve
