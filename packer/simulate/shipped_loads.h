// What loads cost as the game is shipped: the recorded reads on the content as it lies. The figures
// that judgements are made of.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "packer/content/content.h"
#include "packer/drive/load_cost.h"
#include "packer/drive/profile.h"
#include "packer/simulate/recorded_fit.h"
#include "packer/simulate/replay.h"

namespace seekless {

// One scenario: its median run, by the model.
struct JudgedLoad {
  std::string name;
  uint32_t runs = 0;
  double as_shipped_s = 0;  // the drive is busy with the recorded reads on the content as it is
  double bound_s = 0;       // with the same bytes in one sweep: no order is faster
  std::optional<double> after_s;  // with the way; none where it isn't known or isn't asked about
  std::optional<double>
      besides_s;          // of the recorded load, besides waiting for a drive; none: unknown
  bool is_slowed = true;  // by how it was recorded, so that `besides_s` is too long
};

// What there isn't, so that no figure tells anything: recorded sizes of reads, recordings at all,
// the content that they read, room for it on the drive.
enum class Lacking : uint8_t { nothing, sizes, recordings, content, room };

// Each scenario's median run, from the replay's drive of that number.
std::vector<JudgedLoad> as_shipped(const BaselineReplay& replay, size_t drive = 0);

// The loads as shipped, and what is lacking to tell.
struct ShippedLoads {
  std::vector<JudgedLoad> loads;
  std::map<std::string, LoadCost> costs;  // of the same median runs
  Lacking lacking = Lacking::nothing;
  RecordedFit fit;
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

}  // namespace seekless
