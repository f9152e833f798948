#include "io/png.hpp"

#include <png.h>

#include "core/error.hpp"

namespace cisolve {

void write_png(const GrayImage& image, const std::filesystem::path& path, const std::string& name) {
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  png.width = static_cast<png_uint_32>(image.width);
  png.height = static_cast<png_uint_32>(image.height);
  png.format = PNG_FORMAT_GRAY;
  if (png_image_write_to_file(&png, path.c_str(), 0, image.pixels.data(), 0, nullptr) == 0) {
    throw ResourceError(name + ": cannot be written: " + png.message);
  }
}

}  // namespace cisolve
