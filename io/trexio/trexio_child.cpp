#include "io/trexio/trexio_child.hpp"

#include <stdexcept>
#include <string>
#include <vector>

#ifdef CISOLVE_TREXIO
// Older versions of it are C alone.
extern "C" {
#include <trexio.h>
}

#include <algorithm>
#include <fstream>

#include "io/hdf5/hdf5_file.hpp"
#endif

namespace cisolve {
namespace {

/// Thrown here, sent to the parent as text.
using Failure = std::runtime_error;

void send_failure(const Channel& parent, const std::string& text) {
  const std::int64_t bytes = -static_cast<std::int64_t>(text.size());
  parent.send(&bytes, sizeof bytes);
  parent.send(text.data(), text.size());
}

template <class T>
void send(const Channel& parent, const std::vector<T>& values, std::size_t count) {
  parent.send(values.data(), count * sizeof(T));
}

#ifdef CISOLVE_TREXIO

/// Throws Failure if a file with the sizes of another one in a text folder is no list of numbers,
/// or has larger sizes than that one can hold: the library would never stop reading.
void require_sizes(const std::filesystem::path& folder) {
  constexpr std::int64_t shortest_element = 4;  // "0 1\n", an index and a value
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::filesystem::path& sizes = entry.path();
    if (!sizes.filename().string().ends_with(".txt.size")) continue;
    std::error_code error;
    const auto bytes = std::filesystem::file_size(folder / sizes.stem(), error);
    const std::int64_t most = error ? 0 : static_cast<std::int64_t>(bytes) / shortest_element;
    std::ifstream stream(sizes);
    std::int64_t sum = 0;
    for (std::int64_t size = 0; stream >> size; sum += size) {
      if (size < 0 || size > most - sum) {
        throw Failure(sizes.filename().string() + " says " + std::to_string(size) + " elements, " +
                      "and " + sizes.stem().string() + " has " + std::to_string(error ? 0 : bytes) +
                      " bytes");
      }
    }
    if (!stream.eof()) {
      throw Failure(sizes.filename().string() + " is damaged: expected numbers of elements");
    }
  }
}

/// The process ends before it would have to be closed.
trexio_t* open_trexio(const std::filesystem::path& path) {
  if (std::filesystem::is_directory(path)) require_sizes(path);
  trexio_exit_code status = TREXIO_SUCCESS;
  trexio_t* const file = trexio_open(path.c_str(), 'r', TREXIO_AUTO, &status);
  if (file == nullptr || status != TREXIO_SUCCESS) {
    throw Failure(std::string("not readable as TREXIO (") + trexio_string_of_error(status) + ")");
  }
  return file;
}

void require_read(trexio_exit_code status, const char* name) {
  if (status == TREXIO_SUCCESS) return;
  throw Failure(std::string(name) + " cannot be read (" + trexio_string_of_error(status) + ")");
}

void send_determinants(trexio_t* file, const Channel& parent) {
  TrexioList head;
  require_read(trexio_read_mo_num_32(file, &head.orbitals), "mo_num");
  if (trexio_has_determinant_list(file) != TREXIO_SUCCESS) {
    throw Failure("no determinants (determinant_list)");
  }
  require_read(trexio_read_determinant_num_64(file, &head.determinants), "determinant_num");
  require_read(trexio_get_int64_num(file, &head.words), "mo_num");
  const std::int64_t good = 0;
  parent.send(&good, sizeof good);
  parent.send(&head, sizeof head);
  const auto each = 2 * static_cast<std::size_t>(std::max(head.words, 0));
  std::vector<std::int64_t> words(each * trexio_list_piece);
  for (std::int64_t done = 0; done < head.determinants;) {
    const std::int64_t asked = std::min(trexio_list_piece, head.determinants - done);
    std::int64_t count = asked;
    limit_child(words.size() * sizeof words[0]);
    const trexio_exit_code status = trexio_read_determinant_list(file, done, &count, words.data());
    if (status != TREXIO_END) require_read(status, "determinant_list");
    if (count < asked) {
      throw Failure("determinant_list ends after " + std::to_string(done + count) + " of " +
                    std::to_string(head.determinants) + " determinants");
    }
    parent.send(&count, sizeof count);
    send(parent, words, each * static_cast<std::size_t>(count));
    done += count;
  }
  const std::int64_t end = 0;
  parent.send(&end, sizeof end);
}

class Reader {
 public:
  Reader(const std::filesystem::path& path, int most_orbitals) : file_(open_trexio(path)) {
    read_orbitals(most_orbitals);
  }

