#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace cisolve {

/// The whole text of a file for parsing: a memory map of a plain file, or the inflated bytes of a
/// gzip one (recognised by its first two bytes, not its name). Moves only.
/// Throws InputError when it cannot be opened, is a folder, or is a truncated or damaged gzip.
class TextFile {
 public:
  explicit TextFile(const std::filesystem::path& path);
  TextFile(TextFile&&) noexcept;
  TextFile& operator=(TextFile&&) noexcept;
  ~TextFile();

  std::string_view text() const { return text_; }

 private:
  struct Storage;
  std::unique_ptr<Storage> storage_;
  std::string_view text_;
};

/// The first `count` bytes of that text, all of a shorter one, without reading the rest; of a gzip
/// file what can be inflated of it. Throws InputError when it cannot be opened or is a folder.
std::string first_bytes(const std::filesystem::path& path, std::size_t count);

}  // namespace cisolve
