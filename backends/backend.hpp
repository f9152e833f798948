#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "backends/correction.hpp"
#include "backends/view.hpp"
#include "core/dense/host_matrix_forward.hpp"

namespace cisolve {

/// Kind of memory that holds vectors, and of kernels that serve them.
enum class BackendKind { cpu, cuda };

/// "cpu" or "cuda".
inline std::string backend_name(BackendKind kind) {
  return kind == BackendKind::cpu ? "cpu" : "cuda";
}

/// Which memory: the device's own, or host memory that its kernels reach over the bus, pinned and
/// mapped. On the CPU both are the same.
enum class Residence { device, host };

template <class T>
class Buffer;
class Communicator;
struct RowPartition;

/// One rank: what this process is where no launcher has started several.
Communicator& one_rank();

/// Y := [x_1 x_2 …]C of vectors that do not lie side by side; x_i is n × 1, Y is n × k. C, m × k,
/// lies row by row in host memory.
struct VectorSum {
  std::span<const ConstView> x;
  std::span<const double> c;
  View y;
};

/// Memory and the vector operations that solvers are written over, once for host and device.
///
/// Vectors are n × k blocks (View), interleaved. HostMatrix and span arguments are in host memory
/// and small (k × m), except in `upload` and `download`. Operations may run asynchronously; those
/// that return host values wait. X and Y must not overlap unless said otherwise. Shapes are the
/// caller's duty and are asserted by the checked backend.
///
/// A backend has to bring memory and the primitives below; the rest is written over these
/// (backends/backend.cpp), and is overridden where a pass over the vectors can be spared.
class Backend {
 public:
  Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
  virtual ~Backend() = default;

  virtual BackendKind kind() const = 0;
  /// The device for people: "2 threads", "NVIDIA H200".
  virtual std::string description() const = 0;
  /// Bytes of the device's own memory that can still be allocated.
  virtual std::size_t free_memory() const = 0;
  /// Whom the rows of vectors are shared with: one rank has them all, unless this is a RankBackend.
  virtual Communicator& communicator() const { return one_rank(); }
  /// Real numbers of a vector's element: 1 but for a FieldBackend.
  virtual int components() const { return 1; }
  /// Whose memory is taken: another backend's where this one stands around it.
  virtual Backend& memory() { return *this; }
  /// True if the host may follow its addresses.
  virtual bool in_host_memory() const { return false; }

  /// Uninitialised memory, aligned to 64 bytes at least; every operation takes either residence.
  /// Throws ResourceError with needed and free bytes when there is none.
  virtual void* allocate(std::size_t bytes, Residence residence) = 0;
  virtual void release(void* memory) noexcept = 0;
  virtual void upload_bytes(const void* host, void* device, std::size_t bytes) = 0;
  virtual void download_bytes(const void* device, void* host, std::size_t bytes) = 0;
  virtual void synchronize() = 0;

  // Primitives.

  /// Y := X.
  virtual void copy(ConstView x, View y) = 0;
  /// Y := value in every element.
  virtual void fill(double value, View y) = 0;
  /// Y := αX + βY; β = 0 ignores what Y held.
  virtual void axpby(double alpha, ConstView x, double beta, View y) = 0;
  /// y_j := s_j y_j for each column; s has k entries.
  virtual void scale_columns(std::span<const double> s, View y) = 0;
  /// C := XᵀY; X is n × m, Y is n × k (may be X), C is m × k.
  virtual void gram(ConstView x, ConstView y, HostRef c) = 0;
  /// Y := αXC + βY; X is n × m, C is m × k, Y is n × k; β = 0 ignores what Y held.
  virtual void combine(double alpha, ConstView x, const ConstHostRef& c, double beta, View y) = 0;
  /// Row r of Y := row rows[r] of X, for all r; `rows` has Y's length.
  virtual void gather_rows(const Buffer<Index>& rows, ConstView x, View y) = 0;
  /// Row rows[r] of Y := row r of X, for all r; `rows` has X's length and holds no row twice.
  virtual void scatter_rows(const Buffer<Index>& rows, ConstView x, View y) = 0;
  /// The guarded diagonal (Davidson) correction, elementwise:
  ///   t_ij := r_ij / δ,  δ = θ_j − d_i or −|θ_j − d_i|, held away from zero: |δ| ≥ guard.
  /// d is n × 1; T may be R.
  virtual void diagonal_correction(ConstView r, std::span<const double> theta, ConstView d,
                                   Denominator kind, double guard, View t) = 0;
  /// The weighted Jacobi update, elementwise: x_ij := ω r_ij / d_i + β x_ij. d is n × 1; β = 0
  /// ignores what X held.
  virtual void jacobi_update(double omega, ConstView r, ConstView d, double beta, View x) = 0;

