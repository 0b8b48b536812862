// Decides the order of the entries that recordings read in their archives. Takes a profile, which
// lists each scenario's reads from first to last, and content; returns a list for each archive.
// Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "packer/content/content.h"
#include "packer/drive/profile.h"
#include "packer/entries/data_alignment.h"
#include "packer/entries/storing.h"
#include "packer/profile/profile.h"

namespace seekless {

struct EntryOrder {
  // Maps each source of the content to the entries of the archive that recordings read (numbers in
  // the central directory), each once, in their new order. Empty for loose files. A set's directory
  // has the order of the whole set, by numbers in the set; its parts have none.
  std::vector<std::vector<uint32_t>> read_entries;
};

struct EntryOrderOptions {
  DriveProfile drive;
  std::map<std::string, double> weights = {};  // indexed by scenario; others have 1
  // Tells which deflated entries will be stored.
  Storing storing = kStoreAll;
  DataAlignment alignment = {};
};

// `content` must be scanned with keep_archives, so that entries hidden by another archive count,
// too. An archive has one order and no copies, so the runs of all scenarios form one problem.
// Several orders are tried: the old one, first-seen, and the planner's portfolio over all runs.
// Each is tried unchanged; with entries that only one scenario reads kept apart; and with small
// entries kept apart from large ones, which disturb the read-ahead. The order that the recorded
// runs read fastest (ReadTime) wins; among equals the first, which is the old one. So the result is
// never slower than the old order by that measure. Unrecorded loads count with a small weight: they
// are assumed to read the entries that several scenarios read.
//
// The same input gives the same order. Time grows with the reads in all runs. Archives are
// independent of each other.
EntryOrder order_entries(const Profile& profile, const Content& content,
                         const EntryOrderOptions& options);

}  // namespace seekless
