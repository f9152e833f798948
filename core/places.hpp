#pragma once

namespace cisolve {

/// Lets this thread run in part `part` of `parts` equal ones of OpenMP's places, in all of them
/// where they are fewer than the parts. To be called before exec: where OpenMP binds threads
/// (OMP_PROC_BIND, OMP_PLACES, GOMP_CPU_AFFINITY), this one is bound to a place of its own since
/// the library was loaded, and the new program would take that for all the cores there are. Does
/// nothing where threads are not bound.
void allow_places(int part, int parts);

}  // namespace cisolve
