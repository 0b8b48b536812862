// Wraps files that the caller opens (skl_file, skl_file_io) as the reader's files.
#pragma once

#include <memory>
#include <string>

#include "runtime/error.h"
#include "runtime/file_io.h"
#include "runtime/include/seekless.h"

namespace seekless::runtime {

// Opens files through `io`, whose close() is called when the result is destroyed. It recognises
// only folders with a catalog.
std::shared_ptr<const FileIo> make_callers_io(const skl_file_io& io);

// Serves a single file under its name. Its close() is called when nothing uses the file any longer.
std::shared_ptr<const FileIo> make_single_file_io(const std::string& name, const skl_file& file);

}  // namespace seekless::runtime
