// Writes the list for UnrealPak -order=FILE, in the form of the engine's GameOpenOrder.log: a path
// in quotes and a number, lower ones first. Paths are relative to the folder of the game's program,
// three levels below the top.
#include <fmt/format.h>

#include "packer/emit/internal/formats.h"

namespace seekless {
namespace {

EmittedList write_unreal(const FileOrder& order, std::string_view prefix) {
  EmittedList list;
  uint64_t number = 0;
  for (const std::string& path : order.read)
    list.text += fmt::format("\"{}{}\" {}\n", prefix, path, ++number);
  return list;
}

std::string_view unreal_fault(std::string_view path) {
  if (path.contains('"')) return "a quote in its name";
  if (path.contains('\\')) return "a backslash in its name, which is a slash there";
  return text_fault(path);
}

}  // namespace

EmitFormat unreal_format() {
  return {.name = "unreal",
          .taken_by = "UnrealPak PAK -create=RESPONSE -order=LIST",
          .takes_prefix = true,
          .prefix = "../../../",
          .fault_of = unreal_fault,
          .write = write_unreal};
}

}  // namespace seekless
