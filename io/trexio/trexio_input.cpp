#include "io/trexio/trexio_input.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <mutex>

#include "core/error.hpp"
#include "io/array_archive.hpp"
#include "io/hdf5/hdf5_file.hpp"
#include "io/hdf5/hdf5_input.hpp"
#include "io/matrix_reading.hpp"
#include "io/trexio/trexio_child.hpp"
#include "io/trexio/trexio_output.hpp"

namespace cisolve {
namespace {

/// The process that reads a file, seen from this one.
class TrexioProcess {
 public:
  TrexioProcess(const std::filesystem::path& path, const std::function<void(const Channel&)>& serve)
      : name_(path.string()), child_(start(path, serve)) {}

  TrexioOrbitals orbitals(int most) {
    next_count();
    const auto head = receive<TrexioHead>();
    if (head.orbitals < 1 || head.orbitals > most) fail("damaged");
    const auto n = static_cast<std::size_t>(head.orbitals);
    const auto given = [](std::int32_t number) {
      return number < 0 ? std::optional<int>() : std::optional<int>(number);
    };
    TrexioOrbitals made;
    made.orbitals = head.orbitals;
    made.electrons = given(head.electrons);
    made.up = given(head.up);
    made.down = given(head.down);
    if (head.has_repulsion) made.repulsion = head.repulsion;
    made.point_group = text_of(head.point_group);
    made.core_hamiltonian = receive_all<double>(n * n);
    if (head.has_energies) made.energies = receive_all<double>(n);
    if (head.has_symmetry) {
      for (const TrexioLabel& label : receive_all<TrexioLabel>(n)) {
        made.symmetry.push_back(text_of(label.text));
      }
    }
    require_finite(made);
    return made;
  }

  void determinants(int orbitals, double file_bytes,
                    const std::function<void(const std::uint64_t*)>& add) {
    next_count();
    const auto head = receive<TrexioList>();
    if (head.orbitals != orbitals) {
      fail("found " + std::to_string(head.orbitals) + " orbitals (mo_num), expected " +
           std::to_string(orbitals));
    }
    const std::size_t each = 2 * static_cast<std::size_t>((orbitals + 63) / 64);
    const double bytes = double(head.determinants) * double(each * sizeof(std::uint64_t));
    if (2 * std::int64_t{head.words} != std::int64_t(each) || head.determinants < 0 ||
        !can_inflate(std::uint64_t(file_bytes), std::uint64_t(bytes))) {
      fail("damaged: it says that it has " + std::to_string(head.determinants) +
           " determinants of " + std::to_string(head.words) + " words for each spin");
    }
    std::int64_t left = head.determinants;
    while (const std::int64_t count = next_count()) {
      if (count > std::min(left, trexio_list_piece)) fail("damaged");
      const auto words = receive_all<std::uint64_t>(each * static_cast<std::size_t>(count));
      for (std::size_t at = 0; at < words.size(); at += each) add(&words[at]);
      left -= count;
    }
    if (left != 0) fail("damaged");
  }

  void repulsion(int orbitals, const std::function<void(const TrexioRepulsion&)>& add) {
    std::vector<std::int32_t> indices;
    std::vector<double> values;
    while (const std::int64_t count = next_count()) {
      if (count > trexio_piece) fail("damaged");
      indices = receive_all<std::int32_t>(4 * static_cast<std::size_t>(count));
      values = receive_all<double>(static_cast<std::size_t>(count));
      for (std::size_t i = 0; i < values.size(); ++i) {
        const std::int32_t* index = indices.data() + 4 * i;
        require_element(index, values[i], orbitals);
        add({index[0], index[1], index[2], index[3], values[i]});
      }
    }
  }

 private:
  static ChildProcess start(const std::filesystem::path& path,
                            const std::function<void(const Channel&)>& serve) {
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) {
      throw InputError(path.string() + ": no such file");
    }
    const std::scoped_lock alone(hdf5_in_use());
    return ChildProcess(path.string(), serve);
  }

  [[noreturn]] void fail(const std::string& what) const { throw InputError(name_ + ": " + what); }

  template <class T>
  T receive() {
    T value;
    child_.receive(&value, sizeof value);
    return value;
  }
  template <class T>
  std::vector<T> receive_all(std::size_t count) {
    std::vector<T> values(count);
    child_.receive(values.data(), count * sizeof(T));
    return values;
  }
  template <std::size_t size>
  static std::string text_of(const char (&text)[size]) {
    return {text, ::strnlen(text, size)};
  }

  /// Throws what the child could not do.
  std::int64_t next_count() {
    const auto count = receive<std::int64_t>();
    if (count >= 0) return count;
    constexpr std::int64_t longest_message = 1 << 16;
    std::string message(static_cast<std::size_t>(std::min(-count, longest_message)), '\0');
    child_.receive(message.data(), message.size());
    fail(message);
  }

  void require_finite(const TrexioOrbitals& made) const {
    const auto finite = [](double value) { return std::isfinite(value); };
    if (!std::ranges::all_of(made.core_hamiltonian, finite)) {
      fail("a one-electron integral over molecular orbitals is no finite number");
    }
    if (!std::ranges::all_of(made.energies, finite)) fail("mo_energy: no finite number");
    if (made.repulsion && !finite(*made.repulsion)) fail("nucleus_repulsion: no finite number");
  }

  void require_element(const std::int32_t* index, double value, int orbitals) const {
    const auto good = [&](std::int32_t p) { return p >= 0 && p < orbitals; };
    if (std::all_of(index, index + 4, good) && std::isfinite(value)) return;
    std::string found;
    for (int i = 0; i < 4; ++i) found += std::to_string(index[i]) + " ";
    fail("mo_2e_int_eri: found " + found + std::to_string(value) +
         ", expected orbitals from 0 to " + std::to_string(orbitals - 1) + " and a finite number");
  }

  std::string name_;
  ChildProcess child_;
};

/// Bytes of a file, or of all files in a folder.
double bytes_of(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(path, ignored)) {
    return double(std::filesystem::file_size(path, ignored));
  }
  double bytes = 0.0;
  for (const auto& entry : std::filesystem::directory_iterator(path, ignored)) {
    if (entry.is_regular_file(ignored)) bytes += double(entry.file_size(ignored));
  }
  return bytes;
}

}  // namespace

bool is_trexio_file(const std::filesystem::path& path) {
  if (is_trexio_name(path)) return true;
  std::error_code ignored;
  return is_hdf5(path) && std::filesystem::is_regular_file(path, ignored) &&
         InputFile(path).has_object("metadata");
}

void read_trexio_determinants(const std::filesystem::path& path, int orbitals,
                              const std::function<void(const std::uint64_t* words)>& add) {
  TrexioProcess process(path,
                        [&](const Channel& parent) { serve_trexio_determinants(path, parent); });
  process.determinants(orbitals, bytes_of(path), add);
}

void read_trexio(const std::filesystem::path& path, int most,
                 const std::function<void(const TrexioOrbitals&)>& begin,
                 const std::function<void(const TrexioRepulsion&)>& add) {
  TrexioProcess process(path, [&](const Channel& parent) { serve_trexio(path, most, parent); });
  const TrexioOrbitals orbitals = process.orbitals(most);
  begin(orbitals);
  process.repulsion(orbitals.orbitals, add);
}

}  // namespace cisolve
