// Makes a layout of a profile and content, and says what to expect of it. Pure: neither disk nor
// clock, and the same input gives the same layout, whatever the number of threads.
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

// Copies without a limit made packs of 2 to 10 times the content, for the last per cent of seconds.
inline constexpr double kDefaultBudgetRatio = 1.5;

struct PlanOptions {
  uint32_t block_bytes = kDefaultLayoutBlockBytes;
  bool fold_case = false;
  DriveProfile drive = builtin_profiles().front();
  // Most bytes in all packs, as a multiple of the content's; 1 or more. None: what pays.
  std::optional<double> budget_ratio = kDefaultBudgetRatio;
  double gain_s_per_gb = 1;               // weighted seconds that a GB of copies has to earn
  std::map<std::string, double> weights;  // by scenario, 0 or more; 1 for those not named
  std::vector<Session> sessions;
  std::vector<PlanRule> rules;  // that pass check_rule
  // By asset: bytes that updates are expected to write for each byte of a copy; empty: none.
  std::vector<double> rewritten_by_copy;
  // By asset: the first one of the same content, or itself. Equal ones are planned as one, so that
  // only copies that pay are made of them, too. Empty: none are equal.
  std::vector<uint32_t> same_as;
  // What maps that nobody recorded will read (read_unrecorded_maps): their sweeps bring it, if that
  // loads recorded maps faster that are left out.
  UnrecordedMaps unrecorded;
  bool drop_outliers = false;  // as if outlier runs had not been recorded
  size_t threads = 0;          // 0: as many as there are cores
};

struct Plan {
  Layout layout;
  std::vector<uint64_t> pack_bytes;   // by pack of the layout: what it holds, equal content once
  std::vector<std::string> gone;      // read when recording, but not in the content; sorted
  std::vector<std::string> warnings;  // sentences

  uint64_t packed_bytes() const {
    return std::accumulate(pack_bytes.begin(), pack_bytes.end(), uint64_t{0});
  }
};

// One pack for what several scenarios read (common), one for each scenario for what it alone reads
// and for the copies that it is worth (sub), and one for what none reads (cold); then those that
// rules name. None of them is empty.
//
// Within what the same scenarios read, assets lie in the order that loads their runs fastest, one
// by one. The order of the profile's scenarios and runs changes nothing: the layout's scenarios are
// in order by name. Cold assets lie by path. Copies are made while each earns its bytes on the
// drive. Predictions are held out where a scenario has several runs: of layouts made without the
// run that they are for; of one run only they are of what there is. If there are maps enough to
// tell, a last scenario is added, the typical one: what is predicted of it is what to expect of a
// map that nobody recorded.
Plan plan_layout(const Profile& profile, const Content& content, const PlanOptions& options);

}  // namespace seekless
