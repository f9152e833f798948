#include "app/config/nearest.hpp"

#include <algorithm>

#include "core/text/text.hpp"

namespace cisolve {
namespace {

/// Letters left out, added, exchanged, or in each other's place (optimal string alignment).
int distance(const std::string& a, const std::string& b) {
  const std::size_t columns = b.size() + 1;
  std::vector<int> d((a.size() + 1) * columns);
  const auto at = [&](std::size_t i, std::size_t j) -> int& { return d[i * columns + j]; };
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        at(i, j) = static_cast<int>(i + j);
        continue;
      }
      const int other = a[i - 1] == b[j - 1] ? 0 : 1;
      at(i, j) = std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + other});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
      }
    }
  }
  return at(a.size(), b.size());
}

std::string plain(const std::string& name) {
  return to_lower(name.substr(std::min(name.find_first_not_of('-'), name.size())));
}

}  // namespace

std::string nearest(const std::string& typed, const std::vector<std::string>& names) {
  const std::string word = plain(typed);
  if (word.empty() || word.size() > 100) return "";
  const int most = std::max(1, static_cast<int>(word.size()) / 3);
  const std::string* best = nullptr;
  int least = most + 1;
  for (const std::string& name : names) {
    const std::string other = plain(name);
    const bool begins = word.size() >= 3 && other.starts_with(word);
    const int d = begins ? std::min(most, distance(word, other)) : distance(word, other);
    if (d < least) {
      least = d;
      best = &name;
    }
  }
  return best == nullptr ? "" : *best;
}

std::string did_you_mean(const std::string& name) {
  return name.empty() ? "" : "; did you mean " + name + "?";
}

}  // namespace cisolve
