// What a judgement is made of: which drive it is for, and what packs bring on it.
#pragma once

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

// For whoever ships a game: the one named, or else the target. Never the machine's own, so that the
// same input gives the same answer everywhere.
ChosenDrive judge_for(const DriveProfile& profile, bool is_asked_for);

// For whoever plays it here: the one named (if it isn't empty), or else what the content lies on,
// with a built-in profile to stand for its kind.
Result<ChosenDrive> drive_of_content(const std::string& name,
                                     const std::vector<std::string>& roots);

// Judges what order could save at best, of that scenario or, if it is empty, of all. Without a
// replay on content, by what the model says of the runs: of each scenario the one in the middle.
Verdict judge_runs(const std::vector<RunFigures>& runs, const BaselineReplay* replay,
                   const JudgedDrive& drive, const std::string& scenario);

// A pack set, real or virtual.
struct JudgedPacks {
  const runtime::FileIo& io;
  std::string folder;
};

// Judges what loads from packs save, against the recorded reads as shipped: those of the replay's
// first drive.
Verdict judge_packed(const BaselineReplay& replay, const PackedLoads& packed,
                     const JudgedDrive& judged);

// Judges what sweeping the packs saves, against the recorded reads on the content as it is shipped.
Result<Verdict> judge_packs(const BaselineReplay& replay, const Content& content,
                            const JudgedPacks& packs, const DriveProfile& drive,
                            const JudgedDrive& judged);

// Returns how long each scenario's sweep takes, on packs that lie one after the other.
Result<SecondsAfter> swept_seconds(const JudgedPacks& packs, const DriveProfile& drive);

// The verdict as lines of at most `columns` characters, for the beginning of an answer; ends with
// an empty line.
std::string verdict_lines(const Verdict& verdict, size_t columns);

}  // namespace seekless
