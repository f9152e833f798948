#pragma once

#include <nanobind/nanobind.h>

/// Selected CI.
void add_selection(nanobind::module_& m);
