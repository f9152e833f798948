#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "backends/cuda/check.hpp"
#include "core/host_matrix.hpp"
#include "hamiltonian/direct/cuda/addition_buffers.hpp"
#include "hamiltonian/direct/cuda/diagonal_cuda.cuh"
#include "hamiltonian/direct/cuda/gathers_cuda.cuh"
#include "hamiltonian/direct/cuda/mixed_operator_cuda.cuh"
#include "hamiltonian/direct/cuda/rows_product_cuda.cuh"
#include "hamiltonian/direct/cuda/vectors_cuda.cuh"
#include "hamiltonian/direct/direct_elements.hpp"
#include "hamiltonian/direct/direct_product.hpp"

namespace cisolve {
namespace {

class DirectCuda final : public DirectOperator {
 public:
  DirectCuda(std::shared_ptr<const DirectTables> tables, Backend& backend)
      : tables_(std::move(tables)),
        layout_(tables_->layout),
        backend_(backend),
        work_doubles_(work_on_device(*tables_)) {
    int device = 0;
    check_cuda(cudaGetDevice(&device), "reading the device");
    check_cuda(cudaDeviceGetAttribute(&processors_, cudaDevAttrMultiProcessorCount, device),
               "reading its properties");
    lay_out();
    upload_pairs();
    upload_additions();
    mixed_.emplace(
        *tables_, base_, ld_,
        mixed_product::AlphaStrings{occupied_.data(), links_begin_.data(), links_.data()},
        backend_);
    work_ = Buffer<double>(backend, work_doubles_);
    c_ = Buffer<double>(backend, memory_);
    sigma_ = Buffer<double>(backend, memory_);
    zero(c_.data());  // also between the rows
  }

  Index rows() const override { return static_cast<Index>(tables_->rows.size()); }
  Index columns() const override { return rows(); }

  void apply(double alpha, ConstView x, double beta, View y) const override {
    for (int j = 0; j < x.columns; ++j) {
      const Parity parity = parity_of(tables_->rows, x.slice(j, 1), backend_);
      load_vector(x.slice(j, 1));
      multiply(parity);
      store_vector(alpha, kind_factors(tables_->rows, parity), beta, y.slice(j, 1));
    }
  }

  void to_layout(ConstView x, double* c) const override {
    load_vector(x);
    for (int g = 0; g < most_irreps; ++g) {
      const Index strings = layout_.alpha_strings.size(g), betas = layout_.betas(g).size();
      if (strings == 0 || betas == 0) continue;
      check_cuda(cudaMemcpy2DAsync(c, betas * sizeof(double), c_.data() + base_[g],
                                   ld_[g] * sizeof(double), betas * sizeof(double), strings,
                                   cudaMemcpyDeviceToDevice),
                 "copying a vector");
      c += std::int64_t{strings} * betas;
    }
  }

  void apply_s_squared(ConstView x, View y) const override {
    load_vector(x);
    const DirectStrings &alphas = layout_.alpha_strings, &betas = layout_.beta_strings;
    for (int g = 0; g < most_irreps; ++g) {
      if (alphas.size(g) == 0 || ld_[g] == 0) continue;
      for (int h = 0; h < most_irreps; ++h) {
        const StringRange sources = layout_.betas(g ^ h), targets = layout_.betas(g);
        if (h != 0 && sources.size() == 0) continue;
        const double* const own = c_.data() + base_[g];
        const SpinSquaredTerms terms{occupied_.data(),
                                     beta_strings_.data(),
                                     links_begin_.data() + h,
                                     links_.data(),
                                     pair_table_[h].data(),
                                     betas.size(),
                                     alphas.begin[g],
                                     targets.first,
                                     targets.size(),
                                     0.5 * (alphas.electrons - betas.electrons),
                                     h == 0,
                                     c_.data() + base_[g ^ h],
                                     ld_[g ^ h],
                                     alphas.begin[g ^ h],
                                     sources.first,
                                     own,
                                     sigma() + base_[g],
                                     ld_[g]};
        for (Index a = 0; a < alphas.size(g); a += 65535) {  // the most a grid has
          SpinSquaredTerms part = terms;
          part.alphas_first += a;
          part.own_c += a * part.own_ld;
          part.sigma += a * part.own_ld;
          const dim3 grid(blocks_of(targets.size()), std::min<Index>(65535, alphas.size(g) - a));
          s_squared<<<grid, block_threads>>>(part);
          check_launch("multiplying with S²");
        }
      }
    }
    store_vector(1.0, std::vector<double>(tables_->rows.kinds().size(), 1.0), 0.0, y);
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
                              occupied_.data(),
                              beta_strings_.data(),
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
    OperatorInfo info;
    info.format = "direct";
    info.stored = false;
    info.bytes = tables_->bytes();
    info.scratch = sizeof(double) * static_cast<std::size_t>(2 * memory_ + work_doubles_);
    return info;
  }

