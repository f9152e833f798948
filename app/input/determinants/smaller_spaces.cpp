#include "app/input/determinants/smaller_spaces.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "app/config/irrep.hpp"
#include "app/input/determinants/restricted_active_space.hpp"
#include "app/memory/space_bytes.hpp"
#include "core/memory.hpp"
#include "hamiltonian/space/spaces.hpp"

namespace cisolve {
namespace {

/// Rows that a matrix or a vector may have.
constexpr double most_space_rows = std::numeric_limits<Index>::max();

class Table {
 public:
  Table(Task task, double room) : task_(task), room_(room) {}

  /// Adds a space where it fits; `stored`: as a packed matrix, too.
  void add(const std::string& flag, const SpaceSize& size, bool stored) {
    SpaceBytes bytes = bytes_of(size);
    if (task_ != Task::eigen) bytes.direct.reset();
    if (size.determinants > most_space_rows) return;
    add_row(flag, size, bytes, stored && bytes.packed <= room_);
  }
  /// Even functions alone, which are never stored: half of the determinants' and half of those that
  /// are `own` images.
  void add_even(const std::string& flag, SpaceSize size, double own) {
    size.determinants = 0.5 * (size.determinants + own);
    SpaceBytes bytes = bytes_of(size);
    if (task_ == Task::eigen && size.determinants <= most_space_rows) {
      add_row(flag, size, {bytes.vector, 0.0, 0.0, bytes.direct}, false);
    }
  }

  std::string text() const {
    std::string text;
    std::size_t width = 18;
    for (const Row& row : rows_) width = std::max(width, row[0].size());
    for (const Row& row : rows_) {
      text += fmt::format("\n  {:{}} {:>15} {:>12} {:>10} {:>10}", row[0], width, row[1], row[2],
                          row[3], row[4]);
    }
    return text;
  }

 private:
  using Row = std::array<std::string, 5>;

  void add_row(const std::string& flag, const SpaceSize& size, const SpaceBytes& bytes,
               bool fits_stored) {
    const bool fits = fits_stored || (bytes.direct && *bytes.direct <= room_);
    if (size.determinants == 0.0 || !fits) return;
    if (rows_.empty()) {
      rows_.push_back({"would fit", "determinants", "stored, csr", "packed", "direct"});
    }
    const auto text = [](double count) { return count > 0.0 ? format_bytes(count) : "-"; };
    rows_.push_back({flag, count_text(size.determinants), text(bytes.csr), text(bytes.packed),
                     text(bytes.direct.value_or(0.0))});
  }

  Task task_;
  double room_;
  std::vector<Row> rows_;
};

/// Determinants of a full CI space that spin inversion leaves as they are; none where the functions
/// are neither even nor odd.
std::optional<double> own_images(const Integrals& integrals, const SpaceSize& size) {
  const auto electrons = electron_numbers(integrals);
  if (integrals.unrestricted || electrons[alpha] != electrons[beta]) return std::nullopt;
  if (size.irrep.value_or(0) != 0) return 0.0;
  const double n = integrals.orbitals;
  double strings = 1.0;
  for (int i = 1; i <= electrons[alpha]; ++i) strings *= (n - electrons[alpha] + i) / i;
  return std::round(strings);
}

}  // namespace

std::string smaller_spaces(const Determinants& determinants, const RunConfig& config,
                           const MemoryAvailable& available) {
  // None where there are too many determinants.
  if (determinants.listed()) return "\n  a shorter list or an irrep makes it smaller";
  const CiSpace* const made = determinants.has_space() ? determinants.ranges() : nullptr;
  const bool restricted = asks_for_ras(config.input);
  const bool full = made ? made->alpha.full : !restricted && !config.input.space.rank;
  if (restricted && !full) {
    return "\n  fewer holes in RAS1, fewer electrons in RAS3 or an irrep make it smaller";
  }
  const Integrals& integrals = determinants.active_integrals();
  const std::vector<SpaceSize> sizes = space_sizes(integrals);
  const auto of_irreps = [](const SpaceSize& a) {
    return a.space == Space::fci && a.irrep ? a.determinants : 0.0;
  };
  Table table(config.task, static_cast<double>(available.device.value_or(available.host)));
  const bool halves = config.input.spin_inversion == SpinInversion::all;
  const auto add_even = [&](const std::string& flags, const SpaceSize& size) {
    const auto own = own_images(integrals, size);
    if (halves && own) table.add_even(flags + "--spin-inversion even", size, *own);
  };
  for (const SpaceSize& size : sizes) {
    if (!full || size.space != Space::fci || size.irrep != determinants.irrep()) continue;
    table.add("--operator direct", size, false);
    add_even("", size);
  }
  const SpaceSize& largest = *std::ranges::max_element(sizes, {}, of_irreps);
  if (!determinants.irrep() && of_irreps(largest) > 0.0) {
    const std::string flag = "--irrep " + irrep_name(*largest.irrep, determinants.integrals());
    table.add(flag, largest, true);
    if (full) add_even(flag + " ", largest);
  }
  for (const SpaceSize& size : sizes) {
    const bool truncated = size.space != Space::fci && size.irrep == determinants.irrep();
    if (truncated) table.add("--space " + space_name(size.space), size, true);
  }
  return table.text();
}

}  // namespace cisolve
