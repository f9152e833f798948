#include "app/cli/supervised.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <string>

namespace cisolve {
namespace {

namespace fs = std::filesystem;

/// A launcher that passes nothing on, and the process that it begins, which ends with 7 of SIGUSR1.
TEST(Supervised, CtrlCReachesWhatTheLauncherHasBegun) {
  const fs::path ready = fs::temp_directory_path() / ("supervised." + std::to_string(::getpid()));
  const std::string rank =
      "trap 'exit 7' USR1; : > '" + ready.string() + "'; while :; do sleep 0.05; done";
  const pid_t program = ::fork();
  if (program == 0) {
    std::signal(SIGINT, SIG_DFL);
    ::_exit(supervised({"sh", "-c", "sh -c \"$0\"; exit $?", rank}, "2"));
  }
  for (int i = 0; i < 1000 && !fs::exists(ready); ++i) ::usleep(10'000);
  ::kill(program, SIGINT);
  int status = 0;
  ::waitpid(program, &status, 0);
  fs::remove(ready);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

}  // namespace
}  // namespace cisolve
