#pragma once

#include <atomic>
#include <exception>

namespace cisolve {

/// The least work that threads share. Tests set it lower, so that their small problems, too, go
/// through many threads.
inline double least_shared_work = 2.6e5;

/// True if a loop is shared out among threads, the condition of its parallel region:
///
///     #pragma omp parallel for if (worth_threads(n))
///
/// `work` is the numbers that it reads from memory or writes there, or what else it does most, of
/// which a core does one to three in a nanosecond. So many are done by one thread before a second,
/// which may have to be woken and to wait for a core, has helped much. It is one thread or all of
/// them, for OpenMP ends and begins threads when their number changes. The answer depends on the
/// work alone: every run with one number of threads shares out the same loops in the same way.
template <class Number>
bool worth_threads(Number work) {
  return static_cast<double>(work) >= least_shared_work;
}

/// Calls f(i) for i = 0 … n − 1, among threads in equal parts where `shared`. Otherwise there is no
/// parallel region: even one of a single thread ends in a call of the kernel, because libgomp wakes
/// whoever might wait, and a solve of a small matrix would have a thousand of them. The number of
/// the thread is then that in a team of the caller's, if there is one.
template <class Number, class F>
void for_each_index(Number n, bool shared, const F& f) {
  if (!shared) {
    for (Number i = 0; i < n; ++i) f(i);
    return;
  }
#pragma omp parallel for schedule(static)
  for (Number i = 0; i < n; ++i) f(i);
}

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
