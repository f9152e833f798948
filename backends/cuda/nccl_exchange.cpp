#include <csignal>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "backends/cuda/check.hpp"
#include "backends/cuda/shared_library.hpp"
#include "backends/ranks/device_exchange.hpp"
#include "core/error.hpp"

#if __has_include(<nccl.h>)
#include <nccl.h>

namespace cisolve {
namespace {

/// NCCL's library, a few hundred megabytes, which is loaded where ranks have devices, and need not
/// be there.
struct Nccl {
  SharedLibrary file{"libnccl.so.2"};
  decltype(&ncclGetUniqueId) get_unique_id = nullptr;
  decltype(&ncclCommInitRank) init_rank = nullptr;
  decltype(&ncclCommAbort) abort = nullptr;
  decltype(&ncclBroadcast) broadcast = nullptr;
  decltype(&ncclGroupStart) group_start = nullptr;
  decltype(&ncclGroupEnd) group_end = nullptr;
  decltype(&ncclGetErrorString) error_string = nullptr;

  Nccl() {
    file.find(get_unique_id, "ncclGetUniqueId");
    file.find(init_rank, "ncclCommInitRank");
    file.find(abort, "ncclCommAbort");
    file.find(broadcast, "ncclBroadcast");
    file.find(group_start, "ncclGroupStart");
    file.find(group_end, "ncclGroupEnd");
    file.find(error_string, "ncclGetErrorString");
  }
};

/// Unique identifier of this rank's device.
cudaUUID_t device_identity() {
  int device = 0;
  check_cuda(cudaGetDevice(&device), "asking for the device");
  cudaDeviceProp properties{};
  check_cuda(cudaGetDeviceProperties(&properties, device), "asking for the device's properties");
  return properties.uuid;
}

bool share_a_device(Communicator& ranks) {
  const std::vector<cudaUUID_t> all = ranks.gather(device_identity());
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (std::memcmp(&all[i], &all[j], sizeof all[i]) == 0) return true;
    }
  }
  return false;
}

class NcclExchange final : public DeviceExchange {
 public:
  /// Joins the others in a thread of its own, for NCCL takes half a second for that.
  NcclExchange(const Nccl& nccl, const ncclUniqueId& id, int rank, int size)
      : nccl_(nccl), rank_(rank) {
    int device = 0;
    check_cuda(cudaGetDevice(&device), "asking for the device");
    // Signals are for the thread that works.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    joining_ = std::jthread([this, id, size, device] {
      if (const cudaError_t error = cudaSetDevice(device); error != cudaSuccess) {
        failure_ = cudaGetErrorString(error);
        return;
      }
      const ncclResult_t result = nccl_.init_rank(&comm_, size, id, rank_);
      if (result != ncclSuccess) failure_ = nccl_.error_string(result);
    });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  ~NcclExchange() override {
    failure();
    // ncclCommDestroy would wait: others may have failed and never reach the call.
    if (comm_ != nullptr) nccl_.abort(comm_);
  }
  std::string failure() override {
    if (joining_.joinable()) joining_.join();
    return failure_;
  }
  void all_gather(const void* mine, void* all, std::span<const std::size_t> bytes) override {
    // Parts of different sizes: each rank's goes to all, all at once.
    check(nccl_.group_start());
    auto* to = static_cast<char*>(all);
    for (std::size_t r = 0; r < bytes.size(); to += bytes[r++]) {
      if (bytes[r] == 0) continue;
      const void* from = std::cmp_equal(r, rank_) ? mine : to;
      check(nccl_.broadcast(from, to, bytes[r], ncclChar, static_cast<int>(r), comm_, nullptr));
    }
    check(nccl_.group_end());
  }

 private:
  void check(ncclResult_t result) const {
    if (result != ncclSuccess) {
      throw ResourceError(std::string("NCCL: ") + nccl_.error_string(result));
    }
  }

  const Nccl& nccl_;
  int rank_;
  ncclComm_t comm_ = nullptr;
  std::string failure_;
  std::jthread joining_;  ///< sets the two before
};

}  // namespace

std::unique_ptr<DeviceExchange> CISOLVE_IN_MODULE(make_nccl_exchange)(Communicator& ranks,
                                                                      std::string& failure) {
  static const Nccl nccl;
  failure = nccl.file.failure();
  if (!ranks.all(failure.empty())) {
    if (failure.empty()) failure = "another rank cannot load it";
    return nullptr;
  }
  // NCCL refuses that, too, but not always on every rank: others then wait for ever.
  if (share_a_device(ranks)) {
    failure = "ranks share a device";
    return nullptr;
  }
  ncclUniqueId id{};
  if (ranks.first() && nccl.get_unique_id(&id) != ncclSuccess) failure = "it finds no network";
  if (!ranks.all(failure.empty())) {
    if (failure.empty()) failure = "rank 0 cannot begin with it";
    return nullptr;
  }
  id = ranks.of_first(id);
  return std::make_unique<NcclExchange>(nccl, id, ranks.rank(), ranks.size());
}

}  // namespace cisolve

#else

namespace cisolve {

std::unique_ptr<DeviceExchange> CISOLVE_IN_MODULE(make_nccl_exchange)(Communicator&,
                                                                      std::string& failure) {
  failure = "the program was built without it (nccl.h)";
  return nullptr;
}

}  // namespace cisolve

#endif