  // Written over those.

  /// Y := host (n × k).
  virtual void upload(const HostMatrix& host, View y);
  /// The block as a host matrix (n × k).
  virtual HostMatrix download(ConstView x);
  /// Y := numbers uniform in [−1, 1): y_ij = mixed_uniform(mixed(seed) + (first + i) k + j), the
  /// same on every backend.
  virtual void fill_random(std::uint64_t seed, std::int64_t first, View y);
  /// Y := independent normal numbers, y_ij = Random(seed, (first + i) k + j).normal(): the same on
  /// every backend but for the rounding of logarithm and cosine.
  virtual void fill_normal(std::uint64_t seed, std::int64_t first, View y);
  /// `whole` := the rows of all ranks, which `parts` says; of one rank X. Each has its rows one
  /// behind another (stride k), but X.
  virtual void gather(ConstView x, const RowPartition& parts, View whole);
  /// W := αX + βY.
  virtual void waxpby(double alpha, ConstView x, double beta, ConstView y, View w);
  /// y_j := y_j + a_j v_j + b_j w_j for each column; a and b have k entries.
  virtual void add_columns(std::span<const double> a, ConstView v, std::span<const double> b,
                           ConstView w, View y);
  /// Adds columns likewise, and computes dots_j := v_jᵀy_j of the result; k entries. V may be Y,
  /// and must not overlap it otherwise.
  virtual void add_columns(std::span<const double> a, ConstView v, std::span<const double> b,
                           ConstView w, View y, std::span<double> dots);
  /// R := R + a_j v_j for each column, and squares_j := r_jᵀD⁻¹r_j of the result, in one pass: a
  /// step of conjugate gradients. d is n × 1; a and squares have k entries.
  virtual void step_residual(std::span<const double> a, ConstView v, ConstView d, View r,
                             std::span<double> squares);
  /// X := X + a_j p_j and then P := D⁻¹R + b_j p_j for each column, in one pass; d is n × 1, a and
  /// b have k entries.
  virtual void step_along(std::span<const double> a, std::span<const double> b, ConstView r,
                          ConstView d, View p, View x);
  /// C := XᵀY, C resized.
  void gram(ConstView x, ConstView y, HostMatrix& c);
  /// C := XᵀY with C in the backend's memory, which Y may not overlap: nothing waits.
  virtual void gram(ConstView x, ConstView y, View c);
  /// C := XᵀY and G := YᵀY in one pass over X and Y; C is m × k, G is k × k. X may have no columns.
  virtual void grams(ConstView x, ConstView y, HostRef c, HostRef g);
  /// The sums, of equally many rows, in one pass over the rows.
  virtual void combine(std::span<const VectorSum> sums);
  /// Y := XC with C in the backend's memory.
  virtual void combine(ConstView x, ConstView c, View y);
  /// Y := αBX + βY with B block-diagonal; X and Y are m × k. `blocks`, m × N, holds B's blocks one
  /// below another: of N rows each, the last of what is left of m.
  virtual void multiply_blocks(double alpha, ConstView blocks, ConstView x, double beta, View y);
  /// R := WS − VSΘ and the 2-norms of its columns, in one pass; W and V are n × m, S is m × k, Θ
  /// the diagonal matrix of k numbers, R is n × k.
  virtual void residuals(ConstView w, ConstView v, const ConstHostRef& s,
                         std::span<const double> theta, View r, std::span<double> norms);
  /// dots_j := x_jᵀy_j; k entries. Y may be X.
  virtual void column_dots(ConstView x, ConstView y, std::span<double> dots);
  /// norms_j := ‖x_j‖₂; k entries.
  virtual void column_norms(ConstView x, std::span<double> norms);
  /// The first l columns of Y := XC + YB, in place and in one pass; X is n × m, C is m × l, Y is
  /// n × k, B is k × l, l ≤ k. The other columns stay. X may have no columns.
  virtual void recombine(ConstView x, const ConstHostRef& c, View y, const ConstHostRef& b);
  /// The first l columns of Y := YB.
  void recombine(View y, const ConstHostRef& b);
  /// elements_j := the first element of column j whose magnitude is at least 1 − `equal` of the
  /// largest one there, 0 ≤ equal < 1.
  virtual void largest_elements(ConstView x, double equal, std::span<double> elements);
  /// The lowest and the highest element of X, which is not empty.
  virtual std::pair<double, double> extremes(ConstView x);
  /// Y := α max(X − shift, least)^p elementwise; least > 0. Y may be X.
  virtual void shifted_power(double alpha, ConstView x, double shift, double least, Power p,
                             View y);
};

/// Typed memory on a backend, which must outlive it. Owns it and moves only.
template <class T>
class Buffer {
 public:
  Buffer() = default;
  Buffer(Backend& backend, std::size_t count, Residence residence = Residence::device)
      : backend_(&backend.memory()),
        data_(static_cast<T*>(backend.allocate(count * sizeof(T), residence))),
        count_(count) {}
  /// A copy of a host array.
  template <class Container>
  static Buffer from_host(Backend& backend, const Container& host) {
    Buffer buffer(backend, host.size());
    backend.upload_bytes(host.data(), buffer.data(), host.size() * sizeof(T));
    return buffer;
  }
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Buffer() {
    if (data_ != nullptr) backend_->release(data_);
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return count_; }

