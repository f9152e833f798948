#include "core/text/text_blocks.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <string>
#include <utility>

#include "core/error.hpp"

namespace cisolve {
namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 25, piece = std::size_t{1} << 20;

void make_room(std::vector<char>& block, std::size_t bytes, const std::filesystem::path& path) {
  try {
    block.resize(std::max(block.size(), bytes));
  } catch (const std::bad_alloc&) {
    throw ResourceError(path.string() + ": no memory to unpack it");
  }
}

}  // namespace

TextBlocks::TextBlocks(const std::filesystem::path& path, TextBound bound)
    : path_(path), bound_(std::move(bound)), most_(text_of_any_length) {
  OpenedFile file(path);
  if (!file.is_regular() || !file.starts_like_gzip()) {
    whole_ = std::make_unique<TextFile>(std::move(file), bound_);
    first_ = whole_->text();
    return;
  }
  stream_ = std::make_unique<GzipStream>(std::move(file));
  first_ = fill(beginning_);
  if (at_end()) {
    stream_.reset();
  } else if (bound_) {
    most_ = std::max(most_, bound_(first_));
  }
}

void TextBlocks::rewind() {
  if (is_whole() || behind_first_) return;
  stream_->rewind();
  make_room(block_, beginning_.size(), path_);
  stream_->read(block_.data(), beginning_.size());
  bytes_ = double(beginning_.size());
  lines_ = 1 + static_cast<std::size_t>(std::ranges::count(first_, '\n'));
  cut_off_ = std::string_view(beginning_.data(), beginning_.size()).substr(first_.size());
  ended_ = false;
  behind_first_ = true;
}

bool TextBlocks::next(std::string_view& block) {
  if (at_end()) return false;
  behind_first_ = false;
  block = fill(block_);
  return true;
}

/// The next block, in that memory.
std::string_view TextBlocks::fill(std::vector<char>& block) {
  std::size_t size = cut_off_.size();
  make_room(block, size, path_);
  if (size > 0) std::memmove(block.data(), cut_off_.data(), size);
  while (size < block_bytes && !ended_) {
    make_room(block, size + piece, path_);
    const std::size_t got = stream_->read(block.data() + size, piece);
    ended_ = got < piece;
    size += got;
    bytes_ += double(got);
    if (bound_ && bytes_ > most_) fail_beyond_bound(path_, most_);
  }
  block.resize(size);
  const std::string_view text(block.data(), size);
  const std::size_t newline = text.rfind('\n');
  const std::size_t end = ended_ ? size : newline == text.npos ? 0 : newline;
  cut_off_ = text.substr(end);
  const auto ends = std::count(text.begin(), text.end(), '\n');
  if (cut_off_.size() > longest_line) {
    fail_long_line(path_.string(), lines_ + static_cast<std::size_t>(ends));
  }
  lines_ += static_cast<std::size_t>(ends) - (ended_ ? 0 : 1);
  return text.substr(0, end);
}

}  // namespace cisolve