 private:
  /// Where the rows of c lie: of one irrep one behind another, each at an even place.
  void lay_out() {
    const DirectStrings& alphas = layout_.alpha_strings;
    for (int g = 0; g < most_irreps; ++g) {
      base_[g] = memory_;
      ld_[g] = even(layout_.betas(g).size());
      memory_ += ld_[g] * std::int64_t{alphas.size(g)};
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
      return c + base_[g] + betas.begin[y] - layout_.betas(g).first;
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
                          ld_[g],
                          nullptr,
                          0,
                          false,
                          rows_begin_[0].data(),
                          rows_begin_[1].data()};
        if (parities) {
          block.turned = place(y, g);
          block.turned_ld = ld_[y];
          block.triangle = g == y;
        }
        visit(block);
      }
    }
  }

  /// c := x.
  void load_vector(ConstView x) const {
    for_each_block(c_.data(), [&](const StringBlock& block) {
      load<<<tiles_of(block), tile_threads>>>(block, x.data, x.stride);
    });
    check_launch("loading a vector");
  }

  /// y := α σ + β y, with the factors of each kind of rows.
  void store_vector(double alpha, const std::vector<double>& factors, double beta, View y) const {
    double even = 1.0, odd = 1.0;
    const auto& kinds = tables_->rows.kinds();
    for (std::size_t k = 0; k < kinds.size(); ++k) {
      (kinds[k].parity == Parity::odd ? odd : even) = factors[k];
    }
    for_each_block(sigma_.data(), [&](const StringBlock& block) {
      store<<<tiles_of(block), tile_threads>>>(block, alpha, even, odd, beta, y.data, y.stride);
    });
    check_launch("storing a vector");
  }

  void zero(double* vector) const {
    check_cuda(cudaMemsetAsync(vector, 0, memory_ * sizeof(double)), "setting a vector to zero");
  }

  /// The links of the alpha strings and, of the beta strings, the same as tables, for S².
  void upload_pairs() {
    const AlphaLinks& links = tables_->alpha_links;
    const Index betas = layout_.beta_strings.size();
    links_begin_ = Buffer<Offset>::from_host(backend_, links.begin());
    links_ = Buffer<PairLink>::from_host(backend_, links.links());
    occupied_ = Buffer<OrbitalString>::from_host(backend_, layout_.alpha_strings.strings);
    beta_strings_ = Buffer<OrbitalString>::from_host(backend_, layout_.beta_strings.strings);
    for (int h = 0; h < most_irreps; ++h) {
      const HostMatrix& v = tables_->v[h];
      std::vector<Index> table(static_cast<std::size_t>(v.cols()) * betas, 0);
      const auto& tiles = tables_->beta_links.tiles();
      for (Index tile = 0; tile < static_cast<Index>(tiles.size()); ++tile) {
        for (int t = 0; t < v.cols(); ++t) {
          const auto [plus, minus] = tables_->beta_links.of(h, t, tile);
          Index* const row = table.data() + std::size_t(t) * betas;
          for (const BetaLink& l : plus) row[l.target] = tiles[tile].first + l.source + 1;
          for (const BetaLink& l : minus) row[l.target] = -(tiles[tile].first + l.source + 1);
        }
      }
      pair_table_[h] = Buffer<Index>::from_host(backend_, table);
    }
  }

  void upload_additions() {
    for (const Spin spin : {alpha, beta}) {
      const DirectStrings& strings = spin == alpha ? layout_.alpha_strings : layout_.beta_strings;
      for (int y = 0; y < most_irreps; ++y) {
        const HostMatrix& w = tables_->same_spin[spin].w(y);
        w_[spin][y] =
            Buffer<double>::from_host(backend_, std::vector<double>(w.data(), w.data() + w.size()));
        additions_[spin].emplace_back(tables_->same_spin[spin], y, strings.size(y), backend_);
      }
    }
  }

  /// As DirectCpu does.
  void multiply(Parity parity) const {
    zero(sigma());
    for (int g = 0; g < most_irreps; ++g) {
      if (layout_.alpha_strings.size(g) == 0 || ld_[g] == 0) continue;
      add_alphas(g);
      if (parity == Parity::none) add_betas(g);
    }
    mixed_->add(c_.data(), sigma_.data(), parity != Parity::none);
  }

