#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cisolve {

class TextBlocks;

/// The text of a file, and the file's name for messages.
struct NamedText {
  std::string name;
  std::string_view text;         ///< of a file in blocks the first
  TextBlocks* blocks = nullptr;  ///< the others; null: there are none

  /// Line `number`, from 1, without its end.
  std::string line(std::size_t number) const;
  /// Throws InputError "name:line: what".
  [[noreturn]] void fail(std::size_t line, const std::string& what) const;
};

/// A Fortran namelist as written: keys with the text of their values, in the file's order.
class Namelist {
 public:
  struct Entry {
    std::string key, value;  ///< the value trimmed of blanks and commas, on one line
    std::size_t line;        ///< of the equals sign
  };

  const std::vector<Entry>& entries() const { return entries_; }
  std::size_t line() const { return line_; }          ///< it opens on this line, from 1
  std::size_t end() const { return end_; }            ///< offset of the end of its last line
  std::size_t end_line() const { return end_line_; }  ///< number of its last line

  /// Value of a key, in any case; none when it is absent or empty. Throws InputError when it is
  /// given twice or is no integer, or no logical (.TRUE., .FALSE., T, F).
  std::optional<int> integer(std::string_view key) const;
  std::optional<bool> logical(std::string_view key) const;
  /// Exactly `expected` integers, where n*v stands for n times v; empty when the key is absent.
  std::vector<int> integers(std::string_view key, std::size_t expected) const;

  /// Throws InputError at the key's line, or the namelist's when the key is absent.
  [[noreturn]] void fail(std::string_view key, const std::string& what) const;
  /// Throws InputError at the entry's line.
  [[noreturn]] void fail_at(const Entry& entry, const std::string& what) const;
  /// A value by its key, in any case; null when it is absent or empty. Throws InputError when it is
  /// given twice.
  const Entry* find(std::string_view key) const;

 private:
  friend class NamelistScanner;
  explicit Namelist(NamedText source) : source_(std::move(source)) {}
  int parse_integer(const Entry& entry, std::string_view word) const;
  std::vector<int> parse_integers(const Entry& entry, std::size_t expected) const;

  NamedText source_;
  std::vector<Entry> entries_;
  std::size_t line_ = 1, end_ = 0, end_line_ = 1;
};

/// Offset of the & (or the $ of older files) of a namelist with one of these names, in capitals,
/// before which there are only blanks, lines that open with ! or #, or a UTF-8 byte order mark;
/// npos when the text opens otherwise.
std::size_t find_namelist(std::string_view text, const std::vector<std::string_view>& names);

/// Reads the namelist that opens at this offset, up to &END, $END or /. Values go over any number
/// of lines; quoted strings hold anything; ! opens a comment. Words behind the end, on its line,
/// say nothing, as in Fortran. Throws InputError when it is never closed, holds text that belongs
/// to no key, or has a number behind its end.
Namelist scan_namelist(const NamedText& source, std::size_t opening);

/// The word in capitals.
std::string to_upper(std::string_view word);

/// The key in capitals, without the (1) of a first element: "ORBSYM" of "orbsym(1)".
std::string base_of_key(std::string_view key);

}  // namespace cisolve
