#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <atomic>
#include <exception>
#include <filesystem>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "backends/cuda/check.hpp"
#include "backends/ranks/device_exchange.hpp"
#include "core/error.hpp"

#if __has_include(<nccl.h>)
#include <nccl.h>

namespace cisolve {
namespace {

/// NCCL's library, a few hundred megabytes, which is loaded where ranks have devices, and need not
/// be there.
struct Nccl {
  void* handle = nullptr;
  std::string failure;
  decltype(&ncclGetUniqueId) get_unique_id = nullptr;
  decltype(&ncclCommInitRank) init_rank = nullptr;
  decltype(&ncclCommDestroy) destroy = nullptr;
  decltype(&ncclCommAbort) abort = nullptr;
  decltype(&ncclBroadcast) broadcast = nullptr;
  decltype(&ncclGroupStart) group_start = nullptr;
  decltype(&ncclGroupEnd) group_end = nullptr;
  decltype(&ncclGetErrorString) error_string = nullptr;

  Nccl() {
    for (const std::string& name : names()) {
      handle = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (handle != nullptr) break;
      failure = ::dlerror();
    }
    if (handle == nullptr) return;
    failure.clear();
    find(get_unique_id, "ncclGetUniqueId");
    find(init_rank, "ncclCommInitRank");
    find(destroy, "ncclCommDestroy");
    find(abort, "ncclCommAbort");
    find(broadcast, "ncclBroadcast");
    find(group_start, "ncclGroupStart");
    find(group_end, "ncclGroupEnd");
    find(error_string, "ncclGetErrorString");
  }

 private:
  /// Where the loader looks, beside CUDA's libraries, and in the toolkit's own lib.
  static std::vector<std::string> names() {
    constexpr const char* name = "libnccl.so.2";
    Dl_info runtime{};
    ::dladdr(reinterpret_cast<void*>(&cudaGetDeviceCount), &runtime);
    const auto folder = std::filesystem::path(runtime.dli_fname).parent_path();
    return {name, folder / name, folder / "../../../lib" / name};
  }
  template <class Function>
  void find(Function& function, const char* name) {
    function = reinterpret_cast<Function>(::dlsym(handle, name));
    if (function == nullptr && failure.empty()) failure = std::string(name) + " is missing";
  }
};

/// A communicator in the making.
struct Joining {
  ncclComm_t comm = nullptr;
  std::string failure;
  std::atomic<bool> done = false;
};

/// Joins the others, and exchanges something, for NCCL connects devices then. For a thread of its
/// own: others may take their time.
void join(const Nccl& nccl, const ncclUniqueId& id, int rank, int size, int device,
          Joining& joining) {
  const auto worked = [&](ncclResult_t result) {
    if (result != ncclSuccess) joining.failure = nccl.error_string(result);
    return result == ncclSuccess;
  };
  const auto connect = [&] {
    char* memory = nullptr;
    cudaStream_t stream = nullptr;
    bool good = cudaMalloc(&memory, size) == cudaSuccess &&
                cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess;
    good = good && worked(nccl.group_start());
    for (int r = 0; r < size && good; ++r) {
      good = worked(nccl.broadcast(memory + r, memory + r, 1, ncclChar, r, joining.comm, stream));
    }
    good = good && worked(nccl.group_end()) && cudaStreamSynchronize(stream) == cudaSuccess;
    if (!good && joining.failure.empty()) joining.failure = "the device cannot";
    if (stream != nullptr) cudaStreamDestroy(stream);
    cudaFree(memory);
  };
  cudaSetDevice(device);
  if (worked(nccl.init_rank(&joining.comm, size, id, rank))) connect();
  joining.done = true;
}

class NcclExchange final : public DeviceExchange {
 public:
  NcclExchange(const Nccl& nccl, Communicator& ranks, const ncclUniqueId& id)
      : nccl_(nccl), ranks_(ranks), rank_(ranks.rank()), joining_(std::make_shared<Joining>()) {
    int device = 0;
    check_cuda(cudaGetDevice(&device), "asking for the device");
    thread_ = std::thread([&nccl, id, rank = rank_, size = ranks.size(), device, made = joining_] {
      join(nccl, id, rank, size, device, *made);
    });
  }
  ~NcclExchange() override {
    // Where this rank has thrown others may never come to what it has begun: that is not waited
    // for.
    const bool throwing = std::uncaught_exceptions() > thrown_before_;
    if (thread_.joinable()) {
      const bool waited_for = !throwing || joining_->done;
      waited_for ? thread_.join() : thread_.detach();
      if (!waited_for) return;
    }
    if (joining_->comm == nullptr) return;
    throwing ? nccl_.abort(joining_->comm) : nccl_.destroy(joining_->comm);
  }
  std::string begin() override {
    if (thread_.joinable()) thread_.join();
    const bool good = joining_->failure.empty();
    if (ranks_.all(good)) return "";
    return good ? "another rank cannot join" : joining_->failure;
  }
  void all_gather(const void* mine, void* all, std::span<const std::size_t> bytes) override {
    // Parts of different sizes: each rank's goes to all, all at once.
    check(nccl_.group_start());
    auto* to = static_cast<char*>(all);
    for (std::size_t r = 0; r < bytes.size(); to += bytes[r++]) {
      if (bytes[r] == 0) continue;
      const void* from = std::cmp_equal(r, rank_) ? mine : to;
      check(nccl_.broadcast(from, to, bytes[r], ncclChar, static_cast<int>(r), joining_->comm,
                            nullptr));
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
  Communicator& ranks_;
  int rank_;
  int thrown_before_ = std::uncaught_exceptions();
  std::shared_ptr<Joining> joining_;
  std::thread thread_;
};

}  // namespace

std::unique_ptr<DeviceExchange> CISOLVE_IN_MODULE(make_nccl_exchange)(Communicator& ranks,
                                                                      std::string& failure) {
  static const Nccl nccl;
  failure = nccl.failure;
  if (!ranks.all(failure.empty())) {
    if (failure.empty()) failure = "another rank cannot load it";
    return nullptr;
  }
  ncclUniqueId id{};
  if (ranks.first() && nccl.get_unique_id(&id) != ncclSuccess) failure = "it finds no network";
  if (!ranks.all(failure.empty())) {
    if (failure.empty()) failure = "rank 0 cannot begin with it";
    return nullptr;
  }
  id = ranks.of_first(id);
  return std::make_unique<NcclExchange>(nccl, ranks, id);
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
