// Errors of writing files, in the same words for every way to write one.
#pragma once

#include <cerrno>
#include <string>

#include "packer/host/calls.h"
#include "packer/host/error.h"
#include "packer/host/files.h"

namespace seekless {

inline std::string advice_for_writing(int os_error) {
  if (os_error == ENOENT) return "make its folder first";
  return calls::is_no_room(os_error) ? "free some space or choose another output, then run it again"
                                     : "";
}

inline std::unexpected<Error> failed_write(const std::string& path, int os_error) {
  return failed_call(path, "write", os_error, advice_for_writing(os_error));
}

inline std::unexpected<Error> no_output(const std::string& path, PathKind kind) {
  return failed({.file = path,
                 .expected = "a file, or none yet",
                 .found = kind == PathKind::folder ? "a folder" : "a device",
                 .advice = "choose another output"});
}

inline std::unexpected<Error> interrupted_run(const std::string& path) {
  return failed({.file = path,
                 .found = "the run interrupted",
                 .advice = "what it had not finished is cleared away; run it again"});
}

}  // namespace seekless
