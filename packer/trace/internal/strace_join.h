// Joins the files of `strace -ff -o NAME`, one a thread (NAME.1234), to the one text that `strace
// -f` would have written: the lines of all by time, each after its thread's number.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "packer/host/files.h"

namespace seekless {

// The text of all of `paths`, which may be packed. Fails with kind `usage` if a name doesn't end in
// a thread's number, and with kind `damaged` if lines carry no time of day or date (-tt, -ttt).
// `warnings`, of files that are cut short, must outlive the stream.
Result<std::unique_ptr<ByteStream>> join_strace(std::span<const std::string> paths,
                                                std::vector<std::string>& warnings);

// "rec/menu.1.strace.4711" -> "rec/menu.1.strace": the name that they share.
std::string joined_name(const std::string& path);

}  // namespace seekless
