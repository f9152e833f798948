#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "backends/cuda/check.hpp"
#include "core/dense/host_matrix.hpp"
#include "hamiltonian/direct/cuda/addition_buffers.hpp"
#include "hamiltonian/direct/cuda/diagonal_cuda.cuh"
#include "hamiltonian/direct/cuda/gathers_cuda.cuh"
#include "hamiltonian/direct/cuda/mixed_operator_cuda.cuh"
#include "hamiltonian/direct/cuda/pair_buffers.hpp"
#include "hamiltonian/direct/cuda/rows_product_cuda.cuh"
#include "hamiltonian/direct/cuda/vectors_cuda.cuh"
#include "hamiltonian/direct/direct_product.hpp"
#include "hamiltonian/direct/direct_ranks.hpp"
#include "hamiltonian/direct/rows/direct_elements.hpp"

namespace cisolve {
namespace {

class DirectCuda final : public DirectOperator {
 public:
  DirectCuda(std::shared_ptr<const DirectTables> tables, Backend& backend)
      : tables_(std::move(tables)),
        layout_(tables_->layout),
        backend_(backend),
        ranks_(*tables_, backend, {TargetTiles::step_pairs, TargetTiles::columns}),
        work_doubles_(work_on_device(*tables_)),
        pairs_(*tables_, backend) {
    int device = 0;
    check_cuda(cudaGetDevice(&device), "reading the device");
    check_cuda(cudaDeviceGetAttribute(&processors_, cudaDevAttrMultiProcessorCount, device),
               "reading its properties");
    lay_out();
    upload_additions();
    const mixed_product::Operator& of_all = mixed({{}, layout_.all_betas()});
    const int irreps = layout_.irreps();  // of one as of all
    if (irreps > 1) room_for_irreps_ = Buffer<char>(backend, irreps * of_all.bytes());
    work_ = Buffer<double>(backend, work_doubles_);
    c_ = Buffer<double>(backend, memory_);
    sigma_ = Buffer<double>(backend, memory_);
    zero(c_.data());  // also between the rows
  }

  Index rows() const override { return ranks_.rows(); }
  Index columns() const override { return rows(); }

  void apply(double alpha, ConstView x, double beta, View y) const override {
    for (int j = 0; j < x.columns; ++j) {
      const Content content = content_of(*tables_, x.slice(j, 1), backend_);
      load_vector(x.slice(j, 1));
      multiply(content);
      store_vector(content.parity != Parity::none, alpha,
                   kind_factors(tables_->rows, content.parity), beta, y.slice(j, 1));
    }
  }

  void to_layout(ConstView x, double* c) const override {
    load_vector(x);
    for (int g = 0; g < most_irreps; ++g) {
      const Index strings = layout_.alpha_strings.size(g), betas = layout_.betas(g).size();
      if (strings == 0 || betas == 0) continue;
      check_cuda(cudaMemcpy2DAsync(c, betas * sizeof(double), c_.data() + places_.base[g],
                                   places_.ld[g] * sizeof(double), betas * sizeof(double), strings,
                                   cudaMemcpyDeviceToDevice),
                 "copying a vector");
      c += std::int64_t{strings} * betas;
    }
  }

  void apply_s_squared(ConstView x, View y) const override {
    const Parity parity = content_of(*tables_, x, backend_).parity;
    const bool lower = parity != Parity::none;
    load_vector(x);
    zero(sigma());  // between the rows too, which become those of c
    const DirectStrings &alphas = layout_.alpha_strings, &betas = layout_.beta_strings;
    const auto& [base, ld] = places_;
    for (int g = 0; g < most_irreps; ++g) {
      const StringRange all = ranks_.alphas(lower, g);
      if (all.size() == 0 || ld[g] == 0) continue;
      const std::int64_t place = base[g] + (all.first - alphas.begin[g]) * std::int64_t{ld[g]};
      for (int h = 0; h < most_irreps; ++h) {
        const StringRange sources = layout_.betas(irrep_product(g, h)), targets = layout_.betas(g);
        if (h != 0 && sources.size() == 0) continue;
        const double* const own = c_.data() + place;
        const SpinSquaredTerms terms{pairs_.alphas.data(),
                                     pairs_.betas.data(),
                                     pairs_.links_begin.data() + h,
                                     pairs_.links.data(),
                                     pairs_.tables[h].data(),
                                     betas.size(),
                                     all.first,
                                     targets.first,
                                     targets.size(),
                                     0.5 * (alphas.electrons - betas.electrons),
                                     h == 0,
                                     lower,
                                     c_.data() + base[irrep_product(g, h)],
                                     ld[irrep_product(g, h)],
                                     alphas.begin[irrep_product(g, h)],
                                     sources.first,
                                     own,
                                     sigma() + place,
                                     ld[g]};
        for (Index a = 0; a < all.size(); a += 65535) {  // the most a grid has
          SpinSquaredTerms part = terms;
          part.alphas_first += a;
          part.own_c += a * part.own_ld;
          part.sigma += a * part.own_ld;
          const dim3 grid(blocks_of(targets.size()), std::min<Index>(65535, all.size() - a));
          s_squared<<<grid, block_threads>>>(part);
          check_launch("multiplying with S²");
        }
      }
    }
    store_vector(lower, 1.0, kind_factors(tables_->rows, parity), 0.0, y);
  }

