#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/input/elements/packed_elements.hpp"
#include "app/model/model.hpp"

namespace cisolve {

/// A matrix that its file holds packed.
class PackedModel final : public Model {
 public:
  PackedModel(std::unique_ptr<PackedFile> file, const std::string& name, Units units, Log log)
      : elements_(std::move(file), name, std::move(log)), units_(units) {}

  std::string name() const override { return elements_.name(); }
  std::string kind() const override { return "matrix"; }
  Units units() const override { return units_; }
  Index rows() override { return elements_.rows(); }
  std::vector<std::string> notes() const override { return elements_.notes(); }
  std::vector<Way> ways() override;
  Elements* elements() override { return &elements_; }

 private:
  PackedElements elements_;
  Units units_;
};

}  // namespace cisolve
