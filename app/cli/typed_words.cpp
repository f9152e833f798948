#include "app/cli/typed_words.hpp"

#include <cctype>
#include <map>
#include <utility>

#include "core/text/text.hpp"

namespace cisolve {
namespace {

/// Flags typed on this process's command line, by key.
std::map<std::string, std::string>& typed_flags() {
  static std::map<std::string, std::string> flags;
  return flags;
}

bool is_of_key(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// True if the key stands there by itself: not as part of another one, of a path or of a word.
bool stands_alone(const std::string& text, std::size_t at, const std::string& key) {
  const std::size_t end = at + key.size();
  const bool begins = at == 0 || text[at - 1] == ' ' || text[at - 1] == '(';
  const bool goes_on = end < text.size() &&
                       (is_of_key(text[end]) ||
                        (text[end] == '.' && end + 1 < text.size() && is_of_key(text[end + 1])));
  // "operator" is a word as well.
  const bool is_word = key.find('.') == key.npos;
  return begins && !goes_on && (!is_word || (at == 0 && text[end] == ':'));
}

}  // namespace

void name_by_flag(const std::string& key, const std::string& flag) {
  typed_flags()[key] = flag;
}

std::string with_flag(std::string text, const std::string& key, const std::string& flag) {
  for (auto at = text.find(key); at != text.npos; at = text.find(key, at + 1)) {
    if (stands_alone(text, at, key)) text.replace(at, key.size(), flag);
  }
  return text;
}

std::string in_typed_words(const std::string& message) {
  std::string text = message;
  for (const auto& [key, flag] : typed_flags()) text = with_flag(std::move(text), key, flag);
  return escaped(text);
}

void TypedWords::format(const spdlog::details::log_msg& message, const std::tm&,
                        spdlog::memory_buf_t& out) {
  const std::string text =
      in_typed_words(std::string(message.payload.data(), message.payload.size()));
  out.append(text.data(), text.data() + text.size());
}

std::unique_ptr<spdlog::custom_flag_formatter> TypedWords::clone() const {
  return std::make_unique<TypedWords>();
}

}  // namespace cisolve
