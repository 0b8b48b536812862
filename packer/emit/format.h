// Defines the interface of all formats of order lists: a format's name, the paths it can hold, and
// how it is written. Each format is one file here, and a line in formats.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "packer/emit/internal/file_order.h"

namespace seekless {

// Tells what happens to a file that isn't in the list.
enum class Unlisted : uint8_t {
  packed,   // the file is packed, at a place that the packer chooses
  left_out  // the file is missing in the packer's output
};

struct EmittedList {
  std::string text;
  std::string note = {};  // a sentence on what was lost, if anything
};

struct EmitFormat {
  std::string_view name;
  std::string_view taken_by;  // the command that takes the list, with LIST and FOLDER
  Unlisted unlisted = Unlisted::packed;
  bool takes_prefix = false;
  std::string_view prefix = {};  // put in front of each path, unless the user names another
  // Returns why a path, after its prefix, can't be in such a list; the text stands after "found".
  // Empty if it can.
  std::string_view (*fault_of)(std::string_view path);
  // `order` holds only paths without a fault.
  EmittedList (*write)(const FileOrder& order, std::string_view prefix);
};

std::span<const EmitFormat> emit_formats();
// Returns null if there is none.
const EmitFormat* find_emit_format(std::string_view name);

// A reason that keeps paths out of a list.
struct Unsayable {
  std::string_view reason;
  std::string example;
  uint64_t files = 0;
};

struct Emission {
  EmittedList list;
  std::vector<Unsayable> unsayable;  // one for each reason, in the order in which they are met
};

// Leaves out and reports paths that the format can't hold. Fails if there is such a path and the
// format's packer would leave out unlisted files.
Result<Emission> emit(const EmitFormat& format, FileOrder order, std::string_view prefix);

}  // namespace seekless
