// Writes the list for mksquashfs -sort FILE: a line for each file with its priority, higher ones
// first. Paths are relative to the folder that is packed.
#include <algorithm>

#include <fmt/format.h>

#include "packer/emit/internal/formats.h"

namespace seekless {
namespace {

constexpr int64_t kHighest = 32767;
constexpr int64_t kLowest = -32768;  // priority of files that no load reads
constexpr uint64_t kPriorities = kHighest - kLowest;

// Escapes characters with a backslash; a leading '#' would begin a comment.
std::string escaped(std::string_view path) {
  std::string text;
  for (const char c : path) {
    if (c == ' ' || c == '\\' || (c >= '\t' && c <= '\r') || (c == '#' && text.empty()))
      text += '\\';
    text += c;
  }
  return text;
}

// Writes a priority for each file. If there are more files than priorities, neighbours share one,
// evenly.
EmittedList write_mksquashfs(const FileOrder& order, std::string_view) {
  EmittedList list;
  const uint64_t files = order.read.size();
  const uint64_t priorities = std::min(files, kPriorities);
  for (uint64_t i = 0; i < files; ++i)
    list.text += fmt::format("{} {}\n", escaped(order.read[i]),
                             kHighest - static_cast<int64_t>(i * priorities / files));
  // Files without a line would get priority 0, which lies in the middle. The line for the whole
  // folder gives them the lowest instead.
  list.text += fmt::format(". {}\n", kLowest);
  if (files > kPriorities)
    list.note = fmt::format(
        "mksquashfs knows {} priorities, and {} files are read: neighbours share one, up to {} of "
        "them, and lie in an order of its own",
        kPriorities, files, (files + kPriorities - 1) / kPriorities);
  return list;
}

}  // namespace

EmitFormat mksquashfs_format() {
  return {.name = "mksquashfs",
          .taken_by = "mksquashfs FOLDER IMAGE -b 1M -sort LIST",
          .fault_of = newline_fault,
          .write = write_mksquashfs};
}

}  // namespace seekless
