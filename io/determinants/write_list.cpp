#include <spdlog/fmt/fmt.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/text/text.hpp"
#include "io/array_archive.hpp"
#include "io/atomic_file.hpp"
#include "io/determinants/list_format.hpp"

namespace cisolve {
namespace {

/// A text or bytes, written piece by piece to a file.
class OutputStream {
 public:
  OutputStream(const std::filesystem::path& path, std::string name)
      : path_(path), name_(std::move(name)), stream_(path, std::ios::binary) {}

  void write(std::string_view piece) {
    stream_.write(piece.data(), static_cast<std::streamsize>(piece.size()));
  }
  /// Throws ResourceError where something was not written.
  void finish() {
    stream_.close();
    if (!stream_) throw ResourceError(name_ + ": cannot be written" + obstacle_to(path_));
  }

 private:
  std::filesystem::path path_;
  std::string name_;
  std::ofstream stream_;
};

using Visit = std::function<void(std::size_t, const OrbitalString&, const OrbitalString&)>;

/// visit(number, alpha, beta) of every determinant.
void for_each_determinant(const DeterminantList& list, const Visit& visit) {
  std::size_t i = 0;
  if (!list.product) {
    for (; i < list.alpha.size(); ++i) visit(i, list.alpha[i], list.beta[i]);
    return;
  }
  for (const OrbitalString& a : list.alpha) {
    for (const OrbitalString& b : list.beta) visit(i++, a, b);
  }
}

void write_text(const std::filesystem::path& path, const std::string& name,
                const DeterminantList& list, const std::vector<double>& coefficients, int orbitals,
                bool over_natural) {
  OutputStream stream(path, name);
  stream.write(std::string(determinants_heading) + " of " + std::to_string(orbitals) +
               " orbitals: " + (coefficients.empty() ? "" : "coefficient, ") +
               "2, a, b or 0 of each, orbital 1 first\n");
  if (over_natural) stream.write(std::string(natural_heading) + "\n");
  for_each_determinant(list, [&](std::size_t i, const OrbitalString& a, const OrbitalString& b) {
    std::string line = coefficients.empty() ? "" : fmt::format("{:24.16e}  ", coefficients[i]);
    for (int p = 0; p < orbitals; ++p) {
      line += a.has(p) ? (b.has(p) ? '2' : 'a') : (b.has(p) ? 'b' : '0');
    }
    stream.write(line += '\n');
  });
  stream.finish();
}

void write_archive(const std::filesystem::path& path, const std::string& name,
                   const DeterminantList& list, const std::vector<double>& coefficients,
                   int orbitals, const HostMatrix& rotation) {
  const int words = OrbitalString::words_of(orbitals);
  std::vector<std::uint64_t> alpha, beta;
  for_each_determinant(list, [&](std::size_t, const OrbitalString& a, const OrbitalString& b) {
    for (int k = 0; k < words; ++k) {
      alpha.push_back(a.word(k));
      beta.push_back(b.word(k));
    }
  });
  std::vector<std::int64_t> shape{static_cast<std::int64_t>(list.size())};
  if (words > 1) shape.push_back(words);
  std::vector<NamedArray> arrays{kept_array("alpha", std::move(alpha), shape),
                                 kept_array("beta", std::move(beta), shape)};
  if (!coefficients.empty()) arrays.push_back(named_array("coefficients", "<f8", coefficients));
  arrays.push_back(kept_array("norb", std::vector<std::int64_t>{orbitals}, {1}));
  if (rotation.size() > 0) {
    arrays.push_back({"rotation",
                      {"<f8", {rotation.rows(), rotation.cols()}},
                      rotation.data(),
                      static_cast<std::size_t>(rotation.size()) * sizeof(double)});
  }
  arrays.push_back(kept_text("version", CISOLVE_VERSION));
  write_arrays(arrays, determinants_format, path, name);
}

void write_big_endian(const std::filesystem::path& path, const std::string& name,
                      const DeterminantList& list) {
  if (!list.product || list.alpha != list.beta) {
    throw InputError(name +
                     ": a .bin file has one list of strings, expected the product of one "
                     "list for both spins");
  }
  OutputStream stream(path, name);
  for (const OrbitalString& s : list.alpha) {
    std::string bytes;
    for (int byte = 15; byte >= 0; --byte) {
      bytes += static_cast<char>(s.word(byte / 8) >> 8 * (byte % 8) & 255);
    }
    stream.write(bytes);
  }
  stream.finish();
}

bool has_ending(const std::filesystem::path& path, const char* ending) {
  return to_lower(path.extension().string()) == ending;
}

}  // namespace

bool is_determinants_output(const std::filesystem::path& path) {
  return is_archive(path) || has_ending(path, ".txt");
}

void write_determinants(const std::filesystem::path& path, const std::string& name,
                        const DeterminantList& list, const std::vector<double>& coefficients,
                        int orbitals, const HostMatrix& rotation) {
  if (is_archive(name)) return write_archive(path, name, list, coefficients, orbitals, rotation);
  if (has_ending(name, ".bin")) return write_big_endian(path, name, list);
  write_text(path, name, list, coefficients, orbitals, rotation.size() > 0);
}

}  // namespace cisolve
