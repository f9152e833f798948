#include "app/page/figures/picture.hpp"

#include <spdlog/fmt/fmt.h>

namespace cisolve {
namespace {

std::string pixels(double x) {
  return fmt::format("{:.1f}", x);
}

Attributes joined(Attributes first, const Attributes& then) {
  first.insert(first.end(), then.begin(), then.end());
  return first;
}

}  // namespace

void Picture::line(double x1, double y1, double x2, double y2, const Attributes& attributes) {
  const Attributes place{
      {"x1", pixels(x1)}, {"y1", pixels(y1)}, {"x2", pixels(x2)}, {"y2", pixels(y2)}};
  body_ += element("line", joined(place, attributes), "") + "\n";
}

void Picture::rect(double x, double y, double width, double height, const Attributes& attributes) {
  const Attributes place{
      {"x", pixels(x)}, {"y", pixels(y)}, {"width", pixels(width)}, {"height", pixels(height)}};
  body_ += element("rect", joined(place, attributes), "") + "\n";
}

void Picture::text(double x, double y, const std::string& words, const char* anchor,
                   const Attributes& attributes) {
  const Attributes place{{"x", pixels(x)}, {"y", pixels(y)}, {"text-anchor", anchor}};
  body_ += element("text", joined(place, attributes), xml_escaped(words)) + "\n";
}

void Picture::path(const std::string& d, const Attributes& attributes) {
  body_ += element("path", joined({{"d", d}}, attributes), "") + "\n";
}

std::string Picture::markup(const std::string& title, const std::string& description) const {
  return element("svg",
                 {{"role", "img"},
                  {"viewBox", fmt::format("0 0 {:.0f} {:.0f}", width_, height_)},
                  {"style",
                   fmt::format("min-width:{:.0f}px;max-width:{:.0f}px", 0.7 * width_, width_)}},
                 "\n" + element("title", xml_escaped(title)) + "\n" +
                     element("desc", xml_escaped(description)) + "\n" + body_) +
         "\n";
}

}  // namespace cisolve
