#include "field_cusparse.hpp"

#include "formats/shared/cusparse_operator.hpp"

namespace cisolve::bench {
namespace {

/// Places of a block of k vectors over elements of d numbers in the library's layout: element i's
/// number c of vector j.
struct Places {
  Eigen::Index n;
  int d, k;
  bool by_row;

  std::size_t operator()(Eigen::Index i, int c, int j) const {
    return ((by_row ? i * k + j : j * n + i) * d) + c;
  }
};

std::vector<double> to_library(const HostMatrix& x, const Places& places) {
  std::vector<double> numbers(x.size());
  for (Eigen::Index row = 0; row < x.rows(); ++row) {
    for (int j = 0; j < places.k; ++j) {
      numbers[places(row / places.d, static_cast<int>(row % places.d), j)] = x(row, j);
    }
  }
  return numbers;
}

HostMatrix from_library(const std::vector<double>& numbers, const Places& places) {
  HostMatrix y(places.n * places.d, places.k);
  for (Eigen::Index row = 0; row < y.rows(); ++row) {
    for (int j = 0; j < places.k; ++j) {
      y(row, j) = numbers[places(row / places.d, static_cast<int>(row % places.d), j)];
    }
  }
  return y;
}

/// 1 and 0 as the library reads them, real or complex.
alignas(16) constexpr double one[] = {1.0, 0.0}, zero[] = {0.0, 0.0};

using Vector = CusparseOwner<cusparseDnVecDescr_t>;
using Block = CusparseOwner<cusparseDnMatDescr_t>;

}  // namespace

class CusparseField::Library {
 public:
  Library(const CsrMatrix& a, Backend& backend)
      : backend_(backend),
        handle_(make_cusparse_handle()),
        rows_(a.rows),
        columns_(a.columns),
        nonzeros_(a.nonzeros()),
        d_(a.components),
        wide_(cusparse_needs_64_bits(a.nonzeros())),
        offsets_(backend, a.row_offsets, wide_),
        column_indices_(backend, a.column_indices, wide_),
        values_(Buffer<double>::from_host(backend, a.values)) {}

  std::vector<FieldMeasurement> spmv(const HostMatrix& x, int runs) {
    std::vector<FieldMeasurement> all;
    const Places x_places{columns_, d_, 1, true}, y_places{rows_, d_, 1, true};
    auto from = Buffer<double>::from_host(backend_, to_library(x, x_places));
    Buffer<double> to(backend_, static_cast<std::size_t>(rows_) * d_);
    const Vector x_vector = describe_vector(columns_, from), y_vector = describe_vector(rows_, to);
    for (const auto& [name, algorithm] :
         {std::pair("SpMV 1", CUSPARSE_SPMV_CSR_ALG1), {"SpMV 2", CUSPARSE_SPMV_CSR_ALG2}}) {
      const SparseDescriptor matrix = describe();
      std::size_t size = 0;
      check_cusparse(
          cusparseSpMV_bufferSize(handle_.get(), as_stored, one, matrix.get(), x_vector.get(), zero,
                                  y_vector.get(), type(), algorithm, &size),
          "sizing the workspace");
      Buffer<char> workspace(backend_, size);
#if CUSPARSE_VERSION >= 12400
      check_cusparse(
          cusparseSpMV_preprocess(handle_.get(), as_stored, one, matrix.get(), x_vector.get(), zero,
                                  y_vector.get(), type(), algorithm, workspace.data()),
          "preprocessing");
#endif
      const double milliseconds = median_milliseconds(backend_, runs, [&] {
        check_cusparse(cusparseSpMV(handle_.get(), as_stored, one, matrix.get(), x_vector.get(),
                                    zero, y_vector.get(), type(), algorithm, workspace.data()),
                       "SpMV");
      });
      all.push_back({std::string("cuSPARSE ") + name, bytes(), milliseconds,
                     from_library(downloaded(to), y_places)});
    }
    return all;
  }

