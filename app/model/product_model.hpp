#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/input/callers_product.hpp"
#include "app/model/model.hpp"
#include "app/ways/product_way.hpp"

namespace cisolve {

/// A matrix of which the caller has the products and nothing else is known.
class ProductModel final : public Model {
 public:
  ProductModel(std::shared_ptr<const CallersProduct> product, std::string name, Units units)
      : product_(std::move(product)), name_(std::move(name)), units_(units) {}

  std::string name() const override { return name_; }
  std::string kind() const override { return "matrix"; }
  Units units() const override { return units_; }
  Index rows() override { return product_->rows; }
  int components() override { return product_->components; }
  std::vector<Way> ways() override { return {product_way(product_)}; }

 private:
  std::shared_ptr<const CallersProduct> product_;
  std::string name_;
  Units units_;
};

}  // namespace cisolve
