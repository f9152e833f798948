#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "core/error.hpp"
#include "core/text/text.hpp"
#include "io/atomic_file.hpp"
#include "io/matrix_file.hpp"

namespace cisolve {
namespace {

/// Text through zlib, compressed or as it is, in large pieces. Throws ResourceError when the disk
/// does not take it.
class TextWriter {
 public:
  TextWriter(const std::filesystem::path& path, const std::filesystem::path& target)
      : target_(target.string()),
        stream_(gzopen(path.c_str(), to_lower(target_).ends_with(".gz") ? "wb" : "wbT"), gzclose),
        buffer_(1u << 20) {
    if (stream_ == nullptr) fail();
    gzbuffer(stream_.get(), 1u << 18);
  }

  /// A number, `std::to_chars` shortest, and a character behind it.
  template <class Number>
  void put(Number number, char separator) {
    constexpr std::size_t longest = 32;
    if (buffer_.size() - used_ < longest) flush();
    char* const begin = buffer_.data() + used_;
    char* const stop = std::to_chars(begin, begin + longest, number).ptr;
    *stop = separator;
    used_ += static_cast<std::size_t>(stop - begin) + 1;
  }

  void put(std::string_view text) {
    if (buffer_.size() - used_ < text.size()) flush();
    std::memcpy(buffer_.data() + used_, text.data(), text.size());
    used_ += text.size();
  }

  void close() {
    flush();
    if (gzclose(stream_.release()) != Z_OK) fail();
  }

 private:
  void flush() {
    const auto size = static_cast<unsigned>(used_);
    if (size > 0 && gzwrite(stream_.get(), buffer_.data(), size) != static_cast<int>(size)) fail();
    used_ = 0;
  }

  [[noreturn]] void fail() const {
    throw ResourceError(target_ + ": cannot be written: " + std::generic_category().message(errno));
  }

  std::string target_;
  std::unique_ptr<gzFile_s, int (*)(gzFile)> stream_;
  std::vector<char> buffer_;
  std::size_t used_ = 0;
};

}  // namespace

void write_matrix_market(const CsrMatrix& a, const std::filesystem::path& path) {
  require_full(a, path.string());
  const bool is_complex = a.components == 2;
  if (!is_complex) require_real(a, path.string());
  AtomicFile file(path);
  TextWriter out(file.temporary(), path);

  // Symmetric: the entries up to the diagonal stand for all.
  const bool symmetric = is_exactly_symmetric(a);
  const auto written_end = [&](Index i) {
    const Index* const begin = a.column_indices.data() + a.row_offsets[i];
    const Index* const end = a.column_indices.data() + a.row_offsets[i + 1];
    return (symmetric ? std::upper_bound(begin, end, i) : end) - a.column_indices.data();
  };
  Offset entries = 0;
  for (Index i = 0; i < a.rows; ++i) entries += written_end(i) - a.row_offsets[i];

  out.put("%%MatrixMarket matrix coordinate ");
  out.put(is_complex ? "complex " : "real ");
  out.put(!symmetric ? "general\n" : is_complex ? "hermitian\n" : "symmetric\n");
  out.put(a.rows, ' ');
  out.put(a.columns, ' ');
  out.put(entries, '\n');
  for (Index i = 0; i < a.rows; ++i) {
    const Offset end = written_end(i);
    for (Offset p = a.row_offsets[i]; p < end; ++p) {
      out.put(Offset{i} + 1, ' ');
      out.put(Offset{a.column_indices[p]} + 1, ' ');
      if (is_complex) out.put(a.values[p * 2], ' ');
      out.put(a.values[p * a.components + a.components - 1], '\n');
    }
  }
  out.close();
  file.commit();
}

}  // namespace cisolve
