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

namespace seekless {

struct EntryOrder {
  // By source of the content: entries (numbers in the central directory) of the archive that
  // recordings read, in the order they are to lie, each once; empty for loose files.
  std::vector<std::vector<uint32_t>> read_entries;
};

struct EntryOrderOptions {
  DriveProfile drive;
  std::map<std::string, double> weights = {};  // of scenarios; others have 1
};

EntryOrder order_entries(const Profile& profile, const Content& content,
                         const EntryOrderOptions& options);

}  // namespace seekless
