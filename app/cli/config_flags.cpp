#include "app/cli/config_flags.hpp"

#include <CLI/CLI.hpp>

namespace cisolve {

ConfigFlags::ConfigFlags(CLI::App& command, const std::vector<Flags>& groups) {
  for (const Flags& group : groups) {
    for (const Flag& flag : group) add(command, flag);
  }
  command.add_option("--set", sets_, "Set a key of the configuration (cisolve run --keys)")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void ConfigFlags::add(CLI::App& command, const Flag& flag) {
  const Field& field = find_field(flag.key);
  std::vector<std::string>& values = given_.emplace_back(Given{flag, {}}).values;
  if (field.is_flag) {
    command.add_flag_callback(
        flag.flag, [&values] { values = {"true"}; }, field.doc);
    return;
  }
  std::string notes = field.allowed;
  if (const std::string value = default_text(field); !value.empty()) {
    notes += (notes.empty() ? "default " : "; default ") + value;
  }
  const std::string doc = field.doc + (notes.empty() ? "" : " (" + notes + ")");
  CLI::Option* option = command.add_option(flag.flag, values, doc);
  option->expected(1)->allow_extra_args(false)->multi_option_policy(
      CLI::MultiOptionPolicy::TakeLast);
  if (flag.flag[0] == '-') {
    option->type_name("VALUE");
  } else {
    option->type_name("")->required();
  }
}

void ConfigFlags::apply_to(RunConfig& config) const {
  std::vector<Setting> settings;
  for (const Given& given : given_) {
    for (const std::string& value : given.values) {
      settings.push_back({given.flag.flag, given.flag.key, value});
    }
  }
  for (const std::string& text : sets_) settings.push_back(parse_setting(text));
  apply_settings(settings, config);
}

const ConfigFlags::Flags& input_flags() {
  static const ConfigFlags::Flags flags{
      {"INPUT", "input.file"},
      {"--electrons", "input.electrons"},
      {"--ms2", "input.ms2"},
      {"--irrep", "input.irrep"},
      {"--spin-inversion", "input.spin_inversion"},
      {"--space", "input.space"},
      {"--frozen", "input.frozen"},
      {"--active", "input.active"},
      {"--allow-missing-diagonal", "input.allow_missing_diagonal"}};
  return flags;
}

const ConfigFlags::Flags& machine_flags() {
  static const ConfigFlags::Flags flags{{"--format", "spmv.format"},
                                        {"--backend", "backend.name"},
                                        {"--threads", "backend.threads"},
                                        {"--json", "output.json"},
                                        {"--html", "output.html"}};
  return flags;
}

}  // namespace cisolve
