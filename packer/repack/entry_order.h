// In which order the entries of archives lie that recordings read: from what each scenario reads
// first to last, to a list per archive. Pure: a profile and content in, entries out.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "packer/content/content.h"
#include "packer/drive/profile.h"
#include "packer/profile/profile.h"
#include "packer/repack/internal/data_alignment.h"
#include "packer/repack/internal/storing.h"

namespace seekless {

struct EntryOrder {
  // By source of the content: entries (numbers in the central directory) of the archive that
  // recordings read, in the order they are to lie, each once; empty for loose files.
  std::vector<std::vector<uint32_t>> read_entries;
};

struct EntryOrderOptions {
  DriveProfile drive;
  std::map<std::string, double> weights = {};  // of scenarios; others have 1
  // How entries will lie: whether deflated ones stay so, and where data begin.
  Storing storing = kStoreAll;
  DataAlignment alignment = {};
};

// `content` is scanned with keep_archives, so that what one archive hides of another counts, too.
// An archive has one order and no copies, so the runs of all scenarios are one problem. Several
// orders are made: the old one, first-seen, the planner's portfolio over all runs; each as it is,
// and with what one scenario alone reads set apart, and with small entries set apart from large
// ones, which turn the read-ahead away from them. The one counts that the recorded runs read
// fastest (ReadTime); of equal ones the first, which is the old one. So it is never slower than the
// old order by that measure. With a small weight, loads count that nobody has recorded: they read
// what several scenarios read.
//
// The same input gives the same order. Time grows with the reads in all runs; archives are
// independent.
EntryOrder order_entries(const Profile& profile, const Content& content,
                         const EntryOrderOptions& options);

}  // namespace seekless
