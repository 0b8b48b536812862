// Declares the options of repack.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "packer/command/internal/command.h"
#include "packer/command/internal/drive_options.h"
#include "packer/command/internal/inputs.h"
#include "packer/command/internal/overlay_options.h"
#include "packer/repack/archive_set.h"

namespace seekless {

struct RepackArguments {
  TraceOptions traces;
  std::vector<std::string> roots;
  ScanOptions scan = repack_scan_options();
  std::string profile;
  std::string output;
  bool in_place = false;
  OverlayOptions overlay;
  bool dry_run = false;
  bool finds_room = true;     // a forecast briefly reserves space, to see where it lies
  std::string recorded_from;  // "originals", "current", or empty: detected
  DriveOptions drive;
  std::vector<std::string> weights;
  RepackOptions repack;
  bool keep_compression = false;
  std::string compression = "auto";  // "auto", "store" or "keep"
  bool no_verify = false;
  bool force = false;
  std::vector<std::string> store;
  std::vector<std::string> compress;
  Output answer;
  // Returns this command line without some words, and with one more unless it is empty.
  std::function<std::vector<std::string>(const std::vector<std::string>& without,
                                         const std::string& with)>
      command_line;

  void add_to(const Command& command);
  // Collects, after parsing, the options whose order on the command line matters.
  void take_compression(const Command& command);
  Result<void> check() const;
  // Returns true if forecasts decide which entries are stored: if no option does, and there are
  // recorded reads.
  bool chooses_storing() const {
    return compression == "auto" && !keep_compression && !traces.paths.empty();
  }
};

}  // namespace seekless
