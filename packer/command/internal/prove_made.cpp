#include "packer/command/internal/prove_made.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "packer/command/internal/threads.h"
#include "packer/command/progress.h"
#include "packer/drive/drive_figures.h"
#include "packer/host/files.h"
#include "packer/pack/pack_set_writer.h"
#include "packer/plan/planner.h"
#include "packer/repack/archive_set.h"
#include "packer/repack/choose_storing.h"
#include "packer/repack/rewritten_places.h"
#include "runtime/catalog.h"

namespace seekless {
namespace {

constexpr uint64_t kRoomBesideBytes = 64'000'000;
constexpr double kTablesShare = 0.02;  // tables and padding, as a share of the content

// Leaves some space free, so that the disk isn't full.
uint64_t room_to_make(uint64_t written_bytes) {
  return written_bytes + static_cast<uint64_t>(static_cast<double>(written_bytes) * kTablesShare) +
         kRoomBesideBytes;
}

// Packs contain only assets that some load reads.
void drop_unread_packs(Plan& plan) {
  std::vector<uint64_t> kept_bytes;
  for (size_t i = 0; i < plan.layout.packs.size(); ++i)
    if (plan.layout.packs[i].kind != PackKind::cold) kept_bytes.push_back(plan.pack_bytes[i]);
  std::erase_if(plan.layout.packs,
                [](const LaidPack& pack) { return pack.kind == PackKind::cold; });
  plan.pack_bytes = std::move(kept_bytes);
}

// Decides the entries' order, and which are stored uncompressed, as 'repack' does.
struct ArchivesToMake {
  EntryOrder order;
  RepackOptions options;
  std::vector<RepackedArchive> planned;
};

Result<ArchivesToMake> plan_archives(const ProveSubject& subject, const DriveProfile& drive) {
  ArchivesToMake plan;
  // The archives are deleted afterwards, so they may lie within the content.
  plan.options.verify = false;
  plan.options.copies_others = false;
  plan.options.exclude = {"**"};
  EntryOrderOptions order = {.drive = drive};
  plan.order = order_entries(subject.profile, subject.content, order);
  SKL_TRY(plan.planned, plan_repack(subject.content, subject.roots, plan.order, plan.options));
  const ForecastDrive on = {.profile = drive, .places = {}, .simulation = {}};
  const auto forecast_with = [&](const Storing& storing) {
    RepackPlan tried = {order, plan.options.rewrite, plan.planned};
    tried.order.storing = tried.rewrite.storing = storing;
    return forecast_repack({subject.profile, *subject.runs}, subject.content, on, tried);
  };
  SKL_TRY(const auto best, best_storing(subject.profile, subject.content, {}, forecast_with));
  if (best.tried.empty()) return plan;
  order.storing = plan.options.rewrite.storing = best.tried.front().storing;
  plan.order = order_entries(subject.profile, subject.content, order);
  SKL_TRY(plan.planned, plan_repack(subject.content, subject.roots, plan.order, plan.options));
  return plan;
}

std::unexpected<Error> no_archives(const ProveSubject& subject, const std::string& reason) {
  return failed({.file = subject.roots.front(),
                 .expected = "archives that the recordings read and that can be rewritten",
                 .found = reason.empty() ? "none" : reason,
                 .advice = "try --way packs or --way place"});
}

// Replaces the archives' paths by those of the new archives, and finds where the entries lie.
Result<void> find_new_archives(const ProveSubject& subject,
                               const std::vector<RepackedArchive>& archives,
                               const std::string& folder, MadeForProof& made) {
  SKL_TRY(const auto now, scan_content({folder}, repack_scan_options()));
  std::vector<uint32_t> now_of(subject.content.sources.size(), kSameFile);
  for (const RepackedArchive& archive : archives) {
    const std::string path = folder + "/" + archive.name;
    const auto found = std::ranges::find(now.sources, path, &Source::path);
    if (!archive.is_repacked || found == now.sources.end()) continue;
    now_of[archive.source] = static_cast<uint32_t>(found - now.sources.begin());
  }
  made.moved = rewritten_places(subject.content, now, now_of);
  for (const RepackedArchive& archive : archives) {
    const uint32_t number = subject.read.number_of[archive.source];
    if (number == kNotProven) continue;
    if (made.moved[archive.source].is_moved())
      made.paths[number] = folder + "/" + archive.name;
    else
      made.remarks.push_back(fmt::format("{} stays as it is{}.", archive.name,
                                         archive.reason.empty() ? "" : ": " + archive.reason));
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<WorkFolder>> folder_to_make_in(const MakingTerms& terms,
                                                      const PlannedWork& work) {
  const DriveFigures figures = figures_of(terms.drive);
  const double mean_bytes_per_s = (figures.outer_bytes_per_s + figures.inner_bytes_per_s) / 2;
  const double needed_s = 2 * static_cast<double>(work.written_bytes) / mean_bytes_per_s;
  const double left_s =
      std::chrono::duration<double>(terms.deadline - std::chrono::steady_clock::now()).count();
  if (needed_s > left_s)
    return failed(
        {.place = "--minutes",
         .expected = fmt::format("time to write {:.1f} MB, about {:.0f} s on this disk",
                                 megabytes(work.written_bytes), needed_s),
         .found = fmt::format("{:.0f} s left", std::max(left_s, 0.0)),
         .advice = "allow more --minutes, name fewer traces, or name existing packs with --packs"});
  return WorkFolder::make(canonical_path(terms.parent), room_to_make(work.room_bytes), work.files);
}

Result<MadeForProof> make_packs(const ProveSubject& subject, const MakingTerms& terms) {
  PlanOptions options;
  options.drive = terms.drive;
  Progress planning("planning");
  Plan plan = plan_layout(subject.profile, subject.content, options);
  planning.finish();
  drop_unread_packs(plan);
  PlannedWork planned = {.written_bytes = plan.packed_bytes(),
                         .room_bytes = plan.packed_bytes(),
                         .files = {WorkFolder::in(WorkFolder::kPacks, runtime::kCatalogName)}};
  for (const LaidPack& pack : plan.layout.packs)
    planned.files.push_back(WorkFolder::in(WorkFolder::kPacks, pack.name + ".skl"));
  SKL_TRY(auto work, folder_to_make_in(terms, planned));
  Progress packing("packing", plan.packed_bytes());
  const std::string folder = work->below(WorkFolder::kPacks);
  SKL_TRY(const auto written, write_pack_set(plan.layout,
                                             {.codec = std::nullopt,
                                              .threads = default_threads(),
                                              .done_bytes = &packing.done_bytes()},
                                             folder));
  MadeForProof made = {.work = std::move(work), .packs = folder};
  for (const WrittenPack& pack : written) made.bytes += pack.file_bytes;
  return made;
}

Result<MadeForProof> make_archives(const ProveSubject& subject, const MakingTerms& terms) {
  Progress planning("planning");
  SKL_TRY(auto plan, plan_archives(subject, terms.drive));
  planning.finish();
  uint64_t bytes = 0;
  std::vector<std::string> files = {WorkFolder::in(WorkFolder::kArchives, kRepackedListName)};
  std::string reason;
  std::vector<std::string> remarks;
  for (const RepackedArchive& archive : plan.planned) {
    if (archive.is_repacked) {
      bytes += archive.new_bytes;
      files.push_back(WorkFolder::in(WorkFolder::kArchives, archive.name));
    }
    if (archive.is_repacked || plan.order.read_entries[archive.source].empty()) continue;
    if (reason.empty()) reason = archive.reason;
    remarks.push_back(fmt::format("{} stays as it is: {}.", archive.name, archive.reason));
  }
  if (std::ranges::none_of(plan.planned, &RepackedArchive::is_repacked))
    return no_archives(subject, reason);
  SKL_TRY(auto work, folder_to_make_in(terms, {bytes, bytes, files}));
  Progress repacking("repacking", repack_bytes(plan.planned, plan.options));
  plan.options.done_bytes = &repacking.done_bytes();
  const std::string folder = work->below(WorkFolder::kArchives);
  SKL_TRY(const auto archives,
          repack_archives(subject.content, subject.roots, plan.order, folder, plan.options));
  // Only reading an archive whole shows for certain that it can be rewritten.
  if (std::ranges::none_of(archives, &RepackedArchive::is_repacked))
    return no_archives(subject, archives.front().reason);
  MadeForProof made = {
      .work = std::move(work), .packs = "", .paths = subject.read.paths, .bytes = bytes};
  made.remarks = std::move(remarks);
  SKL_TRY_DO(find_new_archives(subject, archives, folder, made));
  return made;
}

}  // namespace seekless
