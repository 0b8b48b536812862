// The options that say which overlay repack is to write.
#pragma once

#include <string>

#include "packer/command/internal/command.h"
#include "packer/repack/archive_precedence.h"

namespace seekless {

struct OverlayOptions {
  std::string name;  // empty: none is asked for
  bool is_first = false;
  bool is_last = false;  // the default, too

  void add_to(const Command& command);
  // After parsing: none of them without a name, and with one nothing that rewrites archives.
  Result<void> check(const Command& command) const;
  WinningName winning() const { return is_first ? WinningName::first : WinningName::last; }
};

}  // namespace seekless
