#include "app/run/progress.hpp"

#include <spdlog/fmt/fmt.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <csignal>
#include <ctime>
#include <string>
#include <utility>

#include "core/timer.hpp"
#include "io/atomic_file.hpp"

namespace cisolve {
namespace {

constexpr std::array signals{SIGINT, SIGTERM};
std::array<struct sigaction, signals.size()> actions_before;
volatile std::sig_atomic_t interrupted = 0;  // the first signal that came; 0: none has
volatile std::sig_atomic_t came[signals.size()] = {};
volatile std::sig_atomic_t noticed = 0;  // by the run
volatile std::sig_atomic_t finishing = 0;
// Alarm that sends SIGTERM again where the run has not noticed the first signal.
timer_t timer{};
bool has_timer = false;
std::atomic<double> patience = 0.0;  // seconds
double longest = 0.0;                // between two questions of the run
Timer since_question;

/// Time for the search in words, as LowerStates allows it.
std::string time_for_search(Verify verify) {
  if (verify == Verify::quick) return "for about a quarter of the solve's time (0.1 s at least)";
  return verify == Verify::standard ? "for about as long as the solve took (0.5 s at least)"
                                    : "until the result can be called verified";
}

void call_again() {
  const double seconds = patience, whole = std::floor(seconds);
  const itimerspec once{{0, 0},
                        {static_cast<time_t>(whole), static_cast<long>(1e9 * (seconds - whole))}};
  if (has_timer) ::timer_settime(timer, 0, &once, nullptr);
}

void on_signal(int signal, siginfo_t* info, void*) {
  if (info->si_code == SI_TIMER) {
    if (noticed != 0 || finishing != 0) return;
    return has_temporaries() ? call_again() : end_by_signal(interrupted);
  }
  volatile std::sig_atomic_t& again = came[signal == SIGINT ? 0 : 1];
  if (again != 0) return end_by_signal(signal);
  again = 1;
  if (interrupted != 0) return;
  interrupted = signal;
  call_again();
}

}  // namespace

Interrupt::Interrupt(double seconds) {
  interrupted = 0;
  noticed = 0;
  finishing = 0;
  for (auto& one : came) one = 0;
  patience = seconds;
  longest = 0.0;
  since_question = Timer();
  sigevent event{};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGTERM;
  has_timer = std::isfinite(seconds) && ::timer_create(CLOCK_MONOTONIC, &event, &timer) == 0;
  struct sigaction action {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  for (const int signal : signals) sigaddset(&action.sa_mask, signal);
  for (std::size_t i = 0; i < signals.size(); ++i) {
    ::sigaction(signals[i], &action, &actions_before[i]);
  }
}

Interrupt::~Interrupt() {
  if (has_timer) ::timer_delete(timer);
  for (std::size_t i = 0; i < signals.size(); ++i) {
    ::sigaction(signals[i], &actions_before[i], nullptr);
  }
}

bool Interrupt::requested() {
  longest = std::max(longest, std::exchange(since_question, Timer()).seconds());
  patience = std::max<double>(patience, 2.0 * longest);
  if (interrupted == 0) return false;
  noticed = 1;
  return true;
}

void Interrupt::finish() {
  finishing = 1;
}

void Interrupt::begin() {
  finishing = 0;
  since_question = Timer();
}

void EigenProgress::show(const EigenIteration& iteration) {
  if (iteration.correcting) return;
  if (iteration.exclusion) return show_search(iteration);
  searching_ = false;
  if (!header_shown_) {
    out_ << "iteration  basis  products  converged  residual  seconds  energies\n";
    header_shown_ = true;
  }
  const auto& norms = iteration.residual_norms;
  const double largest = norms.empty() ? 0.0 : *std::max_element(norms.begin(), norms.end());
  std::string row =
      fmt::format("{:9}  {:5}  {:8}  {:9}  {:8.1e}  {:7.1f}", iteration.iteration, iteration.basis,
                  iteration.operator_applications, iteration.converged, largest, iteration.seconds);
  constexpr double small = 1e-2;  // too few decimals would tell of such energies
  const bool all_small =
      std::ranges::all_of(iteration.energies, [](double e) { return std::abs(e) < small; });
  for (std::size_t i = 0; i < iteration.energies.size(); ++i) {
    const double e = iteration.energies[i];
    const std::string energy = all_small ? fmt::format("  {:.8e}", e) : fmt::format("  {:.8f}", e);
    if (i > 0 && static_cast<int>(row.size() + energy.size()) > width_) break;
    row += energy;
  }
  out_ << row << std::endl;
}

void EigenProgress::show_search(const EigenIteration& iteration) {
  constexpr double interval = 0.5;
  if (!searching_) {
    searching_ = true;
    search_begun_ = last_search_ = iteration.seconds;
    out_ << "search for lower states, " << time_for_search(verify_) << std::endl;
    return;
  }
  if (iteration.seconds < last_search_ + interval) return;
  last_search_ = iteration.seconds;
  const ExclusionProgress& search = *iteration.exclusion;
  out_ << fmt::format("  {} products", search.products);
  if (std::isfinite(search.products_needed) && search.products_needed > 0.0) {
    const double done = static_cast<double>(search.products) / search.products_needed;
    out_ << fmt::format(" of about {:.0f}, {:.0f} %", search.products_needed,
                        100.0 * std::min(1.0, done));
  }
  out_ << fmt::format(", {:.1f} s of the search", iteration.seconds - search_begun_) << std::endl;
}

void LinearProgress::show(const LinearIteration& iteration) {
  constexpr double interval = 0.5;
  if (header_shown_ && iteration.seconds < last_shown_ + interval) return;
  if (!header_shown_) out_ << "iteration  relative residual  seconds\n";
  header_shown_ = true;
  last_shown_ = iteration.seconds;
  out_ << fmt::format("{:9}  {:17.3e}  {:7.1f}", iteration.iteration, iteration.relative_residual,
                      iteration.seconds)
       << std::endl;
}

int terminal_width(int descriptor) {
  winsize size{};
  if (isatty(descriptor) && ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    return size.ws_col;
  }
  return 100;
}

}  // namespace cisolve
