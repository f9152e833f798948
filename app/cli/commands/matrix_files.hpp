#pragma once

#include <memory>
#include <string>

#include "app/config/config.hpp"
#include "app/files/file_kind.hpp"
#include "app/report/format_dump.hpp"
#include "formats/format.hpp"
#include "io/atomic_file.hpp"

namespace cisolve {

/// Flags of `cisolve info` that are no keys of a run.
struct InfoFlags {
  std::string picture, dump;
  int pixels = 1024;
  bool matrix = false;  ///< built whatever its size
};

/// SVG or PNG, by the name's ending.
FileKind kind_of_picture(const std::string& name);

/// Files of the matrix: a picture and arrays.
class MatrixFiles {
 public:
  /// Throws InputError if they cannot be written or the format is unknown, before any work.
  MatrixFiles(const RunConfig& config, const InfoFlags& flags);

  bool any() const { return picture_ || folder_; }

  /// Writes them and adds `picture` and `dump` to the report.
  void write(const CsrMatrix& a, Json& report);

 private:
  const Format& format_;
  FormatOptions options_;
  std::string picture_name_, title_;
  int pixels_;
  std::unique_ptr<AtomicFile> picture_;
  std::unique_ptr<FormatFolder> folder_;
};

}  // namespace cisolve
