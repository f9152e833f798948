#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "io/determinants/determinant_file.hpp"

namespace cisolve {

/// True if a file is to have determinants, or strings of one spin or both.
enum class ListOf { determinants, strings };

/// A file or folder that is to be read.
struct ListFile {
  std::filesystem::path path;
  ListOf of = ListOf::determinants;
  std::string beginning;  ///< its first 16 bytes; of a gzip file unpacked, of a folder none
};

/// A kind of file with lists; each has a file of code.
struct ListFormat {
  const char* name;
  /// By content, or by the ending of the name.
  bool (*recognises)(const ListFile& file);
  /// Throws InputError as read_determinants. `beta` stays empty if both spins have one list of
  /// strings.
  ReadList (*read)(const ListFile& file, const StringForm& form);
};

extern const ListFormat ezfio_list, trexio_list, npz_list, hdf5_list, dice_list, big_endian_list,
    text_list;

/// Line of a text list over the natural orbitals of a selection.
inline constexpr std::string_view natural_heading =
    "# over natural orbitals: for the integrals of that selection's output.fcidump alone";

/// Note on a list over natural orbitals.
std::string note_of_rotation(const std::filesystem::path& path);

/// True if it has the ending .bin, or bytes that no text has.
bool is_binary(const ListFile& file);

/// Throws InputError unless a file has 1 to 2147483647 determinants or strings.
void require_number(std::uint64_t number, const ListFile& file);

/// Throws InputError where a string occupies orbitals beyond so many; `which`: "alpha string 3".
void require_within(const OrbitalString& string, int orbitals, const ListFile& file,
                    const std::string& which);

}  // namespace cisolve