  /// out := or += the electrons of one spin among themselves, in columns; both have rows of ld.
  void add_same_spin(Spin spin, int irrep, const double* in, std::int64_t ld, Index columns,
                     double* g, bool add, double* out) const {
    const AdditionBuffers& of = additions_[spin][irrep];
    rows_product::Problem p{};
    p.x = in;
    p.ld = ld;
    p.columns = columns;
    p.begin = of.begin.data();
    p.links = of.links.data();
    for (int y = 0; y < most_irreps; ++y) {
      p.v[y] = w_[spin][y].data();
      p.pairs[y] = static_cast<int>(tables_->same_spin[spin].w(y).cols());
    }
    p.irrep = of.pair_irrep.data();
    p.g = g;
    p.ldg = even(columns);
    p.item_size = of.most * p.ldg;
    rows_product::run(p, of.blocks, of.most, processors_);
    const DirectStrings& strings = spin == alpha ? layout_.alpha_strings : layout_.beta_strings;
    gather_additions<<<strings.size(irrep), block_threads>>>(
        of.entries_begin.data(), of.entries.data(), g, columns, p.ldg, add, out, ld);
    check_launch("gathering additions");
  }

  /// Columns that G of the additions and `more` doubles a column have room for.
  Index columns_together(const AdditionBuffers& of, std::int64_t more, Index columns) const {
    const std::int64_t fit = work_doubles_ / (std::int64_t{of.blocks} * of.most + more);
    return static_cast<Index>(std::min<std::int64_t>(fit / 2 * 2, even(columns)));
  }

  void add_alphas(int g) const {
    const AdditionBuffers& of = additions_[alpha][g];
    if (of.blocks == 0) return;
    const Index columns = layout_.betas(g).size(), together = columns_together(of, 0, columns);
    for (Index b = 0; b < columns; b += together) {
      add_same_spin(alpha, g, c_.data() + base_[g] + b, ld_[g], std::min(together, columns - b),
                    work(), true, sigma() + base_[g] + b);
    }
  }

  void add_betas(int g) const {
    const DirectStrings& betas = layout_.beta_strings;
    const Index first = layout_.betas(g).first;
    for (int y = 0; y < most_irreps; ++y) {
      const AdditionBuffers& of = additions_[beta][y];
      const Index n = betas.size(y);
      if (of.blocks == 0 || !layout_.holds(g, y)) continue;
      const Index strings = layout_.alpha_strings.size(g);
      const Index together = columns_together(of, 2 * n, strings);
      double* const in = work();
      double* const out = in + std::int64_t{n} * together;
      double* const g_memory = out + std::int64_t{n} * together;
      for (Index a = 0; a < strings; a += together) {
        const Index count = std::min(together, strings - a);
        const std::int64_t place = base_[g] + a * std::int64_t{ld_[g]} + (betas.begin[y] - first);
        add_transposed(c_.data() + place, ld_[g], count, n, false, in, together);
        add_same_spin(beta, y, in, together, count, g_memory, false, out);
        add_transposed(out, together, n, count, true, sigma() + place, ld_[g]);
      }
    }
  }

  double* work() const { return work_.data(); }
  double* sigma() const { return sigma_.data(); }

  std::shared_ptr<const DirectTables> tables_;
  const DirectLayout& layout_;
  Backend& backend_;
  int processors_ = 0;
  std::int64_t memory_ = 0;                       ///< of c and σ, in doubles
  std::int64_t work_doubles_;                     ///< of G, of electrons of one spin
  std::array<std::int64_t, most_irreps> base_{};  ///< of the first alpha string of an irrep
  std::array<Index, most_irreps> ld_{};           ///< from one alpha string to the next
  std::array<Buffer<std::int64_t>, 2> rows_begin_;
  Buffer<Offset> links_begin_;
  Buffer<PairLink> links_;
  Buffer<OrbitalString> occupied_, beta_strings_;
  std::array<Buffer<Index>, most_irreps> pair_table_;
  std::array<std::array<Buffer<double>, most_irreps>, 2> w_;
  std::array<std::vector<AdditionBuffers>, 2> additions_;
  std::optional<mixed_product::Operator> mixed_;
  mutable Buffer<double> work_, c_, sigma_;
};

}  // namespace

std::unique_ptr<DirectOperator> CISOLVE_IN_MODULE(make_direct_cuda)(
    std::shared_ptr<const DirectTables> tables, Backend& backend) {
  return std::make_unique<DirectCuda>(std::move(tables), backend);
}

}  // namespace cisolve
