#pragma once

#include <string>

namespace cisolve {

/// Waiting threads of OpenMP and OpenBLAS sleep after some microseconds. By default they spin for
/// milliseconds, on cores that other processes, or the thread they wait for, could use.
///
/// The libraries read how long from the environment, once, when they are loaded. So this library
/// comes with one that is initialised before them and sets those of these variables that the user
/// has not set, until all are loaded: GOMP_SPINCOUNT and KMP_BLOCKTIME, unless one of them or
/// OMP_WAIT_POLICY is there, and OPENBLAS_THREAD_TIMEOUT. OPENBLAS_NUM_THREADS is 1 if the address
/// space is limited to less than 512 MiB a core.
///
/// A sentence for the user where OpenMP's library had been loaded before, so that its threads spin
/// as it is used to; else, and once it was given, empty.
std::string take_spinning_note();

namespace loading {

/// True if OpenMP's library, which has this limit, has read the variables; true where the user's
/// stand.
bool openmp_has_heard(int thread_limit);
/// Gives the process its own environment back.
void end();

}  // namespace loading

}  // namespace cisolve
