// Makes copies of files, and places them as 'place' would place the files themselves.
#include <algorithm>

#include <fmt/format.h>

#include "packer/command/internal/prove_made.h"
#include "packer/command/progress.h"
#include "packer/host/extents.h"
#include "packer/host/files.h"
#include "packer/host/interrupt.h"
#include "packer/host/own_folder.h"
#include "packer/host/whole_files.h"
#include "packer/place/load_order.h"
#include "packer/place/mover.h"
#include "packer/place/place_plan.h"
#include "packer/place/placed_loads.h"
#include "packer/simulate/lying_files.h"
#include "packer/simulate/shipped_loads.h"

namespace seekless {
namespace {

Result<std::vector<std::vector<uint32_t>>> files_to_place(const ProveSubject& subject,
                                                          const DriveProfile& drive) {
  SKL_TRY(auto lying,
          where_files_lie(subject.content, sources_read(*subject.runs), drive, subject.device));
  if (!lying.are_real)
    return failed({.file = subject.roots.front(),
                   .expected = "files whose places the system tells",
                   .found = lying.why_not_real,
                   .advice = "--way packs or --way repack proves what else there is"});
  const auto scenarios = files_by_scenario(*subject.runs);
  const ReadAhead read_ahead;
  const PlacedLoads loads(*subject.runs, drive, read_ahead, std::move(lying.folders));
  return PlacePlanner(scenarios, loads, std::move(lying.files)).files_to_move();
}

std::string copy_name(uint32_t number) {
  return fmt::format("{:06}", number);
}

// Copies files into a folder, and puts the copies next to each other.
class PlacedCopies {
 public:
  PlacedCopies(const ProveSubject& subject, std::string folder, MadeForProof& made)
      : subject_(subject), folder_(std::move(folder)), made_(made) {}

  Result<void> add(const std::vector<uint32_t>& sources) {
    std::vector<FileExtents> copies;
    for (const uint32_t source : sources) {
      const uint32_t number = subject_.read.number_of[source];
      if (number == kNotProven) continue;
      if (is_interrupted())
        return failed({.file = folder_, .found = "the run interrupted", .advice = "run it again"});
      SKL_TRY(auto copy, copy_of(number));
      copies.push_back(std::move(copy));
    }
    return place(std::move(copies));
  }

 private:
  Result<FileExtents> copy_of(uint32_t number) {
    const std::string& path = subject_.read.paths[number];
    const std::string copy = folder_ + "/" + copy_name(number);
    SKL_TRY_DO(copy_whole_file(path, copy));
    SKL_TRY_DO(sync_file(copy));
    SKL_TRY(auto extents, read_extents(copy));
    made_.paths[number] = copy;
    made_.bytes += extents.size_bytes;
    return extents;
  }

  Result<void> place(std::vector<FileExtents> copies) {
    const auto remark = [this](std::string_view text) { made_.remarks.emplace_back(text); };
    SKL_TRY(const auto mover, mover_for(folder_, remark));
    SKL_TRY_DROP(place_in_order(std::move(copies), mover));
    return {};
  }

  const ProveSubject& subject_;
  const std::string folder_;
  MadeForProof& made_;
};

}  // namespace

Result<MadeForProof> make_placed_files(const ProveSubject& subject, const MakingTerms& terms) {
  SKL_TRY(const auto groups, files_to_place(subject, terms.drive));
  if (groups.empty())
    return failed({.file = subject.roots.front(),
                   .expected = "files that load faster next to each other",
                   .found = "none",
                   .advice = "--way packs or --way repack proves what else there is"});
  uint64_t bytes = 0;
  std::vector<std::string> files;
  for (const auto& group : groups)
    for (const uint32_t source : group) {
      bytes += whole_blocks(subject.content.sources[source].size_bytes);
      const uint32_t number = subject.read.number_of[source];
      if (number != kNotProven)
        files.push_back(WorkFolder::in(WorkFolder::kFiles, copy_name(number)));
    }
  // Each file is copied, and then the copy is copied to its place. Meanwhile, at most one group's
  // copies are on the disk twice.
  SKL_TRY(auto work, folder_to_make_in(terms, {2 * bytes, 2 * bytes, files}));
  MadeForProof made = {.work = std::move(work), .packs = "", .paths = subject.read.paths};
  const std::string folder = made.work->below(WorkFolder::kFiles);
  SKL_TRY_DO(make_own_folders(folder));
  const Progress copying("copying");
  PlacedCopies copies(subject, folder, made);
  for (const auto& group : groups) SKL_TRY_DO(copies.add(group));
  return made;
}

}  // namespace seekless
