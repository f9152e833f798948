#include "app/files/command_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "app/checkpoint/start_vectors.hpp"
#include "app/config/format_cache_file.hpp"
#include "app/files/expected_file.hpp"
#include "app/files/expected_start.hpp"
#include "app/input/generated_input.hpp"
#include "core/error.hpp"
#include "io/atomic_file.hpp"

namespace cisolve {
namespace {

namespace fs = std::filesystem;

/// Identity of a file: device and inode if it exists, otherwise its path.
struct Identity {
  explicit Identity(const fs::path& file) : place(place_of(file)) {
    exists = ::stat(file.c_str(), &status) == 0;
  }
  explicit Identity(int descriptor) { exists = ::fstat(descriptor, &status) == 0; }

  bool is_regular() const { return exists && S_ISREG(status.st_mode); }

  fs::path place;  ///< empty of a descriptor
  bool exists = false;
  struct stat status {};
};

bool are_same(const Identity& a, const Identity& b) {
  if (a.exists && b.exists) {
    return a.is_regular() && b.is_regular() && a.status.st_dev == b.status.st_dev &&
           a.status.st_ino == b.status.st_ino;
  }
  return !a.place.empty() && a.place == b.place;
}

/// True if `inner` lies in the folder `outer`, which may be one that is still to be made.
bool lies_in(const Identity& inner, const Identity& outer) {
  const fs::path &a = inner.place, &b = outer.place;
  const auto [rest, end] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return !outer.is_regular() && end == b.end() && rest != a.end();
}

/// A checkpoint may be written over the one gone on from, but not over start vectors.
bool goes_on(const std::string& read, const std::string& written, const fs::path& file) {
  return read == "solver.restart" && written == "checkpoint.file" && !is_start_vectors(file);
}

void require_read_as_checkpoint(const fs::path& file) {
  if (!is_start_vectors(file)) return;
  throw InputError("checkpoint.file: found " + file.string() +
                   ", the name of start vectors, as which solver.restart would read it; expected "
                   "another one, .h5 for instance: it is an HDF5 file");
}

/// Throws InputError where something else than an earlier output is there.
void require_replaceable(const std::string& key, const fs::path& file, FileKind kind) {
  if (!Identity(file).is_regular()) return;
  const FileKind found = kind_of_file(file);
  if (found == kind || found == FileKind::empty) return;
  throw InputError(key + ": " + file.string() + " is there and is " + words_for(found) +
                   ", expected a new file or " + words_for(kind) +
                   "; --force (in run files 'output.force') replaces it");
}

/// If stderr is an input file, later messages go to stdout, or nowhere if that is an input too.
void lead_stderr_away(bool from_stdout_too) {
  const int to = from_stdout_too ? ::open("/dev/null", O_WRONLY | O_CLOEXEC) : STDOUT_FILENO;
  ::dup2(to, STDERR_FILENO);
}

/// A file, or those of a folder and of the folders in it, as TREXIO and EZFIO have them.
std::vector<fs::path> files_within(const fs::path& path) {
  std::vector<fs::path> files{path};
  std::error_code ignored;
  const auto add = [&](const fs::path& folder, const auto& self, int depth) -> void {
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
      files.push_back(entry.path());
      if (depth > 0 && entry.is_directory(ignored)) self(entry.path(), self, depth - 1);
    }
  };
  if (fs::is_directory(path, ignored)) add(path, add, 1);
  return files;
}

}  // namespace

void CommandFiles::reads(const std::string& key, const fs::path& file) {
  if (!file.empty() && !is_generated(file)) inputs_.push_back({key, file, {}});
}

void CommandFiles::reads_hamiltonian(const std::string& key, const fs::path& file) {
  reads(key, file);
  hamiltonian_ = file;
}

void CommandFiles::writes(const std::string& key, const fs::path& file, FileKind kind) {
  if (!file.empty()) outputs_.push_back({key, file, kind});
}

void CommandFiles::reports(const std::string& key, const std::string& json) {
  if (json != "-") writes(key, json, FileKind::report);
}

void CommandFiles::writes_carefully(const std::string& key, const fs::path& file) {
  if (!file.empty()) outputs_.push_back({key, file, {}});
}

