#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/types.hpp"
#include "formats/matrix/elements.hpp"

namespace cisolve {

struct Format;
struct FormatOptions;

/// An array in host memory, of one of the types formats have.
using ArrayView =
    std::variant<std::span<const Index>, std::span<const Offset>, std::span<const double>,
                 std::span<const std::uint16_t>, std::span<const std::uint64_t>>;

/// Takes the arrays and numbers a format consists of, each by the name it has in the format's
/// struct. The arrays live until the call returns.
class ArraySink {
 public:
  virtual ~ArraySink() = default;
  /// `shape` is that of a table, row-major; empty: the array has one dimension.
  virtual void array(const std::string& name, ArrayView values,
                     const std::vector<std::int64_t>& shape = {}) = 0;
  virtual void scalar(const std::string& name, std::int64_t value) = 0;
};

/// Elements of that shape (empty: one dimension); those of several numbers have these as the last
/// dimension.
template <class Value>
void put_elements(ArraySink& sink, const std::string& name, std::span<const Value> values,
                  std::vector<std::int64_t> shape = {}) {
  constexpr int d = components_of<Value>;
  if (d > 1 && shape.empty()) shape = {std::ssize(values)};
  if (d > 1) shape.push_back(d);
  const auto* const numbers = reinterpret_cast<const double*>(values.data());
  sink.array(name, std::span(numbers, values.size() * d), shape);
}

/// Hands the matrix in that format, which has a `dump`, to `sink`: laid out as on the CPU. Throws
/// InputError where the format does not take the matrix and where the options ask for single
/// precision, ResourceError where the host cannot hold it.
void dump_arrays(const Format& format, const CsrMatrix& a, const FormatOptions& options,
                 ArraySink& sink);

}  // namespace cisolve
