// Every file of tests/data/malformed/fcidump is refused, at the line of its defect, by name.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "hamiltonian/integrals/fcidump/fcidump.hpp"
#include "tests/support/paths.hpp"

namespace cisolve {
namespace {

const std::filesystem::path folder = test_data() / "malformed" / "fcidump";

struct Defect {
  std::string name;
  int line;
  std::string message;  // a part of it
};

void PrintTo(const Defect& defect, std::ostream* out) {
  *out << defect.name;
}

const std::vector<Defect> defects = {
    // Header
    {"empty", 1, "the file is empty"},
    {"blank", 1, "the file is empty"},
    {"no_header", 1, "found \"0.7 1 1 1 1\", expected an FCIDUMP header that opens with &FCI"},
    {"other_namelist", 2, "found \"&INPUT NORB=2 &END\", expected an FCIDUMP header"},
    {"header_never_closed", 2, "the header is never closed: expected &END, $END or /"},
    {"quote_never_closed", 2, "a quoted string of the header is never closed"},
    {"text_before_first_key", 1, "found \"5\" before the first key = value"},
    {"equals_without_key", 2, "found \"=\" without a key before it"},
    {"text_after_header", 1, "found \"0.7 1 1 1 1\" after the end of the header"},
    {"norb_missing", 1, "the header has no NORB"},
    {"norb_zero", 2, "NORB = 0, expected at least 1"},
    {"norb_not_integer", 2, "NORB: found \"two\", expected an integer"},
    {"norb_two_values", 2, "NORB: found 2 values, expected 1"},
    {"norb_twice", 2, "NORB is given twice; the first is on line 1"},
    {"norb_above_128", 1, "NORB = 129: expected at most 128 spatial orbitals"},
    {"uhf_norb_above_256", 1, "NORB = 258: expected at most 128 spatial orbitals"},
    {"uhf_norb_odd", 1, "NORB = 3 counts spin orbitals (UHF=.TRUE.): expected an even number"},
    {"uhf_not_logical", 2, "UHF: found \"yes\", expected .TRUE. or .FALSE."},
    {"uhf_and_iuhf", 1, "exclude each other"},
    {"iuhf_two", 1, "IUHF = 2, expected 0 or 1"},
    {"nelec_absent", 1, "--electrons"},
    {"nelec_zero", 1, "--electrons"},
    {"nelec_negative", 1, "NELEC = -2 is negative"},
    {"orbsym_short", 2, "ORBSYM: found 1 value, expected 2"},
    {"orbsym_long", 2, "ORBSYM: found 3 values, expected 2"},
    {"orbsym_negative", 2, "ORBSYM: found label -1, expected 1 to 8"},
    {"orbsym_bad_repeat", 2, "ORBSYM: a repeat count below 1"},
    {"key_unknown", 2, "found the key SPINORBS = 4, which is not known"},
    {"key_subscript", 2, "found the key ORBSYM(2) = 5, which is not known"},
    {"key_symlz", 2, "SYMLZ = 1,-1: the orbitals have momenta"},
    {"key_nprop", 2, "NPROP = 2 1 1: the orbitals have momenta"},
    {"key_ksym", 2, "KSYM = 0,1: the orbitals have momenta"},
    {"key_icmplx", 2, "ICMPLX = 1: the integrals are complex"},
    {"key_st", 2, "ST = 1: the integrals are similarity-transformed"},
    {"key_npy", 2, "NPY2 = \"two.npy\": the integrals are in other files"},
    {"key_frozen", 2, "FROZEN = 1,0: orbitals are to be frozen; give them by --frozen"},
    {"key_core", 2, "CORE = 1.0D0: a core energy in the header"},
    {"iuhf_true", 2, "IUHF = .TRUE. does not say how the lines tell the spins apart"},
    {"trel_and_uhf", 2, "TREL=.TRUE. says general spin orbitals"},
    {"igeneral_open", 1, "give --orbital-kind spin or --orbital-kind spatial"},
    // Lines
    {"index_above_norb", 4, "found orbital number 3, expected 0 to NORB = 2"},
    {"index_negative", 4, "found orbital number -2, expected 0 to NORB = 2"},
    {"index_not_integer", 4, "found \"2.0\", expected an orbital number"},
    {"index_beyond_int", 4, "found orbital number 99999999999, expected 0 to NORB = 2"},
    {"field_missing", 4, "found 4 fields, expected 5: value i j k l"},
    {"field_too_many", 4, "found 6 fields, expected 5: value i j k l"},
    {"value_nan", 4, "found \"NaN\", expected a finite number"},
    {"value_infinite", 4, "found \"-Infinity\", expected a finite number"},
    {"value_overflow", 4, "found \"1.0D+999\", expected a finite number"},
    {"value_stars", 4, "found \"*********\", expected a number"},
    {"value_two_signs", 4, "found \"+-0.6\", expected a number"},
    {"value_trailing_letters", 4, "found \"0.6abc\", expected a number"},
    {"complex_value", 4, "a complex integral in a file whose first one is real"},
    {"complex_value_spaced", 4, "a complex integral in a file whose first one is real"},
    {"complex_six_columns", 3, "a complex integral in a file whose first one is real"},
    {"pattern_ijk0", 4, "found \"0.6 2 2 1 0\": these indices mean nothing"},
    {"pattern_0j00", 4, "found \"0.6 0 2 0 0\": these indices mean nothing"},
    {"pattern_i0k0", 4, "found \"0.6 2 0 1 0\": these indices mean nothing"},
    {"pattern_00kl", 4, "found \"0.6 0 0 1 1\": these indices mean nothing"},
    {"two_electron_differs", 10, "line 4 gives the same quantity as 0.6"},
    {"one_electron_differs", 10, "line 6 gives the same quantity as -0.1"},
    {"orbital_energy_differs", 11, "line 3 gives the same quantity as -0.5"},
    {"core_energy_differs", 10, "line 9 gives the same quantity as 0.7"},
    {"orders_differ", 5, "line 4 gives the same quantity as 0.1; real orbitals have (pq|rs) ="},
    {"orders_differ_in_small_units", 5, "line 4 gives the same quantity as 1e-12"},
    {"order_missing", 6, "found \"0.2 3 1 3 1\" and no line with (pq|rs) in the other order"},
    {"order_missing_one_electron", 6, "no line with h_pq in the other order"},
    {"words_before_integral", 4, "found 2 fields, expected 5: value i j k l"},
    {"words_without_core_energy", 6, "found 1 field, expected 5: value i j k l"},
    {"nan_at_end", 7, "found \"NaN\", expected a finite number"},
    // Whole file
    {"cut_in_last_line", 8, "found 3 fields, expected 5: value i j k l (the file seems cut short)"},
    {"cut_before_last_diagonal", 7, "no diagonal one-electron integral h_pp for orbital 2 "},
    {"cut_in_two_electron", 5, "no diagonal one-electron integral h_pp for orbital 1, 2 "},
    {"no_integrals", 2, "no integrals follow the header"},
    {"no_integrals_no_newline", 1, "no integrals follow the header"},
    {"only_core_energy", 3, "no integrals follow the header"},
    // UHF=.TRUE.
    {"uhf_one_electron_mixes_spins", 6, "found \"0.1 2 1 0 0\", which pairs an alpha (odd)"},
    {"uhf_two_electron_mixes_spins", 4, "found \"0.1 1 1 2 1\", which pairs an alpha (odd)"},
    {"uhf_alpha_beta_differs", 4, "line 3 gives the same quantity as 0.5"},
    {"uhf_diagonal_missing", 4, "for orbital 2 "},
    // IUHF=1
    {"iuhf_ends_early", 9, "the file ends in section 4 of 6 (IUHF=1), h alpha"},
    {"iuhf_separator_not_zero", 4, "expected 0.0 0 0 0 0 to close the section of (alpha alpha|"},
    {"iuhf_one_electron_too_early", 4, "found \"-1 1 1 0 0\" in section 1 of 6 (IUHF=1)"},
    {"iuhf_integral_after_sections", 11, "in section 6 of 6 (IUHF=1), expected only the core"},
    {"iuhf_diagonal_missing", 10, "for orbital 1 (beta) "},
    {"iuhf_core_energy_differs", 12, "line 11 gives the same quantity as 3"},
};

class MalformedFile : public ::testing::TestWithParam<Defect> {};

TEST_P(MalformedFile, IsRefusedWithItsLineAndDefect) {
  const Defect& defect = GetParam();
  const std::filesystem::path path = folder / (defect.name + ".fcidump");
  try {
    read_fcidump(path);
    FAIL() << "the file was accepted";
  } catch (const InputError& error) {
    const std::string message = error.what();
    const std::string place = path.string() + ":" + std::to_string(defect.line) + ": ";
    EXPECT_EQ(message.substr(0, place.size()), place) << message;
    EXPECT_NE(message.find(defect.message), message.npos) << message;
  }
}

INSTANTIATE_TEST_SUITE_P(All, MalformedFile, ::testing::ValuesIn(defects),
                         [](const auto& test) { return test.param.name; });

TEST(MalformedFiles, AreAllInTheTable) {
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    const std::string name = file.path().stem().string();
    EXPECT_TRUE(std::any_of(defects.begin(), defects.end(), [&](const Defect& defect) {
      return defect.name == name;
    })) << name;
  }
}

}  // namespace
}  // namespace cisolve
