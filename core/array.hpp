#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace cisolve {

/// Elements that lie in another's memory, and what keeps them there.
struct Lent {
  const void* data = nullptr;
  std::size_t size = 0;  ///< elements
  std::shared_ptr<const void> owner;
};

/// std::allocator whose elements start uninitialised, so that a large array's pages are first
/// touched, in parallel, by the threads that fill it. Given what is lent, an array of that size has
/// those elements, in their place; only arrays that are never written may.
template <class T>
class UninitializedAllocator : public std::allocator<T> {
 public:
  static_assert(std::is_trivially_default_constructible_v<T>);
  using is_always_equal = std::false_type;
  using propagate_on_container_move_assignment = std::true_type;
  using propagate_on_container_swap = std::true_type;
  template <class U>
  struct rebind {  // NOLINT(readability-identifier-naming): the allocator interface
    using other = UninitializedAllocator<U>;
  };

  UninitializedAllocator() = default;
  explicit UninitializedAllocator(Lent lent)
      : lent_(std::make_shared<const Lent>(std::move(lent))) {}
  template <class U>
  explicit UninitializedAllocator(const UninitializedAllocator<U>&) {}

  /// Copies have memory of their own.
  UninitializedAllocator select_on_container_copy_construction() const { return {}; }

  T* allocate(std::size_t n) {
    return lent_ && n == lent_->size ? lent_data() : std::allocator<T>::allocate(n);
  }
  void deallocate(T* place, std::size_t n) {
    if (!lent_ || place != lent_data()) std::allocator<T>::deallocate(place, n);
  }
  template <class U>
  void construct(U* place) noexcept {
    ::new (static_cast<void*>(place)) U;
  }
  template <class U, class... Args>
  void construct(U* place, Args&&... args) {
    ::new (static_cast<void*>(place)) U(std::forward<Args>(args)...);
  }

  friend bool operator==(const UninitializedAllocator& a, const UninitializedAllocator& b) {
    return a.lent_ == b.lent_;
  }

 private:
  T* lent_data() const { return static_cast<T*>(const_cast<void*>(lent_->data)); }

  std::shared_ptr<const Lent> lent_;
};

/// A large host array: std::vector, but `Array<T>(n)` leaves its elements uninitialised.
template <class T>
using Array = std::vector<T, UninitializedAllocator<T>>;

/// The elements in their place, for as long as somebody holds the array; they must not change. For
/// offsets, indices and numbers.
template <class T>
Array<T> lent_array(const T* data, std::size_t size, std::shared_ptr<const void> owner);

}  // namespace cisolve
