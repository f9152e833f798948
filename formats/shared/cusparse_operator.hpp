#pragma once

#include <cusparse.h>

#include <memory>
#include <string>
#include <type_traits>

#include "core/error.hpp"
#include "formats/shared/cusparse.hpp"
#include "formats/shared/stored_operator.hpp"

namespace cisolve {

/// A itself, not its transpose.
inline constexpr auto as_stored = CUSPARSE_OPERATION_NON_TRANSPOSE;

/// Throws ResourceError naming what failed.
inline void check_cusparse(cusparseStatus_t status, const char* what) {
  if (status == CUSPARSE_STATUS_SUCCESS) return;
  throw ResourceError(std::string("cuSPARSE: ") + what + ": " + cusparseGetErrorString(status));
}

/// Owners of the library's objects.
struct CusparseDestroy {
  void operator()(cusparseHandle_t handle) const { cusparseDestroy(handle); }
  void operator()(cusparseSpMatDescr_t matrix) const { cusparseDestroySpMat(matrix); }
  void operator()(cusparseDnVecDescr_t vector) const { cusparseDestroyDnVec(vector); }
  void operator()(cusparseDnMatDescr_t block) const { cusparseDestroyDnMat(block); }
};
template <class Pointer>
using CusparseOwner = std::unique_ptr<std::remove_pointer_t<Pointer>, CusparseDestroy>;
using SparseDescriptor = CusparseOwner<cusparseSpMatDescr_t>;
using CusparseHandle = CusparseOwner<cusparseHandle_t>;

inline CusparseHandle make_cusparse_handle() {
  cusparseHandle_t made = nullptr;
  check_cusparse(cusparseCreate(&made), "creating a handle");
  return CusparseHandle(made);
}

/// Offsets or columns on the device, in the width the library needs.
class CusparseIndices {
 public:
  CusparseIndices() = default;
  template <class Container>
  CusparseIndices(Backend& backend, const Container& host, bool wide) {
    if (wide) {
      wide_ =
          Buffer<std::int64_t>::from_host(backend, Array<std::int64_t>(host.begin(), host.end()));
    } else {
      narrow_ =
          Buffer<std::int32_t>::from_host(backend, Array<std::int32_t>(host.begin(), host.end()));
    }
  }
  void* data() {
    return wide_.data() != nullptr ? static_cast<void*>(wide_.data()) : narrow_.data();
  }

 private:
  Buffer<std::int32_t> narrow_;
  Buffer<std::int64_t> wide_;
};

/// A matrix with the memory and the choice of algorithm that belong to one kind of product. The
/// library ties preprocessing to a descriptor, so each plan has one of its own.
struct CusparsePlan {
  SparseDescriptor matrix;
  Buffer<char> workspace;
  int algorithm = 0;
};

/// Common base of the vendor library's operators. It takes contiguous blocks only: a block that is
/// a slice of a wider one goes through a copy.
class CusparseOperator : public StoredOperator {
 public:
  CusparseOperator(const CsrMatrix& a, Backend& backend, std::string format);
  void apply(double alpha, ConstView x, double beta, View y) const override;

 protected:
  /// Y := αAX + βY of contiguous blocks; the matrix has nonzeros.
  virtual void multiply(double alpha, ConstView x, double beta, View y) const = 0;

  CusparsePlan plan_vector(SparseDescriptor matrix, cusparseSpMVAlg_t algorithm,
                           bool preprocess) const;
  /// Y := αAX + βY for k = 1.
  void multiply_vector(const CusparsePlan& plan, double alpha, ConstView x, double beta,
                       View y) const;
  cusparseHandle_t handle() const { return handle_.get(); }

 private:
  CusparseHandle handle_ = make_cusparse_handle();
  mutable Buffer<double> contiguous_y_;
};

}  // namespace cisolve
