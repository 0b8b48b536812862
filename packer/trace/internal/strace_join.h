// Joins the files of `strace -ff -o NAME`, one for each thread (NAME.1234), into the text that
// `strace -f` would have written: all lines in order of time, each after its thread's number.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "packer/host/files.h"

namespace seekless {

// Returns the joined text of the files `paths`, which may be compressed. Fails with kind `usage` if
// a name doesn't end in a thread's number, and with kind `damaged` if lines carry no time of day or
// date (-tt, -ttt). `warnings` gets a line for each file that is cut short, and must outlive the
// stream.
Result<std::unique_ptr<ByteStream>> join_strace(std::span<const std::string> paths,
                                                std::vector<std::string>& warnings);

// Returns the common name: "rec/menu.1.strace.4711" -> "rec/menu.1.strace".
std::string joined_name(const std::string& path);

}  // namespace seekless
