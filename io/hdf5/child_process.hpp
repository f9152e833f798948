#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <string>
#include <utility>

namespace cisolve {

/// One end of a connection between two processes, closed at the end of its scope.
class Channel {
 public:
  explicit Channel(int descriptor) : descriptor_(descriptor) {}
  Channel(Channel&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Channel& operator=(Channel&&) = delete;
  ~Channel();

  /// All the bytes, or false: the other end is gone.
  bool send(const void* data, std::size_t bytes) const;
  bool receive(void* data, std::size_t bytes) const;

 private:
  int descriptor_;
};

/// Both ends of a new connection. Throws ResourceError, naming `name`.
std::pair<Channel, Channel> connect(const std::string& name);

/// A process for work on input that may be damaged by a library that such input can crash, hang, or
/// make take memory without measure: docs/adr/0016-hdf5-is-read-in-a-child-process.md. It begins as
/// a copy of this one (fork) whose threads are not copied, so the work may use neither OpenMP nor a
/// device. Its output to stderr is dropped.
class ChildProcess {
 public:
  /// `serve` runs in the child and answers what it is sent, until `receive` says that this object
  /// is gone. `name`: of the input, for messages. Throws ResourceError when no process can be had.
  ChildProcess(std::string name, const std::function<void(const Channel&)>& serve);
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  /// Ends the child, whatever it does.
  ~ChildProcess();

  /// Both throw where the child has ended, saying how: InputError, the input is damaged; of one
  /// that was killed from outside ResourceError.
  void send(const void* data, std::size_t bytes);
  void receive(void* data, std::size_t bytes);

 private:
  ChildProcess(std::string name, const std::function<void(const Channel&)>& serve,
               std::pair<Channel, Channel> ends);
  [[noreturn]] void fail();
  int wait();

  std::string name_;
  pid_t id_ = -1;
  Channel channel_;
};

/// In a child: what it may take from here until the next call, beside what it had when it began,
/// for work on so many bytes at once: 1 GiB and four times the bytes of memory, past which
/// allocations fail, and of processor time 5 s and 1 s for every 50 MB, past which it is ended.
void limit_child(std::size_t bytes);

}  // namespace cisolve
