#include "packer/answer/build_answer.h"

#include <algorithm>

#include <fmt/format.h>

namespace seekless {
namespace {

OutputFate fate_of(bool is_written) {
  return is_written ? OutputFate::written : OutputFate::kept;
}

PatchSizes sizes_of(const PatchBytes& patch) {
  return {.grid_bytes = patch.grid_bytes, .chunk_bytes = patch.chunk_bytes};
}

BuiltPack built_pack(const PackOutcome& pack) {
  const WrittenPack& written = pack.written;
  return {.file = written.file_name,
          .kind = std::string(to_string(pack.kind)),
          .fate = fate_of(pack.is_written),
          .reasons = pack.reasons,
          .assets = written.placement.order.size(),
          .file_bytes = written.file_bytes,
          .content_bytes = written.content_bytes,
          .duplicate_bytes = written.duplicate_bytes,
          .saved_bytes = written.saved_bytes,
          .table_bytes = written.table_bytes,
          .padding_bytes = written.padding_bytes,
          .dead_bytes = written.dead_bytes,
          .blocks = written.placement.blocks.size(),
          .id = fmt::format("{:016x}", written.pack_id),
          .patch = pack.patch ? std::optional(sizes_of(*pack.patch)) : std::nullopt};
}

BuiltScenario built_scenario(const LaidScenario& scenario,
                             const std::map<std::string, LoadCost>& today) {
  const auto load = today.find(scenario.name);
  return {.name = scenario.name,
          .runs = scenario.runs,
          .today = load == today.end() ? std::nullopt : std::optional(load->second),
          .predicted = scenario.predicted};
}

BuiltZips built_zips(const std::string& folder, const ZipsOutcome& zips) {
  BuiltZips built = {
      .folder = folder, .fate = fate_of(zips.is_written), .reasons = zips.reasons, .archives = {}};
  for (const RepackedArchive& archive : zips.archives)
    built.archives.push_back({.name = archive.name,
                              .is_repacked = archive.is_repacked,
                              .reason = archive.reason,
                              .old_bytes = archive.old_bytes,
                              .new_bytes = archive.new_bytes,
                              .entries = archive.entries,
                              .read_entries = archive.read_entries});
  return built;
}

uint64_t sum_of(const std::vector<BuiltPack>& packs, uint64_t BuiltPack::*bytes) {
  uint64_t sum = 0;
  for (const BuiltPack& pack : packs) sum += pack.*bytes;
  return sum;
}

double share_of(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

uint64_t BuildAnswer::bytes() const {
  return sum_of(packs, &BuiltPack::file_bytes);
}

uint64_t BuildAnswer::written_bytes() const {
  uint64_t sum = 0;
  for (const BuiltPack& pack : packs)
    if (pack.fate == OutputFate::written) sum += pack.file_bytes;
  return sum;
}

double BuildAnswer::padding_share() const {
  return share_of(sum_of(packs, &BuiltPack::padding_bytes), bytes());
}

double BuildAnswer::dead_share() const {
  return share_of(sum_of(packs, &BuiltPack::dead_bytes), bytes());
}

size_t BuildAnswer::written_packs() const {
  return static_cast<size_t>(std::ranges::count(packs, OutputFate::written, &BuiltPack::fate));
}

BuildAnswer build_answer_of(const BuildFile& file, const BuildOutcome& outcome,
                            const std::map<std::string, LoadCost>& today,
                            const DriveProfile& drive) {
  BuildAnswer build;
  build.build_file = file.path;
  build.is_changed = outcome.is_changed;
  if (file.packs) build.folder = file.packs->folder;
  build.layout = file.state + "/" + kLayoutName;
  build.lock = file.lock;
  build.assets = outcome.assets;
  build.content_bytes = outcome.content_bytes;
  build.files = outcome.files;
  build.traces = outcome.traces;
  build.hashed_bytes = outcome.hashed_bytes;
  build.is_first = outcome.is_first;
  build.added = outcome.added;
  build.removed = outcome.removed;
  build.changed = outcome.changed;
  build.reasons = outcome.reasons;
  for (const LaidScenario& scenario : outcome.scenarios)
    build.scenarios.push_back(built_scenario(scenario, today));
  for (const PackOutcome& pack : outcome.packs) build.packs.push_back(built_pack(pack));
  build.removed_packs = outcome.removed_packs;
  build.patch = update_costs_of(outcome, drive);
  build.is_relayout_due = outcome.is_relayout_due;
  build.new_recordings = outcome.new_recordings;
  if (outcome.gain)
    build.relayout = {.saved_s = outcome.gain->saved_s(),
                      .kept_s = outcome.gain->kept_s,
                      .patch = sizes_of(outcome.gain->patch.total())};
  build.prediction = outcome.prediction;
  if (outcome.zips) build.zips = built_zips(file.zips->folder, *outcome.zips);
  build.gone = outcome.gone;
  build.warnings = outcome.warnings;
  return build;
}

BuildAnswer unchanged_since(BuildAnswer last, const BuildFile& file, double seconds) {
  last.build_file = file.path;
  last.is_changed = false;
  last.is_checked_only = false;
  last.seconds = seconds;
  last.hashed_bytes = 0;
  last.is_first = false;
  last.added = {};
  last.removed = {};
  last.changed = {};
  last.reasons = {};
  for (BuiltPack& pack : last.packs) {
    pack.fate = OutputFate::kept;
    pack.reasons = {};
    if (pack.patch) pack.patch = PatchSizes();
  }
  if (last.zips) {
    last.zips->fate = OutputFate::kept;
    last.zips->reasons = {};
  }
  last.removed_packs = {};
  if (last.patch) last.patch = UpdateCosts{.drive = last.patch->drive};
  return last;
}

void keep_reasons(const BuildAnswer& before, BuildAnswer& build) {
  if (!build.prediction || !build.prediction->curve.empty() || !before.prediction) return;
  build.prediction->reasons = before.prediction->reasons;
  build.prediction->curve = before.prediction->curve;
}

}  // namespace seekless
