#pragma once

namespace cisolve {

/// The thread limit of an OpenMP library that has read this library's environment: one below its
/// default, which no program reaches.
inline constexpr int thread_limit_as_told = 2147483646;

/// True if OpenMP's library is told so. Not where the user has set one of its variables.
bool tells_thread_limit();

/// Gives the process the environment back that it had when it began to load this library. To be
/// called once, when the libraries that read theirs are loaded.
void restore_environment();

}  // namespace cisolve