  void diagonal(View d) const override {
    const Integrals& integrals = tables_->integrals;
    const int m = integrals.orbitals;
    std::vector<double> coulomb, exchange;
    for (int p = 0; p < m; ++p) {
      for (int q = 0; q < m; ++q) {
        coulomb.push_back((*integrals.alpha_beta)(p, p, q, q));
        exchange.push_back((*integrals.alpha_beta)(p, q, p, q));
      }
    }
    std::vector<double> of_alpha = string_energies(integrals, alpha, layout_.alpha_strings);
    for (double& energy : of_alpha) energy += integrals.core_energy;
    const auto upload = [&](const std::vector<double>& x) {
      return Buffer<double>::from_host(backend_, x);
    };
    const auto alphas = upload(of_alpha),
               betas = upload(string_energies(integrals, beta, layout_.beta_strings)),
               coulombs = upload(coulomb), exchanges = upload(exchange);
    const DiagonalTerms terms{m,
                              pairs_.alphas.data(),
                              pairs_.betas.data(),
                              alphas.data(),
                              betas.data(),
                              coulombs.data(),
                              exchanges.data()};
    for_each_block(c_.data(), [&](const StringBlock& block) {
      const dim3 grid(blocks_of(block.betas), std::min<Index>(block.alphas, 65535));
      fill_diagonal<<<grid, block_threads>>>(block, terms, d.data, d.stride);
    });
    check_launch("the diagonal");
    backend_.synchronize();  // before the tables go
  }

  OperatorInfo info() const override {
    return info_without_matrix(
        tables_->bytes(), sizeof(double) * static_cast<std::size_t>(2 * memory_ + work_doubles_));
  }

 private:
  /// Places of the rows of c: those of one irrep one behind another, each at an even place.
  void lay_out() {
    const DirectStrings& alphas = layout_.alpha_strings;
    for (int g = 0; g < most_irreps; ++g) {
      places_.base[g] = memory_;
      places_.ld[g] = even(layout_.betas(g).size());
      memory_ += places_.ld[g] * std::int64_t{alphas.size(g)};
    }
    for (const DirectRows::Kind& kind : tables_->rows.kinds()) {
      rows_begin_[kind.parity == Parity::odd] =
          Buffer<std::int64_t>::from_host(backend_, kind.begin);
    }
  }

  /// Calls visit(block) for what c has of each two irreps, where parities are told apart of each
  /// once.
  template <class Visit>
  void for_each_block(double* c, Visit visit) const {
    const DirectStrings &alphas = layout_.alpha_strings, &betas = layout_.beta_strings;
    const bool parities = tables_->rows.kinds().front().parity != Parity::none;
    const auto place = [&](int g, int y) {
      return c + places_.base[g] + betas.begin[y] - layout_.betas(g).first;
    };
    for (int g = 0; g < most_irreps; ++g) {
      for (int y = 0; y < most_irreps; ++y) {
        if (!layout_.holds(g, y) || (parities && g < y)) continue;
        StringBlock block{alphas.begin[g],
                          alphas.size(g),
                          betas.begin[y],
                          betas.size(y),
                          y,
                          place(g, y),
                          places_.ld[g],
                          nullptr,
                          0,
                          false,
                          rows_begin_[0].data(),
                          rows_begin_[1].data(),
                          ranks_.first_row(),
                          ranks_.rows()};
        if (parities) {
          block.turned = place(y, g);
          block.turned_ld = places_.ld[y];
          block.triangle = g == y;
        }
        visit(block);
      }
    }
  }

