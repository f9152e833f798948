// The C++ bindings of MPI 2 are not wanted: they would have to be linked.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include "backends/mpi/entry.hpp"
#include "backends/ranks/heartbeat.hpp"
#include "backends/ranks/host_communicator.hpp"
#include "core/error.hpp"
#include "core/timer.hpp"
#include "cuda_module_stamp.hpp"

namespace cisolve {
namespace {

void check(int code, const char* what) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw std::runtime_error(std::string("MPI: ") + what + ": " + std::string(text, length));
}

/// MPI counts in int: what is longer goes in pieces.
constexpr std::size_t piece = std::size_t{1} << 30;
/// Longest exchange that is waited for by sleeping.
constexpr std::size_t few = std::size_t{1} << 16;

/// MPI's own waits keep a core busy, which another rank or program may need: here what takes longer
/// than the exchange itself is slept through.
void wait(MPI_Request request, const char* what) {
  constexpr double spinning = 2e-4;  // seconds
  const Timer timer;
  for (int done = 0;;) {
    check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), what);
    if (done != 0) return;
    if (timer.seconds() > spinning) std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
}

class MpiCommunicator final : public Communicator {
 public:
  /// Takes the communicator, which is its own.
  explicit MpiCommunicator(MPI_Comm comm) : comm_(comm) {
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &size_);
    MPI_Comm host;
    check(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &host),
          "ranks of a host");
    MPI_Comm_rank(host, &local_rank_);
    MPI_Comm_size(host, &local_size_);
    MPI_Comm_free(&host);
  }
  ~MpiCommunicator() override {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (finalized == 0) MPI_Comm_free(&comm_);
  }
  int rank() const override { return rank_; }
  int size() const override { return size_; }
  int local_rank() const override { return local_rank_; }
  int local_size() const override { return local_size_; }
  std::string description() const override {
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(text, &length);
    std::string version(text, length);
    version = version.substr(0, version.find_first_of(",\n"));
    return std::to_string(size_) + " ranks of " + version;
  }

 private:
  void do_all_gather(const void* mine, void* all, std::span<const std::size_t> bytes) override {
    std::size_t sum = 0;
    for (const std::size_t b : bytes) sum += b;
    auto* const to = static_cast<char*>(all);
    if (sum <= piece) {
      counts_.resize(size_);
      begins_.resize(size_);
      int begin = 0;
      for (int r = 0; r < size_; ++r) {
        counts_[r] = static_cast<int>(bytes[r]);
        begins_[r] = begin;
        begin += counts_[r];
      }
      if (sum <= few) {
        MPI_Request request;
        check(MPI_Iallgatherv(mine, counts_[rank_], MPI_BYTE, all, counts_.data(), begins_.data(),
                              MPI_BYTE, comm_, &request),
              "all-gather");
        return wait(request, "all-gather");
      }
      check(MPI_Allgatherv(mine, counts_[rank_], MPI_BYTE, all, counts_.data(), begins_.data(),
                           MPI_BYTE, comm_),
            "all-gather");
      return;
    }
    std::size_t begin = 0;
    for (int r = 0; r < size_; begin += bytes[r++]) {
      if (r == rank_) std::copy_n(static_cast<const char*>(mine), bytes[r], to + begin);
      do_broadcast(to + begin, bytes[r], r);
    }
  }
  void do_broadcast(void* data, std::size_t bytes, int from) override {
    auto* at = static_cast<char*>(data);
    if (bytes <= few) {
      MPI_Request request;
      check(MPI_Ibcast(at, static_cast<int>(bytes), MPI_BYTE, from, comm_, &request), "broadcast");
      return wait(request, "broadcast");
    }
    for (std::size_t done = 0; done < bytes; done += piece) {
      const auto count = static_cast<int>(std::min(piece, bytes - done));
      check(MPI_Bcast(at + done, count, MPI_BYTE, from, comm_), "broadcast");
    }
  }
  void do_barrier() override {
    MPI_Request request;
    check(MPI_Ibarrier(comm_, &request), "barrier");
    wait(request, "barrier");
  }

  MPI_Comm comm_;
  int rank_ = 0, size_ = 1, local_rank_ = 0, local_size_ = 1;
  std::vector<int> counts_, begins_;
};

MPI_Comm duplicate(MPI_Comm of) {
  MPI_Comm comm;
  check(MPI_Comm_dup(of, &comm), "communicator");
  return comm;
}

/// True if ranks of one host are to exchange as those of several do.
bool unwanted() {
  const char* const text = std::getenv("CISOLVE_HOST_MEMORY");
  const std::string_view wanted = text != nullptr ? text : "on";
  if (wanted == "on" || wanted == "off") return wanted == "off";
  throw InputError("CISOLVE_HOST_MEMORY: found \"" + std::string(wanted) +
                   "\", expected on or off");
}

/// The ranks of a communicator, which is duplicated: in common memory where they are of one host.
std::unique_ptr<Communicator> communicator_of(MPI_Comm comm) {
  auto ranks = std::make_unique<MpiCommunicator>(duplicate(comm));
  if (!ranks->all(!unwanted())) return ranks;
  const int rank = ranks->rank(), size = ranks->size();
  const auto memory = SharedMemory::of(*ranks, HostCommunicator::bytes(size));
  if (!memory) return ranks;
  return std::make_unique<HostCommunicator>(memory, rank, size,
                                            ranks->description() + ", in common memory");
}

class MpiWorld final : public World {
 public:
  MpiWorld() : ending_(duplicate(MPI_COMM_WORLD)), ranks_(communicator_of(MPI_COMM_WORLD)) {}
  Communicator& ranks() override { return *ranks_; }
  std::string watch(double silence, std::function<void(const std::string&)> failed) override {
    heartbeat_ = std::make_unique<Heartbeat>(*ranks_, silence, std::move(failed));
    return heartbeat_->problem();
  }
  std::optional<std::vector<int>> end(int number, double seconds) override {
    std::vector<int> numbers(ranks_->size());
    MPI_Request request;
    MPI_Iallgather(&number, 1, MPI_INT, numbers.data(), 1, MPI_INT, ending_, &request);
    const Timer timer;
    for (int done = 0;;) {
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      if (done != 0) break;
      if (timer.seconds() > seconds) return std::nullopt;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return numbers;
  }
  void leave() override {
    heartbeat_.reset();
    ranks_.reset();
    MPI_Barrier(ending_);
    MPI_Finalize();
  }
  void abort(int status) override {
    MPI_Abort(MPI_COMM_WORLD, status);
    std::abort();
  }

 private:
  MPI_Comm ending_;
  std::unique_ptr<Communicator> ranks_;
  std::unique_ptr<Heartbeat> heartbeat_;
};

}  // namespace
}  // namespace cisolve

const char* cisolve_mpi_stamp() {
  return CISOLVE_CUDA_MODULE_STAMP;
}

cisolve::Communicator* cisolve_mpi_communicator(int handle) {
  int initialized = 0;
  MPI_Initialized(&initialized);
  if (initialized == 0) throw cisolve::InputError("communicator: MPI is not initialized");
  return cisolve::communicator_of(MPI_Comm_f2c(handle)).release();
}

cisolve::World* cisolve_mpi_join() {
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  return new cisolve::MpiWorld;
}
