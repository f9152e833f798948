#include "app/config/config.hpp"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <set>
#include <sstream>

#include "app/config/config_value.hpp"
#include "app/config/nearest.hpp"
#include "app/config/yaml_text.hpp"
#include "core/error.hpp"
#include "core/text/text_file.hpp"
#include "io/array_archive.hpp"
#include "io/matrix_reading.hpp"
#include "io/trexio/trexio_output.hpp"

namespace cisolve {
namespace {

/// The names that may stand directly below `prefix` ("" or "solver."), in the table's order.
std::vector<std::string> names_below(const std::string& prefix) {
  std::vector<std::string> names;
  for (const Field& field : fields()) {
    if (!field.key.starts_with(prefix)) continue;
    const std::string rest = field.key.substr(prefix.size());
    const std::string name = rest.substr(0, rest.find('.'));
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

const Field* lookup(const std::string& key) {
  const auto& all = fields();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Field& f) { return f.key == key; });
  return found == all.end() ? nullptr : &*found;
}

/// The key that was meant: of the same group, or one of this name in another group; empty where
/// none is near.
std::string meant_by(const std::string& key) {
  const std::string prefix = key.substr(0, key.rfind('.') + 1), name = key.substr(prefix.size());
  const std::string near = nearest(name, names_below(prefix));
  if (!near.empty()) return prefix + near;
  for (const Field& field : fields()) {
    if (field.key.ends_with("." + name)) return field.key;
  }
  return "";
}

/// "unknown key solver.stats; did you mean solver.states? the keys of solver are …", for the
/// longest known prefix of the key.
std::string unknown_key(const std::string& key) {
  std::string prefix = key.substr(0, key.rfind('.') + 1);  // npos + 1 = 0: no prefix
  while (!prefix.empty() && names_below(prefix).empty()) {
    prefix.pop_back();
    prefix.resize(prefix.rfind('.') + 1);
  }
  const std::string meant = did_you_mean(meant_by(key));
  std::string message = "unknown key " + key + meant + (meant.empty() ? ";" : "") + " the keys ";
  message +=
      prefix.empty() ? "at the top are " : "of " + prefix.substr(0, prefix.size() - 1) + " are ";
  return message + joined(names_below(prefix));
}

/// Text for messages: a file that is no run file may be one long value.
std::string shortened(const std::string& text) {
  constexpr std::size_t most = 80;
  return text.size() <= most ? text : text.substr(0, most) + "...";
}

std::string found(const YAML::Node& node) {
  if (node.IsNull()) return "nothing";
  if (node.IsMap()) return "a group of keys";
  if (node.IsSequence()) {
    YAML::Emitter text;
    text << YAML::Flow << node;
    return shortened(text.c_str());
  }
  return "'" + shortened(node.Scalar()) + "'";
}

/// The name that was meant, if only by what other programs call it; empty where none is near.
std::string meant_value(const Field& field, const YAML::Node& node) {
  constexpr std::array<std::string_view, 3> elsewhere[] = {{"backend.name", "gpu", "cuda"},
                                                           {"input.units", "au", "hartree"},
                                                           {"input.units", "eh", "hartree"}};
  if (!node.IsScalar()) return "";
  const std::string typed = to_lower(node.Scalar());
  for (const auto& [key, word, name] : elsewhere) {
    if (field.key == key && typed == word) return std::string(name);
  }
  return nearest(typed,
                 field.is_flag ? std::vector<std::string>{"true", "false"} : names_of(field));
}

/// Takes one value over. `where` opens the message: a file and line with the key, or a flag.
void set_field(const Field& field, const YAML::Node& node, const std::string& where,
               RunConfig& config) {
  if (field.set(config, node)) return;
  throw InputError(where + ": found " + found(node) + ", expected " + field.type +
                   (field.allowed.empty() ? "" : " (" + field.allowed + ")") +
                   did_you_mean(meant_value(field, node)));
}

bool indents_with_tabs(std::string_view text) {
  for (auto tab = text.find('\t'); tab != text.npos; tab = text.find('\t', tab + 1)) {
    const auto before = text.find_last_not_of(" \t", tab);
    if (before == text.npos || text[before] == '\n') return true;
  }
  return false;
}

class FileReader {
 public:
  explicit FileReader(std::filesystem::path path) : path_(std::move(path)) {}