  std::vector<FieldMeasurement> spmm(const HostMatrix& x, int runs) {
    std::vector<FieldMeasurement> all;
    const int k = static_cast<int>(x.cols());
    for (const bool by_row : {true, false}) {
      const Places x_places{columns_, d_, k, by_row}, y_places{rows_, d_, k, by_row};
      auto from = Buffer<double>::from_host(backend_, to_library(x, x_places));
      Buffer<double> to(backend_, static_cast<std::size_t>(rows_) * d_ * k);
      const Block x_block = describe_block(x_places, from), y_block = describe_block(y_places, to);
      for (const auto& [name, algorithm] : {std::pair("SpMM 1", CUSPARSE_SPMM_CSR_ALG1),
                                            {"SpMM 2", CUSPARSE_SPMM_CSR_ALG2},
                                            {"SpMM 3", CUSPARSE_SPMM_CSR_ALG3}}) {
        const SparseDescriptor matrix = describe();
        std::size_t size = 0;
        const auto sized =
            cusparseSpMM_bufferSize(handle_.get(), as_stored, as_stored, one, matrix.get(),
                                    x_block.get(), zero, y_block.get(), type(), algorithm, &size);
        if (sized != CUSPARSE_STATUS_SUCCESS) continue;  // not for this type or order
        Buffer<char> workspace(backend_, size);
        const auto prepared = cusparseSpMM_preprocess(
            handle_.get(), as_stored, as_stored, one, matrix.get(), x_block.get(), zero,
            y_block.get(), type(), algorithm, workspace.data());
        if (prepared != CUSPARSE_STATUS_SUCCESS) continue;
        const auto multiply = [&] {
          return cusparseSpMM(handle_.get(), as_stored, as_stored, one, matrix.get(), x_block.get(),
                              zero, y_block.get(), type(), algorithm, workspace.data());
        };
        if (multiply() != CUSPARSE_STATUS_SUCCESS) continue;
        const double milliseconds =
            median_milliseconds(backend_, runs, [&] { check_cusparse(multiply(), "SpMM"); });
        all.push_back({std::string("cuSPARSE ") + name + (by_row ? " by row" : " by column"),
                       bytes(), milliseconds, from_library(downloaded(to), y_places)});
      }
    }
    return all;
  }

 private:
  cudaDataType type() const {
    return d_ == 2 ? CUDA_C_64F : CUDA_R_64F;
  }
  std::size_t bytes() const {
    const auto entries = static_cast<std::size_t>(nonzeros_);
    return (entries + rows_ + 1) * (wide_ ? 8 : 4) + entries * d_ * sizeof(double);
  }
  std::vector<double> downloaded(const Buffer<double>& device) const {
    std::vector<double> numbers(device.size());
    backend_.download_bytes(device.data(), numbers.data(), numbers.size() * sizeof(double));
    return numbers;
  }
  SparseDescriptor describe() {
    const auto index = wide_ ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I;
    cusparseSpMatDescr_t made = nullptr;
    check_cusparse(cusparseCreateCsr(&made, rows_, columns_, nonzeros_, offsets_.data(),
                                     column_indices_.data(), values_.data(), index, index,
                                     CUSPARSE_INDEX_BASE_ZERO, type()),
                   "describing the matrix");
    return SparseDescriptor(made);
  }
  Vector describe_vector(Index count, Buffer<double>& numbers) const {
    cusparseDnVecDescr_t made = nullptr;
    check_cusparse(cusparseCreateDnVec(&made, count, numbers.data(), type()),
                   "describing a vector");
    return Vector(made);
  }
  Block describe_block(const Places& places, Buffer<double>& numbers) const {
    const std::int64_t leading = places.by_row ? places.k : places.n;
    cusparseDnMatDescr_t made = nullptr;
    check_cusparse(cusparseCreateDnMat(&made, places.n, places.k, leading, numbers.data(), type(),
                                       places.by_row ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL),
                   "describing a block");
    return Block(made);
  }

  Backend& backend_;
  CusparseHandle handle_;
  Index rows_, columns_;
  Offset nonzeros_;
  int d_;
  bool wide_;
  CusparseIndices offsets_, column_indices_;
  Buffer<double> values_;
};

CusparseField::CusparseField(const CsrMatrix& a, Backend& backend)
    : library_(std::make_unique<Library>(a, backend)) {}
CusparseField::~CusparseField() = default;

std::vector<FieldMeasurement> CusparseField::measure(const HostMatrix& x, int runs) const {
  return x.cols() == 1 ? library_->spmv(x, runs) : library_->spmm(x, runs);
}

}  // namespace cisolve::bench
