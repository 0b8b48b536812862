// Writes the list for zip -@: one path a line, on standard input, relative to the folder that is
// packed. Files that aren't named aren't packed. zip packs the files that links lead to, unless an
// option says otherwise.
#include "packer/emit/internal/formats.h"

namespace seekless {
namespace {

EmittedList write_zip(const FileOrder& order, std::string_view) {
  return {.text = lines_of(order.read, "") + lines_of(order.unread, "") +
                  lines_of(order.links, "") + lines_of(order.folders, "")};
}

}  // namespace

EmitFormat zip_format() {
  return {.name = "zip",
          .taken_by = "cd FOLDER && zip --symlinks -@ ARCHIVE < LIST",
          .unlisted = Unlisted::left_out,
          .fault_of = line_fault,
          .write = write_zip};
}

}  // namespace seekless