  RunConfig read() {
    RunConfig config;
    config.run_file = path_;
    read_map(load(), "", config);
    for (std::filesystem::path* file :
         {&config.input.file, &config.input.determinants, &config.input.dipole,
          &config.input.orbitals, &config.input.follow, &config.solver.restart, &config.linear.x0,
          &config.spmv.network}) {
      from_folder(*file);
    }
    if (rhs_is_file(config.linear)) {
      std::filesystem::path rhs = config.linear.rhs;
      from_folder(rhs);
      config.linear.rhs = rhs.string();
    }
    std::vector<std::filesystem::path> strings = string_files(config.input.strings);
    for (std::filesystem::path& file : strings) from_folder(file);
    config.input.strings = joined(strings, ",", [](const auto& file) { return file.string(); });
    return config;
  }

 private:
  YAML::Node load() const {
    require_file(path_);
    const TextFile file(path_, [](std::string_view) { return double(longest_yaml); });
    if (file.text().size() > longest_yaml) {
      throw InputError(path_.string() + ": found " + std::to_string(file.text().size()) +
                       " bytes, expected a run file of at most " + std::to_string(longest_yaml));
    }
    const std::string text(file.text());
    try {
      return load_yaml(text);
    } catch (const YAML::Exception& error) {
      throw InputError(where(error.mark) + error.msg +
                       (indents_with_tabs(text) ? "; indent with blanks, not tabs" : ""));
    }
  }

  std::string where(const YAML::Mark& mark) const {
    return path_.string() + (mark.is_null() ? "" : ":" + std::to_string(mark.line + 1)) + ": ";
  }

  void read_map(const YAML::Node& node, const std::string& prefix, RunConfig& config) {
    if (node.IsNull()) return;
    if (!node.IsMap()) {
      throw InputError(where(node.Mark()) + "found " + found(node) + ", expected keys" +
                       (prefix.empty() ? "" : " of " + prefix.substr(0, prefix.size() - 1)));
    }
    std::set<std::string> seen;
    for (const auto& entry : node) {
      const std::string at = where(entry.first.Mark());
      if (!entry.first.IsScalar()) throw InputError(at + "a key must be plain text");
      const std::string key = prefix + entry.first.Scalar();
      if (const std::string& name = entry.first.Scalar(); name.find('.') != name.npos) {
        throw InputError(at + key +
                         ": keys with dots are for --set; nest it here, as in solver: {states: 4}");
      }
      if (!seen.insert(key).second) throw InputError(at + key + " is given twice");
      if (const Field* field = lookup(key)) {
        set_field(*field, entry.second, at + key, config);
      } else if (!names_below(key + ".").empty()) {
        read_map(entry.second, key + ".", config);
      } else {
        throw InputError(at + unknown_key(shortened(key)));
      }
    }
  }

  /// Relative input files start from the run file's folder, or from the current one where nothing
  /// is found there.
  void from_folder(std::filesystem::path& file) const {
    if (file.empty() || file.is_absolute()) return;
    const auto beside = path_.parent_path() / file;
    std::error_code ignored;
    if (std::filesystem::exists(beside, ignored) || !std::filesystem::exists(file, ignored)) {
      file = beside.lexically_normal();
    }
  }

  std::filesystem::path path_;
};

}  // namespace

std::optional<std::vector<int>> Value<std::vector<int>>::parse(const YAML::Node& node) {
  std::vector<int> numbers;
  if (node.IsSequence()) {
    for (const auto& item : node) {
      const auto part = item.IsScalar() ? parse(item) : std::nullopt;
      if (!part) return std::nullopt;
      numbers.insert(numbers.end(), part->begin(), part->end());
    }
    return numbers;
  }
  if (!node.IsScalar()) return node.IsNull() ? std::optional(numbers) : std::nullopt;
  std::string_view text = node.Scalar();
  constexpr int most_orbitals = 10000;  // a mistyped range must not fill the memory
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), item.size() + 1));
    const auto dash = item.find('-');
    const auto first = parse_number<int>(item.substr(0, dash));
    const auto last = dash == item.npos ? first : parse_number<int>(item.substr(dash + 1));
    if (!first || !last || *first < 1 || *last < *first || *last > most_orbitals) {
      return std::nullopt;
    }
    for (int orbital = *first; orbital <= *last; ++orbital) numbers.push_back(orbital);
  }
  return numbers;
}