  void send_to(const Channel& parent) {
    parent.send(&head_, sizeof head_);
    send(parent, core_hamiltonian_, core_hamiltonian_.size());
    send(parent, energies_, energies_.size());
    send(parent, labels_, labels_.size());
    send_repulsion(parent);
  }

 private:
  template <class Asked>
  bool has(Asked asked) const {
    return asked(file_) == TREXIO_SUCCESS;
  }

  template <class T, class Asked, class Read>
  bool read_number(Asked asked, Read read, const char* name, T& number) const {
    if (!has(asked)) return false;
    require_read(read(file_, &number), name);
    return true;
  }

  void read_orbitals(int most_orbitals) {
    if (!read_number(trexio_has_mo_num, trexio_read_mo_num_32, "mo_num", head_.orbitals)) {
      throw Failure("no molecular orbitals (mo_num)");
    }
    if (head_.orbitals < 1 || head_.orbitals > most_orbitals) {
      throw Failure("mo_num = " + std::to_string(head_.orbitals) + ", expected 1 to " +
                    std::to_string(most_orbitals));
    }
    const auto n = static_cast<std::size_t>(head_.orbitals);
    require_one_real_set(n);
    read_number(trexio_has_electron_num, trexio_read_electron_num_32, "electron_num",
                head_.electrons);
    read_number(trexio_has_electron_up_num, trexio_read_electron_up_num_32, "electron_up_num",
                head_.up);
    read_number(trexio_has_electron_dn_num, trexio_read_electron_dn_num_32, "electron_dn_num",
                head_.down);
    head_.has_repulsion =
        read_number(trexio_has_nucleus_repulsion, trexio_read_nucleus_repulsion_64,
                    "nucleus_repulsion", head_.repulsion);
    read_core_hamiltonian(n);
    if (!has(trexio_has_mo_2e_int_eri)) {
      throw Failure("no two-electron integrals over molecular orbitals (mo_2e_int_eri)");
    }
    if (has(trexio_has_mo_energy)) {
      energies_.resize(n);
      require_read(trexio_read_mo_energy_64(file_, energies_.data()), "mo_energy");
      head_.has_energies = true;
    }
    if (has(trexio_has_mo_symmetry)) read_labels(n);
  }

  void require_one_real_set(std::size_t orbitals) const {
    if (has(trexio_has_mo_coefficient_im) || has(trexio_has_mo_1e_int_core_hamiltonian_im)) {
      throw Failure("complex orbitals, expected real ones");
    }
    if (!has(trexio_has_mo_spin)) return;
    std::vector<std::int32_t> spins(orbitals);
    require_read(trexio_read_mo_spin_32(file_, spins.data()), "mo_spin");
    if (std::ranges::any_of(spins, [](std::int32_t spin) { return spin != 0; })) {
      throw Failure("orbitals of two spins (mo_spin), expected one set for both");
    }
  }

  void read_core_hamiltonian(std::size_t orbitals) {
    core_hamiltonian_.assign(orbitals * orbitals, 0.0);
    if (has(trexio_has_mo_1e_int_core_hamiltonian)) {
      return require_read(
          trexio_read_mo_1e_int_core_hamiltonian_64(file_, core_hamiltonian_.data()),
          "mo_1e_int_core_hamiltonian");
    }
    if (!has(trexio_has_mo_1e_int_kinetic) || !has(trexio_has_mo_1e_int_potential_n_e)) {
      throw Failure(
          "no one-electron integrals over molecular orbitals (mo_1e_int_core_hamiltonian, or "
          "mo_1e_int_kinetic and mo_1e_int_potential_n_e)");
    }
    add_part(trexio_read_mo_1e_int_kinetic_64, "mo_1e_int_kinetic");
    add_part(trexio_read_mo_1e_int_potential_n_e_64, "mo_1e_int_potential_n_e");
    if (has(trexio_has_mo_1e_int_ecp)) add_part(trexio_read_mo_1e_int_ecp_64, "mo_1e_int_ecp");
  }

