// The one interface of all formats that orders are written in: what each is called, which names it
// can hold, and how it is written. A format is one file here, and a line in formats.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "packer/emit/internal/file_order.h"

namespace seekless {

// What becomes of a file that the list doesn't hold.
enum class Unlisted : uint8_t {
  packed,   // it is packed all the same, wherever the packer likes
  left_out  // it isn't in what the packer makes
};

struct EmittedList {
  std::string text;
  std::string note = {};  // a sentence on what was lost, if anything was
};

struct EmitFormat {
  std::string_view name;
  std::string_view taken_by;  // the command that takes the list, with LIST and FOLDER
  Unlisted unlisted = Unlisted::packed;
  bool takes_prefix = false;
  std::string_view prefix = {};  // in front of each path, unless the user names another
  // Why a path can't be in such a list, after its prefix, to stand after "found"; empty if it can.
  std::string_view (*fault_of)(std::string_view path);
  // `order` holds only paths without a fault.
  EmittedList (*write)(const FileOrder& order, std::string_view prefix);
};

std::span<const EmitFormat> emit_formats();
// Null if there is none.
const EmitFormat* find_emit_format(std::string_view name);

// What can't be said.
struct Unsayable {
  std::string_view reason;
  std::string example;
  uint64_t files = 0;
};

struct Emission {
  EmittedList list;
  std::vector<Unsayable> unsayable;  // of each reason, in the order they are met
};

// Paths that the format can't hold are left out and told. Error: such a path in a format where what
// isn't listed would be missing in what is packed.
Result<Emission> emit(const EmitFormat& format, FileOrder order, std::string_view prefix);

}  // namespace seekless