std::optional<Bytes> Value<Bytes>::parse(const YAML::Node& node) {
  if (!node.IsScalar()) return std::nullopt;
  const std::string text = to_lower(node.Scalar());
  const auto unit_begin = std::min(text.find_first_of(" kmgtb"), text.size());
  const auto number = parse_number<double>(std::string_view(text).substr(0, unit_begin));
  const auto name_begin = std::min(text.find_first_not_of(' ', unit_begin), text.size());
  const std::string unit = text.substr(name_begin);
  constexpr std::pair<const char*, double> units[] = {{"", 1.0},   {"b", 1.0},  {"kb", 1e3},
                                                      {"mb", 1e6}, {"gb", 1e9}, {"tb", 1e12}};
  for (const auto& [name, factor] : units) {
    if (unit != name) continue;
    if (!number || !(*number >= 0.0) || *number * factor > 1e18) return std::nullopt;
    return Bytes{static_cast<std::uint64_t>(*number * factor)};
  }
  return std::nullopt;
}

std::vector<ArraysOutput> arrays_outputs(const OutputConfig& output) {
  std::vector<ArraysOutput> given{{"output.vectors", output.vectors, false},
                                  {"output.rdm1", output.rdm1, true},
                                  {"output.rdm2", output.rdm2, true},
                                  {"output.rdm3", output.rdm3, true}};
  std::erase_if(given, [](const ArraysOutput& one) { return one.file.empty(); });
  return given;
}

std::filesystem::path part_of_file(std::filesystem::path file, const std::string& part) {
  const std::string extension = file.extension().string();
  return file.replace_extension("." + part + extension);
}

std::vector<std::filesystem::path> molden_outputs(const RunConfig& config) {
  const std::filesystem::path& file = config.output.molden;
  if (file.empty()) return {};
  if (config.solver.states == 1) return {file};
  std::vector<std::filesystem::path> files;
  for (int state = 1; state <= config.solver.states; ++state) {
    files.push_back(part_of_file(file, std::to_string(state)));
  }
  return files;
}

bool has_states(const std::filesystem::path& vectors) {
  return is_archive(vectors) || is_trexio_name(vectors);
}

bool rhs_is_file(const LinearConfig& config) {
  return config.rhs != "ones" && config.rhs != "random" && !config.rhs.starts_with("unit:");
}

std::vector<std::string> names_of(const Field& field) {
  std::vector<std::string> names;
  if (!field.type.starts_with("name")) return names;
  std::istringstream list(field.allowed);
  for (std::string name; std::getline(list >> std::ws, name, ',');) {
    if (name.find(' ') == name.npos) names.push_back(name);  // else words about other values
  }
  return names;
}

const Field& find_field(const std::string& key) {
  if (const Field* field = lookup(key)) return *field;
  throw InputError(unknown_key(key));
}

Setting parse_setting(const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw InputError("--set " + text + ": expected key.path=value");
  }
  return {"--set", text.substr(0, equals), text.substr(equals + 1)};
}

void apply_settings(const std::vector<Setting>& settings, RunConfig& config) {
  for (const Setting& setting : settings) {
    const std::string origin = setting.origin.empty() ? "" : setting.origin + ": ";
    const Field* field = lookup(setting.key);
    if (field == nullptr) throw InputError(origin + unknown_key(setting.key));
    const std::string where = origin + field->key;
    YAML::Node value(setting.value);
    if (setting.value.starts_with('[')) {
      try {
        value = load_yaml(setting.value);
      } catch (const YAML::Exception& error) {
        throw InputError(where + ": " + error.msg);
      }
    }
    set_field(*field, value, where, config);
  }
}

void require_in_range(const RunConfig& config) {
  for (const Field& field : fields()) {
    if (field.holds(config)) continue;
    throw InputError(field.key + ": found " + field.get(config).dump() + ", expected a number" +
                     (field.allowed.empty() ? "" : ", " + field.allowed));
  }
}

RunConfig read_config(const std::filesystem::path& path) {
  return FileReader(path).read();
}

Json to_json(const RunConfig& config) {
  Json json = Json::object();
  for (const Field& field : fields()) {
    std::string pointer = "/" + field.key;
    std::replace(pointer.begin(), pointer.end(), '.', '/');
    json[Json::json_pointer(pointer)] = field.get(config);
  }
  return json;
}

}  // namespace cisolve
