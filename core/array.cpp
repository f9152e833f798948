// A file of its own, compiled with all optimisations: else a loop over the elements remains, which
// does nothing.
#include "core/array.hpp"

#include "core/types.hpp"

namespace cisolve {

template <class T>
Array<T> lent_array(const T* data, std::size_t size, std::shared_ptr<const void> owner) {
  return Array<T>(size, UninitializedAllocator<T>(Lent{data, size, std::move(owner)}));
}

template Array<Offset> lent_array(const Offset*, std::size_t, std::shared_ptr<const void>);
template Array<Index> lent_array(const Index*, std::size_t, std::shared_ptr<const void>);
template Array<double> lent_array(const double*, std::size_t, std::shared_ptr<const void>);

}  // namespace cisolve
