#pragma once

#include <omp.h>

#include <condition_variable>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "backends/ranks/communicator.hpp"

namespace cisolve::testing {

/// Ranks that are threads of this process, each with one thread of OpenMP.
class ThreadRanks {
 public:
  enum class Hosts { one, many };

  /// `many`: each is on a host of its own, and they have no memory in common.
  explicit ThreadRanks(int count, Hosts hosts = Hosts::one)
      : count_(count), hosts_(hosts), places_(count), expected_(count) {}

  /// Calls work(communicator) on every rank; throws the exception of the lowest rank. If one
  /// throws, the others do as soon as they want something of it.
  void run(const std::function<void(Communicator&)>& work) {
    std::vector<std::exception_ptr> thrown(count_);
    std::vector<std::jthread> threads;
    for (int r = 0; r < count_; ++r) {
      threads.emplace_back([&, r] {
        omp_set_num_threads(1);
        Rank rank(*this, r);
        try {
          work(rank);
        } catch (...) {
          thrown[r] = std::current_exception();
          fail();
        }
        leave();
      });
    }
    threads.clear();
    std::exception_ptr gone;
    for (const std::exception_ptr& exception : thrown) {
      try {
        if (exception) std::rethrow_exception(exception);
      } catch (const OtherFailed&) {
        gone = exception;
      }
    }
    if (gone) std::rethrow_exception(gone);
  }

 private:
  struct OtherFailed : std::runtime_error {
    using std::runtime_error::runtime_error;
  };

  class Rank final : public Communicator {
   public:
    Rank(ThreadRanks& ranks, int rank) : ranks_(ranks), rank_(rank) {}
    int rank() const override { return rank_; }
    int size() const override { return ranks_.count_; }
    int local_size() const override { return ranks_.hosts_ == Hosts::one ? size() : 1; }
    int local_rank() const override { return ranks_.hosts_ == Hosts::one ? rank() : 0; }
    bool has_common_memory() const override { return ranks_.hosts_ == Hosts::one; }
    std::string description() const override { return "threads of a test"; }

   private:
    void do_all_gather(const void* mine, void* all, std::span<const std::size_t> bytes) override {
      ranks_.places_[rank_] = mine;
      meet();
      auto* to = static_cast<char*>(all);
      for (int r = 0; r < size(); to += bytes[r++]) {
        const void* from = ranks_.places_[r];
        if (bytes[r] > 0) std::memcpy(to, from, bytes[r]);
      }
      meet();
    }
    void do_broadcast(void* data, std::size_t bytes, int from) override {
      ranks_.places_[rank_] = data;
      meet();
      if (rank_ != from && bytes > 0) std::memcpy(data, ranks_.places_[from], bytes);
      meet();
    }
    void do_barrier() override { meet(); }
    void meet() {
      if (!ranks_.meet()) throw OtherFailed("another rank has failed");
    }

    ThreadRanks& ranks_;
    int rank_;
  };

  /// Waits, asleep, until all ranks that have not left are here; false where one has failed.
  bool meet() {
    std::unique_lock lock(mutex_);
    const int meeting = meeting_;
    if (++present_ == expected_) {
      end_meeting();
    } else {
      ended_.wait(lock, [&] { return meeting_ != meeting; });
    }
    return !failed_;
  }
  void leave() {
    const std::lock_guard lock(mutex_);
    if (present_ == --expected_ && expected_ > 0) end_meeting();
  }
  void fail() {
    const std::lock_guard lock(mutex_);
    failed_ = true;
  }
  void end_meeting() {
    present_ = 0;
    ++meeting_;
    ended_.notify_all();
  }

  int count_;
  Hosts hosts_;
  std::vector<const void*> places_;
  std::mutex mutex_;
  std::condition_variable ended_;
  int expected_, present_ = 0, meeting_ = 0;
  bool failed_ = false;
};

}  // namespace cisolve::testing
