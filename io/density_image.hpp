#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "formats/matrix/csr_matrix.hpp"

namespace cisolve {

/// Shades from 0, black, to 255, white; height × width, row-major from the top.
struct GrayImage {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> pixels;
};

/// A picture of where the nonzeros lie, row 1 at the top, its longer side at most `pixels` ≥ 1.
///
/// A pixel is a block of the matrix, as even as whole rows and columns allow, so that the picture
/// has the matrix's proportions (but no side of less than one pixel); where the matrix has no more
/// rows and columns than `pixels`, an element is a square of as many pixels as fit.
///
/// White is an empty block, black a full one; between them the shade follows the logarithm of the
/// density from that of one nonzero in the largest block, which is still a visible gray.
///
/// One pass over the matrix, parallel. Throws InputError when it has no rows or no
/// columns or is an upper triangle.
GrayImage density_image(const CsrMatrix& a, int pixels);

/// Writes the image as PNG, 8 bits a pixel, to `path` itself. Throws ResourceError, naming `name`,
/// when it cannot be written.
void write_png(const GrayImage& image, const std::filesystem::path& path, const std::string& name);

/// Bytes of that file. Throws ResourceError without memory for it.
std::string png_bytes(const GrayImage& image);

}  // namespace cisolve
