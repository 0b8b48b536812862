// Declares every format; each is implemented in a separate file. They share functions that find
// unusable paths, and that write lists of lines.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "packer/emit/format.h"

namespace seekless {

EmitFormat mksquashfs_format();
EmitFormat gensquashfs_format();
EmitFormat dwarfs_format();
EmitFormat erofs_format();
EmitFormat tar_format();
EmitFormat zip_format();
EmitFormat unreal_format();

// Checks a path for a list of lines, which can't hold a name with a line end. For
// EmitFormat::fault_of.
std::string_view newline_fault(std::string_view path);
// Checks a path for a list in which a carriage return also ends a line.
std::string_view line_fault(std::string_view path);
// Checks a path for a list that is text, which can't hold a name that isn't UTF-8.
std::string_view text_fault(std::string_view path);

// Returns the paths, each after its prefix, one a line.
std::string lines_of(const std::vector<std::string>& paths, std::string_view prefix);
// For EmitFormat::write: writes the paths that are read.
EmittedList write_lines(const FileOrder& order, std::string_view prefix);

}  // namespace seekless
