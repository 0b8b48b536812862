#include "packer/project/internal/zip_output.h"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "packer/host/file_stamp.h"
#include "packer/host/files.h"
#include "packer/repack/archive_set.h"
#include "packer/repack/entry_order.h"

namespace seekless {
namespace {

// Scans each archive by itself.
Result<Content> scan_archives(const BuildFile& file) {
  ScanOptions scan = repack_scan_options();
  scan.exclude = file.scan.exclude;
  scan.opaque = file.scan.opaque;
  return scan_content(file.roots, scan);
}

Result<Profile> profile_of(const BuildInputs& inputs, const Content& archives,
                           const BuildStages& stages) {
  if (inputs.traces.empty()) return Profile{};
  // These warnings are dropped, because making the packs' profile has already given them.
  std::vector<std::string> told_before;
  return stages.profile(paths_of(inputs.traces), archives, told_before);
}

Result<std::vector<RepackedArchive>> write_zips(const BuildFile& file, const BuildStages& stages,
                                                const BuildInputs& inputs,
                                                const Content& archives) {
  SKL_TRY(const auto profile, profile_of(inputs, archives, stages));
  SKL_TRY_DO(check_inputs(file, inputs));
  const RewriteOptions& rewrite = file.zips->rewrite;
  const EntryOrder order = order_entries(profile, archives,
                                         {.drive = stages.plan.drive,
                                          .weights = stages.plan.weights,
                                          .storing = storing_of(rewrite),
                                          .alignment = rewrite.alignment});
  return repack_archives(archives, file.roots, order, file.zips->folder,
                         {.rewrite = rewrite, .exclude = file.scan.exclude});
}

void warn_of_faulty(const std::vector<RepackedArchive>& archives, BuildOutcome& outcome) {
  for (const RepackedArchive& archive : archives)
    if (archive.is_faulty)
      outcome.warnings.push_back(
          fmt::format("{}: left as it is: {}", archive.name, archive.reason));
}

std::vector<std::string> reasons_to_write(const ZipsState& now, const BuildState* before) {
  if (before == nullptr || before->zips_key != now.key)
    return {"the archives, the recordings or the build file changed"};
  if (now.outputs != before->zips) return {"they aren't as the last build left them"};
  return {};
}

}  // namespace

Result<ZipsState> update_zips(const BuildFile& file, const BuildOptions& options,
                              const BuildStages& stages, const BuildInputs& inputs,
                              const BuildState* state, BuildOutcome& outcome) {
  SKL_TRY(const auto archives, scan_archives(file));
  auto outputs = stamp_zips(file);
  if (!outputs) return std::unexpected(outputs.error());
  ZipsState now = {fingerprint_of_zips(inputs, archives), *std::move(outputs)};
  ZipsOutcome& zips = outcome.zips.emplace();
  zips.reasons = reasons_to_write(now, state);
  zips.is_written = !zips.reasons.empty();
  if (!zips.is_written) return now;
  outcome.is_changed = true;
  if (options.checks_only) return now;
  SKL_TRY(auto written, write_zips(file, stages, inputs, archives));
  warn_of_faulty(written, outcome);
  zips.archives = std::move(written);
  outputs = stamp_zips(file);
  if (!outputs) return std::unexpected(outputs.error());
  now.outputs = *std::move(outputs);
  return now;
}

Result<std::vector<KnownOutput>> stamp_zips(const BuildFile& file) {
  std::vector<KnownOutput> outputs;
  if (kind_of_path(file.zips->folder) != PathKind::folder) return outputs;
  SKL_TRY(const auto found, stamp_folder(file.zips->folder));
  for (const StampedFile& each : found) outputs.push_back({each.path, each.stamp});
  return outputs;
}

}  // namespace seekless
