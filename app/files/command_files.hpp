#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/config/config.hpp"
#include "app/files/file_kind.hpp"

namespace cisolve {

/// The files that a command is told to read and to write, and the rule that none of them is lost:
///   no output is an input, or another output, be it under another path, a link or a hard link;
///   stdout and stderr, where they are files, count as outputs; where stderr is an input, it goes
///   to stdout from then on;
///   what is at an output's path is replaced only where it is empty, of the output's kind (whoever
///   wrote it), or `output.force` is set.
/// A checkpoint may be written over the one that the run goes on from: it is replaced as a whole,
/// once there is more to say. Devices and pipes hold nothing that could be lost.
class CommandFiles {
 public:
  /// `key`: what messages call it, "solver.restart" or "INPUT". An empty name is none, and so is a
  /// generated matrix.
  void reads(const std::string& key, const std::filesystem::path& file);
  /// Adds INPUT, which `check` refuses if it is another kind of file (require_hamiltonian).
  void reads_hamiltonian(const std::string& key, const std::filesystem::path& file);
  /// An empty name is none.
  void writes(const std::string& key, const std::filesystem::path& file, FileKind kind);
  /// Adds a report; "-", stdout, and an empty name are no file.
  void reports(const std::string& key, const std::string& json);
  /// A file or a folder whose writer looks for itself at what is there: only that it is none of
  /// the others is checked, and of a folder that none of them is in it.
  void writes_carefully(const std::string& key, const std::filesystem::path& file);
  /// Those that each solve of a run has for itself: what it writes of its states, its checkpoint,
  /// and the vectors that it begins from and follows.
  void of_solve(const RunConfig& config);

  /// To be called before any file is read. Throws InputError, naming file and key, where the rule
  /// does not hold, and where an output's folder is missing or cannot be written.
  void check(bool force) const;

 private:
  void spare_inputs() const;
  void part_outputs() const;

  struct Name {
    std::string key;
    std::filesystem::path file;
    std::optional<FileKind> kind;  ///< of outputs, and of what a solve begins from or follows
  };
  std::vector<Name> inputs_, outputs_;
  std::filesystem::path hamiltonian_;
};

/// The files of `eigen`, `linear` and `run`.
CommandFiles files_of_run(const RunConfig& config);

}  // namespace cisolve
