#pragma once

#include <cstdint>
#include <type_traits>

#include "formats/packed/dictionary.hpp"
#include "formats/packed/packed.hpp"

// The packed part of a matrix on a device, and what threads load of it: groups, and elements by
// their codes.

namespace cisolve::packed_slices {

/// Data that a thread loads at once for four steps; [t] is step t's.
template <class T>
struct Four;
template <>
struct Four<std::uint16_t> {
  uint2 bits;
  explicit __device__ Four(const std::uint16_t* from)
      : bits(__ldcs(reinterpret_cast<const uint2*>(from))) {}
  __device__ unsigned operator[](int t) const {
    return (t < 2 ? bits.x : bits.y) >> (t % 2 * 16) & 0xffffu;
  }
};
template <>
struct Four<Index> {
  int4 columns;
  explicit __device__ Four(const Index* from)
      : columns(__ldcs(reinterpret_cast<const int4*>(from))) {}
  __device__ Index operator[](int t) const {
    return t == 0 ? columns.x : t == 1 ? columns.y : t == 2 ? columns.z : columns.w;
  }
};
template <>
struct Four<double2> {
  double2 pairs[packed_steps];
  explicit __device__ Four(const double2* from) {
#pragma unroll
    for (int t = 0; t < packed_steps; ++t) pairs[t] = __ldcs(from + t);
  }
  __device__ double2 operator[](int t) const {
    return pairs[t];
  }
};
template <>
struct Four<double> {
  double2 low, high;
  explicit __device__ Four(const double* from)
      : low(__ldcs(reinterpret_cast<const double2*>(from))),
        high(__ldcs(reinterpret_cast<const double2*>(from) + 1)) {}
  __device__ double operator[](int t) const {
    return t == 0 ? low.x : t == 1 ? low.y : t == 2 ? high.x : high.y;
  }
};

/// An element of D numbers on the device.
template <int D>
using DeviceElement = std::conditional_t<D == 1, double, double2>;

/// Groups of all slices on the device.
template <class Place_, class Element_>
struct DeviceGroups {
  using Place = Place_;
  using Element = Element_;
  const Offset* slice_offsets;
  const Index* bases;
  const Place* places;
  const Element* elements;
};

/// The packed part on the device, of elements of D numbers.
template <int D, class CodedPlace>
struct DeviceSlices {
  Index rows;  ///< over elements
  const Index* row_order;
  DeviceGroups<CodedPlace, std::uint16_t> coded;
  DeviceGroups<std::uint16_t, DeviceElement<D>> plain;
  const DeviceElement<D>* dictionary;
  int in_shared;              ///< of its magnitudes, copied to shared memory
  const Index* first_slices;  ///< of batches, and behind the last
  unsigned batches;
  unsigned* drawn;  ///< tickets so far; 0 before and after a product
};

/// One row's part of a group, as loaded.
template <class Place, class Element>
struct LoadedGroup {
  Four<Index> bases;
  Four<Place> places;
  Four<Element> elements;

  __device__ LoadedGroup(const DeviceGroups<Place, Element>& m, Offset g, int r)
      : bases(m.bases + g * packed_steps),
        places(m.places + (g * packed_rows + r) * packed_steps),
        elements(m.elements + (g * packed_rows + r) * packed_steps) {}
  __device__ Index column(int t) const { return bases[t] + static_cast<Index>(places[t]); }
};
template <class Element>
struct LoadedGroup<Index, Element> {
  Four<Index> places;
  Four<Element> elements;

  __device__ LoadedGroup(const DeviceGroups<Index, Element>& m, Offset g, int r)
      : places(m.places + (g * packed_rows + r) * packed_steps),
        elements(m.elements + (g * packed_rows + r) * packed_steps) {}
  __device__ Index column(int t) const { return places[t]; }
};

/// The dictionary as a block sees it; `Whole`: all of it is in shared memory.
template <class Element, bool Whole>
struct Dictionary {
  /// Address in shared memory of the first `in_shared` magnitudes. As a pointer it would be worked
  /// out anew for every look-up, from a special register that takes tens of cycles.
  unsigned near;
  int in_shared;
  const Element* all;

  __device__ Dictionary(const Element* shared, int count, const Element* whole)
      : in_shared(count), all(whole) {
    // The compiler would compute this address again at every use; it cannot see through assembly.
    asm volatile("mov.u32 %0, %1;"
                 : "=r"(near)
                 : "r"(static_cast<unsigned>(__cvta_generic_to_shared(shared))));
  }
  __device__ Element magnitude(unsigned number) const {
    if (!Whole && static_cast<int>(number) >= in_shared) return __ldg(all + number);
    const unsigned address = near + number * static_cast<unsigned>(sizeof(Element));
    Element found;
    if constexpr (std::is_same_v<Element, double>) {
      asm("ld.shared.f64 %0, [%1];" : "=d"(found) : "r"(address));
    } else {
      asm("ld.shared.v2.f64 {%0, %1}, [%2];" : "=d"(found.x), "=d"(found.y) : "r"(address));
    }
    return found;
  }
};

/// The number with a sign that is the highest of 16 bits.
__device__ inline double with_sign(double magnitude, unsigned code) {
  const int sign = static_cast<int>((code & sign_of_code) << 16);
  return __hiloint2double(__double2hiint(magnitude) ^ sign, __double2loint(magnitude));
}

/// The element of a code.
template <bool Whole>
__device__ inline double decoded(const Dictionary<double, Whole>& dictionary, unsigned code) {
  return with_sign(dictionary.magnitude(code & ~static_cast<unsigned>(sign_of_code)), code);
}
template <bool Whole>
__device__ inline double2 decoded(const Dictionary<double2, Whole>& dictionary, unsigned code) {
  constexpr unsigned signs = signs_of_code(2);
  const double2 magnitude = dictionary.magnitude(code & ~signs);
  return make_double2(with_sign(magnitude.x, code), with_sign(magnitude.y, code << 1));
}
template <class Element, bool Whole>
__device__ inline Element decoded(const Dictionary<Element, Whole>&, const Element& element) {
  return element;
}

}  // namespace cisolve::packed_slices
