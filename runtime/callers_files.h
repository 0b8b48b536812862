// Files that the caller opens (skl_file, skl_file_io) as files of the reader's.
#pragma once

#include <memory>
#include <string>

#include "runtime/error.h"
#include "runtime/file_io.h"
#include "runtime/include/seekless.h"

namespace seekless::runtime {

// Calls of `io`, whose close() is called when this ends. It has no folders but those with a
// catalog.
std::shared_ptr<const FileIo> make_callers_io(const skl_file_io& io);

// One file, by its name alone. Its close() is called when nothing uses it any more.
std::shared_ptr<const FileIo> make_single_file_io(const std::string& name, const skl_file& file);

}  // namespace seekless::runtime
