#pragma once

#include <exception>
#include <memory>
#include <ostream>
#include <string>

#include "app/config/json.hpp"
#include "core/log.hpp"
#include "io/atomic_file.hpp"

namespace cisolve {

/// Whoever read stdout, such as `head`, has gone.
struct ReaderGone : std::exception {};

/// Flushes stdout. When it did not take all that was written, throws ReaderGone of a pipe that is
/// closed, ResourceError of anything else: a full disk.
void require_written_stdout();

/// As files and stdout have it. Names and messages may quote bytes of the input that are no UTF-8:
/// they are replaced.
std::string report_text(const Json& report);

/// Destination of a command's results: text for people to stdout, JSON to a file or to stdout. If
/// JSON goes to stdout the text goes to stderr.
class Output {
 public:
  /// `json`: a file, "-" for stdout, empty for none. Throws InputError when the file's folder
  /// cannot be written, before any work is done.
  explicit Output(const std::string& json);
  std::ostream& text() const;
  /// Log of a run: progress with the text, the rest on the program's log.
  Log log() const;
  /// Descriptor of the stream behind `text`.
  int descriptor() const;
  /// Writes the report, where one was asked for.
  void write(const Json& report);
  /// Writes the report so far, to a file only; a later one replaces it.
  void write_so_far(const Json& report);

 private:
  bool json_to_stdout_;
  std::unique_ptr<AtomicFile> file_;
};

}  // namespace cisolve
