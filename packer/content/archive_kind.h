// Recognises archives by a few of their bytes, without reading their directories.
#pragma once

#include <string>

#include "packer/base/error.h"
#include "packer/host/files.h"

namespace seekless {

enum class ArchiveKind {
  none,   // a plain file
  zip,    // `repack` rewrites it
  flat,   // `repack` rewrites it, as flat_archive.h says
  other,  // an archive that can't be taken apart here
};

struct RecognisedFile {
  ArchiveKind kind = ArchiveKind::none;
  std::string name = {};  // follows "is": "a RAR archive"; empty for a plain file
};

// Reads some bytes at the file's beginning and end.
Result<RecognisedFile> recognise_archive(const ByteSource& source);

}  // namespace seekless
