#pragma once

#include <memory>

#include "backends/backend.hpp"
#include "core/dense/host_matrix.hpp"

namespace cisolve::testing {

/// A backend of primitives alone, those of the CPU: all else is as Backend writes it over them.
class PlainBackend : public Backend {
 public:
  using Backend::combine;
  using Backend::gram;
  BackendKind kind() const override { return BackendKind::cpu; }
  std::string description() const override { return "plain"; }
  std::size_t free_memory() const override { return host_->free_memory(); }
  void* allocate(std::size_t bytes, Residence residence) override {
    return host_->allocate(bytes, residence);
  }
  void release(void* memory) noexcept override { host_->release(memory); }
  void upload_bytes(const void* host, void* device, std::size_t bytes) override {
    host_->upload_bytes(host, device, bytes);
  }
  void download_bytes(const void* device, void* host, std::size_t bytes) override {
    host_->download_bytes(device, host, bytes);
  }
  void synchronize() override {}
  void copy(ConstView x, View y) override { host_->copy(x, y); }
  void fill(double value, View y) override { host_->fill(value, y); }
  void axpby(double alpha, ConstView x, double beta, View y) override {
    host_->axpby(alpha, x, beta, y);
  }
  void scale_columns(std::span<const double> s, View y) override { host_->scale_columns(s, y); }
  void gram(ConstView x, ConstView y, HostRef c) override { host_->gram(x, y, c); }
  void combine(double alpha, ConstView x, const ConstHostRef& c, double beta, View y) override {
    host_->combine(alpha, x, c, beta, y);
  }
  void gather_rows(const Buffer<Index>& rows, ConstView x, View y) override {
    host_->gather_rows(rows, x, y);
  }
  void scatter_rows(const Buffer<Index>& rows, ConstView x, View y) override {
    host_->scatter_rows(rows, x, y);
  }
  void diagonal_correction(ConstView r, std::span<const double> theta, ConstView d,
                           Denominator kind, double guard, View t) override {
    host_->diagonal_correction(r, theta, d, kind, guard, t);
  }
  void jacobi_update(double omega, ConstView r, ConstView d, double beta, View x) override {
    host_->jacobi_update(omega, r, d, beta, x);
  }

 private:
  std::unique_ptr<Backend> host_ = make_cpu_backend();
};

}  // namespace cisolve::testing
