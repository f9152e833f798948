#pragma once

#include <memory>
#include <string>

#include "formats/packed/convert_cuda.hpp"
#include "formats/shared/stored_operator.hpp"

namespace cisolve {

/// An operator over a packed matrix on a CUDA device, for others that multiply with its arrays.
class PackedOnDevice : public StoredOperator {
 public:
  using StoredOperator::StoredOperator;
  virtual const DevicePacked& arrays() const = 0;
  virtual Packing packing() const = 0;
};

/// The operator of rows that come to the device, whose number of columns may be another; the source
/// is not kept. Throws ResourceError where the device has no room: "format NAME needs …" and
/// `advice`.
std::unique_ptr<PackedOnDevice> pack_rows(RowSource& source, Backend& backend,
                                          const std::string& name, const std::string& advice);

}  // namespace cisolve
