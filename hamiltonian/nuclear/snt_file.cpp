#include "hamiltonian/nuclear/snt_file.hpp"

#include <spdlog/fmt/fmt.h>

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <utility>

#include "core/error.hpp"
#include "core/text/text.hpp"
#include "hamiltonian/space/strings/orbital_string.hpp"

namespace cisolve {
namespace {

/// The lines that have words, one by one.
class Lines {
 public:
  Lines(const std::string& name, std::string_view text) : name_(name), text_(text) {}

  /// False at the end.
  bool next() {
    while (at_ < text_.size()) {
      const std::size_t end = std::min(text_.find('\n', at_), text_.size());
      std::string_view line = text_.substr(at_, end - at_);
      at_ = end + 1;
      ++number_;
      line = line.substr(0, line.find_first_of("!#"));
      words_.clear();
      for (std::size_t begin = 0;;) {
        begin = line.find_first_not_of(" \t\r", begin);
        if (begin == line.npos) break;
        const std::size_t word_end = std::min(line.find_first_of(" \t\r", begin), line.size());
        words_.push_back(line.substr(begin, word_end - begin));
        begin = word_end;
      }
      if (!words_.empty()) return true;
    }
    return false;
  }
  void require(const std::string& what) {
    if (!next()) throw InputError(name_ + ": the file ends; expected " + what);
  }
  std::size_t words() const { return words_.size(); }
  std::size_t number() const { return number_; }
  int integer(std::size_t k, const std::string& what) const {
    int value = 0;
    if (k < words_.size()) {
      std::string_view word = words_[k];
      if (word.starts_with('+')) word.remove_prefix(1);
      const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
      if (error == std::errc() && end == word.data() + word.size()) return value;
    }
    fail(found(k) + ", expected " + what);
  }
  double real(std::size_t k, const std::string& what) const {
    const auto value = k < words_.size() ? parse_real(words_[k]) : std::nullopt;
    if (!value || !std::isfinite(*value)) fail(found(k) + ", expected " + what);
    return *value;
  }
  void require_words(std::size_t count, const std::string& what) const {
    if (words_.size() != count) {
      fail(fmt::format("found {} words, expected {}: {}", words_.size(), count, what));
    }
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(fmt::format("{}:{}: {}", name_, number_, what));
  }

 private:
  std::string found(std::size_t k) const {
    return k < words_.size() ? "found " + quoted(words_[k]) : "found nothing more";
  }

  const std::string& name_;
  std::string_view text_;
  std::size_t at_ = 0, number_ = 0;
  std::vector<std::string_view> words_;
};

/// A value that the file has given, and where.
struct Given {
  double value = 0.0;
  std::size_t line = 0;
};

class SntReader {
 public:
  SntReader(const std::string& name, std::string_view text) : lines_(name, text) {}

  ShellInteraction read() {
    read_orbits();
    read_one_body();
    read_two_body();
    if (lines_.next()) lines_.fail("found more lines than the file announces");
    return std::move(made_);
  }

 private:
  void read_orbits() {
    const std::string header =
        "numbers of proton orbits, neutron orbits, core protons and neutrons";
    lines_.require(header);
    lines_.require_words(4, header);
    std::array<int, 4> numbers{};
    for (std::size_t k = 0; k < 4; ++k) {
      numbers[k] = lines_.integer(k, "a whole number");
      if (numbers[k] < 0 || numbers[k] > most) {
        lines_.fail(fmt::format("found {}, expected 0 to {}", numbers[k], most));
      }
    }
    made_.core = {numbers[2], numbers[3]};
    std::array<int, 2> orbits{}, states{};
    for (int k = 1; k <= numbers[0] + numbers[1]; ++k) {
      const ShellOrbit orbit = read_orbit(k);
      orbits[orbit.kind]++;
      states[orbit.kind] += orbit.twice_j + 1;
      if (states[orbit.kind] > OrbitalString::most_orbitals) {
        lines_.fail(fmt::format("{} states |n l j m> of {}s, expected at most {}",
                                states[orbit.kind], nucleon_names[orbit.kind],
                                OrbitalString::most_orbitals));
      }
      made_.orbits.push_back(orbit);
    }
    for (const Nucleon kind : {proton, neutron}) {
      if (orbits[kind] == numbers[kind]) continue;
      lines_.fail(fmt::format("{} orbits of {}s, where the first line has {}", orbits[kind],
                              nucleon_names[kind], numbers[kind]));
    }
    if (made_.orbits.empty()) lines_.fail("there are no orbits");
  }

