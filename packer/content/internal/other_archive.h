// Recognises archives that can't be taken apart here, so that the user learns what the file is, and
// that it counts as one asset.
#pragma once

#include <string>

#include "packer/base/error.h"
#include "packer/host/files.h"

namespace seekless {

struct OtherArchive {
  std::string name = {};    // follows "is": "a RAR archive"; empty for any other file
  std::string reason = {};  // why it can't be taken apart; may be empty

  std::string text() const { return reason.empty() ? name : name + ": " + reason; }
};

Result<OtherArchive> kind_of_other_archive(const ByteSource& source);

}  // namespace seekless
