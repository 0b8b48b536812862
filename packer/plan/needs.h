// Tells which scenarios need which assets: a profile, translated to the content's assets, without
// those that an earlier scenario of a session leaves in memory. Pure.
#pragma once

#include <cstdint>
#include <memory>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "packer/base/none.h"
#include "packer/content/content.h"
#include "packer/profile/number_list.h"
#include "packer/profile/profile.h"

namespace seekless {

// Lists scenarios that are played one after the other. Assets that an earlier one has read stay in
// memory.
using Session = std::vector<std::string>;

struct GoneAssets {
  std::string scenario;
  std::vector<std::string> paths;  // paths that its runs read but the content lacks; sorted
};

// Lists the content's assets in the order in which a run first reads them, each once. It refers to
// the profile, or to data that its Needs hold, so copying it is cheap however many reads the run
// has.
class NeededRun {
 public:
  NeededRun(const NumberList& numbers, const std::vector<uint32_t>& asset_of)
      : numbers_(&numbers), asset_of_(&asset_of) {}

  auto assets() const {
    return *numbers_ |
           std::views::transform([of = asset_of_](uint32_t number) { return (*of)[number]; });
  }
  const NumberList& numbers() const { return *numbers_; }  // numbers in the profile
  size_t size() const { return numbers_->size(); }
  bool empty() const { return numbers_->empty(); }

 private:
  const NumberList* numbers_;
  const std::vector<uint32_t>* asset_of_;  // indexed by number in the profile
};

// Returns true if it is cheaper for a sweep to read an asset that `with` of a scenario's runs need
// and `without` runs don't. If the sweep reads it, the latter runs read it in vain; otherwise the
// former have to request it.
bool is_swept(uint64_t size_bytes, uint32_t with, uint32_t without, uint64_t ask_bytes);

// Calls `use(asset, with)` once for each asset that some of `runs` read; `with` is the number of
// runs that read it. `counts` is indexed by asset of the content, and is all zero before and after.
template <typename Use>
void for_each_read(const std::vector<NeededRun>& runs, std::vector<uint32_t>& counts,
                   const Use& use) {
  for (const NeededRun& run : runs)
    for (const uint32_t asset : run.assets()) ++counts[asset];
  for (const NeededRun& run : runs)
    for (const uint32_t asset : run.assets())
      if (const uint32_t with = std::exchange(counts[asset], 0); with > 0) use(asset, with);
}

using RunsByScenario = std::vector<std::vector<NeededRun>>;

// The profile and the content must outlive this object, and this object must outlive Needs that are
// made from it.
struct Needs {
  const Content* content = nullptr;
  // Maps each asset of the content to the scenarios whose sweeps read it, ascending.
  std::vector<std::vector<uint32_t>> readers;
  RunsByScenario runs;
  std::vector<GoneAssets> gone;
  // Indexed by scenario: size of the assets it needs that an earlier one has read.
  std::vector<uint64_t> in_memory_bytes;
  // Maps each scenario to the cost of requesting an asset that its sweep doesn't read, as the bytes
  // that could be read in that time. With kNeverAsk, the sweep reads everything. This also holds
  // for scenarios past the end.
  std::vector<uint64_t> ask_bytes;
  // Maps each asset that some run reads but no sweep reads to its reader: a scenario or kSeveral.
  // All other assets have kNone. Empty if there are no such assets.
  std::vector<uint32_t> seldom_reader;
  // The runs refer to these two, besides the profile.
  std::shared_ptr<const std::vector<uint32_t>> asset_of;
  std::vector<std::unique_ptr<const NumberList>> changed_runs;

  static constexpr uint64_t kNeverAsk = UINT64_MAX;
  static constexpr uint32_t kSeveral = UINT32_MAX - 1;

  uint32_t scenario_count() const { return static_cast<uint32_t>(runs.size()); }
  bool is_seldom_read(uint32_t asset) const {
    return readers[asset].empty() && !seldom_reader.empty() && seldom_reader[asset] != kNone;
  }
  // Recomputes `readers` and `seldom_reader` from `runs` and `ask_bytes`.
  void find_readers();
  // Appends a scenario that needs `assets` and has no runs.
  void add_reader(const std::vector<uint32_t>& assets);

 private:
  void find_readers_of(uint32_t scenario, std::vector<uint32_t>& counts);
};

// A scenario doesn't need an asset if, in every session with the scenario, an earlier scenario
// reads it. The exception is an asset that is read again: some trace holds a run of each of the two
// scenarios, and both read the asset. Names in sessions that the profile lacks are skipped.
Needs find_needs(const Profile& profile, const Content& content,
                 const std::vector<Session>& sessions);

// Returns the number of parts into which the runs are divided. Each part is held out in turn to
// test predictions. Returns 0 if no scenario has several runs.
uint32_t fold_count(const Needs& needs);
// Returns the runs that part `fold` holds out. A scenario's only run is never held out.
RunsByScenario held_out(const Needs& needs, uint32_t fold, uint32_t folds);
// Returns the runs that part `fold` doesn't hold out.
RunsByScenario left_runs(const Needs& needs, uint32_t fold, uint32_t folds);
// Returns the needs as they would be if only `runs`, a subset of those in `needs`, had been
// recorded. `gone` and `in_memory_bytes` are left empty. `ask_bytes` has the meaning of
// Needs::ask_bytes.
Needs with_runs(const Needs& needs, RunsByScenario runs, std::vector<uint64_t> ask_bytes);
// Returns the needs as they would be without the runs that part `fold` holds out.
Needs needs_without(const Needs& needs, uint32_t fold, uint32_t folds);
// Returns the runs of scenarios that have only one run.
RunsByScenario single_runs(const Needs& needs);

}  // namespace seekless
