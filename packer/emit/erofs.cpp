// Orders files for mkfs.erofs of a folder. mkfs.erofs takes no list. It walks folders in the order
// of names, and stores a file when it first finds one of its names. So the output is a script that
// copies the folder with hard links: into a folder that comes first, it puts a second name for each
// file that is read.
#include <fmt/format.h>

#include "packer/emit/internal/formats.h"

namespace seekless {
namespace {

constexpr std::string_view kFirstFolder = " !load-order";  // few names sort before a space

// Quotes any name for sh.
std::string quoted(std::string_view path) {
  std::string text = "'./";
  for (const char c : path) {
    if (c == '\'') text += "'\\'";
    text += c;
  }
  return text + "'";
}

EmittedList write_erofs(const FileOrder& order, std::string_view) {
  EmittedList list;
  if (order.read.empty()) return list;
  list.text = fmt::format("set -e\nmkdir '{}'\n", kFirstFolder);
  uint64_t number = 0;
  for (const std::string& path : order.read)
    list.text += fmt::format("ln {} '{}/{:08}'\n", quoted(path), kFirstFolder, ++number);
  return list;
}

std::string_view no_fault(std::string_view) {
  return "";
}

}  // namespace

EmitFormat erofs_format() {
  return {.name = "erofs",
          .taken_by =
              "cp -al FOLDER COPY && (cd COPY && sh) < LIST && mkfs.erofs -zlz4hc -C1048576 "
              "-Eall-fragments IMAGE COPY",
          .fault_of = no_fault,
          .write = write_erofs};
}

}  // namespace seekless
