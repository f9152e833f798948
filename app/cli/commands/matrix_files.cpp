#include "app/cli/commands/matrix_files.hpp"

#include "app/page/figures/matrix_picture.hpp"
#include "core/error.hpp"
#include "core/text/text.hpp"
#include "io/density_image.hpp"

namespace cisolve {

FileKind kind_of_picture(const std::string& name) {
  return to_lower(name).ends_with(".svg") ? FileKind::svg : FileKind::png;
}

MatrixFiles::MatrixFiles(const RunConfig& config, const InfoFlags& flags)
    : format_(find_format(first_format(config.spmv.format))),
      options_(config.spmv),
      picture_name_(flags.picture),
      title_(config.input.file.filename().string()),
      pixels_(flags.pixels) {
  if (!flags.picture.empty()) picture_ = std::make_unique<AtomicFile>(flags.picture);
  if (flags.dump.empty()) return;
  if (format_.dump == nullptr) {
    throw InputError("format " + format_.name +
                     " has no arrays of its own on the host: the vendor library takes those of "
                     "csr");
  }
  folder_ = std::make_unique<FormatFolder>(flags.dump);
}

void MatrixFiles::write(const CsrMatrix& a, Json& report) {
  if (picture_) {
    const GrayImage image = density_image(a, pixels_);
    if (kind_of_picture(picture_name_) == FileKind::svg) {
      picture_->write(matrix_picture(image, a.rows, a.columns, title_));
    } else {
      write_png(image, picture_->temporary(), picture_name_);
      picture_->commit();
    }
    report["picture"] = {{"file", picture_name_}, {"width", image.width}, {"height", image.height}};
  }
  if (folder_) {
    dump_arrays(format_, a, options_, *folder_);
    folder_->commit({{"format", format_.name},
                     {"storage", format_.symmetric ? "upper" : "full"},
                     {"rows", a.rows},
                     {"columns", a.columns},
                     {"nonzeros", a.nonzeros()}});
    report["dump"] = {{"folder", folder_->folder().string()}, {"format", format_.name}};
  }
}

}  // namespace cisolve
