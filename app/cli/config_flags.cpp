#include "app/cli/config_flags.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <utility>

#include "app/cli/command_table.hpp"
#include "app/cli/typed_words.hpp"
#include "core/text/text.hpp"
#include "formats/format.hpp"

namespace cisolve {
namespace {

/// Short text for the help: the first sentence, the allowed values, and the default.
std::string short_doc(const Field& field) {
  std::string notes = field.allowed;
  if (const std::string value = default_text(field); !value.empty() && !field.is_flag) {
    notes += (notes.empty() ? "default " : "; default ") + value;
  }
  auto end = field.doc.find(". ");
  while (end != field.doc.npos && field.doc[end - 1] == '.') end = field.doc.find(". ", end + 1);
  std::string sentence = field.doc.substr(0, end);
  if (sentence.ends_with('.')) sentence.pop_back();
  return sentence + (notes.empty() ? "" : " (" + notes + ")");
}

/// Short text with the command's flags in place of the keys that they set.
std::string help_text(const Field& field, const std::vector<ConfigFlags::Group>& groups) {
  std::string text = short_doc(field);
  for (const ConfigFlags::Group& group : groups) {
    for (const auto& flag : group.flags) text = with_flag(std::move(text), flag.key, flag.flag);
  }
  return text;
}

}  // namespace

ConfigFlags::ConfigFlags(CLI::App& command, const std::vector<Group>& groups) {
  for (const Group& group : groups) {
    for (const Flag& flag : group.flags) {
      add(command, flag, group.heading, help_text(find_field(flag.key), groups));
    }
  }
  command
      .add_option("--set", sets_,
                  "Set any key of the configuration, as often as needed; `cisolve run --keys` "
                  "lists and explains them")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void ConfigFlags::add(CLI::App& command, const Flag& flag, const char* heading,
                      const std::string& help) {
  const Field& field = find_field(flag.key);
  const std::string names = flag.flag + (flag.alias ? "," + std::string(flag.alias) : "");
  std::vector<std::string>& values = given_.emplace_back(Given{flag, {}}).values;
  if (field.is_flag) {
    command
        .add_flag_callback(
            names, [&values] { values = {"true"}; }, help)
        ->group(heading);
    return;
  }
  CLI::Option* option = command.add_option(names, values, help);
  option->expected(1)->allow_extra_args(false)->multi_option_policy(
      CLI::MultiOptionPolicy::TakeLast);
  if (flag.flag[0] == '-') {
    option->type_name(value_name(field))->option_text(joined(values_of(field), " "));
  } else {
    option->type_name("")->required();
  }
  option->group(heading);
}

void ConfigFlags::apply_to(RunConfig& config) const {
  std::vector<Setting> settings, sets;
  for (const std::string& text : sets_) sets.push_back(parse_setting(text));
  for (const Given& given : given_) {
    for (const std::string& value : given.values) settings.push_back({"", given.flag.key, value});
    const bool is_set = std::ranges::find(sets, given.flag.key, &Setting::key) != sets.end();
    if (!is_set || !given.values.empty()) name_by_flag(given.flag.key, given.flag.flag);
  }
  settings.insert(settings.end(), sets.begin(), sets.end());
  apply_settings(settings, config);
}

const ConfigFlags::Group& input_flags() {
  static const ConfigFlags::Group group{
      "Hamiltonian",
      {{"INPUT", "input.file"},
       {"--units", "input.units"},
       {"--symmetrize", "input.symmetrize"},
       {"--allow-missing-diagonal", "input.allow_missing_diagonal"}}};
  return group;
}

const ConfigFlags::Group& orbital_flags() {
  static const ConfigFlags::Group group{"Determinants (of FCIDUMP, TREXIO and .snt files)",
                                        {{"--electrons", "input.electrons"},
                                         {"--ms2", "input.ms2"},
                                         {"--irrep", "input.irrep"},
                                         {"--point-group", "input.point_group"},
                                         {"--orbsym", "input.orbsym"},
                                         {"--orbital-kind", "input.orbital_kind"},
                                         {"--frozen", "input.frozen"},
                                         {"--freeze", "input.freeze"},
                                         {"--active", "input.active"}}};
  return group;
}

const ConfigFlags::Group& determinant_flags() {
  static const ConfigFlags::Group group = [] {
    ConfigFlags::Group made = orbital_flags();
    made.flags.insert(made.flags.end(), {{"--spin-inversion", "input.spin_inversion"},
                                         {"--kramers", "input.kramers"},
                                         {"--space", "input.space"},
                                         {"--determinants", "input.determinants"},
                                         {"--strings", "input.strings"},
                                         {"--first-orbital", "input.first_orbital"},
                                         {"--ras1", "input.ras1"},
                                         {"--ras-holes", "input.ras_holes"},
                                         {"--ras3", "input.ras3"},
                                         {"--ras-particles", "input.ras_particles"},
                                         {"--protons", "input.protons"},
                                         {"--neutrons", "input.neutrons"},
                                         {"--twice-m", "input.twice_m"},
                                         {"--parity", "input.parity"}});
    return made;
  }();
  return group;
}

const ConfigFlags::Group& state_output_flags() {
  static const ConfigFlags::Group group{"Output and files",
                                        {{"--json", "output.json"},
                                         {"--html", "output.html"},
                                         {"--vectors", "output.vectors"},
                                         {"--determinants-out", "output.determinants"},
                                         {"--rdm1", "output.rdm1"},
                                         {"--rdm2", "output.rdm2"},
                                         {"--rdm3", "output.rdm3"},
                                         {"--molden", "output.molden"},
                                         {"--orbitals", "input.orbitals"},
                                         {"--dipole", "input.dipole"},
                                         {"--leading", "output.leading"},
                                         {"--checkpoint", "checkpoint.file"},
                                         {"--restart", "solver.restart"},
                                         {"--force", "output.force"}}};
  return group;
}

const ConfigFlags::Group& machine_flags() {
  static const ConfigFlags::Group group{"Machine",
                                        {{"--format", "spmv.format"},
                                         {"--backend", "backend.name"},
                                         {"--threads", "backend.threads"},
                                         {"--memory-limit", "backend.memory_limit"}}};
  return group;
}

std::vector<std::string> values_of(const Field& field) {
  if (field.key != "spmv.format") return names_of(field);
  std::vector<std::string> values{"auto"};
  for (const Format& format : formats()) values.push_back(format.name);
  return values;
}

std::string value_name(const Field& field) {
  if (field.type == "integer" || field.type == "number") return "NUMBER";
  if (field.type == "file" || field.key == "output.json" || field.key == "output.html")
    return "FILE";
  return field.type == "orbital numbers" || field.type == "integer or list" ? "LIST" : "NAME";
}

}  // namespace cisolve
