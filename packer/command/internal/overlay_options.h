// Declares the options of 'repack' that say which overlay to write.
#pragma once

#include <string>

#include "packer/command/internal/command.h"
#include "packer/repack/archive_precedence.h"

namespace seekless {

struct OverlayOptions {
  std::string name;  // empty: no overlay
  bool is_first = false;
  bool is_last = false;  // the default if neither is given

  void add_to(const Command& command);
  // Checks, after parsing, that the other overlay options come only with a name, and that a name
  // comes without options that rewrite archives.
  Result<void> check(const Command& command) const;
  WinningName winning() const { return is_first ? WinningName::first : WinningName::last; }
};

}  // namespace seekless
