#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace cisolve {

/// Shades from 0, black, to 255, white; height × width, row-major from the top.
struct GrayImage {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> pixels;
};

/// Writes the image as PNG, 8 bits a pixel, to `path` itself. Throws ResourceError, naming `name`,
/// when it cannot be written.
void write_png(const GrayImage& image, const std::filesystem::path& path, const std::string& name);

}  // namespace cisolve
