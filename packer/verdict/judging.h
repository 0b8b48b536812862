// Finds the inputs of a judgement: the drive to judge for, and the seconds that packs save on it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "packer/analysis/analysis.h"
#include "packer/content/content.h"
#include "packer/drive/profile.h"
#include "packer/simulate/packed_loads.h"
#include "packer/simulate/replay.h"
#include "packer/simulate/shipped_loads.h"
#include "packer/verdict/verdict.h"
#include "runtime/file_io.h"

namespace seekless {

struct ChosenDrive {
  DriveProfile profile;
  JudgedDrive judged;
};

// Chooses the drive for someone who ships a game: the drive that was named, or else the target. It
// is never this machine's drive by default, so that the same input gives the same answer
// everywhere.
ChosenDrive judge_for(const DriveProfile& profile, bool is_asked_for);

// Chooses the drive for someone who plays here: the drive `name` if it isn't empty, or else the one
// that the content lies on, represented by a built-in profile of its kind.
Result<ChosenDrive> drive_of_content(const std::string& name,
                                     const std::vector<std::string>& roots);

// Judges how much the best order could save in one scenario, or in all if `scenario` is empty. If
// `shipped` is missing, uses the model's figures of each scenario's median run.
Verdict judge_runs(const std::vector<RunFigures>& runs, std::optional<ShippedLoads> shipped,
                   const JudgedDrive& drive, const std::string& scenario);

// Locates a pack set, real or virtual.
struct JudgedPacks {
  const runtime::FileIo& io;
  std::string folder;
};

// Judges how much loads from packs save, compared with the recorded reads as shipped on the
// replay's first drive.
Verdict judge_packed(const BaselineReplay& replay, const PackedLoads& packed,
                     const JudgedDrive& judged);

// Judges how much sweeping the packs saves, compared with the recorded reads on the unchanged
// content.
Result<Verdict> judge_packs(const BaselineReplay& replay, const Content& content,
                            const JudgedPacks& packs, const DriveProfile& drive,
                            const JudgedDrive& judged);

// Returns how long each scenario's sweep takes, on packs that lie one after the other.
Result<SecondsAfter> swept_seconds(const JudgedPacks& packs, const DriveProfile& drive);

// Returns the verdict as lines of at most `columns` characters, for the beginning of an answer. An
// empty line follows.
std::string verdict_lines(const Verdict& verdict, size_t columns);

}  // namespace seekless
