// Whatever becomes of a child process, its parent hears of it as an error, and goes on.

#include "io/hdf5/child_process.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <vector>

#include "core/error.hpp"

namespace cisolve {
namespace {

/// Message to the parent of a child that does that.
template <class Work>
std::string told(Work work) {
  try {
    ChildProcess child("a.h5", [&](const Channel&) { work(); });
    int answer = 0;
    child.receive(&answer, sizeof answer);
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing";
}

TEST(ChildProcess, AnswersWhatItIsSent) {
  ChildProcess child("a.h5", [](const Channel& parent) {
    for (int number = 0; parent.receive(&number, sizeof number);) {
      number *= 2;
      parent.send(&number, sizeof number);
    }
  });
  for (int i = 1; i < 4; ++i) {
    int number = i;
    child.send(&number, sizeof number);
    child.receive(&number, sizeof number);
    EXPECT_EQ(number, 2 * i);
  }
}

TEST(ChildProcess, HandsOverMoreThanTheSystemBuffers) {
  const std::vector<char> sent(64 << 20, 'x');
  ChildProcess child("a.h5", [&](const Channel& parent) { parent.send(sent.data(), sent.size()); });
  std::vector<char> received(sent.size());
  child.receive(received.data(), received.size());
  EXPECT_EQ(received, sent);
}

TEST(ChildProcess, ThatCrashesIsAnErrorOfItsInput) {
  EXPECT_EQ(told([] { std::raise(SIGSEGV); }),
            "a.h5: damaged: the process that reads it crashed (Segmentation fault)");
  EXPECT_EQ(told([] { std::abort(); }),
            "a.h5: damaged: the process that reads it crashed (Aborted)");
  EXPECT_EQ(told([] { ::_exit(3); }), "a.h5: damaged: the process that reads it ended early");
  EXPECT_EQ(told([] { throw 1; }), "a.h5: damaged: the process that reads it ended early");
}

TEST(ChildProcess, ThatIsKilledIsNoErrorOfItsInput) {
  try {
    told([] { std::raise(SIGKILL); });
    FAIL() << "nothing was thrown";
  } catch (const ResourceError& error) {
    EXPECT_STREQ(error.what(),
                 "a.h5: the process that reads it was killed, perhaps for lack of memory");
  }
}

TEST(ChildProcess, ThatNeverEndsIsEnded) {
  EXPECT_EQ(told([] {
              limit_child(0);
              for (volatile bool on = true; on;) {
              }
            }),
            "a.h5: damaged: the process that reads it took too much processor time");
}

TEST(ChildProcess, HasNoMoreMemoryThanItsLimit) {
  ChildProcess child("a.h5", [](const Channel& parent) {
    limit_child(0);
    // A sanitizer's operator new would end the process.
    const auto can_have = [](std::size_t bytes) {
      void* memory =
          ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      return memory != MAP_FAILED && ::munmap(memory, bytes) == 0;
    };
    const bool answers[] = {can_have(std::size_t{1} << 29), can_have(std::size_t{1} << 31)};
    limit_child(std::size_t{1} << 30);
    const bool more = can_have(std::size_t{1} << 31);
    parent.send(answers, sizeof answers);
    parent.send(&more, sizeof more);
  });
  bool answers[3] = {};
  child.receive(answers, sizeof answers);
  EXPECT_TRUE(answers[0]);
  EXPECT_FALSE(answers[1]);
  EXPECT_TRUE(answers[2]);
}

TEST(ChildProcess, RunsNoHandlerOfItsParent) {
  const auto before = std::signal(SIGTERM, [](int) { ::_exit(77); });
  ChildProcess child("a.h5", [](const Channel& parent) {
    std::raise(SIGTERM);  // as a whole group of processes gets it
    parent.send("x", 1);
  });
  char answer = 0;
  child.receive(&answer, 1);
  EXPECT_EQ(answer, 'x');
  std::signal(SIGTERM, before);
}

TEST(ChildProcess, EndsWithTheObject) {
  pid_t id = 0;
  {
    ChildProcess child("a.h5", [](const Channel& parent) {
      const pid_t own = ::getpid();
      parent.send(&own, sizeof own);
      for (;;) ::pause();
    });
    child.receive(&id, sizeof id);
    EXPECT_EQ(::kill(id, 0), 0);
  }
  EXPECT_NE(::kill(id, 0), 0);
}

}  // namespace
}  // namespace cisolve
