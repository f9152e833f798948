#include "io/molden/molden.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "core/error.hpp"
#include "core/text/text.hpp"
#include "core/text/text_file.hpp"

namespace cisolve {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const auto first = text.find_first_not_of(blanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) + 1 - first);
}

/// Reads the section [MO] line by line.
class OrbitalReader {
 public:
  explicit OrbitalReader(std::string name) : name_(std::move(name)) {}

  void read(std::string_view line, int number) {
    line_ = number;
    const auto equals = line.find('=');
    if (equals == line.npos) return read_coefficient(line);
    if (!in_head_) labels_.emplace_back();
    in_head_ = true;
    read_head(to_lower(trimmed(line.substr(0, equals))), trimmed(line.substr(equals + 1)));
  }

  /// `bytes`: of the file, which bound what is believed of sizes.
  MoldenOrbitals take(std::size_t bytes) {
    constexpr std::size_t most_left_out = 64;  // coefficients for every byte
    if (labels_.empty()) throw InputError(name_ + ": the section [MO] has no orbitals");
    if (functions_ * labels_.size() > most_left_out * bytes) {
      throw InputError(
          fmt::format("{}: {} coefficients of each of {} orbitals cannot be in a file "
                      "of {} bytes",
                      name_, functions_, labels_.size(), bytes));
    }
    MoldenOrbitals made;
    made.coefficients = HostMatrix::Zero(static_cast<Eigen::Index>(functions_),
                                         static_cast<Eigen::Index>(labels_.size()));
    for (const auto& [function, orbital, value] : elements_) {
      made.coefficients(function, orbital) = value;
    }
    made.labels = std::move(labels_);
    return made;
  }

 private:
  struct Element {
    Eigen::Index function, orbital;
    double value;
  };

  void read_head(const std::string& key, std::string_view value) {
    MoldenOrbitals::Label& label = labels_.back();
    if (key == "sym") {
      label.symmetry = std::string(value);
    } else if (key == "ene") {
      label.energy = number(value);
    } else if (key == "occup") {
      label.occupation = number(value);
    } else if (key == "spin") {
      if (to_lower(value) != "alpha") fail(value, "Alpha: restricted orbitals, of both spins");
    } else {
      fail(key, "Sym, Ene, Spin or Occup");
    }
  }

  void read_coefficient(std::string_view line) {
    const auto blank = std::min(line.find_first_of(" \t"), line.size());
    const double function = number(line.substr(0, blank));
    const double value = number(trimmed(line.substr(blank)));
    constexpr double most = 1e6;
    if (labels_.empty() || !(function >= 1.0 && function <= most) ||
        function != std::floor(function)) {
      fail(line, "the number of a function, from 1, and its coefficient in an orbital");
    }
    in_head_ = false;
    const auto place = static_cast<std::size_t>(function);
    functions_ = std::max(functions_, place);
    elements_.push_back({static_cast<Eigen::Index>(place) - 1,
                         static_cast<Eigen::Index>(labels_.size()) - 1, value});
  }

  double number(std::string_view word) const {
    const auto value = parse_real(word);
    if (!value || !std::isfinite(*value)) fail(word, "a number");
    return *value;
  }
  [[noreturn]] void fail(std::string_view found, const char* expected) const {
    throw InputError(
        fmt::format("{}:{}: [MO]: found {}, expected {}", name_, line_, quoted(found), expected));
  }

  std::string name_;
  int line_ = 0;
  bool in_head_ = false;  ///< the lines before an orbital's coefficients
  std::size_t functions_ = 0;
  std::vector<MoldenOrbitals::Label> labels_;
  std::vector<Element> elements_;
};

}  // namespace

MoldenOrbitals read_molden(const std::filesystem::path& file) {
  const TextFile opened(file);
  const std::string_view text = opened.text();
  OrbitalReader reader(file.string());
  enum class Part { before, orbitals, after } part = Part::before;
  std::string before, after;
  int number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    const std::string_view whole = text.substr(begin, end - begin), line = trimmed(whole);
    begin = end;
    ++number;
    if (line.starts_with('[')) {
      const bool opens = to_lower(line).starts_with("[mo]");
      if (opens && part != Part::before) {
        throw InputError(
            fmt::format("{}:{}: a second section [MO], expected one", file.string(), number));
      }
      if (opens || part == Part::orbitals) part = opens ? Part::orbitals : Part::after;
      if (opens) continue;
    }
    if (part == Part::orbitals) {
      if (!line.empty()) reader.read(line, number);
    } else {
      (part == Part::before ? before : after) += whole;
    }
  }
  if (part == Part::before) {
    throw InputError(file.string() + ": no section [MO], expected a Molden file with orbitals");
  }
  MoldenOrbitals made = reader.take(text.size());
  made.before = std::move(before);
  made.after = std::move(after);
  return made;
}

std::string molden_text(const MoldenOrbitals& orbitals) {
  std::string text = orbitals.before + "[MO]\n";
  for (std::size_t i = 0; i < orbitals.labels.size(); ++i) {
    const auto& [symmetry, energy, occupation] = orbitals.labels[i];
    text += fmt::format(" Sym= {}\n Ene= {:.10f}\n Spin= Alpha\n Occup= {:.10f}\n", symmetry,
                        energy, occupation);
    const auto column = orbitals.coefficients.col(static_cast<Eigen::Index>(i));
    for (Eigen::Index function = 0; function < column.size(); ++function) {
      text += fmt::format(" {:4} {:22.14e}\n", function + 1, column[function]);
    }
  }
  return text + orbitals.after;
}

}  // namespace cisolve
