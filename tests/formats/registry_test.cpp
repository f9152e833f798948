// The registry of formats, and the sizes that it predicts.

#include <string>

#include "core/error.hpp"
#include "formats/hybrid/hybrid.hpp"
#include "tests/support/support.hpp"

namespace cisolve {
namespace {

TEST(Registry, lists_csr_ell_and_hybrid) {
  for (const char* name : {"csr", "ell", "hybrid"}) {
    const Format& format = find_format(name);
    EXPECT_EQ(format.name, name);
    EXPECT_EQ(unavailable_reason(format, BackendKind::cpu), "");
  }
}

TEST(Registry, names_the_formats_there_are_when_asked_for_another) {
  try {
    find_format("cs");
    FAIL() << "accepted";
  } catch (const InputError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("'cs'"), std::string::npos) << message;
    for (const Format& format : formats()) {
      EXPECT_NE(message.find(format.name), std::string::npos) << message;
    }
  }
}

TEST(Sizes, predicted_bytes_and_regions_do_not_wrap_beyond_two_to_the_31_entries) {
  // Rows, columns and row offsets alone, so that nothing large is allocated: 2.8e9 entries.
  const Index rows = 70000, length = 40000;
  CsrMatrix a{rows, rows, Array<Offset>(rows + std::size_t{1}), {}, {}};
  for (Index i = 0; i <= rows; ++i) a.row_offsets[i] = Offset{i} * length;
  const Offset entries = Offset{rows} * length;
  ASSERT_GT(entries, Offset{1} << 31);
  EXPECT_EQ(a.nonzeros(), entries);
  EXPECT_EQ(find_format("csr").bytes(a, {}), 12u * entries + 8u * (rows + 1u));
  FormatOptions options;
  options.boundary = {Boundary::By::count, 32000};
  EXPECT_EQ(find_format("hybrid").bytes(a, options), 12u * entries + 12u * rows + 8u);
  const Regions regions = part_regions(a, options.boundary);
  EXPECT_EQ(regions.reference.nonzeros(), Offset{rows} * 32000);
  EXPECT_EQ(regions.expansion.nonzeros(), Offset{rows} * 8000);
  EXPECT_EQ(regions.reference.row_offsets[rows], Offset{rows} * 32000);
  const RowStatistics lengths = row_statistics(a);
  EXPECT_EQ(lengths.mean, length);
  EXPECT_EQ(lengths.maximum, length);
}

}  // namespace
}  // namespace cisolve