void CommandFiles::spare_inputs() const {
  const auto fail = [](const std::string& output, const Name& input) {
    throw InputError(output + " is the same file as " + input.key + ", " + input.file.string() +
                     "; an input is never overwritten");
  };
  for (const Name& input : inputs_) {
    const Identity identity(input.file);
    const bool is_stdout = are_same(Identity(STDOUT_FILENO), identity);
    const bool is_stderr = are_same(Identity(STDERR_FILENO), identity);
    if (is_stderr) lead_stderr_away(is_stdout);
    if (is_stdout || is_stderr) fail(is_stdout ? "stdout" : "stderr", input);
  }
  for (const Name& input : inputs_) {
    const Identity identity(input.file);
    for (const Name& output : outputs_) {
      if (goes_on(input.key, output.key, input.file)) continue;
      if (are_same(Identity(output.file), identity)) {
        fail(output.key + ": " + output.file.string(), input);
      }
    }
  }
}

void CommandFiles::part_outputs() const {
  for (auto one = outputs_.begin(); one != outputs_.end(); ++one) {
    const Identity identity(one->file);
    const auto require = [&](bool parted, const std::string& relation) {
      if (parted) return;
      throw InputError(one->key + ": " + one->file.string() + relation +
                       "; each output needs a place of its own");
    };
    for (auto other = outputs_.begin(); other != outputs_.end(); ++other) {
      if (other == one) continue;
      const Identity others(other->file);
      const std::string name = other->key + ", " + other->file.string();
      require(!are_same(identity, others), " is the same file as " + name);
      require(!lies_in(identity, others), " lies in the folder of " + name);
    }
    require(!are_same(identity, Identity(STDOUT_FILENO)), " is the same file as stdout");
    require(!are_same(identity, Identity(STDERR_FILENO)), " is the same file as stderr");
  }
}

void CommandFiles::check(bool force) const {
  spare_inputs();
  part_outputs();
  for (const Name& output : outputs_) {
    if (!output.kind) continue;
    if (output.key == "checkpoint.file") require_read_as_checkpoint(output.file);
    const AtomicFile probe(output.file);  // throws where it cannot be written
    if (!force) require_replaceable(output.key, output.file, *output.kind);
  }
  if (!hamiltonian_.empty()) require_hamiltonian(hamiltonian_);
  for (const Name& input : inputs_) {
    if (input.kind) require_start(input.file, *input.kind);
  }
}

void CommandFiles::of_solve(const RunConfig& config) {
  const FileKind checkpoint =
      config.task == Task::select ? FileKind::selection : FileKind::checkpoint;
  const auto begins = [&](const std::string& key, const fs::path& file, FileKind kind) {
    if (!file.empty()) inputs_.push_back({key, file, kind});
  };
  begins("input.follow", config.input.follow, FileKind::states);
  begins("solver.restart", config.solver.restart, checkpoint);
  writes("output.vectors", config.output.vectors,
         has_states(config.output.vectors) ? FileKind::states : FileKind::npy);
  writes("output.determinants", config.output.determinants, FileKind::determinants);
  writes("output.rdm1", config.output.rdm1, FileKind::densities);
  writes("output.rdm2", config.output.rdm2, FileKind::densities);
  writes("output.rdm3", config.output.rdm3, FileKind::densities);
  for (const fs::path& file : molden_outputs(config)) {
    writes("output.molden", file, FileKind::molden);
  }
  writes("output.fcidump", config.output.fcidump, FileKind::fcidump);
  writes("checkpoint.file", config.checkpoint.file, checkpoint);
}

CommandFiles files_of_run(const RunConfig& config) {
  CommandFiles files;
  files.reads("the run file", config.run_file);
  files.reads_hamiltonian("input.file", config.input.file);
  for (const fs::path& file : files_within(config.input.determinants)) {
    files.reads("input.determinants", file);
  }
  for (const fs::path& file : string_files(config.input.strings)) {
    files.reads("input.strings", file);
  }
  files.reads("input.dipole", config.input.dipole);
  files.reads("input.orbitals", config.input.orbitals);
  if (rhs_is_file(config.linear)) files.reads("linear.rhs", config.linear.rhs);
  files.reads("linear.x0", config.linear.x0);
  files.reads("spmv.network", config.spmv.network);
  files.reports("output.json", config.output.json);
  files.writes("output.html", config.output.html, FileKind::page);
  files.of_solve(config);
  if (config.spmv.format == "auto") {
    files.writes_carefully("spmv.cache", format_cache_file(config.spmv.cache));
  }
  return files;
}

}  // namespace cisolve
