#pragma once

#include <string>

#include "core/types.hpp"
#include "io/density_image.hpp"

namespace cisolve {

/// The image of a matrix of that many rows and columns as an SVG document of its own, with the
/// numbers of rows at the left and of columns above, both from 1. `title`: of the matrix.
std::string matrix_picture(const GrayImage& image, Index rows, Index columns,
                           const std::string& title);

}  // namespace cisolve
