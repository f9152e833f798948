#pragma once

#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace cisolve {

/// std::allocator whose elements start uninitialised, so that a large array's pages are first
/// touched, in parallel, by the threads that fill it.
template <class T>
struct UninitializedAllocator : std::allocator<T> {
  static_assert(std::is_trivially_default_constructible_v<T>);
  template <class U>
  struct rebind {  // NOLINT(readability-identifier-naming): the allocator interface
    using other = UninitializedAllocator<U>;
  };
  template <class U>
  void construct(U* place) noexcept {
    ::new (static_cast<void*>(place)) U;
  }
  template <class U, class... Args>
  void construct(U* place, Args&&... args) {
    ::new (static_cast<void*>(place)) U(std::forward<Args>(args)...);
  }
};

/// A large host array: std::vector, but `Array<T>(n)` leaves its elements uninitialised.
template <class T>
using Array = std::vector<T, UninitializedAllocator<T>>;

}  // namespace cisolve