  /// c := x, by way of σ over ranks.
  void load_vector(ConstView x) const {
    const ConstView whole = ranks_.whole(x, sigma());
    for_each_block(c_.data(), [&](const StringBlock& block) {
      load<<<tiles_of(block), tile_threads>>>(block, whole.data, whole.stride);
    });
    check_launch("loading a vector");
  }

  /// y := α σ + β y, with the factors of each kind of rows; over ranks c is lost.
  void store_vector(bool lower, double alpha, const std::vector<double>& factors, double beta,
                    View y) const {
    if (!ranks_.alone()) ranks_.gather(lower, sigma(), places_, c_.data());
    double even = 1.0, odd = 1.0;
    const auto& kinds = tables_->rows.kinds();
    for (std::size_t k = 0; k < kinds.size(); ++k) {
      (kinds[k].parity == Parity::odd ? odd : even) = factors[k];
    }
    for_each_block(ranks_.alone() ? sigma() : c_.data(), [&](const StringBlock& block) {
      store<<<tiles_of(block), tile_threads>>>(block, alpha, even, odd, beta, y.data, y.stride);
    });
    check_launch("storing a vector");
  }

  void zero(double* vector) const {
    check_cuda(cudaMemsetAsync(vector, 0, memory_ * sizeof(double)), "setting a vector to zero");
  }

  /// Made when there is first something to multiply: few irreps are ever alone in a vector.
  const mixed_product::Operator& mixed(const Content::Part& part) const {
    if (part.irrep) room_for_irreps_ = Buffer<char>();
    const mixed_product::AlphaStrings alphas{pairs_.alphas.data(), pairs_.links_begin.data(),
                                             pairs_.links.data()};
    return mixed_
        .try_emplace(part.irrep, *tables_, part.betas, places_.base, places_.ld, alphas, backend_)
        .first->second;
  }

  void upload_additions() {
    for (const Spin spin : {alpha, beta}) {
      const DirectStrings& strings = spin == alpha ? layout_.alpha_strings : layout_.beta_strings;
      for (int y = 0; y < most_irreps; ++y) {
        const HostMatrix& w = tables_->same_spin[spin].w(y);
        w_[spin][y] =
            Buffer<double>::from_host(backend_, std::vector<double>(w.data(), w.data() + w.size()));
        const auto add = [&](std::vector<AdditionBuffers>& to, const StringRange& targets) {
          to.emplace_back(tables_->same_spin[spin], y, targets, backend_);
        };
        if (spin == beta) {
          add(beta_additions_, {0, strings.size(y)});
          continue;
        }
        for (const bool lower : {false, true}) {
          if (lower && (ranks_.alone() || !ranks_.of_parities())) continue;  // the same, or none
          const auto [first, last] = ranks_.alphas(lower, y);
          add(alpha_additions_[lower], {first - strings.begin[y], last - strings.begin[y]});
        }
      }
    }
  }
  const AdditionBuffers& alpha_additions(bool lower, int g) const {
    return alpha_additions_[lower && !ranks_.alone()][g];
  }

  /// σ := Hc, as DirectCpu::multiply.
  void multiply(const Content& content) const {
    const bool lower = content.parity != Parity::none;
    zero(sigma());
    for (const Content::Part& part : content.parts) {
      for (int g = 0; g < most_irreps; ++g) {
        if (ranks_.alphas(lower, g).size() == 0 || part.betas[g].size() == 0) continue;
        add_alphas(g, part.betas[g], lower);
        if (!lower) add_betas(g, part.betas[g]);
      }
      mixed(part).add(c_.data(), sigma_.data(), ranks_.alphas(lower), lower);
    }
  }

  /// out := or += the terms among the electrons of one spin, over columns without the first
  /// `unwanted`. `in` has a row of ld for every string of the irrep, `out` one for every target.
  void add_same_spin(Spin spin, const AdditionBuffers& of, const double* in, std::int64_t ld,
                     Index columns, double* g, bool add, double* out, Index unwanted = 0) const {
    rows_product::Problem p{};
    p.x = in;
    p.ld = ld;
    p.columns = columns;
    p.begin = of.begin.data();
    p.links = of.links.data();
    p.targets_begin = of.targets_begin.data();
    p.targets = of.target_links.data();
    for (int y = 0; y < most_irreps; ++y) {
      p.v[y] = w_[spin][y].data();
      p.pairs[y] = static_cast<int>(tables_->same_spin[spin].w(y).cols());
    }
    p.irrep = of.pair_irrep.data();
    p.g = g;
    p.ldg = even(columns);
    p.item_size = of.most_targets * p.ldg;
    rows_product::run(p, of.blocks, of.most, of.most_targets, processors_);
    gather_additions<<<of.to.size(), block_threads>>>(of.entries_begin.data(), of.entries.data(),
                                                      g + unwanted, columns - unwanted, p.ldg, add,
                                                      out + unwanted, ld);
    check_launch("gathering additions");
  }

