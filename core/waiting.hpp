#pragma once

namespace cisolve {

/// Lets waiting threads of OpenMP and OpenBLAS sleep after some microseconds. By default they spin
/// for milliseconds, on cores that other processes, or the thread they wait for, could use.
///
/// The libraries read how long from the environment, once, when they are loaded. So the program
/// begins anew, as the same process, with those of these variables that the user has not set:
/// GOMP_SPINCOUNT and KMP_BLOCKTIME, unless one of them or OMP_WAIT_POLICY is there, and
/// OPENBLAS_THREAD_TIMEOUT.
///
/// To be called before all else in main, with its argv. Returns where nothing is to be set, or
/// where the program cannot be begun anew; then threads wait as the libraries are used to, and the
/// variables stay set for programs that this one starts.
void sleep_while_waiting(char** argv);

}  // namespace cisolve
