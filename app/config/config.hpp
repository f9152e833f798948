#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "backends/backend.hpp"
#include "cisolve/eigen.hpp"
#include "cisolve/hamiltonian.hpp"
#include "cisolve/linear.hpp"
#include "cisolve/machine.hpp"
#include "formats/format.hpp"
#include "solvers/eigen/eigen_problem.hpp"
#include "solvers/linear/linear_problem.hpp"

namespace YAML {
class Node;
}

namespace cisolve {

using Json = nlohmann::ordered_json;

enum class Task { eigen, linear };

/// What multiplies: a matrix that is stored, or products made of the integrals.
enum class OperatorKind { automatic, stored, direct };

/// The Hamiltonian: an FCIDUMP file and which determinants to take, or a matrix file.
struct InputConfig : DeterminantSettings {
  std::filesystem::path file;
};

using SolverConfig = EigenSettings;

struct CheckpointConfig {
  std::filesystem::path file;  ///< empty for none
  int iterations = 10;
  double seconds = 600.0;
  int vectors = 0;
};

struct LinearConfig : LinearSettings {
  std::string rhs = "ones";  ///< "ones", "random", "unit:ROW" or a file
  std::filesystem::path x0;  ///< empty: zero
};

/// Whether the right-hand side is a file.
bool rhs_is_file(const LinearConfig& config);

struct SpmvConfig : FormatOptions {
  std::string format = "auto";
  // Of auto alone:
  int expected_products = 50;
  std::filesystem::path network;  ///< empty: the one compiled in
  std::string cache = "auto";     ///< "auto", "none" or a file
};

/// A number of bytes: in run files with or without a unit, "20 GB".
struct Bytes {
  std::uint64_t count = 0;
};

struct BackendConfig {
  Device name = Device::automatic;
  int threads = 0;
  int device = 0;
  Bytes memory_limit;  ///< of what the memory plan counts as available; 0: none
};

struct OutputConfig {
  std::string json;               ///< a file, "-" for stdout, empty for none
  std::filesystem::path vectors;  ///< a .npy file, empty for none
  bool analysis = true;
  int determinants = 5;
  bool force = false;
};

/// Everything a run is told; a default-constructed one holds the defaults.
struct RunConfig {
  std::filesystem::path run_file;  ///< that it was read from; empty: none
  Task task = Task::eigen;
  OperatorKind operator_kind = OperatorKind::automatic;
  InputConfig input;
  SolverConfig solver;
  CheckpointConfig checkpoint;
  LinearConfig linear;
  SpmvConfig spmv;
  BackendConfig backend;
  OutputConfig output;
};

/// One key of the configuration. The table of them serves run files, flags, `--set`, error
/// messages, the report's `config` and the documentation.
struct Field {
  std::string key;      ///< dotted: "solver.states"
  std::string type;     ///< "integer", "number" …
  std::string allowed;  ///< "at least 1", "davidson, lobpcg, lanczos"; empty: any
  std::string doc;
  bool is_flag = false;  ///< true or false: its command-line flag takes no value
  /// Takes the value over; false when it is of the wrong type or out of range.
  std::function<bool(RunConfig&, const YAML::Node&)> set;
  std::function<Json(const RunConfig&)> get;
  /// Whether the value there is in range.
  std::function<bool(const RunConfig&)> holds;
};
const std::vector<Field>& fields();
/// Its default for people; empty when there is none.
std::string default_text(const Field& field);
/// Throws InputError listing the keys at that level.
const Field& find_field(const std::string& key);

/// Splits "key.path=value". Throws InputError when there is no '='.
Setting parse_setting(const std::string& text);
/// Throws InputError on an unknown key or a bad value.
void apply_settings(const std::vector<Setting>& settings, RunConfig& config);

/// Throws InputError naming the first key whose value is out of range, of a configuration that no
/// reader has checked.
void require_in_range(const RunConfig& config);

/// Reads a YAML run file. Relative input paths start from the file's folder or, where nothing is
/// there, from the current one. Throws InputError with file, line, key, what was found and what
/// was expected: on unknown and repeated keys, wrong types and values out of range, and unless it
/// is one document.
RunConfig read_config(const std::filesystem::path& path);

/// The effective configuration, nested as in a run file.
Json to_json(const RunConfig& config);
/// The table of keys in Markdown, as docs/configuration.md shows it.
std::string describe_fields();

}  // namespace cisolve
