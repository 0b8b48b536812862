// Recognises archives by a few of their bytes, without reading their directories.
#pragma once

#include <string_view>

#include "packer/base/error.h"
#include "packer/host/files.h"

namespace seekless {

enum class ArchiveKind {
  none,       // a plain file
  zip,        // the first three are those that `repack` rewrites
  godot_pck,  // also at the end of the game's program
  quake_pak,
  other,  // an archive that can't be taken apart here
};

struct RecognisedFile {
  ArchiveKind kind = ArchiveKind::none;
  std::string_view name =
      {};  // static words to follow "is": "a RAR archive"; empty for a plain file
};

// Reads some bytes at the file's beginning and end.
Result<RecognisedFile> recognise_archive(const ByteSource& source);

}  // namespace seekless
