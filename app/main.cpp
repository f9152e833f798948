#include <execinfo.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "app/cli/command_line.hpp"
#include "app/cli/ending.hpp"
#include "app/cli/typed_words.hpp"
#include "app/report/report.hpp"
#include "app/run/run.hpp"
#include "backends/ranks/world.hpp"
#include "core/error.hpp"
#include "core/threads/waiting.hpp"
#include "io/atomic_file.hpp"

namespace {

/// An exception where none may leave: a destructor of nlohmann's JSON allocates. Without memory for
/// it the program ends as without memory anywhere.
[[noreturn]] void on_lost_exception() {
  cisolve::remove_temporaries();
  if (std::current_exception()) {
    try {
      throw;
    } catch (const std::bad_alloc&) {
      constexpr std::string_view words = "cisolve: error: out of memory\n";
      [[maybe_unused]] const auto written = ::write(STDERR_FILENO, words.data(), words.size());
      std::_Exit(cisolve::no_resource);
    } catch (...) {  // a fault of the program
    }
  }
  std::abort();
}

void prepare_signals() {
  std::signal(SIGCHLD, SIG_DFL);  // where a parent ignored it, how a child ended is not told
  for (const int signal : {SIGPIPE, SIGXFSZ})
    std::signal(signal, SIG_IGN);  // writing fails instead
  // Signals that end a program: all but those that stop it, go by unnoticed, or cannot be caught.
  for (int signal = 1; signal < NSIG; ++signal) {
    constexpr std::array others{SIGCHLD, SIGPIPE, SIGXFSZ, SIGCONT,  SIGSTOP, SIGTSTP,
                                SIGTTIN, SIGTTOU, SIGURG,  SIGWINCH, SIGKILL};
    if (std::ranges::find(others, signal) != others.end()) continue;
    if (std::signal(signal, cisolve::end_by_signal) == SIG_IGN)
      std::signal(signal, SIG_IGN);  // as under nohup
  }
}

/// The C library loads libgcc_s when it first unwinds a thread, and aborts without memory for that.
void prepare_unwinding() {
  void* frame = nullptr;
  ::backtrace(&frame, 1);
}

/// One rank speaks for all; of the others their errors are heard.
void silence_others() {
  if (cisolve::world().ranks().first()) return;
  if (std::freopen("/dev/null", "w", stdout) == nullptr) throw cisolve::ResourceError("/dev/null");
  spdlog::set_level(spdlog::level::err);
}

}  // namespace

int main(int argc, char** argv) {
  std::set_terminate(on_lost_exception);
  std::atexit(cisolve::remove_temporaries);  // of HDF5 and libgomp, which may end the program
  prepare_signals();
  prepare_unwinding();
  auto log = spdlog::stderr_color_mt("cisolve");
  auto words = std::make_unique<spdlog::pattern_formatter>();
  words->add_flag<cisolve::TypedWords>('*').set_pattern("cisolve: %^%l%$: %*");
  log->set_formatter(std::move(words));
  spdlog::set_default_logger(log);
  if (const std::string note = cisolve::take_spinning_note(); !note.empty()) log->warn(note);
  cisolve::Ending ending;
  try {
    if (cisolve::launched_ranks() > 1) {
      silence_others();
      cisolve::watch_ranks();
    }
    ending.status = cisolve::command_line(argc, argv);
  } catch (const cisolve::ReaderGone&) {
    cisolve::end_by_signal(SIGPIPE);
    ending.status = cisolve::no_resource;  // where the signal is blocked
  } catch (const cisolve::ResourceError& error) {
    ending = {cisolve::no_resource, error.what()};
  } catch (const std::bad_alloc&) {
    ending = {cisolve::no_resource, "out of memory"};
  } catch (const std::exception& error) {
    ending = {cisolve::bad_input, error.what()};
  }
  return cisolve::end_together(ending);
}
