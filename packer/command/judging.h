// What commands share that judge: which drive they judge for, and what loads cost on it as the game
// is shipped. The judgement itself is packer/verdict's.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "packer/command/inputs.h"
#include "packer/content/content.h"
#include "packer/drive/profile.h"
#include "packer/simulate/replay.h"
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

// Each scenario's median run, from the replay's drive of that number.
std::vector<JudgedLoad> as_shipped(const BaselineReplay& replay, size_t drive = 0);

// The loads as shipped, and what is lacking to tell.
struct ShippedLoads {
  std::vector<JudgedLoad> loads;
  std::map<std::string, LoadCost> costs;  // of the same median runs
  Lacking lacking = Lacking::nothing;
};
ShippedLoads shipped_loads(const BaselineReplay& replay);

// For replaying traces on the content as it lies, one file after the other from the drive's start
// on; null if it doesn't fit the drive. Whoever makes the profile gives it the traces. `content`
// must outlive it.
std::unique_ptr<BaselineReplay> replay_as_shipped(const Content& content,
                                                  const DriveProfile& drive);

// As JudgedLoad::after_s, by scenario.
using SecondsAfter = std::map<std::string, double>;
void set_after(std::vector<JudgedLoad>& loads, const SecondsAfter& after);

// A pack set, real or virtual.
struct JudgedPacks {
  const runtime::FileIo& io;
  std::string folder;
};

// What sweeping the packs saves, against the recorded reads on the content as it is shipped.
Result<Verdict> judge_packs(const BaselineReplay& replay, const Content& content,
                            const JudgedPacks& packs, const DriveProfile& drive,
                            const JudgedDrive& judged);

// What sweeping each of its scenarios takes, on packs that lie one after the other.
Result<SecondsAfter> swept_seconds(const JudgedPacks& packs, const DriveProfile& drive);

// The verdict as lines of at most `columns` characters, for the beginning of an answer; ends with
// an empty line.
std::string verdict_lines(const Verdict& verdict, size_t columns);

}  // namespace seekless
