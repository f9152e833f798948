#include "app/model/nuclear_model.hpp"

#include <spdlog/fmt/fmt.h>

#include <cstdlib>
#include <limits>
#include <utility>

#include "app/model/stored_ways.hpp"
#include "app/states/nucleon_reader.hpp"
#include "app/ways/stored/device_way.hpp"
#include "app/ways/stored/rank_way.hpp"
#include "core/error.hpp"
#include "core/text/text.hpp"
#include "hamiltonian/space/spaces.hpp"

namespace cisolve {
namespace {

/// "a core of 8 protons and 8 neutrons, proton orbits 1s1/2, 0d3/2, 0d5/2, neutron orbits …"
std::string shells_text(const ShellInteraction& interaction) {
  std::string text = fmt::format("a core of {} protons and {} neutrons", interaction.core[proton],
                                 interaction.core[neutron]);
  for (const Nucleon kind : {proton, neutron}) {
    std::vector<std::string> names;
    for (const ShellOrbit& orbit : interaction.orbits) {
      if (orbit.kind == kind) names.push_back(orbit_name(orbit));
    }
    text +=
        fmt::format(", {} orbits {}", nucleon_names[kind], names.empty() ? "none" : joined(names));
  }
  return text;
}

/// The number of nucleons of a kind, as configured.
int nucleons(const ShellInteraction& interaction, Nucleon kind, std::optional<int> number,
             const InputConfig& config) {
  const auto most = std::ssize(shell_states(interaction, kind));
  const std::string key = kind == proton ? "input.protons" : "input.neutrons";
  const std::string expected =
      fmt::format("{} outside the core of {}, 0 to {}", nucleon_names[kind] + std::string("s"),
                  config.file.string(), most);
  if (!number) {
    throw InputError(key + " is required: the number of " + expected + "; the file has " +
                     shells_text(interaction));
  }
  if (*number >= 0 && *number <= most) return *number;
  throw InputError(fmt::format("{}: found {}, expected the number of {}", key, *number, expected));
}

std::string sector_text(const ShellSector& sector) {
  return fmt::format("{} protons, {} neutrons, 2M = {} and {} parity", sector.protons,
                     sector.neutrons, sector.twice_m, sector.parity > 0 ? "positive" : "negative");
}

/// The only parity that there is, or the one configured.
ShellSector with_parity(ShellSector sector, const ShellInteraction& interaction,
                        NuclearParity wanted, const std::string& file) {
  const auto count = [&](int parity) {
    sector.parity = parity;
    return count_shell_determinants(interaction, sector);
  };
  const double positive = count(1), negative = count(-1);
  if (wanted == NuclearParity::automatic && positive > 0 && negative > 0) {
    throw InputError(
        fmt::format("input.parity: {} has {:.0f} determinants of positive and {:.0f} of negative "
                    "parity; expected positive or negative",
                    file, positive, negative));
  }
  if (wanted == NuclearParity::automatic)
    wanted = negative > 0 ? NuclearParity::negative : NuclearParity::positive;
  sector.parity = wanted == NuclearParity::positive ? 1 : -1;
  const double rows = wanted == NuclearParity::positive ? positive : negative;
  if (rows == 0.0) {
    const bool other = positive + negative > 0.0;
    throw InputError(fmt::format("{}: there are no determinants with {}{}", file,
                                 sector_text(sector),
                                 other ? "; all have the other" : ", nor of the other parity"));
  }
  if (rows > std::numeric_limits<Index>::max()) {
    throw InputError(
        fmt::format("{}: {:.4g} determinants with {}, expected at most {}; a larger input.twice_m "
                    "has fewer, and the levels with J >= M",
                    file, rows, sector_text(sector), std::numeric_limits<Index>::max()));
  }
  return sector;
}

ShellSector sector_of(const ShellInteraction& interaction, const InputConfig& config) {
  ShellSector sector;
  sector.protons = nucleons(interaction, proton, config.protons, config);
  sector.neutrons = nucleons(interaction, neutron, config.neutrons, config);
  const int all = sector.protons + sector.neutrons;
  if (all == 0) throw InputError("input.protons and input.neutrons: there are no nucleons");
  sector.twice_m = config.twice_m.value_or(all % 2);
  if (std::abs(sector.twice_m) % 2 != all % 2) {
    throw InputError(
        fmt::format("input.twice_m: found {}, expected an {} number, as {} nucleons have",
                    sector.twice_m, all % 2 == 0 ? "even" : "odd", all));
  }
  return with_parity(sector, interaction, config.parity, config.file.string());
}

/// The configuration of the determinants, which are made here.
InputConfig listed_here(InputConfig config) {
  config.protons.reset();
  config.neutrons.reset();
  config.twice_m.reset();
  config.parity = NuclearParity::automatic;
  return config;
}

Determinants made(const ShellInteraction& interaction, const ShellSector& sector,
                  const InputConfig& config, const Log& log) {
  Integrals integrals = shell_integrals(interaction, sector.protons, sector.neutrons);
  const DeterminantList list = shell_determinants(interaction, sector);
  auto space =
      std::make_shared<const AnySpace>(make_listed_space(integrals, list.alpha, list.beta));
  return Determinants(std::move(integrals), listed_here(config), log).over(std::move(space), log);
}

}  // namespace

NuclearModel::NuclearModel(ShellInteraction interaction, const InputConfig& config, Units units,
                           Storage storage, const Log& log)
    : interaction_(std::move(interaction)),
      sector_(sector_of(interaction_, config)),
      units_(units),
      determinants_(made(interaction_, sector_, config, log)),
      matrix_(determinants_, storage, log) {
  log.inform(nucleus());
}

std::string NuclearModel::row_name(std::int64_t row) const {
  const Determinant determinant = determinants_.space().determinant(row);
  std::string name;
  for (const Nucleon kind : {proton, neutron}) {
    const auto states = shell_states(interaction_, kind);
    int orbit = -1;
    name += kind == proton ? "p" : " n";
    for (const int p : determinant[static_cast<Spin>(kind)]) {
      if (states[p].orbit != orbit) {
        name += (orbit < 0 ? " " : ") ") + orbit_name(interaction_.orbits[states[p].orbit]) + "(";
      } else {
        name += ",";
      }
      orbit = states[p].orbit;
      name += std::to_string(states[p].twice_m);
    }
    if (orbit >= 0) name += ")";
  }
  return name;
}

std::string NuclearModel::nucleus() const {
  const int inside = sector_.protons + sector_.neutrons;
  const int mass = interaction_.core[proton] + interaction_.core[neutron] + inside;
  std::string text = fmt::format("nucleus with A = {}: {}; outside {}", mass, sector_text(sector_),
                                 shells_text(interaction_));
  if (interaction_.scaling) {
    text +=
        fmt::format("; two-body terms times {:.6f} = ({}/{:g})^{:g}", interaction_.factor(inside),
                    mass, interaction_.scaling->reference, interaction_.scaling->power);
  }
  return text;
}

std::vector<std::string> NuclearModel::notes() const {
  std::vector<std::string> all = determinants_.notes();
  all.push_back(nucleus());
  return all;
}

std::vector<Way> NuclearModel::ways() {
  std::vector<Way> ways{rank_way(matrix_)};
  std::ranges::move(device_ways(determinants_), std::back_inserter(ways));
  return with_stored_ways(std::move(ways), matrix_, nullptr);
}

std::unique_ptr<StateReader> NuclearModel::reader(Backend& backend, const RowOrder* order) const {
  return make_nucleon_reader(backend, interaction_, determinants_, sector_, order);
}

}  // namespace cisolve
