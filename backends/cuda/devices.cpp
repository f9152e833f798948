// The module itself, and the devices that there are.
#include <cuda_runtime_api.h>

#include <string>

#include "backends/backend.hpp"
#include "backends/cuda/check.hpp"
#include "backends/cuda/entry.hpp"
#include "cuda_module_stamp.hpp"

namespace cisolve {

const char* CISOLVE_IN_MODULE(cuda_module_stamp)() {
  return CISOLVE_CUDA_MODULE_STAMP;
}

std::string CISOLVE_IN_MODULE(cuda_device_failure)() {
  int devices = 0;
  const cudaError_t status = cudaGetDeviceCount(&devices);
  if (status != cudaSuccess) {
    cudaGetLastError();
    return std::string("no CUDA device answers: ") + cudaGetErrorString(status) +
           "; a GPU and NVIDIA's driver are needed";
  }
  return devices > 0 ? "" : "no CUDA device; a GPU and NVIDIA's driver are needed";
}

int CISOLVE_IN_MODULE(cuda_device_count)() {
  int devices = 0;
  check_cuda(cudaGetDeviceCount(&devices), "counting devices");
  return devices;
}

int CISOLVE_IN_MODULE(exchange_current_device)(int device) {
  int before = 0;
  check_cuda(cudaGetDevice(&before), "asking for the current device");
  check_cuda(cudaSetDevice(device), "choosing the device");
  return before;
}

}  // namespace cisolve
