#pragma once

#include <string>

#include "app/page/markup.hpp"

namespace cisolve {

/// An SVG picture within a page, whose style sheet gives lines and text their colours by class.
class Picture {
 public:
  Picture(double width, double height) : width_(width), height_(height) {}

  /// `attributes`: of the element, a class for instance.
  void line(double x1, double y1, double x2, double y2, const Attributes& attributes = {});
  void rect(double x, double y, double width, double height, const Attributes& attributes = {});
  /// `anchor`: start, middle or end of the words is at x.
  void text(double x, double y, const std::string& words, const char* anchor = "start",
            const Attributes& attributes = {});
  /// `d`: of SVG's path.
  void path(const std::string& d, const Attributes& attributes = {});

  /// The <svg>; `title` and `description` stand for it where it cannot be seen.
  std::string markup(const std::string& title, const std::string& description) const;

 private:
  double width_, height_;
  std::string body_;
};

}  // namespace cisolve
