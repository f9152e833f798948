#include "io/matrix_reading.hpp"

#include <limits>
#include <system_error>

namespace cisolve {

void require_file(const std::filesystem::path& path) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  if (!std::filesystem::exists(status)) throw InputError(path.string() + ": no such file");
  if (std::filesystem::is_directory(status)) {
    throw InputError(path.string() + ": is a folder, expected a file");
  }
}

Index checked_dimension(std::int64_t value, const std::string& what, const std::string& name) {
  constexpr Index most = std::numeric_limits<Index>::max();
  if (value < 1 || value > most) {
    throw InputError(name + ": " + std::to_string(value) + " " + what + ", expected 1 to 2^31 - 1");
  }
  return static_cast<Index>(value);
}

}  // namespace cisolve
