// gensquashfs --sort-file FILE (squashfs-tools-ng): a line for each file, its priority in front,
// lower ones first; 0 is that of files that aren't named. Paths are those in the image.
#include <fmt/format.h>

#include "packer/emit/internal/formats.h"

namespace seekless {
namespace {

// Nothing is quoted: 1.2 takes a quoted name's end wrongly. After "./" no name begins with a
// quote, a bracket or a space, and a slash keeps spaces at the end; it takes both off.
std::string plain(std::string_view path) {
  return fmt::format("./{}/", path);
}

EmittedList write(const FileOrder& order, std::string_view prefix) {
  EmittedList list;
  auto priority = -static_cast<int64_t>(order.read.size());
  for (const std::string& path : order.read)
    list.text += fmt::format("{} {}\n", priority++, plain(std::string(prefix) + path));
  return list;
}

}  // namespace

EmitFormat gensquashfs_format() {
  return {.name = "gensquashfs",
          .taken_by = "gensquashfs -b 1M --pack-dir FOLDER --sort-file LIST IMAGE",
          .takes_prefix = true,
          .fault_of = newline_fault,
          .write = write};
}

}  // namespace seekless