  template <class Read>
  void add_part(Read read, const char* name) {
    std::vector<double> part(core_hamiltonian_.size());
    require_read(read(file_, part.data()), name);
    for (std::size_t i = 0; i < part.size(); ++i) core_hamiltonian_[i] += part[i];
  }

  void read_labels(std::size_t orbitals) {
    constexpr std::int32_t most = sizeof(TrexioLabel::text) - 1;
    std::vector<std::vector<char>> texts(orbitals, std::vector<char>(most + 1, '\0'));
    std::vector<char*> pointers;
    for (auto& text : texts) pointers.push_back(text.data());
    require_read(trexio_read_mo_symmetry(file_, pointers.data(), most), "mo_symmetry");
    labels_.resize(orbitals);
    for (std::size_t p = 0; p < orbitals; ++p) {
      std::copy_n(texts[p].begin(), most, labels_[p].text);
    }
    head_.has_symmetry = true;
    if (!has(trexio_has_nucleus_point_group)) return;
    require_read(
        trexio_read_nucleus_point_group(file_, head_.point_group, sizeof head_.point_group - 1),
        "nucleus_point_group");
  }

  void send_repulsion(const Channel& parent) {
    std::int64_t left = 0;
    require_read(trexio_read_mo_2e_int_eri_size(file_, &left), "mo_2e_int_eri");
    std::int64_t most = std::min(left, trexio_piece), done = 0;
    std::vector<std::int32_t> indices(4 * static_cast<std::size_t>(most));
    std::vector<double> values(static_cast<std::size_t>(most));
    while (left > 0) {
      std::int64_t count = std::min(left, most);
      limit_child(static_cast<std::size_t>(count) * (4 * sizeof(std::int32_t) + sizeof(double)));
      const trexio_exit_code status =
          trexio_read_mo_2e_int_eri(file_, done, &count, indices.data(), values.data());
      if (status != TREXIO_END) require_read(status, "mo_2e_int_eri");
      if (count < 1 || count > std::min(left, most)) {
        throw Failure("mo_2e_int_eri ends " + std::to_string(left) + " elements early");
      }
      parent.send(&count, sizeof count);
      send(parent, indices, 4 * static_cast<std::size_t>(count));
      send(parent, values, static_cast<std::size_t>(count));
      done += count;
      left -= count;
    }
    const std::int64_t end = 0;
    parent.send(&end, sizeof end);
  }

  trexio_t* file_;
  TrexioHead head_;
  std::vector<double> core_hamiltonian_, energies_;
  std::vector<TrexioLabel> labels_;
};

/// Exceptions of `send` are sent to the parent.
template <class Send>
void serve(const Channel& parent, Send send) try {
  limit_child(0);
  close_hdf5_early();
  const QuietErrors quiet;
  send();
} catch (const std::exception& error) {
  send_failure(parent, error.what());
}

#else

constexpr const char* without_library =
    "a TREXIO file, and this program is built without TREXIO (libtrexio)";

#endif

}  // namespace

void serve_trexio(const std::filesystem::path& path, int most_orbitals, const Channel& parent) {
#ifdef CISOLVE_TREXIO
  serve(parent, [&] {
    Reader reader(path, most_orbitals);
    const std::int64_t good = 0;
    parent.send(&good, sizeof good);
    reader.send_to(parent);
  });
#else
  static_cast<void>(path);
  static_cast<void>(most_orbitals);
  send_failure(parent, without_library);
#endif
}

void serve_trexio_determinants(const std::filesystem::path& path, const Channel& parent) {
#ifdef CISOLVE_TREXIO
  serve(parent, [&] { send_determinants(open_trexio(path), parent); });
#else
  static_cast<void>(path);
  send_failure(parent, without_library);
#endif
}

}  // namespace cisolve