  ShellOrbit read_orbit(int number) {
    const std::string what = "number, n, l, 2j and 2t_z of an orbit";
    lines_.require(what);
    lines_.require_words(5, what);
    if (lines_.integer(0, "an orbit's number") != number) {
      lines_.fail(fmt::format("orbits count from 1; expected orbit {}", number));
    }
    ShellOrbit orbit;
    orbit.n = lines_.integer(1, "n");
    orbit.l = lines_.integer(2, "l");
    orbit.twice_j = lines_.integer(3, "2j");
    const int isospin = lines_.integer(4, "2t_z, -1 of protons and 1 of neutrons");
    if (std::abs(isospin) != 1) lines_.fail("2t_z is -1 of protons and 1 of neutrons");
    if (orbit.n < 0 || orbit.l < 0 || orbit.l > 1000 ||
        std::abs(orbit.twice_j - 2 * orbit.l) != 1 || orbit.twice_j < 1) {
      lines_.fail(fmt::format("n {}, l {}, 2j {}: 2j is 2l - 1 or 2l + 1, and n from 0", orbit.n,
                              orbit.l, orbit.twice_j));
    }
    if (orbit.twice_j > largest_twice_j) {
      lines_.fail(fmt::format("2j {}, expected at most {}, to which couplings have all digits",
                              orbit.twice_j, largest_twice_j));
    }
    orbit.kind = isospin < 0 ? proton : neutron;
    for (std::size_t k = 0; k < made_.orbits.size(); ++k) {
      const ShellOrbit& other = made_.orbits[k];
      if (other.kind == orbit.kind && other.n == orbit.n && other.l == orbit.l &&
          other.twice_j == orbit.twice_j) {
        lines_.fail(fmt::format("orbit {} is orbit {} again", number, k + 1));
      }
    }
    return orbit;
  }

  static constexpr int most = 1000, largest_twice_j = 59;

  /// The number of terms that follow, and how they are scaled.
  int read_count(const std::string& terms, bool may_scale) {
    lines_.require("the number of " + terms);
    const int count = lines_.integer(0, "the number of " + terms);
    if (count < 0) lines_.fail(fmt::format("found {} {}", count, terms));
    const int method = lines_.integer(1, "0" + std::string(may_scale ? " or 1" : ""));
    if (method == 1 && may_scale) {
      lines_.require_words(4, "count, 1, A0 and power of the mass");
      const double reference = lines_.real(2, "A0"), power = lines_.real(3, "a power");
      if (!(reference > 0.0)) lines_.fail(fmt::format("found A0 {}, expected above 0", reference));
      made_.scaling = {reference, power};
    } else if (method != 0) {
      lines_.fail(
          fmt::format("{} of kind {}; expected 0{} (others depend on hbar omega or are not known)",
                      terms, method, may_scale ? ", or 1, scaled by (A/A0)^p" : ""));
    } else if (lines_.words() > 2) {
      lines_.require_words(3, "count, 0, and perhaps a mass, which is not used");
      lines_.real(2, "a mass, which is not used");
    }
    return count;
  }

  int read_index(std::size_t word) const {
    const int index = lines_.integer(word, "an orbit's number");
    if (index < 1 || index > std::ssize(made_.orbits)) {
      lines_.fail(fmt::format("orbit {}, expected 1 to {}", index, made_.orbits.size()));
    }
    return index - 1;
  }

