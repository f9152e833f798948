#pragma once

// The errors of the library are those of its users.
#include "cisolve/error.hpp"  // IWYU pragma: export
