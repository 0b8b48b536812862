#include "packer/repack/entry_order.h"

#include "packer/entries/archive_order.h"
#include "packer/entries/archive_reads.h"

namespace seekless {

EntryOrder order_entries(const Profile& profile, const Content& content,
                         const EntryOrderOptions& options) {
  if (!is_in_planning_order(profile))
    return order_entries(in_planning_order(profile), content, options);
  EntryOrder order;
  const ArchiveOrderOptions each = {options.drive, options.alignment};
  for (const ArchiveReads& reads :
       archive_reads(profile, content, options.weights, options.storing)) {
    std::vector<uint32_t>& numbers = order.read_entries.emplace_back();
    for (const uint32_t entry : order_archive(reads, each))
      numbers.push_back(reads.entries[entry].number);
  }
  return order;
}

}  // namespace seekless