  /// False where it repeats an earlier line; throws where that has another value.
  template <class Key>
  bool is_new(std::map<Key, Given>& given, const Key& key, double value) {
    const auto [place, first] = given.try_emplace(key, Given{value, lines_.number()});
    if (!first && !are_repeats(place->second.value, value)) {
      lines_.fail(fmt::format("{}, but line {} gives the same term as {}", value,
                              place->second.line, place->second.value));
    }
    return first;
  }

  void read_one_body() {
    const int count = read_count("one-body terms", false);
    std::map<std::pair<int, int>, Given> given;
    for (int k = 0; k < count; ++k) {
      lines_.require("two orbits and <a|h|b>");
      lines_.require_words(3, "two orbits and <a|h|b>");
      const auto [a, b] = std::minmax({read_index(0), read_index(1)});
      const double value = lines_.real(2, "a number");
      const ShellOrbit &x = made_.orbits[a], &y = made_.orbits[b];
      if (x.kind != y.kind || x.l != y.l || x.twice_j != y.twice_j) {
        lines_.fail("the term is of orbits of different kind, l or j");
      }
      if (is_new(given, {a, b}, value)) made_.one_body.push_back({a, b, value});
    }
  }

  /// Puts the orbits of a state of two nucleons in order; the factor that this gives.
  double put_in_order(int& a, int& b, int j) const {
    const ShellOrbit &x = made_.orbits[a], &y = made_.orbits[b];
    if (std::pair(x.kind, a) <= std::pair(y.kind, b)) return 1.0;
    std::swap(a, b);
    return ((x.twice_j + y.twice_j) / 2 - j) % 2 == 0 ? -1.0 : 1.0;
  }
  /// Throws where orbits do not couple to J.
  void check_coupling(int a, int b, int j, double value) const {
    const int x = made_.orbits[a].twice_j, y = made_.orbits[b].twice_j;
    if (2 * j < std::abs(x - y) || 2 * j > x + y) {
      lines_.fail(fmt::format("orbits {} and {} do not couple to J = {}", a + 1, b + 1, j));
    }
    if (a == b && j % 2 != 0 && value != 0.0) {
      lines_.fail(fmt::format("two {}s in orbit {} have no state with J = {}",
                              nucleon_names[made_.orbits[a].kind], a + 1, j));
    }
  }

  void read_two_body() {
    const int count = read_count("two-body terms", true);
    const std::string what = "four orbits, J and <ab; J|V|cd; J>";
    std::map<std::pair<std::array<int, 4>, int>, Given> given;
    for (int k = 0; k < count; ++k) {
      lines_.require(what);
      lines_.require_words(6, what);
      auto [a, b, c, d] = std::array{read_index(0), read_index(1), read_index(2), read_index(3)};
      const int j = lines_.integer(4, "J");
      double value = lines_.real(5, "a number");
      if (j < 0 || j > largest_twice_j) {
        lines_.fail(fmt::format("found J {}, expected 0 to {}", j, largest_twice_j));
      }
      check_coupling(a, b, j, value);
      check_coupling(c, d, j, value);
      value *= put_in_order(a, b, j) * put_in_order(c, d, j);
      check_symmetries({a, b, c, d});
      if (std::pair(a, b) > std::pair(c, d)) {
        std::swap(a, c);
        std::swap(b, d);
      }
      const std::array orbits{a, b, c, d};
      if (is_new(given, {orbits, j}, value)) made_.two_body.push_back({orbits, j, value});
    }
  }

  void check_symmetries(const std::array<int, 4>& orbits) const {
    const auto of = [&](int k) { return made_.orbits[orbits[k]]; };
    if (of(0).kind != of(2).kind || of(1).kind != of(3).kind) {
      lines_.fail("the term changes the numbers of protons and neutrons");
    }
    if ((of(0).l + of(1).l + of(2).l + of(3).l) % 2 != 0) lines_.fail("the term changes parity");
  }

  Lines lines_;
  ShellInteraction made_;
};

}  // namespace

ShellInteraction read_snt(const std::string& name, std::string_view text) {
  return SntReader(name, text).read();
}

}  // namespace cisolve
