#include "app/page/figures/matrix_picture.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "app/page/figures/axis.hpp"
#include "app/page/markup.hpp"

namespace cisolve {
namespace {

// Pixels.
constexpr double left = 84, top = 78, margin = 24, tick = 5;

std::string base64(const std::string& bytes) {
  constexpr const char* digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t j = i; j < i + 3; ++j) {
      three = three << 8 | (j < bytes.size() ? static_cast<unsigned char>(bytes[j]) : 0u);
    }
    for (std::size_t d = 0; d < 4; ++d) {
      text += i + d <= bytes.size() ? digits[three >> (18 - 6 * d) & 63] : '=';
    }
  }
  return text;
}

std::string text(double x, double y, const std::string& words, const char* more) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", x, y, more,
                     xml_escaped(words));
}

std::string line(double x1, double y1, double x2, double y2) {
  return fmt::format(
      "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"black\"/>\n", x1, y1,
      x2, y2);
}

/// Round numbers of rows or columns, `count` from 1 over so many pixels, at the middle of each and
/// no nearer to each other than `apart` pixels.
std::vector<Axis::Tick> numbers(Index count, double from, double pixels, double apart) {
  std::vector<Axis::Tick> kept;
  for (const Axis::Tick& one : Axis::counting(0.5, count + 0.5, from, from + pixels).ticks()) {
    if (kept.empty() || one.at - kept.back().at >= apart) kept.push_back(one);
  }
  return kept;
}

}  // namespace

std::string matrix_picture(const GrayImage& image, Index rows, Index columns,
                           const std::string& title) {
  std::string body = fmt::format(
      "<image x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" "
      "image-rendering=\"pixelated\" href=\"data:image/png;base64,{}\"/>\n",
      left, top, image.width, image.height, base64(png_bytes(image)));
  body += fmt::format(
      "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"black\"/>\n", left,
      top, image.width, image.height);
  for (const Axis::Tick& row : numbers(rows, top, image.height, 16)) {
    body += line(left - tick, row.at, left, row.at) +
            text(left - tick - 4, row.at + 4, row.label, "text-anchor=\"end\"");
  }
  for (const Axis::Tick& column : numbers(columns, left, image.width, 60)) {
    body += line(column.at, top - tick, column.at, top) +
            text(column.at, top - tick - 5, column.label, "text-anchor=\"middle\"");
  }
  const double middle = top + image.height / 2.0;
  body += text(left + image.width / 2.0, top - 32, "column", "text-anchor=\"middle\"");
  body += text(
      18, middle, "row",
      fmt::format("text-anchor=\"middle\" transform=\"rotate(-90 18 {:.1f})\"", middle).c_str());
  body += text(left, 24, title, "font-size=\"15\"");
  const double width = std::max(left + image.width + margin, left + 9.0 * title.size());
  return fmt::format(
             "<svg role=\"img\" xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" "
             "height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"sans-serif\" "
             "font-size=\"12\">\n<title>{2}</title>\n"
             "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
             width, top + image.height + margin, xml_escaped(title)) +
         body + "</svg>\n";
}

}  // namespace cisolve
