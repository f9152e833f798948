#pragma once

#include <filesystem>

#include "core/text/text_blocks.hpp"
#include "hamiltonian/integrals/fcidump/fcidump_header.hpp"

namespace cisolve {

/// An FCIDUMP file, plain or gzip, whose text is no longer than its header announces. Throws as
/// TextBlocks does.
class FcidumpFile {
 public:
  explicit FcidumpFile(const std::filesystem::path& path)
      : blocks_(path,
                [name = path.string()](std::string_view beginning) {
                  return longest_fcidump({name, beginning});
                }),
        source_{path.string(), blocks_.first(), blocks_.is_whole() ? nullptr : &blocks_} {}
  FcidumpFile(const FcidumpFile&) = delete;
  FcidumpFile& operator=(const FcidumpFile&) = delete;

  const NamedText& source() const { return source_; }

 private:
  TextBlocks blocks_;
  NamedText source_;
};

}  // namespace cisolve
