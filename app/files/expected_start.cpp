#include "app/files/expected_start.hpp"

#include <system_error>

#include "app/checkpoint/start_vectors.hpp"
#include "core/error.hpp"
#include "io/array_archive.hpp"

namespace cisolve {
namespace {

/// True if a solve may read vectors there: other content of such names is left to it.
bool may_be_vectors(const std::filesystem::path& file, FileKind found) {
  using enum FileKind;
  if (found == npy) return true;
  return is_npz(file) && (found == states || npz_has_array(file, "ci"));
}

std::string words_for_start(FileKind wanted) {
  using enum FileKind;
  if (wanted == selection) return "a selection, which checkpoint.file of select is";
  const std::string vectors = "vectors in .npy or .npz";
  return wanted == checkpoint ? "a checkpoint (checkpoint.file), or " + vectors : vectors;
}

}  // namespace

std::string beside_input(FileKind kind, const std::filesystem::path& file) {
  const std::string restart = " INPUT --restart " + file.string() + "` ";
  using enum FileKind;
  if (kind == checkpoint) return "`cisolve eigen" + restart + "goes on from it";
  if (kind == selection) return "`cisolve select" + restart + "goes on from it";
  if (kind == states && is_npz(file)) return "`cisolve eigen" + restart + "begins with them";
  if (kind != determinants) return "";
  return "`cisolve eigen INPUT --determinants " + file.string() + "` takes it";
}

void require_start(const std::filesystem::path& file, FileKind wanted) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) return;
  const FileKind found = kind_of_file(file);
  using enum FileKind;
  const std::string advice = beside_input(found, file);
  if (found == wanted || (advice.empty() && !is_npz(file))) return;
  const bool named = wanted == states || is_start_vectors(file);
  if (wanted != selection && named && may_be_vectors(file, found)) return;
  throw InputError(file.string() + ": is " + words_for(found) + ", expected " +
                   words_for_start(wanted) + (advice.empty() ? "" : "; " + advice));
}

}  // namespace cisolve
