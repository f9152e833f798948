#include "app/input/generated_input.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "app/config/config_value.hpp"
#include "app/config/nearest.hpp"
#include "core/error.hpp"
#include "core/text/text.hpp"
#include "formats/matrix/generate.hpp"
#include "hamiltonian/integrals/hubbard.hpp"
#include "hamiltonian/integrals/random_integrals.hpp"
#include "hamiltonian/space/strings/orbital_string.hpp"

namespace cisolve {
namespace {

constexpr std::string_view prefix = "generate:";
constexpr Index most_rows = std::numeric_limits<Index>::max();

/// The keys and values of a name, read one by one.
class Keys {
 public:
  explicit Keys(const std::string& name) : name_(name) {
    std::string_view rest = std::string_view(name).substr(prefix.size());
    kind_ = take_word(rest);
    while (!rest.empty()) {
      const std::string word = take_word(rest);
      const auto equals = word.find('=');
      if (equals == word.npos) fail("found " + cisolve::quoted(word) + ", expected key=value");
      if (!values_.emplace(word.substr(0, equals), word.substr(equals + 1)).second) {
        fail("key " + word.substr(0, equals) + " is given twice");
      }
    }
  }
  const std::string& kind() const { return kind_; }

  template <class T>
  T number(const std::string& key, T fallback, T low, T high) {
    const std::string* text = find(key);
    if (text == nullptr) return fallback;
    const auto value = parse_number<T>(*text);
    if (value && low <= *value && *value <= high) return *value;
    const std::string range = Json(low).dump() + " to " + Json(high).dump();
    fail(key + ": found " + cisolve::quoted(*text) + ", expected " + NumberValue<T>::type() + " (" +
         range + ")");
  }
  bool truth(const std::string& key) {
    const std::string* text = find(key);
    if (text == nullptr || *text == "false") return false;
    if (*text == "true") return true;
    fail(key + ": found " + cisolve::quoted(*text) + ", expected true or false");
  }
  /// Throws InputError when a key is left that nothing has read.
  void require_all_read() const {
    if (values_.empty()) return;
    fail("unknown key " + cisolve::quoted(values_.begin()->first) + "; the keys of " + kind_ +
         " are " + known_);
  }
  [[noreturn]] void fail(const std::string& what) const { throw InputError(name_ + ": " + what); }

 private:
  static std::string take_word(std::string_view& rest) {
    const std::string word(rest.substr(0, rest.find(',')));
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    return word;
  }
  const std::string* find(const std::string& key) {
    known_ += (known_.empty() ? "" : ", ") + key;
    const auto node = values_.extract(key);
    if (node.empty()) return nullptr;
    current_ = node.mapped();
    return &current_;
  }

