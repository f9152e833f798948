#pragma once

#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/config/config.hpp"
#include "app/select/selection.hpp"
#include "app/solve/outcome/outcome.hpp"
#include "core/dense/host_matrix.hpp"
#include "io/atomic_file.hpp"

namespace cisolve {

/// Throws InputError where an output with arrays has no format for what is solved.
void require_formats(const RunConfig& config);
/// Throws InputError where a name promises another kind of file than what is written, or a file has
/// nothing of the task.
void require_names(const RunConfig& config);

/// A file made before any work is done, where one is asked for.
class ArraysFile {
 public:
  explicit ArraysFile(const std::filesystem::path& file)
      : name_(file.string()), file_(output_file(file)) {}
  /// As `write` does, of the place to write to and the name for messages.
  void write(const std::function<void(const std::filesystem::path&, const std::string&)>& write) {
    if (!file_) return;
    try {
      write(file_->temporary(), name_);
      file_->commit();
    } catch (const std::exception&) {
      file_->discard();  // its room is the report's
      throw;
    }
  }

  /// Throws ResourceError where it is asked for.
  void fail(const std::string& reason) const {
    if (file_) throw ResourceError(name_ + ": not written, " + reason);
  }

 private:
  std::string name_;
  std::unique_ptr<AtomicFile> file_;
};

/// The files with vectors, determinants, densities and integrals that a run writes: its first rank.
class ArraysFiles {
 public:
  explicit ArraysFiles(const RunConfig& config);

  /// vectors(): n × k, called once by all ranks where a file needs them. Failures are kept for
  /// `require_written`: of several irreps the report comes first.
  void write(const EigenOutcome& outcome, const std::function<HostMatrix()>& vectors);
  void write(const SelectionOutcome& outcome, const std::function<HostMatrix()>& vectors);
  void write(const LinearOutcome& outcome, const std::function<HostMatrix()>& vectors);
  void require_written() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void write_states_of(const EigenOutcome& outcome, const std::function<HostMatrix()>& vectors);
  void write_densities_of(const EigenOutcome& outcome);
  void write_integrals_of(const SelectionOutcome& outcome);

  bool takes_part_;  ///< in gathering the vectors, which another rank writes
  ArraysFile vectors_, determinants_, rdm1_, rdm2_, rdm3_, fcidump_;
  std::vector<std::unique_ptr<AtomicFile>> molden_;  ///< of every state
  std::exception_ptr failure_;
};

}  // namespace cisolve
