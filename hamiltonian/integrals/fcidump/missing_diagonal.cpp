#include "hamiltonian/integrals/fcidump/missing_diagonal.hpp"

namespace cisolve {

std::string warning_of(const GivenDiagonal& diagonal, const NamedText& source,
                       std::size_t last_line, bool allow_missing) {
  const std::string& kind = diagonal.kind;
  if (diagonal.missing.empty()) return "";
  if (!diagonal.any && diagonal.hopping) {
    return "No " + kind + " has a diagonal one-electron integral, and pairs of " + kind +
           "s do: a model, the diagonal is taken as zero.";
  }
  const std::string what =
      "no diagonal one-electron integral h_pp for " + kind + " " + diagonal.missing;
  if (!allow_missing) {
    source.fail(last_line, "the file ends with " + what +
                               " and may be cut short; where they are zero, give "
                               "--allow-missing-diagonal");
  }
  return "The file has " + what + ": taken as zero.";
}

}  // namespace cisolve
