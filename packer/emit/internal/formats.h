// Every format, each made in a file of its own. Shared: what keeps paths out of lists, and lists of
// lines.
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

// As EmitFormat::fault_of: no list of lines can hold a name that has a line end.
std::string_view newline_fault(std::string_view path);
// The same where a carriage return ends a line, too.
std::string_view line_fault(std::string_view path);
// The same of a list that is text: a name that isn't UTF-8 has no place in it.
std::string_view text_fault(std::string_view path);

// Each path after its prefix, a line each.
std::string lines_of(const std::vector<std::string>& paths, std::string_view prefix);
// As EmitFormat::write: just that, of what is read.
EmittedList write_lines(const FileOrder& order, std::string_view prefix);

}  // namespace seekless
