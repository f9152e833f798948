#include "io/density_image.hpp"

#include <png.h>

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "core/error.hpp"
#include "core/threads/parallel.hpp"

namespace cisolve {
namespace {

constexpr double faintest = 208.0;  // the shade of the lowest density there is
constexpr std::uint8_t white = 255;

/// Rows or columns 0 … extent − 1 in `count` ≤ extent blocks; block b begins at ⌊b·extent/count⌋.
struct Blocks {
  Index extent;
  Index count;

  Index begin(Index b) const { return static_cast<Index>(Offset{b} * extent / count); }
  Index size(Index b) const { return begin(b + 1) - begin(b); }
  Index largest() const { return (extent - 1) / count + 1; }
  /// The block that holds i: the last one with b·extent/count < i + 1.
  Index of(Index i) const { return static_cast<Index>(((Offset{i} + 1) * count - 1) / extent); }
};

/// Blocks of one side, where the longer one has `longer` rows or columns.
Blocks blocks_along(Index extent, Index longer, int pixels) {
  if (longer <= pixels) return {extent, extent};
  const auto share = static_cast<Index>(std::lround(double(extent) * pixels / longer));
  return {extent, std::max<Index>(share, 1)};
}

std::uint8_t shade(Offset nonzeros, double area, double largest_area) {
  if (nonzeros == 0) return white;
  const double emptiness = -std::log(static_cast<double>(nonzeros) / area);
  return emptiness == 0.0 ? std::uint8_t{0}
                          : static_cast<std::uint8_t>(
                                std::lround(faintest * emptiness / std::log(largest_area)));
}

png_image header_of(const GrayImage& image) {
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  png.width = static_cast<png_uint_32>(image.width);
  png.height = static_cast<png_uint_32>(image.height);
  png.format = PNG_FORMAT_GRAY;
  return png;
}

}  // namespace

GrayImage density_image(const CsrMatrix& a, int pixels) {
  require_full(a, "a picture");
  if (a.rows < 1 || a.columns < 1) {
    throw InputError("a matrix of " + std::to_string(a.rows) + " rows and " +
                     std::to_string(a.columns) + " columns has no picture");
  }
  const Index longer = std::max(a.rows, a.columns);
  const Blocks down = blocks_along(a.rows, longer, pixels);
  const Blocks across = blocks_along(a.columns, longer, pixels);
  const double largest_area = static_cast<double>(down.largest()) * across.largest();
  const Index side = std::max<Index>(pixels / longer, 1);  // of an element or block, in pixels

  GrayImage image{across.count * side, down.count * side, {}};
  image.pixels.resize(static_cast<std::size_t>(image.width) * image.height);
  // A row of counts for each thread, taken here: no exception may leave a parallel region.
  std::vector<Offset> all_counts(static_cast<std::size_t>(across.count) * omp_get_max_threads());
#pragma omp parallel for if (worth_threads(a.nonzeros())) schedule(dynamic)
  for (Index r = 0; r < down.count; ++r) {
    Offset* const counts = all_counts.data() + std::size_t(across.count) * omp_get_thread_num();
    std::fill_n(counts, across.count, 0);
    const Offset end = a.row_offsets[down.begin(r + 1)];
    for (Offset e = a.row_offsets[down.begin(r)]; e < end; ++e) {
      ++counts[across.of(a.column_indices[e])];
    }
    std::uint8_t* const line = image.pixels.data() + std::size_t(r) * side * image.width;
    for (Index c = 0; c < across.count; ++c) {
      const double area = static_cast<double>(down.size(r)) * across.size(c);
      std::fill_n(line + c * side, side, shade(counts[c], area, largest_area));
    }
    for (Index copy = 1; copy < side; ++copy) {
      std::copy_n(line, image.width, line + std::size_t(copy) * image.width);
    }
  }
  return image;
}

void write_png(const GrayImage& image, const std::filesystem::path& path, const std::string& name) {
  png_image png = header_of(image);
  if (png_image_write_to_file(&png, path.c_str(), 0, image.pixels.data(), 0, nullptr) == 0) {
    throw ResourceError(name + ": cannot be written: " + png.message);
  }
}

std::string png_bytes(const GrayImage& image) {
  png_image png = header_of(image);
  png_alloc_size_t size = 0;
  std::string bytes;
  const auto write = [&](void* memory) {
    return png_image_write_to_memory(&png, memory, &size, 0, image.pixels.data(), 0, nullptr) != 0;
  };
  bool written = write(nullptr);  // the size alone
  if (written) {
    bytes.resize(size);
    written = write(bytes.data());
  }
  if (!written) throw ResourceError(std::string("a picture cannot be made: ") + png.message);
  bytes.resize(size);
  return bytes;
}

}  // namespace cisolve
