// The picture of the nonzeros, read back from its PNG file: known patterns, pixel by pixel.
#include <png.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <numeric>

#include "core/dense/host_matrix.hpp"
#include "core/error.hpp"
#include "io/density_image.hpp"
#include "tests/support/support.hpp"

namespace cisolve {
namespace {

using namespace cisolve::testing;

/// The image after writing and decoding by libpng.
GrayImage through_file(const GrayImage& image) {
  const auto path = std::filesystem::temp_directory_path() /
                    ("cisolve_density_image_" + std::to_string(getpid()) + ".png");
  write_png(image, path, path.string());
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  EXPECT_NE(png_image_begin_read_from_file(&png, path.c_str()), 0) << png.message;
  EXPECT_EQ(png.format, PNG_FORMAT_GRAY);
  GrayImage read{static_cast<int>(png.width), static_cast<int>(png.height), {}};
  read.pixels.resize(PNG_IMAGE_SIZE(png));
  EXPECT_NE(png_image_finish_read(&png, nullptr, read.pixels.data(), 0, nullptr), 0) << png.message;
  std::filesystem::remove(path);
  return read;
}

GrayImage picture(const CsrMatrix& a, int pixels) {
  return through_file(density_image(a, pixels));
}

int pixel(const GrayImage& image, int row, int column) {
  return image.pixels[static_cast<std::size_t>(row) * image.width + column];
}

CsrMatrix diagonal_matrix(Index n) {
  return matrix_of_rows(n, n, [](Index i) { return std::vector<Index>{i}; });
}

CsrMatrix empty_matrix(Index rows, Index columns) {
  return matrix_of_rows(rows, columns, [](Index) { return std::vector<Index>{}; });
}

void expect_size(const GrayImage& image, int width, int height) {
  ASSERT_EQ(image.width, width);
  ASSERT_EQ(image.height, height);
  ASSERT_EQ(image.pixels.size(), static_cast<std::size_t>(width) * height);
}

constexpr int black = 0, faintest = 208, white = 255;

TEST(DensityImage, magnifies_a_small_matrix_by_a_whole_number) {
  const GrayImage image = picture(diagonal_matrix(3), 10);
  expect_size(image, 9, 9);
  for (int r = 0; r < 9; ++r) {
    for (int c = 0; c < 9; ++c) EXPECT_EQ(pixel(image, r, c), r / 3 == c / 3 ? black : white);
  }
}

TEST(DensityImage, shades_blocks_of_a_diagonal_by_the_logarithm_of_their_density) {
  // Blocks of 4 × 4 with 4 nonzeros: halfway between one and sixteen.
  const GrayImage image = picture(diagonal_matrix(40), 10);
  expect_size(image, 10, 10);
  for (int r = 0; r < 10; ++r) {
    for (int c = 0; c < 10; ++c) EXPECT_EQ(pixel(image, r, c), r == c ? faintest / 2 : white);
  }
}

TEST(DensityImage, keeps_a_single_nonzero_of_a_large_matrix_visible) {
  const CsrMatrix a = matrix_of_rows(100000, 100000, [](Index i) {
    return i == 99999 ? std::vector<Index>{0} : std::vector<Index>{};
  });
  const GrayImage image = picture(a, 20);
  expect_size(image, 20, 20);
  for (int r = 0; r < 20; ++r) {
    for (int c = 0; c < 20; ++c) {
      EXPECT_EQ(pixel(image, r, c), r == 19 && c == 0 ? faintest : white);
    }
  }
}

TEST(DensityImage, shows_a_dense_row_and_a_full_block) {
  std::vector<Index> all(100);
  std::iota(all.begin(), all.end(), 0);
  // Row 5 whole, rows 90 … 99 whole in the last ten columns.
  const CsrMatrix a = matrix_of_rows(100, 100, [&](Index i) {
    if (i == 5) return all;
    return i >= 90 ? std::vector<Index>(all.begin() + 90, all.end()) : std::vector<Index>{};
  });
  const GrayImage image = picture(a, 10);
  expect_size(image, 10, 10);
  for (int r = 0; r < 10; ++r) {
    for (int c = 0; c < 10; ++c) {
      const int expected = r == 0 ? faintest / 2 : r == 9 && c == 9 ? black : white;
      EXPECT_EQ(pixel(image, r, c), expected) << r << ", " << c;
    }
  }
}

TEST(DensityImage, counts_every_nonzero_where_it_belongs_in_uneven_blocks) {
  const Index rows = 103, columns = 71;
  std::mt19937 engine(4);
  std::uniform_int_distribution<Index> any(0, columns - 1);
  const CsrMatrix a = matrix_of_rows(rows, columns, [&](Index) {
    return std::vector<Index>{any(engine), any(engine), any(engine)};
  });
  const GrayImage image = picture(a, 10);
  expect_size(image, 7, 10);
  const auto begin = [](int b, Index extent, int blocks) { return Offset{b} * extent / blocks; };
  const HostMatrix dense = to_dense(a);
  for (int r = 0; r < 10; ++r) {
    for (int c = 0; c < 7; ++c) {
      const auto top = begin(r, rows, 10), left = begin(c, columns, 7);
      const auto block =
          dense.block(top, left, begin(r + 1, rows, 10) - top, begin(c + 1, columns, 7) - left);
      const auto count = (block.array() != 0.0).count();
      const double most = std::log(11.0 * 11.0);  // ⌈103 / 10⌉ × ⌈71 / 7⌉
      const double expected =
          count == 0 ? white : faintest * std::log(double(block.size()) / double(count)) / most;
      EXPECT_NEAR(pixel(image, r, c), expected, 0.5 + 1e-9);
    }
  }
}

TEST(DensityImage, keeps_the_proportions_of_rectangles) {
  expect_size(picture(empty_matrix(50, 100), 10), 10, 5);
  expect_size(picture(empty_matrix(1000, 3), 10), 1, 10);
  expect_size(picture(empty_matrix(2, 5), 16), 15, 6);
}

TEST(DensityImage, is_white_where_the_matrix_is_empty) {
  for (const Index n : {4, 4000}) {
    const GrayImage image = picture(empty_matrix(n, n), 64);
    expect_size(image, 64, 64);
    EXPECT_EQ(std::ranges::count(image.pixels, white), 64 * 64);
  }
}

TEST(DensityImage, of_one_element_is_one_square) {
  EXPECT_EQ(picture(diagonal_matrix(1), 3).pixels, std::vector<std::uint8_t>(9, black));
  EXPECT_EQ(picture(empty_matrix(1, 1), 3).pixels, std::vector<std::uint8_t>(9, white));
}

TEST(DensityImage, refuses_a_matrix_without_rows_or_columns) {
  EXPECT_THROW(density_image(empty_matrix(0, 5), 10), InputError);
  EXPECT_THROW(density_image(empty_matrix(5, 0), 10), InputError);
}

TEST(Png, says_when_it_cannot_be_written) {
  EXPECT_THROW(write_png({1, 1, {0}}, "/nowhere/at/all.png", "all.png"), ResourceError);
}

}  // namespace
}  // namespace cisolve
