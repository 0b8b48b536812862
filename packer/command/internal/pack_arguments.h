// Holds the arguments of 'seekless pack', and declares its three jobs: write a set, write one file
// of it, or list the files to write.
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
  std::string only;  // a pack's name or "catalog"; empty for all
  // Folder of the finished packs, for the catalog; empty: beside the catalog.
  std::string packs_folder;
  bool list_packs = false;
  bool allows_outside = false;  // allows sources in any folder
  StepOptions step;
  Output answer;

  PackWriteOptions write_options(Progress& progress) const;
};

// Writes one pack, or the catalog of the finished packs.
Result<void> pack_one(const PackArguments& arguments, const Layout& layout);
// Lists the packs' names, and the content files that each is made from.
Result<void> list_packs(const PackArguments& arguments, const Layout& layout);

}  // namespace seekless
