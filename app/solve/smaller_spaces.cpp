#include "app/solve/smaller_spaces.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <vector>

#include "app/config/irrep.hpp"
#include "app/input/restricted_active_space.hpp"
#include "app/memory/space_bytes.hpp"
#include "core/memory.hpp"
#include "hamiltonian/space/spaces.hpp"

namespace cisolve {
namespace {

class Table {
 public:
  Table(Task task, double room) : task_(task), room_(room) {}

  /// Where it fits; `stored`: as a packed matrix, too.
  void add(const std::string& flag, const SpaceSize& size, bool stored) {
    SpaceBytes bytes = bytes_of(size);
    if (task_ != Task::eigen) bytes.direct.reset();
    const bool fits = (stored && bytes.packed <= room_) || (bytes.direct && *bytes.direct <= room_);
    if (size.determinants == 0.0 || !fits) return;
    if (text_.empty()) add_line("would fit", "determinants", "stored, csr", "packed", "direct");
    add_line(flag, count_text(size.determinants), format_bytes(bytes.csr),
             format_bytes(bytes.packed), bytes.direct ? format_bytes(*bytes.direct) : "-");
  }
  const std::string& text() const { return text_; }

 private:
  void add_line(const auto&... words) {
    text_ += fmt::format("\n  {:18} {:>15} {:>12} {:>10} {:>10}", words...);
  }

  Task task_;
  double room_;
  std::string text_;
};

}  // namespace

std::string smaller_spaces(const HamiltonianSource& source, const RunConfig& config,
                           const MemoryAvailable& available) {
  const bool full = source.space()->alpha.full;
  if (asks_for_ras(config.input) && !full) {
    return "\n  fewer holes in RAS1, fewer electrons in RAS3 or an irrep make it smaller";
  }
  const std::vector<SpaceSize> sizes = space_sizes(*source.active_integrals());
  const auto of_irreps = [](const SpaceSize& a) {
    return a.space == Space::fci && a.irrep ? a.determinants : 0.0;
  };
  Table table(config.task, static_cast<double>(available.device.value_or(available.host)));
  for (const SpaceSize& size : sizes) {
    const bool same = full && size.space == Space::fci && size.irrep == source.irrep();
    if (same) table.add("--operator direct", size, false);
  }
  const SpaceSize& largest = *std::ranges::max_element(sizes, {}, of_irreps);
  if (!source.irrep() && of_irreps(largest) > 0.0) {
    table.add("--irrep " + irrep_name(*largest.irrep, *source.integrals()), largest, true);
  }
  for (const SpaceSize& size : sizes) {
    const bool truncated = size.space != Space::fci && size.irrep == source.irrep();
    if (truncated) table.add("--space " + space_name(size.space), size, true);
  }
  return table.text();
}

}  // namespace cisolve