  /// Columns that G of the additions and `more` doubles a column have room for.
  Index columns_together(const AdditionBuffers& of, std::int64_t more, Index columns) const {
    const std::int64_t fit = work_doubles_ / (std::int64_t{of.blocks} * of.most_targets + more);
    return static_cast<Index>(std::min<std::int64_t>(fit / 2 * 2, even(columns)));
  }

  void add_alphas(int g, const StringRange& betas, bool lower) const {
    const AdditionBuffers& of = alpha_additions(lower, g);
    if (of.blocks == 0) return;
    // Read from an even column on, of which there may be one before the first.
    const Index first = betas.first - layout_.betas(g).first, from = first / 2 * 2;
    const Index columns = first + betas.size() - from, together = columns_together(of, 0, columns);
    const std::int64_t ld = places_.ld[g];
    const double* const in = c_.data() + places_.base[g] + from;
    double* const out = sigma() + places_.base[g] + of.to.first * ld + from;
    for (Index b = 0; b < columns; b += together) {
      add_same_spin(alpha, of, in + b, ld, std::min(together, columns - b), work(), true, out + b,
                    b == 0 ? first - from : 0);
    }
  }

  void add_betas(int g, const StringRange& range) const {
    const DirectStrings& betas = layout_.beta_strings;
    const Index first = layout_.betas(g).first, ld = places_.ld[g];
    const StringRange own = ranks_.alphas(false, g);
    for (int y = 0; y < most_irreps; ++y) {
      const AdditionBuffers& of = beta_additions_[y];
      const Index n = betas.size(y);
      if (of.blocks == 0 || !holds(range, betas, y)) continue;
      const Index together = columns_together(of, 2 * n, own.size());
      double* const in = work();
      double* const out = in + std::int64_t{n} * together;
      double* const g_memory = out + std::int64_t{n} * together;
      for (Index a = own.first; a < own.last; a += together) {
        const Index count = std::min(together, own.last - a);
        const std::int64_t row = a - layout_.alpha_strings.begin[g];
        const std::int64_t place = places_.base[g] + row * ld + (betas.begin[y] - first);
        add_transposed(c_.data() + place, ld, count, n, false, in, together);
        add_same_spin(beta, of, in, together, count, g_memory, false, out);
        add_transposed(out, together, n, count, true, sigma() + place, ld);
      }
    }
  }

  double* work() const { return work_.data(); }
  double* sigma() const { return sigma_.data(); }

  std::shared_ptr<const DirectTables> tables_;
  const DirectLayout& layout_;
  Backend& backend_;
  DirectRanks ranks_;
  int processors_ = 0;
  std::int64_t memory_ = 0;    ///< of c and σ, in doubles
  std::int64_t work_doubles_;  ///< of G, of electrons of one spin
  PairBuffers pairs_;
  DirectRanks::Places places_;
  std::array<Buffer<std::int64_t>, 2> rows_begin_;
  std::array<std::array<Buffer<double>, most_irreps>, 2> w_;
  /// Additions by irrep: alpha's for this rank's strings and, with several ranks, also by `lower`.
  std::array<std::vector<AdditionBuffers>, 2> alpha_additions_;
  std::vector<AdditionBuffers> beta_additions_;
  /// Memory reserved for the operators of irreps until the first is made: the basis is planned
  /// without it.
  mutable Buffer<char> room_for_irreps_;
  mutable std::map<std::optional<int>, mixed_product::Operator> mixed_;  ///< by Content::Part
  mutable Buffer<double> work_, c_, sigma_;
};

}  // namespace

std::unique_ptr<DirectOperator> CISOLVE_IN_MODULE(make_direct_cuda)(
    std::shared_ptr<const DirectTables> tables, Backend& backend) {
  return std::make_unique<DirectCuda>(std::move(tables), backend);
}

}  // namespace cisolve