  std::string name_, kind_, known_, current_;
  std::map<std::string, std::string> values_;
};

constexpr std::uint64_t most_seed = std::numeric_limits<std::uint64_t>::max();
constexpr double large = 1e6;

/// The keys of a square matrix made from a seed, which all of these have.
struct Drawn {
  Index rows;
  std::uint64_t seed;
  bool symmetric;
};
Drawn drawn(Keys& keys) {
  const auto rows = keys.number<Index>("rows", 32768, 1, most_rows);
  const auto seed = keys.number<std::uint64_t>("seed", 1, 0, most_seed);
  return {rows, seed, keys.truth("symmetric")};
}

double per_row_of(Keys& keys, Index rows) {
  return keys.number("per_row", std::min(32.0, static_cast<double>(rows)), 0.0, 1.0 * rows);
}

CsrMatrix ci(Keys& keys) {
  const Drawn d = drawn(keys);
  CiPattern p;
  p.rows = d.rows;
  p.reference_fraction = keys.number("reference_fraction", p.reference_fraction, 0.0, 1.0);
  p.reference_density = keys.number("reference_density", p.reference_density, 0.0, 1.0);
  p.expansion_density = keys.number("expansion_density", p.expansion_density, 0.0, 1.0);
  keys.require_all_read();
  return generate_ci(p, d.seed, d.symmetric);
}

CsrMatrix banded(Keys& keys) {
  const Drawn d = drawn(keys);
  const auto bandwidth = keys.number<Index>("bandwidth", 16, 0, most_rows);
  keys.require_all_read();
  return generate_banded(d.rows, bandwidth, d.seed, d.symmetric);
}

CsrMatrix random(Keys& keys) {
  const Drawn d = drawn(keys);
  const double per_row = per_row_of(keys, d.rows);
  keys.require_all_read();
  return generate_random(d.rows, per_row, d.seed, d.symmetric);
}

CsrMatrix power_law(Keys& keys) {
  const Drawn d = drawn(keys);
  const double per_row = per_row_of(keys, d.rows);
  const double exponent = keys.number("exponent", 2.5, 2.01, 100.0);
  keys.require_all_read();
  return generate_power_law(d.rows, per_row, exponent, d.seed, d.symmetric);
}

CsrMatrix stencil(Keys& keys) {
  const auto dimensions = keys.number("dimensions", 2, 1, 3);
  const Index most_sides[] = {most_rows, 46340, 1290};  // most_rows^(1 / dimensions)
  const auto side = keys.number<Index>("side", 100, 1, most_sides[dimensions - 1]);
  const bool box = keys.truth("box");
  const auto seed = keys.number<std::uint64_t>("seed", 1, 0, most_seed);
  const bool symmetric = keys.truth("symmetric");
  keys.require_all_read();
  return generate_stencil(side, dimensions, box, seed, symmetric);
}

CsrMatrix blocks(Keys& keys) {
  const Drawn d = drawn(keys);
  const auto size = keys.number<Index>("block_size", std::min<Index>(8, d.rows), 1, d.rows);
  const auto most = 1.0 * ((d.rows - 1) / size + 1);
  const auto per_row = keys.number("blocks_per_row", std::min(4.0, most), 1.0, most);
  keys.require_all_read();
  return generate_blocks(d.rows, size, per_row, d.seed, d.symmetric);
}

CsrMatrix diagonals(Keys& keys) {
  const Drawn d = drawn(keys);
  const auto count =
      keys.number<Index>("count", 16, 0, std::min<Index>(d.rows, most_rows / 2) * 2 - 1);
  const auto density = keys.number("density", 1.0, 0.0, 1.0);
  keys.require_all_read();
  return generate_diagonals(d.rows, count, density, d.seed, d.symmetric);
}

CsrMatrix runs(Keys& keys) {
  const Drawn d = drawn(keys);
  const double per_row = per_row_of(keys, d.rows);
  const auto length = keys.number<Index>("length", std::min<Index>(8, d.rows), 1, d.rows);
  const auto bandwidth = keys.number<Index>("bandwidth", d.rows, 0, most_rows);
  keys.require_all_read();
  return generate_runs(d.rows, per_row, length, std::min(bandwidth, d.rows), d.seed, d.symmetric);
}

CsrMatrix arrow(Keys& keys) {
  const Drawn d = drawn(keys);
  const auto width = keys.number<Index>("width", std::min<Index>(16, d.rows), 0, d.rows);
  const auto bandwidth = keys.number<Index>("bandwidth", 4, 0, most_rows);
  keys.require_all_read();
  return generate_arrow(d.rows, width, std::min(bandwidth, d.rows), d.seed, d.symmetric);
}

CsrMatrix hubs(Keys& keys) {
  const Drawn d = drawn(keys);
  const double per_row = keys.number("per_row", std::min(8.0, 1.0 * d.rows), 0.0, 1.0 * d.rows);
  const auto count = keys.number<Index>("hubs", 16, 0, most_rows);
  const double length = keys.number("hub_length", 0.1 * d.rows, 0.0, 1.0 * d.rows);
  keys.require_all_read();
  return generate_hubs(d.rows, per_row, count, length, d.seed, d.symmetric);
}

CsrMatrix recursive(Keys& keys) {
  const auto levels = keys.number("levels", 15, 0, 30);
  const auto seed = keys.number<std::uint64_t>("seed", 1, 0, most_seed);
  const bool symmetric = keys.truth("symmetric");
  const double rows = std::ldexp(1.0, levels);
  const double per_row = keys.number("per_row", std::min(16.0, rows), 0.0, rows);
  const double skew = keys.number("skew", 0.32, 0.0, 0.74);
  keys.require_all_read();
  return generate_recursive(levels, per_row, skew, seed, symmetric);
}

Integrals hubbard(Keys& keys) {
  HubbardRing ring;
  ring.sites = keys.number("sites", ring.sites, 1, OrbitalString::most_orbitals);
  ring.t = keys.number("t", ring.t, -large, large);
  ring.u = keys.number("U", ring.u, -large, large);
  ring.electrons = keys.number("electrons", ring.sites, 1, 2 * ring.sites);
  keys.require_all_read();
  return hubbard_integrals(ring);
}

Integrals molecule(Keys& keys) {
  RandomMolecule m;
  m.orbitals = keys.number("orbitals", m.orbitals, 1, OrbitalString::most_orbitals);
  m.electrons = keys.number("electrons", m.orbitals, 1, 2 * m.orbitals);
  m.irreps = keys.number("irreps", m.irreps, 1, 8);
  if (m.irreps & (m.irreps - 1)) keys.fail("irreps: expected 1, 2, 4 or 8");
  m.seed = keys.number<std::uint64_t>("seed", m.seed, 0, most_seed);
  keys.require_all_read();
  return random_integrals(m);
}

}  // namespace

bool is_generated(const std::filesystem::path& name) {
  return name.string().starts_with(prefix);
}

GeneratedInput make_generated_input(const std::string& name) {
  Keys keys(name);
  static constexpr std::pair<const char*, CsrMatrix (*)(Keys&)> matrices[] = {
      {"ci", ci},           {"banded", banded}, {"random", random},       {"power_law", power_law},
      {"stencil", stencil}, {"blocks", blocks}, {"diagonals", diagonals}, {"runs", runs},
      {"arrow", arrow},     {"hubs", hubs},     {"recursive", recursive}};
  for (const auto& [kind, make] : matrices) {
    if (keys.kind() == kind) return {make(keys), {}};
  }
  if (keys.kind() == "hubbard") return {{}, hubbard(keys)};
  if (keys.kind() == "molecule") return {{}, molecule(keys)};
  std::vector<std::string> kinds;
  for (const auto& [kind, make] : matrices) kinds.emplace_back(kind);
  kinds.insert(kinds.end(), {"hubbard", "molecule"});
  const std::string meant = did_you_mean(nearest(keys.kind(), kinds));
  keys.fail("there is no kind " + cisolve::quoted(keys.kind()) + meant +
            (meant.empty() ? ";" : "") + " there are: " + joined(kinds));
}

}  // namespace cisolve