 private:
  void swap(Buffer& other) noexcept {
    std::swap(backend_, other.backend_);
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
  }
  Backend* backend_ = nullptr;
  T* data_ = nullptr;
  std::size_t count_ = 0;
};

/// A block of k vectors of length n with memory of its own. Moves only.
class MultiVector {
 public:
  MultiVector() = default;
  /// Uninitialised n × k block, stride k.
  MultiVector(Backend& backend, Index rows, int columns, Residence residence = Residence::device)
      : buffer_(backend, static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns),
                residence),
        rows_(rows),
        columns_(columns) {}

  Index rows() const { return rows_; }
  int columns() const { return columns_; }
  View view() { return {buffer_.data(), rows_, columns_, columns_}; }
  ConstView view() const { return {buffer_.data(), rows_, columns_, columns_}; }
  View slice(int first, int count) { return view().slice(first, count); }
  ConstView slice(int first, int count) const { return view().slice(first, count); }
  /// The first `columns` columns as a contiguous block of their own (stride = columns): the same
  /// memory, so a narrower block stays contiguous.
  View narrowed(int columns) { return {buffer_.data(), rows_, columns, columns}; }

 private:
  Buffer<double> buffer_;
  Index rows_ = 0;
  int columns_ = 0;
};

/// OpenMP on the host, with as many threads as the calling thread's regions have (ThreadCount).
std::unique_ptr<Backend> make_cpu_backend();

/// A CUDA device. Throws ResourceError, saying how to get it, where the program was built without
/// CUDA or no device answers.
std::unique_ptr<Backend> make_cuda_backend(int device = 0);

/// Empty when a CUDA device can be used; else why not.
std::string cuda_unavailable_reason();

}  // namespace cisolve
