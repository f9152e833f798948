#pragma once

#include <cstdint>

#include "backends/backend.hpp"
#include "formats/matrix/row_source.hpp"
#include "formats/packed/packed.hpp"

// A packed matrix of real elements made on a CUDA device from rows that come there block by block:
// bit for bit what the host makes of the same matrix. Complex ones the host packs. Every plan of a
// packing is one pass over the rows, and so is filling it. All functions throw InputError naming
// the first element that is NaN.

namespace cisolve {

/// The arrays of PackedMatrix in device memory; those that a packing has not are empty.
struct DevicePacked {
  Buffer<Index> row_order;
  Buffer<Offset> slice_offsets;
  Buffer<Index> bases;
  Buffer<std::uint16_t> column_offsets;
  Buffer<Index> column_indices;
  Buffer<std::uint16_t> codes;
  Buffer<double> dictionary;
  Buffer<Offset> plain_slice_offsets;
  Buffer<Index> plain_bases;
  Buffer<std::uint16_t> plain_column_offsets;
  Buffer<double> plain_values;
  Buffer<Offset> expansion_offsets;
  Buffer<Index> expansion_columns;
  Buffer<double> expansion_values;
};

/// plan_packed of packed.hpp, counted on the device; the plan itself is in host memory.
PackedMatrix plan_packed(RowSource& source, Backend& backend);
PackedMatrix plan_packed(RowSource& source, Packing packing, Backend& backend);

/// The matrix as planned. Throws ResourceError where the device has not the memory.
DevicePacked pack_on_device(RowSource& source, const PackedMatrix& plan, Backend& backend);

}  // namespace cisolve
