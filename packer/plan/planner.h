// Makes a layout from a profile and content, and predicts what it gains. Pure: it uses neither disk
// nor clock, and the same input gives the same layout, whatever the number of threads.
#pragma once

#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/content/content.h"
#include "packer/drive/profile.h"
#include "packer/layout/layout.h"
#include "packer/layout/rules.h"
#include "packer/mentions/unrecorded_maps.h"
#include "packer/plan/needs.h"
#include "packer/profile/profile.h"

namespace seekless {

// Without a limit, copies made packs of 2 to 10 times the content, to save the last per cent of
// seconds.
inline constexpr double kDefaultBudgetRatio = 1.5;

struct PlanOptions {
  uint32_t block_bytes = kDefaultLayoutBlockBytes;
  bool fold_case = false;
  DriveProfile drive = builtin_profiles().front();
  // Maximum size of all packs, as a multiple of the content's size; 1 or more. If empty, every copy
  // that pays is made.
  std::optional<double> budget_ratio = kDefaultBudgetRatio;
  double gain_s_per_gb = 1;               // weighted seconds that a GB of copies must save
  std::map<std::string, double> weights;  // indexed by scenario, 0 or more; others have 1
  std::vector<Session> sessions;
  std::vector<PlanRule> rules;  // must pass check_rule
  // Maps each asset to the bytes that updates are expected to write for each byte of a copy. Empty
  // means none.
  std::vector<double> rewritten_by_copy;
  // Maps each asset to the first one with the same content, which may be itself. Equal assets are
  // planned as one, so that copies of them are made only if they pay. If empty, no assets are
  // equal.
  std::vector<uint32_t> same_as;
  // Holds the reads predicted for unrecorded maps (read_unrecorded_maps). Their sweeps read these
  // assets if that makes recorded maps load faster when they are held out.
  UnrecordedMaps unrecorded;
  bool drop_outliers = false;  // plans as if outlier runs had not been recorded
  size_t threads = 0;          // 0 means one for each core
};

struct Plan {
  Layout layout;
  // Indexed by pack of the layout: its bytes, counting equal content once.
  std::vector<uint64_t> pack_bytes;
  // Assets that were read when recording but are no longer in the content; sorted.
  std::vector<std::string> gone;
  std::vector<std::string> warnings;  // whole sentences

  uint64_t packed_bytes() const {
    return std::accumulate(pack_bytes.begin(), pack_bytes.end(), uint64_t{0});
  }
};

// Makes a layout of these packs: the common pack for assets that several scenarios read; a sub-pack
// for each scenario, with assets that only it reads and its copies; the cold pack for assets that
// no scenario reads; and packs that rules name. No pack is empty.
//
// Assets that the same scenarios read lie in the order in which runs read them fastest, one after
// another. The order of scenarios and runs in the profile doesn't matter: the layout's scenarios
// are sorted by name. Cold assets are sorted by path. Copies are made as long as each saves enough
// time on the drive for its bytes. If a scenario has several runs, its prediction is held out: each
// run is tried on a layout made without it. If it has only one, that run is tried on a layout made
// from it. If there are enough maps, the typical scenario is added at the end; its prediction holds
// for unrecorded maps.
Plan plan_layout(const Profile& profile, const Content& content, const PlanOptions& options);

}  // namespace seekless
