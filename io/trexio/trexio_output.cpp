#include "io/trexio/trexio_output.hpp"

#include "core/error.hpp"
#include "core/text/text.hpp"

#ifdef CISOLVE_TREXIO
// Older versions of it are C alone.
extern "C" {
#include <trexio.h>
}

#include <cmath>
#include <mutex>

#include "io/atomic_file.hpp"
#include "io/hdf5/hdf5_file.hpp"
#endif

namespace cisolve {

bool is_trexio_name(const std::filesystem::path& path) {
  return to_lower(path.extension().string()) == ".trexio";
}

#ifdef CISOLVE_TREXIO

bool has_trexio() {
  return true;
}

namespace {

class Writer {
 public:
  Writer(const std::filesystem::path& path, const std::string& name,
         const TrexioElectrons& electrons)
      : alone_(hdf5_in_use()), path_(path), name_(name), orbitals_(electrons.orbitals) {
    trexio_exit_code status = TREXIO_SUCCESS;
    file_ = trexio_open(path.c_str(), 'w', TREXIO_HDF5, &status);
    require(file_ == nullptr && status == TREXIO_SUCCESS ? TREXIO_OPEN_ERROR : status);
    const char* code = "cisolve " CISOLVE_VERSION;
    require(trexio_write_metadata_code_num(file_, 1));
    require(trexio_write_metadata_code(file_, &code, 32));
    require(trexio_write_electron_num(file_, electrons.up + electrons.down));
    require(trexio_write_electron_up_num(file_, electrons.up));
    require(trexio_write_electron_dn_num(file_, electrons.down));
    require(trexio_write_mo_num(file_, electrons.orbitals));
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer() {
    if (file_ != nullptr) trexio_close(file_);
  }

  /// Late writes fail here: of what fails in closing TREXIO says nothing.
  void finish() {
    require(trexio_flush(file_));
    require(trexio_close(std::exchange(file_, nullptr)));
  }
  trexio_t* file() const { return file_; }
  void require(trexio_exit_code status) const {
    if (status == TREXIO_SUCCESS) return;
    const std::string obstacle = obstacle_to(path_);
    throw ResourceError(
        name_ + ": cannot be written" +
        (obstacle.empty() ? std::string(": ") + trexio_string_of_error(status) : obstacle));
  }

  /// Writes in pieces, by the library's function for one kind of density.
  template <class Write>
  void write_two(Write write, const TrexioTwoDensity& density) {
    constexpr double nothing = 1e-15;
    constexpr std::size_t piece = 1 << 20;
    std::vector<std::int32_t> indices;
    std::vector<double> values;
    std::int64_t done = 0;
    const auto flush = [&] {
      const auto count = static_cast<std::int64_t>(values.size());
      if (count == 0) return;
      require(write(file_, done, count, indices.data(), values.data()));
      done += count;
      indices.clear();
      values.clear();
    };
    for (int i = 0; i < orbitals_; ++i) {
      for (int j = 0; j < orbitals_; ++j) {
        for (int k = 0; k < orbitals_; ++k) {
          for (int l = 0; l < orbitals_; ++l) {
            const double value = density(i, j, k, l);
            if (std::abs(value) <= nothing) continue;
            indices.insert(indices.end(), {i, j, k, l});
            values.push_back(value);
          }
        }
        if (values.size() >= piece) flush();
      }
    }
    flush();
  }

 private:
  std::scoped_lock<std::recursive_mutex> alone_;
  QuietErrors quiet_;
  std::filesystem::path path_;
  std::string name_;
  int orbitals_;
  trexio_t* file_ = nullptr;
};

}  // namespace

void write_trexio_states(const std::filesystem::path& path, const std::string& name,
                         const TrexioElectrons& electrons,
                         const std::vector<std::int64_t>& determinants,
                         const HostMatrix& coefficients, const std::vector<std::string>& labels) {
  constexpr std::int32_t longest_label = 64;
  Writer writer(path, name, electrons);
  std::vector<const char*> pointers;
  for (const std::string& label : labels) pointers.push_back(label.c_str());
  writer.require(trexio_write_state_num(writer.file(), static_cast<int>(labels.size())));
  writer.require(trexio_write_state_label(writer.file(), pointers.data(), longest_label));
  const std::int64_t count = coefficients.cols();
  writer.require(trexio_write_determinant_list(writer.file(), 0, count, determinants.data()));
  for (Eigen::Index state = 0; state < coefficients.rows(); ++state) {
    writer.require(trexio_set_state(writer.file(), static_cast<int>(state)));
    writer.require(trexio_write_determinant_coefficient(writer.file(), 0, count,
                                                        coefficients.row(state).data()));
  }
  writer.finish();
}

void write_trexio_densities(const std::filesystem::path& path, const std::string& name,
                            const TrexioElectrons& electrons, const std::array<HostMatrix, 2>& one,
                            const std::array<TrexioTwoDensity, 3>* two) {
  Writer writer(path, name, electrons);
  const HostMatrix sum = one[0] + one[1];
  writer.require(trexio_write_rdm_1e(writer.file(), sum.data()));
  writer.require(trexio_write_rdm_1e_up(writer.file(), one[0].data()));
  writer.require(trexio_write_rdm_1e_dn(writer.file(), one[1].data()));
  if (two != nullptr) {
    writer.write_two(trexio_write_rdm_2e, (*two)[0]);
    writer.write_two(trexio_write_rdm_2e_upup, (*two)[1]);
    writer.write_two(trexio_write_rdm_2e_dndn, (*two)[2]);
  }
  writer.finish();
}

#else

bool has_trexio() {
  return false;
}

namespace {

[[noreturn]] void refuse(const std::string& name) {
  throw InputError(name + ": this program is built without TREXIO (libtrexio)");
}

}  // namespace

void write_trexio_states(const std::filesystem::path&, const std::string& name,
                         const TrexioElectrons&, const std::vector<std::int64_t>&,
                         const HostMatrix&, const std::vector<std::string>&) {
  refuse(name);
}

void write_trexio_densities(const std::filesystem::path&, const std::string& name,
                            const TrexioElectrons&, const std::array<HostMatrix, 2>&,
                            const std::array<TrexioTwoDensity, 3>*) {
  refuse(name);
}

#endif

}  // namespace cisolve
