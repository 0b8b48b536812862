#include "packer/build/zip_output.h"

#include <algorithm>
#include <utility>

#include "packer/host/file_stamp.h"
#include "packer/host/files.h"
#include "packer/repack/entry_order.h"

namespace seekless {

Result<Content> scan_archives(const BuildFile& file) {
  ScanOptions scan = repack_scan_options();
  scan.exclude = file.scan.exclude;
  scan.opaque = file.scan.opaque;
  return scan_content(file.roots, scan);
}

Result<std::vector<RepackedArchive>> write_zips(const BuildFile& file, const Content& content,
                                                const Profile& profile, const PlanOptions& plan) {
  const EntryOrder order = order_entries(profile, content, {plan.drive, plan.weights});
  return repack_archives(content, file.roots, order, file.zips->folder, {});
}

Result<std::vector<KnownOutput>> stamp_zips(const BuildFile& file) {
  std::vector<KnownOutput> outputs;
  if (kind_of_path(file.zips->folder) != PathKind::folder) return outputs;
  const auto found = stamp_folder(file.zips->folder);
  if (!found) return std::unexpected(found.error());
  for (const StampedFile& each : *found) outputs.push_back({each.path, each.stamp});
  return outputs;
}

}  // namespace seekless
