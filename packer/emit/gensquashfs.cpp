// Writes the list for gensquashfs --sort-file FILE (squashfs-tools-ng): a line for each file, its
// priority in front, lower ones first; files that aren't named have 0. Paths are those in the
// image.
#include <fmt/format.h>

#include "packer/emit/internal/formats.h"

namespace seekless {
namespace {

// Writes the name without quotes, because version 1.2 misreads the end of a quoted name. After "./"
// no name begins with a quote, a bracket or a space, and a trailing slash keeps spaces at the end;
// gensquashfs removes both.
std::string plain(std::string_view path) {
  return fmt::format("./{}/", path);
}

EmittedList write_gensquashfs(const FileOrder& order, std::string_view prefix) {
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
          .write = write_gensquashfs};
}

}  // namespace seekless
