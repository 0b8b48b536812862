// Who reads what: a profile in terms of the content's assets, less what a session has in memory
// already. Pure.
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

// Scenarios that are played one after the other: what an earlier one has read stays in memory.
using Session = std::vector<std::string>;

struct GoneAssets {
  std::string scenario;
  std::vector<std::string> paths;  // that its runs read, but that aren't in the content; sorted
};

// Assets of the content in the order a run first reads them, each once. Refers to the profile, or
// to what its Needs hold: copies of it cost nothing, however many reads the run has.
class NeededRun {
 public:
  NeededRun(const NumberList& numbers, const std::vector<uint32_t>& asset_of)
      : numbers_(&numbers), asset_of_(&asset_of) {}

  auto assets() const {
    return *numbers_ |
           std::views::transform([of = asset_of_](uint32_t number) { return (*of)[number]; });
  }
  const NumberList& numbers() const { return *numbers_; }  // in the profile
  size_t size() const { return numbers_->size(); }
  bool empty() const { return numbers_->empty(); }

 private:
  const NumberList* numbers_;
  const std::vector<uint32_t>* asset_of_;  // by number in the profile
};

// Whether a sweep had better bring what `with` of its runs need and `without` don't: those read it
// in vain, or these ask for it.
bool is_swept(uint64_t size_bytes, uint32_t with, uint32_t without, uint64_t ask_bytes);

// Each asset that some of `runs` read, once, with how many of them do: `use(asset, with)`. `counts`
// are by asset of the content, and zero before and after.
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

// The profile and the content must outlive it; so must the Needs that others are made of.
struct Needs {
  const Content* content = nullptr;
  // By asset of the content: scenarios whose sweeps bring it, rising.
  std::vector<std::vector<uint32_t>> readers;
  RunsByScenario runs;
  std::vector<GoneAssets> gone;
  std::vector<uint64_t> in_memory_bytes;  // by scenario: that it needs, but an earlier one has read
  // By scenario: the cost of asking for an asset that its sweep doesn't bring, in bytes that are
  // read in that time. kNeverAsk, as for scenarios past the end: its sweep brings everything.
  std::vector<uint64_t> ask_bytes;
  // By asset that some run reads and no sweep brings: who reads it, kSeveral or kNone; empty: there
  // is none.
  std::vector<uint32_t> seldom_reader;
  // What runs refer to, besides the profile's.
  std::shared_ptr<const std::vector<uint32_t>> asset_of;
  std::vector<std::unique_ptr<const NumberList>> changed_runs;

  static constexpr uint64_t kNeverAsk = UINT64_MAX;
  static constexpr uint32_t kSeveral = UINT32_MAX - 1;

  uint32_t scenario_count() const { return static_cast<uint32_t>(runs.size()); }
  bool is_seldom_read(uint32_t asset) const {
    return readers[asset].empty() && !seldom_reader.empty() && seldom_reader[asset] != kNone;
  }
  // Makes `readers` and `seldom_reader` fit `runs` and `ask_bytes`.
  void find_readers();
  // Another scenario, after all others, that needs `assets` and has no runs.
  void add_reader(const std::vector<uint32_t>& assets);

 private:
  void find_readers_of(uint32_t scenario, std::vector<uint32_t>& counts);
};

// An asset isn't needed in a scenario if, in every session that the scenario is in, an earlier one
// reads it; unless a trace says that it is read again: one that holds a run of the earlier scenario
// and of this one, both with the asset. Names of sessions that the profile doesn't have are passed
// over.
Needs find_needs(const Profile& profile, const Content& content,
                 const std::vector<Session>& sessions);

// Predictions are tried on runs that are left out, so many parts one after the other; 0 if no
// scenario has several runs.
uint32_t fold_count(const Needs& needs);
// Runs that part `fold` leaves out; those of a scenario's only run never are.
RunsByScenario held_out(const Needs& needs, uint32_t fold, uint32_t folds);
// The others.
RunsByScenario left_runs(const Needs& needs, uint32_t fold, uint32_t folds);
// As if only `runs`, which are some of `needs`, had been recorded; without what is gone or in
// memory. `ask_bytes` as Needs has them.
Needs with_runs(const Needs& needs, RunsByScenario runs, std::vector<uint64_t> ask_bytes);
// With what is left without a part.
Needs needs_without(const Needs& needs, uint32_t fold, uint32_t folds);
// Of scenarios from which no run can be left out.
RunsByScenario single_runs(const Needs& needs);

}  // namespace seekless
