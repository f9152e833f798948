#pragma once

#include <spdlog/pattern_formatter.h>

#include <memory>
#include <string>

namespace cisolve {

/// Takes down that a flag of the command sets the key: messages name the flag from then on.
void name_by_flag(const std::string& key, const std::string& flag);

/// The text with the flag in the place of the key, wherever the key stands by itself.
std::string with_flag(std::string text, const std::string& key, const std::string& flag);

/// A message for the person who typed the command line: with flags in the place of the keys that
/// they set, and nothing in it that a terminal would not show as text.
std::string in_typed_words(const std::string& message);

/// "%*" of the log's pattern: the message in these words.
class TypedWords : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&,
              spdlog::memory_buf_t& out) override;
  std::unique_ptr<spdlog::custom_flag_formatter> clone() const override;
};

}  // namespace cisolve
