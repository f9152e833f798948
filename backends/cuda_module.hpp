#pragma once

#include <string>
#include <utility>

/// All CUDA code is in libcisolve_cuda.so, which lies beside libcisolve.so and is loaded when the
/// first of its functions is called: one program serves machines with and without a GPU.
///
///     CISOLVE_CUDA_FUNCTION(make_row_sums, double(const RowSource&, Backend&));  // a header
///     double CISOLVE_IN_MODULE(make_row_sums)(const RowSource& a, Backend& b) {...}  // a .cu
///
/// declares `make_row_sums`, to be called or stored as a pointer to such a function, and defines
/// it. Called where the module cannot be loaded, it throws ResourceError saying why not.
#define CISOLVE_CUDA_FUNCTION(name, ...)                                \
  extern "C" ::cisolve::Signature<__VA_ARGS__> CISOLVE_IN_MODULE(name); \
  struct name##_in_module {                                             \
    static constexpr const char* symbol = "cisolve_cuda_" #name;        \
  };                                                                    \
  inline constexpr auto* name =                                         \
      &::cisolve::CudaFunction<::cisolve::Signature<__VA_ARGS__>, name##_in_module>::call
#define CISOLVE_IN_MODULE(name) cisolve_cuda_##name

namespace cisolve {

template <class Function>
using Signature = Function;

/// Why the module cannot be loaded; empty where it is.
const std::string& cuda_module_failure();
/// The failure if there is a driver, so that the user expects one to be used; else empty.
std::string cuda_module_fault();

/// A function of the module. Throws ResourceError where that cannot be loaded.
void* cuda_symbol(const char* name);

template <class Function, class Name>
struct CudaFunction;

template <class Result, class... Arguments, class Name>
struct CudaFunction<Result(Arguments...), Name> {
  static Result call(Arguments... arguments) {
    static const auto function =
        reinterpret_cast<Result (*)(Arguments...)>(cuda_symbol(Name::symbol));
    return function(std::forward<Arguments>(arguments)...);
  }
};

}  // namespace cisolve
