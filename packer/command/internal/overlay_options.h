// The options that say which overlay repack is to write.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "packer/base/error.h"
#include "packer/repack/archive_precedence.h"

namespace seekless {

struct OverlayOptions {
  std::string name;  // empty: none is asked for
  WinningName winning = WinningName::last;

  void add_to(CLI::App& command);
  // After parsing: none of them without a name, and with one nothing that rewrites archives.
  Result<void> check(const CLI::App& command) const;
};

}  // namespace seekless
