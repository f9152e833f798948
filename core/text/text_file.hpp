#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "core/text/gzip_stream.hpp"

namespace cisolve {

/// Most bytes that a text can have, by what it begins with; throws InputError where that is wrong.
using TextBound = std::function<double(std::string_view beginning)>;

/// Bytes that any text may have, whatever its bound.
inline constexpr std::size_t text_of_any_length = std::size_t{1} << 26;

/// Bytes that a line may have: no text has more.
inline constexpr std::size_t longest_line = std::size_t{1} << 24;

// These throw InputError.

[[noreturn]] void fail_long_line(const std::string& name, std::size_t line);
[[noreturn]] void fail_beyond_bound(const std::filesystem::path& path, double most);

/// The whole text of a file for parsing: a memory map of a plain file, or the inflated bytes of a
/// gzip one (recognised by its first two bytes, not its name) or of a pipe.
/// Inflated text is held to a bound: from 64 MiB on to what `bound` says, and always to half of the
/// memory there is, for as much is needed for what is made of it.
/// Throws InputError when it cannot be opened, is a folder, is a truncated or damaged gzip, or has
/// more than `bound` bytes; ResourceError where the memory does not suffice.
class TextFile {
 public:
  explicit TextFile(const std::filesystem::path& path, const TextBound& bound = {});
  explicit TextFile(OpenedFile file, const TextBound& bound = {});
  ~TextFile();

  std::string_view text() const { return text_; }

 private:
  struct Storage;
  std::unique_ptr<Storage> storage_;
  std::string_view text_;
};

/// Throws InputError, naming `name` and the line, where a line is longer.
void require_lines(std::string_view text, const std::string& name);

/// The first `count` bytes of that text, all of a shorter one, without reading the rest; of a gzip
/// file what can be inflated of it. Throws InputError when it cannot be opened or is a folder.
std::string first_bytes(const std::filesystem::path& path, std::size_t count);

}  // namespace cisolve
