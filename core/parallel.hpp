#pragma once

#include <atomic>
#include <exception>

namespace cisolve {

/// The first exception of a parallel region. None may leave the region itself, for that ends the
/// program: what may throw there, as all that allocates may, is called through `guard`, and the
/// exception goes on behind the region.
///
///       FirstException exception;
///     #pragma omp parallel for
///       for (Index i = 0; i < n; ++i) exception.guard([&] { work(i); });
///       exception.rethrow();
class FirstException {
 public:
  /// Calls f(), unless a call has thrown already: then what is left of the work is passed over.
  template <class F>
  void guard(F&& f) noexcept {
    if (thrown_.load(std::memory_order_relaxed)) return;
    try {
      f();
    } catch (...) {
      if (!thrown_.exchange(true)) first_ = std::current_exception();
    }
  }

  /// Behind the region, whose end makes `first_` known to this thread; nothing where none threw.
  void rethrow() const {
    if (first_) std::rethrow_exception(first_);
  }

 private:
  std::atomic<bool> thrown_ = false;
  std::exception_ptr first_;
};

}  // namespace cisolve
