// Describes why a file can't be written, in the same words for every way of writing.
#pragma once

#include <cerrno>
#include <string>

#include "packer/base/error.h"
#include "packer/base/windows_names.h"
#include "packer/host/calls.h"
#include "packer/host/files.h"
#include "packer/host/native_path.h"
#include "packer/host/os_error.h"

namespace seekless {

inline std::string advice_for_writing(int os_error) {
  if (os_error == ENOENT) return "make its folder first";
  return calls::is_no_room(os_error) ? "free some space or choose another output, then run it again"
                                     : "";
}

inline std::unexpected<Error> failed_write(const std::string& path, int os_error) {
  return failed_call(path, "write", os_error, advice_for_writing(os_error));
}

// Checks that a file of that name can be made or replaced. Without this, renaming to it could fail,
// or replace a device.
inline Result<void> check_output(const std::string& path) {
  constexpr const char* kChoose = "choose another output";
  const PathKind kind = kind_of_path(path);
  if (has_windows_names() && kind != PathKind::folder) {
    const std::string fault = windows_name_fault(text_of_path(path_of_text(path).filename()));
    if (!fault.empty())
      return failed({.file = path,
                     .expected = "a name that files may have on Windows",
                     .found = fault,
                     .advice = kChoose});
  }
  if (kind != PathKind::folder && kind != PathKind::other) return {};
  return failed({.file = path,
                 .expected = "a file, or none yet",
                 .found = kind == PathKind::folder ? "a folder" : "a pipe or a device",
                 .advice = kChoose});
}

inline std::unexpected<Error> interrupted_run(const std::string& path) {
  return failed({.file = path,
                 .found = "the run interrupted",
                 .advice = "what it had not finished is cleared away; run it again"});
}

}  // namespace seekless
