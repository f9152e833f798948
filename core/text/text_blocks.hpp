#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

#include "core/text/gzip_stream.hpp"
#include "core/text/text_file.hpp"

namespace cisolve {

/// The text of a file in blocks of whole lines, as often as it is asked for. A file that is mapped,
/// a pipe and a short gzip file are one block; a longer gzip file is inflated 32 MiB at a time, at
/// each pass anew, so that memory does not follow its length.
///
/// A block ends before a newline, and the next one begins with it. Throws as TextFile does, and
/// InputError, with its number, for a line of more than 16 MiB that a block ends in.
class TextBlocks {
 public:
  explicit TextBlocks(const std::filesystem::path& path, TextBound bound = {});

  /// The beginning of the text, for as long as this lives.
  std::string_view first() const { return first_; }
  /// True if that is the whole text.
  bool is_whole() const { return stream_ == nullptr; }
  /// Begins a pass over the blocks that follow the first.
  void rewind();
  /// The next one, until it is asked for another; false at the end of the text.
  bool next(std::string_view& block);
  /// True if there is no other.
  bool at_end() const { return is_whole() || (ended_ && cut_off_.empty()); }

 private:
  std::string_view fill(std::vector<char>& block);

  std::filesystem::path path_;
  TextBound bound_;
  std::unique_ptr<TextFile> whole_;
  std::unique_ptr<GzipStream> stream_;
  std::vector<char> beginning_, block_;
  std::string_view first_;
  std::string_view cut_off_;  ///< of the last block: the next one begins with it
  double bytes_ = 0.0;        ///< of the text so far
  std::size_t lines_ = 1;     ///< number of the line that cut_off_ begins in
  double most_ = 0.0;         ///< that it may have
  bool ended_ = false;        ///< the stream has no more
  bool behind_first_ = true;  ///< that is where it stands
};

}  // namespace cisolve
