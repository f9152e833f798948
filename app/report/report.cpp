#include "app/report/report.hpp"

#include <poll.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <iostream>

#include "core/error.hpp"

namespace cisolve {

Output::Output(const std::string& json) : json_to_stdout_(json == "-") {
  if (!json.empty() && !json_to_stdout_) file_ = std::make_unique<AtomicFile>(json);
}

void require_written_stdout() {
  if (std::cout.flush()) return;
  pollfd out{STDOUT_FILENO, POLLOUT, 0};
  if (poll(&out, 1, 0) == 1 && (out.revents & (POLLERR | POLLHUP)) != 0) throw ReaderGone();
  throw ResourceError("stdout cannot be written");
}

std::ostream& Output::text() const {
  return json_to_stdout_ ? std::cerr : std::cout;
}

Log Output::log() const {
  Log log;
  log.warning = [](const std::string& sentence) { spdlog::warn("{}", sentence); };
  log.info = [](const std::string& sentence) { spdlog::info("{}", sentence); };
  log.progress = [&out = text()](const std::string& lines) { out << lines << std::endl; };
  return log;
}

int Output::descriptor() const {
  return json_to_stdout_ ? STDERR_FILENO : STDOUT_FILENO;
}

std::string report_text(const Json& report) {
  return report.dump(2, ' ', false, Json::error_handler_t::replace);
}

void Output::write(const Json& report) {
  const std::string text = report_text(report);
  if (json_to_stdout_) {
    std::cout << text << std::endl;
    require_written_stdout();
  }
  if (file_) file_->write(text + '\n');
}

void Output::write_so_far(const Json& report) {
  if (file_) file_->write(report_text(report) + '\n');
}

}  // namespace cisolve
