// What 'seekless pack' is asked for, and its three answers: a set, one file of it, or what there is
// to make.
#pragma once

#include <string>

#include "packer/command/internal/command.h"
#include "packer/command/internal/step_options.h"
#include "packer/command/internal/threads.h"
#include "packer/command/progress.h"
#include "packer/layout/layout.h"
#include "packer/pack/pack_writer.h"

namespace seekless {

struct PackArguments {
  std::string layout;
  std::string output;
  std::string codec = "auto";
  unsigned threads = default_reading_threads();
  std::string only;          // a pack's name or "catalog"; empty: all
  std::string packs_folder;  // where the finished packs lie, for the catalog; empty: beside it
  bool list_packs = false;
  bool allows_outside = false;  // sources that lie anywhere
  StepOptions step;
  Output answer;

  PackWriteOptions write_options(Progress& progress) const;
};

// One pack, or the catalog of those that are finished.
Result<void> pack_one(const PackArguments& arguments, const Layout& layout);
// The packs' names, and which files of content each reads.
Result<void> list_packs(const PackArguments& arguments, const Layout& layout);

}  // namespace seekless
